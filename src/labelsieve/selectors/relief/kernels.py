"""Compiled loops of the ReliefF family: distances become coefficients of differences.

Coefficients c_ij come from exact distances of a block of rows to all rows, such that
feature f gains sum_ij c_ij |x_if - x_jf|.

distances: float64[rows, n], those of a block to all rows
bits: uint8[n, L], labels as 0 and 1
indptr: int64[n + 1], where the labels of each row begin
indices: uint32[entries], the labels of all rows, ascending in each
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import ByteArray, FloatArray, IndexArray, IntArray
from labelsieve.neighbors.kernels import RAISED, insert_neighbor


@njit
def class_coefficients(
    distances: FloatArray,
    first: int,
    classes: IntArray,
    shares: FloatArray,
    k: int,
    out: FloatArray,
) -> None:
    """ReliefF: k nearest hits, k nearest misses of every other class.

    first: index of the first row of the block among the n
    classes: int64[n], 0..C-1
    shares: float64[C], share of the rows in each class
    out: float64[rows, n], overwritten
    """
    n_classes = shares.shape[0]
    n_rows = classes.shape[0]
    near = np.empty((n_classes, k))
    who = np.empty((n_classes, k), dtype=np.int64)
    found = np.empty(n_classes, dtype=np.int64)
    for i in range(distances.shape[0]):
        near[:] = np.inf
        found[:] = 0
        row = distances[i]
        for j in range(n_rows):
            c = classes[j]
            if row[j] * RAISED < near[c, k - 1] and j != first + i:
                insert_neighbor(near[c], who[c], row[j], j)
                found[c] += 1
        own = classes[first + i]
        out[i] = 0.0
        for c in range(n_classes):
            count = min(found[c], k)
            weight = -1.0 if c == own else shares[c] / (1.0 - shares[own])
            for place in range(count):
                out[i, who[c, place]] = weight / (count * n_rows)


@njit
def pair_coefficients(
    distances: FloatArray,
    places: IntArray,
    bits: ByteArray,
    indptr: IntArray,
    indices: IndexArray,
    weights: FloatArray,
    k: int,
) -> None:
    """MLRF: in the problem of labels a and b, rows with both or none are left out.

    distances: float64[rows, n], overwritten by the coefficients
    places: int64[rows], index of each row among the n
    weights: float64[L, L], weight of a row in the problem of two labels, or 0
    """
    n_labels = bits.shape[1]
    most = 1
    for i in places:
        n_own = indptr[i + 1] - indptr[i]
        most = max(most, n_own * (n_labels - n_own))
    # [pair of an own label and a lacking label, hits or misses, neighbours]
    near = np.empty((most, 2, k))
    who = np.empty((most, 2, k), dtype=np.int64)
    for line, i in enumerate(places):
        own = indices[indptr[i] : indptr[i + 1]]
        lacking = np.flatnonzero(bits[i] == 0)
        row = distances[line]
        near[: own.shape[0] * lacking.shape[0]] = np.inf
        _find_pair_neighbors(row, i, bits, indptr, indices, own, lacking, near, who)
        row[:] = 0.0
        for p in range(own.shape[0]):
            for q in range(lacking.shape[0]):
                pair = p * lacking.shape[0] + q
                weight = weights[own[p], lacking[q]]
                for side in range(2 if weight > 0.0 else 0):
                    # Shared equally among the neighbours that were found.
                    count = np.sum(near[pair, side] < np.inf)
                    share = weight / count if side else -weight / count
                    for place in range(count):
                        row[who[pair, side, place]] += share


@njit
def _find_pair_neighbors(
    row: FloatArray,
    i: int,
    bits: ByteArray,
    indptr: IntArray,
    indices: IndexArray,
    own: NDArray[np.integer],
    lacking: IntArray,
    near: FloatArray,
    who: IntArray,
) -> None:
    """Nearest rows that have the own label only (hits) or the lacking one (misses).

    row: float64[n], distances of row i
    own: integer[own labels], the labels of row i
    lacking: int64[other labels], the labels that it lacks
    near: float64[pairs, 2, k], infinite, overwritten
    who: int64[pairs, 2, k], overwritten
    """
    n_lacking, last = lacking.shape[0], near.shape[2] - 1
    place_of = np.full(bits.shape[1], -1)
    place_of[lacking] = np.arange(n_lacking)
    for j in range(row.shape[0]):
        if j == i:
            continue
        labels, raised = indices[indptr[j] : indptr[j + 1]], row[j] * RAISED
        for p in range(own.shape[0]):
            if bits[j, own[p]]:
                for q in range(n_lacking):
                    pair = p * n_lacking + q
                    if raised < near[pair, 0, last] and not bits[j, lacking[q]]:
                        insert_neighbor(near[pair, 0], who[pair, 0], row[j], j)
            else:
                for label in labels:
                    pair = p * n_lacking + place_of[label]
                    if place_of[label] >= 0 and raised < near[pair, 1, last]:
                        insert_neighbor(near[pair, 1], who[pair, 1], row[j], j)


@njit
def add_differences(
    coefficients: FloatArray, rows: FloatArray, others: FloatArray, out: FloatArray
) -> None:
    """Sum of c_ij |x_i - x_j|, feature by feature.

    coefficients: float64[rows, n]
    rows: float64[rows, D], those that the coefficients belong to
    others: float64[n, D]
    out: float64[D], added to
    """
    for i in range(coefficients.shape[0]):
        row = rows[i]
        for j in range(coefficients.shape[1]):
            c = coefficients[i, j]
            if c != 0.0:
                other = others[j]
                for d in range(out.shape[0]):
                    out[d] += c * abs(row[d] - other[d])
