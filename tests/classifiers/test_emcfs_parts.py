"""EMCFS with other parts: any selector chooses, label by label, any model learns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from labelsieve import EMCFS, FIMF, LabelSpecificSelector, Sieve, make_selector


@pytest.fixture
def planted(random):
    """Each label is made of two features of its own; six others are noise."""
    X = random.integers(0, 2, (800, 12))
    noise = random.random((800, 3))
    Y = np.column_stack([X[:, k] + X[:, k + 3] + noise[:, k] > 1.3 for k in range(3)])
    return X, Y.astype(int)


def test_sieve_finds_for_each_label_exactly_its_own_features(planted):
    X, Y = planted
    fitted = EMCFS(Sieve("auto"), LogisticRegression()).fit(X, Y)
    found = [fitted.label_features(label).tolist() for label in range(3)]
    assert found == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("name", ["fimf", "br+f", "mlfs", "rfs"])
def test_it_is_the_selection_of_each_label_alone(planted, name):
    X, Y = planted
    selector = make_selector(name, n_features_to_select=2)
    fitted = EMCFS(selector, LogisticRegression()).fit(X, Y)
    for label in range(3):
        support = make_selector(name, n_features_to_select=2).fit(X, Y[:, label])
        np.testing.assert_array_equal(
            fitted.label_support_[label], support.get_support()
        )
        model = LogisticRegression().fit(X[:, support.get_support()], Y[:, label])
        expected = model.decision_function(X[:, support.get_support()])
        np.testing.assert_allclose(fitted.decision_function(X)[:, label], expected)


def test_names_columns_and_reasons_of_a_label(planted):
    X, Y = planted
    frame = pd.DataFrame(X).add_prefix("f")
    labels = pd.DataFrame(Y, columns=["a", "b", "c"])
    fitted = EMCFS(Sieve("auto")).fit(frame, labels)
    assert fitted.label_names_.tolist() == ["a", "b", "c"]
    assert fitted.label_feature_names("b").tolist() == ["f1", "f4"]
    assert list(fitted.transform_label(frame, "b").columns) == ["f1", "f4"]
    explanation = fitted.explain_label(frame, labels, "b")
    assert sorted(explanation.feature_names) == ["f1", "f4"]
    assert list(explanation.label_names) == ["b"]
    with pytest.raises(ValueError, match=r"unknown label 'd'; expected one of a, b, c"):
        fitted.label_features("d")


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_columns_of_a_label_by_its_number(planted, make):
    X, Y = planted
    fitted = EMCFS(FIMF(2)).fit(make(X), make(Y))
    assert fitted.label_feature_names(2).tolist() == ["x2", "x5"]
    found = fitted.transform_label(make(X), 2)
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_array_equal(found, X[:, [2, 5]])
    assert len(fitted.explain_label(X, make(Y), 2).feature_names) == 2
    with pytest.raises(ValueError, match=r"X has shape .* fitted with 12 features"):
        fitted.transform_label(X[:, :3], 2)


def test_features_shared_by_all_labels(planted):
    X, Y = planted
    selection = LabelSpecificSelector(Sieve(), n_shared=2, n_specific=2)
    fitted = EMCFS(selection, LogisticRegression()).fit(X, Y)
    np.testing.assert_array_equal(
        fitted.label_support_, selection.fit(X, Y).label_support_
    )
    assert (fitted.predict(X) == Y).mean() > 0.8


def test_what_is_no_selector_is_named(planted):
    with pytest.raises(TypeError, match=r"EMCFS needs a selector .* got the text"):
        EMCFS("sieve").fit(*planted)


@pytest.mark.filterwarnings("ignore:.*labels are absent")
def test_labels_that_never_vary_use_all_features(planted):
    X, Y = planted
    fitted = EMCFS(FIMF(1)).fit(X, Y * [1, 1, 0])
    assert fitted.label_support_.sum(axis=1).tolist() == [1, 1, 12]
    assert not fitted.predict(X)[:, 2].any()
