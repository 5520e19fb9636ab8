"""BRLogistic minimises what it says, and hundreds of labels change nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from labelsieve.classifiers import BRLogistic
from tests.classifiers.problems import continuous


def naive_loss(weights, X, y, C, prior):
    """The penalised loss of one label, the intercept beyond the prior last."""
    odds = X @ weights[:-1] + weights[-1] + prior
    return C * np.logaddexp(0, -np.where(y, odds, -odds)).sum() + weights @ weights / 2


@pytest.mark.parametrize("C", [0.1, 5.0])
def test_minimum(C):
    X, Y = continuous(n=60)
    found = BRLogistic(C, tol=1e-6, max_iter=5000).fit(X, Y)
    for label, y in enumerate(Y.T):
        prior = np.log(y.mean() / (1 - y.mean()))
        best = minimize(naive_loss, np.zeros(X.shape[1] + 1), args=(X, y, C, prior))
        ours = np.append(found.coef_[label], found.intercept_[label] - prior)
        np.testing.assert_allclose(ours, best.x, atol=1e-3)


def test_near_to_scikit_learn():
    X, Y = continuous(n=400)
    ours = BRLogistic(tol=1e-4, max_iter=1000).fit(X, Y)
    for label, y in enumerate(Y.T):
        other = LogisticRegression().fit(X, y)
        np.testing.assert_allclose(ours.coef_[label], other.coef_[0], atol=0.05)


def test_sparse_rows_threads_and_constant_labels():
    X, Y = continuous(n=80)
    expected = BRLogistic().fit(X, Y)
    same = BRLogistic(n_jobs=2).fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(same.coef_, expected.coef_, rtol=1e-9)
    wider = np.column_stack([Y, np.zeros(80), np.ones(80)]).astype(int)
    with pytest.warns(UserWarning, match="2 of 5 labels"):
        found = BRLogistic().fit(X, wider)
    np.testing.assert_allclose(found.coef_[:3], expected.coef_, rtol=1e-9)
    assert found.predict(X)[:, 3:].tolist() == [[0, 1]] * 80
