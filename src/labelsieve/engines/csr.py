"""The questions of the dense engine on sparse columns, some of them scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.typing import IntArray
from labelsieve.engines.columns import Columns
from labelsieve.engines.tables import Counted


class CsrEngine:
    """Sums over samples of products of columns, from stored cells by SciPy.

    A column is its stored cells S plus the value of absent ones: x = S + absent.
    """

    def __init__(self, X: Columns, Y: Columns) -> None:
        self.X, self.Y, self.n_samples = X, Y, X.n_samples
        self._stored = sp.csc_matrix(X.values, dtype=np.int64)
        self._y = sp.csr_matrix(Y.values, dtype=np.int64)

    @cached_property
    def _by_column(self) -> Any:
        return self._stored.T.tocsr()

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        return self._times(self._y, self.Y.totals)

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        x = self._column(column)
        return self._by_column @ x + self.X.absent * x.sum()

    def given(self, low: int, high: int) -> Counted:
        """Joint counts in the samples with each of the columns [low, high) of X."""
        strata = [self._given(column) for column in range(low, high)]
        return Counted(*(np.stack(part) for part in zip(*strata, strict=True)))

    def _given(self, column: int) -> Counted:
        x = self._column(column)
        weighted = self._y.multiply(x[:, np.newaxis]).tocsr()
        n_x, n_y = self.gram(column), _sums(weighted)
        return Counted(self._times(weighted, n_y), n_x, n_y, x.sum())

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks of (m, width) columns."""
        width = columns.shape[1]
        out = np.empty((len(columns), width, width), dtype=np.int64)
        for i in range(width):
            a, absent = self._stored[:, columns[:, i]], self.X.absent[columns[:, i]]
            for j in range(i + 1):
                b, other = self._stored[:, columns[:, j]], self.X.absent[columns[:, j]]
                product = _sums(a.multiply(b)) + absent * _sums(b) + other * _sums(a)
                out[:, i, j] = out[:, j, i] = product + self.n_samples * absent * other
        return out

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column."""
        absent = self.X.absent
        of_cell = np.repeat(absent, np.diff(self._stored.indptr))
        differ = self._stored.copy()
        differ.data = (differ.data + of_cell) ** power - of_cell**power
        return _sums(differ) + self.n_samples * absent**power

    def products(
        self, column: int, others: list[int], marks: IntArray, power: int = 1
    ) -> IntArray:
        """(marks + 1, others) sums of a power of a column times others.

        Over the samples with each of some columns of Y, then over all samples.
        """
        x = self._column(column) ** power
        found = np.column_stack([x * self._column(other) for other in others])
        return np.vstack([self._y[:, marks].T @ found, found.sum(axis=0)])

    def _column(self, column: int) -> IntArray:
        stored = self._stored[:, [column]].toarray().ravel()
        return np.asarray(stored + self.X.absent[column])

    def _times(self, other: Any, totals: IntArray) -> IntArray:
        dense = (self._by_column @ other).toarray()
        return np.asarray(dense + np.outer(self.X.absent, totals))


def _sums(matrix: Any) -> IntArray:
    return np.asarray(matrix.sum(axis=0)).ravel()
