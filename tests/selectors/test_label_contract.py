"""What the margin, graph, density and transformation selectors keep.

The cases are those of the information-theoretic selectors. Scores are floating sums,
so formats and threads may change their last digits, and never the order.
"""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from labelsieve.selectors.density.emcfs_density import EMCFSDensity
from labelsieve.selectors.gmba.gmba import GMBA
from labelsieve.selectors.mlfs.mlfs import MLFS
from labelsieve.selectors.relief.mlrf import MLRF
from labelsieve.selectors.relief.relieff_ml import ReliefFML
from labelsieve.selectors.spec.spec import SPEC
from labelsieve.selectors.transformations.selector import (
    BinaryRelevance,
    EntropyLabelAssignment,
    PrunedTransformation,
    TransformationSelector,
)
from tests.selectors.test_contract import CONTAINERS, EXTRA_CHECKS, LABELS, REFUSED

SELECTORS = {
    "gmba": GMBA(random_state=0),
    "gmba batch": GMBA(solver="batch"),
    "spec": SPEC(),
    "spec 3": SPEC(phi=3),
    "mlfs": MLFS(),
    "mlrf": MLRF(),
    "relieff-ml": ReliefFML(),
    "emcfs": EMCFSDensity(),
    "lp+chi": TransformationSelector(),
    "ela+mi": TransformationSelector(
        transformation=EntropyLabelAssignment(), score_func="mutual_information"
    ),
    "br+rf": TransformationSelector(
        transformation=BinaryRelevance(), score_func="relieff"
    ),
    "forward": TransformationSelector(
        transformation=PrunedTransformation(2),
        score_func="mutual_information",
        search="forward",
    ),
}
VARIANTS = [
    *SELECTORS.values(),
    GMBA(variant="authors", n_jobs=2, n_neighbors=1, step="constant"),
    GMBA(weighted_distances=True, n_iterations=20),
    SPEC(phi=2, isolated_degree=0.01),
    EMCFSDensity(mode="threshold"),
]

each = pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
few_rows = pytest.mark.filterwarnings("ignore:.*(label sets|nothing could be learned)")


@parametrize_with_checks(VARIANTS)
@pytest.mark.filterwarnings('ignore:mode="threshold" selects every feature')
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_scikit_learn_checks_with_a_score_function():
    # Not among the variants: the name of such a test would hold an address.
    estimator = TransformationSelector(score_func=f_classif)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(estimator, on_skip=None)


@each
@few_rows
@pytest.mark.parametrize("name", EXTRA_CHECKS)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_scikit_learn_checks_of_its_own(selector, name):
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"this scikit-learn has no {name}")
    check(type(selector).__name__, clone(selector))


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(
        90, 10, n_classes=4, allow_unlabeled=True, random_state=0
    )


def fitted(selector, X, Y, **parameters):
    return clone(selector).set_params(n_features_to_select=3, **parameters).fit(X, Y)


def assert_same(one, other):
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(one.order_, other.order_)


@each
def test_threads_change_no_bit(selector, data):
    if "n_jobs" not in selector.get_params():
        pytest.skip("does not use threads")
    one, two = (fitted(selector, *data, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.order_, two.order_)


@each
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_change_nothing(selector, container, data, tmp_path):
    X, Y = data
    given = CONTAINERS[container](X, tmp_path)
    assert_same(fitted(selector, given, Y), fitted(selector, X, Y))


@each
@pytest.mark.parametrize("density", [0.05, 0.4, 1.0])
def test_sparse_equals_dense(selector, density, random):
    X = random.normal(size=(80, 12)) * (random.random((80, 12)) < density)
    X[:, 5] = X[:, 4]
    Y = (random.random((80, 4)) < 0.4).astype(int)
    assert_same(fitted(selector, sp.csr_matrix(X), Y), fitted(selector, X, Y))


@each
@pytest.mark.parametrize("labels", LABELS)
def test_labels_in_any_form_give_the_same(selector, labels, data):
    X, Y = data
    assert_same(fitted(selector, X, LABELS[labels](Y)), fitted(selector, X, Y))


@each
def test_labels_may_come_in_any_order(selector, random):
    X = random.normal(size=(70, 8))
    Y = (random.random((70, 4)) < 0.4).astype(int)
    assert_same(fitted(selector, X, Y[:, ::-1]), fitted(selector, X, Y))


@each
def test_columns_may_come_in_any_order(selector, random):
    X = random.normal(size=(70, 8))
    Y = (random.random((70, 4)) < 0.4).astype(int)
    columns = random.permutation(8)
    base, permuted = fitted(selector, X, Y), fitted(selector, X[:, columns], Y)
    np.testing.assert_allclose(permuted.scores_, base.scores_[columns], rtol=1e-8)
    np.testing.assert_array_equal(columns[permuted.order_], base.order_)


@each
def test_rows_may_come_in_any_order(selector, random):
    if isinstance(selector, GMBA) and selector.solver == "sequential":
        pytest.skip("visits rows one after the other")
    X = random.normal(size=(70, 8))
    Y = (random.random((70, 4)) < 0.4).astype(int)
    rows = random.permutation(70)
    assert_same(fitted(selector, X[rows], Y[rows]), fitted(selector, X, Y))


@each
@pytest.mark.parametrize("power", [-600, 500])
def test_features_may_be_tiny_or_huge(selector, power, random):
    X = random.normal(size=(60, 6))
    Y = (random.random((60, 3)) < 0.4).astype(int)
    scaled = np.ldexp(X, power)
    np.testing.assert_array_equal(
        fitted(selector, scaled, Y).order_, fitted(selector, X, Y).order_
    )


@each
def test_one_dimensional_y_is_one_label(selector, random):
    X, y = random.normal(size=(40, 6)), random.integers(0, 2, 40)
    assert_same(fitted(selector, X, y), fitted(selector, X, y[:, None]))


@each
def test_constant_features_come_last_and_copies_tie_by_index(selector, data):
    X, Y = data
    X = np.column_stack([np.full(len(X), 7.0), X, X[:, 0]])
    result = fitted(selector, X, Y)
    assert result.order_[-1] == 0
    assert result.scores_[0] in (0, np.inf)
    assert result.ranking_[1] < result.ranking_[11]


@each
def test_fitted_attributes_agree(selector, data):
    result = fitted(selector, *data)
    assert sorted(result.order_) == list(range(10))
    np.testing.assert_array_equal(result.ranking_[result.order_], np.arange(1, 11))
    cut = result.at(2)
    assert cut.get_support(indices=True).tolist() == sorted(result.order_[:2])
    assert result.support_.sum() == 3
    assert_same(pickle.loads(pickle.dumps(result)), result)


@each
@few_rows
def test_works_in_a_pipeline(selector, data):
    X, Y = data
    pipeline = make_pipeline(clone(selector), KNeighborsClassifier(3))
    step = type(selector).__name__.lower()
    grid = {f"{step}__n_features_to_select": [2, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
    assert search.predict(X).shape == Y.shape


@each
def test_tables_keep_their_names(selector, data):
    frame = pd.DataFrame(data[0]).add_prefix("f")
    result = fitted(selector, frame, data[1]).set_output(transform="pandas")
    kept = list(result.transform(frame).columns)
    assert kept == [f"f{i}" for i in result.get_support(indices=True)]


X, Y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2


@each
@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_bad_input_is_refused(selector, case):
    bad_X, bad_y, error, message = REFUSED[case]
    with pytest.raises(error, match=re.compile(message, re.DOTALL)):
        clone(selector).fit(bad_X, bad_y)


@each
@pytest.mark.parametrize("wanted", [0, -1, 2.5, 0.0, "all", True])
def test_bad_number_of_features_is_refused(selector, wanted):
    with pytest.raises(ValueError, match=r"must be an int in the range \[1, inf\)"):
        clone(selector).set_params(n_features_to_select=wanted).fit(X, Y)


@each
def test_more_features_than_there_are_keeps_all_with_a_warning(selector):
    with pytest.warns(UserWarning, match="all of them are kept"):
        result = clone(selector).set_params(n_features_to_select=9).fit(X, Y)
    assert result.support_.all()


@each
@pytest.mark.parametrize("labels", [np.zeros((20, 3)), np.ones((20, 2))])
def test_nothing_to_learn_from_ranks_by_index(selector, labels):
    with pytest.warns(UserWarning, match="No label is left"):
        result = clone(selector).fit(X[:, ::-1], labels)
    assert result.order_.tolist() == [0, 1]
    assert result.scores_.tolist() == [0, 0]


@each
def test_constant_features_rank_by_index(selector):
    with pytest.warns(UserWarning, match="all 2 features have the same value"):
        result = clone(selector).fit(np.ones((20, 2)), Y)
    assert result.order_.tolist() == [0, 1]
    assert result.scores_.tolist() == [0, 0]


@each
def test_constant_labels_are_named(selector):
    labels = pd.DataFrame({"useful": Y, "empty": 0})
    with pytest.warns(UserWarning, match=r"1 of 2 labels .*'empty'"):
        with_names = clone(selector).fit(X, labels)
    assert_same(with_names, clone(selector).fit(X, Y))


@each
def test_transform_needs_a_fit(selector):
    with pytest.raises(NotFittedError):
        clone(selector).transform(X)


TWO_VALUED = [name for name in SELECTORS if name not in ("lp+chi", "br+rf", "forward")]


@pytest.mark.parametrize("name", TWO_VALUED)
def test_labels_with_more_values_are_refused_where_formulas_need_two(name):
    with pytest.raises(ValueError, match="needs labels with two values; label 0 has 3"):
        clone(SELECTORS[name]).fit(X, np.arange(20) % 3)
