"""Permutation p-values: uniform under noise, small for what is planted."""

import numpy as np
import pytest
from scipy.stats import kstest

from labelsieve import FIMF, PMU
from labelsieve.choosing import permutation_p_values
from labelsieve.datasets import make_multilabel
from labelsieve.registry import make_selector, selector_names
from labelsieve.selectors.sieve.sieve import Sieve


@pytest.mark.parametrize("selector", [FIMF(), PMU(1), Sieve(1)], ids=repr)
def test_uniform_if_no_feature_tells_anything(selector):
    random = np.random.default_rng(0)
    X, Y = random.random((150, 150)), random.integers(0, 2, (150, 3))
    found = permutation_p_values(selector, X, Y, n_permutations=199, random_state=0)
    assert kstest(found.p, "uniform").pvalue > 0.01
    assert found.p_family.min() > 0.05


def test_small_for_what_was_planted():
    X, Y, truth = make_multilabel(
        400, 3, n_relevant=6, n_redundant=0, n_interacting=0, random_state=0
    )
    found = permutation_p_values(Sieve(6), X, Y, n_permutations=99, random_state=0)
    assert set(truth.kind[found.selected]) == {"relevant"}
    np.testing.assert_allclose(found.p_family[found.selected], 0.01)
    assert (found.p <= found.p_family).all()


def test_counts_permutations_by_their_definition(random):
    X, Y = random.integers(0, 2, (40, 5)), random.integers(0, 2, (40, 2))
    found = permutation_p_values(FIMF(2), X, Y, n_permutations=20, random_state=3)
    own = FIMF(2).fit(X, Y)
    seeds = np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=20)
    at_least = np.ones(5)
    for seed in seeds:
        rows = np.random.default_rng(int(seed)).permutation(40)
        at_least += FIMF(2).fit(X, Y[rows]).scores_ >= own.scores_
    np.testing.assert_allclose(found.p, at_least / 21)
    np.testing.assert_array_equal(found.selected, own.order_[:2])


def test_threads_change_nothing(random):
    X, Y = random.random((60, 7)), random.integers(0, 2, (60, 2))
    one, two = (
        permutation_p_values(
            FIMF(2), X, Y, n_permutations=15, random_state=0, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.p, two.p)


def test_needs_at_least_one_permutation(random):
    with pytest.raises(ValueError, match="at least 1, got 0"):
        permutation_p_values(FIMF(1), np.eye(4), [0, 1, 0, 1], n_permutations=0)


@pytest.mark.filterwarnings("ignore:.* rows have .* distinct label sets")
@pytest.mark.parametrize("name", selector_names())
def test_small_for_the_best_feature_of_every_method(name):
    random = np.random.default_rng(2)
    Y = random.integers(0, 2, (60, 2))
    X = random.normal(size=(60, 8))
    X[:, 3:5] = Y + 0.2 * random.normal(size=(60, 2))
    selector = make_selector(name, n_features_to_select=2)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    found = permutation_p_values(selector, X, Y, n_permutations=19, random_state=0)
    # Scores relative to the best and worst feature of the same data, and counts of
    # labels with a fixed number of choices, are as large for shuffled labels.
    if name not in ("mfs-mcdm", "emcfs"):
        assert sorted(found.selected) == [3, 4]
        assert (found.p[found.selected] <= 0.1).all()
    others = np.delete(found.p, [3, 4])
    assert others.mean() > 0.2


def visits(seed, n_patients=40):
    """Samples of patients of whom nothing but the patient explains the label."""
    random = np.random.default_rng(seed)
    patients = np.repeat(np.arange(n_patients), random.integers(2, 9, size=n_patients))
    own = random.normal(size=(n_patients, 5))[patients]
    X = own + 0.2 * random.normal(size=own.shape)
    return X, (random.random(n_patients) < 0.5)[patients].astype(int), patients


def test_labels_of_a_group_are_shuffled_together():
    """Of noise, p-values are small as often as they say; without groups much more."""
    small = {True: 0, False: 0}
    for seed in range(30):
        X, y, patients = visits(seed)
        for grouped in small:
            groups = patients if grouped else None
            how = {"groups": groups, "n_permutations": 19, "random_state": seed}
            found = permutation_p_values(Sieve(1), X, y, **how)
            small[grouped] += found.p_family.min() <= 0.1
    assert small[True] <= 8  # 3 are expected, and so many or fewer nearly surely
    assert small[False] >= 20


def test_groups_of_one_row_are_no_groups(random):
    X, y, _ = visits(0)
    how = {"n_permutations": 9, "random_state": 0}
    plain = permutation_p_values(Sieve(2), X, y, **how)
    alone = permutation_p_values(Sieve(2), X, y, groups=np.arange(len(X)), **how)
    np.testing.assert_array_equal(alone.p, plain.p)
    with pytest.raises(ValueError, match="groups must have one entry for each"):
        permutation_p_values(Sieve(2), X, y, groups=[1, 2], **how)
