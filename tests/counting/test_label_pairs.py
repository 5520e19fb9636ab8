"""Pairs of labels that meet, listed: the same answers as tables and naive sums."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from labelsieve._plumbing import memory
from labelsieve.counting import Counts, SparseSource, joint, label_pairs, pairs
from labelsieve.counting.entropy_kernels import add_product
from labelsieve.discretization._codes import from_dense
from labelsieve.information import label_pair_interaction
from tests.naive.information import interaction_information


@st.composite
def coded_pairs(draw, most_labels=40):
    """Binary features and labels that vary; of some, all labels meet all features."""
    n, share = draw(st.integers(2, 200)), draw(st.sampled_from([0.02, 0.1, 0.4, 0.5]))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    return coded(random, n, share, 8, draw(st.integers(2, most_labels)))


def coded(random, n, share, n_features, n_labels):
    tables = [random.random((n, width)) < share for width in (n_features, n_labels)]
    for table in tables:
        width = table.shape[1]
        table[random.integers(n, size=width), np.arange(width)] = True
        table[:, table.all(axis=0)] = np.arange(n)[:, np.newaxis] > 0
        table ^= 2 * table.sum(axis=0) > n
    return [from_dense(t.astype(int), np.full(t.shape[1], 2)) for t in tables]


def ask(pair, listed, n_jobs=1):
    counts = Counts(*pair, SparseSource.build(*pair), n_jobs)
    counts.lists_cells = counts.lists_label_pairs = listed
    return counts


@given(coded_pairs())
def test_listed_pairs_tell_what_tables_tell(pair):
    table, listed = (ask(pair, way).told_of_label_pairs() for way in (False, True))
    np.testing.assert_allclose(listed, table, rtol=1e-13, atol=1e-10)


@given(coded_pairs(most_labels=8))
def test_listed_pairs_tell_what_is_defined(pair):
    X, Y = pair[0].dense().T, pair[1].dense().T
    naive = [
        sum(interaction_information(f, a, b) for a, b in combinations(Y, 2)) for f in X
    ]
    for listed in (False, True):
        found = label_pair_interaction(ask(pair, listed))
        np.testing.assert_allclose(found, naive, atol=1e-12)


def test_listed_label_pairs_are_those_of_the_table(random):
    pair = coded(random, 120, 0.05, 8, 30)
    counts = ask(pair, True)
    listed = label_pairs.Listed.of(counts).pairs
    found = np.zeros((30, 30))
    found[listed.first, listed.second] = listed.counts
    table = ask(pair, False).label_pair_counts
    np.testing.assert_array_equal(found, np.triu(table, 1))
    rows = label_pairs.with_pairs(counts.source, listed).labels.columns
    np.testing.assert_array_equal(np.diff(rows.start), listed.counts)


def test_ranges_and_threads_change_nothing(random, monkeypatch):
    pair = coded(random, 400, 0.03, 90, 70)
    expected = ask(pair, True).told_of_label_pairs()
    monkeypatch.setattr(joint, "CELLS_PER_LIST", 50)
    monkeypatch.setattr(pairs, "CELLS_WORTH_THREADS", 0)
    found = ask(pair, True, n_jobs=3).told_of_label_pairs()
    np.testing.assert_array_equal(found, expected)


def test_no_labels_meet(random):
    Y = np.eye(40, dtype=int)
    X = (random.random((40, 5)) < 0.3).astype(int)
    pair = from_dense(X, np.full(5, 2)), from_dense(Y, np.full(40, 2))
    table, listed = (ask(pair, way).told_of_label_pairs() for way in (False, True))
    np.testing.assert_allclose(listed, table, rtol=1e-13, atol=1e-10)


@pytest.mark.parametrize(("per_row", "listed"), [(2, True), (60, False)])
def test_pairs_are_listed_where_few_meet(per_row, listed, random):
    n, n_labels = 500, 1000
    cells = np.sort(random.random((n, n_labels)).argsort(axis=1)[:, :per_row])
    Y = np.zeros((n, n_labels), dtype=int)
    np.put_along_axis(Y, cells, 1, axis=1)
    Y[np.arange(n_labels) % n, np.arange(n_labels)] = 1
    X = sp.random_array((n, 300), density=0.05, rng=random).toarray() > 0
    X[0], X[1] = True, False
    pair = (
        from_dense(X.astype(int), np.full(300, 2)),
        from_dense(Y, np.full(n_labels, 2)),
    )
    counts = Counts(*pair, SparseSource.build(*pair))
    assert counts.lists_label_pairs == listed
    some = pair[1].take(np.arange(100))
    assert not Counts(
        pair[0], some, SparseSource.build(pair[0], some)
    ).lists_label_pairs


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.floats(-1e6, 1e6))))
def test_sums_of_products_lose_nothing(terms):
    from fractions import Fraction

    total = np.zeros(2)
    for weight, value in terms:
        add_product(total, float(weight), value)
    exact = sum((weight * Fraction(value) for weight, value in terms), Fraction(0))
    size = sum((abs(weight * Fraction(value)) for weight, value in terms), Fraction(0))
    error = abs(Fraction(total[0]) + Fraction(total[1]) - exact)
    assert error <= size * Fraction(2) ** -98 + Fraction(1, 10**290)


def test_lists_that_do_not_fit_are_refused(random, monkeypatch):
    monkeypatch.setattr(memory, "ALWAYS_TRIED", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000)
    counts = ask(coded(random, 200, 0.1, 8, 40), True)
    with pytest.raises(MemoryError, match="pairs of labels of all rows"):
        counts.told_of_label_pairs()
    assert "label_cells" not in vars(counts)
