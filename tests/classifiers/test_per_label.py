"""EMCFS and LIFT: features of their own for every label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelsieve.classifiers import EMCFS, LIFT
from tests.classifiers.problems import continuous
from tests.naive import classifiers as naive


@pytest.mark.parametrize("ratio", [0.1, 0.3])
def test_emcfs_trains_on_the_densest_features(ratio):
    X, Y = continuous(n=60, d=12)
    X_test, _ = continuous(1, n=20, d=12)
    fitted = EMCFS(ratio=ratio, mode="count").fit(X, Y)
    for label in range(3):
        support = naive.emcfs_support(X, Y[:, label], ratio)
        np.testing.assert_array_equal(fitted.label_support_[label], support)
        svm = LinearSVC(random_state=0).fit(X[:, support], Y[:, label])
        expected = svm.decision_function(X_test[:, support])
        found = fitted.decision_function(X_test)[:, label]
        np.testing.assert_allclose(found, expected)


def test_emcfs_as_printed_is_a_classifier_on_all_features():
    X, Y = continuous()
    fitted = EMCFS().fit(X, Y)
    assert fitted.label_support_.all()
    svm = LinearSVC(random_state=0).fit(X, Y[:, 1])
    found = fitted.decision_function(X)[:, 1]
    np.testing.assert_allclose(found, svm.decision_function(X))


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), DecisionTreeClassifier(max_depth=2), Perceptron()],
)
@pytest.mark.parametrize("classifier", [EMCFS(), LIFT(random_state=0)])
def test_any_binary_classifier_can_be_plugged_in(classifier, estimator):
    X, Y = continuous(n=100)
    name = "classifier" if isinstance(classifier, EMCFS) else "estimator"
    fitted = clone(classifier).set_params(**{name: estimator}).fit(X, Y)
    predicted = fitted.predict(X)
    np.testing.assert_array_equal(predicted, fitted.decision_function(X) > 0)
    assert (predicted == Y).mean() > 0.6
    assert not hasattr(estimator, "classes_")


@pytest.mark.parametrize("ratio", [0.1, 0.4])
def test_lift_uses_distances_to_the_clusters(ratio):
    X, Y = continuous(n=60)
    X_test, _ = continuous(1, n=20)
    fitted = LIFT(ratio, random_state=7).fit(X, Y)
    seeds = np.random.RandomState(7).randint(np.iinfo(np.int32).max, size=3)
    expected = naive.lift(X, Y, X_test, seeds, ratio)
    np.testing.assert_allclose(fitted.decision_function(X_test), expected, atol=1e-6)


@pytest.mark.parametrize("classifier", [EMCFS(), LIFT(random_state=0)])
def test_sparse_and_threads_change_nothing(classifier):
    X, Y = continuous(n=60, d=8)
    X = X * (X > 0)
    expected = classifier.set_params(n_jobs=1).fit(X, Y).decision_function(X)
    again = classifier.set_params(n_jobs=2).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(again, expected)
    as_sparse = classifier.fit(sparse.csc_matrix(X), Y)
    found = as_sparse.decision_function(sparse.csr_matrix(X))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_lift_survives_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    Y = np.repeat([[1, 0], [0, 1]], 20, axis=0)
    np.testing.assert_array_equal(LIFT(0.5, random_state=0).fit(X, Y).predict(X), Y)
