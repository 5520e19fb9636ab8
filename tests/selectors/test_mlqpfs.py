"""MLQPFS: golden values, optimality, singular and indefinite matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import MLQPFS
from labelsieve.selectors._quadratic_program import minimize
from tests.naive import information as naive
from tests.selectors.data import coded_data


def test_golden_toy_splits_the_weight_of_copies_equally(toy, toy_data):
    golden = toy["mlqpfs"]["solution_all_six_min_norm"]
    mlqpfs = MLQPFS(6, binning="uniform").fit(*toy_data)
    np.testing.assert_allclose(mlqpfs.scores_, golden["x"], atol=1e-9)
    assert mlqpfs.scores_[0] == mlqpfs.scores_[5]
    assert mlqpfs.order_.tolist() == [3, 1, 2, 0, 5, 4]
    assert mlqpfs.kkt_residual_ < 1e-12


def test_golden_toy_on_the_simplex(toy, toy_data):
    golden = toy["mlqpfs"]["solution_features_0_to_3_with_sum_1"]
    X, Y = toy_data
    mlqpfs = MLQPFS(4, binning="uniform", normalize="simplex").fit(X[:, :4], Y)
    np.testing.assert_allclose(mlqpfs.scores_, golden["x"], atol=1e-9)
    assert mlqpfs.scores_.sum() == pytest.approx(1)


def test_golden_emotions_and_yeast(real_case):
    X, Y, golden = real_case
    golden = golden["mlqpfs"]
    mlqpfs = MLQPFS(20, binning="uniform").fit(X, Y)
    np.testing.assert_allclose(mlqpfs.scores_, golden["x"], atol=1e-9)
    assert mlqpfs.order_.tolist() == golden["ranking_full_zeros_by_gradient"]
    assert mlqpfs.min_eigenvalue_ == pytest.approx(golden["Q_min_eigenvalue"])
    assert mlqpfs.kkt_residual_ < 1e-12


@given(coded_data())
def test_weights_satisfy_the_optimality_conditions(data):
    X, Y = data
    Q, c = naive.information_matrix(X), np.array(naive.relevance(X, Y))
    x = MLQPFS(binning="none").fit(X, Y).scores_
    gradient = Q @ x - c
    assert (x >= 0).all()
    assert (gradient >= -1e-9).all()
    np.testing.assert_allclose(x * gradient, 0, atol=1e-9)


@given(coded_data(max_codes=3))
def test_objective_equals_the_naive_minimum(data):
    X, Y = data
    Q, c = naive.information_matrix(X), np.array(naive.relevance(X, Y))
    x = MLQPFS(binning="none").fit(X, Y).scores_
    slow = naive.nonnegative_minimum(Q, c, n_steps=3000)
    assert x @ Q @ x / 2 - c @ x <= slow @ Q @ slow / 2 - c @ slow + 1e-9


@pytest.mark.parametrize("simplex", [False, True])
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_singular_and_indefinite_matrices_are_survived(simplex, size, seed):
    random = np.random.default_rng(seed)
    Q = np.abs(random.normal(size=(size, size)))
    Q = (Q + Q.T) / 2 + 0.1 * np.eye(size)  # no entry negative, often indefinite
    copies = random.integers(0, size, size)
    Q = Q[np.ix_(copies, copies)].copy()  # and singular
    c = random.random(size)[copies]
    solution = minimize(Q, c, np.ones(c.size, dtype=bool), simplex)
    assert solution.residual < 1e-8
    assert (solution.x >= 0).all()
    if simplex:
        assert solution.x.sum() == pytest.approx(1)


@pytest.mark.parametrize("simplex", [False, True])
@pytest.mark.parametrize(
    ("size", "rank", "ridge"),
    [(300, 300, 1e-2), (1200, 1200, 1e-2), (1200, 900, 1e-9)],
    ids=["small", "large", "nearly-singular"],
)
def test_a_large_convex_problem_is_solved_to_the_last_digits(
    simplex, size, rank, ridge, random
):
    parts = random.random((rank, size)) * (random.random((rank, size)) < 10 / size)
    Q = parts.T @ parts / 4 + ridge * np.eye(size)
    planted = random.random(size) * (random.random(size) < 0.8)
    c = Q @ (planted / planted.sum()) - random.random(size) / size / 100
    free = random.random(size) < 0.95
    solution = minimize(Q, c, free, simplex)
    assert size / 2 < (solution.x > 0).sum() < size
    assert not solution.x[~free].any()
    assert solution.residual < 1e-12

    gradient = Q @ solution.x - c
    (positive,) = np.nonzero(solution.x)
    level = gradient[positive[0]] if simplex else 0.0
    np.testing.assert_allclose(gradient[positive], level, atol=1e-12)
    assert (gradient[free] >= level - 1e-12).all()


def test_shift_makes_an_indefinite_problem_convex(random):
    # Mutual information matrices of many strongly dependent columns are indefinite.
    base = random.integers(0, 2, (40, 3))
    X = np.column_stack([(base @ w) % 3 for w in random.integers(0, 3, (25, 3))])
    Y = random.integers(0, 2, (40, 2))
    kept = MLQPFS(5, binning="none").fit(X, Y)
    shifted = MLQPFS(5, binning="none", psd="shift").fit(X, Y)
    assert kept.kkt_residual_ < 1e-9
    assert shifted.kkt_residual_ < 1e-9
    if kept.min_eigenvalue_ > -1e-10:
        np.testing.assert_array_equal(kept.scores_, shifted.scores_)
    else:
        assert not np.array_equal(kept.scores_, shifted.scores_)


@pytest.mark.parametrize("name", ["enron", "medical", "genbase"])
def test_real_matrices_are_solved(name, real_data):
    X, Y = real_data(name)
    mlqpfs = MLQPFS(50).fit(X, Y)
    assert mlqpfs.kkt_residual_ < 1e-9
    assert (mlqpfs.scores_ >= 0).all()


def test_duplicating_every_label_doubles_the_weights(random):
    X, Y = random.integers(0, 2, (60, 6)), random.integers(0, 2, (60, 3))
    once, twice = MLQPFS().fit(X, Y), MLQPFS().fit(X, np.hstack([Y, Y]))
    np.testing.assert_allclose(twice.scores_, 2 * once.scores_, atol=1e-12)
    np.testing.assert_array_equal(once.order_, twice.order_)


def test_features_without_weight_come_by_their_distance_to_one(random):
    X, Y = random.integers(0, 2, (60, 20)), random.integers(0, 2, (60, 2))
    X[:, 10:] = X[:, :10] ^ (random.random((60, 10)) < 0.05)
    mlqpfs = MLQPFS().fit(X, Y)
    Q, c = naive.information_matrix(X), np.array(naive.relevance(X, Y))
    gradient = Q @ mlqpfs.scores_ - c
    without = mlqpfs.order_[mlqpfs.scores_[mlqpfs.order_] == 0]
    assert without.size
    assert (np.diff(gradient[without]) >= -1e-12).all()
