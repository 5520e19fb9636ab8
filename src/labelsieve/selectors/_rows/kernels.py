"""Compiled sums of differences between rows, weighted by a coefficient per pair."""

from __future__ import annotations

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray


@njit
def dense_differences(
    coefficients: FloatArray,
    rows: FloatArray,
    others: FloatArray,
    squared: bool,
    out: FloatArray,
) -> None:
    """out_i = sum_j c_ij |x_i - x_j|, or of the squares, feature by feature.

    coefficients: float64[rows, n]
    rows: float64[rows, D], those that the coefficients belong to
    others: float64[n, D]
    out: float64[rows, D], overwritten
    """
    for i in range(coefficients.shape[0]):
        row, total = rows[i], out[i]
        total[:] = 0.0
        for j in range(coefficients.shape[1]):
            c = coefficients[i, j]
            if c == 0.0:
                continue
            other = others[j]
            if squared:
                for d in range(total.shape[0]):
                    difference = row[d] - other[d]
                    total[d] += c * difference * difference
            else:
                for d in range(total.shape[0]):
                    total[d] += c * abs(row[d] - other[d])


@njit
def sparse_differences(
    coefficients: FloatArray,
    rows: FloatArray,
    indptr: IntArray,
    indices: IndexArray,
    data: FloatArray,
    squared: bool,
    out: FloatArray,
) -> None:
    """The same sums; features that the other row lacks are added all at once.

    coefficients: float64[rows, n]
    rows: float64[rows, D], those that the coefficients belong to, made dense
    indptr: int64[n + 1], where the cells of each of the n rows begin
    indices: uint32[cells], their features
    data: float64[cells], their values
    out: float64[rows, D], overwritten
    """
    for i in range(coefficients.shape[0]):
        row, total = rows[i], out[i]
        total[:] = 0.0
        mass = 0.0
        for j in range(coefficients.shape[1]):
            c = coefficients[i, j]
            if c == 0.0:
                continue
            mass += c
            for p in range(indptr[j], indptr[j + 1]):
                d = indices[p]
                if squared:
                    total[d] += c * data[p] * (data[p] - 2.0 * row[d])
                else:
                    total[d] += c * (abs(row[d] - data[p]) - abs(row[d]))
        for d in range(total.shape[0]):
            total[d] += mass * (row[d] * row[d] if squared else abs(row[d]))
