"""The discretiser: its rules, dense and sparse alike, tables, scikit-learn's checks."""

import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelsieve import Discretizer
from labelsieve._utils import matrices
from labelsieve.discretization import code_features, find_cuts, indicator_columns
from labelsieve.reading.features import Features
from tests.naive.discretization import code_column, code_with_missing

BINNINGS = ["quantile", "uniform", "none"]


def tables_of(cells):
    shapes = st.tuples(st.integers(2, 40), st.integers(1, 5))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=cells))


tables = st.one_of(
    tables_of(
        st.one_of(
            st.integers(-3, 3).map(float), st.floats(-5, 5, width=16), st.just(0.0)
        )
    ),
    # As of words, some in most rows, and of a value below zero.
    tables_of(st.sampled_from([0.0, 2.0])),
    tables_of(st.sampled_from([0.0, -1.0])),
)


def _with_holes(table):
    return arrays(bool, table.shape).map(lambda holes: np.where(holes, np.nan, table))


holed_tables = tables.flatmap(_with_holes)


@parametrize_with_checks([Discretizer(), Discretizer(5, "uniform")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(tables, st.integers(2, 5), st.sampled_from(BINNINGS))
@example(np.array([[3.0], [0], [3], [1], [2], [2], [2], [3]]), 3, "quantile")
def test_equals_the_naive_version(X, n_bins, binning):
    expected = np.column_stack([code_column(c, n_bins, binning) for c in X.T])
    np.testing.assert_array_equal(
        Discretizer(n_bins, binning).fit_transform(X), expected
    )


@given(holed_tables, st.integers(2, 5), st.sampled_from(BINNINGS))
def test_missing_cells_equal_the_naive_version(X, n_bins, binning):
    expected = np.column_stack([code_with_missing(c, n_bins, binning) for c in X.T])
    discretizer = Discretizer(n_bins, binning)
    np.testing.assert_array_equal(discretizer.fit_transform(X), expected)
    sparse = Discretizer(n_bins, binning).fit(sp.csr_matrix(X))
    for cuts, same in zip(discretizer.cuts_, sparse.cuts_, strict=True):
        np.testing.assert_array_equal(cuts, same)


@given(tables, st.integers(2, 5), st.sampled_from(BINNINGS))
def test_sparse_input_has_the_same_cuts_and_coded_columns(X, n_bins, binning):
    dense = Discretizer(n_bins, binning).fit(X)
    sparse = Discretizer(n_bins, binning).fit(sp.csr_matrix(X))
    for ours, theirs in zip(dense.cuts_, sparse.cuts_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    cuts = find_cuts(Features(X), n_bins, binning)
    one = code_features(Features(X), cuts)
    other = code_features(Features(sp.csr_matrix(X)), cuts)
    np.testing.assert_array_equal(one.dense(), other.dense())
    np.testing.assert_array_equal(one.kept, other.kept)
    assert other.codes.nnz == np.count_nonzero(one.dense())
    for ours, theirs in zip(one.indicator_rows(), other.indicator_rows(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(tables, st.integers(2, 5), st.sampled_from(BINNINGS), st.integers(1, 2))
def test_row_blocks_and_threads_change_nothing(X, n_bins, binning, n_jobs):
    whole = Features(sp.csr_matrix(X))
    expected_cuts = find_cuts(whole, n_bins, binning)
    expected = code_features(whole, expected_cuts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrices, "CELLS_PER_BLOCK", 5)
        parts = Features(sp.csr_matrix(X), n_jobs=n_jobs)
        cuts = find_cuts(parts, n_bins, binning)
        coded = code_features(parts, cuts)
    np.testing.assert_array_equal(cuts.points, expected_cuts.points)
    np.testing.assert_array_equal(cuts.start, expected_cuts.start)
    np.testing.assert_array_equal(coded.dense(), expected.dense())
    np.testing.assert_array_equal(coded.counts, expected.counts)


@given(tables)
def test_counts_of_coding_are_those_of_the_codes(X):
    for values in (X, sp.csr_matrix(X)):
        features = Features(values)
        coded = code_features(features, find_cuts(features, 3, "quantile"))
        if coded.kept.size:
            counted = indicator_columns(coded).values.sum(axis=0)
            np.testing.assert_array_equal(coded.counts, np.asarray(counted).ravel())


@given(tables, st.integers(2, 4), st.sampled_from(BINNINGS))
def test_sparse_output_names_the_code_of_zero_0(X, n_bins, binning):
    discretizer = Discretizer(n_bins, binning).fit(X)
    dense = discretizer.transform(X).astype(int)
    zero = discretizer.transform(np.zeros((1, X.shape[1]))).astype(int)
    exchanged = np.where(dense == zero, 0, np.where(dense == 0, zero, dense))
    sparse = discretizer.transform(sp.csr_matrix(X))
    assert sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), exchanged)


@given(tables)
def test_coded_columns_name_the_most_frequent_code_0(X):
    codes = code_features(Features(X), find_cuts(Features(X), 3, "quantile"))
    for column, n_codes in zip(codes.dense().T, codes.n_codes, strict=True):
        frequency = np.bincount(column, minlength=n_codes)
        assert (frequency > 0).all()
        assert frequency[0] == frequency.max()


def test_uniform_equals_scikit_learn(random):
    X = random.normal(size=(200, 5)).round(2)
    theirs = KBinsDiscretizer(4, encode="ordinal", strategy="uniform").fit_transform(X)
    np.testing.assert_array_equal(Discretizer(4, "uniform").fit_transform(X), theirs)


def test_golden_codes(toy):
    codes = Discretizer(binning="uniform").fit_transform(toy["X_continuous"])
    np.testing.assert_array_equal(codes, toy["X_discrete"])


@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_real_codes(name, real, real_data):
    X, _ = real_data(name)
    uniform = np.ascontiguousarray(Discretizer(binning="uniform").fit_transform(X))
    digest = hashlib.sha256(uniform.astype(np.uint8).tobytes()).hexdigest()
    assert digest == real[name]["X_disc_sha256_uint8_C"]
    quantile = Discretizer().fit(X)
    golden = real[name]["equal_frequency_2_bins"]
    np.testing.assert_array_equal(np.concatenate(quantile.cuts_), golden["cut_points"])
    ones = quantile.transform(X).sum(axis=0)
    np.testing.assert_array_equal(ones, golden["ones_per_feature"])


def test_new_values_fall_into_the_outer_codes():
    discretizer = Discretizer(3).fit(np.arange(9.0).reshape(-1, 1))
    np.testing.assert_array_equal(
        discretizer.transform([[-100], [0], [4], [8], [100]]).ravel(), [0, 0, 1, 2, 2]
    )


def test_sparse_input_is_never_made_dense():
    n_rows, n_columns = 100_000, 50_000  # 40 GB if it were dense
    random = np.random.default_rng(0)
    cells = random.integers(n_rows, size=5000), random.integers(n_columns, size=5000)
    X = sp.coo_matrix((random.random(5000) + 1, cells), (n_rows, n_columns)).tocsr()
    codes = Discretizer().fit_transform(X)
    assert codes.shape == X.shape
    assert codes.nnz == X.nnz


def test_sparse_input_stays_as_it_is():
    X = sp.csr_matrix([[1.0, 0], [2, 0], [3, 1], [0, 1], [4, 1]])
    before = X.copy()
    codes = Discretizer(2).fit_transform(X)
    assert codes.nnz < X.nnz  # cells with the code of zero are not stored
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, part), getattr(before, part))


def test_tables_with_text_categories_and_booleans():
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"]),
            "name": ["b", "a", "c", "b"],
            "flag": [True, False, True, True],
            "number": [1.0, 2.0, 3.0, 4.0],
        }
    )
    expected = [[0, 1, 1, 0], [2, 0, 0, 0], [1, 2, 1, 1], [0, 1, 1, 1]]
    discretizer = Discretizer().fit(frame)
    np.testing.assert_array_equal(discretizer.transform(frame), expected)
    assert discretizer.categories_[0].tolist() == ["S", "M", "L"]
    polars = pl.DataFrame(
        {
            "size": pl.Series(["S", "L", "M", "S"], dtype=pl.Enum(["S", "M", "L"])),
            "name": ["b", "a", "c", "b"],
            "flag": [True, False, True, True],
            "number": [1.0, 2.0, 3.0, 4.0],
        }
    )
    np.testing.assert_array_equal(Discretizer().fit_transform(polars), expected)


def test_an_unknown_category_is_a_missing_cell():
    known = pd.DataFrame({"a": ["x", "y", "z"]})
    unknown = pd.DataFrame({"a": ["x", "new", None]})
    codes = Discretizer().fit(known).transform(unknown)
    assert codes.ravel().tolist() == [0, 3, 3]
    with pytest.raises(ValueError, match=r"contains NaN: 2 missing .* 'a'"):
        Discretizer(missing="error").fit(known).transform(unknown)


def test_missing_cells_that_fit_has_not_seen_are_a_code_of_their_own():
    discretizer = Discretizer().fit([[0.0, 1.0], [1.0, np.nan], [2.0, 1.0]])
    assert discretizer.n_codes_.tolist() == [2, 2]
    codes = discretizer.transform([[np.nan, 9.0], [5.0, np.nan]])
    assert codes.tolist() == [[2, 0], [1, 1]]
    everything = Discretizer().fit(np.full((3, 1), np.nan))
    assert everything.n_codes_.tolist() == [1]
    assert everything.transform([[np.nan], [2.0]]).ravel().tolist() == [1, 0]


def test_infinity_is_refused():
    for table in ([[np.inf], [np.nan]], sp.csr_matrix([[np.inf], [np.nan]])):
        with pytest.raises(ValueError, match="contains infinity"):
            Discretizer().fit(table)


def test_more_than_65535_distinct_values():
    X = np.arange(70_000.0).reshape(-1, 1)
    codes = Discretizer(binning="none").fit_transform(X)
    np.testing.assert_array_equal(codes.ravel(), np.arange(70_000))
