"""Words of which some cells are missing, coded in one pass as by cut points."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import FIMF, Discretizer
from labelsieve.discretization import code_features, find_cuts
from labelsieve.reading import Features
from labelsieve.reading.features import read_values


@st.composite
def words(draw):
    """A sparse table of zeros, one value and NaN; some columns hold one kind only."""
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 8))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    value = draw(st.sampled_from([1.0, 0.25, 3.0]))
    kinds = np.array([0.0, value, np.nan])
    shares = random.dirichlet(np.full(3, 0.3), d)
    columns = [random.choice(kinds, n, p=share) for share in shares]
    return sp.csr_matrix(np.column_stack(columns))


@given(table=words(), binning=st.sampled_from(["quantile", "uniform", "none"]))
def test_the_same_codes_as_by_cut_points(table, binning):
    features = read_values("test", table, min_rows=1, takes_missing=True)
    cuts = find_cuts(features, 2, binning)
    coded = code_features(features, cuts)
    plain = Features(features.values, n_missing=features.n_missing)
    vars(plain)["word"] = None
    expected_cuts = find_cuts(plain, 2, binning)
    np.testing.assert_array_equal(cuts.start, expected_cuts.start)
    np.testing.assert_array_equal(cuts.points, expected_cuts.points)
    expected = code_features(plain, expected_cuts)
    np.testing.assert_array_equal(coded.codes.toarray(), expected.codes.toarray())
    np.testing.assert_array_equal(coded.kept, expected.kept)
    np.testing.assert_array_equal(coded.n_codes, expected.n_codes)
    np.testing.assert_array_equal(coded.counts, expected.counts)
    assert coded.codes.nnz == expected.codes.nnz


@given(table=words())
def test_the_same_codes_as_of_a_dense_table(table):
    sparse = Discretizer().fit(table)
    dense = Discretizer().fit(table.toarray())
    np.testing.assert_array_equal(sparse.n_codes_, dense.n_codes_)


def test_threads_change_nothing():
    random = np.random.default_rng(0)
    table = (random.random((3000, 400)) < 0.4).astype(float)
    table[random.random(table.shape) < 0.1] = np.nan
    X, Y = sp.csr_matrix(table), random.random((3000, 3)) < 0.3
    one, two = (FIMF(n_jobs=n).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_marking_leaves_the_table_as_it_is():
    table = sp.csr_matrix([[1.0, np.nan], [0.0, 1.0], [1.0, 0.0]])
    before = table.copy()
    features = read_values("test", table, min_rows=1, takes_missing=True)
    assert features.n_missing.tolist() == [0, 1]
    np.testing.assert_array_equal(table.data, before.data)
    with pytest.raises(ValueError, match="infinity"):
        read_values("test", sp.csr_matrix([[np.inf, np.nan]]), min_rows=1)
