"""Weighted sums of differences between rows, dense or sparse."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray, Matrix

# From this share of non-zero coefficients on, matrix products are faster.
PRODUCTS_ABOVE = 0.05


class Differences:
    """The rows from which the differences of others are added up.

    Parameters
    ----------
    rows : (n, D) C-ordered array or CSR matrix
    squared : whether to add (x_i - x_j)^2 instead of |x_i - x_j|
    """

    def __init__(self, rows: Matrix, *, squared: bool) -> None:
        self.rows = rows
        self.squared = squared

    def sums(self, some: Matrix, coefficients: FloatArray) -> FloatArray:
        """For each row i of `some`: sum over the rows j of c_ij times the difference.

        Both are dense, or both are sparse.
        """
        from labelsieve.selectors._rows import kernels

        if sp.issparse(self.rows):
            rows = some.toarray()
            out = np.empty_like(rows)
            kernels.sparse_differences(
                coefficients, rows, *self._csr, self.squared, out
            )
            return out
        dense = np.count_nonzero(coefficients) > PRODUCTS_ABOVE * coefficients.size
        if self.squared and dense:
            return self._by_products(some, coefficients)
        rows = np.ascontiguousarray(some)
        out = np.empty_like(rows)
        kernels.dense_differences(coefficients, rows, self.rows, self.squared, out)
        return out

    def _by_products(self, some: FloatArray, coefficients: FloatArray) -> FloatArray:
        # sum c (a - b)^2 = a^2 sum c - 2 a sum c b + sum c b^2, of centred values.
        rows = some - self._mean
        total = coefficients @ self._squares
        total -= 2.0 * rows * (coefficients @ self._centred)
        total += rows * rows * coefficients.sum(axis=1, keepdims=True)
        return total

    @cached_property
    def _mean(self) -> FloatArray:
        return np.asarray(self.rows.mean(axis=0))

    @cached_property
    def _centred(self) -> FloatArray:
        return self.rows - self._mean

    @cached_property
    def _squares(self) -> FloatArray:
        return self._centred**2

    @cached_property
    def _csr(self) -> tuple[IntArray, IndexArray, FloatArray]:
        return (
            self.rows.indptr.astype(np.int64),
            self.rows.indices.astype(np.uint32),
            np.require(self.rows.data, np.float64, ["C", "W"]),
        )
