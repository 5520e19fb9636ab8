"""What must be in and what must be out, in every registered selector."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

from labelsieve import D2F, FIMF, LRFS, MDMR, PMU, SCLS, Sieve
from labelsieve.choosing import (
    SizeCV,
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.selectors import LabelSelector, SelectByModel
from labelsieve.selectors._capabilities import holds
from tests.distributed.data import in_blocks
from tests.naive import further as naive
from tests.naive.information import label_pairs
from tests.selectors.data import data, random_data
from tests.selectors.registered import chooses_how_many, each, takes_blocks

pytestmark = [
    pytest.mark.filterwarnings('ignore:mode="threshold" selects every feature'),
    pytest.mark.filterwarnings("ignore:no feature is significant"),
]

IN, OUT = [7, 3], [10, 1]


def is_greedy(selector):
    return holds(selector, selector._capabilities.picks_greedily)


def eliminates(selector):
    """Whether models of ever fewer features are fitted: without those forced out."""
    return isinstance(selector, SelectByModel) and selector.step is not None


def decided(selector, X, Y, **parameters):
    return clone(selector).set_params(**parameters).fit(X, Y)


@each
def test_included_come_first_and_excluded_last(selector):
    X, Y = data()
    plain = clone(selector).fit(X, Y)
    result = decided(selector, X, Y, include=IN, exclude=OUT)
    assert result.order_[:2].tolist() == IN
    assert set(result.order_[-2:]) == set(OUT)
    assert result.support_[IN].all()
    assert not result.support_[OUT].any()
    assert result.support_.sum() == 5 or chooses_how_many(selector)
    if not (is_greedy(selector) or eliminates(selector)):  # others keep their order
        rest = [f for f in plain.order_ if f not in IN + OUT]
        assert result.order_[2:-2].tolist() == rest
    found = result.explain(X, Y)
    assert found.included.tolist() == [True, True] + [False] * (len(found.scores) - 2)
    assert str(found).startswith("1. x7 (included), score")
    kept = result.support_.sum()
    assert result.at(2).get_support(indices=True).tolist() == sorted(IN)
    for size in (1, 11):
        with pytest.raises(ValueError, match=r"can be cut at 2 to (10|\d) features"):
            result.at(size)
    assert result.support_.sum() == kept


@each
def test_what_was_chosen_anyway_changes_nothing(selector):
    if eliminates(selector):
        pytest.skip("what is forced out is in none of its models")
    X, Y = data()
    plain = clone(selector).fit(X, Y)
    first, last = plain.order_[:3].tolist(), plain.order_[-2:].tolist()
    if chooses_how_many(selector):
        first = first[: plain.support_.sum()]
    result = decided(selector, X, Y, include=first, exclude=last)
    np.testing.assert_array_equal(result.order_, plain.order_)
    np.testing.assert_array_equal(result.scores_, plain.scores_)
    np.testing.assert_array_equal(result.support_, plain.support_)


@each
def test_names_json_and_blocks_say_the_same(selector):
    X, Y = data()
    frame = pd.DataFrame(X).add_prefix("f")
    expected = decided(selector, X, Y, include=IN, exclude=OUT)
    by_name = {"include": ["f7", "f3"], "exclude": frame.columns[[10, 1]]}
    found = [decided(selector, frame, Y, **by_name)]
    found.append(LabelSelector.from_json(found[0].to_json()))
    if takes_blocks(selector):
        blocks = (in_blocks(t, (30, 30, 30), False) for t in data())
        found.append(decided(selector, *blocks, include=np.array(IN), exclude={10, 1}))
    for result in found:
        np.testing.assert_array_equal(result.order_, expected.order_)
        np.testing.assert_array_equal(result.support_, expected.support_)
    assert list(found[1].include) == ["f7", "f3"]
    assert found[1].at(2).support_[IN].all()


def pmu(X, Y, f, chosen):
    return naive.d2f(X, Y, f, chosen) - label_pairs(X[:, [f]], Y)[0]


METHODS = [
    (D2F, naive.d2f),
    (MDMR, naive.mdmr),
    (SCLS, naive.scls),
    (LRFS, naive.lrfs),
    (PMU, pmu),
]


@pytest.mark.parametrize(("method", "criterion"), METHODS)
def test_the_search_starts_from_what_is_included(method, criterion, random):
    X, Y = random.integers(0, 3, (40, 7)), random.integers(0, 2, (40, 3))
    X[:, 6] = 1  # never varies, and is included all the same
    picks, values = naive.greedy(criterion, X[:, :6], Y, 4, include=[4, 2], exclude=[0])
    selector = method(5, include=[4, 6, 2], exclude=[0], binning="none")
    result = selector.fit(X, Y)
    assert result.order_[:5].tolist() == [4, 6, *picks[1:]]
    np.testing.assert_allclose(result.scores_[picks], values, atol=1e-12)
    assert result._n_exact == 5
    terms = result.explain(X, Y).terms
    np.testing.assert_allclose(sum(terms.values())[[0, 2, 3, 4]], values, atol=1e-12)


@pytest.mark.parametrize("method", [Sieve, MDMR])
def test_what_repeats_an_included_feature_is_not_chosen(method, random):
    X, Y = random_data(random, 200, 6)
    X[:, 2] = Y[:, 0]
    X[:, 5] = Y[:, 0]
    X[:, 1] = Y[:, 1]
    assert method(1).fit(X, Y).order_[0] in (1, 2)
    assert method(2, include=[5]).fit(X, Y).get_support(indices=True).tolist() == [1, 5]


def test_auto_stops_after_what_must_be_in(random):
    X, Y = random_data(random, 200, 6)
    result = Sieve("auto", include=[4]).fit(X, Y)
    assert result.get_support(indices=True).tolist() == [4]
    X[:, 1] = Y[:, 0]
    assert not Sieve("auto", exclude=[1], include=[4]).fit(X, Y).support_[1]


WRONG = [
    ({"include": ["f99"]}, ValueError, r"no feature 'f99'; did you mean 'f9'\?"),
    ({"exclude": [12]}, ValueError, "index 12; expected 0 to 11"),
    ({"include": [-1]}, ValueError, "expected 0 to 11"),
    ({"include": [True]}, TypeError, "expected names of features, or indices"),
    ({"include": [1, "f1"]}, ValueError, "names 'f1' twice"),
    ({"include": [1], "exclude": ["f1"]}, ValueError, "both name 'f1'"),
    ({"exclude": range(12)}, ValueError, "none is left"),
    ({"include": "f1"}, InvalidParameterError, "array-like"),
]


@pytest.mark.parametrize(("parameters", "error", "told"), WRONG)
def test_what_cannot_be_decided_is_refused(parameters, error, told):
    frame = pd.DataFrame(data()[0]).add_prefix("f")
    with pytest.raises(error, match=told):
        FIMF(4, **parameters).fit(frame, data()[1])


def test_names_need_a_table():
    with pytest.raises(ValueError, match="X has no names of features"):
        FIMF(include=["a"]).fit(*data())


def test_sizes_that_cannot_be_kept_are_told():
    with pytest.warns(UserWarning, match="less than the 2 features that must be in"):
        assert FIMF(1, include=IN).fit(*data()).support_.sum() == 2
    with pytest.warns(UserWarning, match="more than the 10 features that exclude"):
        assert FIMF(11, exclude=OUT).fit(*data()).support_.sum() == 10
    assert FIMF(include=IN).fit(*data()).support_.sum() == 2  # a share of them


def test_choosing_and_judging_keep_to_it():
    frame, Y = pd.DataFrame(data()[0]).add_prefix("f"), data()[1]
    selector = FIMF(4, include=["f7", "f3"], exclude=["f10", "f1"])
    search = SizeCV(selector, random_state=0).fit(frame, Y)
    assert search.sizes_[[0, -1]].tolist() == [2, 10]
    assert search.support_[IN].all()
    sure = StabilitySelection(selector, n_subsamples=5, random_state=0).fit(frame, Y)
    assert sure.frequencies_[IN].tolist() == [1, 1]
    assert sure.frequencies_[OUT].tolist() == [0, 0]
    found = permutation_p_values(selector, frame, Y, n_permutations=5, random_state=0)
    assert found.selected[:2].tolist() == IN
    sizes = evaluate_selection(selector, frame, Y, n_splits=1).sizes
    assert sizes[[0, -1]].tolist() == [2, 8]


def test_json_refuses_other_lists():
    text = FIMF(4, include=IN).fit(*data()).to_json()
    content = json.loads(text)
    for bad in ([[1]], "f7", [1.5]):
        content["parameters"]["include"] = {"list": bad}
        with pytest.raises(
            ValueError, match=r"names (or numbers|of features, or indices)"
        ):
            LabelSelector.from_json(json.dumps(content))
