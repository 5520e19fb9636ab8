"""MLFS equals its definition and the ordinary F statistic where they meet."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import f_classif

from labelsieve import MLFS
from labelsieve.selectors._rows import scaled_rows as _scaled_rows
from tests.naive import margins as naive

FORMATS = [np.asarray, sp.csr_matrix]


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize(
    ("within", "key"),
    [
        ("scatter", "F_paper_scatter"),
        ("sum_var", "F_authors_code_sum_of_variances"),
    ],
)
def test_golden_values(toy, toy_data, within, key, make):
    X, Y = toy_data
    fitted = MLFS(within=within).fit(make(X), Y)
    np.testing.assert_allclose(fitted.scores_, toy["mlfs"][key], atol=1e-9)
    assert fitted.order_[-1] == 4


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("within", ["scatter", "sum_var"])
def test_equals_the_definition(random, monkeypatch, within, make):
    monkeypatch.setattr(_scaled_rows, "BLOCK_CELLS", 90)
    Y = (random.random((40, 5)) < [0.5, 0.4, 0.3, 0.2, 0.0]).astype(int)
    X = random.normal(size=(40, 5)) * 0.1 + 1000
    with pytest.warns(UserWarning, match="carry no information"):
        fitted = MLFS(within=within).fit(make(X), make(Y))
    np.testing.assert_allclose(fitted.scores_, naive.mlfs(X, Y, within), rtol=1e-8)


def test_with_one_label_per_row_it_is_the_f_statistic(random):
    classes = random.integers(0, 4, 60)
    X = random.normal(size=(60, 5)) + classes[:, None] * [0, 1, 0, 2, 0.5]
    expected = f_classif(X, classes)[0]
    found = MLFS().fit(X, np.eye(4, dtype=int)[classes]).scores_
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    single = MLFS().fit(X, classes == 1).scores_
    np.testing.assert_allclose(single, f_classif(X, classes == 1)[0], rtol=1e-10)


def test_features_without_scatter_inside_labels_are_best():
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    X = np.array([[0.1, 0.3, 7], [0.9, 0.3, 7], [0.2, 0.8, 7], [0.5, 0.8, 7]])
    fitted = MLFS().fit(X, Y)
    assert fitted.scores_[1] == np.inf
    assert fitted.scores_[2] == 0
    assert fitted.order_.tolist() == [1, 0, 2]


def test_more_labels_than_rows_still_rank():
    Y = np.vstack([np.eye(3, dtype=int), np.eye(3, dtype=int)])
    Y = np.hstack([Y, Y, Y])
    X = np.array([[0, 1.0], [1, 1], [2, 0], [0, 0], [1, 1], [2.1, 0]])
    assert MLFS().fit(X, Y).order_.tolist() == [0, 1]
