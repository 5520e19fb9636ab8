"""Counts: every source and every number of threads gives the same, right sums."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelsieve._plumbing import memory as _memory
from labelsieve.counting import (
    BitSource,
    CodeSource,
    Counts,
    SparseSource,
    choose_source,
    counts,
    log_table,
    pairs,
)
from labelsieve.discretization import CodedColumns
from labelsieve.discretization._codes import from_dense
from tests.naive.information import entropy

SOURCES = [SparseSource, BitSource, CodeSource]


def coded(columns: np.ndarray) -> CodedColumns:
    codes = np.column_stack([np.unique(c, return_inverse=True)[1] for c in columns.T])
    return from_dense(codes, codes.max(axis=0) + 1)


@st.composite
def coded_pairs(draw):
    """Coded features and labels of a few rows, sparse or not, at least one of each."""
    n = draw(st.integers(2, 150))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_codes, n_values = draw(st.integers(2, 5)), draw(st.sampled_from([2, 2, 3]))
    share = draw(st.sampled_from([0.1, 0.5, 1.0]))
    X = random.integers(0, n_codes, (n, draw(st.integers(1, 5))))
    Y = random.integers(0, n_values, (n, draw(st.integers(1, 4))))
    X[random.random(X.shape) > share] = 0
    Y[random.random(Y.shape) > share] = 0
    X[:2, 0] = Y[:2, 0] = [0, 1]  # at least one column of each varies
    return coded(X), coded(Y)


@given(coded_pairs(), st.sampled_from(SOURCES))
def test_sums_equal_naive_entropies(pair, source):
    features, labels = pair
    counts = Counts(features, labels, source.build(features, labels))
    X, Y, n = features.dense().T, labels.dense().T, features.n_rows
    label_pairs = list(combinations(Y, 2))

    def close(sums, entropies):
        np.testing.assert_allclose(sums, -n * np.array(entropies), atol=1e-9)

    close(counts.feature_sums, [entropy(f) for f in X])
    close(counts.label_sums, [entropy(y) for y in Y])
    close(counts.feature_label_sums, [[entropy(f, y) for f in X] for y in Y])
    close(
        counts.told_of_label_pairs(),
        [
            sum(entropy(f, a, b) - entropy(f) - entropy(a, b) for a, b in label_pairs)
            for f in X
        ],
    )
    chosen = X[-1]
    shared, told = counts.chosen_sums(len(X) - 1)
    close(shared, [entropy(f, chosen) - entropy(f) - entropy(chosen) for f in X])
    close(
        told,
        [
            sum(
                entropy(f, chosen, y)
                + entropy(chosen)
                - entropy(f, chosen)
                - entropy(y, chosen)
                for y in Y
            )
            for f in X
        ],
    )
    low = len(X) // 2
    close(
        counts.feature_pair_sums(low, len(X)),
        [[entropy(f, g) for f in X] for g in X[low:]],
    )


@given(coded_pairs())
def test_sources_agree_bit_for_bit(pair):
    features, labels = pair
    results = []
    for source in SOURCES:
        counts = Counts(features, labels, source.build(features, labels))
        results.append(
            [
                counts.feature_label_counts,
                counts.told_of_label_pairs(),
                *counts.chosen_sums(0),
                counts.feature_pair_sums(0, counts.n_features),
            ]
        )
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("n_codes", [2, 4])
def test_threads_and_blocks_change_nothing(source, n_codes, random, monkeypatch):
    X = random.integers(0, n_codes, (300, 40)) * (random.random((300, 40)) < 0.3)
    Y = (random.random((300, 70)) < 0.1).astype(int)
    features, labels = coded(X), coded(Y)

    def ask(n_jobs):
        found = Counts(features, labels, source.build(features, labels), n_jobs)
        triples = found.told_of_label_pairs()
        return [found.feature_label_counts, triples, *found.chosen_sums(3)]

    expected = ask(1)
    monkeypatch.setattr(pairs, "CELLS_WORTH_THREADS", 0)
    threaded = ask(2)
    monkeypatch.setattr(counts, "CELLS_PER_TASK", 100)
    in_blocks = ask(3)
    for result in (threaded, in_blocks):
        for ours, theirs in zip(expected, result, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@given(coded_pairs(), st.data())
def test_counts_of_row_blocks_add_up(pair, data):
    features, labels = pair
    cut = data.draw(st.integers(1, features.n_rows - 1))
    whole = SparseSource.build(features, labels)
    expected = whole.count_both(whole.rows(), 0, int(labels.start[-1]))
    total = np.zeros_like(expected)
    for rows in (slice(None, cut), slice(cut, None)):
        part = SparseSource.build(_rows(features, rows), _rows(labels, rows))
        total += part.count_both(part.rows(), 0, int(labels.start[-1]))
    np.testing.assert_array_equal(total, expected)


def _rows(columns: CodedColumns, rows: slice) -> CodedColumns:
    codes = columns.codes[rows]
    return CodedColumns(
        codes, columns.n_codes, columns.kept, int(np.count_nonzero(codes))
    )


def test_with_labels_restricts_and_orders(random):
    features = coded(random.integers(0, 3, (60, 4)))
    Y = random.integers(0, 2, (60, 6))
    labels = coded(Y)
    for source in SOURCES:
        all_labels = Counts(features, labels, source.build(features, labels))
        some = all_labels.with_labels(np.array([4, 1]))
        np.testing.assert_array_equal(
            some.feature_label_sums, all_labels.feature_label_sums[[4, 1]]
        )


def test_cost_model_picks_by_density_not_by_container(random):
    words = coded((random.random((400, 50)) < 0.02).astype(int))
    halves = coded(random.integers(0, 2, (400, 50)))
    tenths = coded(random.integers(0, 10, (400, 50)))
    rare = coded((random.random((400, 30)) < 0.02).astype(int))
    common = coded((random.random((400, 10)) < 0.3).astype(int))
    assert isinstance(choose_source(words, rare, rare), SparseSource)
    assert isinstance(choose_source(words, common, common), SparseSource)
    assert isinstance(choose_source(halves, common, common), BitSource)
    assert isinstance(choose_source(halves, rare, halves), BitSource)
    assert isinstance(choose_source(tenths, rare, rare), CodeSource)


def test_log_table_is_exact_at_the_ends_and_right_between():
    table = log_table(1000)
    assert table[0] == table[1000] == 0.0
    k = np.arange(1, 1000)
    np.testing.assert_allclose(table[1:-1], k * np.log(k / 1000), rtol=1e-12)


def test_tables_larger_than_memory_are_refused_with_the_estimate(random, monkeypatch):
    monkeypatch.setattr(_memory, "ALWAYS_TRIED", 0)
    monkeypatch.setattr(_memory, "available_memory", lambda: 100)
    features, labels = (coded(random.integers(0, 2, (30, 9))) for _ in range(2))
    found = Counts(features, labels, SparseSource.build(features, labels))
    with pytest.raises(MemoryError, match=r"9 x 9 cells needs .* GiB"):
        _ = found.feature_label_counts
