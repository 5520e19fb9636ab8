"""Folds share labels and pairs of labels fairly, and keep groups whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, cross_validate

from labelsieve import FIMF, MLNB, LabelFolds, SizeCV, StabilitySelection
from labelsieve import experiments as ex
from labelsieve.folds import grouped_parts


@pytest.fixture
def labels(random):
    """Labels that go together, some of them rare."""
    common = random.random((200, 1)) < 0.3
    share = np.where(common, [0.8, 0.5, 0.2, 0.1], [0.2, 0.1, 0.05, 0.03])
    return (random.random((200, 4)) < share).astype(int)


def unfairness(Y, tests):
    """How far the shares of labels in folds are from their shares of all rows."""
    overall = Y.mean(axis=0)
    return np.mean([np.abs(Y[test].mean(axis=0) - overall) for test in tests])


def pairs(Y):
    one, other = np.triu_indices(Y.shape[1], 1)
    return Y[:, one] & Y[:, other]


def held_out(folds, Y, groups=None):
    return [test for _, test in folds.split(Y, Y, groups)]


def test_labels_and_pairs_of_labels_are_shared_fairly(labels):
    fair, plain = [], []
    for seed in range(8):
        fair.append(held_out(LabelFolds(5, random_state=seed), labels))
        plain.append(held_out(KFold(5, shuffle=True, random_state=seed), labels))
    for of_what, gain in ((labels, 0.5), (pairs(labels), 0.7)):
        ours = np.mean([unfairness(of_what, tests) for tests in fair])
        theirs = np.mean([unfairness(of_what, tests) for tests in plain])
        assert ours < gain * theirs


@given(
    n_rows=st.integers(6, 40), n_folds=st.integers(2, 5), n_repeats=st.integers(1, 2)
)
def test_every_row_tests_once_in_each_repetition(n_rows, n_folds, n_repeats):
    Y = np.random.default_rng(n_rows).integers(0, 2, (n_rows, 3))
    folds = LabelFolds(n_folds, n_repeats=n_repeats, random_state=0)
    found = list(folds.split(Y, Y))
    assert len(found) == folds.get_n_splits() == n_folds * n_repeats
    rows = np.concatenate([test for _, test in found])
    assert (np.bincount(rows, minlength=n_rows) == n_repeats).all()
    for train, test in found:
        assert np.array_equal(np.union1d(train, test), np.arange(n_rows))
        assert test.size in (n_rows // n_folds, -(-n_rows // n_folds))


@pytest.mark.parametrize("stratified", [True, False])
def test_groups_stay_whole_in_parts_of_about_equal_size(labels, random, stratified):
    groups = random.integers(0, 40, 200)
    folds = LabelFolds(4, stratified=stratified, random_state=0)
    tests = held_out(folds, labels, groups)
    assert sorted(np.concatenate(tests)) == list(range(200))
    owners = [set(groups[test]) for test in tests]
    assert sum(map(len, owners)) == len(set(groups))
    assert max(test.size for test in tests) - min(test.size for test in tests) < 25


def test_groups_and_labels_together_are_fairer_than_groups_alone(labels, random):
    groups = random.integers(0, 60, 200)
    both = [
        unfairness(labels, held_out(LabelFolds(4, random_state=s), labels, groups))
        for s in range(8)
    ]
    alone = [
        unfairness(
            labels,
            held_out(LabelFolds(4, stratified=False, random_state=s), labels, groups),
        )
        for s in range(8)
    ]
    assert np.mean(both) < 0.8 * np.mean(alone)
    theirs = unfairness(labels, held_out(GroupKFold(4), labels, groups))
    assert np.mean(both) < theirs


def test_any_form_of_labels_and_groups(labels):
    expected = held_out(LabelFolds(3, random_state=0), labels)
    for form in (sp.csr_matrix, pd.DataFrame, np.ndarray.tolist):
        found = held_out(LabelFolds(3, random_state=0), form(labels))
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)
    names = [f"patient {i // 4}" for i in range(200)]
    by_name = held_out(LabelFolds(3, random_state=0), labels, names)
    assert all(test.size % 4 == 0 for test in by_name)


@pytest.mark.parametrize(
    ("folds", "groups", "message"),
    [
        (LabelFolds(1), None, "n_splits must be a whole number of at least 2, got 1"),
        (LabelFolds(2, n_repeats=0), None, "n_repeats must be a whole number"),
        (LabelFolds(5), None, "4 rows cannot be divided into 5 folds"),
        (LabelFolds(3), [0, 0, 1, 1], "2 groups cannot be divided into 3 folds"),
        (LabelFolds(2), [0, 1], "one entry for each of the 4 rows, got .* shape"),
    ],
)
def test_what_cannot_be_divided_is_said(folds, groups, message):
    Y = np.eye(4, dtype=int)
    with pytest.raises(ValueError, match=message):
        list(folds.split(Y, Y, groups))


def test_scikit_learn_uses_them(labels, random):
    X = random.integers(0, 2, (200, 5))
    folds = clone(LabelFolds(3, random_state=0))
    found = cross_validate(MLNB(), X, labels, cv=folds, scoring=lambda *_: 0.5)
    assert found["test_score"].tolist() == [0.5] * 3


def test_sizes_are_judged_on_folds_where_no_rare_label_vanishes(random):
    X = random.integers(0, 2, (60, 5))
    Y = np.zeros((60, 2), dtype=int)
    Y[:6, 0] = Y[20:40, 1] = 1
    search = SizeCV(FIMF(), MLNB(), cv=5, sizes=[1, 2], random_state=0)
    folds = search._folds(X, Y, ["label"] * 2, None)
    assert all(Y[test].any(axis=0).all() for _, test in folds)
    plain = list(KFold(5, shuffle=True, random_state=0).split(X))
    frequent = search._folds(X, Y[:, 1:], ["label"], None)
    np.testing.assert_array_equal(frequent[0][1], plain[0][1])
    groups = np.arange(60) // 3
    for train, test in search._folds(X, Y, ["label"] * 2, groups):
        assert not set(groups[train]) & set(groups[test])
    assert search.fit(X, Y, groups).values_.shape == (5, 2)


def test_stability_draws_whole_groups(random):
    X, Y = random.integers(0, 2, (60, 6)), random.integers(0, 2, (60, 2))
    sure = StabilitySelection(FIMF(2), n_subsamples=4, random_state=0)
    alone = sure.fit(X, Y, np.arange(60)).frequencies_
    np.testing.assert_array_equal(alone, sure.fit(X, Y).frequencies_)
    # Two groups: whichever is drawn, both are, so that all choices are the same.
    assert set(sure.fit(X, Y, np.arange(60) % 2).frequencies_) == {0.0, 1.0}


def test_groups_keep_rows_together_in_protocols(labels, random):
    groups = random.integers(0, 30, 200)
    for protocol in (
        ex.HoldOut(3),
        ex.KFold(3, stratified=True),
        ex.KFold(6, n_folds=3),
    ):
        for index in range(3):
            split = protocol.split(labels, 0, index, groups)
            assert not set(groups[split.train]) & set(groups[split.test])


def test_folds_are_repeated_where_more_splits_are_asked_for(labels):
    folds = ex.KFold(n_splits=6, n_folds=3)
    splits = [folds.split(labels, 0, index).test for index in range(6)]
    for repeat in (splits[:3], splits[3:]):
        assert sorted(np.concatenate(repeat)) == list(range(200))
    assert not np.array_equal(splits[0], splits[3])
    np.testing.assert_array_equal(splits[0], ex.KFold(3).split(labels, 0, 0).test)
    assert folds.describe() == "3-fold cross-validation, repeated (6 splits)"


def test_largest_groups_first(random):
    groups = np.repeat([0, 1, 2, 3], [50, 20, 20, 10])
    parts = grouped_parts(None, groups, [50, 50], np.random.default_rng(0))
    assert sorted(part.size for part in parts) == [50, 50]


@pytest.mark.parametrize("kind", ["class", "number"])
def test_classes_and_numbers_are_shared_fairly(random, kind):
    amounts = random.lognormal(size=(200, 2))
    Y = amounts if kind == "number" else np.floor(np.clip(amounts * 2, 0, 3))
    fair = [held_out(LabelFolds(5, random_state=seed), Y) for seed in range(8)]
    shuffled = [KFold(5, shuffle=True, random_state=seed) for seed in range(8)]
    for column in Y.T:
        # By classes, or by fifths of the numbers.
        _, code = np.unique(column, return_inverse=True)
        if kind == "number":
            code = code * 5 // 200
        parts = (code[:, None] == np.unique(code)).astype(int)
        ours = np.mean([unfairness(parts, tests) for tests in fair])
        theirs = [unfairness(parts, held_out(folds, Y)) for folds in shuffled]
        assert ours < 0.7 * np.mean(theirs)


def test_known_cells_of_rarely_known_labels_are_spread(labels, random):
    Y = labels.astype(float)
    Y[random.random(Y.shape) < 0.8] = np.nan
    for seed in range(5):
        tests = held_out(LabelFolds(5, random_state=seed), Y)
        for value in (0, 1):
            cells = np.equal(Y, value).astype(int)
            counts = np.array([cells[test].sum(axis=0) for test in tests])
            least = cells.sum(axis=0) // 5 - 1
            assert (counts >= np.minimum(least, 1)).all()


def test_labels_that_are_known_are_divided_as_before(labels):
    """Whether their codes are whole numbers or floats."""
    expected = held_out(LabelFolds(3, random_state=1), labels)
    for form in (labels.astype(float), pd.DataFrame(labels), sp.csr_array(labels)):
        found = held_out(LabelFolds(3, random_state=1), form)
        assert all(map(np.array_equal, found, expected))
