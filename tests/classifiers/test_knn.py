"""The nearest-neighbour classifiers equal their formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

from labelsieve.classifiers import BRkNN, CCkNN, MLkNN
from labelsieve.classifiers.knn import votes
from tests.classifiers.problems import continuous, seeds
from tests.exploring import draws
from tests.naive import classifiers as naive


@given(seed=seeds, k=st.integers(1, 40), decimals=st.integers(0, 6))
@settings(max_examples=draws(30), deadline=None)
def test_mlknn_posteriors(seed, k, decimals):
    X, Y = continuous(seed, n=30, decimals=decimals)
    X_test, _ = continuous(seed + 1, n=7, decimals=decimals)
    fitted = MLkNN(k).fit(X, Y)
    expected = naive.mlknn(X, Y, X_test, k)
    np.testing.assert_allclose(fitted.predict_proba(X_test), expected, rtol=1e-12)
    clear = abs(expected - 0.5) > 1e-12
    predicted = fitted.predict(X_test)
    np.testing.assert_array_equal(predicted[clear], (expected >= 0.5)[clear])


@given(seed=seeds, k=st.integers(1, 5), decimals=st.integers(0, 6))
@settings(max_examples=draws(30), deadline=None)
def test_votes_of_brknn_and_ccknn(seed, k, decimals):
    X, Y = continuous(seed, n=30, decimals=decimals)
    X_test, _ = continuous(seed + 1, n=7, decimals=decimals)
    found = BRkNN(k).fit(X, Y).decision_function(X_test)
    np.testing.assert_allclose(found, naive.brknn(X, Y, X_test, k) - 0.5)
    chain = CCkNN(k, random_state=seed).fit(X, Y)
    expected = naive.ccknn(X, Y, X_test, chain.order_, k) - 0.5
    np.testing.assert_allclose(chain.decision_function(X_test), expected)


def test_same_as_sklearn_without_ties():
    X, Y = continuous(n=80, decimals=12)
    X_test, _ = continuous(1, decimals=12)
    neighbors = KNeighborsClassifier(3).fit(X, Y)
    np.testing.assert_array_equal(
        BRkNN(3).fit(X, Y).predict(X_test), neighbors.predict(X_test)
    )
    chain = ClassifierChain(KNeighborsClassifier(3), order="random", random_state=5)
    ours = CCkNN(3, random_state=5).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X_test), chain.fit(X, Y).predict(X_test))
    np.testing.assert_array_equal(ours.order_, chain.order_)


@pytest.mark.parametrize("classifier", [MLkNN(4), BRkNN(), CCkNN(random_state=0)])
def test_sparse_and_threads_change_nothing(classifier):
    X, Y = continuous(n=300, decimals=1)
    expected = classifier.set_params(n_jobs=1).fit(X, Y).label_scores(X)
    for n_jobs in (2, -1):
        classifier.set_params(n_jobs=n_jobs)
        found = classifier.fit(sparse.csr_matrix(X), Y).label_scores(
            sparse.csr_matrix(X)
        )
        np.testing.assert_array_equal(found, expected)


def test_a_row_is_not_its_own_neighbour_but_its_duplicate_is():
    X = np.array([[0.0], [0.0], [9.0], [9.0]])
    Y = np.array([[1], [0], [1], [0]])
    # Every row's nearest is its duplicate, which disagrees: seen one, expect none.
    odds = MLkNN(1).fit(X, Y).log_odds_
    assert odds[0, 0] > 0 > odds[0, 1]


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [1, 2, 3]])
def test_a_chain_needs_every_label_once(order):
    X, Y = continuous()
    with pytest.raises(ValueError, match="each of the 3 labels 0 to 2 once"):
        CCkNN(order=order).fit(X, Y)


def test_more_neighbours_than_rows_are_all_rows():
    X, Y = continuous(n=12)
    np.testing.assert_array_equal(
        BRkNN(50).fit(X, Y).predict(X), BRkNN(12).fit(X, Y).predict(X)
    )


@pytest.mark.parametrize("k", [1, 255, 256, 600])
def test_votes_of_many_neighbours(k):
    rng = np.random.default_rng(0)
    Y = (rng.random((40, 9)) < 0.95).astype(np.uint8)
    neighbors = rng.integers(0, 40, (5, k))
    np.testing.assert_array_equal(votes(neighbors, Y), Y[neighbors].sum(axis=1))
