"""Classifiers along a ranking: scaled, with nominal features as 0 and 1."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler

from labelsieve.classifiers import MLNB, MLkNN, PathPredictor, path_scores
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
