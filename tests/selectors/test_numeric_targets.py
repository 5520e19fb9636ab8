"""Targets that are numbers, alone and beside labels and classes."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.feature_selection import f_regression

import labelsieve as ls
from labelsieve.choosing import (
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.reading import read_scored_targets
from labelsieve.selectors._capabilities import holds
from tests.naive import sieve as naive
from tests.selectors.registered import each


def by_model(n_features):
    return ls.SelectByModel(n_features_to_select=n_features)


TAKERS = [
    *(ls.Sieve, ls.FStatistic, ls.RFS, ls.MIFS, ls.MDFS, ls.TreeImportance),
    by_model,
]


def problem(seed, n=120):
    """Numbers, a count and a category; a number, a label and a class of three."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    X[:, 4] = X[:, 0] + 0.1 * random.normal(size=n)
    X[:, 5] = random.integers(0, 2, n)
    amount = np.exp(X[:, 0] + X[:, 1] + X[:, 5] + random.normal(size=n))
    label = X[:, 2] + random.normal(size=n) > 0
    grade = np.digitize(X[:, 1] + random.normal(size=n), [-0.5, 0.5])
    return X, np.column_stack([amount, label, grade])


def scores_of(y):
    """Normal scores of ranks, as the selector takes them."""
    z = stats.norm.ppf((stats.rankdata(y) - 0.5) / y.size)
    return np.rint(2**20 * z)


@pytest.mark.parametrize("targets", [[0], [0, 1], [0, 1, 2], [2]])
@pytest.mark.parametrize("seed", range(3))
def test_as_the_formula_says(seed, targets):
    X, Y = problem(seed)
    expected = Y[:, targets].copy()
    if 0 in targets:
        expected[:, 0] = scores_of(Y[:, 0])
    order, scores = naive.Criterion(X, expected, numbers=range(5)).order(4)
    found = ls.Sieve(4).fit(X, Y[:, targets])
    np.testing.assert_array_equal(found.order_, order)
    np.testing.assert_allclose(found.scores_[order], scores, rtol=1e-9, atol=1e-9)


def test_types_are_known_afterwards():
    X, Y = problem(0)
    assert ls.Sieve(2).fit(X, Y).target_types_ == ["number", "label", "class"]
    grades = ls.Sieve(2, target_types={"grade": "number"})
    frame = pd.DataFrame(Y, columns=["amount", "label", "grade"])
    assert grades.fit(X, frame).target_types_ == ["number", "label", "number"]


@given(seed=st.integers(0, 1000), power=st.sampled_from([1 / 3, 3.0]))
def test_monotone_transformations_change_nothing(seed, power):
    X, Y = problem(seed, n=60)
    other = Y.copy()
    other[:, 0] = np.log(Y[:, 0] ** power + 5.0)
    for make in (ls.Sieve, ls.FStatistic):
        Y, other = (y[:, :2] if make is ls.FStatistic else y for y in (Y, other))
        one, two = (make(3).fit(X, y) for y in (Y, other))
        np.testing.assert_array_equal(one.order_, two.order_)
        np.testing.assert_allclose(one.scores_, two.scores_, rtol=1e-9)


def test_a_label_of_half_the_samples_may_be_a_number():
    X, Y = problem(0)
    label = (Y[:, [0]] > np.median(Y[:, 0])).astype(float)
    numbers = X[:, :5]
    for make in (ls.Sieve, ls.FStatistic):
        as_label, as_number = (
            make(3, target_types=kind).fit(numbers, label)
            for kind in ("label", "number")
        )
        np.testing.assert_allclose(as_label.scores_, as_number.scores_, rtol=1e-9)


@given(seed=st.integers(0, 1000), share=st.floats(0.1, 0.9))
@example(seed=255, share=0.4375)
def test_a_binary_target_may_be_a_label_or_a_number(seed, share):
    X, Y = problem(seed, n=60)
    label = (Y[:, [0]] > np.quantile(Y[:, 0], share)).astype(float)
    # What F explains of it does not depend on how it is called, nor does Sieve's share
    # of the variance; of a category and a label Sieve takes the mutual information,
    # which is that share only as long as it is small.
    for make, features in ((ls.Sieve, X[:, :5]), (ls.FStatistic, X)):
        as_label, as_number = (
            make(3, target_types=kind).fit(features, label)
            for kind in ("label", "number")
        )
        np.testing.assert_array_equal(as_label.order_, as_number.order_)
        gains = as_label.scores_ > 0
        ratio = as_label.scores_[gains] / as_number.scores_[gains]
        np.testing.assert_allclose(ratio, ratio[:1].repeat(ratio.size), rtol=1e-9)
    np.testing.assert_allclose(as_label.scores_, as_number.scores_, rtol=1e-9)


@given(seed=st.integers(0, 1000), gaps=st.booleans())
def test_copies_of_a_mixture_change_nothing(seed, gaps):
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 6))
    signal = X[:, :3] + 0.3 * random.normal(size=(200, 3))
    Y = np.column_stack([np.exp(signal[:, 0]), signal[:, 1] > 0, signal[:, 2]])
    Y[:, 2] = np.digitize(Y[:, 2], [-0.5, 0.5])
    if gaps:
        Y[random.random(Y.shape) < 0.2] = np.nan
    kinds = ["number", "label", "class"]
    one = ls.Sieve(3, target_types=kinds).fit(X, Y)
    two = ls.Sieve(3, target_types=kinds * 2).fit(X, np.hstack([Y, Y]))
    np.testing.assert_array_equal(one.order_[:3], two.order_[:3])
    first = one.order_[:3]
    np.testing.assert_allclose(two.scores_[first], 2 * one.scores_[first], rtol=1e-9)


@pytest.mark.parametrize("make", [ls.Sieve, ls.FStatistic])
def test_copies_of_targets_change_nothing(make):
    X, Y = problem(1)
    one, two = (make(3).fit(X, y) for y in (Y[:, [0]], Y[:, [0, 0]]))
    np.testing.assert_array_equal(one.order_, two.order_)


@pytest.mark.parametrize("make", TAKERS)
def test_containers_agree(make):
    X, Y = problem(2)
    X, Y = np.where(np.abs(X) < 0.5, 0.0, X), Y[:, :2]
    dense = make(3).fit(X, Y)
    for features in (sp.csr_matrix(X), pd.DataFrame(X).rename(columns=str)):
        other = make(3).fit(features, pd.DataFrame(Y).rename(columns=str))
        np.testing.assert_array_equal(dense.order_, other.order_)
        np.testing.assert_allclose(dense.scores_, other.scores_, rtol=1e-9)


def test_f_of_regression():
    X, Y = problem(0)
    found = ls.FStatistic(2, target_scores="value").fit(X, Y[:, 0])
    expected, _ = f_regression(X, Y[:, 0])
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-4)


@pytest.mark.parametrize("make", TAKERS)
def test_planted_features_are_found(make):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 12))
    Y = np.column_stack([X[:, 3] + X[:, 4], X[:, 5] > 0, np.exp(X[:, 7])])
    Y[:, [0, 2]] += 0.3 * random.normal(size=(400, 2))
    assert {3, 4, 5, 7} == {*make(4).fit(X, Y).order_[:4].tolist()}


def test_auto_finds_them_where_cells_are_unknown():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 12))
    Y = np.column_stack([X[:, 3] + X[:, 4], X[:, 5] > 0, np.exp(X[:, 7])])
    Y += random.normal(size=Y.shape) * [1, 0, 1]
    Y[random.random(Y.shape) < 0.3] = np.nan
    found = ls.Sieve("auto").fit(X, Y)
    assert {*found.get_support(indices=True).tolist()} == {3, 4, 5, 7}
    assert "number" in found.target_types_
    assert found.explain(X, Y).features.size == 4


def test_methods_of_counts_bin_them():
    X, Y = problem(0)
    with pytest.raises(ValueError, match="target 0 is a number: pass n_target_bins=4"):
        ls.FIMF(2).fit(X, Y)
    binned = Y.copy()
    binned[:, 0] = pd.qcut(Y[:, 0], 4, labels=False)
    found, expected = ls.FIMF(2, n_target_bins=4).fit(X, Y), ls.FIMF(2).fit(X, binned)
    np.testing.assert_allclose(found.scores_, expected.scores_)


def test_methods_of_two_values_take_two_bins():
    X, Y = problem(0)
    with pytest.raises(ValueError, match="is a number: pass n_target_bins=2"):
        ls.GRRO(2).fit(X, Y[:, :2])
    binned = Y[:, :2] > np.median(Y[:, :2], axis=0)
    found = ls.GRRO(2, n_target_bins=2).fit(X, Y[:, :2])
    expected = ls.GRRO(2).fit(X, np.column_stack([binned[:, 0], Y[:, 1]]))
    np.testing.assert_allclose(found.scores_, expected.scores_)


@each
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_number_of_bins_is_a_way_out_wherever_it_is_named(selector):
    X, Y = problem(1, 60)
    selector = clone(selector).set_params(n_features_to_select=2)
    if not holds(selector, selector._capabilities.takes_numbers):
        with pytest.raises(ValueError, match=r"n_target_bins=\d|pandas.qcut") as told:
            selector.fit(X, Y[:, :2])
        if named := re.search(r"pass n_target_bins=(\d)", str(told.value)):
            selector.set_params(n_target_bins=int(named[1]))
            assert selector.fit(X, Y[:, :2]).support_.sum() == 2


def test_bins_serve_around_a_selector():
    X, Y = problem(0)
    fimf = ls.FIMF(2, n_target_bins=4)
    search = ls.SizeCV(fimf, sizes=[2], cv=2, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(search.order_, fimf.fit(X, Y).order_)
    draw = StabilitySelection(fimf, n_subsamples=3, random_state=0).fit(X, Y)
    assert draw.frequencies_.max() == 1.0
    p = permutation_p_values(fimf, X, Y, n_permutations=3, random_state=0)
    assert p.p[p.selected].max() == 0.25
    assert evaluate_selection(fimf, X, Y, n_splits=2, budget=1).n_chosen == 2


@pytest.mark.parametrize("make", [ls.GMBA, ls.MLFS, ls.GRRO])
def test_others_say_who_can(make):
    X, Y = problem(0)
    with pytest.raises(ValueError, match=r"is a number.* or use .*RFS.*Sieve"):
        make(2).fit(X, Y[:, 0])


def test_who_takes_numbers_that_are_partly_known():
    X, Y = problem(0)
    Y[0, 0] = np.nan
    for make in (ls.RFS, ls.GMBA):  # which refuse the gap, or the number
        with pytest.raises(ValueError, match="use a selector that takes them") as told:
            make(2).fit(X, Y[:, 0])
        way_out = str(told.value).partition("use a selector that takes them: ")[2]
        assert way_out.startswith("FStatistic, Sieve or SelectByModel")
        assert "absent" not in str(told.value)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("how", ["rank", "value"])
def test_scores_are_those_of_the_formula(how, whole):
    random = np.random.default_rng(0)
    Y = np.exp(random.normal(size=(50, 3)))
    Y = np.round(2 * Y) if whole else Y
    Y[random.random(Y.shape) < 0.2] = np.nan
    found = read_scored_targets(Y, Y, "number", how).scores
    for place, y in enumerate(Y.T):
        known = ~np.isnan(y)
        expected = np.zeros(y.size)
        expected[known] = (
            scores_of(y[known])
            if how == "rank"
            else np.rint(2**20 * stats.zscore(y[known]))
        )
        np.testing.assert_allclose(found[place], expected, atol=1)


def test_a_constant_number_carries_nothing():
    X, Y = problem(0)
    Y[:, 0] = 2.5
    with pytest.warns(UserWarning, match="carry no information"):
        found = ls.Sieve(2, target_types=["number", "label", "class"]).fit(X, Y)
    expected = ls.Sieve(2).fit(X, Y[:, 1:])
    np.testing.assert_array_equal(found.order_, expected.order_)
