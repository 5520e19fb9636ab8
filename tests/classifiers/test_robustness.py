"""What all classifiers do with unusual labels and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelsieve.classifiers import (
    EMCFS,
    LIFT,
    MLNB,
    BRkNN,
    BRLogistic,
    CCkNN,
    MLkNN,
    RankSVM,
    label_scores,
    path_scores,
)
from tests.classifiers.problems import continuous

ALL = [
    MLNB(),
    MLNB("categorical"),
    MLkNN(3),
    BRkNN(),
    CCkNN(random_state=0),
    EMCFS(),
    LIFT(random_state=0),
    RankSVM(),
    RankSVM(solver="linear"),
    BRLogistic(),
]


@pytest.fixture(params=ALL, ids=str)
def classifier(request):
    return clone(request.param)


def test_absent_and_universal_labels_warn_and_are_predicted_so(classifier):
    X, Y = continuous(n=30)
    Y[:, 0], Y[:, 2] = 0, 1
    with pytest.warns(UserWarning, match="2 of 3 labels .* predicted so: 0, 2"):
        classifier.fit(X, Y)
    predicted = classifier.predict(X)
    assert not predicted[:, 0].any()
    assert predicted[:, 2].all()
    scores = classifier.label_scores(X)
    assert np.isfinite(scores).all()
    assert (scores[:, 2] > scores[:, 0]).all()


@pytest.mark.parametrize("value", [0, 1])
def test_all_labels_constant(classifier, value):
    X, _ = continuous(n=10)
    with pytest.warns(UserWarning, match="3 of 3 labels"):
        classifier.fit(X, np.full((10, 3), value))
    assert (classifier.predict(X) == value).all()


def test_one_row_with_a_label_and_one_without(classifier):
    X, Y = continuous(n=12)
    Y[:, 0], Y[:, 1] = 0, 1
    Y[4, 0], Y[5, 1] = 1, 0
    assert np.isfinite(classifier.fit(X, Y).label_scores(X)).all()


def test_two_rows_are_enough(classifier):
    X, Y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1, 0], [0, 1]])
    assert classifier.fit(X, Y).predict(X).shape == (2, 2)


def test_forms_of_labels_do_not_matter(classifier):
    X, Y = continuous(n=30)
    expected = clone(classifier).fit(X, Y).predict(X)
    for other in (Y.astype(bool), sparse.csr_matrix(Y), 1.0 * Y, Y.tolist()):
        np.testing.assert_array_equal(
            clone(classifier).fit(X, other).predict(X), expected
        )
    frame = pd.DataFrame(Y, columns=list("abc"))
    np.testing.assert_array_equal(clone(classifier).fit(X, frame).predict(X), expected)


def test_tables_with_text_are_read_alike_in_training_and_prediction(classifier):
    X, Y = continuous(n=30)
    table = pd.DataFrame(X, columns=[f"x{f}" for f in range(5)])
    table["colour"] = np.where(Y[:, 0], "red", "blue")
    fitted = classifier.fit(table, Y)
    some = fitted.label_scores(table.iloc[2:7])
    np.testing.assert_allclose(some, fitted.label_scores(table)[2:7], atol=1e-8)


def test_pickles_predict_the_same(classifier):
    X, Y = continuous(n=30)
    fitted = classifier.fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.label_scores(X), fitted.label_scores(X))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (np.zeros((30, 0)), "Found 0 labels"),
        (np.zeros((29, 2)), "inconsistent numbers of samples"),
        (np.full((30, 2), 0.37), "Unknown label type"),
        (
            np.tile([[0, 1], [1, 2], [2, 0]], (10, 1)),
            "takes no classes, and the target .* has 3 values",
        ),
        ([[1], 2] * 15, "lists of tags in some rows"),
    ],
)
def test_labels_that_do_not_fit_are_named(classifier, y, message):
    X, _ = continuous(n=30)
    with pytest.raises(ValueError, match=message):
        classifier.fit(X, y)


@pytest.mark.parametrize("codes", [(-1, 1), (1, 2), ("absent", "present")])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_predictions_are_in_the_codes_that_were_given(classifier, codes, make):
    if make is sparse.csr_matrix and codes[0] == "absent":
        pytest.skip("text is never sparse")
    X, Y = continuous(n=40)
    expected = np.where(clone(classifier).fit(X, Y).predict(X), codes[1], codes[0])
    fitted = classifier.fit(X, make(np.where(Y, codes[1], codes[0])))
    np.testing.assert_array_equal(fitted.predict(X), expected)
    assert fitted.predict(X).dtype == expected.dtype
    assert [list(known) for known in fitted.classes_] == [list(codes)] * Y.shape[1]


def test_a_constant_label_is_predicted_in_its_code(classifier):
    X, Y = continuous(n=40)
    Y = np.where(Y, 1, -1)
    Y[:, 0], Y[:, 1] = -1, 1
    with pytest.warns(UserWarning, match="2 of"):
        predicted = classifier.fit(X, Y).predict(X)
    np.testing.assert_array_equal(predicted[:, :2], [[-1, 1]] * 40)
    assert set(np.unique(predicted)) == {-1, 1}


@pytest.mark.parametrize(
    "estimator",
    [
        MLkNN(3),
        KNeighborsClassifier(3),
        RankSVM(),
        DecisionTreeClassifier(random_state=0),
    ],
    ids=str,
)
def test_a_path_reads_other_codes_as_0_and_1(estimator):
    X, Y = continuous(n=40)
    order, sizes = np.arange(X.shape[1]), [1, X.shape[1]]
    expected = path_scores(estimator, X, Y, X, order, sizes)
    found = path_scores(estimator, X, np.where(Y, 1, -1), X, order, sizes)
    np.testing.assert_array_equal(found.predictions, expected.predictions)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_column_of_three_classes_is_a_single_target(classifier):
    X, _ = continuous(n=30)
    y = np.argmax(X[:, :3], axis=1)
    fitted = classifier.fit(X, y[:, None])
    assert fitted.predict(X).shape == (30, 1)
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2])


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3),
        MultiOutputClassifier(KNeighborsClassifier(3)),
        make_pipeline(MinMaxScaler(), MLkNN(3)),
        make_pipeline(MinMaxScaler(), RankSVM()),
    ],
    ids=str,
)
def test_label_scores_of_other_estimators(estimator):
    X, Y = continuous(n=30)
    fitted = estimator.fit(X, Y)
    scores = label_scores(fitted, X)
    half = 0.0 if hasattr(fitted, "decision_function") else 0.5
    assert scores.shape == Y.shape
    np.testing.assert_array_equal(scores > half, fitted.predict(X) == 1)


def test_label_scores_of_labels_that_were_constant():
    X, Y = continuous(n=30)
    Y[:, 0], Y[:, 1] = 0, 1
    scores = label_scores(KNeighborsClassifier(3).fit(X, Y), X)
    np.testing.assert_array_equal(scores[:, :2], [[0.0, 1.0]] * 30)


def test_label_scores_without_scores_are_predictions():
    X, Y = continuous(n=30)
    fitted = MultiOutputClassifier(LinearSVC(random_state=0)).fit(X, Y)
    np.testing.assert_array_equal(label_scores(fitted, X), fitted.predict(X))
