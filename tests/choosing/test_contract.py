"""SizeCV, RecursiveElimination and StabilitySelection keep scikit-learn's contract."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve import FIMF, Sieve
from labelsieve.choosing import (
    RecursiveElimination,
    SizeCV,
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.classifiers import MLNB
from labelsieve.datasets import make_multilabel

META = [
    SizeCV(FIMF(), MLNB(), cv=2, random_state=0),
    StabilitySelection(FIMF(), n_subsamples=4, random_state=0),
    RecursiveElimination(LogisticRegression(), step=0.5, cv=2),
]


def fails(estimator):
    """Rows are drawn, repeated ones apart; laws of weights are in test_weights.py."""
    if isinstance(estimator, RecursiveElimination):
        return {}
    check = "check_sample_weight_equivalence_on_{}_data".format
    return dict.fromkeys(map(check, ("dense", "sparse")), "rows are drawn at random")


@parametrize_with_checks(META, expected_failed_checks=fails)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("meta", META, ids=lambda m: type(m).__name__)
def test_containers_names_and_pickles(meta, random):
    X, Y = random.integers(0, 2, (60, 8)), random.integers(0, 2, (60, 3))
    expected = meta.fit(X, Y).order_
    np.testing.assert_array_equal(meta.fit(sp.csr_matrix(X), Y).order_, expected)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    fitted = meta.fit(frame, sp.csr_matrix(Y))
    np.testing.assert_array_equal(fitted.order_, expected)
    names = [f"x{j}" for j in np.flatnonzero(fitted.support_)]
    assert fitted.get_feature_names_out().tolist() == names
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.support_, fitted.support_)


@pytest.mark.parametrize("meta", META, ids=lambda m: type(m).__name__)
def test_threads_change_nothing_and_progress_is_shown(meta, random, capsys):
    X, Y = random.normal(size=(60, 8)), random.integers(0, 2, (60, 3))
    one = meta.set_params(n_jobs=1, verbose=True).fit(X, Y).order_
    assert type(meta).__name__ in capsys.readouterr().err
    other = meta.set_params(n_jobs=2, verbose=False).fit(X, Y).order_
    np.testing.assert_array_equal(one, other)
    meta.set_params(n_jobs=None)


@pytest.mark.parametrize("meta", META, ids=lambda m: type(m).__name__)
def test_labels_are_required(meta):
    with pytest.raises(ValueError, match="requires y"):
        meta.fit(np.ones((4, 2)), None)


@pytest.fixture(scope="module")
def planted():
    X, Y, _ = make_multilabel(200, 3, n_relevant=4, n_noise=8, random_state=1)
    return X, Y


@pytest.mark.parametrize(
    "judge",
    [
        lambda selector, X, Y: SizeCV(selector, MLNB(), cv=2).fit(X, Y),
        lambda selector, X, Y: StabilitySelection(selector, n_subsamples=4).fit(X, Y),
        lambda selector, X, Y: permutation_p_values(selector, X, Y, n_permutations=3),
        lambda selector, X, Y: evaluate_selection(selector, X, Y, n_splits=2),
    ],
    ids=["size", "stability", "p-values", "quality"],
)
def test_a_selector_that_finds_the_number_itself_can_be_judged(judge, planted):
    assert judge(Sieve("auto"), *planted) is not None


@pytest.mark.parametrize("sparse", [False, True])
def test_quality_of_the_number_that_is_found(planted, sparse):
    X, Y = planted
    X = sp.csr_matrix(X) if sparse else X
    found = int(Sieve("auto").fit(X, Y).support_.sum())
    auto = evaluate_selection(Sieve("auto"), X, Y, n_splits=2)
    same = evaluate_selection(Sieve(found), X, Y, n_splits=2)
    assert found in auto.sizes
    np.testing.assert_array_equal(auto.sizes, same.sizes)
    for place, values in same.values.items():
        for measure, found in values.items():
            np.testing.assert_array_equal(auto.values[place][measure], found)


# Each with some data, so that nothing but the selector can be wrong.
CALLS = {
    "SizeCV": lambda selector, X, Y: SizeCV(selector, cv=2).fit(X, Y),
    "StabilitySelection": lambda selector, X, Y: StabilitySelection(selector).fit(X, Y),
    "permutation_p_values": permutation_p_values,
    "evaluate_selection": evaluate_selection,
}


@pytest.mark.parametrize("caller", CALLS)
@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        ("pmu", r"the text 'pmu'; make_selector\('pmu'\) makes one"),
        (FIMF, r"the class FIMF; FIMF\(\) makes one"),
        (MLNB(), "an object of the type MLNB"),
        (SelectKBest(), "an object of the type SelectKBest"),
        (7, "an object of the type int"),
    ],
)
def test_what_is_no_selector_is_named(caller, wrong, got, random):
    X, Y = random.random((20, 4)), random.integers(0, 2, (20, 2))
    expected = f"{caller} needs a selector of labelsieve, such as .*; got {got}"
    with pytest.raises(TypeError, match=expected):
        CALLS[caller](wrong, X, Y)


def test_a_size_may_be_chosen_in_every_part(random):
    X, Y = random.random((40, 4)), random.integers(0, 2, (40, 2))
    search = SizeCV(FIMF(), MLNB(), cv=2, sizes=[1, 2], random_state=0)
    sure = StabilitySelection(search, n_subsamples=3, random_state=0).fit(X, Y)
    assert sure.frequencies_.size == 4
    found = permutation_p_values(search, X, Y, n_permutations=2, random_state=0)
    assert found.p.size == 4
