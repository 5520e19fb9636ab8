"""Anchors: some rows stand for all on one side of every comparison."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from labelsieve import GMBA, MLRF, SPEC
from labelsieve.selectors import spec as spec_module
from labelsieve.selectors._rows import draw_anchors
from tests.distributed.data import N_ROWS, table
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


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_sparse_rows_in_memory(name):
    rows = sp.csr_matrix(X), sp.csr_matrix(Y)
    check_equal(anchored(name, 60).fit(*rows), anchored(name, 60).fit(X, Y))


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
        found = clone(selector).set_params(**anchors).fit(X, Y).scores_
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


@pytest.mark.parametrize("phi", [1, 2])
def test_the_graph_in_pieces(phi, monkeypatch):
    whole = anchored("SPEC", 60).set_params(phi=phi).fit(X, Y)
    monkeypatch.setattr(spec_module, "SETS_PER_TASK", 3)
    check_equal(anchored("SPEC", 60).set_params(phi=phi).fit(X, Y), whole)


@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_one_anchor(name):
    rows = sp.csr_matrix(X), sp.csr_matrix(Y)
    check_equal(anchored(name, 1).fit(*rows), anchored(name, 1).fit(X, Y))


def test_nothing_learned_is_said():
    alone = np.eye(40, 6)
    labels = (np.arange(40)[:, np.newaxis] >> np.arange(6)) & 1  # all sets differ
    with pytest.warns(UserWarning, match="nothing could be learned") as caught:
        found = GMBA(2, n_anchors=10, random_state=0).fit(alone, labels)
    assert caught[0].filename == __file__
    assert found.order_.tolist() == list(range(6))


def test_what_anchors_cannot_do():
    with pytest.raises(ValueError, match=r"phi=3 .* n_anchors=9 .*phi=1"):
        SPEC(n_anchors=9, phi=3).fit(X, Y)
    with pytest.raises(ValueError, match="n_anchors"):
        SPEC(n_anchors=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:.*have the same value", "ignore:No label is left")
@pytest.mark.parametrize("name", ["GMBA", "SPEC", "MLRF"])
def test_nothing_to_choose_from(name):
    for rows, labels in ((X, np.zeros_like(Y)), (np.ones_like(X), Y), (X, Y | 1)):
        assert not anchored(name, 30).fit(rows, labels).scores_.any()
