"""SPEC by label sets equals the quadratic forms over all rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from labelsieve import SPEC
from labelsieve.selectors import spec as graph
from labelsieve.selectors._rows import scaled_rows
from tests.naive import margins as naive

FORMATS = [np.asarray, sp.csr_matrix]


@pytest.fixture
def data(random):
    Y = (random.random((50, 4)) < [0.5, 0.3, 0.2, 0.1]).astype(int)
    return random.normal(size=(50, 6)) + 5, Y


@pytest.mark.parametrize("make", FORMATS)
def test_golden_values(toy, toy_data, make):
    X, Y = toy_data
    golden, features = toy["spec"], toy["spec"]["features"]
    excluded = SPEC().fit(make(X), Y)
    as_authors = SPEC(isolated_degree=0.01).fit(make(X), Y)
    np.testing.assert_allclose(
        excluded.scores_[features], golden["phi1_isolated_excluded"], atol=1e-9
    )
    np.testing.assert_allclose(
        as_authors.scores_[features],
        golden["phi1_isolated_degree_0.01_as_authors_code"],
        atol=1e-9,
    )
    assert excluded.scores_[4] == np.inf
    assert excluded.order_[-1] == 4


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("phi", [1, 2, 3])
def test_equals_the_whole_graph(data, monkeypatch, phi, n_jobs, make):
    monkeypatch.setattr(graph, "SETS_PER_TASK", 3)
    monkeypatch.setattr(scaled_rows, "BLOCK_CELLS", 100)
    X, Y = data
    fitted = SPEC(phi=phi, n_eigenvectors=2, n_jobs=n_jobs).fit(make(X), Y)
    expected = naive.spec(X, Y, phi)
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)
    best = np.argsort(expected if phi < 3 else -expected)
    np.testing.assert_array_equal(fitted.order_, best)


def test_criteria_lie_in_their_ranges_and_ignore_scale(data, random):
    X, Y = data
    first = SPEC().fit(X, Y).scores_
    assert ((first >= 0) & (first <= 2)).all()
    assert (SPEC(phi=2).fit(X, Y).scores_ >= first - 1e-12).all()
    scaled = SPEC().fit(X * random.uniform(1, 9, 6) - 3, Y).scores_
    np.testing.assert_allclose(scaled, first, rtol=1e-9)


def test_without_shared_labels_there_is_no_graph():
    X = np.random.default_rng(0).normal(size=(4, 3))
    fitted = SPEC().fit(X, np.eye(4, dtype=int))
    assert fitted.scores_.tolist() == [0, 0, 0]
    assert fitted.order_.tolist() == [0, 1, 2]


def test_more_eigenvectors_than_there_are_do_no_harm(data):
    X, Y = data
    fitted = SPEC(phi=3, n_eigenvectors=1000).fit(X, Y)
    assert np.isfinite(fitted.scores_).all()


@pytest.fixture
def unlabelled(random):
    """40 rows with labels, 4 without; feature 1 differs in those only."""
    X, Y = random.normal(size=(44, 4)), np.zeros((44, 3), dtype=int)
    Y[np.arange(40), random.integers(0, 3, 40)] = 1
    X[:, 1] = 0.1
    X[40:, 1] = random.normal(size=4)
    return X, Y


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("isolated_degree", [0.0, 0.01])
@pytest.mark.parametrize(
    "parameters", [{"phi": 1}, {"phi": 2}, {"phi": 3}, {"n_anchors": 15}]
)
def test_features_that_differ_only_in_rows_without_neighbours_are_last(
    unlabelled, parameters, isolated_degree, make
):
    X, Y = unlabelled
    spec = SPEC(**parameters, isolated_degree=isolated_degree, random_state=0)
    fitted = spec.fit(make(X), make(Y))
    assert fitted.order_[-1] == 1
    assert fitted.scores_[1] == (0 if spec.phi == 3 else np.inf)
    assert (fitted.scores_[[0, 2, 3]] > 0).all()
    if not isolated_degree:
        without = clone(spec).set_params(n_anchors=None).fit(X[:40], Y[:40])
        if spec.n_anchors is None:
            np.testing.assert_allclose(fitted.scores_, without.scores_, rtol=1e-9)


@pytest.mark.parametrize("phi", [1, 2])
def test_rows_without_neighbours_count_for_nothing(unlabelled, phi):
    X, Y = unlabelled
    X[40:] *= 100
    spec = SPEC(phi=phi)
    found, expected = clone(spec).fit(X, Y), clone(spec).fit(X[:40], Y[:40])
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9)
    assert found.order_.tolist() == expected.order_.tolist()
