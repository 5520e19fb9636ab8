"""MDFS and MIFS equal their formulas, and their turns lessen what they minimise."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from labelsieve import MDFS, MIFS
from labelsieve.reading import Features
from labelsieve.selectors.regression.manifold import laplacian, solve_smooth
from tests.naive import manifold as naive


@pytest.fixture
def data(random):
    Y = (random.random((50, 5)) < [0.5, 0.4, 0.3, 0.3, 0.2]).astype(int)
    X = random.normal(size=(50, 8))
    X[:, :5] += Y
    return X, Y


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_mdfs_equals_its_formula(data, make):
    X, Y = data
    weights, objectives = naive.mdfs(X, Y, alpha=2.0, beta=0.5, gamma=10.0, k=4)
    found = MDFS(alpha=2.0, beta=0.5, gamma=10.0, n_neighbors=4).fit(make(X), make(Y))
    np.testing.assert_allclose(found.scores_, naive.length(weights), rtol=1e-6)
    assert found.n_iter_ == len(objectives)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_mifs_equals_its_formula(data, make):
    X, Y = data
    settings = {"alpha": 2.0, "beta": 0.5, "gamma": 3.0, "n_factors": 3}
    weights, objectives = naive.mifs(X, Y, **settings, k=4)
    found = MIFS(**settings, n_neighbors=4).fit(make(X), make(Y))
    np.testing.assert_allclose(found.scores_, naive.length(weights), rtol=1e-6)
    assert found.n_iter_ == len(objectives)


@pytest.mark.parametrize("selector", [MDFS(alpha=2.0), MIFS(alpha=2.0)], ids=repr)
def test_turns_lessen_the_objective(data, selector):
    X, Y = data
    turns = selector._turns(Features(X), Y)
    assert len(turns.objectives) > 1
    assert (np.diff(turns.objectives) <= 1e-9 * turns.objectives[0]).all()


def test_the_objective_is_that_of_the_formula(data):
    X, Y = data
    _, objectives = naive.mdfs(X, Y, alpha=2.0, beta=1.0, gamma=100.0, k=20)
    turns = MDFS(alpha=2.0)._turns(Features(X), Y)
    np.testing.assert_allclose(2.0 * np.array(turns.objectives), objectives, rtol=1e-6)
    _, objectives = naive.mifs(
        X, Y, alpha=2.0, beta=1.0, gamma=1.0, n_factors=3, k=5, max_iter=20
    )
    turns = MIFS(alpha=2.0)._turns(Features(X), Y)
    np.testing.assert_allclose(turns.objectives, objectives, rtol=1e-6)


def test_equations_are_solved(random):
    graph = laplacian(random.normal(size=(30, 3)), 4)
    shifts, right = np.array([0.1, 1.0, 50.0]), random.normal(size=(30, 3))
    right[:, 1] = 0.0
    x = solve_smooth(graph, 2.0, shifts, right)
    H = np.eye(30) - 1 / 30
    for j, shift in enumerate(shifts):
        A = graph.toarray() + 2.0 * H + shift * np.eye(30)
        np.testing.assert_allclose(A @ x[:, j], right[:, j], atol=1e-9)


@pytest.mark.parametrize("selector", [MDFS(3), MIFS(3, n_factors=3)], ids=repr)
def test_planted_features_are_found(random, selector):
    Y = random.integers(0, 2, (200, 3))
    X = random.normal(size=(200, 30))
    X[:, [4, 11, 20]] += 2 * Y
    assert set(selector.fit(X, Y).order_[:3]) == {4, 11, 20}
