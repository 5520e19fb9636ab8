"""MLNB equals its formulas, dense and sparse alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import CategoricalNB

from labelsieve.classifiers import MLNB
from tests.classifiers.problems import continuous, discrete, seeds
from tests.exploring import draws
from tests.naive import classifiers as naive


@given(seed=seeds, s=st.sampled_from([0.5, 1.0, 3.0]), n_values=st.integers(1, 4))
@settings(max_examples=draws(30), deadline=None)
def test_categorical_posteriors(seed, s, n_values):
    X, Y = discrete(seed, n=25, n_values=n_values)
    X_test = np.random.default_rng(seed).integers(0, n_values + 1, (8, 5))
    fitted = MLNB("categorical", smoothing=s).fit(X, Y)
    expected = naive.mlnb_categorical(X, Y, X_test, s)
    np.testing.assert_allclose(fitted.predict_proba(X_test), expected, rtol=1e-10)
    clear = abs(expected - 0.5) > 1e-9
    predicted = fitted.predict(X_test)
    np.testing.assert_array_equal(predicted[clear], (expected >= 0.5)[clear])


@given(seed=seeds, decimals=st.integers(0, 3))
@settings(max_examples=draws(30), deadline=None)
def test_gaussian_posteriors(seed, decimals):
    X, Y = continuous(seed, n=25, decimals=decimals)
    X_test, _ = continuous(seed + 1, n=8, decimals=decimals)
    fitted = MLNB("gaussian").fit(X, Y)
    expected = naive.mlnb_gaussian(X, Y, X_test)
    np.testing.assert_allclose(
        fitted.predict_proba(X_test), expected, rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["categorical", "gaussian"])
def test_sparse_equals_dense_exactly(kind):
    X, Y = discrete()
    dense = MLNB(kind).fit(X, Y).label_scores(X)
    mixed = MLNB(kind).fit(sparse.csr_matrix(X), Y).label_scores(sparse.csc_matrix(X))
    np.testing.assert_array_equal(mixed, dense)


def test_categorical_is_sklearns_with_smoothed_priors():
    X, Y = discrete(n=60)
    fitted = MLNB("categorical").fit(X, Y)
    for label in range(3):
        n = Y[:, label].sum()
        prior = np.array([61 - n, 1 + n]) / 62
        model = CategoricalNB(alpha=1.0, class_prior=prior).fit(X, Y[:, label])
        expected = model.predict_proba(X)[:, 1]
        found = fitted.predict_proba(X)[:, label]
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_auto_takes_few_values_as_categories(convert):
    X = np.zeros((40, 2))
    X[:, 0] = np.arange(40) % 16
    X[:, 1] = np.arange(40) % 2
    Y = (X > 0).astype(int)
    assert MLNB().fit(convert(X), Y).kind_ == "categorical"
    X[:, 1] = np.arange(40) % 17
    assert MLNB().fit(convert(X), Y).kind_ == "gaussian"


@pytest.mark.parametrize("kind", ["categorical", "gaussian"])
def test_constant_labels_keep_their_prior(kind):
    X, Y = discrete(n=20)
    Y[:, 0], Y[:, 1] = 0, 1
    with pytest.warns(UserWarning, match="2 of 3 labels are absent .* all of them"):
        fitted = MLNB(kind).fit(X, Y)
    posterior = fitted.predict_proba(X)
    np.testing.assert_allclose(posterior[:, :2], [[1 / 22, 21 / 22]] * 20)


def test_constant_features_change_nothing():
    X, Y = continuous()
    wider = np.column_stack([np.full(40, 7.3), X])
    expected = MLNB("gaussian").fit(X, Y).label_scores(X)
    np.testing.assert_array_equal(
        MLNB("gaussian").fit(wider, Y).label_scores(wider), expected
    )
    elsewhere = np.column_stack([np.full(40, 9.0), X])
    found = MLNB("gaussian").fit(wider, Y).label_scores(elsewhere)
    np.testing.assert_array_equal(found, expected)


def test_one_row_with_a_label_and_far_outliers_stay_finite():
    X, Y = continuous()
    Y[:, 0] = 0
    Y[3, 0] = 1
    scores = MLNB("gaussian").fit(X, Y).label_scores(1e100 * X)
    assert np.isfinite(scores).all()
