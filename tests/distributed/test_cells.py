"""Cells of n(f, l) that are listed in blocks: the same bits as in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

import labelsieve
import labelsieve.discretization._block_codes as dask_codes
from labelsieve.counting import (
    SparseSource,
    block_cells,
    dask_counts,
    joint,
    label_pairs,
)
from labelsieve.registry import make_selector
from tests.distributed.data import in_blocks
from tests.distributed.test_equality import in_blocks_only

CLASSES = ["ppt+chi", "ppt+mi", "ela+chi", "ela+mi"]
METHODS = ["fimf", "scls", "d2f", "mdmr", "br+chi", "br+mi", "pmu", "lrfs"]


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    share = 0.02 + 0.6 / np.arange(1, 91)
    return sp.csr_matrix(random.random((300, 90)) < share, dtype=float)


@pytest.fixture
def always_listed(monkeypatch):
    monkeypatch.setattr(joint, "LISTED_FROM", 0)
    monkeypatch.setattr(joint, "LISTED_SHARE", np.inf)
    monkeypatch.setattr(joint, "CELLS_PER_LIST", 200)
    monkeypatch.setattr(label_pairs, "PAIRS_LISTED_FROM", 0)
    monkeypatch.setattr(label_pairs, "COST_OF_PAIR", 0)
    monkeypatch.setattr(block_cells, "RANGES_AT_ONCE", 3)


@pytest.mark.parametrize("spilled", [False, True])
@pytest.mark.parametrize("lengths", [(300,), (1, 250, 0, 49), (30,) * 10])
@pytest.mark.parametrize("name", [*METHODS, *CLASSES])
def test_same_bits(name, lengths, spilled, words, always_listed, monkeypatch):
    X, Y = words[:, ::2], words[:, 1::2]
    selector = make_selector(name, n_features_to_select=6)
    expected = selector.fit(X, Y).scores_, selector.order_
    if spilled:
        monkeypatch.setattr(dask_codes, "KEPT_BYTES", 0)
    with in_blocks_only():
        selector.fit(*(in_blocks(table, lengths, sparse=True) for table in (X, Y)))
    np.testing.assert_array_equal(selector.scores_, expected[0])
    np.testing.assert_array_equal(selector.order_, expected[1])


@pytest.mark.parametrize("name", METHODS)
def test_no_table_is_made(name, words, always_listed, monkeypatch):
    def refuse(self):
        assert self.n_labels <= 5, "a table of all labels"
        return table.func(self)

    table = dask_counts.DaskCounts.__dict__["_feature_label_parts"]
    monkeypatch.setattr(
        dask_counts.DaskCounts, "_feature_label_parts", property(refuse)
    )
    selector = make_selector(name, n_features_to_select=6)
    if name == "fimf":
        selector.set_params(n_labels=5)
    blocks = [in_blocks(t, (150, 150), sparse=True) for t in (words, words[:, 1::2])]
    with in_blocks_only():
        selector.fit(*blocks)
    assert selector.scores_.any()


@pytest.mark.parametrize("name", CLASSES)
def test_no_table_of_classes_is_made(name, words, monkeypatch):
    monkeypatch.setattr(SparseSource, "count_both", None)
    blocks = [in_blocks(t, (150, 150), sparse=True) for t in (words, words[:, :4])]
    with in_blocks_only():
        found = make_selector(name, n_features_to_select=6).fit(*blocks)
    assert found.scores_.any()


def test_tables_where_most_cells_are_there(words, monkeypatch):
    monkeypatch.setattr(joint, "LISTED_FROM", 0)
    monkeypatch.setattr(joint, "LISTED_SHARE", 0.0)
    monkeypatch.setattr(dask_counts.DaskCounts, "sum_cells", None)
    X, Y = words[:, ::2], words[:, 1::2]
    expected = labelsieve.FIMF(6).fit(X, Y)
    with in_blocks_only():
        found = labelsieve.FIMF(6).fit(
            *(in_blocks(table, (150, 150), sparse=True) for table in (X, Y))
        )
    np.testing.assert_array_equal(found.scores_, expected.scores_)
