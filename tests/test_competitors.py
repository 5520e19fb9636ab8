"""What other libraries offer is asked as their users would, and is a valid ranking."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import _competitors, choose_well
from sklearn.feature_selection import SelectKBest, chi2

from labelsieve.experiments.methods import rank_features
from labelsieve.information import conditional_mutual_information, mutual_information


@pytest.fixture
def data(random):
    Y = random.integers(0, 2, (80, 3))
    noise = random.integers(0, 2, (80, 6))
    copies = np.where(random.random((80, 3)) < 0.8, Y, 1 - Y)
    return np.hstack([noise, copies]).astype(float), Y


def least_information(X, Y, n):
    """Pick by pick, label by label."""
    rows, n_features = X.shape
    picks = []
    while len(picks) < n:
        scores = []
        for f in range(n_features):
            total = 0.0
            for label in Y.T:
                told = [rows * mutual_information(X[:, f], label) - 0.5]
                for g in picks:
                    given = conditional_mutual_information(X[:, f], label, X[:, g])
                    told.append(rows * given - 1.0)
                total += max(0.0, min(told))
            scores.append(-1.0 if f in picks else total)
        picks.append(int(np.argmax(scores)))
    return picks


def test_least_information_equals_the_slow_version(data):
    X, Y = data
    expected = least_information(X.astype(int), Y, 4)
    assert _competitors.least_information(X, Y, 4) == expected
    assert _competitors.least_information(sp.csr_array(X), Y, 4) == expected


def test_chi2_is_that_of_scikit_learn(data):
    X, Y = data
    found = [SelectKBest(chi2, k=1).fit(X, label).scores_ for label in Y.T]
    best = np.argsort(-np.sum(found, axis=0), kind="stable")
    assert _competitors.chi2_summed(X, Y, 5).tolist() == best[:5].tolist()
    best = np.argsort(-np.max(found, axis=0), kind="stable")
    assert _competitors.chi2_largest(X, Y, 5).tolist() == best[:5].tolist()


@pytest.mark.parametrize("method", choose_well.METHODS, ids=lambda m: m.label)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_every_method_ranks_the_features(data, method, make):
    if method.label == "fastcan":
        pytest.importorskip("fastcan")
    X, Y = data
    order = rank_features(method, make(X), Y, 4, "minmax", [0, 0])
    assert sorted(order) == list(range(9))
    assert len({*order[:4]} & {6, 7, 8}) >= 2
