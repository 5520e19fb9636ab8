"""Selectors on Dask's threads equal selectors in memory."""

from contextlib import contextmanager

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import labelsieve.discretization._block_codes as dask_codes
import labelsieve.discretization._cuts as dask_cuts
from labelsieve import FIMF, PMU
from labelsieve.selectors._information import InformationSelector
from tests.distributed.data import (
    N_ROWS,
    SELECTORS,
    equal_blocks,
    in_blocks,
    in_turn,
    of_unknown_length,
    pairwise,
    table,
)

BLOCKS = {
    "1": equal_blocks(1),
    "7": equal_blocks(7),
    "unequal": (1, 250, 3, 146),
    "empty": (0, 150, 0, 0, 250, 0),
}
X, Y = table()
LEFT, RIGHT = slice(None, 7), slice(7, None)


def check(selector, X_lazy, Y_lazy, X=X, Y=Y):
    expected = clone(selector).fit(X, Y)
    found = [clone(selector).fit(X_lazy, Y_lazy)]
    if isinstance(selector, InformationSelector):
        with in_blocks_only():
            found.append(clone(selector).fit(X_lazy, Y_lazy))
    for fitted in found:
        np.testing.assert_array_equal(fitted.order_, expected.order_)
        np.testing.assert_allclose(fitted.scores_, expected.scores_, 1e-9, 1e-14)


@contextmanager
def in_blocks_only():
    """Count in blocks also what could be put together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_codes.CodedBlocks, "fits_in_memory", False)
        yield


@pytest.mark.parametrize(
    ("name", "blocks", "sparse"), pairwise(SELECTORS, BLOCKS, [False, True])
)
def test_equals_in_memory(name, blocks, sparse):
    lengths = BLOCKS[blocks]
    check(SELECTORS[name], *(in_blocks(t, lengths, sparse) for t in (X, Y)))


@pytest.mark.parametrize(
    ("name", "sparse"), in_turn(["PMU", "FIMF", "Sieve", "LP"], [False, True])
)
def test_fifty_blocks(name, sparse):
    lengths = equal_blocks(50)
    check(SELECTORS[name], *(in_blocks(t, lengths, sparse) for t in (X, Y)))


@pytest.mark.parametrize(("name", "sparse"), in_turn(SELECTORS, [True, False]))
def test_unknown_lengths(name, sparse):
    blocks = [of_unknown_length(t, equal_blocks(7), sparse) for t in (X, Y)]
    check(SELECTORS[name], *blocks)


@pytest.mark.parametrize(
    ("name", "factor", "sparse"),
    pairwise(["PMU", "FIMF", "MLQPFS", "Sieve", "LP"], [-1, 1, 5], [False, True]),
)
def test_words(name, factor, sparse):
    """Columns of two values, of which one is zero: most, some or none of the rows."""
    words = (np.linspace(-2, 3, X.shape[1]) < X).astype(float)
    words[:, 3] *= factor
    blocks = [in_blocks(t, BLOCKS["unequal"], sparse) for t in (words, Y)]
    check(SELECTORS[name], *blocks, X=words)


def test_blocks_of_columns_and_other_blocks_of_labels():
    X_lazy = da.from_array(X, chunks=(100, 5))
    check(PMU(3), X_lazy, da.from_array(Y, chunks=(130, 2)))


@pytest.mark.parametrize("known", [False, True])
def test_labels_in_memory(known):
    X_lazy = in_blocks(X, equal_blocks(7))
    if not known:
        X_lazy = X_lazy[da.from_array(np.arange(N_ROWS) >= 0, chunks=X_lazy.chunks[0])]
    check(FIMF(3), X_lazy, Y)
    check(FIMF(3), X_lazy, sp.csr_matrix(Y))


@pytest.mark.parametrize(
    "labels",
    [
        2 * Y - 1,
        Y[:, 0],
        np.column_stack([Y, np.arange(N_ROWS) % 3]),
        np.where(Y > 0, "yes", "no"),
        np.column_stack([Y, np.ones(N_ROWS, dtype=int)]),
    ],
    ids=["-1 and 1", "one", "three values", "text", "constant"],
)
@pytest.mark.filterwarnings("ignore:.*labels have the same value")
def test_kinds_of_labels(labels):
    chunks = (130, *labels.shape[1:])
    lazy = da.from_array(labels, chunks=chunks)
    check(PMU(3), in_blocks(X, equal_blocks(3)), lazy, Y=labels)


def test_frames_with_text_and_names():
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame["city"] = np.array(["Oslo", "Rome", "Bonn"])[np.arange(N_ROWS) % 3]
    frame["size"] = pd.Categorical(np.where(X[:, 0] > 0.5, "S", "L"))
    labels = pd.DataFrame(Y, columns=list("abcde"))
    lazy = dd.from_pandas(frame, npartitions=5), dd.from_pandas(labels, npartitions=5)
    check(PMU(4), *lazy, X=frame, Y=labels)
    found = PMU(4).fit(*lazy)
    assert found.feature_names_in_.tolist() == list(frame.columns)
    chosen = found.transform(lazy[0])
    assert isinstance(chosen, dd.DataFrame)
    pd.testing.assert_frame_equal(
        chosen.compute(), frame.loc[:, found.get_support()], check_dtype=False
    )


def frames_in_blocks(*parts):
    """A dask DataFrame whose blocks keep their own kinds of cells.

    Dask would make text of all objects by default.
    """
    blocks = [dask.delayed(part) for part in parts]
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_delayed(blocks, meta=parts[0].iloc[:0], verify_meta=False)


def mixed(first, second):
    """Two blocks with a column that holds one kind of cells in each."""
    halves = [
        pd.DataFrame({"a": X[rows, 0], "mixed": np.resize(cells, 200)})
        for rows, cells in ((slice(200), first), (slice(200, None), second))
    ]
    return [half.astype({"mixed": object}) for half in halves]


@pytest.mark.parametrize("other", [[3, 1], [True, False], [np.int64(2), None, 7]])
@pytest.mark.parametrize("text_first", [False, True])
def test_columns_of_text_in_one_block_and_numbers_in_another(other, text_first):
    words = np.array(["b", "1", "x"], dtype=object)
    parts = mixed(*((words, other) if text_first else (other, words)))
    lazy = frames_in_blocks(*parts), da.from_array(Y, chunks=200)
    check(PMU(2, n_bins=4), *lazy, X=pd.concat(parts))


@pytest.mark.parametrize(
    ("name", "binning", "sparse"),
    [
        *pairwise(
            ["PMU", "PMU, 3 bins", "Sieve, auto", "BR"],
            ["quantile", "uniform", "none"],
            [False, True],
        ),
        ("Sieve, auto", "none", True),
    ],
)
@pytest.mark.filterwarnings("ignore:no feature is significant")
def test_missing_cells(name, binning, sparse):
    # Without bins each value is a level of its own: a few of them are enough.
    holed = np.round(X) if binning == "none" else X.copy()
    holed[np.random.default_rng(1).random(X.shape) < 0.08] = np.nan
    holed[:, 3] = np.nan
    lengths = BLOCKS["unequal"]
    lazy = in_blocks(holed, lengths, sparse), in_blocks(Y, lengths)
    selector = clone(SELECTORS[name]).set_params(binning=binning)
    check(selector, *lazy, X=sp.csr_matrix(holed) if sparse else holed)


def test_searched_quantiles_with_missing_cells(monkeypatch):
    monkeypatch.setattr(dask_cuts, "GATHERED_VALUES", 1)
    holed = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    lazy = in_blocks(holed, equal_blocks(3)), in_blocks(Y, equal_blocks(3))
    check(PMU(3, n_bins=5), *lazy, X=holed)


def test_columns_of_text_in_one_block_and_fractions_in_another():
    parts = mixed(np.array(["b", "x"], dtype=object), [0.5, 1.5])
    lazy = frames_in_blocks(*parts), da.from_array(Y, chunks=200)
    with pytest.raises(TypeError, match="'mixed' holds float and str values"):
        PMU(2).fit(*lazy)
    with pytest.raises(TypeError, match="'mixed' holds float and str"):
        PMU(2).fit(pd.concat(parts), Y)


def test_columns_of_numbers_as_objects():
    parts = mixed([3, 1], [0.5, 2])
    lazy = frames_in_blocks(*parts), da.from_array(Y, chunks=200)
    check(PMU(2), *lazy, X=pd.concat(parts))


@pytest.mark.parametrize("sparse", [False, True])
def test_transform_is_lazy(sparse):
    lazy = in_blocks(X, equal_blocks(7), sparse)
    selector = FIMF(3).fit(X, Y)
    found = selector.transform(lazy)
    assert isinstance(found, da.Array)
    assert found.shape == (N_ROWS, 3)
    rows = found.compute()
    assert sp.issparse(rows) == sparse
    rows = rows.toarray() if sparse else rows
    np.testing.assert_array_equal(rows, selector.transform(X))


@pytest.mark.parametrize(
    ("name", "sparse"), in_turn(["PMU", "FIMF", "PPT"], [False, True])
)
def test_spilled_blocks(name, sparse, monkeypatch, tmp_path):
    monkeypatch.setattr(dask_codes, "KEPT_BYTES", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    check(SELECTORS[name], *(in_blocks(t, equal_blocks(7), sparse) for t in (X, Y)))
    assert list(tmp_path.iterdir()) == []


def test_n_jobs_changes_nothing():
    blocks = [in_blocks(t, equal_blocks(3)) for t in (X, Y)]
    check(clone(SELECTORS["MLQPFS"]).set_params(n_jobs=2), *blocks)


def test_fimf_by_blocks_of_columns():
    """Features are scored one by one: fits on blocks of columns can be joined."""
    X_lazy, Y_lazy = (in_blocks(t, equal_blocks(3)) for t in (X, Y))
    halves = [FIMF(2).fit(X_lazy[:, cut], Y_lazy).scores_ for cut in (LEFT, RIGHT)]
    expected = FIMF(2).fit(X, Y).scores_
    np.testing.assert_array_equal(np.concatenate(halves), expected)
