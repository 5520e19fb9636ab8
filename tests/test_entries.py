"""What other libraries offer is asked as their users would, and is a valid ranking."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import entries
from sklearn.feature_selection import SelectKBest, chi2

from labelsieve.experiments import Method
from labelsieve.experiments.methods import rank_features, takes
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
    assert entries.least_information(X, Y, 4) == expected
    assert entries.least_information(sp.csr_array(X), Y, 4) == expected


def test_chi2_is_that_of_scikit_learn(data):
    X, Y = data
    found = [SelectKBest(chi2, k=1).fit(X, label).scores_ for label in Y.T]
    best = np.argsort(-np.sum(found, axis=0), kind="stable")
    assert entries.chi2_summed(X, Y, 5).tolist() == best[:5].tolist()
    best = np.argsort(-np.max(found, axis=0), kind="stable")
    assert entries.chi2_largest(X, Y, 5).tolist() == best[:5].tolist()


@pytest.mark.parametrize("name", entries.ENTRIES)
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_every_entry_ranks_the_features(data, name, make):
    X, Y = data
    before, labels = X.copy(), Y.copy()
    X = make(X)
    method = Method(f"benchmarks.entries:{name}")
    try:
        order = rank_features(method, X, Y, 4, "minmax", [0, 0])
    except ModuleNotFoundError as absent:
        pytest.skip(f"{absent.name} is not installed")
    assert sorted(order) == list(range(9))
    assert len({*order[:4]} & {6, 7, 8}) >= 2
    assert order.tolist() == rank_features(method, X, Y, 4, "minmax", [0, 0]).tolist()
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, before)
    np.testing.assert_array_equal(Y, labels)


def test_mrmr_takes_features_that_separate_the_classes():
    """F divides by what is left of the variance: by rounding errors of any sign."""
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 40)) < 0.1).astype(int)
    X = np.hstack([rng.normal(size=(200, 5)), Y])
    order = entries.mrmr(X, Y, 45)
    assert sorted(order) == list(range(45))
    assert set(order[:40]) == set(range(5, 45))


def with_holes(X, Y, n):
    """An entry that takes what is not known."""
    return np.argsort(-np.isnan(X).sum(axis=0), kind="stable")[:n]


with_holes.takes_missing = with_holes.takes_unknown = True


def test_cells_that_are_not_known_are_filled_in_unless_they_are_taken(data):
    X, Y = data
    X[:40, 3] = np.nan
    Y = np.where(np.arange(80)[:, None] < 5, np.nan, Y)
    mine = Method(f"{__name__}:with_holes")
    assert takes(mine) == (True, True)
    assert rank_features(mine, X, Y, 2, "minmax", [0, 0])[0] == 3
    medians = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    frequent = np.where(np.isnan(Y), np.nanmean(Y, axis=0) > 0.5, Y).astype(int)
    for name in ("benchmarks.entries:chi2_summed", "rfs", "mifs"):
        assert takes(Method(name)) == (False, False)
        found = rank_features(Method(name), X, Y, 4, "minmax", [0, 0])
        expected = rank_features(Method(name), medians, frequent, 4, "minmax", [0, 0])
        assert found.tolist() == expected.tolist()
    assert takes(Method("sieve")) == (True, True)
