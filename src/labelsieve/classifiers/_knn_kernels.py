"""Compiled loops of the nearest-neighbour classifiers."""

from __future__ import annotations

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import ByteArray, FloatArray, IntArray, ShortArray
from labelsieve.neighbors.kernels import RAISED, insert_neighbor


@njit
def nearest_along_path(
    queries: FloatArray,
    references: FloatArray,
    first_query: int,
    sizes: IntArray,
    out: IntArray,
) -> None:
    """Find the nearest references for nested sets of leading features.

    queries: float64[queries, features]
    references: float64[features, references]
    first_query: index of the first query among the references, or < 0
    sizes: int64[sizes], ascending numbers of leading features
    out: int64[sizes, queries, k], overwritten
    """
    distances, best = np.empty(references.shape[1]), np.empty(out.shape[2])
    for i in range(queries.shape[0]):
        distances[:] = 0.0
        if first_query >= 0:
            distances[first_query + i] = np.inf
        done = 0
        for s in range(sizes.shape[0]):
            add_features(queries[i], references, done, sizes[s], distances)
            done = sizes[s]
            _write_nearest(distances, best, out[s, i])


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
    for f in range(start, stop):
        value, column = query[f], references[f]
        for j in range(distances.shape[0]):
            distances[j] += (value - column[j]) * (value - column[j])


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
