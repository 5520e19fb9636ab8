"""Groups of features are selected as a whole, and features have costs."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from labelsieve import (
    FIMF,
    RFS,
    FStatistic,
    LabelSpecificSelector,
    Sieve,
    SizeCV,
    TreeImportance,
    sentences,
    write_report,
)
from labelsieve.choosing import (
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.classifiers import EMCFS
from labelsieve.selectors import LabelSelector, _feature_groups
from labelsieve.selectors._capabilities import holds
from tests.naive.weights import joined
from tests.selectors.registered import each

pytestmark = pytest.mark.filterwarnings("ignore:.*(is significant|label sets)")


@pytest.fixture
def survey(random):
    """A table with categories, the same one-hot encoded, and labels."""
    n = 240
    education = random.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    colour, city = random.choice(list("rgb"), n), random.choice(list("uvwxyz"), n)
    age, noise = random.normal(size=(2, n)).round(2)
    labels = [
        (education == "a") ^ (random.random(n) < 0.2),
        age + random.normal(size=n) > 0,
        (colour == "r") ^ (random.random(n) < 0.1),
    ]
    columns = {"education": education, "age": age, "colour": colour}
    table = pd.DataFrame({**columns, "noise": noise, "city": city})
    hot = pd.get_dummies(table, prefix_sep="=", dtype=int)
    order = sorted(hot, key=lambda c: list(table).index(c.partition("=")[0]))
    return table, hot[order], np.column_stack(labels).astype(int)


@each
def test_one_hot_columns_are_the_category(selector, survey):
    table, hot, Y = survey
    if not holds(selector, selector._capabilities.takes_groups):
        if "feature_groups" in selector.get_params():
            grouped = clone(selector).set_params(feature_groups="prefix=")
            with pytest.raises(TypeError, match="takes no feature_groups"):
                grouped.fit(hot, Y)
        return
    selector = clone(selector).set_params(n_features_to_select=3)
    if "n_candidates" in selector.get_params():
        selector.set_params(n_candidates=None)
    expected = clone(selector).fit(table, Y)
    by_name = clone(selector).set_params(feature_groups="prefix=").fit(hot, Y)
    np.testing.assert_array_equal(by_name.group_order_, expected.order_)
    np.testing.assert_allclose(by_name.group_scores_, expected.scores_, rtol=1e-9)
    assert by_name.group_names_.tolist() == list(table)
    of_columns = by_name.column_groups_
    np.testing.assert_array_equal(by_name.support_, expected.support_[of_columns])
    np.testing.assert_array_equal(np.sort(by_name.order_), np.arange(hot.shape[1]))
    for X in (hot.to_numpy(), sp.csr_matrix(hot.to_numpy(float))):
        by_label = clone(selector).set_params(feature_groups=of_columns.tolist())
        by_label.fit(X, Y)
        np.testing.assert_array_equal(by_label.group_order_, expected.order_)
        np.testing.assert_allclose(by_label.scores_, by_name.scores_, rtol=1e-9)
    found, wanted = by_name.explain(hot, Y), expected.explain(table, Y)
    assert found.feature_names == wanted.feature_names
    np.testing.assert_allclose(found.information, wanted.information, atol=1e-12)
    assert by_name.transform(hot).shape == (len(hot), by_name.support_.sum())


@pytest.mark.parametrize("selector", [FIMF(2), Sieve(2, binning="quantile")], ids=str)
def test_the_level_of_a_group_is_the_combination_of_levels(selector, random):
    X = random.integers(0, 2, (200, 6))
    Y = np.column_stack([X[:, 0] ^ X[:, 1], X[:, 2], random.integers(0, 2, 200)])
    groups = {"both": [0, 1], "rest": [3, 5]}
    found = clone(selector).set_params(feature_groups=groups).fit(X, Y)
    together = [joined(X[:, [0, 1]]), X[:, 2], joined(X[:, [3, 5]]), X[:, 4]]
    frame = pd.DataFrame(np.column_stack(together).astype(str)).astype("category")
    expected = clone(selector).fit(frame, Y)
    np.testing.assert_array_equal(found.group_order_, expected.order_)
    np.testing.assert_allclose(found.group_scores_, expected.scores_, rtol=1e-9)
    assert found.group_names_.tolist() == ["both", "x2", "rest", "x4"]


def test_counts_in_a_group_are_taken_together(random):
    """A label that two counts, most of them 0, tell only together."""
    X = random.poisson(0.3, (300, 6)).clip(0, 2)
    Y = np.column_stack([(X[:, 0] > 0) ^ (X[:, 1] > 0), X[:, 2] > 0]).astype(int)
    alone = Sieve(2).fit(X, Y)
    together = Sieve(2, feature_groups={"both": [0, 1], "rest": [3, 5]}).fit(X, Y)
    assert together.group_names_[together.group_order_[:2]].tolist() == ["both", "x2"]
    assert together.group_scores_[0] > 0.1 > alone.scores_[:2].max()


def test_groups_of_a_sparse_table_take_what_it_holds(random, monkeypatch):
    """Weights, numbers as targets, more combinations than levels: all as if dense."""
    table = sp.random(900, 40, 0.15, format="csr", random_state=0)
    table.data = random.integers(1, 9, table.nnz).astype(float)
    dense = table.toarray()
    Y = dense[:, :2] + 0.5 * random.normal(size=(900, 2))
    weight = random.integers(0, 4, 900)
    selector = Sieve(4, feature_groups=(np.arange(40) // 5).tolist(), n_bins=9)
    coded, n_lines = _feature_groups.code_dense, []

    def counting(cells, cuts):
        n_lines.append(len(cells))
        return coded(cells, cuts)

    for binning in ("rank", "none"):
        selector.set_params(binning=binning)
        expected = clone(selector).fit(np.repeat(dense, weight, 0), Y.repeat(weight, 0))
        for X in (dense, table):
            found = clone(selector).fit(X, Y, sample_weight=weight)
            np.testing.assert_array_equal(found.group_order_, expected.group_order_)
            scores = found.group_scores_, expected.group_scores_
            np.testing.assert_allclose(*scores, rtol=1e-9, atol=1e-9)
    monkeypatch.setattr(_feature_groups, "code_dense", counting)
    clone(selector).fit(table, Y)
    assert sum(n_lines) <= table.nnz + 8


@pytest.mark.parametrize(
    "selector", [Sieve(1), FIMF(1), FStatistic(1), RFS(1), TreeImportance(1)], ids=str
)
def test_groups_of_numbers(selector, random):
    X = random.normal(size=(200, 8))
    Y = (X[:, [0, 3]] + X[:, [4, 4]] + random.normal(size=(200, 2)) > 0).astype(int)
    X[random.random(200) < 0.5, 7] = 0.0
    groups = {"planted": [0, 3, 4], "noise": [1, 2]}
    found = clone(selector).set_params(feature_groups=groups).fit(X, Y)
    assert np.flatnonzero(found.support_).tolist() == [0, 3, 4]
    assert found.order_[:3].tolist() == [0, 3, 4]
    sparse = clone(found).fit(sp.csr_matrix(X), Y)
    np.testing.assert_array_equal(sparse.order_, found.order_)
    np.testing.assert_allclose(sparse.scores_, found.scores_, rtol=1e-9)
    assert found.explain(X, Y).feature_names == ["planted"]
    weight = np.arange(200) % 3
    repeated = clone(found).fit(np.repeat(X, weight, 0), np.repeat(Y, weight, 0))
    weighted = clone(found).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-6)


def test_noise_in_groups_is_rarely_significant(random):
    n_false = 0
    for _ in range(40):
        X, Y = random.normal(size=(100, 12)), random.integers(0, 2, (100, 3))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            Sieve("auto", feature_groups=np.arange(12) // 4).fit(X, Y)
        n_false += not said
    assert n_false <= 6  # 2 are expected


def test_groups_are_forced_cut_and_kept(survey):
    _, hot, Y = survey
    selector = Sieve(2, feature_groups="prefix=", include=["city"], exclude=["age"])
    found = selector.fit(hot, Y)
    assert found.group_names_[found.group_order_[0]] == "city"
    assert found.support_[found.column_groups_ == 4].all()
    assert found.group_names_[found.group_order_[-1]] == "age"
    one = found.at(1)
    assert one.support_.sum() == 6
    again = LabelSelector.from_json(found.to_json())
    np.testing.assert_array_equal(again.support_, found.support_)
    np.testing.assert_array_equal(again.at(1).support_, one.support_)
    assert again.feature_names_in_.tolist() == list(hot)
    with pytest.raises(ValueError, match="no feature 'citi'; did you mean 'city'"):
        clone(found).set_params(include=["citi"]).fit(hot, Y)


def test_a_column_called_like_a_group_stays_alone(random):
    X = pd.DataFrame(random.integers(0, 2, (50, 4)), columns=["a", "a=1", "a=2", "b=1"])
    X["a=3"] = random.normal(size=50)  # no column of a one-hot encoding
    found = FIMF(1, feature_groups="prefix=").fit(X, X["a"])
    assert found.group_names_.tolist() == ["a", "a=", "b", "a=3"]
    assert found.column_groups_.tolist() == [0, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        (["a", "b"], "2 entries for 15 columns"),
        ({"a": ["age"], "b": ["age"]}, "names 'age' twice"),
        ({"a": ["aged"]}, "no feature 'aged'; did you mean 'age'"),
        ("=", "expected 'prefix' and what stands behind it"),
    ],
)
def test_bad_groups_are_refused(groups, told, survey):
    _, hot, Y = survey
    with pytest.raises(ValueError, match=told):
        FIMF(2, feature_groups=groups).fit(hot, Y)


def test_who_counts_single_features_refuses_groups(survey):
    _, hot, Y = survey
    for other in (EMCFS, LabelSpecificSelector):
        with pytest.raises(ValueError, match="counts single features"):
            other(selector=Sieve(2, feature_groups="prefix=")).fit(hot, Y)


@pytest.mark.parametrize("parameter", ["include", "feature_costs"])
def test_a_column_of_a_group_is_not_the_group(parameter, survey):
    _, hot, Y = survey
    selector = Sieve(2, feature_groups="prefix=").set_params(
        **{parameter: {"city=u": 2}}
    )
    told = f"{parameter} holds 'city=u', a column of the group 'city': name the group"
    with pytest.raises(ValueError, match=told):
        selector.fit(hot, Y)


def test_groups_are_evaluated_as_the_category_is(survey):
    """Models see a column for each category anyway."""
    table, hot, Y = survey
    alone, grouped = Sieve(2), Sieve(2, feature_groups="prefix=")
    options = {"n_splits": 2, "budget": np.inf}
    expected = evaluate_selection(alone, table, Y, **options)
    found = evaluate_selection(grouped, hot, Y, **options)
    assert (found.n_chosen, found.n_features, found.n_columns) == (2, 5, 15)
    assert found.sizes.tolist() == expected.sizes.tolist()
    assert found.values.keys() == expected.values.keys()
    for key, values in expected.values.items():
        for measure, value in values.items():
            np.testing.assert_allclose(found.values[key][measure], value, atol=1e-6)
    said = "The 5 features are groups of 15 columns"
    assert said in sentences.how_evaluated(found)
    assert said not in sentences.how_evaluated(expected)

    search = {"cv": 2, "random_state": 0}
    one = SizeCV(alone, **search).fit(table, Y)
    other = SizeCV(grouped, **search).fit(hot, Y)
    assert one.sizes_.tolist() == other.sizes_.tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(other.values_, one.values_)
    found = evaluate_selection(other, hot, Y, **options)
    assert (found.n_chosen, found.n_features) == (one.n_features_, 5)


def test_groups_are_as_sure_as_the_category_is(survey):
    table, hot, Y = survey
    alone, grouped = Sieve(2), Sieve(2, feature_groups="prefix=")
    column = hot.columns.str.partition("=").get_level_values(0)
    group = table.columns.get_indexer(column)
    how = {"n_subsamples": 6, "random_state": 0}
    one = StabilitySelection(alone, **how).fit(table, Y)
    other = StabilitySelection(grouped, **how).fit(hot, Y)
    assert other.stability_ == one.stability_
    np.testing.assert_array_equal(other.frequencies_, one.frequencies_[group])
    np.testing.assert_array_equal(other.support_, one.support_[group])
    assert list(dict.fromkeys(group[other.order_].tolist())) == one.order_.tolist()
    how = {"n_permutations": 5, "random_state": 0}
    one = permutation_p_values(alone, table, Y, **how)
    other = permutation_p_values(grouped, hot, Y, **how)
    np.testing.assert_array_equal(other.p_family, one.p_family[group])


def test_the_report_speaks_of_groups(survey, tmp_path):
    _, hot, Y = survey
    selector = Sieve(2, feature_groups="prefix=")
    page = write_report(selector, hot, Y, tmp_path / "page.html", budget=1)
    text = page.read_text("utf-8")
    assert "2 of 5 features" in text
    assert "are groups of 15 columns" in text
    assert "education" in text
    assert "education=a" not in text


def test_groups_with_levels_that_are_as_frequent_are_the_same_if_sparse(random):
    for _ in range(20):
        X, Y = random.integers(0, 2, (16, 5)), random.integers(0, 2, (16, 2))
        sieve = Sieve(1, feature_groups=["a", "a", "b", "b", "c"])
        expected = sieve.fit(X, Y).group_scores_
        found = sieve.fit(sp.csr_matrix(X), Y).group_scores_
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_gain_by_cost(random):
    X = random.integers(0, 2, (300, 5)).astype(float)
    Y = np.column_stack([X[:, 0], X[:, 1]]).astype(int)
    Y[random.random(Y.shape) < 0.1] ^= 1
    costs = [10.0, 1.0, 1.0, 1.0, 1.0]
    for table in (X, sp.csr_matrix(X)):
        plain = Sieve(2).fit(table, Y)
        same = Sieve(2, feature_costs=np.full(5, 2.0)).fit(table, Y)
        np.testing.assert_array_equal(same.order_, plain.order_)
        kept = plain.scores_ > 0
        np.testing.assert_allclose(same.scores_[kept], plain.scores_[kept] / 2.0)
        dear = Sieve(2, feature_costs=costs).fit(table, Y)
        assert dear.order_[0] == 1
        explained = dear.explain(table, Y)
        np.testing.assert_allclose(explained.scores, dear.scores_[dear.order_[:2]])
        paid = Sieve(feature_costs={0: 10.0}, max_cost=3.0).fit(table, Y)
        assert paid.support_.sum() == 3
        assert not paid.support_[0]
        auto = Sieve("auto", feature_costs=costs, max_cost=11).fit(table, Y)
        assert np.flatnonzero(auto.support_).tolist() == [0, 1]
    with pytest.raises(ValueError, match="the cheapest one costs 1"):
        Sieve(feature_costs=costs, max_cost=0.5).fit(X, Y)
    with pytest.raises(ValueError, match="max_cost needs feature_costs"):
        Sieve(max_cost=2).fit(X, Y)
    with pytest.raises(ValueError, match="expected a number above zero for each of 5"):
        Sieve(feature_costs=[1, 2]).fit(X, Y)
    with pytest.raises(ValueError, match="include cost 10, more than max_cost=3"):
        Sieve(feature_costs=costs, max_cost=3, include=[0]).fit(X, Y)
    for wrong in (["dear"] * 5, {0: "dear"}, {0: None}, np.ones((5, 1)), {0: np.inf}):
        with pytest.raises(ValueError, match="expected a number above zero"):
            Sieve(feature_costs=wrong).fit(X, Y)


@pytest.mark.parametrize("max_cost", [2.0, 3.5, 4.0, 6.0])
def test_nothing_is_picked_again_where_all_others_are_too_dear(random, max_cost):
    X = random.integers(0, 2, (200, 4)).astype(float)
    Y = np.column_stack([X[:, 0], X[:, 1] * X[:, 2]])
    costs = np.array([1.0, 3.0, 3.0, 3.0])
    for table in (X, sp.csr_matrix(X)):
        for size in (4, "auto"):
            found = Sieve(size, feature_costs=costs, max_cost=max_cost).fit(table, Y)
            assert sorted(found.order_) == [0, 1, 2, 3]
            assert 0 < costs[found.support_].sum() <= max_cost
            assert (np.diff(found.scores_[found.order_]) <= 0).all()


def test_a_series_of_costs_goes_by_its_names(random):
    X = pd.DataFrame(random.normal(size=(80, 4)), columns=list("abcd"))
    Y = (X[["a", "b"]] + random.normal(size=(80, 2)) > 0).astype(int)
    costs = pd.Series([9.0, 1.0, 1.0, 2.0], index=list("abcd"))
    expected = Sieve(2, feature_costs=costs.to_numpy()).fit(X, Y)
    for given in (costs, costs[::-1], costs.reset_index(drop=True)):
        found = Sieve(2, feature_costs=given).fit(X, Y)
        np.testing.assert_array_equal(found.scores_, expected.scores_)


def test_a_separator_that_is_in_no_name_is_noticed():
    X = pd.DataFrame({"a=1": [0, 1, 0, 1], "a=2": [1, 0, 1, 0], "b": [1, 2, 3, 4]})
    with pytest.warns(UserWarning, match="'prefix_' groups nothing"):
        found = FIMF(1, feature_groups="prefix_").fit(X, X["a=1"])
    assert found.group_names_.tolist() == ["a=1", "a=2", "b"]
