"""What every information-theoretic selector keeps: scikit-learn's contract and ours."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve import FIMF, MLQPFS, PMU

SELECTORS = [PMU(), FIMF(), MLQPFS()]
VARIANTS = [
    *SELECTORS,
    PMU(3, n_bins=4, binning="uniform", label_pairs="ordered", n_jobs=2),
    FIMF(0.5, n_labels=2, n_candidates=3, n_bins=3),
    MLQPFS(2, normalize="simplex", psd="shift", binning="none"),
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

each = pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)


@parametrize_with_checks(VARIANTS)
@pytest.mark.filterwarnings("ignore:n_features_to_select=3 is more than")
@pytest.mark.filterwarnings("ignore:n_features_to_select=2 is more than")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each
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
    X, Y = make_multilabel_classification(
        120, 15, n_classes=4, allow_unlabeled=True, random_state=0
    )
    return X, Y


def fitted(selector, X, Y, **parameters):
    return clone(selector).set_params(n_features_to_select=5, **parameters).fit(X, Y)


def assert_same(one, other):
    np.testing.assert_array_equal(one.order_, other.order_)
    np.testing.assert_array_equal(one.scores_, other.scores_)


@each
@pytest.mark.parametrize("n_bins", [2, 4])
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(selector, n_bins, n_jobs, data, monkeypatch):
    from labelsieve.counting import counts

    monkeypatch.setattr(counts, "CELLS_WORTH_THREADS", 0)
    assert_same(
        fitted(selector, *data, n_bins=n_bins, n_jobs=1),
        fitted(selector, *data, n_bins=n_bins, n_jobs=n_jobs),
    )


def _read_only_memmap(X, folder):
    path = folder / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


CONTAINERS = {
    "Fortran order": lambda X, _: np.asfortranarray(X),
    "read-only memmap": _read_only_memmap,
    "negative strides": lambda X, _: X[::-1].copy()[::-1],
    "float32": lambda X, _: X.astype(np.float32),
    "float16": lambda X, _: X.astype(np.float16),
    "longdouble": lambda X, _: X.astype(np.longdouble),
    "int64": lambda X, _: X.astype(np.int64),
    "nested list": lambda X, _: X.tolist(),
    "CSR": lambda X, _: sp.csr_matrix(X),
    "CSR array": lambda X, _: sp.csr_array(X),
    "CSC": lambda X, _: sp.csc_matrix(X),
    "COO": lambda X, _: sp.coo_matrix(X),
    "DOK": lambda X, _: sp.dok_matrix(X),
    "CSR with int64 indices": lambda X, _: _wide(X),
    "CSR with zeros and duplicates": lambda X, _: _messy(X),
    "pandas": lambda X, _: pd.DataFrame(X),
    "polars": lambda X, _: pl.DataFrame(X),
}


def _wide(X):
    table = sp.csr_matrix(X)
    table.indices = table.indices.astype(np.int64)
    table.indptr = table.indptr.astype(np.int64)
    return table


def _messy(X):
    """Every cell is stored twice as half its value, unsorted, zeros included."""
    n, d = X.shape
    rows, columns = np.divmod(np.arange(n * d)[::-1], d)
    table = sp.coo_matrix(
        (
            np.tile(X[rows, columns] / 2, 2),
            (np.tile(rows, 2), np.tile(columns, 2)),
        ),
        shape=X.shape,
    )
    start = np.arange(0, 2 * n * d + 1, 2 * d)
    order = np.lexsort((-table.col, table.row))
    return sp.csr_matrix((table.data[order], table.col[order], start), shape=X.shape)


@each
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers_change_nothing(selector, container, data, tmp_path):
    X, Y = data
    expected = fitted(selector, X, Y)
    given = CONTAINERS[container](X, tmp_path)
    assert_same(fitted(selector, given, Y), expected)


@each
def test_booleans_and_huge_integers(selector, data):
    X, Y = data
    expected = fitted(selector, X > 3, Y)
    assert_same(fitted(selector, (X > 3).astype(float), Y), expected)
    assert_same(fitted(selector, (X > 3).astype(np.int64) << 62, Y), expected)


LABELS = {
    "minus one and one": lambda Y: 2 * Y - 1,
    "bool": lambda Y: Y.astype(bool),
    "uint8": lambda Y: Y.astype(np.uint8),
    "objects": lambda Y: Y.astype(object),
    "float": lambda Y: Y.astype(float),
    "CSR": sp.csr_matrix,
    "CSC bool": lambda Y: sp.csc_matrix(Y.astype(bool)),
    "sparse array": lambda Y: sp.coo_array(Y),
    "nested list": lambda Y: Y.tolist(),
    "pandas": lambda Y: pd.DataFrame(Y).add_prefix("label"),
    "polars": lambda Y: pl.DataFrame(Y),
    "text": lambda Y: np.where(Y == 1, "yes", "no"),
    "sparse two": lambda Y: sp.csr_matrix(2 * Y),
}


@each
@pytest.mark.parametrize("labels", LABELS)
def test_labels_in_any_form_give_the_same(selector, labels, data):
    X, Y = data
    assert_same(fitted(selector, X, LABELS[labels](Y)), fitted(selector, X, Y))


@each
@pytest.mark.parametrize(
    "y", [[0, 1, 0, 1, 1, 0] * 5, list("abcabc") * 5, [0, 1, 2, 0, 1, 2] * 5]
)
def test_one_dimensional_y_is_one_label(selector, y, random):
    X = random.integers(0, 3, (30, 6))
    column = np.array(y).reshape(-1, 1)
    assert_same(fitted(selector, X, y), fitted(selector, X, column))


@each
def test_invariances(selector, random):
    X, Y = random.integers(0, 2, (90, 8)), random.integers(0, 2, (90, 4))
    base = fitted(selector, X, Y)

    def same_scores(other):
        np.testing.assert_allclose(other.scores_, base.scores_, atol=1e-9)

    rows = random.permutation(90)
    same_scores(fitted(selector, X[rows], Y[rows]))
    same_scores(fitted(selector, np.tile(X, (3, 1)), np.tile(Y, (3, 1))))
    same_scores(fitted(selector, 1 - X, Y))
    same_scores(fitted(selector, X, 1 - Y))
    same_scores(fitted(selector, X, Y[:, ::-1]))
    useless = np.column_stack([np.zeros(90), np.ones(90)])
    with pytest.warns(UserWarning, match="2 of 6 labels"):
        same_scores(fitted(selector, X, np.hstack([Y, useless])))
    columns = random.permutation(8)
    permuted = fitted(selector, X[:, columns], Y)
    np.testing.assert_allclose(permuted.scores_, base.scores_[columns], atol=1e-9)


@each
def test_constant_features_come_last_and_copies_tie_by_index(selector, data):
    X, Y = data
    X = np.column_stack([np.full(len(X), 7.0), X, X[:, 0]])
    result = fitted(selector, X, Y)
    assert result.order_[-1] == 0
    assert result.scores_[0] == 0
    places = result.ranking_
    assert places[1] < places[16]


@each
def test_fitted_attributes_agree(selector, data):
    result = fitted(selector, *data)
    assert sorted(result.order_) == list(range(15))
    np.testing.assert_array_equal(result.ranking_[result.order_], np.arange(1, 16))
    np.testing.assert_array_equal(
        np.flatnonzero(result.support_), np.sort(result.order_[:5])
    )
    cut = result.at(2)
    np.testing.assert_array_equal(
        cut.get_support(indices=True), np.sort(result.order_[:2])
    )
    assert result.support_.sum() == 5
    assert cut.transform(data[0]).shape == (120, 2)


@each
def test_pipeline_grid_search_and_pickle(selector, data):
    X, Y = data
    pipeline = make_pipeline(clone(selector), KNeighborsClassifier(3))
    step = type(selector).__name__.lower()
    grid = {f"{step}__n_features_to_select": [2, 0.5, 9]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape
    result = fitted(selector, X, Y)
    assert_same(pickle.loads(pickle.dumps(result)), result)


@each
def test_tables_keep_their_names(selector, data):
    frame = pd.DataFrame(data[0]).add_prefix("f")
    result = fitted(selector, frame, data[1]).set_output(transform="pandas")
    kept = result.transform(frame)
    assert list(kept.columns) == [f"f{i}" for i in result.get_support(indices=True)]
    with pytest.raises(ValueError, match="feature names should match"):
        result.transform(frame[frame.columns[::-1]])


@each
def test_text_columns_of_tables(selector, random):
    shade = random.choice(["red", "green", "blue"], 60)
    frame = pd.DataFrame({"noise": random.normal(size=60), "shade": shade})
    Y = np.column_stack([shade == "red", shade == "blue"])
    result = clone(selector).set_params(n_features_to_select=1).fit(frame, Y)
    assert result.get_feature_names_out().tolist() == ["shade"]


@each
def test_hundreds_of_labels(selector, random):
    X = random.integers(0, 2, (100, 10))
    Y = (random.random((100, 300)) < 0.2).astype(int)
    assert np.isfinite(fitted(selector, X, Y).scores_).all()


X, Y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2


def _with(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


REFUSED = {
    "NaN in X": (_with(np.nan), Y, ValueError, "contains NaN"),
    "NaN in sparse X": (sp.csr_matrix(_with(np.nan)), Y, ValueError, "contains NaN"),
    "NA in pandas": (
        pd.DataFrame({"a": pd.array([1, None] * 10, dtype="Int64"), "b": 1}),
        Y,
        ValueError,
        "contains NaN",
    ),
    "null in polars": (
        pl.DataFrame({"a": [1, None] * 10, "b": [1.0, 2.0] * 10}),
        Y,
        ValueError,
        "contains NaN",
    ),
    "infinity in X": (_with(np.inf), Y, ValueError, "contains infinity"),
    "NaN in y": (X, np.where(Y == 1, np.nan, 0), ValueError, "y contains NaN"),
    "None in y": (X, [None, *Y[1:].tolist()], ValueError, "y contains NaN"),
    "infinity in y": (X, np.where(Y == 1, np.inf, 0), ValueError, "y contains inf"),
    "no rows": (X[:0], Y[:0], ValueError, r"0 sample\(s\).*minimum of 2"),
    "one row": (X[:1], Y[:1], ValueError, r"1 sample.*minimum of 2"),
    "no columns": (X[:, :0], Y, ValueError, r"0 feature\(s\)"),
    "no labels": (X, np.empty((20, 0)), ValueError, "Found 0 labels"),
    "no sparse labels": (X, sp.csr_matrix((20, 0)), ValueError, "Found 0 labels"),
    "unequal lengths": (X, Y[:-1], ValueError, r"inconsistent.*20, 19"),
    "no y": (X, None, ValueError, "requires y to be passed"),
    "label sets": (X, [[1], [2, 3]] * 10, ValueError, "MultiLabelBinarizer"),
    "continuous y": (X, Y * 0.37, ValueError, "Unknown label type: continuous"),
    "complex y": (X, Y * 1j, ValueError, "Unknown label type"),
    "3-D y": (X, np.zeros((20, 2, 2)), ValueError, "one column per label"),
    "3-D X": (X.reshape(20, 2, 1), Y, ValueError, "dim 3"),
    "1-D X": (X[:, 0], Y, ValueError, "1D array"),
    "complex X": (X * 1j, Y, ValueError, "Complex data not supported"),
    "datetime": (
        pd.DataFrame({"a": pd.date_range("2020-01-01", periods=20), "b": X[:, 0]}),
        Y,
        ValueError,
        "dtype datetime64.*expected numbers",
    ),
    "text": (np.where(X > 3, "high", "low"), Y, ValueError, "could not convert"),
    "masked": (
        np.ma.masked_greater(X, 5),
        Y,
        ValueError,
        "masked array with masked cells",
    ),
    "duplicate names": (
        pd.DataFrame(X, columns=["a", "a"]),
        Y,
        ValueError,
        "duplicate|unique",
    ),
    "mixed names": (pd.DataFrame(X, columns=["a", 1]), Y, TypeError, "string"),
}


@each
@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_bad_input_is_refused(selector, case):
    bad_X, bad_y, error, message = REFUSED[case]
    with pytest.raises(error, match=re.compile(message, re.DOTALL)):
        clone(selector).fit(bad_X, bad_y)


@each
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_numpy_matrix_is_refused(selector):
    with pytest.raises(TypeError, match=r"np\.matrix is not supported"):
        clone(selector).fit(np.matrix(X), Y)


@each
@pytest.mark.parametrize("wanted", [0, -1, 2.5, 0.0, "all", True, False, np.True_])
def test_bad_number_of_features_is_refused(selector, wanted):
    with pytest.raises(ValueError, match=r"must be an int in the range \[1, inf\)"):
        clone(selector).set_params(n_features_to_select=wanted).fit(X, Y)


@each
def test_more_features_than_there_are_keeps_all_with_a_warning(selector):
    with pytest.warns(UserWarning, match="all of them are kept"):
        result = clone(selector).set_params(n_features_to_select=9).fit(X, Y)
    assert result.support_.all()


@each
def test_constant_labels_are_named(selector):
    labels = pd.DataFrame({"useful": Y, "empty": 0, "full": 1})
    with pytest.warns(UserWarning, match=r"2 of 3 labels .*'empty', 'full'"):
        with_names = clone(selector).fit(X, labels)
    np.testing.assert_array_equal(with_names.scores_, clone(selector).fit(X, Y).scores_)


@each
def test_nothing_to_learn_from_ranks_by_index(selector):
    with pytest.warns(UserWarning, match="No label is left"):
        result = clone(selector).fit(X, np.zeros((20, 3)))
    assert result.order_.tolist() == [0, 1]
    with pytest.warns(UserWarning, match="all 2 features have the same value"):
        result = clone(selector).fit(np.ones((20, 2)), Y)
    assert result.order_.tolist() == [0, 1]
    assert result.scores_.tolist() == [0, 0]


@each
def test_one_column_is_selected(selector):
    assert clone(selector).fit(X[:, :1], Y).get_support(indices=True).tolist() == [0]


@each
def test_numbers_as_text_are_converted_with_a_warning(selector):
    expected = clone(selector).fit(X, Y)
    with pytest.warns(DataConversionWarning, match="numbers as text"):
        result = clone(selector).fit(X.astype(str), Y)
    np.testing.assert_array_equal(result.scores_, expected.scores_)


@each
def test_transform_needs_a_fit_and_the_same_width(selector):
    with pytest.raises(NotFittedError):
        clone(selector).transform(X)
    with pytest.raises(NotFittedError):
        clone(selector).at(1)
    with pytest.raises(ValueError, match=r"1 features.*2 features"):
        clone(selector).fit(X, Y).transform(X[:, :1])


@each
@pytest.mark.parametrize("size", [0, 99, True, 1.5])
def test_at_refuses_what_it_cannot_cut(selector, size):
    with pytest.raises((TypeError, ValueError), match=r"at\("):
        clone(selector).fit(X, Y).at(size)


@each
def test_many_distinct_values_without_binning(selector):
    n = 66_000
    identifiers = np.arange(float(n)).reshape(-1, 1)
    half = (np.arange(n) % 2).astype(float).reshape(-1, 1)
    result = FIMF(binning="none").fit(np.hstack([identifiers, half]), np.arange(n) % 2)
    assert result.scores_ == pytest.approx([np.log(2), np.log(2)])
