"""FStatistic equals the analysis of variance of every label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import f_oneway
from sklearn.feature_selection import f_classif, f_regression

from labelsieve import FStatistic
from labelsieve.selectors._rows import scaled_rows
from tests.naive import f_statistic as naive


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("how", ["mean", "max"])
def test_equals_the_definition(random, monkeypatch, make, how):
    monkeypatch.setattr(scaled_rows, "BLOCK_CELLS", 90)
    Y = (random.random((40, 4)) < [0.7, 0.4, 0.2, 0.0]).astype(int)
    X = random.normal(size=(40, 5)) * 0.1 + 1000 + Y[:, [0]] * [0, 0.1, 0, 0, 0]
    expected = getattr(np, how)(naive.per_label(X, Y), axis=0)
    with pytest.warns(UserWarning, match="carry no information"):
        fitted = FStatistic(aggregate=how).fit(make(X), make(Y))
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-8)


def test_is_that_of_scikit_learn(random):
    y = random.integers(0, 2, 50)
    X = random.normal(size=(50, 6)) + y[:, np.newaxis] * [0, 1, 0, 2, 0.5, 0]
    np.testing.assert_allclose(FStatistic().fit(X, y).scores_, f_classif(X, y)[0])


def test_a_label_that_is_told_without_error_comes_first():
    Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    X = np.array([[0.1, 0.3, 7], [0.9, 0.3, 7], [0.2, 0.8, 7], [0.5, 0.8, 7]])
    fitted = FStatistic().fit(X, Y)
    assert fitted.scores_[1] == np.inf
    assert fitted.scores_[2] == 0
    assert fitted.order_.tolist() == [1, 0, 2]


def test_categories_have_the_f_of_the_analysis_of_variance(random):
    words = random.choice(list("abcd"), 80)
    Y = (random.random((80, 3)) < 0.3 + 0.3 * (words == "b")[:, np.newaxis]).astype(int)
    frame = pd.DataFrame({"number": random.normal(size=80), "word": words})
    frame["answer"] = random.choice(["yes", "no"], 80)
    found = FStatistic().fit(frame, Y).scores_
    expected = [
        np.mean(
            [
                f_oneway(*(label[frame[c] == v] for v in set(frame[c])))[0]
                for label in Y.T
            ]
        )
        for c in ("word", "answer")
    ]
    np.testing.assert_allclose(found[1:], expected, rtol=1e-9)
    numbers = FStatistic().fit(frame[["number"]], Y).scores_
    np.testing.assert_allclose(found[0], numbers[0], rtol=1e-12)


def test_categories_that_tell_a_label_without_an_error(random):
    words = random.choice(list("abc"), 40)
    frame = pd.DataFrame({"word": words, "number": random.normal(size=40)})
    assert FStatistic().fit(frame, words == "b").scores_[0] == np.inf


def any_targets(random, known=1.0):
    """A label, a number and a class of four values, which some features tell."""
    X = random.normal(size=(90, 5))
    noisy = X[:, :3] + random.normal(size=(90, 3))
    grade = np.digitize(noisy[:, 2], [-1, 0, 1])
    Y = np.column_stack([noisy[:, 0] > 0, noisy[:, 1], grade]).astype(float)
    return X, np.where(random.random(Y.shape) < known, Y, np.nan)


@pytest.mark.parametrize("how", ["mean", "max"])
@pytest.mark.parametrize("known", [1.0, 0.6])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_any_target_has_the_f_of_its_type_where_it_is_known(random, how, known, make):
    X, Y = any_targets(random, known)
    X[X < -1] = 0.0
    there = [~np.isnan(y) for y in Y.T]
    pairs = [(X[rows], y[rows]) for rows, y in zip(there, Y.T, strict=True)]
    grades = [f_classif(pairs[2][0], pairs[2][1] == value)[0] for value in range(4)]
    of_each = [f_classif(*pairs[0])[0], f_regression(*pairs[1])[0], np.mean(grades, 0)]
    fitted = FStatistic(3, aggregate=how, target_scores="value").fit(make(X), Y)
    expected = getattr(np, how)(of_each, axis=0)
    near = {"rtol": 1e-4, "atol": 1e-5}  # scores of numbers are multiples of 2^-20
    np.testing.assert_allclose(fitted.scores_, expected, **near)
    explained = fitted.explain(make(X), Y)
    parts = np.array(of_each)[:, explained.features].T
    np.testing.assert_allclose(explained.label_terms, parts, **near)
    assert explained.noun == "target"
    assert "relevant for target " in str(explained)


def test_a_class_counts_as_its_values_as_labels(random):
    X, Y = any_targets(random)
    values = (Y[:, [2]] == range(4)).astype(int)
    alone, apart = (FStatistic().fit(X, y).scores_ for y in (Y[:, 2], values))
    np.testing.assert_allclose(alone, apart)


def test_whole_weights_are_repeated_rows_of_any_target(random):
    X, Y = any_targets(random, 0.6)
    times = random.integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), times)
    weighted = FStatistic().fit(X, Y, sample_weight=times).scores_
    np.testing.assert_allclose(weighted, FStatistic().fit(X[rows], Y[rows]).scores_)
