"""Compiled loops of the neighbour search: dot products, distances, fused top-k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, Int32Array, IntArray

# How a candidate's distance is known: exactly from its dot product, or by going
# over the features of the two rows again.
EXACT, RESCORE_DENSE, RESCORE_SPARSE = 0, 1, 2

# Distances that differ by less, relatively, are equal: rounding alone cannot move
# them farther apart. A later row must be nearer than an earlier one by more.
TIE = 1e-12
RAISED = 1.0 + TIE
# Sums of so many features are added up on their own. Terms are not negative, so the
# relative error of a sum of D terms is at most CHUNK + D / CHUNK + 2 roundings, and
# that of two sums stays below TIE up to a million features.
CHUNK = 512


class Rows(NamedTuple):
    """Rows as they were given: `values` if dense, else the three arrays of CSR."""

    values: FloatArray  # [rows, features]
    indptr: IntArray  # [rows + 1]
    indices: IndexArray  # [stored cells] features, ascending in each row
    data: FloatArray  # [stored cells]


class Tile(NamedTuple):
    """Products of a block of queries with a tile of references."""

    dots: npt.NDArray[np.floating]  # [queries, references]
    query_norms: FloatArray  # [queries] squared norms
    reference_norms: FloatArray  # [references] squared norms
    groups: Int32Array  # [1 or queries, references] -1 is no candidate
    first_query: int  # where the block begins among all queries
    first_reference: int  # where the tile begins among all references


class Best(NamedTuple):
    """The k best candidates so far, per query and group; index -1 means none."""

    bounds: FloatArray  # [queries, groups, k] ascending upper bounds of the distance
    distances: FloatArray  # [queries, groups, k] ascending
    indices: IntArray  # [queries, groups, k]


@njit
def keep_nearest(
    tile: Tile,
    slack: float,
    queries: Rows,
    references: Rows,
    same_rows: bool,
    mode: int,
    best: Best,
) -> None:
    """Merge one tile of references into the best candidates of a block of queries.

    Tiles must come in ascending order of references: then a tie goes to
    the smaller index. `slack` is the relative error of
    norm + norm - 2 dot.
    """
    dots, query_norms, reference_norms, groups, first_query, first_reference = tile
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
                    insert_value(best.bounds[i, g], upper)
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
                distance = _exact_distance(
                    queries, references, first_query + i, first_reference + j, mode
                )
            if distance * RAISED < best.distances[i, g, last]:
                insert_neighbor(
                    best.distances[i, g],
                    best.indices[i, g],
                    distance,
                    first_reference + j,
                )


@njit
def insert_value(smallest: FloatArray, value: float) -> None:
    """Put a value among the smallest so far, the last of which falls off.

    smallest: float64[k], ascending, changed
    """
    place = smallest.shape[0] - 1
    while place > 0 and smallest[place - 1] > value:
        smallest[place] = smallest[place - 1]
        place -= 1
    smallest[place] = value


@njit
def insert_neighbor(
    distances: FloatArray, indices: IntArray, distance: float, index: int
) -> None:
    """Put a row among the nearest so far, after those as near; the last falls off.

    Those within rounding are as near: callers have seen that the last is not.

    distances: float64[k], ascending, changed
    indices: int64[k], changed
    """
    place = distances.shape[0] - 1
    while place > 0 and distances[place - 1] > distance * RAISED:
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = index


@njit
def _exact_distance(
    queries: Rows, references: Rows, i: int, j: int, mode: int
) -> float:
    """Squared Euclidean distance of a query and a reference, from their features."""
    if mode == RESCORE_DENSE:
        return dense_distance(queries.values[i], references.values[j])
    return _sparse_distance(queries, references, i, j)


@njit
def dense_distance(one: FloatArray, other: FloatArray) -> float:
    """Squared Euclidean distance, summed in the order of the features, by chunks.

    one, other: float64[features]
    """
    total = 0.0
    for start in range(0, one.shape[0], CHUNK):
        part = 0.0
        for f in range(start, min(start + CHUNK, one.shape[0])):
            difference = one[f] - other[f]
            part += difference * difference
        total += part
    return total


@njit
def _sparse_distance(queries: Rows, references: Rows, i: int, j: int) -> float:
    """Squared Euclidean distance, the same bits as `dense_distance`."""
    # Merging the sorted indices adds the same numbers in the same order as the
    # dense sum, because the features that both rows lack would add zero.
    total, part, end = 0.0, 0.0, CHUNK
    a, a_end = queries.indptr[i], queries.indptr[i + 1]
    b, b_end = references.indptr[j], references.indptr[j + 1]
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and queries.indices[a] < references.indices[b]):
            feature, difference = queries.indices[a], queries.data[a]
            a += 1
        elif a == a_end or references.indices[b] < queries.indices[a]:
            feature, difference = references.indices[b], references.data[b]
            b += 1
        else:
            feature = queries.indices[a]
            difference = queries.data[a] - references.data[b]
            a += 1
            b += 1
        if feature >= end:
            total, part = total + part, 0.0
            end = (feature // CHUNK + 1) * CHUNK
        part += difference * difference
    return total + part


@njit
def sparse_dots(
    queries: Rows,
    first: int,
    column_ptr: IntArray,
    column_rows: IndexArray,
    column_data: FloatArray,
    out: FloatArray,
) -> None:
    """Dot products of a block of sparse rows with a tile of sparse rows.

    column_ptr: int64[features + 1], where the cells of each column of the tile begin
    column_rows: uint32[cells], their rows in the tile
    column_data: float64[cells], their values
    out: float64[queries of the block, references of the tile], overwritten
    """
    out[:] = 0.0
    for i in range(out.shape[0]):
        row = out[i]
        for p in range(queries.indptr[first + i], queries.indptr[first + i + 1]):
            feature, value = queries.indices[p], queries.data[p]
            for q in range(column_ptr[feature], column_ptr[feature + np.uint32(1)]):
                row[column_rows[q]] += value * column_data[q]


@njit
def manhattan_halves(
    queries: FloatArray, references: FloatArray, out: FloatArray
) -> None:
    """Manhattan distances in the form that `keep_nearest` takes, without norms.

    queries: float64[queries, features]
    references: float64[features, references], the inner loop is over references
    out: float64[queries, references], overwritten by minus half the distances
    """
    out[:] = 0.0
    chunk = np.empty(out.shape[1])
    for i in range(out.shape[0]):
        for start in range(0, queries.shape[1], CHUNK):
            total = out[i]
            if start > 0:
                total = chunk
                chunk[:] = 0.0
            for f in range(start, min(start + CHUNK, queries.shape[1])):
                value = queries[i, f]
                reference = references[f]
                for j in range(total.shape[0]):
                    total[j] -= 0.5 * abs(value - reference[j])
            if start > 0:
                out[i] += chunk
