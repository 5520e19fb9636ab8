"""Counting by bits across words gives what counting by lists gives."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve import FIMF, PMU
from labelsieve._plumbing.slices import Lists
from labelsieve.counting import (
    CodedTriples,
    Counts,
    SparseSource,
    choose_source,
    plane_kernels,
)
from labelsieve.counting import corrected_kernels as kernels
from labelsieve.counting.indicators import IndicatorRows
from labelsieve.discretization._codes import from_dense, from_sparse


def lists_of(table):
    found = sp.csr_array(table)
    return Lists(found.indptr.astype(np.int64), found.indices.astype(np.uint32))


@given(
    n_features=st.sampled_from([1, 63, 64, 65, 511, 512, 513, 1100]),
    n_rows=st.integers(1, 60),
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=4),
    fewest=st.sampled_from([0, 9, 10_000]),
    seed=st.integers(0, 1000),
)
def test_the_same_counts_as_by_lists(n_features, n_rows, sizes, fewest, seed):
    random = np.random.default_rng(seed)
    table = (random.random((n_rows, n_features)) < random.random()).astype(np.uint32)
    features = IndicatorRows(lists_of(table), n_features)
    groups = [random.integers(0, n_rows, size).astype(np.uint32) for size in sizes]
    start = np.append(0, np.cumsum(sizes))
    lists = Lists(start, np.concatenate(groups))
    counted = plane_kernels.RowFeatures(features.of_row, features.bits, fewest)
    found = features.count_groups(lists, of_row=counted)
    np.testing.assert_array_equal(found, [table[rows].sum(axis=0) for rows in groups])


@pytest.mark.parametrize("n_rows", [255, 256, 4087, 4088, 4089, 9000])
def test_counts_of_many_rows(n_rows):
    table = np.ones((n_rows, 3), dtype=np.uint32)
    table[5:, 1] = 0
    features = IndicatorRows(lists_of(table), 3)
    counted = plane_kernels.RowFeatures(features.of_row, features.bits, 0)
    every = Lists(np.array([0, n_rows]), np.arange(n_rows, dtype=np.uint32))
    found = features.count_groups(every, of_row=counted)
    np.testing.assert_array_equal(found, [[n_rows, 5, n_rows]])


@given(seed=st.integers(0, 1000), n_steps=st.integers(1, 40))
def test_kernels_that_are_not_compiled(seed, n_steps):
    """Adding and reading in Python, where numba is switched off."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2**63, (50, 8), dtype=np.uint64)
    rows = random.integers(0, 50, 8 * n_steps).astype(np.uint32)
    planes, tally = np.zeros((16, 8), dtype=np.uint64), np.zeros(512, dtype=np.uint8)
    for first in range(0, rows.size, 8):
        plane_kernels._add_eight_in_python(planes, bits, rows, first, 0)
    plane_kernels._read_byte_in_python(planes, 0, tally)
    low = tally.astype(int)
    plane_kernels._read_byte_in_python(planes, 8, tally)
    ones = np.unpackbits(bits.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    expected = ones[rows].sum(axis=0, dtype=int)
    np.testing.assert_array_equal(low + 256 * tally.astype(int), expected)


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    return random.random((2000, 90)) < 0.2, random.random((2000, 12)) < 0.3


def test_bits_are_used_where_they_pay(words):
    X, Y = (sp.csr_matrix(part.astype(np.uint8)) for part in words)
    coded = [
        from_sparse(part, np.zeros(part.shape[1], np.uint8), np.full(part.shape[1], 2))
        for part in (X, Y)
    ]
    source = SparseSource.build(*coded)
    found = source.count_both(source.rows(), 0, Y.shape[1])
    assert "bits" in vars(source.features)
    np.testing.assert_array_equal(found, (Y.T.astype(int) @ X.astype(int)).toarray())
    wide = IndicatorRows(source.features.of_row, 10**6)
    assert wide.for_groups(source.labels.columns).bits.size == 0


@pytest.mark.parametrize("selector", [FIMF(), PMU(5)], ids=str)
@pytest.mark.parametrize("hidden", [False, True])
def test_the_same_scores_without_bits(selector, hidden, words, monkeypatch):
    X, Y = sp.csr_matrix(words[0], dtype=float), words[1].astype(float)
    if hidden:
        Y[np.random.default_rng(1).random(Y.shape) < 0.1] = np.nan
    scores = selector.fit(X, Y).scores_
    for_groups, never = IndicatorRows.for_groups, np.iinfo(np.int64).max

    def lists_only(self, groups):
        return for_groups(self, groups)._replace(fewest=never)

    monkeypatch.setattr(IndicatorRows, "for_groups", lists_only)
    np.testing.assert_array_equal(selector.fit(X, Y).scores_, scores)


def test_labels_taken_by_their_rows(words):
    Y = words[1].astype(np.uint8)
    Y[np.random.default_rng(1).random(Y.shape) < 0.1] = 2
    n_codes = np.full(12, 3)
    coded = from_sparse(sp.csr_matrix(Y), np.zeros(12, np.uint8), n_codes)
    rows, taken = IndicatorRows.build(coded), np.array([2, 5, 11])
    found, expected = rows.take_columns(coded, taken), coded.take(taken)
    np.testing.assert_array_equal(found.codes.toarray(), expected.codes.toarray())
    np.testing.assert_array_equal(found.n_codes, expected.n_codes)
    assert found.n_entries == expected.n_entries
    assert found.codes.has_sorted_indices
    counts = [np.count_nonzero(Y[:, j] == code) for j in taken for code in (1, 2)]
    np.testing.assert_array_equal(found.counts, counts)


@given(seed=st.integers(0, 10_000), n=st.integers(4, 80))
def test_two_and_three_codes_without_tables(seed, n):
    """Bit for bit what tables of any codes give."""
    random = np.random.default_rng(seed)
    X = random.integers(0, random.integers(2, 5, 6), (n, 6))
    X[:3, 0] = 0, 1, 2
    X[:, 0] = np.minimum(X[:, 0], 2)
    Y = random.integers(0, 2, (n, 3))
    Y[:2] = [[0] * 3, [1] * 3]
    X[:2, 1:] = [[0] * 5, [1] * 5]
    features, labels = (from_dense(part, part.max(axis=0) + 1) for part in (X, Y))
    counts = Counts(features, labels, choose_source(features, labels, labels))
    given = counts.given_feature(0)
    n_fgl = np.stack([counts.source.count_both(rows, 0, 3) for rows in given.rows])
    triples, told = CodedTriples.of(counts, given), np.empty(3)
    table, joint = counts.table, np.empty((3, 2), dtype=np.uint64)
    for label in range(3):
        kernels.split_by_label(triples, label, joint)
        own = 0.0
        for no, yes in joint.astype(int):
            own = own + table[no + yes] - table[no] - table[yes]
        for f in range(6):
            kernels.conditional_information(n_fgl, triples, 0, label, f, told)
            found = kernels.information_of_two(
                n_fgl[:, label], triples, label, f, own, joint
            )
            assert found == (told[0], told[1])


@pytest.mark.parametrize("n_lists", [40, 1024, 3000])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rows_of_many_lists_are_those_of_the_columns(n_lists, n_jobs, random):
    """Many lists of long rows are written some at a time."""
    table = random.random((90, n_lists)) < 0.2
    rows = IndicatorRows(lists_of(table), n_lists, n_jobs)
    some = np.arange(0, 90, 3, dtype=np.uint32)
    for found, index in ((rows.columns, np.arange(90)), (rows.group(some), some)):
        expected = [index[column] for column in table[index].T]
        np.testing.assert_array_equal(found.entries, np.concatenate(expected))
        np.testing.assert_array_equal(np.diff(found.start), [*map(len, expected)])
