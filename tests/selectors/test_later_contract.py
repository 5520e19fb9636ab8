"""Sieve and the methods of later papers keep scikit-learn's contract."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve.selectors import D2F, GRRO, LRFS, MDMR, MFSMCDM, RFS, SCLS, Sieve

SELECTORS = [
    Sieve(),
    D2F(),
    MDMR(),
    SCLS(),
    LRFS(),
    GRRO(),
    RFS(),
    MFSMCDM(),
]
each = pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)


@parametrize_with_checks([*SELECTORS, Sieve("auto", n_bins=3, n_jobs=2)])
@pytest.mark.filterwarnings("ignore:no feature is significant")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(
        120, 15, n_classes=4, allow_unlabeled=True, random_state=0
    )


@each
def test_constant_features_come_last(selector, data):
    X, Y = data
    X = np.hstack([np.ones((len(X), 1)), X, np.zeros((len(X), 1))])
    fitted = clone(selector).set_params(n_features_to_select=17).fit(X, Y)
    assert set(fitted.order_[-2:]) == {0, 16}
    assert np.isfinite(fitted.scores_).all()


@each
def test_constant_labels_change_nothing(selector, data):
    X, Y = data
    wider = np.hstack([Y, np.zeros((len(Y), 1), dtype=int)])
    expected = clone(selector).set_params(n_features_to_select=5).fit(X, Y)
    with pytest.warns(UserWarning, match="1 of 5 labels"):
        fitted = clone(expected).fit(X, wider)
    np.testing.assert_array_equal(fitted.order_[:5], expected.order_[:5])


@each
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_array, np.asfortranarray])
def test_forms_of_tables_give_the_same_order(selector, form, data):
    X, Y = data
    expected = clone(selector).set_params(n_features_to_select=5).fit(X, Y)
    fitted = clone(expected).fit(form(X), Y)
    np.testing.assert_array_equal(fitted.order_[:5], expected.order_[:5])


@each
def test_one_feature_and_one_label(selector):
    fitted = clone(selector).fit([[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5)
    assert fitted.support_.tolist() == [True]
