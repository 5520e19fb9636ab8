"""The sparse engine: joint counts from lists of samples, cost by what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.engines.columns import Columns

if TYPE_CHECKING:
    from labelsieve.engines.kernels import FeatureLists, TargetLists


class SparseEngine:
    """Lists of the cells that are not zero, by sample and by column."""

    def __init__(self, X: Columns, Y: Columns, n_jobs: int | None = None) -> None:
        self.X, self.Y, self.n_jobs = X, Y, n_jobs
        self.n_samples = X.n_samples
        self._x, self._y = _csr(X.values), _csr(Y.values)

    @cached_property
    def T(self) -> FloatArray:
        """(n + 1,) k log(k / n)."""
        k = np.arange(self.n_samples + 1.0)
        return k * np.log(np.maximum(k, 1.0) / self.n_samples)

    @cached_property
    def features(self) -> FeatureLists:
        """The samples of each column of X."""
        from labelsieve.engines.kernels import FeatureLists

        by_column = self._x.tocsc()
        begin = by_column.indptr.astype(np.int64)
        samples = by_column.indices.astype(np.uint32)
        return FeatureLists(self.X.start, begin, samples, self.X.totals)

    @cached_property
    def targets(self) -> TargetLists:
        """The columns of Y of each sample."""
        from labelsieve.engines.kernels import TargetLists

        Y, n_y = self.Y, self.Y.totals
        end = Y.start[1:] - Y.unknown
        n_known = np.full(Y.n_blocks, self.n_samples)
        n_known[Y.unknown] -= n_y[end[Y.unknown]]
        lists = self._y.indptr.astype(np.int64), self._y.indices.astype(np.uint32)
        return TargetLists(*lists, Y.start, end, Y.owner, n_y, n_known)

    def samples_of(self, column: int) -> IntArray:
        """The samples that have a column of X."""
        begin, end = self.features.begin[column : column + 2]
        return self.features.samples[begin:end]

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        from labelsieve.engines import kernels

        out = np.zeros(self.X.totals.size, dtype=np.int64)
        lists = self._x_lists
        kernels.count_columns(self.samples_of(column), *lists, out)
        return out

    def joint_of(self, column: int) -> IntArray:
        """(Q,) Y'x for a column x of X."""
        from labelsieve.engines import kernels

        out = np.zeros(self.Y.totals.size, dtype=np.int64)
        lists = self.targets.begin, self.targets.columns
        kernels.count_columns(self.samples_of(column), *lists, out)
        return out

    def products(
        self, column: int, others: list[int], marks: IntArray, power: int = 1
    ) -> IntArray:
        """(marks + 1, others) how many samples have a column and others.

        Among the samples with each of some columns of Y, then among all samples.
        """
        samples = self.samples_of(column)
        found = self._x[samples][:, others].toarray().astype(np.int64)
        return np.vstack([self._y[samples][:, marks].T @ found, found.sum(axis=0)])

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column, which are indicators."""
        return self.X.totals

    @cached_property
    def _x_lists(self) -> tuple[IntArray, IntArray]:
        return self._x.indptr.astype(np.int64), self._x.indices.astype(np.uint32)


def _csr(values: Matrix) -> Matrix:
    return values if sp.issparse(values) else sp.csr_matrix(values)
