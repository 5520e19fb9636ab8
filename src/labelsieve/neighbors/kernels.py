"""Compiled loops of the neighbour search: dot products, distances, fused top-k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from labelsieve._plumbing.compile import njit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint32]

# How a candidate's distance is known: exactly from its dot product, or by going
# over the features of the two rows again.
EXACT, RESCORE_DENSE, RESCORE_SPARSE = 0, 1, 2


class Rows(NamedTuple):
    """Rows as they were given: `values` if dense, else the three arrays of CSR."""

    values: Floats
    indptr: Integers
    indices: Unsigned
    data: Floats


class Best(NamedTuple):
    """The k best candidates so far, per query and group; index -1 means none."""

    bounds: Floats  # [queries, groups, k] ascending upper bounds of the distance
    distances: Floats  # [queries, groups, k] ascending
    indices: Integers  # [queries, groups, k]


@njit
def keep_nearest(
    dots: npt.NDArray[np.floating],  # [queries, references] of one tile
    query_norms: Floats,
    reference_norms: Floats,
    slack: float,  # relative error of (norm + norm - 2 dot)
    groups: npt.NDArray[np.int32],  # [1 or queries, references], -1 is no candidate
    queries: Rows,
    references: Rows,
    first_query: int,
    first_reference: int,
    same_rows: bool,
    mode: int,
    best: Best,
) -> None:
    """Merge one tile of references into the best candidates of a block of queries.

    Tiles must come in ascending order of references: then the strict comparison
    gives ties to the smaller index.
    """
    last = best.distances.shape[2] - 1
    n_references = dots.shape[1]
    per_query = groups.shape[0] > 1
    for i in range(dots.shape[0]):
        group_row = i if per_query else 0
        own = first_query + i - first_reference if same_rows else -1
        if mode != EXACT:
            for j in range(n_references):
                g = groups[group_row, j]
                if g < 0 or j == own:
                    continue
                upper = (query_norms[i] + reference_norms[j]) * (
                    1.0 + slack
                ) - 2.0 * dots[i, j]
                if upper < best.bounds[i, g, last]:
                    _insert_bound(best.bounds[i, g], upper)
        for j in range(n_references):
            g = groups[group_row, j]
            if g < 0 or j == own:
                continue
            distance = (query_norms[i] + reference_norms[j]) * (
                1.0 - slack
            ) - 2.0 * dots[i, j]
            if mode != EXACT:
                if distance > best.bounds[i, g, last]:
                    continue
                distance = _rescored(
                    queries, references, first_query + i, first_reference + j, mode
                )
            if distance < best.distances[i, g, last]:
                _insert(
                    best.distances[i, g],
                    best.indices[i, g],
                    distance,
                    first_reference + j,
                )


@njit
def _insert_bound(bounds: Floats, bound: float) -> None:
    place = bounds.shape[0] - 1
    while place > 0 and bounds[place - 1] > bound:
        bounds[place] = bounds[place - 1]
        place -= 1
    bounds[place] = bound


@njit
def _insert(distances: Floats, indices: Integers, distance: float, index: int) -> None:
    place = distances.shape[0] - 1
    while place > 0 and distances[place - 1] > distance:
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = index


@njit
def _rescored(queries: Rows, references: Rows, i: int, j: int, mode: int) -> float:
    if mode == RESCORE_DENSE:
        return dense_distance(queries.values[i], references.values[j])
    return _sparse_distance(queries, references, i, j)


@njit
def dense_distance(one: Floats, other: Floats) -> float:
    """Squared Euclidean distance, summed in the order of the features."""
    total = 0.0
    for f in range(one.shape[0]):
        difference = one[f] - other[f]
        total += difference * difference
    return total


@njit
def _sparse_distance(queries: Rows, references: Rows, i: int, j: int) -> float:
    # Merging the sorted indices adds the same numbers in the same order as the
    # dense sum, because the features that both rows lack would add zero.
    total = 0.0
    a, a_end = queries.indptr[i], queries.indptr[i + 1]
    b, b_end = references.indptr[j], references.indptr[j + 1]
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and queries.indices[a] < references.indices[b]):
            difference = queries.data[a]
            a += 1
        elif a == a_end or references.indices[b] < queries.indices[a]:
            difference = references.data[b]
            b += 1
        else:
            difference = queries.data[a] - references.data[b]
            a += 1
            b += 1
        total += difference * difference
    return total


@njit
def sparse_dots(
    queries: Rows,
    first: int,
    column_ptr: Integers,  # the tile of references by columns
    column_rows: Unsigned,
    column_data: Floats,
    out: Floats,  # [queries of the block, references of the tile], overwritten
) -> None:
    """Dot products of a block of sparse rows with a tile of sparse rows."""
    out[:] = 0.0
    for i in range(out.shape[0]):
        row = out[i]
        for p in range(queries.indptr[first + i], queries.indptr[first + i + 1]):
            feature, value = queries.indices[p], queries.data[p]
            for q in range(column_ptr[feature], column_ptr[feature + np.uint32(1)]):
                row[column_rows[q]] += value * column_data[q]


@njit
def manhattan_halves(
    queries: Floats,  # [queries, features]
    references: Floats,  # [features, references]: the inner loop is over references
    out: Floats,  # overwritten by minus half the distance, as a dot product would be
) -> None:
    """Manhattan distances in the form that `keep_nearest` takes, without norms."""
    out[:] = 0.0
    for i in range(out.shape[0]):
        row = out[i]
        for f in range(queries.shape[1]):
            value = queries[i, f]
            reference = references[f]
            for j in range(row.shape[0]):
                row[j] -= 0.5 * abs(value - reference[j])
