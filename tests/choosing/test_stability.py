"""StabilitySelection: frequencies, what is kept, and Nogueira's index."""

import numpy as np
import pandas as pd
import pytest

from labelsieve import FIMF
from labelsieve.choosing import StabilitySelection
from labelsieve.datasets import make_multilabel
from labelsieve.metrics import stability
from labelsieve.selectors.sieve.sieve import Sieve


def test_frequencies_are_those_of_separate_fits(random):
    X, Y = random.integers(0, 2, (80, 10)), random.integers(0, 2, (80, 3))
    sure = StabilitySelection(FIMF(3), n_subsamples=12, random_state=5).fit(X, Y)
    seeds = np.random.RandomState(5).randint(np.iinfo(np.int32).max, size=12)
    chosen = []
    for seed in seeds:
        rows = np.sort(np.random.default_rng(int(seed)).permutation(80)[:40])
        chosen.append(FIMF(3).fit(X[rows], Y[rows]).get_support(indices=True))
    counts = np.bincount(np.concatenate(chosen), minlength=10)
    np.testing.assert_array_equal(sure.frequencies_, counts / 12)
    assert sure.stability_ == stability(chosen, 10)
    assert (np.diff(sure.frequencies_[sure.order_]) <= 0).all()


def test_relevant_features_are_stable_and_noise_is_not():
    X, Y, truth = make_multilabel(
        600, 4, n_relevant=8, n_redundant=0, n_noise=40, random_state=0
    )
    sure = StabilitySelection(Sieve(10), n_subsamples=30, random_state=0).fit(X, Y)
    relevant = truth.kind == "relevant"
    assert sure.frequencies_[relevant].min() > 0.9
    assert set(truth.kind[sure.support_]) == {"relevant"}
    assert 0.5 < sure.stability_.low < sure.stability_.value


def test_pure_noise_is_unstable_and_one_feature_is_kept(random):
    X, Y = random.random((100, 60)), random.integers(0, 2, (100, 2))
    sure = StabilitySelection(FIMF(3), n_subsamples=30, threshold=1.0, random_state=0)
    sure.fit(X, Y)
    assert sure.stability_.value < 0.5
    assert sure.support_.sum() == 1
    assert sure.support_[sure.order_[0]]


def test_tables_with_text_are_coded_once(random):
    label = random.integers(0, 2, 80)
    text = np.where(random.random(80) < 0.1, 1 - label, label)
    table = pd.DataFrame(
        {"a": random.random(80), "b": np.array(["x", "y"])[text], "c": label * 1.0}
    )
    sure = StabilitySelection(FIMF(2), n_subsamples=10, random_state=0).fit(
        table, label
    )
    assert sure.get_support(indices=True).tolist() == [1, 2]


@pytest.mark.parametrize(
    "parameters", [{"n_subsamples": 1}, {"subsample": 1.5}, {"threshold": 0.0}]
)
def test_wrong_parameters_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        StabilitySelection(**parameters).fit(np.eye(4), [0, 1, 0, 1])


def test_selectors_that_take_groups_get_them():
    """Ten samples of each patient, of whom nothing explains the label."""
    random, patients = np.random.default_rng(1), np.repeat(np.arange(60), 10)
    X = random.normal(size=(60, 20))[patients] + 0.3 * random.normal(size=(600, 20))
    Y = (random.random((60, 2)) < 0.5)[patients].astype(int)
    how = {"n_subsamples": 4, "random_state": 0}
    plain = StabilitySelection(Sieve("auto"), **how).fit(X, Y)
    grouped = StabilitySelection(Sieve("auto"), **how).fit(X, Y, groups=patients)
    assert plain.frequencies_.sum() > 3 * grouped.frequencies_.sum()
