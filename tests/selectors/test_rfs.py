"""RFS: the lasso of scikit-learn, the robust objective, and what it finds."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import MultiTaskLasso
from sklearn.preprocessing import StandardScaler

from labelsieve.selectors.regression.rfs import RFS, sparse_row_weights
from tests.naive import further as naive


@pytest.fixture(params=[(60, 8), (30, 45)], ids=["tall", "wide"])
def data(request, random):
    n, d = request.param
    Y = random.integers(0, 2, (n, 3))
    X = random.normal(size=(n, d))
    X[:, :3] += 2 * Y
    return X, Y


def test_squared_loss_is_the_multi_task_lasso(data):
    X, Y = data
    A, B = StandardScaler().fit_transform(X), Y - Y.mean(axis=0)
    most = np.linalg.norm(A.T @ B, axis=1).max() / len(A)
    lasso = MultiTaskLasso(alpha=0.2 * most, tol=1e-10, max_iter=50_000).fit(A, B)
    rfs = RFS(3, strength=0.2, loss="squared").fit(X, Y)
    expected = np.linalg.norm(lasso.coef_, axis=0)
    np.testing.assert_allclose(rfs.scores_, expected, atol=1e-4 * expected.max())
    assert rfs.duality_gap_ < 1e-5


@pytest.mark.parametrize(("loss", "near"), [("robust", 1e-3), ("squared", 1e-6)])
def test_objective_is_that_of_a_slow_accurate_solver(loss, near, random):
    Y = random.integers(0, 2, (20, 2))
    X = np.hstack([random.normal(size=(20, 4)), Y + random.normal(size=(20, 2))])
    A, B = StandardScaler().fit_transform(X), Y - Y.mean(axis=0)
    robust = loss == "robust"
    rows = B / np.linalg.norm(B, axis=1, keepdims=True) if robust else B
    gamma = 0.3 * np.linalg.norm(A.T @ rows, axis=1).max()
    found = sparse_row_weights(A, B, 0.3, robust, None)
    objective = naive.row_sparse_objective(A, B, found.weights, gamma, robust)
    best = naive.best_row_sparse_objective(A, B, gamma, robust)
    assert objective <= best * (1 + near)
    assert best >= objective * (1 - found.gap) - 1e-6 * best
    assert RFS(strength=0.3, loss=loss).fit(X, Y).duality_gap_ <= 10 * near


@pytest.mark.parametrize("unit", [1e160, 1e-170, 2.0**600])
def test_units_do_not_matter(unit, data):
    X, Y = data
    for loss in ("robust", "squared"):
        expected, found = (RFS(loss=loss).fit(A, Y) for A in (X, X * unit))
        np.testing.assert_array_equal(found.order_[:3], expected.order_[:3])
        np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-6)


def test_robust_weights_minimise_the_objective(data, random):
    X, Y = data
    A, B = StandardScaler().fit_transform(X), Y - Y.mean(axis=0)
    unit = B / np.linalg.norm(B, axis=1, keepdims=True)
    gamma = 0.3 * np.linalg.norm(A.T @ unit, axis=1).max()
    W = sparse_row_weights(A, B, 0.3, robust=True, max_iter=500).weights
    least = naive.row_sparse_objective(A, B, W, gamma, True)
    for size in (1e-1, 1e-2, 1e-3):
        other = W + size * random.normal(size=W.shape)
        assert (
            naive.row_sparse_objective(A, B, other, gamma, True) > least - 1e-6 * least
        )


@pytest.mark.parametrize("loss", ["robust", "squared"])
def test_finds_the_features_that_tell_the_labels(loss, data):
    X, Y = data
    rfs = RFS(3, loss=loss, strength=0.5).fit(X, Y)
    assert set(rfs.order_[:3]) == {0, 1, 2}


def test_strongest_penalty_leaves_nothing(data):
    X, Y = data
    scores = RFS(1, strength=1.0, loss="squared", max_iter=500).fit(X, Y).scores_
    assert scores.max() < 1e-2


def test_sparse_input_gives_the_same(random):
    X, Y = random.integers(0, 2, (50, 9)), random.integers(0, 2, (50, 2))
    dense, sparse = RFS().fit(X, Y), RFS().fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(dense.scores_, sparse.scores_, atol=1e-9)


@pytest.mark.parametrize("loss", ["robust", "squared"])
def test_categories_have_the_length_of_their_rows_of_weights(random, loss):
    words = random.choice(list("abcd"), 80)
    number = random.normal(size=80)
    Y = (random.random((80, 3)) < 0.3 + 0.3 * (words == "b")[:, np.newaxis]).astype(int)
    whole = RFS(loss=loss).fit(pd.DataFrame({"word": words, "number": number}), Y)
    columns = np.column_stack([*(words == word for word in "abcd"), number])
    apart = RFS(loss=loss).fit(columns, Y).scores_
    expected = [np.sqrt((apart[:4] ** 2).sum()), apart[4]]
    np.testing.assert_allclose(whole.scores_, expected, rtol=1e-4)
