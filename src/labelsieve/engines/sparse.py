"""The sparse engine: joint counts from lists of samples, cost by what is there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property, run_in_threads
from labelsieve._utils.matrices import IndexLists, as_csr, even_blocks, span
from labelsieve._utils.typing import FloatArray, IndexArray, IntArray
from labelsieve.engines.columns import Columns
from labelsieve.engines.tables import Counted, log_table

if TYPE_CHECKING:
    from labelsieve.engines.count_kernels import JointLists, Strata
    from labelsieve.engines.kernels import FeatureLists, TargetLists


class SparseCounts(NamedTuple):
    """Joint counts in some of the samples, those that are not zero."""

    lists: JointLists
    n_x: IntArray  # (P,) samples with each indicator of a feature
    n_y: IntArray  # (Q,) the same of targets
    n: Any  # samples


class SparseEngine:
    """Lists of the cells that are not zero, by sample and by column."""

    is_dense, in_memory = False, True

    def __init__(self, X: Columns, Y: Columns, n_jobs: int | None = None) -> None:
        self.X, self.Y, self.n_jobs = X, Y, n_jobs
        self.n_samples = X.n_samples
        self._x, self._y = as_csr(X.values), as_csr(Y.values)

    def with_targets(self, blocks: IntArray) -> SparseEngine:
        """The same features with some of the targets."""
        Y, columns = self.Y.about(blocks), self.Y.columns_of_all(blocks)
        table = self._y_by_column[:, columns]
        engine = SparseEngine(self.X, replace(Y, values=table.tocsr()), self.n_jobs)
        known = vars(self).keys() & {"T", "features", "x_lists"}
        vars(engine).update({name: vars(self)[name] for name in known})
        engine._y_by_column = table
        return engine

    @cached_property
    def T(self) -> FloatArray:
        """(n + 1,) k log(k / n)."""
        return log_table(self.n_samples)

    @cached_property
    def features(self) -> FeatureLists:
        """The samples of each column of X."""
        from labelsieve.engines.kernels import FeatureLists

        return FeatureLists(self.X.start, *_lists(self.by_column), self.X.totals)

    @cached_property
    def by_column(self) -> Any:
        """X', in rows."""
        return self._x.T.tocsr()

    @cached_property
    def targets(self) -> TargetLists:
        """The columns of Y of each sample."""
        return target_lists(self.Y, *_lists(self._y))

    def prepare(self) -> None:
        """List all that is asked for, before the engine is stored."""
        _ = self.features, self.targets, self.x_lists, self.by_target

    def samples_of(self, column: int) -> IndexArray:
        """The samples that have a column of X."""
        begin, end = self.features.begin[column : column + 2]
        return self.features.samples[begin:end]

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        return _count(self.samples_of(column), self.x_lists, self.X)

    def joint_of(self, column: int) -> IntArray:
        """(Q,) Y'x for a column x of X."""
        return _count(self.samples_of(column), self._y_lists, self.Y)

    def grams(self, columns: slice) -> IntArray:
        """(P, columns) X'X for some columns of X."""
        return np.stack([self.gram(p) for p in range(columns.start, columns.stop)], 1)

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        shape = self.Y.totals.size, self.X.totals.size
        table = listed_table(self.listed().lists, shape).toarray()
        return np.ascontiguousarray(table.T, dtype=np.int64)

    def joint_cells(self) -> Any:
        """(P, Q) the same, of the columns that meet: sparse."""
        return self._x.T.astype(np.int64) @ self._y.astype(np.int64)

    def given(self, low: int, high: int) -> Counted:
        """Joint counts in the samples with each of the columns [low, high) of X."""
        return self._counted_in([self.samples_of(p) for p in range(low, high)])

    def given_target(self, low: int, high: int, first: int = 0) -> Counted:
        """The same for columns of Y, of the columns of Y from `first` on."""
        begin, samples = self.by_target
        ends = begin[low : high + 1]
        return self._counted_in([samples[a:b] for a, b in pairwise(ends)], first)

    def _counted_in(self, strata: list[IndexArray], first: int = 0) -> Counted:
        parts = []
        for samples in strata:
            x, y = self._x[samples], self._y[samples][:, first:]
            n_x, n_y = (np.asarray(z.sum(axis=0, dtype=np.int64))[0] for z in (x, y))
            joint = (x.T.astype(np.int64) @ y.astype(np.int64)).toarray()
            parts.append((joint, n_x, n_y, samples.size))
        return Counted(*(np.stack(part) for part in zip(*parts, strict=True)))

    def listed(self) -> SparseCounts:
        """Joint counts in all samples."""
        begin, samples = self.by_target
        lists = self._list_joint(begin, samples)
        return SparseCounts(lists, self.X.totals, self.Y.totals, self.n_samples)

    def listed_given(self, column: int) -> SparseCounts:
        """Joint counts in the samples that have a column of X."""
        return self._listed_in(self.samples_of(column))

    def listed_given_target(self, column: int) -> SparseCounts:
        """The same for a column of Y; only columns of Y behind it are listed."""
        begin, samples = self.by_target
        return self._listed_in(samples[span(begin, column)], column + 1)

    def _listed_in(self, samples: IndexArray, first: int = 0) -> SparseCounts:
        n_x, n_y, grouped = self._grouped(samples)
        lists = self._list_joint(np.append(0, np.cumsum(n_y)), grouped, first)
        return SparseCounts(lists, n_x, n_y, samples.size)

    def strata(self, lists: IndexLists, low: int, high: int) -> Strata:
        """The samples of some columns, by the columns of targets that they have."""
        from labelsieve.engines.count_kernels import Strata

        ends = lists.start[low : high + 1]
        parts = [self._grouped(lists.entries[a:b]) for a, b in pairwise(ends)]
        n_x, n_y, grouped = zip(*parts, strict=True)
        begin = np.cumsum(np.insert(np.stack(n_y), 0, 0, axis=1), axis=1)
        before = np.append(0, np.cumsum(begin[:-1, -1]))
        begin += before[:, np.newaxis]
        return Strata(begin, np.concatenate(grouped), np.stack(n_x), np.diff(ends))

    def _grouped(self, samples: IndexArray) -> tuple[IntArray, IntArray, IndexArray]:
        """Samples by the columns of Y that they have; how many have each column."""
        from labelsieve.engines import count_kernels as kernels

        n_x = _count(samples, self.x_lists, self.X)
        n_y = _count(samples, self._y_lists, self.Y)
        place, grouped = np.cumsum(n_y) - n_y, np.empty(n_y.sum(), dtype=np.uint32)
        kernels.group_samples(samples, *self._y_lists, place, grouped)
        return n_x, n_y, grouped

    @cached_property
    def _n_columns_of(self) -> IntArray:
        """(n,) how many columns of X each sample has."""
        return np.diff(self._x.indptr).astype(np.int64)

    def _list_joint(
        self, begin: IntArray, samples: IndexArray, first: int = 0
    ) -> JointLists:
        """Count the feature columns of the samples of each target column."""
        from labelsieve.engines import count_kernels as kernels

        n_met = np.append(0, np.cumsum(self._n_columns_of[samples]))
        room, n_columns = np.diff(n_met[begin]), self.X.totals.size
        room[:first] = 0
        end = np.cumsum(np.minimum(room, n_columns) + 1)
        out = kernels.JointLists(
            np.append(0, end[:-1]),
            end,
            np.empty(end[-1], dtype=np.uint32),
            np.empty(end[-1], dtype=np.uint32),
        )

        out.end[:first] = out.begin[:first]

        def fill(columns: slice) -> None:
            tally = np.zeros(n_columns, dtype=np.uint32)
            lists = begin, samples, *self.x_lists
            ends = max(columns.start, first), columns.stop
            kernels.list_joint(*ends, *lists, room, tally, out)

        run_in_threads(fill, even_blocks(np.append(out.begin, end[-1])), self.n_jobs)
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

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks: indicators are disjoint."""
        totals = self.X.totals[columns][:, np.newaxis]
        return totals * np.eye(columns.shape[1], dtype=np.int64)

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column, which are indicators."""
        return self.X.totals

    @cached_property
    def x_lists(self) -> IndexLists:
        """The columns of X of each sample."""
        return _lists(self._x)

    @property
    def _y_lists(self) -> IndexLists:
        return IndexLists(self.targets.begin, self.targets.columns)

    @cached_property
    def by_target(self) -> IndexLists:
        """The samples of each column of Y."""
        return _lists(self._y_by_column)

    @cached_property
    def _y_by_column(self) -> Any:
        return self._y.tocsc()


def target_lists(Y: Columns, begin: IntArray, columns: IndexArray) -> TargetLists:
    """What is known of targets, with the columns of each sample."""
    from labelsieve.engines.kernels import TargetLists

    n_y, end = Y.totals, Y.start[1:] - Y.unknown
    n_known = np.full(Y.n_blocks, Y.n_samples)
    n_known[Y.unknown] -= n_y[end[Y.unknown]]
    return TargetLists(begin, columns, Y.start, end, Y.owner, n_y, n_known)


def stacked(strata: list[SparseCounts], whole: SparseCounts) -> SparseCounts:
    """Strata of all samples as one, with an axis of strata before the others."""
    from labelsieve.engines.count_kernels import JointLists

    def table(arrays: list[IntArray], like: IntArray) -> IntArray:
        found: IntArray = np.array(arrays, np.int64).reshape(len(strata), like.size)
        return found

    size = np.array([s.lists.columns.size for s in strata], dtype=np.int64)
    shift = (np.cumsum(size) - size)[:, np.newaxis]
    begin = table([s.lists.begin for s in strata], whole.n_y) + shift
    end = table([s.lists.end for s in strata], whole.n_y) + shift
    columns, counts = (strata[0] if strata else whole).lists[2:]
    if len(strata) > 1:
        columns = np.concatenate([s.lists.columns for s in strata])
        counts = np.concatenate([s.lists.counts for s in strata])
    lists = JointLists(begin, end, columns, counts)
    n_x = table([s.n_x for s in strata], whole.n_x)
    n_y = table([s.n_y for s in strata], whole.n_y)
    return SparseCounts(lists, n_x, n_y, np.array([s.n for s in strata], np.int64))


def listed_table(lists: JointLists, shape: tuple[int, int]) -> sp.csr_matrix:
    """Lists as a sparse table of targets by features."""
    size = lists.end - lists.begin
    start = np.append(0, np.cumsum(size))
    place = np.arange(start[-1]) + np.repeat(lists.begin - start[:-1], size)
    counts, columns = lists.counts[place].astype(np.int32), lists.columns[place]
    return sp.csr_matrix((counts, columns.astype(np.int32), start), shape=shape)


def _lists(table: Any) -> IndexLists:
    return IndexLists(table.indptr.astype(np.int64), table.indices.astype(np.uint32))


def _count(samples: IndexArray, lists: IndexLists, columns: Columns) -> IntArray:
    """How many of the samples have each column."""
    from labelsieve.engines import kernels

    out = np.zeros(columns.totals.size, dtype=np.int64)
    kernels.count_columns(samples, *lists, out)
    return out
