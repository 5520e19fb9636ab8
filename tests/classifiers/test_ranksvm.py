"""RankSVM reaches the optimum of its problem, by both solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from labelsieve.classifiers import RankSVM
from labelsieve.classifiers._rank_solvers import solve_dual, solve_linear
from labelsieve.classifiers.ranksvm import best_thresholds, fit_threshold
from labelsieve.metrics import ranking_loss
from tests.classifiers.problems import continuous, seeds
from tests.exploring import draws
from tests.naive import classifiers as naive


@pytest.mark.parametrize("degree", [1, 3, 8])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_the_dual_reaches_the_best_objective(degree, C):
    X, Y = continuous(n=16, n_labels=3)
    X, Y = normalize(X[2:]), Y[2:]
    K = (X @ X.T + 1) ** degree
    found = solve_dual(K, Y, C, max_iter=5000, tol=1e-5)
    objective = naive.ranksvm_objective(K, Y, C, found.weights, found.bias)
    assert found.primal == pytest.approx(objective, rel=1e-4)
    best = naive.ranksvm_best_objective(K, Y, C)
    assert objective == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(found.weights.sum(axis=0), 0, atol=1e-4)


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_the_linear_solver_reaches_the_same_optimum(C, tol):
    X, Y = continuous(n=16, n_labels=3)
    X, Y = X[2:], Y[2:]
    found = solve_linear(X, Y, C, 5000, tol, None)
    outputs = X @ found.weights
    objective = naive.ranksvm_objective(np.eye(len(X)), Y, C, outputs, found.bias)
    objective += 0.5 * (found.weights**2).sum() - 0.5 * (outputs**2).sum()
    assert found.primal == pytest.approx(objective, rel=1e-9)
    best = naive.ranksvm_best_objective(X @ X.T, Y, C)
    assert best * (1 - 1e-4) <= objective <= best * (1 + tol + 1e-4)
    assert 0 <= found.gap <= tol
    # The gap promises no more than is true.
    assert objective * (1 - found.gap) <= best * (1 + 1e-4)


@pytest.mark.parametrize("solver", ["kernel", "linear"])
def test_says_how_far_it_may_be_from_the_optimum(solver):
    X, Y = continuous(n=60)
    fitted = RankSVM(solver=solver, tol=0.005).fit(X, Y)
    assert 0 <= fitted.duality_gap_ <= 0.005


@given(seed=seeds, n_values=st.integers(1, 6))
@settings(max_examples=draws(50), deadline=None)
def test_thresholds_are_the_first_best(seed, n_values):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n_values, (9, 4)) / 2.0
    Y = rng.integers(0, 2, (9, 4)).astype(np.uint8)
    expected = [naive.best_threshold(f, y) for f, y in zip(scores, Y, strict=True)]
    np.testing.assert_allclose(best_thresholds(scores, Y), expected)


def test_thresholds_ignore_that_scores_sum_to_a_constant():
    scores = np.random.default_rng(0).normal(size=(50, 3))
    scores -= scores.mean(axis=1, keepdims=True) * (1 + 1e-15)
    coefficients = fit_threshold(scores, (scores > 0.1).astype(np.uint8))
    assert abs(coefficients).max() < 10


@pytest.mark.parametrize("solver", ["kernel", "linear"])
def test_learns_to_rank(solver):
    X, Y = continuous(n=200, d=6)
    fitted = RankSVM(solver=solver).fit(X, Y)
    scores = fitted.decision_function(X)
    assert ranking_loss(Y, scores) < 0.15
    np.testing.assert_array_equal(fitted.predict(X), scores > 0)
    assert (fitted.predict(X) == Y).mean() > 0.7


@pytest.mark.parametrize("solver", ["kernel", "linear"])
def test_sparse_and_threads_change_nothing(solver):
    X, Y = continuous(n=60)
    X = X * (X > 0)
    expected = RankSVM(solver=solver).fit(X, Y).decision_function(X)
    two = RankSVM(solver=solver, n_jobs=2).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(two, expected)
    rows = sparse.csr_matrix(X)
    found = RankSVM(solver=solver).fit(rows, Y).decision_function(rows)
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("solver", ["kernel", "linear"])
def test_a_single_label_is_ranked_against_its_absence(solver):
    X, Y = continuous(n=60, n_labels=1)
    fitted = RankSVM(solver=solver).fit(X, Y)
    assert fitted.predict(X).shape == (60, 1)
    assert (fitted.predict(X) == Y).mean() > 0.75


@pytest.mark.parametrize("solver", ["kernel", "linear"])
def test_nothing_to_rank_is_a_warning(solver):
    X, _ = continuous(n=20)
    Y = np.repeat([[1, 1], [0, 0]], 10, axis=0)
    with pytest.warns(UserWarning, match="nothing to rank"):
        fitted = RankSVM(solver=solver).fit(X, Y)
    assert fitted.predict(X).shape == (20, 2)


def test_too_few_sweeps_are_a_warning():
    X, Y = continuous()
    with pytest.warns(ConvergenceWarning, match="max_iter=2 sweeps"):
        RankSVM(max_iter=2).fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        RankSVM(max_iter=2, solver="linear").fit(X, Y)
