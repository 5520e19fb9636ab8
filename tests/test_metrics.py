"""Measures: golden values, scikit-learn's where definitions agree, and naive ones."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier

from labelsieve import metrics
from labelsieve.classifiers import MLNB, RankSVM, label_scores
from labelsieve.metrics import BY_PREDICTIONS, BY_SCORES, evaluate, scorer
from tests.exploring import draws
from tests.naive import metrics as naive

GOLDEN = json.loads((Path(__file__).parent / "golden" / "toy.json").read_text())[
    "metrics"
]
Y, Z, S = (
    np.array(GOLDEN[key]) for key in ("Y_true", "Y_pred_threshold_0.5", "scores")
)


@st.composite
def problems(draw):
    """Truth, predictions and scores with many ties, empty and full rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 12)), draw(st.integers(2, 7))
    density = draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    truth, predicted = (rng.random((2, *shape)) < density).astype(int)
    return truth, predicted, rng.integers(0, 4, shape) / 3.0


def test_golden_values_of_the_worked_example():
    kept, skipped = evaluate(Y, Z, S), evaluate(Y, Z, S, undefined="skip")
    assert kept["hamming_loss"] == pytest.approx(GOLDEN["hamming_loss"])
    assert kept["subset_accuracy"] == pytest.approx(GOLDEN["subset_accuracy"])
    jaccard = GOLDEN["multilabel_accuracy_jaccard_empty_is_1"]
    assert kept["accuracy"] == pytest.approx(jaccard)
    assert kept["coverage"] == pytest.approx(GOLDEN["coverage"])
    by_rows = GOLDEN["ranking_loss_rows_without_pairs_count_0"]
    assert kept["ranking_loss"] == pytest.approx(by_rows)
    by_rows = GOLDEN["ranking_loss_rows_without_pairs_skipped"]
    assert skipped["ranking_loss"] == pytest.approx(by_rows)
    for name in ("one_error", "average_precision"):
        rows = [value for value in GOLDEN[f"{name}_per_row"] if value is not None]
        assert skipped[name] == pytest.approx(np.mean(rows))


def test_golden_values_of_sklearn():
    found, golden = evaluate(Y, Z, S), GOLDEN["sklearn"]
    assert found["coverage_error"] == pytest.approx(golden["coverage_error"])
    assert found["average_precision"] == pytest.approx(golden["lrap"])
    assert found["micro_f1"] == pytest.approx(golden["f1_micro"])
    assert found["macro_f1"] == pytest.approx(golden["f1_macro"])
    jaccard = golden["jaccard_samples_zero_division_0"]
    assert metrics.accuracy(Y, Z, empty=0.0) == pytest.approx(jaccard)


@given(problem=problems())
@settings(max_examples=draws(100), deadline=None)
def test_same_as_sklearn_where_definitions_agree(problem):
    truth, predicted, scores = problem
    found = evaluate(truth, predicted, scores)
    pair = truth, predicted
    expected = {
        "hamming_loss": sk.hamming_loss(*pair),
        "subset_accuracy": sk.accuracy_score(*pair),
        "accuracy": sk.jaccard_score(*pair, average="samples", zero_division=1),
        "micro_f1": sk.f1_score(*pair, average="micro", zero_division=0),
        "macro_f1": sk.f1_score(*pair, average="macro", zero_division=0),
        "example_f1": sk.f1_score(*pair, average="samples", zero_division=0),
        "ranking_loss": sk.label_ranking_loss(truth, scores),
        "coverage_error": sk.coverage_error(truth, scores),
        "average_precision": sk.label_ranking_average_precision_score(truth, scores),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value), name


@pytest.mark.parametrize("undefined", ["keep", "skip"])
@given(problem=problems())
@settings(max_examples=draws(60), deadline=None)
def test_same_as_the_naive_definition(undefined, problem):
    truth, predicted, scores = problem
    found = evaluate(truth, predicted, scores, undefined=undefined)
    for name in BY_SCORES:
        expected = naive.by_scores(name, truth, scores, undefined)
        assert found[name] == pytest.approx(expected, nan_ok=True), name


@pytest.mark.filterwarnings("ignore:.*macro_auc is the mean over the others")
@given(problem=problems())
@settings(max_examples=draws(30), deadline=None)
def test_each_function_returns_what_evaluate_does(problem):
    truth, predicted, scores = problem
    found = evaluate(truth, predicted, scores)
    assert list(found) == [*BY_PREDICTIONS, *BY_SCORES]
    for name in BY_PREDICTIONS:
        assert getattr(metrics, name)(truth, predicted) == found[name]
    for name in BY_SCORES:
        function, at, k = name.partition("_at_")
        if at:
            one = getattr(metrics, f"{function}_at")(truth, scores, int(k))
        else:
            one = getattr(metrics, name)(truth, scores)
        assert one == found[name]


@given(problem=problems())
@settings(max_examples=draws(60), deadline=None)
def test_rare_labels_count_more_where_propensities_are_given(problem):
    truth, predicted, scores = problem
    likely = metrics.propensities(truth)
    inverse = (
        1 + (np.log(len(truth)) - 1) * 2.5**0.55 * (truth.sum(axis=0) + 1.5) ** -0.55
    )
    np.testing.assert_allclose(likely, 1 / inverse)
    likely = np.linspace(0.2, 1.0, truth.shape[1])
    found = evaluate(truth, predicted, scores, propensities=likely)
    for name in metrics.BY_PROPENSITIES:
        k = int(name[-1])
        expected = naive.psp_at(truth, scores, likely, k)
        assert found[name] == pytest.approx(expected, nan_ok=True)
        one = metrics.psp_at(truth, scores, likely, k)
        assert one == pytest.approx(expected, nan_ok=True)


def test_places_and_propensities_are_looked_at():
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        metrics.precision_at(Y, S, 0)
    with pytest.raises(ValueError, match=r"shape \(1,\), expected one for each of the"):
        metrics.psp_at(Y, S, [0.5])


@given(problem=problems(), seed=st.integers(0, 99))
@settings(max_examples=draws(30), deadline=None)
def test_order_of_rows_and_scale_of_scores_do_not_matter(problem, seed):
    truth, predicted, scores = problem
    shuffled = np.random.default_rng(seed).permutation(len(truth))
    one = evaluate(truth, predicted, scores)
    other = evaluate(truth[shuffled], predicted[shuffled], 8 * scores[shuffled] - 3)
    assert one == pytest.approx(other)


@given(problems())
def test_the_two_coverages_differ_by_the_share_of_rows_with_labels(problem):
    truth, _, scores = problem
    gap = metrics.coverage_error(truth, scores) - metrics.coverage(truth, scores)
    assert gap == pytest.approx(truth.any(axis=1).mean())


def test_sparse_and_boolean_truth_are_read():
    expected = evaluate(Y, Z, S)
    assert evaluate(sparse.csr_matrix(Y), sparse.csr_matrix(Z), S) == expected
    assert evaluate(Y.astype(bool), Z.tolist(), S.tolist()) == expected


def test_labels_of_one_class_are_left_out_of_the_auc_and_named():
    truth = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 0]])
    scores = np.array([[0.9, 0.1, 0.2], [0.3, 0.2, 0.1], [0.2, 0.3, 0.3]])
    with pytest.warns(UserWarning, match="2 of 3 labels have no row with them or no"):
        assert metrics.macro_auc(truth, scores) == 0.5
    alone = metrics.macro_auc(truth[:, :1], scores[:, :1])
    assert evaluate(truth, truth, scores)["macro_auc"] == alone


@given(problem=problems())
@settings(max_examples=draws(30), deadline=None)
def test_auc_is_that_of_scikit_learn(problem):
    truth, _, scores = problem
    both = (truth.any(axis=0)) & ~(truth.all(axis=0))
    if both.any():
        expected = np.mean(
            [
                sk.roc_auc_score(truth[:, label], scores[:, label])
                for label in np.flatnonzero(both)
            ]
        )
        found = evaluate(truth, truth, scores)["macro_auc"]
        assert found == pytest.approx(expected)


def test_scores_are_optional():
    assert list(evaluate(Y, Z)) == list(BY_PREDICTIONS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Y, Z[:, :2]), r"Y has shape \(5, 4\) and predictions have shape \(5, 2\)"),
        ((Y, 2 * Z), "predictions must be a matrix of 0 and 1"),
        ((Y, Z, S[:, :2]), r"scores have shape \(5, 2\)"),
        ((Y, Z, S[:3]), "inconsistent numbers of samples"),
        ((Y, Z, np.full(Y.shape, np.nan)), "Input scores contains NaN"),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate(*arguments)


def test_wrong_options_are_named():
    with pytest.raises(ValueError, match="'keep' or 'skip', got 'drop'"):
        metrics.coverage(Y, S, undefined="drop")
    with pytest.raises(ValueError, match="Unknown measure 'f2'; expected one of hamm"):
        scorer("f2")


def _problem(n_labels):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 6))
    return X, (X[:, :n_labels] + (rng.random((60, n_labels)) < 0.1)) % 2


@pytest.mark.parametrize("name", ["hamming_loss", "average_precision"])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_scorers_work_in_a_grid_search(name, n_labels):
    X, truth = _problem(n_labels)
    folds = list(KFold(3).split(X))
    grid = {"smoothing": [0.1, 1e3]}
    search = GridSearchCV(MLNB(), grid, scoring=scorer(name), cv=folds)
    search.fit(X, truth)
    for smoothing, found in zip(
        grid["smoothing"], search.cv_results_["mean_test_score"], strict=True
    ):
        parts = []
        for train, test in folds:
            fitted = MLNB(smoothing=smoothing).fit(X[train], truth[train])
            scores = fitted.label_scores(X[test])
            parts.append(evaluate(truth[test], fitted.predict(X[test]), scores)[name])
        sign = -1 if name == "hamming_loss" else 1
        assert found == pytest.approx(sign * np.mean(parts))


@pytest.mark.parametrize("estimator", [MLNB(), RankSVM(), KNeighborsClassifier()])
def test_scorers_are_signed_measures(estimator):
    X, truth = _problem(3)
    fitted = estimator.fit(X, truth)
    scores = label_scores(fitted, X)
    expected = evaluate(truth, fitted.predict(X), scores)
    for name, value in expected.items():
        again = pickle.loads(pickle.dumps(scorer(name)))
        assert again(fitted, X, truth) == again.sign * value
        assert again.sign == (
            -1 if "loss" in name or "err" in name or name == "coverage" else 1
        )
