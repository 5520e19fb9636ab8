"""The blocked search equals sorting all distances, ties and padding included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelsieve.neighbors import search as neighbors
from labelsieve.neighbors.search import Distances, nearest
from tests.exploring import draws
from tests.naive import neighbors as naive

METRICS = ["sqeuclidean", "manhattan"]


@st.composite
def matrices(draw):
    """Rows with many ties: few values, repeated rows, shifted far from zero."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 8))
    X = rng.normal(size=(n, d)).round(draw(st.integers(0, 8)))
    X = X[rng.integers(0, n, n)] if draw(st.booleans()) else X
    X = X * (rng.random((n, d)) < draw(st.sampled_from([0.1, 0.5, 1.0])))
    return X + draw(st.sampled_from([0.0, 1.0, 1e6]))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks so small that every search goes over several."""
    monkeypatch.setattr(neighbors, "MOST_ROWS", 7)
    monkeypatch.setattr(neighbors, "BLOCK_CELLS", 150)


def nearest_where(X, mask, k, metric="sqeuclidean"):
    """The k nearest among the rows that each row allows."""
    search, everyone = Distances(X, metric=metric), slice(0, X.shape[0])
    allowed = mask & ~np.eye(len(mask), dtype=bool)
    distances = np.where(allowed, search.block(everyone), np.inf)
    return search.nearest(everyone, distances, k)


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-14)


@pytest.mark.parametrize("metric", METRICS)
@given(X=matrices(), k=st.integers(1, 12), as_sparse=st.booleans())
@settings(max_examples=draws(60), deadline=None)
def test_nearest_is_the_sorted_prefix(metric, X, k, as_sparse):
    given_X = sparse.csr_array(X) if as_sparse else X
    expected = naive.nearest(X, k=k, metric=metric)
    assert_same(nearest(given_X, k=k, metric=metric), expected)


@given(X=matrices(), k=st.integers(1, 5), seed=st.integers(0, 99))
@settings(max_examples=draws(60), deadline=None)
def test_masks_restrict_the_candidates(X, k, seed):
    mask = np.random.default_rng(seed).random((len(X), len(X))) < 0.4
    expected = naive.nearest(X, k=k, allowed=mask)
    assert_same(nearest_where(X, mask, k), expected)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("decimals", [0, 1, 16])
def test_blocks_and_threads_change_nothing(small_blocks, metric, make, decimals):
    rng = np.random.default_rng(decimals)
    X = rng.normal(size=(83, 4)).round(decimals)
    mask = rng.random((83, 83)) < 0.5
    expected = naive.nearest(X, k=6, metric=metric)
    masked = naive.nearest(X, k=6, metric=metric, allowed=mask)
    assert_same(nearest_where(make(X), mask, 6, metric), masked)
    for n_jobs in (1, 2, -1):
        assert_same(nearest(make(X), k=6, metric=metric, n_jobs=n_jobs), expected)


@pytest.mark.parametrize("metric", METRICS)
def test_queries_may_differ_from_references(metric):
    rng = np.random.default_rng(1)
    X, R = rng.normal(size=(9, 3)), rng.normal(size=(20, 3))
    expected = naive.nearest(X, R, k=4, metric=metric)
    assert_same(nearest(X, R, k=4, metric=metric), expected)
    assert_same(nearest(sparse.csr_array(X), R, k=4, metric=metric), expected)


def test_duplicates_are_neighbours_in_the_order_of_their_index():
    X = np.repeat(np.random.default_rng(0).normal(size=(1, 30)) + 1e5, 6, axis=0)
    indices, distances = nearest(X, k=3)
    assert indices.tolist() == [[1, 2, 3], [0, 2, 3], [0, 1, 3]] + [[0, 1, 2]] * 3
    assert not distances.any()


@pytest.mark.parametrize("scale", [1, 300, 10**6, 10**8])
def test_integers_of_any_size_are_exact(scale):
    X = np.random.default_rng(2).integers(-scale, scale, (50, 6)).astype(float)
    assert_same(nearest(X, k=5), naive.nearest(X, k=5))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("make", [np.asarray, sparse.csc_matrix])
def test_blocks_of_distances_cover_all_pairs(small_blocks, metric, make):
    X = np.random.default_rng(3).normal(size=(23, 4)) + 10
    search = Distances(make(X), metric=metric)
    ends = [slice(0, 10), slice(10, 20), slice(20, 23)]
    found = np.vstack([search.block(rows) for rows in ends])
    expected = naive.all_distances(X, X, metric)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert not np.diag(found).any()


def test_layouts_and_stored_zeros_do_not_matter():
    X = np.random.default_rng(4).integers(0, 3, (30, 5)).astype(float)
    expected = nearest(X, k=4)
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    stored = sparse.coo_matrix(
        (
            np.r_[X.ravel(), 1.0, -1.0],
            (np.r_[np.repeat(range(30), 5), 0, 0], np.r_[np.tile(range(5), 30), 1, 1]),
        )
    )
    for other in (frozen, X.astype(np.float32), X.astype(int)[::-1][::-1], stored):
        assert_same(nearest(other, k=4), expected)
    assert stored.nnz == 152


def test_overflow_is_an_error_not_a_wrong_answer():
    with pytest.raises(ValueError, match="Distances overflow"):
        Distances(np.array([[1e200], [-1e200], [0.5]]))


def test_no_candidate_and_no_reference_find_nothing():
    X, nobody = np.eye(3), np.zeros((3, 3), dtype=bool)
    for indices, distances in (
        nearest(X, np.empty((0, 3)), k=2),
        nearest_where(X, nobody, 2),
        nearest_where(X / 3, nobody, 2),
    ):
        assert (indices == -1).all()
        assert np.isinf(distances).all()
