"""SizeCV: the same as fitting each size, the two rules, the curve."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier

from labelsieve import FIMF, PMU
from labelsieve.choosing import SizeCV
from labelsieve.classifiers import MLNB, MLkNN
from labelsieve.datasets import make_multilabel
from labelsieve.metrics import average_precision, hamming_loss


@pytest.fixture(scope="module")
def planted():
    X, Y, _ = make_multilabel(150, 3, n_relevant=6, n_noise=20, random_state=1)
    return X, Y


@pytest.mark.parametrize("measure", ["average_precision", "hamming_loss"])
@pytest.mark.parametrize(
    "classifier",
    [MLNB(), MLkNN(3), OneVsRestClassifier(LogisticRegression())],
    ids=lambda c: type(c).__name__,
)
def test_values_are_those_of_separate_fits(classifier, measure, planted):
    X, Y = planted
    folds = KFold(3)
    search = SizeCV(PMU(), classifier, measure, sizes=[2, 5], cv=folds).fit(X, Y)
    for row, (train, test) in zip(search.values_, folds.split(X), strict=True):
        for value, size in zip(row, search.sizes_, strict=True):
            chosen = PMU(int(size)).fit(X[train], Y[train]).order_[:size]
            model = clone(classifier).fit(X[train][:, chosen], Y[train])
            if measure == "hamming_loss":
                expected = hamming_loss(Y[test], model.predict(X[test][:, chosen]))
            else:
                said = (
                    model.label_scores(X[test][:, chosen])
                    if hasattr(model, "label_scores")
                    else model.decision_function(X[test][:, chosen])
                )
                expected = average_precision(Y[test], said)
            assert value == pytest.approx(expected)


def test_the_best_size_wins_and_is_fitted_on_all_rows(planted):
    X, Y = planted
    search = SizeCV(FIMF(), MLNB(), sizes=[1, 4, 20], random_state=0).fit(X, Y)
    best = search.sizes_[search.values_.mean(axis=0).argmax()]
    assert search.n_features_ == best == search.support_.sum()
    np.testing.assert_array_equal(search.support_, FIMF(int(best)).fit(X, Y).support_)
    assert search.transform(X).shape == (150, best)
    np.testing.assert_array_equal(search.ranking_, search.selector_.ranking_)
    np.testing.assert_array_equal(search.scores_, search.selector_.scores_)


@pytest.mark.parametrize("measure", ["average_precision", "ranking_loss"])
def test_one_standard_error_takes_the_smallest_of_equals(measure, planted):
    X, Y = planted
    search = SizeCV(FIMF(), MLNB(), measure, rule="one_standard_error", random_state=0)
    search.fit(X, Y)
    sign = -1 if measure == "ranking_loss" else 1
    mean = sign * search.values_.mean(axis=0)
    spread = search.values_[:, mean.argmax()].std(ddof=1) / np.sqrt(5)
    good = search.sizes_[mean >= mean.max() - spread]
    assert search.n_features_ == good.min()


def test_default_sizes_reach_all_features(planted):
    search = SizeCV(FIMF(), MLNB(), cv=2, random_state=0).fit(*planted)
    assert search.sizes_[0] == 1
    assert search.sizes_[-1] == planted[0].shape[1]


def test_curve_marks_the_choice(planted):
    search = SizeCV(FIMF(), MLNB(), sizes=[1, 4], cv=2, random_state=0).fit(*planted)
    display = search.curve()
    assert display.chosen == search.n_features_
    np.testing.assert_allclose(display.curves["FIMF"].mean, search.values_.mean(axis=0))


@pytest.mark.parametrize("sizes", [[0, 3], [1.5], []])
def test_wrong_sizes_are_refused(sizes, planted):
    with pytest.raises(ValueError, match="sizes must be whole numbers"):
        SizeCV(FIMF(), MLNB(), sizes=sizes).fit(*planted)


def test_sizes_beyond_the_features_mean_all(planted):
    search = SizeCV(FIMF(), MLNB(), sizes=[3, 1000, 2000], cv=2).fit(*planted)
    assert search.sizes_.tolist() == [3, planted[0].shape[1]]
    assert not search.at_limit_


@pytest.mark.parametrize(("sizes", "at_limit"), [([1], True), ([1, 26], False)])
def test_limits_are_noticed(sizes, at_limit):
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(40, 26)), random.integers(0, 2, (40, 2))
    Y[:, 0] = X[:, 0] > 0
    search = SizeCV(FIMF(), MLNB(), sizes=sizes, cv=2, random_state=0).fit(X, Y)
    assert search.at_limit_ == at_limit
