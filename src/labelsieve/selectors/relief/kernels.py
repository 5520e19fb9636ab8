"""Compiled loops of the ReliefF family: distances become coefficients of differences.

Coefficients c_ij come from exact distances of a block of rows to all rows, such that
feature f gains sum_ij c_ij |x_if - x_jf|.

distances: float64[rows, n], those of a block to all rows
places: int64[rows], index of each row of the block among the n
starts: int64[classes + 1], where the rows of each class (or with each label) begin
members: int64[entries], the rows of all classes, ascending in each
out: float64[rows, n], overwritten
"""

from __future__ import annotations

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import ByteArray, FloatArray, IntArray
from labelsieve.neighbors.kernels import RAISED, insert_neighbor


@njit
def class_coefficients(
    distances: FloatArray,
    places: IntArray,
    starts: IntArray,
    members: IntArray,
    classes: IntArray,
    k: int,
    out: FloatArray,
) -> None:
    """ReliefF: k nearest hits, k nearest misses of every other class.

    classes: int64[n], 0..C-1
    """
    n_rows, nobody = classes.size, np.zeros(classes.size, dtype=np.uint8)
    out[:] = 0.0
    for line, i in enumerate(places):
        n_others = n_rows - (starts[classes[i] + 1] - starts[classes[i]])
        for c in range(starts.size - 1):
            some = members[starts[c] : starts[c + 1]]
            # Misses of a class weigh as much as it has of the rows of other classes.
            weight = -1.0 if c == classes[i] else some.size / n_others
            weight /= n_rows
            _add_nearest(distances[line], i, some, nobody, weight, k, out[line])


@njit
def pair_coefficients(
    distances: FloatArray,
    places: IntArray,
    starts: IntArray,
    members: IntArray,
    bits: ByteArray,
    weights: FloatArray,
    k: int,
    out: FloatArray,
) -> None:
    """MLRF: in the problem of labels a and b, rows with both or none are left out.

    bits: uint8[L, n], labels as 0 and 1
    weights: float64[L, L], weight of a row in the problem of two labels, or 0
    """
    out[:] = 0.0
    for line, i in enumerate(places):
        row, sums = distances[line], out[line]
        for own in np.flatnonzero(bits[:, i]):
            hits = members[starts[own] : starts[own + 1]]
            for other in np.flatnonzero(weights[own] * (1 - bits[:, i])):
                weight = weights[own, other]
                misses = members[starts[other] : starts[other + 1]]
                _add_nearest(row, i, hits, bits[other], -weight, k, sums)
                _add_nearest(row, i, misses, bits[own], weight, k, sums)


@njit
def _add_nearest(
    row: FloatArray,
    own: int,
    some: IntArray,
    left_out: ByteArray,
    weight: float,
    k: int,
    out: FloatArray,
) -> None:
    """Share a weight equally among the k nearest of some rows, or as many as there are.

    row: float64[n], distances of the row `own`
    some: int64[any number], rows
    left_out: uint8[n], 1 for rows that do not count
    out: float64[n], added to
    """
    near, who = np.full(k, np.inf), np.empty(k, dtype=np.int64)
    for j in some:
        if row[j] * RAISED < near[k - 1] and not left_out[j] and j != own:
            insert_neighbor(near, who, row[j], j)
    count = np.sum(near < np.inf)
    for j in who[:count]:
        out[j] += weight / count


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
        for j in np.flatnonzero(coefficients[i]):
            c, other = coefficients[i, j], others[j]
            for d in range(out.shape[0]):
                out[d] += c * abs(row[d] - other[d])
