"""Classifiers along a ranking: scaled, with nominal features as 0 and 1."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_regressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MinMaxScaler

from labelsieve.classifiers import MLNB, MLkNN, PathPredictor, path_scores, per_label
from labelsieve.reading.features import Features

TRAIN, TEST = np.arange(60), np.arange(60, 90)


@pytest.fixture
def data():
    random = np.random.default_rng(3)
    colours = random.integers(0, 4, 90)
    switch = random.integers(0, 2, 90)
    X = np.column_stack([random.normal(size=90) * 50, colours, switch])
    Y = np.column_stack([colours == 1, switch, X[:, 0] > 0]).astype(int)
    return X, Y


def test_categories_enter_together(data):
    X, Y = data
    kinds = {1: np.array(list("rgbw")), 2: np.array(["off", "on"])}
    predictor = PathPredictor(Features(X, kinds), Y, MLkNN(3), scaled=True)
    found = predictor.path(TRAIN, TEST, np.array([1, 0, 2]), np.array([1, 2, 3]))
    table = np.column_stack([X[:, 1:2] == range(4), X[:, 0], X[:, 2]]).astype(float)
    scaler = MinMaxScaler().fit(table[TRAIN])
    known, unseen = scaler.transform(table[TRAIN]), scaler.transform(table[TEST])
    expected = path_scores(
        MLkNN(3), known, Y[TRAIN], unseen, np.arange(6), np.array([4, 5, 6])
    )
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.predictions, expected.predictions)


def test_numbers_are_left_alone(data):
    X, Y = data
    order, sizes = np.array([2, 0]), np.array([1, 2])
    predictor = PathPredictor(Features(X), Y, MLkNN(3), scaled=False)
    found = predictor.path(TRAIN, TEST, order, sizes)
    expected = path_scores(MLkNN(3), X[TRAIN], Y[TRAIN], X[TEST], order, sizes)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_default_classifiers(data):
    X, Y = data
    assert isinstance(PathPredictor(Features(X), Y, None, True).classifier, MLkNN)
    sparse = Features(sp.csr_matrix(X))
    assert isinstance(PathPredictor(sparse, Y, None, True).classifier, MLNB)


@pytest.mark.parametrize(
    "model",
    [
        per_label(HistGradientBoostingClassifier(max_iter=5)),
        ClassifierChain(HistGradientBoostingClassifier(max_iter=5)),
        HistGradientBoostingRegressor(max_iter=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_take_no_sparse_matrix_get_an_array(model):
    random = np.random.default_rng(0)
    X = random.random((90, 5)) * (random.random((90, 5)) < 0.4)
    Y = (X[:, :2] > 0.2).astype(float)
    order, sizes = np.array([1, 0, 2]), np.array([1, 3])
    found = []
    for table in (X, sp.csr_matrix(X)):
        if is_regressor(model):
            kinds = ["number"] * 2
            predictor = PathPredictor(Features(table), Y, None, False, kinds, model)
        else:
            predictor = PathPredictor(Features(table), Y, model, scaled=False)
        path = predictor.path(TRAIN, TEST, order, sizes)
        found.append(path.scores if path.numbers is None else path.numbers)
    np.testing.assert_array_equal(*found)
