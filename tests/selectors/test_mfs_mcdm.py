"""MFS-MCDM: the naive version of TOPSIS, and what it finds."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from labelsieve.selectors.regression.mfs_mcdm import MFSMCDM
from tests.naive import further as naive
from tests.naive.information import entropy


def test_equals_ridge_and_the_naive_ranking(random):
    for shape in [(60, 8), (20, 30)]:
        X, Y = random.normal(size=shape), random.integers(0, 2, (shape[0], 3))
        table = np.abs(Ridge(10.0).fit(StandardScaler().fit_transform(X), Y).coef_).T
        importance = np.array([entropy(y) for y in Y.T])
        expected = naive.topsis(table, importance / importance.sum())
        np.testing.assert_allclose(MFSMCDM().fit(X, Y).scores_, expected, atol=1e-9)


def test_features_against_a_label_count_like_features_for_it(random):
    Y = random.integers(0, 2, (80, 2))
    X = random.normal(size=(80, 6))
    X[:, 2] += 3 * Y[:, 0]
    X[:, 4] -= 3 * Y[:, 1]
    assert set(MFSMCDM(2).fit(X, Y).order_[:2]) == {2, 4}


def test_sparse_input_and_labels_give_the_same(random):
    X, Y = random.integers(0, 2, (50, 9)), random.integers(0, 2, (50, 2))
    dense = MFSMCDM().fit(X, Y)
    sparse = MFSMCDM().fit(sp.csr_matrix(X), sp.csr_matrix(Y))
    np.testing.assert_allclose(dense.scores_, sparse.scores_, atol=1e-9)


@pytest.mark.parametrize("unit", [1e160, 1e-170, 2.0**600])
def test_units_do_not_matter(unit, random):
    X, Y = random.normal(size=(50, 9)), random.integers(0, 2, (50, 2))
    expected, found = MFSMCDM().fit(X, Y), MFSMCDM().fit(X * unit, Y)
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9)
