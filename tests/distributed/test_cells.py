"""Sparse data with many features and labels in blocks: the same as in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

import labelsieve.discretization._block_codes as dask_codes
from labelsieve.engines import columns
from labelsieve.registry import make_selector
from tests.distributed.data import in_blocks, pairwise
from tests.distributed.test_equality import in_blocks_only

METHODS = ["fimf", "scls", "d2f", "mdmr", "br+chi2", "br+mi", "pmu", "lrfs", "sieve"]
CLASSES = ["ppt+chi2", "ppt+mi", "ela+chi2", "ela+mi"]
BLOCKS = [(300,), (1, 250, 0, 49), (30,) * 10]


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    share = 0.02 + 0.6 / np.arange(1, 91)
    return sp.csr_matrix(random.random((300, 90)) < share, dtype=float)


@pytest.mark.parametrize(
    ("name", "spilled", "lengths"),
    pairwise([*METHODS, *CLASSES], [False, True], BLOCKS),
)
def test_blocks_give_what_memory_gives(name, lengths, spilled, words, monkeypatch):
    monkeypatch.setattr(columns, "FEW_CELLS", 0)
    X, Y = words[:, ::2], words[:, 1::2]
    selector = make_selector(name, n_features_to_select=6)
    expected = selector.fit(X, Y).scores_, selector.order_
    if spilled:
        monkeypatch.setattr(dask_codes, "KEPT_BYTES", 0)
    with in_blocks_only():
        selector.fit(*(in_blocks(table, lengths, sparse=True) for table in (X, Y)))
    np.testing.assert_allclose(selector.scores_, expected[0], rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(selector.order_, expected[1])
