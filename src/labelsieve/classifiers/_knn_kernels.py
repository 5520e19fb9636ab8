"""Compiled loops of the nearest-neighbour classifiers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from labelsieve._compile import njit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.uint8]


@njit
def count_labels(
    neighbors: Integers,  # [rows, k]
    Y: Flags,  # [references, labels]
    out: npt.NDArray[np.uint16],  # [rows, labels], overwritten
) -> None:
    """Count how many neighbours of each row have each label."""
    for i in range(neighbors.shape[0]):
        row = out[i]
        row[:] = 0
        for p in range(neighbors.shape[1]):
            labels = Y[np.uint64(neighbors[i, p])]
            for label in range(labels.shape[0]):
                row[label] += labels[label]


@njit
def tabulate(
    counts: npt.NDArray[np.uint16],  # [rows, labels]
    Y: Flags,  # [rows, labels]
    out: Integers,  # [2, labels, k + 1], added to
) -> None:
    """Count rows by having a label and by how many of their neighbours have it."""
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            out[Y[i, label], label, counts[i, label]] += 1


@njit
def nearest_along_path(
    queries: Floats,  # [queries, features]
    references: Floats,  # [features, references]
    first_query: int,  # index of the first query among the references, or < 0
    sizes: Integers,  # ascending numbers of leading features, without repetition
    block_growth: float,
    out: Integers,  # [sizes, queries, k], overwritten
) -> None:
    """Find the nearest references for nested sets of leading features.

    Distances only grow along the path. So for a run of sizes a..b, whoever is
    farther at size a than the k nearest of before are at size b cannot be among the
    k nearest at any size between: few candidates remain, and the others are only
    added up. Sums run in the order of the features, as in a search at one size.
    """
    n_references, k = references.shape[1], out.shape[2]
    distances = np.empty(n_references)
    candidates = np.empty(n_references, np.int64)
    measured = np.empty(n_references)
    best = np.empty(k)
    for i in range(queries.shape[0]):
        query = queries[i]
        distances[:] = 0.0
        if first_query >= 0:
            distances[first_query + i] = np.inf
        done = 0  # so many features are in `distances`
        s = 0
        while s < sizes.shape[0]:
            run = s + 1
            while run < sizes.shape[0] and sizes[run] <= block_growth * sizes[s]:
                run += 1
            _add_features(query, references, done, sizes[s], distances)
            done = sizes[s]
            bound = np.inf
            if s > 0 and run > s + 1:
                bound = _farthest(
                    query, references, done, sizes[run - 1], distances, out[s - 1, i]
                )
            elif s > 0:
                bound = _farthest(
                    query, references, done, done, distances, out[s - 1, i]
                )
            n_candidates = _within(distances, bound, candidates)
            for c in range(n_candidates):
                measured[c] = distances[candidates[c]]
            at = done
            for step in range(s, run):
                while at < sizes[step]:
                    value, column = query[at], references[at]
                    for c in range(n_candidates):
                        difference = value - column[candidates[c]]
                        measured[c] += difference * difference
                    at += 1
                _select(measured, candidates, n_candidates, best, out[step, i])
            s = run


@njit
def _add_features(
    query: Floats, references: Floats, start: int, stop: int, distances: Floats
) -> None:
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
def _farthest(
    query: Floats,
    references: Floats,
    start: int,
    stop: int,
    distances: Floats,
    neighbors: Integers,
) -> float:
    """Return the largest distance of these neighbours at `stop` features."""
    farthest = 0.0
    for p in range(neighbors.shape[0]):
        j = neighbors[p]
        total = distances[j]
        for f in range(start, stop):
            difference = query[f] - references[f, j]
            total += difference * difference
        farthest = max(farthest, total)
    return farthest


@njit
def _within(distances: Floats, bound: float, candidates: Integers) -> int:
    """Write the indices within the bound and return how many they are."""
    n = 0
    for j in range(distances.shape[0]):
        candidates[np.uint64(n)] = j
        n += distances[j] <= bound
    return n


@njit
def _select(
    measured: Floats,
    candidates: Integers,  # ascending, so that ties go to the smaller index
    n_candidates: int,
    best: Floats,
    out: Integers,
) -> None:
    last = best.shape[0] - 1
    best[:] = np.inf
    for c in range(n_candidates):
        distance = measured[c]
        if distance < best[last]:
            place = last
            while place > 0 and best[place - 1] > distance:
                best[place] = best[place - 1]
                out[place] = out[place - 1]
                place -= 1
            best[place] = distance
            out[place] = candidates[c]


@njit
def chain_votes(
    queries: Floats,  # [queries, features]
    references: Floats,  # [features, references]
    Y: Flags,  # [labels, references], in the order of the chain
    k: int,
    sizes: Integers,  # ascending numbers of leading features
    out: npt.NDArray[np.uint16],  # [sizes, queries, labels], overwritten
) -> None:
    """Votes of the k nearest for each label, the labels before it as features."""
    n_references = references.shape[1]
    distances, chained = np.empty(n_references), np.empty(n_references)
    best, nearest = np.empty(k), np.empty(k, np.int64)
    everyone = np.arange(n_references)
    for i in range(queries.shape[0]):
        distances[:] = 0.0
        done = 0
        for s in range(sizes.shape[0]):
            _add_features(queries[i], references, done, sizes[s], distances)
            done = sizes[s]
            chained[:] = distances
            for label in range(Y.shape[0]):
                _select(chained, everyone, n_references, best, nearest)
                votes = 0
                for p in range(k):
                    votes += Y[label, nearest[p]]
                out[s, i, label] = votes
                predicted = 1 if 2 * votes > k else 0
                for j in range(n_references):
                    if Y[label, j] != predicted:
                        chained[j] += 1.0
