"""Weights of samples: what counts so often is there so often."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from labelsieve import (
    FIMF,
    PMU,
    FStatistic,
    LabelSpecificSelector,
    Sieve,
    SizeCV,
    write_report,
)
from labelsieve.choosing import (
    StabilitySelection,
    evaluate_selection,
    permutation_p_values,
)
from labelsieve.classifiers import MLNB
from labelsieve.reading import scaled_weights
from labelsieve.selectors._capabilities import holds
from tests.distributed.data import in_blocks
from tests.naive.weights import effective_sample_size, repeated
from tests.selectors.registered import CASES, each

pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:.*(no feature is significant|repeat|label sets)"
    ),
    pytest.mark.filterwarnings('ignore:mode="threshold" selects every feature'),
]

KINDS = ("plain", "missing", "unknown", "numbers")


def make_data(rng, kind, n_samples=60):
    """Numbers, few values, words, and labels of any kind, with weights from 0 to 3."""
    X = rng.normal(size=(n_samples, 9)).round(1)
    X[:, 0], X[:, 1] = rng.integers(0, 3, n_samples), rng.integers(0, 2, n_samples)
    X[:, 2] *= rng.random(n_samples) < 0.3
    X[:, 8] = rng.integers(0, 6, n_samples)
    Y = (X[:, :4] + rng.normal(size=(n_samples, 4)) > 0.3).astype(float)
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    if kind == "numbers":
        Y[:, 0], Y[:, 1] = X[:, 3] + rng.normal(size=n_samples), X[:, 8] // 2
    if kind in ("unknown", "numbers"):
        Y[rng.random(Y.shape) < 0.2] = np.nan
    return X, Y, rng.integers(0, 4, n_samples)


def assert_same(found, expected, tolerance=1e-9):
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_array_equal(found.support_, expected.support_)
    scores = found.scores_, expected.scores_
    np.testing.assert_allclose(*scores, rtol=tolerance, atol=tolerance)


SIEVES = [
    Sieve(4),
    Sieve("auto"),
    Sieve("auto", error_rate="fdr"),
    Sieve(4, label_weight="balanced", target_scores="value"),
    Sieve(4, binning="quantile", n_bins=3),
    PMU(4, n_bins=3, correction="chi2", n_target_bins=3),
    FIMF(4, binning="uniform", n_bins=3, correction="miller-madow", n_target_bins=3),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("selector", SIEVES, ids=str)
def test_whole_weights_are_repeated_rows(selector, kind, random):
    X, Y, weight = make_data(random, kind)
    expected = clone(selector).fit(*repeated(weight, X, Y))
    for table in (X, sp.csr_matrix(X), pd.DataFrame(X).add_prefix("f")):
        found = clone(selector).fit(table, Y, sample_weight=weight)
        assert_same(found, expected)
    explained = found.explain(table, Y, sample_weight=weight)
    again = expected.explain(*repeated(weight, X, Y))
    np.testing.assert_allclose(explained.information, again.information)
    np.testing.assert_allclose(explained.redundancy, again.redundancy, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("selector", SIEVES, ids=str)
def test_only_the_ratio_of_other_weights_matters(selector, kind, random):
    X, Y, _ = make_data(random, kind)
    weight = random.lognormal(size=len(X))
    expected = clone(selector).fit(X, Y, sample_weight=weight)
    for times in (0.01, 12.3):
        assert_same(clone(selector).fit(X, Y, sample_weight=times * weight), expected)
    found = clone(selector).fit(sp.csr_matrix(X), Y, sample_weight=weight)
    assert_same(found, expected)
    equal = clone(selector).fit(X, Y, sample_weight=np.full(len(X), 0.3))
    assert_same(equal, clone(selector).fit(X, Y))


@each
def test_weights_are_repeated_rows_or_refused(selector, random):
    if selector.get_params().get("kind") == "forest":
        pytest.skip("draws samples")
    X, Y, weight = make_data(random, "plain")
    if not holds(selector, selector._capabilities.takes_weights):
        told = "takes no sample_weight. Leave it out, or use "
        with pytest.raises(TypeError, match=told):
            clone(selector).fit(X, Y, sample_weight=weight)
        clone(selector).fit(X, Y, sample_weight=None)
        return
    expected = clone(selector).fit(*repeated(weight, X, Y))
    tolerance = 1e-6 if "strength" in selector.get_params() else 1e-9
    assert_same(clone(selector).fit(X, Y, sample_weight=weight), expected, tolerance)
    zero = weight > 0
    found = clone(selector).fit(X, Y, sample_weight=zero)
    assert_same(found, clone(selector).fit(X[zero], Y[zero]), tolerance)
    found = clone(selector).fit(X, Y, sample_weight=0.1 * weight + 0.05)
    other = clone(selector).fit(X, Y, sample_weight=0.2 * weight + 0.1)
    assert_same(found, other, tolerance)


def test_weights_with_groups_are_repeated_rows(random):
    X, Y, weight = make_data(random, "unknown", 120)
    groups = np.arange(120) // 4
    expected = Sieve("auto").fit(*repeated(weight, X, Y, groups))
    found = Sieve("auto").fit(X, Y, groups=groups, sample_weight=weight)
    assert_same(found, expected)


def test_the_sum_of_weights_is_the_effective_sample_size(random):
    weight = random.lognormal(size=50)
    expected = effective_sample_size(weight)
    np.testing.assert_allclose(scaled_weights(weight).sum(), expected)
    np.testing.assert_array_equal(scaled_weights(np.array([0.0, 3.0])), [0, 3])
    assert scaled_weights(np.full(5, 0.7)) is None


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        ([1.0, 2.0], "sample_weight.shape == \\(2,\\)"),
        (-np.ones(60), "Negative"),
        (np.zeros(60), "zero"),
        (np.full(60, np.nan), "NaN"),
        (["often"] * 60, "does not hold numbers .*'often'.*; expected one for each"),
    ],
)
def test_bad_weights_are_refused(weight, told, random):
    X, Y, _ = make_data(random, "plain")
    with pytest.raises(ValueError, match=told):
        FIMF(2).fit(X, Y, sample_weight=weight)


def test_dask_and_unknown_arguments_are_refused(random):
    X, Y, weight = make_data(random, "plain")
    X, Y = in_blocks(X, (30, 30), False), in_blocks(Y, (30, 30), False)
    with pytest.raises(TypeError, match="not for Dask collections: draw"):
        FIMF(2).fit(X, Y, sample_weight=weight)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        CASES["gmba"].fit(X, Y, weight=weight)


CHOOSERS = {
    "size": lambda selector: SizeCV(selector, MLNB(), sizes=[2, 4], cv=2),
    "stability": lambda selector: StabilitySelection(selector, n_subsamples=4),
}


@pytest.mark.parametrize("selector", [Sieve(3), FStatistic(3), FIMF(3)], ids=str)
def test_parts_of_the_rows_are_drawn_with_their_weights(selector, random):
    """Rows that are repeated are a group, which is drawn, or gets labels, as one."""
    X, Y, weight = make_data(random, "plain")
    (row,) = repeated(weight, np.arange(60))
    how = {"n_permutations": 5, "random_state": 0}
    found = permutation_p_values(selector, X, Y, sample_weight=weight, **how)
    again = permutation_p_values(selector, X[row], Y[row], groups=row, **how)
    np.testing.assert_array_equal(found.p_family, again.p_family)
    np.testing.assert_array_equal(found.selected, again.selected)
    if isinstance(selector, FIMF):  # whose levels would be those of all rows
        X, selector = X > 0, clone(selector).set_params(binning="none")
    draw = StabilitySelection(selector, n_subsamples=6, random_state=0)
    found = clone(draw).fit(X, Y, sample_weight=weight)
    again = clone(draw).fit(X[row], Y[row], groups=row)
    np.testing.assert_array_equal(found.frequencies_, again.frequencies_)
    np.testing.assert_array_equal(found.order_, again.order_)


@pytest.mark.parametrize("make", CHOOSERS.values(), ids=CHOOSERS)
def test_around_a_selector_rows_of_weight_zero_are_absent(make, random):
    X, Y, weight = make_data(random, "unknown")
    groups, counted = np.arange(60) // 2, weight > 0
    for given in (weight, 0.3 * weight):
        found = make(Sieve(3)).set_params(random_state=0)
        found.fit(X, Y, groups=groups, sample_weight=given)
        again = make(Sieve(3)).set_params(random_state=0)
        kept = {"groups": groups[counted], "sample_weight": given[counted]}
        again.fit(X[counted], Y[counted], **kept)
        np.testing.assert_array_equal(found.order_, again.order_)
        for name in ("values_", "frequencies_"):
            if hasattr(found, name):
                np.testing.assert_array_equal(
                    getattr(found, name), getattr(again, name)
                )
    how = {"n_permutations": 3, "random_state": 0}
    p = permutation_p_values(Sieve(3), X, Y, sample_weight=weight, **how)
    kept = {"sample_weight": weight[counted], **how}
    again = permutation_p_values(Sieve(3), X[counted], Y[counted], **kept)
    np.testing.assert_array_equal(p.p, again.p)


def test_the_search_for_a_size_ends_with_the_weighted_selection(random):
    X, Y, weight = make_data(random, "plain")
    search = SizeCV(Sieve(), sizes=[4], cv=2, random_state=0)
    search.fit(X, Y, sample_weight=weight)
    assert_same(search, Sieve(4).fit(*repeated(weight, X, Y)))


def test_quality_and_its_page_count_weights(random, tmp_path):
    X, Y, weight = make_data(random, "plain")
    counted = weight > 0
    options = {"n_splits": 2, "budget": np.inf}
    found = evaluate_selection(Sieve("auto"), X, Y, sample_weight=weight, **options)
    kept = {"sample_weight": weight[counted], **options}
    again = evaluate_selection(Sieve("auto"), X[counted], Y[counted], **kept)
    assert found.n_chosen == again.n_chosen
    assert found.n_chosen == Sieve("auto").fit(*repeated(weight, X, Y)).support_.sum()
    for key, values in found.values.items():
        for measure, value in values.items():
            np.testing.assert_array_equal(value, again.values[key][measure])
    page = write_report(
        Sieve(2), X, Y, tmp_path / "page.html", sample_weight=weight, budget=1
    )
    explained = Sieve(2).fit(X, Y, sample_weight=weight)
    first = f"First, Sieve selects “x{explained.order_[0]}”"
    assert first in page.read_text("utf-8")


@pytest.mark.parametrize("make", CHOOSERS.values(), ids=CHOOSERS)
def test_around_a_selector_weights_are_refused_as_by_it(make, random):
    X, Y, weight = make_data(random, "plain")
    told = "takes no sample_weight[.] Leave it out"
    with pytest.raises(TypeError, match=told):
        LabelSpecificSelector().fit(X, Y, sample_weight=weight)
    for inside in (CASES["gmba"], LabelSpecificSelector()):
        with pytest.raises(TypeError, match=told):
            make(inside).fit(X, Y, sample_weight=weight)
        with pytest.raises(TypeError, match=told):
            permutation_p_values(inside, X, Y, sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        routed = make(Sieve(3)).set_params(random_state=0)
        routed.set_fit_request(sample_weight=True)
        pipeline = make_pipeline(routed, RidgeClassifier())
        pipeline[1].set_fit_request(sample_weight=True)
        found = pipeline.fit(X, Y, sample_weight=weight)[0]
    again = make(Sieve(3)).set_params(random_state=0).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(found.order_, again.order_)


def test_weights_are_routed_through_pipelines_and_searches(random):
    X, Y, weight = make_data(random, "plain")
    weight = weight + 1
    with config_context(enable_metadata_routing=True):
        for selector in (Sieve(3), FIMF(3), FStatistic(3)):
            routed = clone(selector).set_fit_request(sample_weight=True)
            model = RidgeClassifier().set_fit_request(sample_weight=True)
            model.set_score_request(sample_weight=True)
            pipeline = make_pipeline(routed, model)
            found = pipeline.fit(X, Y, sample_weight=weight)[0]
            assert_same(found, clone(selector).fit(X, Y, sample_weight=weight))
            name = type(selector).__name__.lower()
            search = GridSearchCV(pipeline, {f"{name}__n_features_to_select": [4]})
            search.fit(X, Y, sample_weight=weight)
            best = search.best_estimator_[0]
            expected = clone(selector).set_params(n_features_to_select=4)
            assert_same(best, expected.fit(X, Y, sample_weight=weight))


@pytest.mark.filterwarnings("ignore:all 2 features have the same value")
def test_weights_of_a_sparse_table_in_which_nothing_varies():
    Y = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])
    fitted = PMU(1).fit(sp.csr_matrix(np.ones((4, 2))), Y, [0.5, 1.0, 2.0, 1.0])
    np.testing.assert_array_equal(fitted.scores_, [0.0, 0.0])
