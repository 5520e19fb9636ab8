"""Engines without compilation: inner products of columns by BLAS, or by SciPy."""

from __future__ import annotations

from copy import copy
from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property
from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns, is_whole
from labelsieve.engines.tables import Counted

# Tables of at most so many bytes are kept as floating-point numbers.
KEPT_BYTES = 1 << 25
# Sums of whole numbers below this are exact in single precision.
EXACT_SINGLE = 1 << 24
# Otherwise so many cells are made floating-point numbers at a time.
CELLS_AT_ONCE = 1 << 19
# So many samples are copied at a time.
SAMPLES_AT_ONCE = 1 << 10


class DenseEngine:
    """Sums over samples of products of columns, each as often as the sample counts.

    Sums of whole numbers are exact below 2**53 in any order, and below 2**24 in single
    precision: those of indicators, and of scores in few samples.
    """

    is_dense = True

    def __init__(self, X: Columns, Y: Columns, n_jobs: int | None = None) -> None:
        self.X, self.Y, self.n_jobs = X, Y, n_jobs
        self.n_samples = X.n_samples
        # In so many samples sums of products of two columns are exact.
        n_exact = EXACT_SINGLE // 255**2 if X.is_score.any() else EXACT_SINGLE
        n_rows = X.values.shape[0]
        # Numbers among the targets are larger.
        small = X.weight is None and not Y.is_score.any()
        is_single = small and self.n_samples <= n_exact
        self._dtype = np.float32 if is_single else np.float64
        self._parts = slices_of(n_rows, n_rows)
        if X.values.size * np.dtype(self._dtype).itemsize > KEPT_BYTES:
            at_once = max(1, CELLS_AT_ONCE // X.values.shape[1])
            self._parts = slices_of(n_rows, min(n_exact, at_once))
            self._dtype = np.float32 if small else np.float64
        self._x = self._as_float(X.values) if len(self._parts) == 1 else None
        self._y = self._as_float(Y.values)
        self._w = None if X.weight is None else self._as_float(X.weight)
        self._wx = self._x if self._x is None else self._weighted(self._x, slice(None))

    def with_targets(self, blocks: IntArray) -> DenseEngine:
        """The same features with some of the targets."""
        engine = copy(self)
        engine.Y = self.Y.take(blocks)
        engine._y = self._as_float(engine.Y.values)
        return engine

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        return self._sum(lambda x, wx, rows: wx.T @ self._y[rows])

    def joint_cells(self) -> Any:
        """(P, Q) the same, of the columns that meet: sparse."""
        return sp.coo_matrix(self.joint())

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        return self._sum(lambda x, wx, rows: wx.T @ x[:, column])

    def grams(self, columns: slice) -> IntArray:
        """(P, columns) X'X for some columns of X."""
        return self._sum(lambda x, wx, rows: wx.T @ x[:, columns])

    def products(
        self, column: int, others: list[int], marks: IntArray, power: int = 1
    ) -> IntArray:
        """(marks + 1, others) sums of a power of a column times others.

        Over the samples with each of some columns of Y, then over all samples.
        """

        def product(x: FloatArray, wx: FloatArray, rows: slice) -> FloatArray:
            found = x[:, [column]].astype(np.float64) ** power * wx[:, others]
            return np.vstack([self._y[rows][:, marks].T @ found, found.sum(axis=0)])

        return self._sum(product)

    def given(self, low: int, high: int) -> Counted:
        """Joint counts in the samples with each of the columns [low, high) of X."""
        return self._counted(lambda x, rows: x[:, low:high])

    def given_target(self, low: int, high: int, first: int = 0) -> Counted:
        """The same for columns of Y, of the columns of Y from `first` on."""
        return self._counted(lambda x, rows: self._y[rows, low:high], first)

    def _counted(self, weights: Any, first: int = 0) -> Counted:
        """Sums of products of columns of X and Y where each of some indicators is 1."""

        def product(x: FloatArray, wx: FloatArray, rows: slice) -> FloatArray:
            indicators, y = weights(x, rows).T, self._y[rows, first:]
            shape = len(indicators), x.shape[1] + 1, y.shape[1] + 1
            out = np.empty(shape, dtype=self._dtype)
            for indicator, found in zip(indicators, out, strict=True):
                (some,) = np.nonzero(indicator)
                x_s, y_s = wx[some], y[some]
                found[:-1, :-1], found[:-1, -1] = x_s.T @ y_s, x_s.sum(axis=0)
                if self._w is None:
                    found[-1, :-1], found[-1, -1] = y_s.sum(axis=0), some.size
                else:
                    w = self._w[rows][some]
                    found[-1, :-1], found[-1, -1] = w @ y_s, w.sum()
            return out

        found = self._sum(product)
        joint, n_x, n_y = found[:, :-1, :-1], found[:, :-1, -1], found[:, -1, :-1]
        return Counted(joint, n_x, n_y, found[:, -1, -1])

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks of (m, width) columns."""
        width = columns.shape[1]

        def product(x: FloatArray, wx: FloatArray, rows: slice) -> FloatArray:
            out = np.zeros((width, width, len(columns)))
            for some in slices_of(len(x), SAMPLES_AT_ONCE):  # copies stay small
                parts = [x[some][:, column] for column in columns.T]
                right = parts if wx is x else [wx[some][:, c] for c in columns.T]
                for i, j in zip(*np.tril_indices(width), strict=True):
                    out[i, j] += np.einsum("ij,ij->j", parts[i], right[j])
                    out[j, i] = out[i, j]
            return out

        return self._sum(product).transpose(2, 0, 1)

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column."""
        if power == 1:
            return self.X.totals
        return self._sum(
            lambda x, wx, _: reduce(np.multiply, [x] * (power - 1), wx).sum(
                axis=0, dtype=float
            )
        )

    def _sum(self, product: Any) -> IntArray:
        """Add up over parts of the samples."""
        total: Any = 0
        for rows in self._parts:
            x, wx = self._x, self._wx
            if x is None or wx is None:
                x = self._as_float(self.X.values[rows])
                wx = self._weighted(x, rows)
            total = total + product(x, wx, rows).astype(np.float64)
        # Whole numbers are exact.
        return total.astype(np.int64) if is_whole(self.X.weight) else total

    def _weighted(self, x: FloatArray, rows: slice) -> FloatArray:
        return x if self._w is None else x * self._w[rows, np.newaxis]

    def _as_float(self, values: Any) -> FloatArray:
        dense = values.toarray() if hasattr(values, "toarray") else values
        return np.asarray(dense, dtype=self._dtype)


class CsrEngine:
    """Sums over samples of products of columns, from stored cells by SciPy.

    A column is its stored cells S plus the value of absent ones: x = S + absent.
    """

    is_dense, n_jobs = True, None  # answers are tables

    def __init__(self, X: Columns, Y: Columns) -> None:
        self.X, self.Y, self.n_samples = X, Y, X.n_samples
        self._stored = sp.csc_matrix(X.values, dtype=np.int64)
        self._w = X.weight
        self._y = self._weighted(sp.csr_matrix(Y.values, dtype=np.int64)).tocsr()

    def with_targets(self, blocks: IntArray) -> CsrEngine:
        """The same features with some of the targets."""
        engine = copy(self)
        engine.Y = self.Y.take(blocks)
        engine._y = self._y[:, self.Y.columns_of_all(blocks)]
        return engine

    def _weighted(self, values: Any) -> Any:
        return values if self._w is None else values.multiply(self._w[:, np.newaxis])

    @cached_property
    def _by_column(self) -> Any:
        return self._stored.T.tocsr()

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        return self._times(self._y, self.Y.totals)

    def joint_cells(self) -> Any:
        """(P, Q) the same, of the columns that meet: sparse."""
        return sp.coo_matrix(self.joint())

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        return self._sums_over(self._column(column))

    def grams(self, columns: slice) -> IntArray:
        """(P, columns) X'X for some columns of X."""
        return np.stack([self.gram(g) for g in range(columns.start, columns.stop)], 1)

    def _sums_over(self, x: IntArray) -> IntArray:
        x = x if self._w is None else x * self._w
        return self._by_column @ x + self.X.absent * x.sum()

    def given(self, low: int, high: int) -> Counted:
        """Joint counts in the samples with each of the columns [low, high) of X."""
        columns = range(low, high)
        return self._counted([self._column(g) for g in columns], self.X.totals[columns])

    def given_target(self, low: int, high: int, first: int = 0) -> Counted:
        """The same for columns of Y, of the columns of Y from `first` on."""
        columns, totals = as_dense(self.Y.values[:, low:high]).T, self.Y.totals
        return self._counted(list(columns.astype(np.int64)), totals[low:high], first)

    def _counted(
        self, columns: list[IntArray], totals: IntArray, first: int = 0
    ) -> Counted:
        strata = []
        for x, n in zip(columns, totals, strict=True):
            weighted = self._y[:, first:].multiply(x[:, np.newaxis]).tocsr()
            n_y = _sums(weighted)
            joint = self._times(weighted, n_y)
            strata.append(Counted(joint, self._sums_over(x), n_y, n))
        return Counted(*(np.stack(part) for part in zip(*strata, strict=True)))

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks of (m, width) columns."""
        width = columns.shape[1]
        out = np.empty((len(columns), width, width), dtype=self.X.totals.dtype)
        totals = self.X.totals - self.n_samples * self.X.absent  # of stored cells
        for i in range(width):
            a, absent = self._stored[:, columns[:, i]], self.X.absent[columns[:, i]]
            a, sum_a = self._weighted(a), totals[columns[:, i]]
            for j in range(i + 1):
                b, other = self._stored[:, columns[:, j]], self.X.absent[columns[:, j]]
                sum_b = totals[columns[:, j]]
                product = _sums(a.multiply(b)) + absent * sum_b + other * sum_a
                out[:, i, j] = out[:, j, i] = product + self.n_samples * absent * other
        return out

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column."""
        absent = self.X.absent
        of_cell = np.repeat(absent, np.diff(self._stored.indptr))
        differ = self._stored.copy()
        differ.data = (differ.data + of_cell) ** power - of_cell**power
        return _sums(self._weighted(differ)) + self.n_samples * absent**power

    def products(
        self, column: int, others: list[int], marks: IntArray, power: int = 1
    ) -> IntArray:
        """(marks + 1, others) sums of a power of a column times others.

        Over the samples with each of some columns of Y, then over all samples.
        """
        x = self._column(column) ** power
        found = np.column_stack([x * self._column(other) for other in others])
        every = found.sum(axis=0) if self._w is None else self._w @ found
        return np.vstack([self._y[:, marks].T @ found, every])

    def _column(self, column: int) -> IntArray:
        stored = self._stored[:, [column]].toarray().ravel()
        return np.asarray(stored + self.X.absent[column])

    def _times(self, other: Any, totals: IntArray) -> IntArray:
        dense = (self._by_column @ other).toarray()
        return np.asarray(dense + np.outer(self.X.absent, totals))


def _sums(matrix: Any) -> IntArray:
    return np.asarray(matrix.sum(axis=0)).ravel()
