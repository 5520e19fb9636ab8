"""What random calls found, each mended where all calls pass."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.tree import DecisionTreeClassifier

import labelsieve as ls
from labelsieve import metrics
from labelsieve.classifiers import PathPredictor
from labelsieve.reading import Features

GENERATOR = np.random.default_rng(0)
X = GENERATOR.integers(0, 2, (20, 4)).astype(float)
Y = GENERATOR.integers(0, 2, (20, 3))


@pytest.mark.parametrize(
    ("selections", "n_features", "error", "message"),
    [
        ([[0], [1]], 2.5, TypeError, "n_features must be a whole number"),
        ([[0], [1]], 0, ValueError, "n_features must be at least 1"),
        ([[0], [5]], 5, ValueError, "between 0 and 4, got 5"),
        ([[0], [-1]], 5, ValueError, "between 0 and 4, got -1"),
        ([[0], [0.5]], 5, ValueError, "list of feature indices"),
        ([[0], None], 5, ValueError, "list of feature indices"),
    ],
)
def test_stability_of_what_is_no_selection(selections, n_features, error, message):
    with pytest.raises(error, match=message):
        metrics.stability(selections, n_features)


@pytest.mark.parametrize(
    "column", [[["a", "b"], ["a"]], np.array([1, None], dtype=object), [1j, 2j], None]
)
def test_information_of_what_is_no_column(column):
    with pytest.raises(ValueError, match="expected"):
        ls.mutual_information(column, [0, 1])


def test_information_of_objects():
    objects = np.array(["a", "a", "b", "b"], dtype=object)
    assert ls.entropy(objects, base=2) == pytest.approx(1.0)


@pytest.mark.parametrize("order", [[7], [-1]])
def test_a_path_of_features_that_do_not_exist(order):
    with pytest.raises(ValueError, match="order must name features of X, which has 4"):
        ls.path_scores(ls.MLNB(), X, Y, X, order, [1])


@pytest.mark.parametrize("n_permutations", ["2", 1.5, True, None])
def test_permutations_are_counted(n_permutations):
    with pytest.raises(TypeError, match="n_permutations must be a whole number"):
        ls.permutation_p_values(ls.FIMF(), X, Y, n_permutations=n_permutations)


def test_permutations_of_other_rows():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ls.permutation_p_values(ls.FIMF(), X, Y[:5])
    with pytest.raises(ValueError, match="y is None"):
        ls.permutation_p_values(ls.FIMF(), X, None)


def test_permutations_of_sets_of_labels():
    tags = [["a"] if label else ["b"] for label in Y[:, 0]]
    found = ls.permutation_p_values(ls.FIMF(), X, tags, n_permutations=3)
    assert found.p_family.shape == (X.shape[1],)


@pytest.mark.parametrize("wrong", [BernoulliNB(), ls.MLNB(), ls.FIMF, "fimf", 3])
def test_what_is_no_selector(wrong):
    with pytest.raises(TypeError, match="selector"):
        ls.SizeCV(wrong).fit(X, Y)
    with pytest.raises(TypeError, match="selector"):
        ls.StabilitySelection(wrong).fit(X, Y)
    with pytest.raises(TypeError, match="needs a selector"):
        ls.permutation_p_values(wrong, X, Y)


@pytest.mark.parametrize(
    "table",
    [
        np.array([[10**400], [1]], dtype=object),
        [[10**400], [1]],
        pd.DataFrame({"a": [10**400, 1]}),
    ],
    ids=["array", "list", "pandas"],
)
def test_whole_numbers_that_no_float_holds(table):
    with pytest.raises(ValueError, match="too large for dtype"):
        ls.FIMF().fit(table, [0, 1])


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="rows of equally many numbers, got a list"):
        ls.FIMF().fit([[1, 2], [3]], [0, 1])


def test_columns_of_lists():
    with pytest.raises(ValueError, match=r"column 'a' has dtype List"):
        ls.FIMF().fit(pl.DataFrame({"a": [[1], [2, 3]]}), [0, 1])


@pytest.mark.parametrize("form", ["dok", "lil", "csc", "bsr"])
def test_one_sparse_column_of_several_classes(form):
    y = np.tile([0, 1, 2, 2], 5)
    classifier = ls.BRkNN(1).fit(X, sp.csr_array(y.reshape(-1, 1)).asformat(form))
    expected = ls.BRkNN(1).fit(X, y.reshape(-1, 1)).predict(X)
    np.testing.assert_array_equal(classifier.predict(X), expected)


@pytest.mark.parametrize("form", ["bsr", "dia", "coo", "lil"])
def test_row_blocks_with_sparse_labels_in_memory(form):
    table = da.from_array(X, chunks=(10, -1))
    labels = sp.csr_array(Y).asformat(form)
    found = ls.FIMF(2).fit(table, labels).scores_
    np.testing.assert_array_equal(found, ls.FIMF(2).fit(X, Y).scores_)


@pytest.mark.parametrize(
    "classifier", [ls.MLNB(kind="gaussian"), ls.RankSVM(solver="linear")], ids=repr
)
def test_squares_that_overflow(classifier):
    with pytest.raises(ValueError, match="sums of squares overflow"):
        classifier.fit(X * 1e300, Y)


@pytest.mark.parametrize(
    "classifier", [ls.CCkNN(3), ls.BRkNN(3), ls.MLkNN(3)], ids=repr
)
@pytest.mark.parametrize("larger", ["reference rows", "queries"])
def test_distances_that_overflow(classifier, larger):
    # Nothing is nearest at an infinite distance, and the kernel went astray.
    rows, queries = (X, X * 1e300) if larger == "queries" else (X * 1e300, X)
    with pytest.raises(ValueError, match="overflow"):
        classifier.fit(rows, Y).predict(queries)


@pytest.mark.parametrize("classifier", [ls.EMCFS(), ls.LIFT()], ids=repr)
def test_linear_svm_that_would_not_come_back(classifier):
    with pytest.raises(ValueError, match="squares of sums of squares overflow"):
        classifier.fit(X * 1e90, Y)


def test_rows_that_are_fitted_exactly():
    table = [
        [9, 3, 0, 1, 1, 1, -2, 0],
        [-9, 3, 0, 1, 1, 1, 1, 1],
        [9, -2, 1, 1, 1, 0, 2, 0],
        [-9, -3, 0, 1, 0, 0, -1, 1],
        [-9, -3, 0, 1, 0, 0, -3, 0],
    ]
    scores = ls.RFS(1, max_iter=60).fit(table, [0, 0, 0, 1, 0]).scores_
    assert np.isfinite(scores).all()


def test_means_that_overflow():
    with pytest.raises(ValueError, match="Distances overflow"):
        ls.MLkNN(2).fit(X * 1e308 - 0.5, Y)


def test_bins_that_no_row_falls_into():
    table = np.r_[np.zeros(10), np.ones(9), 7.0].reshape(-1, 1)
    scores = ls.Sieve(1, n_bins=7, binning="uniform").fit(table, Y).scores_
    assert np.isfinite(scores).all()


def test_no_information_on_the_simplex():
    noise = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (5, 1))
    label = np.repeat([0, 1, 1, 0, 1], 4)
    found = ls.MLQPFS(1, correction="chi2", normalize="simplex").fit(noise, label)
    assert np.isfinite(found.scores_).all()


def test_a_similarity_of_no_pairs():
    with pytest.raises(ValueError, match="similarity must return"):
        ls.EMCFSDensity(similarity=np.sum).fit(X, Y)


def test_whole_numbers_beyond_floats_along_a_path():
    table = pd.DataFrame({"a": [10**400, 1, 2, 3]}, dtype=object)
    with pytest.raises(ValueError, match=r"1329 bits in column 'a'"):
        ls.path_scores(ls.MLkNN(1), table, Y[:4], table, [0], [1])


def test_rows_in_blocks_without_any_label():
    table = da.from_array(X, chunks=(10, -1))
    transformation = ls.EntropyLabelAssignment()
    selector = ls.TransformationSelector(
        1, transformation=transformation, score_func="mutual_information"
    )
    with pytest.warns(UserWarning, match="No label is left"):
        assert selector.fit(table, np.zeros((len(X), 1))).scores_.sum() == 0


def test_transform_before_a_fit_that_would_be_refused():
    with pytest.raises(NotFittedError):
        ls.PMU(missing=np.array([1, 2])).transform(X)


@pytest.mark.parametrize("table", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_no_threads(table):
    with pytest.raises(ValueError, match="n_jobs must be 1 or more"):
        ls.FIMF(1, n_jobs=0).fit(table, Y)


@pytest.mark.parametrize("labels", [["no", "yes"] * 10, [["no"], ["yes"]] * 10])
def test_text_as_labels_along_a_path(labels):
    with pytest.raises(ValueError, match="0/1 matrix with one column per label"):
        ls.path_scores(BernoulliNB(), X, np.array(labels), X, [0], [1])


def test_variances_that_vanish():
    classifier = ls.MLNB(kind="gaussian").fit(X * 1e-160, Y)
    assert classifier.predict(X * 1e-160).shape == Y.shape


def test_masked_numbers_whose_filling_overflows():
    table = np.ma.masked_array(X.astype(np.int8), mask=X > 0, fill_value=100)
    table = table.astype(np.float16)
    assert ls.FIMF(1).fit(table, Y).order_.size == X.shape[1]


@pytest.mark.parametrize("chooser", [ls.SizeCV, ls.StabilitySelection])
def test_choosers_look_at_the_parameters_of_their_selector(chooser):
    with pytest.raises(ValueError, match="'exclude' parameter of GRRO"):
        chooser(ls.GRRO(exclude=np.float32(0.5))).fit(X, Y)


def test_labels_beside_row_blocks_that_are_no_table():
    with pytest.raises((ValueError, TypeError), match="y"):
        ls.FIMF(1).fit(da.from_array(X, chunks=(10, -1)), {})


def test_a_path_looks_at_the_parameters_of_its_classifier():
    with pytest.raises(ValueError, match="'kind' parameter of MLNB"):
        ls.path_scores(ls.MLNB(kind="other"), X, Y, X, [0], [1])


@pytest.mark.parametrize("measure", [*metrics.BY_PREDICTIONS, *metrics.BY_SCORES])
def test_sizes_are_chosen_by_every_measure(measure):
    found = ls.SizeCV(ls.FIMF(), measure=measure, sizes=[1, 3], cv=2).fit(X, Y)
    assert found.n_features_ in (1, 3)


def test_truth_with_rows_of_different_lengths():
    with pytest.raises(ValueError, match="Y has rows of 1 to 2 cells"):
        metrics.average_precision([[1, 2], [3]], [[0.1, 0.2], [0.3, 0.4]])


@pytest.mark.filterwarnings("error:overflow", "ignore:all 2 features")
def test_weights_that_are_all_zero():
    labels = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    fitted = ls.MDFS(1, alpha=1e-9, gamma=10.0, max_iter=4).fit(np.ones((4, 2)), labels)
    assert np.isfinite(fitted.scores_).all()


@pytest.mark.parametrize("kind", [sp.dok_array, sp.lil_matrix, sp.coo_matrix])
def test_labels_that_are_not_known_in_any_sparse_form(kind):
    marked = ls.with_unknown(kind(np.where(Y[:, 1:2], -1, Y)), -1)
    assert np.isnan(marked.toarray()[Y[:, 1] == 1]).all()
    zero = ls.with_unknown(kind(Y), 0)
    np.testing.assert_array_equal(np.isnan(zero), Y == 0)


def test_what_stands_for_unknown_labels_is_one_value():
    with pytest.raises(TypeError, match="unknown is a list"):
        ls.with_unknown(pd.DataFrame(Y), [1])
    with pytest.raises(ValueError, match="rows with equally many values"):
        ls.with_unknown([[1, 2], [3]], 0)


def test_unknown_labels_along_a_path():
    labels = Y.astype(object)
    labels[0, 0] = None
    with pytest.raises(ValueError, match="BernoulliNB"):
        ls.path_scores(BernoulliNB(), X, labels, X, [0], [1])


@pytest.mark.parametrize(
    "wrong", [{"n_splits": 0}, {"n_splits": "2"}, {"tolerance": -1}, {"budget": -1}]
)
def test_quality_looks_at_its_parameters(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter of evaluate_selection"):
        ls.evaluate_selection(ls.FIMF(1), X, Y, **wrong)


def test_quality_of_a_selector_with_arrays_among_its_parameters():
    selector = ls.make_selector("br+mi", exclude=np.array([1, 2]))
    assert ls.evaluate_selection(selector, X, Y, n_splits=2, budget=0.1).classifiers


def test_a_separator_that_is_no_text():
    with pytest.raises(TypeError, match="separator is a int"):
        ls.split_tags(["a;b"], 3)


def test_classifiers_look_at_the_parameters_of_their_classifier():
    with pytest.raises(ValueError, match="'max_iter' parameter of RankSVM"):
        ls.EMCFS(classifier=ls.RankSVM(max_iter="")).fit(X, Y)


@pytest.mark.parametrize("estimator", [ls.BRkNN, ls.ReliefFML])
def test_true_is_no_number_of_neighbours(estimator):
    with pytest.raises(ValueError, match=r"n_neighbors.* Got True instead"):
        estimator(n_neighbors=True).fit(X, Y)


def test_numbers_whose_squares_vanish_do_not_hang():
    with pytest.raises(ValueError, match="squares underflow"):
        ls.EMCFS().fit(sp.csr_matrix(X[:, :1] * 1e-320), Y)


def test_scores_that_float64_does_not_hold():
    with pytest.raises(ValueError, match="too large for float64"):
        metrics.coverage([[1, 0]], pd.DataFrame([[10**400, 1]], dtype=object))


def test_weights_of_labels_in_a_core_and_more():
    sieve = ls.Sieve(label_weight=[1.0, 0.0, 2.0])
    found = ls.LabelSpecificSelector(sieve, n_shared=1, n_specific=1).fit(X, Y)
    assert found.label_support_.shape == (3, 4)
    with pytest.raises(ValueError, match="a number for each target"):
        ls.Sieve(1, label_weight={}).fit(X, Y)


def test_as_many_bins_as_nobody_needs():
    with pytest.raises(ValueError, match=r"'n_bins' .* range \[2, 65536\]"):
        ls.FIMF(1, n_bins=10**9).fit(X, Y)


def test_folds_that_are_text():
    with pytest.raises(ValueError, match="expected a number or a splitter"):
        ls.SizeCV(ls.FIMF(), cv="").fit(X, Y)


@pytest.mark.parametrize("labels", [None, 3, {"a": [1, 2]}])
def test_folds_of_what_are_no_labels(labels):
    with pytest.raises((ValueError, TypeError)):
        next(ls.LabelFolds(2).split(X, labels))


def test_rounds_of_rows_of_different_lengths():
    with pytest.raises(ValueError, match="rows of equally many"):
        ls.permutation_p_values(ls.FIMF(1), [[1, 2], [3]], [[0, 1], [1, 0]])


def test_labels_that_vary_may_all_count_nothing():
    labels = np.column_stack([[0, 1] * 3, np.ones(6, dtype=int)])
    with pytest.warns(UserWarning, match="the same value in every row"):
        fitted = ls.Sieve(2, label_weight=[0, 1]).fit(np.eye(6), labels)
    assert np.isfinite(fitted.scores_).all()


def test_blocks_of_features_that_never_vary():
    lazy = da.from_array(np.full((30, 1), 7.0), chunks=(10, 1))
    with pytest.warns(UserWarning, match="same value in every row"):
        assert ls.Sieve(1).fit(lazy, np.tile([0, 1], 15)).order_.tolist() == [0]


@pytest.mark.parametrize(
    "classifier", [BernoulliNB(), LogisticRegression(), DecisionTreeClassifier()]
)
@pytest.mark.parametrize("shape", [(20,), (20, 1)])
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_one_label_and_a_classifier_of_scikit_learn(classifier, shape):
    """They predict a 1d array, and probabilities of 0 beside those of 1."""
    label = X[:, 2].astype(int)
    found = ls.SizeCV(ls.FIMF(), classifier, measure="one_error", cv=2)
    assert found.fit(X, label.reshape(shape)).order_[0] == 2
    predictor = PathPredictor(Features(X), label.reshape(-1, 1), classifier, False)
    rows = np.arange(20)
    path = predictor.path(rows, rows, np.array([2]), np.array([1]))
    assert path.predictions[0, :, 0].tolist() == label.tolist()
    assert path.scores[0, label == 1].min() > path.scores[0, label == 0].max()


@pytest.mark.parametrize(
    "targets", [np.empty((20, 0), int), pd.DataFrame(index=range(20)), [[]] * 20]
)
@pytest.mark.parametrize(
    "call",
    [
        lambda y: ls.SizeCV(ls.FIMF(), ls.MLNB()).fit(X, y),
        lambda y: ls.StabilitySelection(ls.FIMF()).fit(X, y),
        lambda y: ls.permutation_p_values(ls.FIMF(), X, y),
        lambda y: ls.evaluate_selection(ls.FIMF(), X, y),
        lambda y: list(ls.LabelFolds(2).split(X, y)),
    ],
)
def test_no_targets(call, targets):
    with pytest.raises(ValueError, match="Found 0 targets in y while a minimum of 1"):
        call(targets)


@pytest.mark.parametrize("redundancy", [None, "residual"])
def test_importances_that_are_no_numbers(redundancy):
    def nothing(model, X, Y):
        return np.full(X.shape[1], np.nan)

    selector = ls.SelectByModel("logistic", importance=nothing, redundancy=redundancy)
    with pytest.raises(ValueError, match="returned NaN, not numbers"):
        selector.fit(X, Y)


def test_targets_without_samples():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[20, 0\]"):
        ls.SizeCV(ls.FIMF(), ls.MLNB()).fit(X, [])
    with pytest.raises(ValueError, match="known in any sample"):
        list(ls.LabelFolds(2).split(X, []))


def test_targets_that_are_no_table():
    with pytest.raises(ValueError, match="should have one column per label"):
        ls.SizeCV(ls.FIMF(), ls.MLNB()).fit(X, {"a": 1})


def test_labels_in_blocks_are_those_in_memory():
    blocks = da.from_array(X, chunks=(5, 4)), da.from_array(Y, chunks=(5, 3))
    folds = [test.tolist() for _, test in ls.LabelFolds(2, random_state=0).split(X, Y)]
    splits = ls.LabelFolds(2, random_state=0).split(*blocks)
    assert [test.tolist() for _, test in splits] == folds
    selector = ls.StabilitySelection(ls.FIMF(2), random_state=0)
    ours, theirs = (clone(selector).fit(*data) for data in ((X, Y), blocks))
    assert ours.order_.tolist() == theirs.order_.tolist()
    with pytest.raises(TypeError, match="y is a Dask collection and X is not"):
        ls.SizeCV(ls.FIMF(), ls.MLNB()).fit(X, blocks[1])


def test_more_features_of_a_label_than_there_are():
    found = ls.LabelSpecificSelector(ls.FIMF(), n_shared=1, n_specific=10**9).fit(X, Y)
    assert found.specific_table_.shape == (3, 4)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_no_number_is_the_text_that_stands_for_unknown(make):
    table = make({"a": [1, 0, -1], "b": ["1", "x", "0"], "c": [True, False, True]})
    found = ls.with_unknown(table, "x")
    assert found["a"].to_list() == [1, 0, -1]
    assert pd.isna(found["b"].to_list()).tolist() == [False, True, False]
    assert found["c"].to_list() == [True, False, True]
    found = ls.with_unknown(table, -1)
    assert pd.isna(found["a"].to_list()).tolist() == [False, False, True]
    assert found["b"].to_list() == ["1", "x", "0"]


@pytest.mark.parametrize("seed", range(20))
def test_a_quadratic_program_without_curvature(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(2, 9)), [0, 1]
    selector = ls.MLQPFS(2, correction="chi2", n_bins=5, psd="shift")
    assert np.isfinite(selector.fit(X, y).scores_).all()
