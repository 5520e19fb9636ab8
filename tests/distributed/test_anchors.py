"""Anchors: some rows stand for all, in memory, in blocks and on a cluster."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

import labelsieve.selectors.gmba.blocks as margins
import labelsieve.selectors.relief.blocks as pairs
import labelsieve.selectors.spec.anchors as spec_anchors
from labelsieve import GMBA, MLRF, SPEC
from labelsieve.selectors._rows.anchors import draw_anchors
from tests.distributed.data import N_ROWS, equal_blocks, in_blocks, table
from tests.naive import margins as naive
from tests.naive import relief

X, Y = table()
Y[:20] = 0  # rows that share no label with anybody

SELECTORS = {
    "GMBA": GMBA(4, random_state=1),
    "GMBA, half similar": GMBA(4, similarity_threshold=0.5, random_state=1),
    "GMBA, batch": GMBA(4, solver="batch", n_neighbors=2, random_state=1),
    "GMBA, visits": GMBA(4, n_iterations=150, trade_off=0.5, random_state=1),
    "SPEC": SPEC(4, random_state=1),
    "SPEC, phi 2": SPEC(4, phi=2, isolated_degree=0.01, random_state=1),
    "MLRF": MLRF(4, random_state=1),
    "MLRF, mean": MLRF(4, aggregate="mean", n_neighbors=2, random_state=1),
}
LENGTHS = [equal_blocks(1), equal_blocks(7), (1, 250, 3, 146), (0, 150, 0, 250)]


def anchored(name, n_anchors):
    return clone(SELECTORS[name]).set_params(n_anchors=n_anchors)


def check_equal(found, expected):
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SELECTORS)
def test_all_rows_as_anchors_change_nothing(name):
    full = clone(SELECTORS[name]).fit(X, Y)
    for n_anchors in (N_ROWS, 10 * N_ROWS):
        found = anchored(name, n_anchors).fit(X, Y)
        np.testing.assert_array_equal(found.scores_, full.scores_)
        np.testing.assert_array_equal(found.order_, full.order_)


@pytest.mark.parametrize("name", SELECTORS)
def test_all_rows_as_anchors_in_blocks(name):
    """The other way of adding up gives the full result."""
    blocks = [in_blocks(t, equal_blocks(3)) for t in (X, Y)]
    check_equal(anchored(name, N_ROWS).fit(*blocks), clone(SELECTORS[name]).fit(X, Y))


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("lengths", LENGTHS, ids=["1", "7", "unequal", "empty"])
@pytest.mark.parametrize("name", SELECTORS)
def test_blocks_equal_memory(name, lengths, sparse):
    expected = anchored(name, 60).fit(X, Y)
    blocks = in_blocks(X, lengths, sparse), in_blocks(Y, lengths, sparse)
    found = anchored(name, 60).fit(*blocks)
    check_equal(found, expected)
    if name.startswith("GMBA"):
        assert found.n_updates_ == expected.n_updates_ > 0
    if name.startswith("MLRF"):
        assert found.n_pairs_ == expected.n_pairs_ == 10


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_sparse_rows_in_memory(name):
    rows = sp.csr_matrix(X), sp.csr_matrix(Y)
    check_equal(anchored(name, 60).fit(*rows), anchored(name, 60).fit(X, Y))


@pytest.mark.parametrize("name", ["GMBA", "SPEC, phi 2", "MLRF"])
def test_unknown_lengths(name):
    lengths = equal_blocks(7)
    kept = da.from_array(np.arange(N_ROWS) >= 0, chunks=(lengths,))
    blocks = [in_blocks(t, lengths)[kept] for t in (X, Y)]
    check_equal(anchored(name, 60).fit(*blocks), anchored(name, 60).fit(X, Y))


@pytest.mark.parametrize("name", ["GMBA", "SPEC, phi 2", "MLRF"])
def test_groups_and_tiles_of_anchors(name, monkeypatch):
    expected = anchored(name, 60).fit(X, Y)
    for module in (margins, pairs):
        monkeypatch.setattr(module, "GROUP_BYTES", 7 * 8 * X.shape[1])
        monkeypatch.setattr(module, "BLOCK_BYTES", 5 * 8 * N_ROWS)
    monkeypatch.setattr(spec_anchors, "TILE_BYTES", 5 * 8 * 32)
    blocks = [in_blocks(t, equal_blocks(2)) for t in (X, Y)]
    check_equal(anchored(name, 60).fit(*blocks), expected)


def test_anchors_are_compared_with_all_rows():
    """Not with each other only: a sample of both sides gives something else."""
    which = draw_anchors(N_ROWS, 60, 1)
    for name in ("GMBA", "SPEC", "MLRF"):
        both = clone(SELECTORS[name]).fit(X[which], Y[which])
        assert not np.allclose(anchored(name, 60).fit(X, Y).scores_, both.scores_)


@pytest.mark.parametrize("seed", [0, 1])
def test_sums_of_anchors_are_those_of_the_formulas(seed):
    random = np.random.default_rng(seed)
    Y = (random.random((40, 3)) < 0.4).astype(int)
    X = random.normal(size=(40, 5)).round(seed) + Y[:, :1]
    which = draw_anchors(40, 15, seed)
    anchors = {"n_anchors": 15, "random_state": seed}

    def check(selector, expected):
        for rows in ((X, Y), [in_blocks(t, (7, 20, 13)) for t in (X, Y)]):
            found = clone(selector).set_params(**anchors).fit(*rows).scores_
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)

    check(MLRF(n_neighbors=2), relief.mlrf(X, Y, 2, which))
    for phi, isolated_degree in ((1, 0.0), (1, 0.01), (2, 0.0), (2, 0.01)):
        expected = naive.spec_of_anchors(X, Y, which, phi, isolated_degree)
        check(SPEC(phi=phi, isolated_degree=isolated_degree), expected)
    for threshold in (0.5, 1.0):
        same = {"k": 2, "s_min": threshold, "trade_off": 0.5}
        alike = {"n_neighbors": 2, "similarity_threshold": threshold, "trade_off": 0.5}
        expected = naive.gmba_of_anchors(X, Y, which, **same)
        check(GMBA(solver="batch", **alike), expected)
        expected = naive.gmba(X, Y, which, step="invsqrt", **same)
        check(GMBA(shuffle=False, **alike), expected)


def test_nominal_columns():
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    frame["city"] = np.array(["Oslo", "Rome", "Bonn"])[np.arange(N_ROWS) % 3]
    labels = pd.DataFrame(Y)
    lazy = dd.from_pandas(frame, npartitions=5), dd.from_pandas(labels, npartitions=5)
    expected = anchored("MLRF", 50).fit(frame, labels)
    check_equal(anchored("MLRF", 50).fit(*lazy), expected)


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_a_single_label(name):
    blocks = [in_blocks(t, equal_blocks(3)) for t in (X, Y[:, :1])]
    check_equal(anchored(name, 60).fit(*blocks), anchored(name, 60).fit(X, Y[:, :1]))


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_more_anchors_come_nearer(name):
    """A wide gap, so that luck does not decide: the sums over features of ranks."""
    full = clone(SELECTORS[name]).fit(X, Y).ranking_
    far = [
        np.mean(
            [
                np.abs(
                    anchored(name, n).set_params(random_state=seed).fit(X, Y).ranking_
                    - full
                ).mean()
                for seed in range(5)
            ]
        )
        for n in (5, 300)
    ]
    assert far[1] < far[0]


def test_nothing_learned_is_said():
    alone = np.eye(40, 6)[:, :6]
    labels = (np.arange(40)[:, np.newaxis] >> np.arange(6)) & 1  # all sets differ
    blocks = [da.from_array(t, chunks=(15, 6)) for t in (alone, labels)]
    with pytest.warns(UserWarning, match="nothing could be learned") as caught:
        found = GMBA(2, n_anchors=10, random_state=0).fit(*blocks)
    assert caught[0].filename == __file__
    assert found.order_.tolist() == list(range(6))


def test_what_anchors_cannot_do():
    blocks = [in_blocks(t, equal_blocks(2)) for t in (X, Y)]
    for name in ("GMBA", "SPEC", "MLRF"):
        with pytest.raises(TypeError, match=rf"{name} compares.*n_anchors=1000"):
            clone(SELECTORS[name]).fit(*blocks)
    for selector in (
        GMBA(n_anchors=9, variant="authors"),
        GMBA(n_anchors=9, weighted_distances=True),
        SPEC(n_anchors=9, phi=3),
    ):
        with pytest.raises(TypeError, match="takes no Dask collections"):
            selector.fit(*blocks)
    with pytest.raises(ValueError, match=r"phi=3 .* n_anchors=9 .*phi=1"):
        SPEC(n_anchors=9, phi=3).fit(X, Y)
    with pytest.raises(ValueError, match="n_anchors"):
        SPEC(n_anchors=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:.*have the same value", "ignore:No label is left")
@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_nothing_to_choose_from(name):
    for rows, labels in ((X, np.zeros_like(Y)), (np.ones_like(X), Y), (X, Y | 1)):
        blocks = [in_blocks(t, equal_blocks(3)) for t in (rows, labels)]
        found = anchored(name, 30).fit(*blocks)
        assert not found.scores_.any()
        check_equal(found, anchored(name, 30).fit(rows, labels))


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_one_anchor_and_blocks_of_both_kinds(name):
    """Dense blocks beside sparse ones, and an anchor alone."""
    kinds = [in_blocks(X[:150], (150,)), in_blocks(X[150:], (250,), sparse=True)]
    blocks = da.concatenate(kinds), in_blocks(Y, (150, 250))
    for n_anchors in (1, 60):
        found = anchored(name, n_anchors).fit(*blocks)
        check_equal(found, anchored(name, n_anchors).fit(X, Y))


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_the_threads_of_other_libraries_are_given_back(name):
    before = [pool["num_threads"] for pool in threadpool_info()]
    blocks = [in_blocks(t, equal_blocks(50)) for t in (X, Y)]
    with threadpool_limits(3, user_api="blas"):
        anchored(name, 60).fit(*blocks)
        found = threadpool_info()
        assert {p["num_threads"] for p in found if p["user_api"] == "blas"} == {3}
    assert [pool["num_threads"] for pool in threadpool_info()] == before
