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
def look_up(
    table: Floats,  # [labels, k + 1]
    counts: npt.NDArray[np.uint16],  # [rows, labels]
    out: Floats,  # [rows, labels], overwritten
) -> None:
    """Write what the table says of each label and count."""
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            out[i, label] = table[label, counts[i, label]]


@njit
def nearest_along_path(
    queries: Floats,  # [queries, features]
    columns: Floats,  # [features, references]
    by_first: Integers,  # the references, ascending by their first feature
    first_query: int,  # index of the first query among the references, or < 0
    sizes: Integers,  # ascending numbers of leading features, without repetition
    reserve: float,  # how much farther than the k nearest candidates are, at least
    pool: float,  # candidates per neighbour, if rows filled the space evenly
    out: Integers,  # [sizes, queries, k], overwritten; a set, in no order
) -> None:
    """Find the nearest references for nested sets of leading features.

    Distances only grow along the path. Those within some radius of the query are
    candidates, and as long as the k nearest candidates stay within it, nobody from
    outside can be nearer; then all distances are brought up to date and new
    candidates taken. Sums run in the order of the features, as in a search at one
    size.
    """
    n_references, k = columns.shape[1], out.shape[2]
    distances, measured = np.empty(n_references), np.empty(n_references)
    candidates = np.empty(n_references, np.int64)
    places, front = np.empty(n_references, np.int64), np.empty(k, np.int64)
    first_values = columns[0][by_first]
    for i in range(queries.shape[0]):
        own = first_query + i if first_query >= 0 else -1
        distances[:] = 0.0
        if own >= 0:
            distances[own] = np.inf
        middle = np.searchsorted(first_values, queries[i, 0])
        n = _around(by_first, own, middle, k, candidates, measured)
        done, at, radius = 0, 0, -1.0
        for s in range(sizes.shape[0]):
            _add_few(queries[i], columns, at, sizes[s], candidates, measured, n)
            at = sizes[s]
            _nearest_first(measured, candidates, n, k)
            if measured[k - 1] > radius:
                margin = max(1.0 + reserve, pool ** (2.0 / at))
                radius = measured[k - 1] * margin
                _add_features(queries[i], columns, done, at, distances)
                done = at
                front[:] = candidates[:k]
                n = _within(distances, radius, candidates, measured)
                _move_to_front(front, candidates, measured, places, n)
                _nearest_first(measured, candidates, n, k)
                # The k nearest are nearer than they seemed among the old candidates.
                radius = measured[k - 1] * margin
                n = _drop(radius, candidates, measured, n)
            for p in range(k):
                out[s, i, p] = candidates[p]


@njit
def _around(
    by_first: Integers,
    own: int,
    middle: int,
    k: int,
    candidates: Integers,
    measured: Floats,
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
            candidates[n], measured[n] = by_first[p], 0.0
            n += 1
    return n


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
def _add_few(
    query: Floats,
    columns: Floats,
    start: int,
    stop: int,
    candidates: Integers,
    measured: Floats,
    n: int,
) -> None:
    for f in range(start, stop):
        value, column = query[f], columns[f]
        for c in range(n):
            difference = value - column[np.uint64(candidates[c])]
            measured[c] += difference * difference


@njit
def _within(
    distances: Floats, radius: float, candidates: Integers, measured: Floats
) -> int:
    """Write all within the radius and their distances; return how many they are."""
    n = 0
    for j in range(distances.shape[0]):
        # Without a branch, which would often be guessed wrong: written always, kept
        # if within.
        candidates[np.uint64(n)] = j
        n += distances[j] <= radius
    for c in range(n):
        measured[c] = distances[np.uint64(candidates[c])]
    return n


@njit
def _drop(radius: float, candidates: Integers, measured: Floats, n: int) -> int:
    """Keep the candidates within the radius, in their order; return how many."""
    kept = 0
    for c in range(n):
        if measured[c] <= radius:
            candidates[kept], measured[kept] = candidates[c], measured[c]
            kept += 1
    return kept


@njit
def _move_to_front(
    front: Integers, candidates: Integers, measured: Floats, places: Integers, n: int
) -> None:
    """Swap those of `front`, all of them candidates, to the first places."""
    for c in range(n):
        places[np.uint64(candidates[c])] = c
    for p in range(front.shape[0]):
        place = places[front[p]]
        places[candidates[p]] = place
        _swap(measured, candidates, place, p)


@njit
def _nearest_first(measured: Floats, candidates: Integers, n: int, k: int) -> None:
    """Move the k nearest to the front, the farthest of them last; ties by index.

    Little moves if the front was nearly right before.
    """
    _farthest_last(measured, candidates, k)
    last = k - 1
    farthest = measured[last]
    for c in range(k, n):
        if measured[c] > farthest:
            continue
        if measured[c] < farthest or candidates[c] < candidates[last]:
            _swap(measured, candidates, c, last)
            _farthest_last(measured, candidates, k)
            farthest = measured[last]


@njit
def _farthest_last(measured: Floats, candidates: Integers, k: int) -> None:
    worst, farthest = 0, measured[0]
    for c in range(1, k):
        farther = measured[c] > farthest
        worst = c if farther else worst
        farthest = measured[c] if farther else farthest
    for c in range(k):
        if measured[c] == farthest and candidates[c] > candidates[worst]:
            worst = c
    _swap(measured, candidates, worst, k - 1)


@njit
def _swap(measured: Floats, candidates: Integers, a: int, b: int) -> None:
    measured[a], measured[b] = measured[b], measured[a]
    candidates[a], candidates[b] = candidates[b], candidates[a]


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
