"""A path of feature sets equals refitting at every size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from labelsieve.classifiers import (
    EMCFS,
    MLNB,
    BRkNN,
    CCkNN,
    MLkNN,
    label_scores,
    path_scores,
)
from tests.classifiers.problems import continuous, discrete, seeds
from tests.exploring import draws

ONE_PASS = [
    MLNB("categorical"),
    MLNB("gaussian"),
    MLNB("auto"),
    MLkNN(4),
    MLkNN(100),
    BRkNN(3),
    CCkNN(3, random_state=1),
]


def assert_equals_refitting(classifier, X, Y, X_test, order, sizes):
    path = path_scores(classifier, X, Y, X_test, order, sizes)
    assert path.sizes.tolist() == list(sizes)
    for size, scores, predictions in zip(
        path.sizes, path.scores, path.predictions, strict=True
    ):
        chosen = order[:size]
        fitted = clone(classifier).fit(X[:, chosen], Y)
        expected = label_scores(fitted, X_test[:, chosen])
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
        clear = abs(expected) > 1e-9
        np.testing.assert_array_equal(
            predictions[clear], fitted.predict(X_test[:, chosen])[clear]
        )


@pytest.mark.parametrize("classifier", ONE_PASS, ids=str)
@given(seed=seeds, decimals=st.integers(0, 8), is_sparse=st.booleans())
@settings(max_examples=draws(15), deadline=None)
def test_one_pass_equals_refitting(classifier, seed, decimals, is_sparse):
    rng = np.random.default_rng(seed)
    X, Y = continuous(seed, n=30, d=9, decimals=decimals)
    X_test, _ = continuous(seed + 1, n=11, d=9, decimals=decimals)
    X[:, 4], X_test[:, 4] = X[:, 4].round(), X_test[:, 4].round()
    if is_sparse:
        X, X_test = (sparse.csr_matrix(part * (part > 0)) for part in (X, X_test))
    order = rng.permutation(9)[: rng.integers(1, 10)]
    sizes = rng.permutation(np.arange(1, order.size + 1))[: rng.integers(1, 10)]
    assert_equals_refitting(classifier, X, Y, X_test, order, sizes)


@pytest.mark.parametrize("classifier", [MLNB(), MLkNN(), BRkNN()], ids=str)
@pytest.mark.parametrize("problem", [discrete, continuous])
def test_many_sizes_and_rows(classifier, problem):
    X, Y = problem(n=400, d=30, n_labels=5)
    X_test, _ = problem(1, n=300, d=30, n_labels=5)
    order = np.random.default_rng(2).permutation(30)
    assert_equals_refitting(classifier, X, Y, X_test, order, range(1, 31))


@pytest.mark.parametrize("k", [1, 40, 300])
@pytest.mark.parametrize("scale", [0, 1, 1e3])
def test_few_sizes_and_features_of_very_different_weight(k, scale):
    """Bounds from a few first features are loose where later ones weigh more."""
    X, Y = continuous(n=350, d=24, n_labels=11)
    X_test, _ = continuous(1, n=20, d=24, n_labels=11)
    weights = scale ** np.linspace(0, 1, 24)
    sizes = [1, 7, 8, 23, 24]
    for classifier in (MLkNN(k), BRkNN(k)):
        assert_equals_refitting(
            classifier, X * weights, Y, X_test * weights, np.arange(24), sizes
        )


def test_auto_changes_its_kind_where_a_continuous_feature_comes():
    X, Y = discrete()
    X[:, 2] = np.random.default_rng(0).normal(size=40)
    assert_equals_refitting(MLNB("auto"), X, Y, X, np.arange(5), [5, 1, 2, 3])


@pytest.mark.parametrize(
    "classifier", [EMCFS(), MultiOutputClassifier(LogisticRegression())]
)
def test_others_are_refitted(classifier):
    X, Y = continuous()
    path = path_scores(classifier, X, Y, X, np.arange(5)[::-1], [4, 1])
    for size, scores, predictions in zip(
        path.sizes, path.scores, path.predictions, strict=True
    ):
        chosen = X[:, 4 : 4 - size : -1]
        fitted = clone(classifier).fit(chosen, Y)
        # The memory layout of the columns may change the last bits.
        np.testing.assert_allclose(scores, label_scores(fitted, chosen), rtol=1e-9)
        np.testing.assert_array_equal(predictions, fitted.predict(chosen))


@pytest.mark.parametrize(
    "classifier",
    [
        KNeighborsClassifier(3),
        ClassifierChain(KNeighborsClassifier(3), order="random", random_state=3),
        ClassifierChain(KNeighborsClassifier(3), order=[2, 0, 1]),
        ClassifierChain(KNeighborsClassifier(3)),
        KNeighborsClassifier(3, weights="distance"),
    ],
    ids=str,
)
def test_neighbours_of_sklearn(classifier):
    X, Y = continuous(n=60, decimals=12)
    X_test, _ = continuous(1, decimals=12)
    path = path_scores(classifier, X, Y, X_test, np.arange(5), [5, 2])
    for size, predictions in zip(path.sizes, path.predictions, strict=True):
        fitted = clone(classifier).fit(X[:, :size], Y)
        np.testing.assert_array_equal(predictions, fitted.predict(X_test[:, :size]))


def test_threads_change_nothing():
    X, Y = continuous(n=600, d=8, decimals=1)
    one, two = (
        path_scores(MLkNN(n_jobs=n_jobs), X, Y, X, np.arange(8), range(1, 9))
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize(
    ("order", "sizes", "message"),
    [
        ([0, 1], [3], "between 1 and the 2 features of order, got 3 to 3"),
        ([0, 1], [0, 1], "between 1 and the 2 features"),
        ([0, 1], [0.5], "list of whole numbers"),
        ([0.5], [1], "list of feature indices"),
        ([], [1], "list of feature indices"),
    ],
)
def test_bad_sizes_are_named(order, sizes, message):
    X, Y = continuous()
    with pytest.raises(ValueError, match=message):
        path_scores(MLNB(), X, Y, X, order, sizes)


def test_labels_must_be_a_matrix():
    X, Y = continuous()
    with pytest.raises(ValueError, match="one column per label"):
        path_scores(MLNB(), X, Y[:, 0], X, [0], [1])
