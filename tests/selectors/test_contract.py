"""What every registered selector keeps: scikit-learn's contract and ours.

The tests run over the registry: a method that is registered is tested, with its own
settings and with those of `tests.selectors.variants`. Where methods promise different
things, `tests.selectors.registered` asks the class.
"""

from __future__ import annotations

import pickle
import re
import sys
import threading
import warnings
from functools import cache

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from threadpoolctl import threadpool_limits

from labelsieve import TransformationSelector
from labelsieve.selectors import LabelSelector
from labelsieve.selectors._capabilities import holds
from tests.distributed.data import in_blocks
from tests.selectors.data import data, random_data
from tests.selectors.forms import (
    FEW_CONTAINERS,
    FEW_LABELS,
    MISSING,
    REFUSED,
    UNKNOWN,
    X,
    Y,
)
from tests.selectors.registered import (
    CASES,
    REGISTERED,
    REPRESENTATIVES,
    adds_integers,
    cases,
    chooses_how_many,
    draws_columns,
    each,
    each_representative,
    each_seeded,
    forms_for,
    stops_when_close,
    takes_blocks,
    takes_columns_in_any_order,
    takes_rows_in_any_order,
    takes_two_values_only,
    weighs_evidence,
)

pytestmark = [
    pytest.mark.filterwarnings('ignore:mode="threshold" selects every feature'),
    pytest.mark.filterwarnings("ignore:.*(label sets|nothing could be learned)"),
    pytest.mark.filterwarnings("ignore:no feature is significant"),
]

# Checks that scikit-learn runs for its own estimators only.
EXTRA_CHECKS = [
    "check_param_validation",
    "check_dataframe_column_names_consistency",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_inplace_ensure_writeable",
]


def fails(selector):
    """Checks of weights, where a parameter decides that there is no use for them."""
    if holds(selector, selector._capabilities.takes_weights):
        return {}
    names = vars(estimator_checks)
    weighs = [name for name in names if re.match("check.*sample_weight", name)]
    return dict.fromkeys(weighs, "takes no weights with these parameters")


@parametrize_with_checks(
    [clone(s).set_params(n_features_to_select=0.1) for s in REPRESENTATIVES.values()],
    expected_failed_checks=fails,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


VARIED = [case for case in CASES if "," in case and "n_anchors" not in case]


@pytest.mark.parametrize("case", VARIED)
@pytest.mark.filterwarnings("ignore:n_features_to_select=2 is more than")
@pytest.mark.filterwarnings("ignore:.*samples repeat others exactly")
@pytest.mark.filterwarnings("ignore:Estimator .* failed to check")
def test_scikit_learn_checks_of_variants(case):
    selector = cases(2)[case]
    failing = fails(selector)
    check_estimator(selector, on_skip=None, expected_failed_checks=failing)


def test_scikit_learn_checks_with_a_score_function():
    # Not among the variants: the name of such a test would hold an address.
    estimator = TransformationSelector(score_func=f_classif)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failing = fails(estimator)
        check_estimator(estimator, on_skip=None, expected_failed_checks=failing)


ONE_OF_EACH_CLASS = {type(s): s for s in reversed(REGISTERED)}


@pytest.mark.parametrize("kind", ONE_OF_EACH_CLASS)
@pytest.mark.parametrize("name", EXTRA_CHECKS)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_scikit_learn_checks_of_its_own(kind, name):
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"this scikit-learn has no {name}")
    selector = clone(ONE_OF_EACH_CLASS[kind]).set_params(n_features_to_select=0.1)
    check(kind.__name__, selector)


def fitted(selector, X, Y, **parameters):
    return clone(selector).set_params(**parameters).fit(X, Y)


@cache
def fitted_on_data(selector):
    return fitted(selector, *data())


def assert_same(one, other, form=""):
    """The same order, and scores up to the rounding of floating-point sums."""
    np.testing.assert_array_equal(one.order_, other.order_, form)
    assert_close(one.scores_, other.scores_, form)


def assert_close(scores, expected, form=""):
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-10, err_msg=form)


@each
def test_threads_change_nothing(selector):
    parameters = selector.get_params()
    if "n_jobs" not in parameters:
        pytest.skip("does not use threads")
    for settings in [{"n_bins": 2}, {"n_bins": 4}] if "n_bins" in parameters else [{}]:
        one, *others = (
            fitted(selector, *data(), n_jobs=n, **settings) for n in (1, 2, -1)
        )
        for other in others:
            assert_same(one, other)


@each_representative
def test_threads_of_blas_change_nothing(selector):
    """Not a bit, though its sums depend on them; other tests let it use one."""
    random = np.random.default_rng(0)
    Y = (random.random((400, 6)) < 0.4).astype(int)
    X = random.normal(size=(400, 100)) + np.tile(Y, 17)[:, :100]
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(fitted(selector, X, Y))
    np.testing.assert_array_equal(found[0].order_, found[1].order_)
    np.testing.assert_array_equal(found[0].scores_, found[1].scores_)


@each
def test_several_threads_may_fit_one_selector(selector, monkeypatch):
    """Each fit of its own data: the last one to end is what the selector says."""
    # Forests of scikit-learn clear the filters of warnings, which all threads share,
    # and those of another thread warn that they find none.
    monkeypatch.setattr(warnings, "resetwarnings", lambda: None)
    (X, Y), wrong = data(), []
    tables = (X, Y), (X[:, ::-1], Y), (X[:, :7], Y[:, :3])
    expected = [fitted(selector, *table) for table in tables]
    together, barrier = clone(selector), threading.Barrier(len(tables))

    def fit(table):
        try:
            for _ in range(3):
                barrier.wait()
                together.fit(*table)
        except Exception as error:
            wrong.append(repr(error))
            barrier.abort()

    pace = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=fit, args=(table,)) for table in tables]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(pace)
    assert wrong == []
    found = told_of(together)
    assert any(found == told_of(one) for one in expected)


def told_of(result):
    """All that was fitted, comparable."""
    return {name: repr(vars(result)[name]) for name in own_attributes(result)}


@each
def test_containers_change_nothing(selector, containers):
    for name, given in forms_for(selector, containers, FEW_CONTAINERS):
        found = fitted(selector, given, data()[1])
        assert_same(found, fitted_on_data(selector), name)


@each_seeded
def test_sparse_equals_dense(selector, random):
    for density in (0.05, 0.4, 1.0):
        X, Y = random_data(random, 80, 12)
        X *= random.random(X.shape) < density
        X[:, 5] = X[:, 4]
        sparse = fitted(selector, sp.csr_matrix(X), Y)
        assert_same(sparse, fitted(selector, X, Y), f"density {density}")


@each
def test_booleans_and_huge_integers(selector):
    X, Y = data()
    expected = fitted(selector, X > 3, Y)
    assert_same(fitted(selector, (X > 3).astype(float), Y), expected)
    assert_same(fitted(selector, (X > 3).astype(np.int64) << 62, Y), expected)


@each
def test_labels_in_any_form_give_the_same(selector, label_forms):
    for name, given in forms_for(selector, label_forms, FEW_LABELS):
        found = fitted(selector, data()[0], given)
        assert_same(found, fitted_on_data(selector), name)


@each_seeded
def test_one_dimensional_y_is_one_label(selector, random):
    X = random.integers(0, 3, (30, 6))
    two, more = [[0, 1, 0, 1, 1, 0] * 5], [[0, 1, 2, 0, 1, 2] * 5, list("abcabc") * 5]
    for y in two if takes_two_values_only(selector) else two + more:
        column = np.array(y).reshape(-1, 1)
        assert_same(fitted(selector, X, y), fitted(selector, X, column))


@each
def test_labels_with_more_values_are_refused_where_formulas_need_two(selector):
    if not takes_two_values_only(selector):
        pytest.skip("takes labels with more values")
    with pytest.raises(ValueError, match="takes no classes, and the target 0 has 3"):
        fitted(selector, X, np.arange(20) % 3, n_features_to_select=1)


@each_seeded
def test_rows_may_come_in_any_order(selector, random):
    if not takes_rows_in_any_order(selector):
        pytest.skip("draws rows, or visits them one after the other")
    X, Y = random_data(random)
    rows = random.permutation(len(X))
    assert_same(fitted(selector, X[rows], Y[rows]), fitted(selector, X, Y))


@each_seeded
def test_columns_may_come_in_any_order(selector, random):
    if not takes_columns_in_any_order(selector):
        pytest.skip("draws columns, or chooses the first that tie")
    X, Y = random_data(random)
    columns = random.permutation(8)
    base, permuted = fitted(selector, X, Y), fitted(selector, X[:, columns], Y)
    rtol = 1e-5 if stops_when_close(selector) else 1e-8
    np.testing.assert_allclose(permuted.scores_, base.scores_[columns], rtol=rtol)
    # The same order; but where scores tie the index decides, which is another now.
    one, other = permuted.scores_[permuted.order_], base.scores_[base.order_]
    np.testing.assert_allclose(one, other, rtol=rtol)


@each_seeded
def test_labels_may_come_in_any_order(selector, random):
    if draws_columns(selector):
        pytest.skip("rounding decides between splits that are as good")
    X, Y = random_data(random)
    found, expected = fitted(selector, X, Y[:, ::-1]), fitted(selector, X, Y)
    assert_close(found.scores_, expected.scores_)
    np.testing.assert_array_equal(found.order_, expected.order_)


@each_seeded
def test_features_and_labels_of_two_values_may_be_turned(selector, random):
    if draws_columns(selector):
        pytest.skip("draws what columns are split at")
    X, Y = random.integers(0, 2, (90, 8)), random.integers(0, 2, (90, 4))
    expected = fitted(selector, X, Y).scores_
    assert_close(fitted(selector, 1 - X, Y).scores_, expected)
    if not takes_two_values_only(selector):
        assert_close(fitted(selector, X, 1 - Y).scores_, expected)


@each_seeded
def test_repeated_rows_change_nothing_that_is_counted(selector, random):
    if not adds_integers(selector) or weighs_evidence(selector):
        pytest.skip("finds nearer neighbours, or more evidence, in more rows")
    X, Y = random.integers(0, 2, (90, 8)), random.integers(0, 2, (90, 4))
    found = fitted(selector, np.tile(X, (3, 1)), np.tile(Y, (3, 1)))
    assert_close(found.scores_, fitted(selector, X, Y).scores_)


@each_seeded
def test_features_may_be_tiny_or_huge(selector, random):
    X, Y = random_data(random, 60, 6, 3)
    expected = fitted(selector, X, Y).order_
    for power in (-600, 500):
        scaled = fitted(selector, np.ldexp(X, power), Y)
        np.testing.assert_array_equal(scaled.order_, expected, f"2 ** {power}")


@each
def test_constant_features_come_last_and_copies_tie_by_index(selector):
    X, Y = data()
    ones = np.ones((len(X), 1))
    X = np.hstack([7 * ones, X, X[:, :1], 0 * ones])
    wanted = {} if chooses_how_many(selector) else {"n_features_to_select": 15}
    result = fitted(selector, X, Y, **wanted)
    assert result.order_[-2:].tolist() == [0, 14]
    assert result.scores_[0] in (0, np.inf, result.scores_.min())
    if not draws_columns(selector):  # trees draw one of the copies
        assert result.ranking_[1] < result.ranking_[13]
    assert is_number(result.scores_[1:14], selector)


def is_number(scores, selector):
    """No NaN, and in a method's own settings nothing infinite."""
    found = np.isfinite(scores) if selector in REGISTERED else ~np.isnan(scores)
    return found.all()


@each
def test_constant_labels_change_nothing_and_are_named(selector):
    X, Y = data()
    labels = pd.DataFrame(Y).add_prefix("label").assign(empty=0)
    with pytest.warns(UserWarning, match=r"1 of 5 labels .*'empty'"):
        assert_same(fitted(selector, X, labels), fitted_on_data(selector))
    if adds_integers(selector) or not takes_two_values_only(selector):
        # Others compare rows by the labels that both have.
        with pytest.warns(UserWarning, match=r"2 of 6 labels .*'empty', 'full'"):
            found = fitted(selector, X, labels.assign(full=1))
        assert_same(found, fitted_on_data(selector))


@each
def test_constant_labels_alone_rank_by_index(selector):
    for labels in (np.zeros((20, 3)), np.ones((20, 2))):
        with pytest.warns(UserWarning, match="No label is left"):
            result = fitted(selector, X[:, ::-1], labels, n_features_to_select=1)
        assert result.order_.tolist() == [0, 1]
        assert result.scores_.tolist() == [0, 0]


@each
def test_constant_labels_alone_put_constant_features_last(selector):
    table = np.insert(X, 1, 3.0, axis=1)
    one = {"n_features_to_select": 1}
    normal = own_attributes(fitted(selector, table, Y, **one))
    with pytest.warns(UserWarning, match="No label is left"):
        result = fitted(selector, table, np.ones((20, 2)), **one)
    assert result.order_.tolist() == [0, 2, 1]
    assert own_attributes(result) == normal
    if takes_blocks(selector):
        blocks = in_blocks(table, (12, 8)), in_blocks(np.ones((20, 2)), (12, 8))
        with pytest.warns(UserWarning, match="No label is left"):
            result = fitted(selector, *blocks, **one)
        assert result.order_.tolist() == [0, 2, 1]
        assert own_attributes(result) == normal


@each
def test_constant_features_alone_rank_by_index_and_leave_all_attributes(selector):
    with pytest.warns(UserWarning, match="all 2 features have the same value"):
        result = fitted(selector, np.ones((20, 2)), Y, n_features_to_select=1)
    assert result.order_.tolist() == [0, 1]
    assert result.scores_.tolist() == [0, 0]
    normal = fitted(selector, X, Y, n_features_to_select=1)
    assert own_attributes(result) == own_attributes(normal)


def own_attributes(result):
    """The names of what was fitted."""
    names = vars(result).keys()
    return {name for name in names if name.endswith("_") and not name.startswith("_")}


@each
def test_fitted_attributes_agree(selector):
    result = fitted_on_data(selector)
    assert sorted(result.order_) == list(range(12))
    np.testing.assert_array_equal(result.ranking_[result.order_], np.arange(1, 13))
    n_kept = result.support_.sum()
    assert n_kept == 5 or chooses_how_many(selector)
    chosen = np.sort(result.order_[:n_kept])
    np.testing.assert_array_equal(np.flatnonzero(result.support_), chosen)
    n_cut = min(2, n_kept)
    cut = result.at(n_cut)
    assert cut.get_support(indices=True).tolist() == sorted(result.order_[:n_cut])
    assert cut.transform(data()[0]).shape == (90, n_cut)
    assert result.support_.sum() == n_kept


@each_seeded
def test_a_longer_run_begins_with_the_shorter_one(selector, random):
    X, Y = random_data(random, 60, 10)
    short, long = (fitted(selector, X, Y, n_features_to_select=n) for n in (3, 7))
    np.testing.assert_array_equal(long.order_[:3], short.order_[:3])
    np.testing.assert_array_equal(long.at(3).support_, short.support_)


@each_representative
def test_works_in_a_pipeline(selector):
    X, Y = data()
    pipeline = make_pipeline(clone(selector), KNeighborsClassifier(3))
    step = type(selector).__name__.lower()
    grid = {f"{step}__n_features_to_select": [2, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
    assert search.predict(X).shape == Y.shape


@each
def test_survives_pickle_and_json(selector):
    frame = pd.DataFrame(data()[0]).add_prefix("f")
    result = fitted(selector, frame, data()[1])
    text = result.to_json()
    for read in (pickle.loads(pickle.dumps(result)), LabelSelector.from_json(text)):
        assert type(read) is type(result)
        assert repr(read) == repr(result)
        np.testing.assert_array_equal(read.order_, result.order_)
        np.testing.assert_array_equal(read.scores_, result.scores_)
        assert read.to_json() == text
        pd.testing.assert_frame_equal(
            read.set_output(transform="pandas").transform(frame),
            result.set_output(transform="pandas").transform(frame),
        )


@each
def test_explains_itself(selector):
    result = fitted_on_data(selector)
    found = result.explain(*data())
    chosen = result.order_[: result.support_.sum()]
    np.testing.assert_array_equal(found.features, chosen)
    np.testing.assert_array_equal(found.scores, result.scores_[chosen])
    assert found.rule
    assert found.terms
    for term in found.terms.values():
        assert term.shape == chosen.shape
        assert np.isfinite(term).all()
    if found.label_terms is not None:
        assert found.label_terms.shape == (chosen.size, 4)
        assert np.isfinite(found.label_terms).all()


BLOCKS = {"dense": ((30, 30, 30), False), "sparse": ((1, 0, 77, 12), True)}


@each
@pytest.mark.parametrize(("lengths", "is_sparse"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_of_rows_change_nothing(selector, lengths, is_sparse):
    blocks = (in_blocks(t, lengths, is_sparse) for t in data())
    if takes_blocks(selector):
        assert_same(fitted(selector, *blocks), fitted_on_data(selector))
    else:
        with pytest.raises(TypeError, match="Dask"):
            fitted(selector, *blocks)


@each
def test_tables_keep_their_names(selector):
    frame = pd.DataFrame(data()[0]).add_prefix("f")
    result = fitted(selector, frame, data()[1]).set_output(transform="pandas")
    kept = result.transform(frame)
    assert list(kept.columns) == [f"f{i}" for i in result.get_support(indices=True)]
    with pytest.raises(ValueError, match="feature names should match"):
        result.transform(frame[frame.columns[::-1]])


@each_representative
def test_text_columns_of_tables(selector, random):
    shade = random.choice(["red", "green", "blue"], 60)
    frame = pd.DataFrame({"noise": random.normal(size=60), "shade": shade})
    Y = np.column_stack([shade == "red", shade == "blue"])
    result = fitted(selector, frame, Y, n_features_to_select=1)
    (chosen,) = result.get_feature_names_out()
    # Values that are all the same have the least density of EMCFS, as numbers do.
    assert chosen == "shade" or "similarity" in selector.get_params()


SHADES = ["red", "green", "blue", "grey", "black"]


def with_categories(random, n_rows=120):
    """A frame of numbers, text and categories, of which some tell of labels."""
    shade = random.choice(SHADES, n_rows)
    size = pd.Categorical(random.choice(["S", "M", "L"], n_rows), ["S", "M", "L"])
    frame = pd.DataFrame(
        {
            "noise": random.normal(size=n_rows),
            "shade": shade,
            "size": size,
            "answer": random.choice(["yes", "no"], n_rows),
            "count": random.integers(0, 6, n_rows),
            "kind": random.choice(list("uvwxyz"), n_rows),
        }
    )
    first = np.isin(shade, ["red", "grey"]) ^ (random.random(n_rows) < 0.2)
    second = (size == "M") ^ (random.random(n_rows) < 0.2)
    third = frame["count"] + random.normal(size=n_rows) > 3
    return frame, np.column_stack([first, second, third]).astype(int)


def renamed(frame):
    """The same categories under other names, in another order."""
    names = {
        "shade": dict(zip(SHADES, "qazmc", strict=True)),
        "answer": {"yes": "0-no", "no": "1-yes"},
        "kind": dict(zip("uvwxyz", "fbdaec", strict=True)),
    }
    other = frame.assign(**{c: frame[c].map(names[c]) for c in names})
    size = frame["size"].astype(str).map({"S": "9", "M": "x", "L": "5"})
    return other.assign(size=pd.Categorical(size, ["x", "5", "9"]))


@each_seeded
def test_names_of_categories_change_nothing(selector, random):
    frame, Y = with_categories(random)
    one, other = fitted(selector, frame, Y), fitted(selector, renamed(frame), Y)
    np.testing.assert_allclose(other.scores_, one.scores_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(other.order_, one.order_)
    assert own_attributes(one) == own_attributes(other)
    # What tells of a label is before what tells of none, whatever it is made of.
    if selector in REGISTERED and not chooses_how_many(selector):
        assert one.ranking_[1] < max(one.ranking_[[0, 3, 5]])
    terms = one.explain(frame, Y).terms
    assert np.isfinite([*terms.values()]).all() or not is_number(one.scores_, selector)


@each_seeded
def test_two_categories_are_like_zero_and_one(selector, random):
    if draws_columns(selector):
        pytest.skip("draws what columns are split at")
    frame, Y = with_categories(random)
    expected = fitted(selector, frame, Y)
    found = fitted(selector, frame.assign(answer=frame["answer"] == "yes"), Y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found.order_, expected.order_)


@each
def test_names_of_categories_change_nothing_in_blocks(selector):
    if not takes_blocks(selector):
        pytest.skip("takes no blocks")
    frame, Y = with_categories(np.random.default_rng(0))
    expected = fitted(selector, frame, Y)
    for table in (frame, renamed(frame)):
        blocks = dd.from_pandas(table, npartitions=3), in_blocks(Y, (40, 40, 40))
        found = fitted(selector, *blocks)
        np.testing.assert_allclose(
            found.scores_, expected.scores_, rtol=1e-7, atol=1e-9
        )
        np.testing.assert_array_equal(found.order_, expected.order_)


@each_representative
def test_hundreds_of_labels(selector):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (100, 10))
    Y = (random.random((100, 200)) < 0.2).astype(int)
    assert is_number(fitted(selector, X, Y).scores_, selector)


@each
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_bad_input_is_refused(selector):
    for name, (bad_X, bad_y, error, message) in REFUSED.items():
        if name == "continuous y":  # two values are a label, whichever they are
            continue
        with pytest.raises(error, match=re.compile(message, re.DOTALL)):
            clone(selector).fit(bad_X, bad_y)
    with pytest.raises(TypeError, match=r"np\.matrix is not supported"):
        clone(selector).fit(np.matrix(X), Y)


@each
def test_missing_cells_are_a_code_or_refused_by_name(selector):
    takes = holds(selector, selector._capabilities.takes_missing)
    assert get_tags(selector).input_tags.allow_nan == takes
    # Seven values each: without binning, a missing cell is like an eighth one.
    settings = {"binning": "none"} if takes else {}
    expected = clone(selector).set_params(n_features_to_select=1, **settings)
    filled = np.where(np.isnan(MISSING["NaN"]), 7.0, X)
    expected.fit(filled, Y)
    for form, table in MISSING.items():
        result = clone(expected)
        if takes:
            np.testing.assert_array_equal(
                result.fit(table, Y).scores_, expected.scores_, err_msg=form
            )
            result.set_params(missing="error")
        name = "'a'" if hasattr(table, "columns") else "0"
        told = rf"^Input X contains NaN: 2 missing .* {name}, but .*SimpleImputer"
        with pytest.raises(ValueError, match=told):
            result.fit(table, Y)


@each
def test_unknown_labels_are_left_out_or_refused_by_name(selector):
    takes = holds(selector, selector._capabilities.takes_unknown)
    told = r"^Input y contains NaN: 4 unknown .* 2 of 2 label\(s\), .*0'?, .*1'?, but"
    expected = clone(selector).set_params(n_features_to_select=1)
    tables = {form: (X, labels) for form, labels in UNKNOWN.items()}
    if takes_blocks(selector):
        blocks = (in_blocks(t, (7, 13), False) for t in tables["NaN"])
        tables["blocks"] = tuple(blocks)
    for form, (table, labels) in tables.items():
        result = clone(expected)
        if not takes:
            with pytest.raises(ValueError, match=told):
                result.fit(table, labels)
            continue
        scores = result.fit(table, labels).scores_
        expected = result if form == "NaN" else expected
        np.testing.assert_array_equal(scores, expected.scores_, err_msg=form)
    if takes:
        one, known = UNKNOWN["NaN"][:, 0], ~np.isnan(UNKNOWN["NaN"][:, 0])
        alone = clone(expected).fit(X, one)
        without = clone(expected).fit(X[known], one[known])
        np.testing.assert_array_equal(alone.scores_, without.scores_)


@each
def test_bad_number_of_features_is_refused(selector):
    for wanted in (0, -1, 2.5, 0.0, "all", True, False, np.True_):
        with pytest.raises(ValueError, match=r"must be an int in the range \[1, inf\)"):
            fitted(selector, X, Y, n_features_to_select=wanted)


@each
def test_more_features_than_there_are_keeps_all_with_a_warning(selector):
    with pytest.warns(UserWarning, match="all of them are kept"):
        result = fitted(selector, X, Y, n_features_to_select=9)
    assert result.support_.all()


@each
def test_one_column_is_selected(selector):
    result = fitted(selector, X[:, :1], Y, n_features_to_select=0.1)
    assert result.get_support(indices=True).tolist() == [0]
    ramp = [[0.0], [1.0], [2.0], [3.0]] * 5
    result = fitted(selector, ramp, [0, 0, 1, 1] * 5, n_features_to_select=0.1)
    assert result.support_.tolist() == [True]


@each
def test_numbers_as_text_are_converted_with_a_warning(selector):
    expected = fitted(selector, X, Y, n_features_to_select=1)
    with pytest.warns(DataConversionWarning, match="numbers as text"):
        result = clone(expected).fit(X.astype(str), Y)
    np.testing.assert_array_equal(result.scores_, expected.scores_)


@each
def test_transform_needs_a_fit_and_the_same_width(selector):
    with pytest.raises(NotFittedError):
        clone(selector).transform(X)
    with pytest.raises(NotFittedError):
        clone(selector).at(1)
    with pytest.raises(ValueError, match=r"2 features.*12 features"):
        fitted_on_data(selector).transform(X)


@each
def test_at_refuses_what_it_cannot_cut(selector):
    for size in (0, 99, True, 1.5):
        with pytest.raises((TypeError, ValueError), match=r"at\("):
            fitted_on_data(selector).at(size)
