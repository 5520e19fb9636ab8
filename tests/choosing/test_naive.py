"""SizeCV, StabilitySelection and p-values, against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_selection import f_classif
from sklearn.model_selection import KFold

from labelsieve import FIMF, PMU, BinaryRelevance, TransformationSelector
from labelsieve.choosing import SizeCV, StabilitySelection, permutation_p_values
from labelsieve.classifiers import MLNB, MLkNN
from labelsieve.selectors import MLRF
from tests.naive import choosing as naive
from tests.naive.discretization import code_column
from tests.naive.experiments import nogueira

pytestmark = pytest.mark.filterwarnings("ignore:.*labels (have the same|are absent)")


def problem(random, kind="words"):
    n_rows = int(random.integers(20, 60))
    Y = (random.random((n_rows, 3)) < 0.4).astype(int)
    X = random.integers(0, 2, (n_rows, 7))
    X[:, 2] = Y[:, 0] ^ (random.random(n_rows) < 0.1)
    X[:, 5] = Y[:, 1]
    return (X if kind == "words" else X + random.random(X.shape)), Y


def coded(X):
    return np.column_stack([code_column(column, 2, "quantile") for column in X.T])


@pytest.mark.parametrize("rule", ["best", "one_standard_error"])
@pytest.mark.parametrize("classifier", [MLNB(), MLkNN(3)], ids=repr)
@pytest.mark.parametrize("measure", ["average_precision", "hamming_loss", "coverage"])
def test_size_cv(rule, classifier, measure, random):
    X, Y = problem(random)
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    values, size = naive.size_cv(
        PMU(), classifier, measure, [1, 2, 4, 7], folds, rule, X, Y
    )
    search = SizeCV(
        PMU(), classifier, measure, sizes=[7, 1, 4, 2], rule=rule, cv=3, random_state=1
    ).fit(sp.csr_array(X) if rule == "best" else X, Y)
    np.testing.assert_allclose(search.values_, values, rtol=1e-12)
    assert search.n_features_ == size
    np.testing.assert_array_equal(search.support_, PMU(size).fit(X, Y).support_)


@pytest.mark.parametrize("kind", ["words", "numbers"])
@pytest.mark.parametrize("threshold", [0.6, 1.0])
def test_stability_selection(kind, threshold, random):
    X, Y = problem(random, kind)
    sure = StabilitySelection(
        FIMF(2), n_subsamples=9, subsample=0.4, threshold=threshold, random_state=4
    ).fit(X, Y)
    # Cut points are those of all rows.
    frequencies, order, kept, choices = naive.stability_selection(
        FIMF(2, binning="none"), coded(X), Y, 9, 0.4, threshold, 4
    )
    np.testing.assert_allclose(sure.frequencies_, frequencies)
    assert sure.order_.tolist() == order
    assert sure.get_support(indices=True).tolist() == kept
    assert sure.stability_.value == pytest.approx(nogueira(choices, 7))


@pytest.mark.parametrize("kind", ["words", "numbers"])
@pytest.mark.parametrize("method", [FIMF, MLRF])
def test_permutation_p_values(kind, method, random):
    X, Y = problem(random, kind)
    found = permutation_p_values(method(2), X, Y, n_permutations=11, random_state=2)
    once = (FIMF(2, binning="none"), coded(X)) if method is FIMF else (MLRF(2), X)
    alone, family = naive.permutation_p_values(*once, Y, 11, 2)
    np.testing.assert_allclose(found.p, alone)
    np.testing.assert_allclose(found.p_family, family)
    np.testing.assert_array_equal(found.selected, method(2).fit(X, Y).order_[:2])


@pytest.mark.parametrize("score", ["relieff", f_classif])
def test_scores_of_values_are_not_coded_before(score, random):
    """What looks at values sees values, though it has a parameter for codes."""
    X, Y = problem(random, "numbers")
    selector = TransformationSelector(
        2, transformation=BinaryRelevance(), score_func=score
    )
    found = permutation_p_values(selector, X, Y, n_permutations=5, random_state=2)
    alone, family = naive.permutation_p_values(selector, X, Y, 5, 2)
    np.testing.assert_allclose(found.p, alone)
    np.testing.assert_allclose(found.p_family, family)
    fitted = clone(selector).fit(X, Y)
    np.testing.assert_array_equal(found.selected, fitted.order_[:2])
