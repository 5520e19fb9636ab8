"""Transformations and their scores equal copied rows and tables cell by cell."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from labelsieve import MLkNN
from labelsieve.discretization import Discretizer
from labelsieve.selectors.transformations import (
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    PrunedTransformation,
    TransformationSelector,
)
from labelsieve.selectors.transformations import contingency as _contingency
from tests.exploring import draws
from tests.naive import relief as naive_relief
from tests.naive import transformations as naive
from tests.selectors.data import coded_data

FORMATS = [np.asarray, sp.csr_matrix]
NAIVE_SCORES = {"chi2": naive.chi2, "mutual_information": naive.mutual_information}


def scores(X, Y, transformation, score_func="chi2", **options):
    selector = TransformationSelector(
        transformation=transformation, score_func=score_func, **options
    )
    return selector.fit(X, Y).scores_


@pytest.fixture
def data(random):
    Y = (random.random((60, 3)) < [0.6, 0.4, 0.2]).astype(int)
    return random.normal(size=(60, 5)) + Y[:, [0]], Y


@pytest.mark.parametrize("make", FORMATS)
def test_golden_scores(toy, toy_data, make):
    X, Y = make(toy_data[0]), toy_data[1]
    golden = toy["transformations"]
    cases = [
        (PrunedTransformation(1), golden["PPT_keep_if_count_ge_1"]["chi2"], "chi2"),
        (PrunedTransformation(1), golden["PPT_keep_if_count_ge_1"]["mi_nat"], "mi"),
        (EntropyLabelAssignment(), golden["ELA"]["chi2_weighted"], "chi2"),
        (EntropyLabelAssignment(), golden["ELA"]["mi_weighted_nat"], "mi"),
        (BinaryRelevance(), golden["BR_chi2_mean"], "chi2"),
    ]
    for transformation, expected, score in cases:
        full = {"mi": "mutual_information"}.get(score, score)
        found = scores(X, Y, transformation, full, binning="uniform")
        np.testing.assert_allclose(found, expected, atol=1e-9)
    per_label = np.array(golden["BR_chi2_per_label"])
    for how, expected in (
        ("max", golden["BR_chi2_max"]),
        ("min", per_label.min(axis=1)),
    ):
        found = scores(X, Y, BinaryRelevance(), aggregate=how, binning="uniform")
        np.testing.assert_allclose(found, expected, atol=1e-9)
    with pytest.warns(UserWarning, match="8 rows have 7 distinct label sets"):
        found = scores(X, Y, LabelPowerset(), binning="uniform")
    np.testing.assert_allclose(found, golden["LP_chi2"], atol=1e-9)
    with pytest.warns(UserWarning, match="8 rows have 7 distinct label sets"):
        found = scores(X, Y, None, "mutual_information", binning="uniform")
    np.testing.assert_allclose(found, golden["LP_mi_nat"], atol=1e-9)
    with pytest.warns(UserWarning, match="1 label sets occur at least tau=2"):
        found = scores(X, Y, PrunedTransformation(2), binning="uniform")
    assert not found.any()


# Rows without labels weigh nothing in one transformation, and thirds and quarters of
# the others leave a trace of weight in codes that only those rows have.
THIRDS = (
    np.array(
        [[0] * 4, [1] * 4, [2, 2, 0, 1], [1, 2, 2, 0], [1, 2, 2, 2], [0, 2, 1, 2]]
    ),
    np.array([[0] * 4, [1] * 4, [1, 1, 0, 1], [0] * 4, [0, 0, 0, 1], [1, 1, 0, 1]]),
)


@pytest.mark.parametrize("score_func", NAIVE_SCORES)
@pytest.mark.parametrize("make", FORMATS)
@given(data=coded_data(max_codes=4), tau=st.integers(1, 4))
@example(data=THIRDS, tau=1)
@settings(max_examples=draws(30))
@pytest.mark.filterwarnings("ignore:.*label sets")
def test_tables_equal_cell_by_cell(make, score_func, data, tau):
    X, Y = data
    cell = NAIVE_SCORES[score_func]
    problems = {
        LabelPowerset(): naive.label_powerset(Y),
        PrunedTransformation(tau): naive.pruned(Y, tau),
    }
    if Y.max() == 1:
        problems[EntropyLabelAssignment()] = naive.entropy_assignment(Y)
    for transformation, copies in problems.items():
        expected = [cell(column, copies) if copies else 0 for column in X.T]
        found = scores(make(X), Y, transformation, score_func, binning="none")
        np.testing.assert_allclose(found, expected, atol=1e-10)
    per_label = np.array(
        [[cell(column, naive.binary(y)) for column in X.T] for y in Y.T]
    )
    found = scores(make(X), Y, BinaryRelevance(), score_func, binning="none")
    np.testing.assert_allclose(found, per_label.mean(axis=0), atol=1e-10)


def test_blocks_change_nothing(data, monkeypatch):
    X, Y = data
    whole = scores(X, Y, PrunedTransformation(2), n_bins=3)
    monkeypatch.setattr(_contingency, "BLOCK_CELLS", 10)
    np.testing.assert_allclose(scores(X, Y, PrunedTransformation(2), n_bins=3), whole)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
def test_relieff_equals_the_definition(data, make, n_jobs):
    X, Y = data
    options = {"n_neighbors": 4, "n_jobs": n_jobs}
    codes = Y @ [1, 2, 4]
    found = scores(make(X), Y, LabelPowerset(), "relieff", **options)
    np.testing.assert_allclose(found, naive_relief.relieff(X, codes, 4), atol=1e-12)
    kept = np.bincount(codes)[codes] >= 6
    expected = naive_relief.relieff(X[kept], codes[kept], 4)
    found = scores(make(X), Y, PrunedTransformation(), "relieff", **options)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    per_label = [naive_relief.relieff(X, y, 4) for y in Y.T]
    for how in ("mean", "max", "min"):
        found = scores(
            make(X), Y, BinaryRelevance(), "relieff", aggregate=how, **options
        )
        expected = getattr(np, how)(per_label, axis=0)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_rank_aggregation_averages_the_places():
    X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]] * 3)
    Y = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])
    found = scores(X, Y, BinaryRelevance(), aggregate="rank")
    # Places by label: feature 0 is 1, 1, 2.5; feature 1 is 2.5, 2.5, 1.
    np.testing.assert_allclose(found, [-1.5, -2.0, -2.5])


@pytest.mark.parametrize("function", [f_classif, chi2, mutual_info_classif])
def test_any_score_function_can_be_plugged_in(data, function):
    X, Y = data
    X = np.abs(X)
    options = {"random_state": 0} if function is mutual_info_classif else {}

    def score(X, y):
        return function(X, y, **options)

    found = scores(X, Y, LabelPowerset(), score)
    expected = score(X, np.unique(Y, axis=0, return_inverse=True)[1].ravel())
    expected = expected[0] if isinstance(expected, tuple) else expected
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    per_label = [score(X, y) for y in Y.T]
    per_label = [s[0] if isinstance(s, tuple) else s for s in per_label]
    found = scores(X, Y, BinaryRelevance(), score)
    np.testing.assert_allclose(found, np.mean(per_label, axis=0), rtol=1e-9)


def test_a_score_function_must_return_one_number_per_feature(data):
    with pytest.raises(ValueError, match=r"scores of shape \(2,\); expected one"):
        scores(*data, LabelPowerset(), lambda X, y: np.zeros(2))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORMATS)
def test_forward_search_maximises_the_information(random, make, n_jobs):
    Y = random.integers(0, 2, (50, 2))
    X = random.normal(size=(50, 4)).round(1)
    X[:, 2] += 3 * Y[:, 0]
    X[:, 1] += 3 * Y[:, 1]
    fitted = TransformationSelector(
        3,
        transformation=PrunedTransformation(),
        score_func="mutual_information",
        search="forward",
        n_jobs=n_jobs,
    ).fit(make(X), Y)
    Z, classes = X / X.std(axis=0), Y @ [1, 2]
    chosen = []
    for _ in range(3):
        left = [f for f in range(4) if f not in chosen]
        found = [naive.class_information(Z[:, [*chosen, f]], classes, 4) for f in left]
        chosen.append(left[int(np.argmax(found))])
        np.testing.assert_allclose(fitted.scores_[chosen[-1]], max(found), atol=1e-10)
    assert fitted.order_[:3].tolist() == chosen
    assert set(chosen[:2]) == {1, 2}
    assert fitted.at(2).get_support(indices=True).tolist() == sorted(chosen[:2])
    with pytest.raises(ValueError, match="can be cut at 1 to 3"):
        fitted.at(4)


def test_forward_search_without_classes_ranks_by_index(random):
    Y = random.integers(0, 2, (9, 3))
    X = np.column_stack([np.full(9, 2.0), random.normal(size=(9, 2))])
    selector = TransformationSelector(
        transformation=PrunedTransformation(1),
        score_func="mutual_information",
        search="forward",
        n_neighbors=8,
    )
    assert selector.fit(X, Y).order_.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"search": "forward"}, 'needs score_func="mutual_information"'),
        (
            {
                "search": "forward",
                "score_func": "mutual_information",
                "transformation": BinaryRelevance(),
            },
            "needs one class per row, but BinaryRelevance",
        ),
        (
            {"transformation": EntropyLabelAssignment(), "score_func": "relieff"},
            "needs one class per row, but EntropyLabelAssignment",
        ),
        ({"transformation": "lp"}, "'transformation' parameter"),
        ({"score_func": "anova"}, "'score_func' parameter"),
    ],
)
def test_combinations_without_a_meaning_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        TransformationSelector(**parameters).fit(*data)


def test_many_label_sets_and_pruning_everything_are_told(random):
    X, Y = random.normal(size=(12, 3)), np.eye(12, dtype=int)
    with pytest.warns(UserWarning, match="12 rows have 12 distinct label sets"):
        scores(X, Y, LabelPowerset())
    with pytest.warns(UserWarning, match="0 label sets occur at least tau=6"):
        fitted = TransformationSelector(transformation=PrunedTransformation()).fit(X, Y)
    assert fitted.order_.tolist() == [0, 1, 2]


def test_samples_without_labels_count_as_a_class_or_not(random):
    X = random.integers(0, 2, (40, 2))
    Y = random.integers(0, 2, (40, 2)) * X[:, [0]]
    Y[:4] = [[1, 0], [0, 1], [1, 1], [0, 0]]
    with_labels = Y.any(axis=1)
    np.testing.assert_allclose(
        scores(X, Y, EntropyLabelAssignment()),
        scores(X[with_labels], Y[with_labels], EntropyLabelAssignment()),
    )
    assert scores(X, Y, LabelPowerset())[0] > scores(X, Y, EntropyLabelAssignment())[0]


@pytest.mark.parametrize("values", [2, 3])
def test_labels_may_have_more_than_two_values(random, values):
    Y = random.integers(0, values, (80, 2))
    X = np.column_stack([random.normal(size=80), Y[:, 0], Y[:, 1]])
    for transformation, score in itertools.product(
        [LabelPowerset(), PrunedTransformation(), BinaryRelevance()],
        ["chi2", "mutual_information", "relieff"],
    ):
        assert set(np.argsort(-scores(X, Y, transformation, score))[:2]) == {1, 2}


def test_parameters_reach_into_the_transformation():
    selector = TransformationSelector(transformation=PrunedTransformation())
    assert selector.get_params()["transformation__tau"] == 6
    assert "transformation__tau" not in selector.get_params(deep=False)
    copy = clone(selector).set_params(transformation__tau=3, n_bins=4)
    assert copy.transformation == PrunedTransformation(3)
    assert selector.transformation == PrunedTransformation(6)
    both = {"transformation": PrunedTransformation(2), "transformation__tau": 4}
    assert copy.set_params(**both).transformation == PrunedTransformation(4)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("transformation", [PrunedTransformation(3), BinaryRelevance()]),
        ("transformation__tau", [3, 4]),
    ],
)
def test_transformations_can_be_searched(data, name, values):
    selector = TransformationSelector(transformation=PrunedTransformation())
    search = GridSearchCV(
        make_pipeline(selector, MLkNN()),
        {f"transformationselector__{name}": values},
        cv=2,
        scoring=lambda *_: 0.0,
    )
    found = search.fit(*data).best_estimator_[0].transformation
    assert found == PrunedTransformation(3)


@pytest.mark.parametrize("transformation", [None, BinaryRelevance()])
def test_unknown_parameters_of_a_transformation_are_refused(transformation):
    selector = TransformationSelector(transformation=transformation)
    with pytest.raises(ValueError, match="Invalid parameter 'transformation__tau'"):
        selector.set_params(transformation__tau=3)


VALUES = [
    BinaryRelevance(),
    EntropyLabelAssignment(),
    LabelPowerset(),
    PrunedTransformation(),
    PrunedTransformation(3),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_transformations_are_values(value, data):
    """Equal by what they hold, not to be changed, and no estimators."""
    assert eval(repr(value)) == value
    assert hash(eval(repr(value))) == hash(value)
    assert [other == value for other in VALUES].count(True) == 1
    assert pickle.loads(pickle.dumps(value)) == value
    assert not hasattr(value, "get_params")
    with pytest.raises(FrozenInstanceError):
        value.tau = 1
    fitted = TransformationSelector(2, transformation=value).fit(*data)
    assert clone(fitted).transformation == value
    read = TransformationSelector.from_json(fitted.to_json())
    assert read.transformation == value
    assert type(read.transformation) is type(value)


@pytest.mark.parametrize("tau", [0, -3, 1.5, "2", None])
def test_tau_is_checked_where_it_is_given(tau):
    with pytest.raises(ValueError, match=f"whole number of at least 1, got {tau!r}"):
        PrunedTransformation(tau)


def test_binning_is_that_of_the_discretizer(data):
    X, Y = data
    coded = Discretizer(3, "uniform").fit_transform(X)
    found = scores(X, Y, BinaryRelevance(), n_bins=3, binning="uniform")
    np.testing.assert_allclose(
        found, scores(coded, Y, BinaryRelevance(), binning="none"), rtol=1e-12
    )


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_relieff_takes_ranges_from_the_rows_that_are_used(random, make):
    X, Y = (
        random.normal(size=(40, 4)),
        np.repeat([[1, 0], [0, 1], [1, 1]], [18, 18, 4], 0),
    )
    X[36:, 0] *= 1000  # rows that pruning removes
    pruned = TransformationSelector(
        transformation=PrunedTransformation(tau=6), score_func="relieff"
    )
    found = pruned.fit(make(X), Y).scores_
    expected = naive_relief.relieff(X[:36], np.repeat([0, 1], 18), 10)
    np.testing.assert_allclose(found, expected, atol=1e-12)
