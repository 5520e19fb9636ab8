"""LabelSpecificSelector finds the planted core and each label's own features."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve import EMCFS, FIMF, GRRO, LabelSpecificSelector, Sieve, make_selector
from labelsieve.classifiers import MLNB
from tests.naive import label_specific as naive


@parametrize_with_checks([LabelSpecificSelector(FIMF(), n_shared=2, n_specific=1)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def planted(random):
    """Features 0 and 1 tell of all labels, 2 to 5 of one each; copies of the core."""
    core, own = random.integers(0, 2, (1000, 2)), random.integers(0, 2, (1000, 4))
    chance = random.random((1000, 4)) < 0.02
    Y = (core.sum(axis=1, keepdims=True) + own >= 2) ^ chance
    copies = core ^ (random.random((1000, 2)) < 0.05)
    noise = random.integers(0, 2, (1000, 8))
    return np.hstack([core, own, copies, noise]), Y.astype(int)


@pytest.mark.parametrize("selector", [None, make_selector("br+f")])
def test_the_planted_truth_is_found(planted, selector):
    fitted = LabelSpecificSelector(selector, n_shared=2, n_specific=3).fit(*planted)
    assert set(fitted.shared_) == {0, 1}
    assert [own[0] for own in fitted.specific_.values()] == [2, 3, 4, 5]
    # A copy of the core tells nothing new, but by chance at 5 percent.
    own = np.concatenate([*fitted.specific_.values()])
    assert np.isin(own, [6, 7]).sum() <= 1
    assert fitted.get_support()[:6].all()


@pytest.mark.parametrize("name", ["fimf", "pmu", "sieve", "rfs"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_equals_the_slow_version(random, name, make):
    X, Y = random.integers(0, 2, (80, 10)), random.integers(0, 2, (80, 3))
    Y[:, 0] |= X[:, 3]

    def rank(X, y, n):
        found = make_selector(name, n_features_to_select=min(n, 10)).fit(X, y)
        return found.order_.tolist()

    shared, own = naive.label_specific(rank, X, Y, 2, 2)
    fitted = LabelSpecificSelector(make_selector(name), n_shared=2, n_specific=2)
    fitted.fit(make(X), make(Y))
    assert fitted.shared_.tolist() == shared
    assert [features.tolist() for features in fitted.specific_.values()] == own
    np.testing.assert_array_equal(fitted.support_, naive.union(shared, own, 10))
    expected = [naive.union(shared, [features], 10) for features in own]
    np.testing.assert_array_equal(fitted.label_support_, expected)


def test_in_a_pipeline_with_names(planted):
    X, Y = planted
    frame = pd.DataFrame(X).add_prefix("f")
    labels = pd.DataFrame(Y, columns=list("abcd"))
    fitted = LabelSpecificSelector(n_shared=2, n_specific=1).fit(frame, labels)
    assert fitted.get_feature_names_out().tolist() == [f"f{j}" for j in range(6)]
    assert {name: own.tolist() for name, own in fitted.specific_.items()} == {
        "a": [2],
        "b": [3],
        "c": [4],
        "d": [5],
    }
    assert fitted.label_feature_names("c").tolist() == ["f0", "f1", "f4"]
    pipeline = make_pipeline(
        LabelSpecificSelector(n_shared=2, n_specific=1), MLNB()
    ).fit(X, Y)
    assert (pipeline.predict(X) == Y).mean() > 0.8
    wrapped = EMCFS(LabelSpecificSelector(n_shared=2, n_specific=1)).fit(X, Y)
    assert (wrapped.predict(X) == Y).mean() > 0.9


def test_json_keeps_the_labels_own_features(planted):
    X, Y = planted
    fitted = LabelSpecificSelector(FIMF(n_labels=2), n_shared=2, n_specific=2).fit(X, Y)
    again = LabelSpecificSelector.from_json(fitted.to_json())
    assert repr(again) == repr(fitted)
    assert {k: v.tolist() for k, v in again.specific_.items()} == {
        k: v.tolist() for k, v in fitted.specific_.items()
    }
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    np.testing.assert_array_equal(again.label_support_, fitted.label_support_)


def test_missing_cells_are_taken_where_the_selector_takes_them(planted, random):
    X, Y = planted
    holes = np.where(random.random(X.shape) < 0.05, np.nan, X)
    assert set(LabelSpecificSelector(n_shared=2).fit(holes, Y).shared_) == {0, 1}
    with pytest.raises(ValueError, match="missing"):
        LabelSpecificSelector(make_selector("mlfs"), n_shared=2).fit(holes, Y)


def test_without_own_features_it_is_the_selector(planted):
    X, Y = planted
    fitted = LabelSpecificSelector(GRRO(), n_shared=4, n_specific=0).fit(X, Y)
    np.testing.assert_array_equal(fitted.support_, GRRO(4).fit(X, Y).support_)
    assert all(own.size == 0 for own in fitted.specific_.values())


def test_what_must_be_in_is_shared_and_what_must_not_is_nowhere(planted):
    X, Y = planted
    selector = Sieve(include=[9], exclude=[0, 2])
    fitted = LabelSpecificSelector(selector, n_shared=2, n_specific=2).fit(X, Y)
    assert fitted.shared_[0] == 9
    assert not fitted.label_support_[:, [0, 2]].any()
    assert fitted.order_[-2:].tolist() == [0, 2]


def test_labels_that_never_vary_own_nothing(planted):
    X, Y = planted
    with pytest.warns(UserWarning, match="carry no information"):
        fitted = LabelSpecificSelector(n_shared=2).fit(X, Y * [1, 1, 1, 0])
    assert fitted.specific_[3].size == 0


@pytest.mark.parametrize("wrong", ["sieve", Sieve, MLNB()])
def test_what_is_no_selector_is_named(planted, wrong):
    with pytest.raises(
        TypeError, match="LabelSpecificSelector needs a selector of labelsieve"
    ):
        LabelSpecificSelector(wrong).fit(*planted)
