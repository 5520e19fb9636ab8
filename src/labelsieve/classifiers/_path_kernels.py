"""Compiled search for the nearest neighbours along a path of feature sets.

by_first: int64[references], ascending by their first feature
distances: float64[references and some more], of all references; NaN behind them
candidates: int32[references and some more], the first n are the candidates, ascending
measured: float64[references], the first n are the distances of the candidates
near: int32[references], the first are places among the candidates
query: float64[features]
columns: float64[features, references]
flags: uint8[whole words], whether each reference is within a radius
words: int32[words], room for the words that are not zero
best: float64[k], overwritten by the k smallest distances
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray, FloatArray, Int32Array, IntArray
from labelsieve.classifiers._knn_kernels import add_features
from labelsieve.neighbors.kernels import RAISED, insert_value

# Halvings of an interval until it holds nothing but the k-th nearest, mostly.
HALVINGS = 8
WORD = 8  # flags that are tested at once


@njit
def nearest_along_path(
    queries: FloatArray,
    columns: FloatArray,
    by_first: IntArray,
    first_query: int,
    sizes: IntArray,
    reserve: float,
    pool: float,
    out: IntArray,
) -> None:
    """Find the nearest references for nested sets of leading features.

    Distances only grow along the path. Those within some radius of the query are
    candidates, and as long as the k nearest candidates stay within it, nobody from
    outside can be nearer; then all distances are brought up to date and new
    candidates taken. Sums run in the order of the features, as in a search at one
    size. Candidates stay in ascending order, so that ties go to the smaller index;
    whoever ties with those within the radius, up to rounding, is a candidate too.

    queries: float64[queries, features]
    first_query: index of the first query among the references, or < 0
    sizes: int64[sizes], ascending numbers of leading features, without repetition
    reserve: how much farther than the k nearest candidates are, at least
    pool: candidates per neighbour, if rows filled the space evenly
    out: int64[queries, sizes, k], overwritten; a set, in no order
    """
    n_references, k = columns.shape[1], out.shape[2]
    n_words = (n_references + WORD - 1) // WORD
    distances, flags = np.empty(WORD * n_words), np.empty(WORD * n_words, np.uint8)
    candidates, words = np.empty(WORD * n_words, np.int32), np.empty(n_words, np.int32)
    measured, near = np.empty(n_references), np.empty(n_references, np.int32)
    close, best = np.empty(n_references), np.empty(k)
    first_values = columns[0][by_first]
    for i in range(queries.shape[0]):
        query, own = queries[i], first_query + i if first_query >= 0 else -1
        _reset_distances(distances, n_references, own)
        middle = np.searchsorted(first_values, query[0])
        n = _take_around(by_first, own, middle, k, candidates, measured, near)
        done, at, radius, farthest = 0, 0, -1.0, 0.0
        for s in range(sizes.shape[0]):
            _add_features_of_candidates(
                query, columns, at, sizes[s], candidates, measured, n
            )
            at = sizes[s]
            before, bound = farthest, _farthest(measured, near, k)
            if bound > radius and _count_within(measured, n, radius) < k:
                add_features(query, columns, done, at, distances[:n_references])
                done = at
                bound = _narrowed_bound(measured, n, before, bound, k)
                margin = max(1.0 + reserve, pool ** (2.0 / at))
                near_enough = bound * margin
                n = _take_within(
                    distances, near_enough, flags, words, candidates, measured
                )
                # The k nearest are nearer than they seemed among the old candidates.
                bound = _narrowed_bound(measured, n, before, bound, k)
                radius = bound * margin
                n = _keep_within(radius, candidates, measured, n)
                radius /= RAISED
            else:
                bound = min(bound, radius)
                m = _copy_distances_up_to(bound, measured, n, close)
                bound = _narrowed_bound(close, m, before, bound, k)
            m = _write_places_up_to(bound * RAISED, measured, n, near)
            if m > k:
                _leave_nearest(measured, near, m, best)
            farthest = _farthest(measured, near, k)
            for p in range(k):
                out[i, s, p] = candidates[np.uint64(near[p])]


@njit
def _reset_distances(distances: FloatArray, n_references: int, own: int) -> None:
    """Zero, and what is within no radius for the query itself and behind the end."""
    distances[:n_references] = 0.0
    distances[n_references:] = np.nan
    if own >= 0:
        distances[own] = np.nan


@njit
def _take_around(
    by_first: IntArray,
    own: int,
    middle: int,
    k: int,
    candidates: Int32Array,
    measured: FloatArray,
    near: Int32Array,
) -> int:
    """Begin with k references or more on either side, by the first feature."""
    n = 0
    start, stop = middle - k - 1, middle + k + 1
    if start < 0:
        start, stop = 0, 2 * k + 2
    if stop > by_first.shape[0]:
        start, stop = max(0, by_first.shape[0] - 2 * k - 2), by_first.shape[0]
    for p in range(start, stop):
        if by_first[p] != own:
            candidates[n], measured[n], near[n] = by_first[p], 0.0, n
            n += 1
    return n


@njit
def _add_features_of_candidates(
    query: FloatArray,
    columns: FloatArray,
    start: int,
    stop: int,
    candidates: Int32Array,
    measured: FloatArray,
    n: int,
) -> None:
    """Add the squared differences of some features, for the candidates only."""
    for f in range(start, stop):
        value, column = query[f], columns[f]
        for c in range(n):
            difference = value - column[np.uint64(candidates[c])]
            measured[c] += difference * difference


@njit
def _farthest(measured: FloatArray, near: Int32Array, k: int) -> float:
    """The largest distance of the k nearest."""
    farthest = measured[np.uint64(near[0])]
    for p in range(1, k):
        distance = measured[np.uint64(near[p])]
        farthest = distance if distance > farthest else farthest
    return farthest


@njit
def _count_within(measured: FloatArray, n: int, bound: float) -> int:
    """How many candidates are not farther than the bound."""
    within = 0
    for c in range(n):
        within += measured[c] <= bound
    return within


@njit
def _narrowed_bound(
    measured: FloatArray, n: int, low: float, high: float, k: int
) -> float:
    """Lower a bound that holds for k or more, to one that holds for k if possible.

    Equally distant candidates cannot be divided.
    """
    if n == k:
        return high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        within = _count_within(measured, n, middle)
        if within == k:
            return middle
        if within > k:
            high = middle
        else:
            low = middle
    return high


@njit
def _take_within(
    distances: FloatArray,
    radius: float,
    flags: ByteArray,
    words: Int32Array,
    candidates: Int32Array,
    measured: FloatArray,
) -> int:
    """Write all within the radius and their distances; return how many they are."""
    for j in range(distances.shape[0]):
        flags[j] = distances[j] <= radius
    n = _write_flagged(flags, words, candidates)
    for c in range(n):
        measured[c] = distances[np.uint64(candidates[c])]
    return n


@njit
def _write_flagged(flags: ByteArray, words: Int32Array, out: Int32Array) -> int:
    """Write where the flags are set; return how many there are.

    Without branches, which would often be guessed wrong: written always, kept if set.

    out: int32[whole words], the first overwritten
    """
    whole_words, n_words = flags.view(np.uint64), 0
    for w in range(whole_words.shape[0]):
        words[np.uint64(n_words)] = w
        n_words += whole_words[w] != 0
    n = 0
    for h in range(n_words):
        start = words[h] * WORD
        for j in range(start, start + WORD):
            out[np.uint64(n)] = j
            n += flags[np.uint64(j)]
    return n


@njit
def _keep_within(
    radius: float, candidates: Int32Array, measured: FloatArray, n: int
) -> int:
    """Keep the candidates within the radius, in their order; return how many."""
    kept = 0
    for c in range(n):
        candidate, distance = candidates[c], measured[c]
        candidates[np.uint64(kept)], measured[np.uint64(kept)] = candidate, distance
        kept += distance <= radius
    return kept


@njit
def _copy_distances_up_to(
    bound: float, measured: FloatArray, n: int, close: FloatArray
) -> int:
    """Write the distances not above the bound; return how many they are.

    close: float64[references], the first overwritten
    """
    m = 0
    for c in range(n):
        distance = measured[c]
        close[np.uint64(m)] = distance
        m += distance <= bound
    return m


@njit
def _write_places_up_to(
    bound: float, measured: FloatArray, n: int, near: Int32Array
) -> int:
    """Write which candidates are not farther than the bound; return how many."""
    m = 0
    for c in range(n):
        distance = measured[c]
        near[np.uint64(m)] = c
        m += distance <= bound
    return m


@njit
def _leave_nearest(
    measured: FloatArray, near: Int32Array, m: int, best: FloatArray
) -> None:
    """Leave the k nearest of those m that are near, ties by index."""
    k = best.shape[0]
    farthest = _write_smallest(measured, near, m, best)
    ties = 0
    for p in range(k):
        ties += best[p] * RAISED >= farthest
    kept = 0
    for p in range(m):
        distance = measured[np.uint64(near[p])]
        nearer = distance * RAISED < farthest
        if nearer or (distance <= farthest * RAISED and ties > 0):
            ties -= not nearer
            near[kept] = near[p]
            kept += 1


@njit
def _write_smallest(
    measured: FloatArray, near: Int32Array, m: int, best: FloatArray
) -> float:
    """Write the smallest distances, ascending; return the last of them."""
    last = best.shape[0] - 1
    best[:] = np.inf
    for p in range(m):
        distance = measured[np.uint64(near[p])]
        if distance < best[last]:
            insert_value(best, distance)
    return best[last]
