"""GMBA equals its formulas, whatever the format, the threads and the blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.base import clone

from labelsieve.neighbors import search
from labelsieve.selectors import gmba as _gmba
from labelsieve.selectors._rows import LabelGraph, distinct_rows
from labelsieve.selectors.gmba import GMBA
from tests.naive import margins as naive

FORMATS = [np.asarray, sp.csr_matrix]

SETTINGS = {
    "omega_k1_smin1": {"n_neighbors": 1},
    "omega_k2_smin0.5": {"n_neighbors": 2, "similarity_threshold": 0.5},
    "omega_k3_smin0.3": {"n_neighbors": 3, "similarity_threshold": 0.3},
    "omega_k2_smin0.5_weighted_norm": {
        "n_neighbors": 2,
        "similarity_threshold": 0.5,
        "weighted_distances": True,
    },
    "omega_k2_smin0.5_authors_code": {
        "n_neighbors": 2,
        "similarity_threshold": 0.5,
        "variant": "authors",
    },
}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(search, "MOST_ROWS", 7)
    monkeypatch.setattr(_gmba, "BLOCKS_AT_ONCE", 2)


@pytest.fixture
def data(random):
    Y = (random.random((70, 4)) < [0.4, 0.3, 0.2, 0.05]).astype(int)
    X = random.normal(size=(70, 6))
    X[:, 0] += 2 * Y[:, 0]
    X[:, 1] = (random.random(70) < 0.2) * 3.0
    return X, Y


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_golden_weights(toy, toy_data, setting, make):
    X, Y = toy_data
    fitted = GMBA(step="constant", shuffle=False, **SETTINGS[setting]).fit(make(X), Y)
    golden = toy["gmba"][setting]
    weights = fitted.scores_[[0, 1, 2, 3, 5]]
    np.testing.assert_allclose(weights, golden["omega"], atol=1e-9)
    assert fitted.n_updates_ == golden["n_updates"]
    assert fitted.scores_[4] == 0
    assert fitted.order_[-1] == 4


def test_golden_similarity(toy, toy_data):
    figure = toy["gmba"]["paper_fig1_example"]
    for Y, expected in (
        (toy_data[1], toy["gmba"]["similarity_with_diagonal_as_formula"]),
        (figure["Y"], figure["similarity"]),
    ):
        for make in FORMATS:
            graph = LabelGraph.of(make(np.array(Y, dtype=np.uint8)))
            found = graph.similarity(graph.codes)[:, graph.codes]
            np.testing.assert_allclose(found, expected, atol=1e-15)


@given(
    Y=st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=2),
)
def test_similarity_laws(Y):
    Y = np.array(Y, dtype=np.uint8)
    graph = LabelGraph.of(Y)
    s = graph.similarity(graph.codes)[:, graph.codes]
    np.testing.assert_array_equal(s, s.T)
    assert ((s >= 0) & (s <= 1)).all()
    same = (Y[:, None] == Y).all(axis=2) & Y.any(axis=1)
    np.testing.assert_array_equal(s == 1, same)
    np.testing.assert_allclose(s, naive.similarity(Y))


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("n_labels", [1, 7, 9, 20])
def test_distinct_rows_are_numbered_as_they_come(random, n_labels, make):
    Y = random.integers(0, 2, (40, n_labels)).astype(np.uint8)
    first, codes = distinct_rows(make(Y))
    np.testing.assert_array_equal(Y[first][codes], Y)
    np.testing.assert_array_equal(first, np.sort(first))
    assert len(first) == len(np.unique(Y, axis=0))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("variant", ["paper", "authors"])
@pytest.mark.parametrize("threshold", [1.0, 0.4])
def test_equals_the_formulas(data, small_blocks, threshold, variant, make, n_jobs):
    X, Y = data
    fitted = GMBA(
        similarity_threshold=threshold,
        variant=variant,
        trade_off=0.7,
        random_state=3,
        n_jobs=n_jobs,
    ).fit(make(X), Y)
    order = np.random.RandomState(3).permutation(len(X))
    expected = naive.gmba(
        X,
        Y,
        order,
        k=3,
        s_min=threshold,
        trade_off=0.7,
        step="invsqrt",
        authors=variant == "authors",
    )
    np.testing.assert_allclose(fitted.scores_, expected, atol=1e-10)


def test_weighted_distances_equal_the_formulas(data):
    X, Y = data
    fitted = GMBA(weighted_distances=True, random_state=0).fit(X, Y)
    order = np.random.RandomState(0).permutation(len(X))
    expected = naive.gmba(X, Y, order, k=3, s_min=1, step="invsqrt", weighted=True)
    np.testing.assert_allclose(fitted.scores_, expected, atol=1e-9)


@pytest.mark.parametrize("make", FORMATS)
def test_batch_is_minus_the_sum_of_all_slopes(data, make):
    X, Y = data
    Z, s = naive.zscore(X), naive.similarity(Y)
    slopes = [
        naive.gmba_coefficient(i, Z, s, k=3, s_min=1, trade_off=1) for i in range(70)
    ]
    expected = -sum(slope for slope in slopes if slope is not None)
    fitted = GMBA(solver="batch").fit(make(X), Y)
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-10)


def test_batch_does_not_depend_on_the_row_order(data, random):
    X, Y = data
    fitted = GMBA(solver="batch").fit(X, Y)
    shuffled = random.permutation(len(X))
    again = GMBA(solver="batch").fit(X[shuffled], Y[shuffled])
    np.testing.assert_allclose(again.scores_, fitted.scores_, rtol=1e-10)
    np.testing.assert_array_equal(again.order_, fitted.order_)


def test_random_state_decides_alone(data):
    X, Y = data
    one, same, other = (GMBA(random_state=s).fit(X, Y).scores_ for s in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_threads_change_no_bit(data, small_blocks):
    X, Y = data
    one, two = (GMBA(random_state=0, n_jobs=n).fit(X, Y).scores_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("wanted", [5, 70, 100, 210])
def test_rows_are_visited_equally_often(wanted):
    for shuffle in (True, False):
        selector = GMBA(n_iterations=wanted, shuffle=shuffle)
        visits = selector._visits(70, np.random.RandomState(0))
        assert visits.size == wanted
        assert np.ptp(np.bincount(visits, minlength=70)) <= 1


def test_sparse_and_dense_tables_agree(random):
    X, Y = random.normal(size=(40, 5)) + 10, random.integers(0, 2, (40, 3))
    scores = [GMBA(solver="batch").fit(make(X), Y).scores_ for make in FORMATS]
    for found in scores[1:]:
        np.testing.assert_allclose(found, scores[0], rtol=1e-11)


def test_what_rounding_leaves_of_zero_makes_no_step():
    random = np.random.default_rng(0)
    X = np.vstack([np.tile(random.normal(size=4) * 1e3, (4, 1)), np.ones((2, 4))])
    Y = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1]]
    for make in FORMATS:
        with pytest.warns(UserWarning, match="nothing could be learned"):
            fitted = GMBA(random_state=0).fit(make(X), Y)
        assert fitted.scores_.tolist() == [1, 1, 1, 1]


def test_without_similar_rows_nothing_is_learned():
    X = np.random.default_rng(0).normal(size=(3, 2))
    with pytest.warns(UserWarning, match="nothing could be learned"):
        fitted = GMBA().fit(X, [[1, 0], [0, 1], [1, 1]])
    assert fitted.n_updates_ == 0
    assert fitted.order_.tolist() == [0, 1]


def test_where_all_rows_are_similar_they_only_pull():
    X = np.random.default_rng(0).normal(size=(9, 3))
    # The third label makes all label sets overlap; with all rows as neighbours
    # every feature has the same sum of squares, up to their similarity.
    Y = np.tile([[1, 1, 0], [1, 1, 0], [1, 1, 1]], (3, 1))
    options = {"n_neighbors": 8, "similarity_threshold": 0.1}
    with pytest.warns(UserWarning, match="carry no information"):
        fitted = GMBA(solver="batch", **options).fit(X, Y)
    difference = (naive.zscore(X)[:, None] - naive.zscore(X)) ** 2
    expected = -np.einsum("ij,ijd->d", naive.similarity(Y), difference)
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-12)


def test_margins_find_the_features_that_carry_labels(random):
    Y = random.integers(0, 2, (150, 3))
    X = random.normal(size=(150, 12))
    X[:, [2, 5, 9]] += 3 * Y
    for solver in ("sequential", "batch"):
        fitted = GMBA(3, solver=solver, random_state=0).fit(X, Y)
        assert set(fitted.order_[:3]) == {2, 5, 9}


def test_constant_steps_depend_on_the_order_more(real_data):
    data = real_data("emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)

    def agreement(step):
        one, other = (
            GMBA(step=step, random_state=seed).fit(X, Y).scores_ for seed in (0, 1)
        )
        return spearmanr(one, other).statistic

    assert agreement("invsqrt") > agreement("constant") + 0.2


def test_the_authors_rows_are_not_similar_to_themselves():
    X = [[0, 0], [1, 0], [10, 10], [12, 9], [9, 12], [11, 13]]
    Y = [[1, 0]] * 2 + [[0, 1]] * 4
    once = {"step": "constant", "shuffle": False, "n_neighbors": 1, "n_iterations": 1}
    with pytest.warns(UserWarning, match="nothing could be learned"):
        authors = GMBA(variant="authors", **once).fit(X, Y)
    assert authors.scores_.tolist() == [1, 1]
    assert GMBA(**once).fit(X, Y).scores_.tolist() != [1, 1]


@pytest.mark.parametrize("offset", [2.0**10, 2.0**30, -(2.0**40)])
@pytest.mark.parametrize(
    "settings",
    [{}, {"solver": "batch"}, {"weighted_distances": True}, {"variant": "authors"}],
    ids=str,
)
def test_far_from_zero_sparse_equals_dense(offset, settings):
    random = np.random.default_rng(0)
    X = random.integers(-40, 40, (60, 5)) / 8  # exact, wherever it is
    Y = (X[:, :2] + random.normal(size=(60, 2)) > 0).astype(int)
    selector = GMBA(2, random_state=0, **settings)
    expected = clone(selector).fit(X, Y)
    moved = X + offset * np.array([1, 0, 1, 2, 1])
    for table in (moved, sp.csr_matrix(moved)):
        found = clone(selector).fit(table, Y)
        np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-9)
        np.testing.assert_array_equal(found.order_, expected.order_)


def test_sparse_rows_far_from_zero():
    random = np.random.default_rng(0)
    X = random.integers(-40, 40, (60, 5)) / 8
    Y = (X[:, :2] + random.normal(size=(60, 2)) > 0).astype(int)
    selector = GMBA(2, random_state=0, n_anchors=20)
    expected = clone(selector).fit(X, Y)
    found = clone(selector).fit(sp.csr_matrix(X + 2.0**30), Y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-6)
    np.testing.assert_array_equal(found.order_, expected.order_)
