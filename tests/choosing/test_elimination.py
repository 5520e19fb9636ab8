"""Recursive elimination is that of the definition, and its quality that of others."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelsieve
from labelsieve import RecursiveElimination, SelectByModel, evaluate_selection
from labelsieve.experiments import corrected_interval
from labelsieve.metrics import average_precision, micro_f1
from tests.naive.choosing import elimination
from tests.selectors.test_by_model import planted

MODEL = LogisticRegression()
FOREST = RandomForestClassifier(10, random_state=0)


def coefficients(X, Y):
    """The naive importances of logistic regression, by the variance of labels."""
    found = np.array([clone(MODEL).fit(X, y).coef_[0] for y in Y.T])
    found = np.abs(found) * X.std(axis=0)
    variance = Y.mean(axis=0) * (1 - Y.mean(axis=0))
    return variance / variance.sum() @ (found / found.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("step", [1, 3, 0.2, 0.5])
def test_the_order_is_that_of_the_definition(random, step):
    X, Y = planted(random, 150)
    expected, sizes = elimination(coefficients, X, Y, step)
    found = SelectByModel(MODEL, step=step, redundancy=None).fit(X, Y)
    assert found.order_.tolist() == expected
    assert (
        RecursiveElimination(MODEL, step=step, cv=2).fit(X, Y).sizes_.tolist()
        == (sizes[::-1])
    )


def test_for_one_target_it_is_rfe(random):
    X, Y = planted(random, 150)
    X = StandardScaler().fit_transform(X)
    expected = RFE(MODEL, n_features_to_select=1, step=1).fit(X, Y[:, 0]).ranking_
    found = SelectByModel(MODEL, step=1, redundancy=None).fit(X, Y[:, 0])
    np.testing.assert_array_equal(found.ranking_, expected)


@pytest.mark.parametrize("redundancy", [None, "residual"])
def test_cuts_agree_and_importances_are_those_of_the_kept_features(random, redundancy):
    X, Y = planted(random, 200)
    selector = SelectByModel(MODEL, step=0.3, redundancy=redundancy)
    whole = selector.set_params(n_features_to_select=12).fit(X, Y)
    for size in (1, 3, 5, 12):
        found = clone(selector).set_params(n_features_to_select=size).fit(X, Y)
        np.testing.assert_array_equal(found.order_, whole.order_)
        np.testing.assert_array_equal(found.support_, whole.at(size).support_)
        kept = np.flatnonzero(found.support_)
        alone = SelectByModel(MODEL, redundancy=redundancy, n_features_to_select=size)
        alone.fit(X[:, kept], Y)
        importances = np.zeros((3, 12))
        importances[:, kept] = alone.target_importances_
        np.testing.assert_allclose(found.target_importances_, importances)
        np.testing.assert_allclose(found.scores_[kept], alone.scores_)
        assert not found.scores_[~found.support_].any()


@pytest.mark.parametrize("model", [MODEL, FOREST], ids=["logistic", "forest"])
@pytest.mark.parametrize("importance", ["auto", "permutation"])
def test_shared_and_label_specific_features_are_left(random, model, importance):
    X, Y = planted(random, 300, 4)
    search = RecursiveElimination(model, importance=importance, step=0.5, cv=3)
    search.fit(X, Y)
    assert search.n_features_ in (4, 8)
    assert set(search.order_[:4]) == {0, 1, 2, 3}
    for label, found in enumerate(search.selector_.target_importances_):
        assert set(np.argsort(-found)[:2]) == {0, 1 + label}
    explained = search.selector_.explain(X, Y)
    assert set(explained.features[:4]) == {0, 1, 2, 3}
    np.testing.assert_allclose(explained.label_terms.sum(axis=1), explained.scores)


def test_copies_are_left_out_first_where_redundancy_counts(random):
    X, Y = planted(random, 300, 4)
    X = np.hstack([X, X[:, :2]])
    found = SelectByModel(MODEL, step=3, redundancy="residual").fit(X, Y).order_[:4]
    assert {int(f) % 8 for f in found} == {0, 1, 2, 3}


def test_features_that_are_forced_in_and_out(random):
    X, Y = planted(random, 200)
    X = np.hstack([X, np.ones((200, 1))])
    selector = SelectByModel(
        MODEL, step=0.4, include=[8, 9], exclude=[1], n_features_to_select=4
    ).fit(X, Y)
    assert selector.order_[:2].tolist() == [8, 9]
    assert selector.order_[-2:].tolist() == [12, 1]
    search = RecursiveElimination(MODEL, include=[8], exclude=[1], cv=2).fit(X, Y)
    assert search.support_[8]
    assert not search.support_[1]
    assert search.sizes_[-1] == 12


def values_of(model, X, Y, folds, step, measure):
    """The measure in each fold at each size, by separate fits."""
    found = []
    for train, test in folds:
        order, sizes = elimination(coefficients, X[train], Y[train], step)
        row = []
        for size in sizes[::-1]:
            kept = order[:size]
            fitted = [clone(model).fit(X[train][:, kept], y) for y in Y[train].T]
            if measure is micro_f1:
                said = [one.predict(X[test][:, kept]) for one in fitted]
            else:
                said = [one.decision_function(X[test][:, kept]) for one in fitted]
            row.append(measure(Y[test], np.column_stack(said)))
        found.append(row)
    return np.array(found), np.array(sizes[::-1])


@pytest.mark.parametrize("wrapped", [MODEL, MultiOutputClassifier(MODEL)])
def test_the_curve_is_that_of_separate_fits(random, wrapped):
    X, Y = planted(random, 150)
    folds = KFold(3)
    search = RecursiveElimination(wrapped, step=0.5, cv=folds).fit(X, Y)
    expected, sizes = values_of(MODEL, X, Y, folds.split(X), 0.5, average_precision)
    np.testing.assert_array_equal(search.sizes_, sizes)
    np.testing.assert_allclose(search.values_, expected)
    means = expected.mean(axis=0)
    error = expected[:, means.argmax()].std(ddof=1) / np.sqrt(3)
    assert search.n_features_ == sizes[means >= means.max() - error - 1e-12].min()
    assert search.curve().chosen == search.n_features_
    assert "smallest" in search._repr_html_()


def smallest(values, sizes, tolerance):
    place = sizes.size - 1
    while place > 0:
        low = corrected_interval(values[:, place - 1] - values[:, -1], 1.0).low
        if -low >= tolerance * values[:, -1].mean():
            break
        place -= 1
    return sizes[place]


@pytest.mark.parametrize("tolerance", [0.02, 0.1, 0.5])
def test_the_smallest_equivalent_set(random, tolerance):
    X, Y = planted(random, 200)
    folds = ShuffleSplit(4, test_size=0.3, random_state=0)
    search = RecursiveElimination(
        MODEL, step=0.5, cv=folds, rule="equivalent", tolerance=tolerance
    ).fit(X, Y)
    assert search.measure_ == "micro_f1"
    values, sizes = values_of(MODEL, X, Y, folds.split(X), 0.5, micro_f1)
    np.testing.assert_allclose(search.values_, values)
    assert search.n_features_ == smallest(values, sizes, tolerance)


def test_quality_is_that_of_nested_folds(random):
    X, Y = planted(random, 150)
    outer, inner = ShuffleSplit(3, test_size=0.3, random_state=1), KFold(3)
    search = RecursiveElimination(MODEL, step=0.5, cv=inner, rule="best")
    quality = evaluate_selection(search, X, Y, cv=outer, budget=np.inf)
    assert quality.classifiers == ["LogisticRegression"]
    expected = []
    for train, test in outer.split(X):
        there = X[train], Y[train]
        values, sizes = values_of(
            MODEL, *there, inner.split(train), 0.5, average_precision
        )
        size = sizes[values.mean(axis=0).argmax()]
        kept = elimination(coefficients, *there, 0.5)[0][:size]
        said = [
            clone(MODEL).fit(X[train][:, kept], y).predict(X[test][:, kept])
            for y in Y[train].T
        ]
        expected.append(micro_f1(Y[test], np.column_stack(said)))
    found = quality.values["LogisticRegression", "chosen"]["micro_f1"]
    np.testing.assert_allclose(found, expected)


def test_what_is_reported_of_noise_is_chance():
    """The curve's best value is too good; that of nested folds is not."""
    random = np.random.default_rng(0)
    curve, nested = [], []
    for _ in range(8):
        X, Y = random.normal(size=(60, 30)), random.integers(0, 2, (60, 1))
        search = RecursiveElimination(MODEL, rule="best", measure="macro_auc", step=0.5)
        curve.append(search.fit(X, Y).values_.mean(axis=0).max())
        quality = evaluate_selection(search, X, Y, n_splits=3, budget=np.inf)
        nested.append(quality.mean("macro_auc", "chosen"))
    assert np.mean(curve) > 0.55
    assert np.mean(nested) == pytest.approx(0.5, abs=0.05)


REDUCING = {"step": 0.5, "n_splits": 5, "tolerance": 0.1}


def test_reduce_keeps_what_the_model_needs():
    X, Y = planted(np.random.default_rng(0), 300)
    frame = pd.DataFrame(X).add_prefix("f")
    small = labelsieve.reduce(MODEL, frame, Y, **REDUCING)
    chosen = small["selector"]
    assert {"f0", "f1", "f2", "f3"} <= set(chosen.get_feature_names_out())
    assert chosen.n_features_ < 12
    assert small.predict(frame).shape == (300, 3)
    assert (small.predict(frame) == Y).mean() > 0.9
    (found,) = chosen.quality_.about("micro_f1", "all")
    assert -found.low < found.tolerance


def test_reduce_finds_the_same_in_arrays_and_when_fitted_again():
    X, Y = planted(np.random.default_rng(0), 150, 4)
    frame = pd.DataFrame(X).add_prefix("f")
    reducing = {**REDUCING, "n_splits": 3}
    small = labelsieve.reduce(MODEL, frame, Y, **reducing)
    chosen = small["selector"].support_
    same = labelsieve.reduce(MODEL, X, Y, **reducing)
    np.testing.assert_array_equal(same["selector"].support_, chosen)
    # The pipeline is one of scikit-learn: fitted again, it searches again.
    again = clone(small).fit(frame, Y)
    np.testing.assert_array_equal(again["selector"].support_, chosen)


def test_reduce_writes_its_report(tmp_path):
    pytest.importorskip("matplotlib")
    X, Y = planted(np.random.default_rng(0), 120, 2)
    small = labelsieve.reduce(MODEL, X, Y, step=0.5, n_splits=3)
    page = labelsieve.write_report(small["selector"], X, Y, tmp_path / "page.html")
    text = page.read_text("utf-8")
    assert "LogisticRegression" in text
    assert "equivalent to that of all" in text


CASES = {
    "one label": (lambda X, Y: Y[:, 0], MODEL),
    "tags": (lambda X, Y: [np.flatnonzero(row).tolist() for row in Y], MODEL),
    "sparse": (lambda X, Y: sp.csr_matrix(Y), MODEL),
    "frame": (lambda X, Y: pd.DataFrame(Y).add_prefix("y"), FOREST),
    "classes": (lambda X, Y: np.column_stack([Y @ [1, 2, 1], Y[:, 0]]), MODEL),
    "number": (lambda X, Y: X[:, 1] + 0.1 * X[:, 5], Ridge()),
    "numbers": (lambda X, Y: X[:, 1:3] + X[:, :1], RandomForestRegressor(5)),
    "numbers, one model each": (
        lambda X, Y: X[:, 1:3] + X[:, :1],
        make_pipeline(StandardScaler(), Ridge()),
    ),
}


@pytest.mark.parametrize(
    ("case", "seed"), [(case, i % 3) for i, case in enumerate(CASES)]
)
def test_reduce_takes_targets_of_any_kind(case, seed):
    X, Y = planted(np.random.default_rng(seed), 90, 2)
    make, model = CASES[case]
    target = make(X, Y)
    small = labelsieve.reduce(model, X, target, step=0.5, n_splits=2)
    assert len(small.predict(X)) == 90
    assert small["selector"].quality_.classifiers == [type(model).__name__]


def test_reduce_learns_from_known_labels():
    random = np.random.default_rng(0)
    X, Y = planted(random, 150, 2)
    partly = np.where(random.random(Y.shape) < 0.2, np.nan, Y)
    small = labelsieve.reduce(MODEL, X, partly, step=0.5, n_splits=3)
    assert (small.predict(X) == Y).mean() > 0.85


def test_groups_stay_together():
    X, Y = planted(np.random.default_rng(0), 120, 2)
    groups = np.repeat(np.arange(24), 5)
    seen = []

    class Splitting(LogisticRegression):
        def fit(self, X, y):
            seen.append(len(X))
            return super().fit(X, y)

    labelsieve.reduce(Splitting(), X, Y, step=0.5, n_splits=2, groups=groups)
    assert all(size % 5 == 0 for size in seen)


def test_importances_of_numbers_in_regressors(random):
    X = random.normal(size=(300, 6))
    Y = np.column_stack([X[:, 0] + X[:, 1], X[:, 0] - 2 * X[:, 2], X[:, 3] > 0])
    for model in (Ridge(), RandomForestRegressor(20, random_state=0), "boosting"):
        for importance in ("auto", "permutation"):
            found = SelectByModel(model, importance=importance, cv=2).fit(X, Y)
            best = found.target_importances_.argsort(axis=1)[:, ::-1]
            assert set(best[0, :2]) == {0, 1}
            assert set(best[1, :2]) == {0, 2}
            assert best[2, 0] == 3
    assert found.target_types_ == ["number", "number", "label"]
    np.testing.assert_allclose(found.target_weights_, 1 / 3, atol=0.01)


def test_a_named_model_predicts_numbers_beside_labels(random):
    X, Y = planted(random, 90, 2)
    number = X[:, 1] + 0.1 * X[:, 5]
    search = RecursiveElimination("logistic", measure="r2", cv=KFold(2), step=0.5)
    mixed = clone(search).fit(X, np.column_stack([number, Y[:, 0]]))
    alone = clone(search).fit(X, number)
    of_all = mixed.values_[:, -1], alone.values_[:, -1]
    np.testing.assert_allclose(*of_all, rtol=1e-6)


WRONG = {
    r"KNeighborsClassifier of several targets has no importances.*permutation": (
        KNeighborsClassifier(),
        lambda X, Y: Y,
    ),
    r"Ridge predicts number targets, and y has label targets: pass an": (
        Ridge(),
        lambda X, Y: Y,
    ),
    r"LogisticRegression predicts label and class targets, and y has num": (
        MODEL,
        lambda X, Y: X[:, :2] + 0.5,
    ),
}


@pytest.mark.parametrize("said", WRONG)
def test_models_that_do_not_fit_are_named(random, said):
    X, Y = planted(random, 60, 2)
    model, make = WRONG[said]
    with pytest.raises((TypeError, ValueError), match=said):
        RecursiveElimination(model, cv=2).fit(X, make(X, Y))


def test_fitted_models_cannot_be_eliminated_from(random):
    X, Y = planted(random, 60, 2)
    with pytest.raises(ValueError, match="prefit=True does not go with step"):
        SelectByModel(FOREST.fit(X, Y), prefit=True, step=1).fit(X, Y)
    with pytest.raises(ValueError, match="target 0 is a number: pass a regressor"):
        SelectByModel(MODEL).fit(X, X[:, :1])


def test_wrapped_models_are_asked_what_a_selection_is_worth():
    X, Y = planted(np.random.default_rng(0), 90, 2)
    wrapped = MultiOutputClassifier(MODEL)
    selector = SelectByModel(wrapped, n_features_to_select=3)
    found = evaluate_selection(selector, X, Y, classifiers=[wrapped], n_splits=2)
    values = found.values["MultiOutputClassifier", "all"]["micro_f1"]
    plain = evaluate_selection(selector, X, Y, classifiers=[MODEL], n_splits=2)
    expected = plain.values["LogisticRegression", "all"]["micro_f1"]
    np.testing.assert_allclose(values, expected)


def test_reduce_wants_a_model(random):
    with pytest.raises(TypeError, match=r"reduce got 'forest' .* such as Random"):
        labelsieve.reduce(
            "forest", random.random((20, 3)), random.random((20, 2)) > 0.5
        )
