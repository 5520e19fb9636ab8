"""The dense engine: inner products of columns by BLAS, nothing compiled."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from labelsieve._plumbing.slices import slices_of
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns

# Tables of at most so many cells are kept as floating-point numbers.
KEPT_CELLS = 1 << 26
# Otherwise so many cells are made floating-point numbers at a time.
CELLS_AT_ONCE = 1 << 21


class DenseEngine:
    """Sums over samples of products of columns, as whole numbers.

    Products of whole numbers below 2**53 are exact in float64, in any order.
    """

    def __init__(self, X: Columns, Y: Columns) -> None:
        self.X, self.Y = X, Y
        self.n_samples = X.n_samples
        n_rows = self.n_samples
        if X.values.size > KEPT_CELLS:
            n_rows = max(1, CELLS_AT_ONCE // X.values.shape[1])
        self._parts = slices_of(self.n_samples, n_rows)
        self._x = _as_float(X.values) if len(self._parts) == 1 else None
        self._y = _as_float(Y.values)

    def with_targets(self, blocks: IntArray) -> DenseEngine:
        """The same features with some of the targets."""
        engine = copy(self)
        engine.Y = self.Y.take(blocks)
        engine._y = _as_float(engine.Y.values)
        return engine

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        return self._sum(lambda x, rows: x.T @ self._y[rows])

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        return self._sum(lambda x, rows: x.T @ x[:, column])

    def grams(self, columns: slice) -> IntArray:
        """(P, columns) X'X for some columns of X."""
        return self._sum(lambda x, rows: x.T @ x[:, columns])

    def target_gram(self) -> IntArray:
        """(Q, Q) Y'Y."""
        return np.rint(self._y.T @ self._y).astype(np.int64)

    def given(self, column: int) -> IntArray:
        """(P, Q) X' diag(x) Y for an indicator x of X."""

        def product(x: FloatArray, rows: slice) -> FloatArray:
            chosen = x[:, column] > 0
            return x[chosen].T @ self._y[rows][chosen]

        return self._sum(product)

    def given_target(self, column: int, first: int) -> IntArray:
        """(P, Q - first) X' diag(y) Y for an indicator y of Y, of columns from first."""

        def product(x: FloatArray, rows: slice) -> FloatArray:
            chosen = self._y[rows][:, column] > 0
            return x[chosen].T @ self._y[rows][chosen, first:]

        return self._sum(product)

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks of (m, width) columns."""
        width = columns.shape[1]

        def product(x: FloatArray, rows: slice) -> FloatArray:
            out = np.empty((width, width, len(columns)))
            for i in range(width):
                for j in range(i + 1):
                    pair = x[:, columns[:, i]], x[:, columns[:, j]]
                    out[i, j] = out[j, i] = np.einsum("ij,ij->j", *pair)
            return out

        return self._sum(product).transpose(2, 0, 1)

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column."""
        return self._sum(lambda x, rows: (x**power).sum(axis=0))

    def _sum(self, product: Any) -> IntArray:
        """Add up over parts of the samples."""
        total: Any = 0
        for rows in self._parts:
            x = _as_float(self.X.values[rows]) if self._x is None else self._x
            total = total + product(x, rows)
        return np.rint(total).astype(np.int64)


def _as_float(values: Any) -> FloatArray:
    dense = values.toarray() if hasattr(values, "toarray") else values
    return np.asarray(dense, dtype=np.float64)
