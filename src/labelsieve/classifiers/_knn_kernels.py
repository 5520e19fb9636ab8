"""Compiled loops of the nearest-neighbour classifiers."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    ByteArray,
    FloatArray,
    IntArray,
    ShortArray,
    WordArray,
)
from labelsieve.neighbors.kernels import RAISED, insert_neighbor

LARGEST_BYTE = 255  # what fits into one byte of a word, without a carry


@njit
def count_labels(
    neighbors: IntArray, Y: WordArray, first: int, out: ShortArray
) -> None:
    """Count how many of the neighbours in each set have each label.

    neighbors: int64[rows, sets, k]
    Y: uint64[references, words], eight labels in each word
    first: where the rows begin in the result
    out: uint16[sets, all rows, labels], these rows overwritten
    """
    sums = np.empty(Y.shape[1], np.uint64)
    counts = sums.view(np.uint8)
    k = neighbors.shape[2]
    for i in range(neighbors.shape[0]):
        for s in range(neighbors.shape[1]):
            row = out[s, first + i]
            row[:] = 0
            for start in range(0, k, LARGEST_BYTE):
                near = neighbors[i, s, start : start + LARGEST_BYTE]
                for w in range(sums.shape[0]):
                    total = np.uint64(0)
                    for p in range(near.shape[0]):
                        total += Y[np.uint64(near[p]), w]
                    sums[w] = total
                for label in range(row.shape[0]):
                    row[label] += counts[label]


@njit
def tabulate(counts: ShortArray, Y: ByteArray, out: IntArray) -> None:
    """Count rows by having a label and by how many of their neighbours have it.

    counts: uint16[rows, labels]
    Y: uint8[rows, labels]
    out: int64[2, labels, k + 1], added to
    """
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            out[Y[i, label], label, counts[i, label]] += 1


@njit
def look_up(table: FloatArray, counts: ShortArray, out: FloatArray) -> None:
    """Write what the table says of each label and count.

    table: float64[labels, k + 1]
    counts: uint16[rows, labels]
    out: float64[rows, labels], overwritten
    """
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            out[i, label] = table[label, counts[i, label]]


@njit
def chain_votes(
    queries: FloatArray,
    references: FloatArray,
    Y: ByteArray,
    k: int,
    sizes: IntArray,
    out: ShortArray,
) -> None:
    """Votes of the k nearest for each label, the labels before it as features.

    queries: float64[queries, features]
    references: float64[features, references]
    Y: uint8[labels, references], in the order of the chain
    sizes: int64[sizes], ascending numbers of leading features
    out: uint16[sizes, queries, labels], overwritten
    """
    n_references = references.shape[1]
    distances, chained = np.empty(n_references), np.empty(n_references)
    best, nearest = np.empty(k), np.empty(k, np.int64)
    for i in range(queries.shape[0]):
        distances[:] = 0.0
        done = 0
        for s in range(sizes.shape[0]):
            add_features(queries[i], references, done, sizes[s], distances)
            done = sizes[s]
            chained[:] = distances
            for label in range(Y.shape[0]):
                _write_nearest(chained, best, nearest)
                votes = 0
                for p in range(k):
                    votes += Y[label, nearest[p]]
                out[s, i, label] = votes
                predicted = 1 if 2 * votes > k else 0
                for j in range(n_references):
                    if Y[label, j] != predicted:
                        chained[j] += 1.0


@njit
def add_features(
    query: FloatArray,
    references: FloatArray,
    start: int,
    stop: int,
    distances: FloatArray,
) -> None:
    """Add the squared differences of some features, in their order.

    query: float64[features]
    references: float64[features, references]
    distances: float64[references], added to
    """
    f = start
    while f + 4 <= stop:
        a, b, c, d = query[f], query[f + 1], query[f + 2], query[f + 3]
        column_a, column_b = references[f], references[f + 1]
        column_c, column_d = references[f + 2], references[f + 3]
        for j in range(distances.shape[0]):
            total = distances[j]
            total += (a - column_a[j]) * (a - column_a[j])
            total += (b - column_b[j]) * (b - column_b[j])
            total += (c - column_c[j]) * (c - column_c[j])
            total += (d - column_d[j]) * (d - column_d[j])
            distances[j] = total
        f += 4
    while f < stop:
        value, column = query[f], references[f]
        for j in range(distances.shape[0]):
            distances[j] += (value - column[j]) * (value - column[j])
        f += 1


@njit
def _write_nearest(measured: FloatArray, best: FloatArray, out: IntArray) -> None:
    """Find the k nearest references, ties by index.

    measured: float64[references], their distances
    best: float64[k], overwritten by the distances of the nearest
    out: int64[k], overwritten by the nearest
    """
    last = best.shape[0] - 1
    best[:] = np.inf
    for j in range(measured.shape[0]):
        if measured[j] * RAISED < best[last]:
            insert_neighbor(best, out, measured[j], j)
