"""Sums over rows of ranks and of their products with labels and with each other.

All are whole numbers, so they are the same from any container, any number of threads
and from blocks that are added up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.slices import Lists, slices_of, span
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import IntArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, keep, load, run, task, tree, value
from labelsieve.discretization import (
    CodedBlocks,
    CodedColumns,
    RankCuts,
    score_columns,
)
from labelsieve.engines import Columns

# A task of a thread takes about so many cells.
CELLS_PER_TASK = 4_000_000


class RankSums(Protocol):
    """What may be asked of columns of small whole numbers."""

    @property
    def start(self) -> IntArray:
        """(d + 1,) where the columns of each feature begin."""

    @property
    def is_rank(self) -> Any:
        """(d,) which features are numbers by rank."""

    def totals(self, power: int = 1) -> IntArray:
        """(P,) the sum of each column, or of its squares or cubes."""

    def with_labels(self, n_indicators: int) -> IntArray:
        """(Y, P) the sum of each column over the rows with each label indicator."""

    def with_column(self, column: int) -> IntArray:
        """(P,) the sum of the products of each column with one of them."""

    def within(self) -> IntArray:
        """The same of the columns of each feature with each other, in squares."""

    def products(
        self, column: int, others: list[int], lines: IntArray, power: int = 1
    ) -> IntArray:
        """(lines + 1, others) sums of products of a column, or a power, with others.

        Over the rows with each of some label indicators, then over all rows.
        """


@dataclass(frozen=True)
class RowsInMemory:
    """Sums over rows that are in memory."""

    columns: Columns
    labels: CodedColumns
    is_rank: Any
    n_jobs: int | None = None

    @property
    def start(self) -> IntArray:
        """(d + 1,) where the columns of each feature begin."""
        return self.columns.start

    def totals(self, power: int = 1) -> IntArray:
        """(P,) the sum of each column, or of its squares or cubes."""
        from labelsieve.counting import rank_kernels as kernels

        values, n_rows = self.columns.values, self.labels.n_rows
        if sp.issparse(values):
            absent = self.columns.absent
            differs = (values.data + absent[values.indices]) ** power
            differs -= absent[values.indices] ** power
            stored = np.zeros(values.shape[1], dtype=np.int64)
            np.add.at(stored, values.indices, differs)
            return stored + n_rows * absent**power

        def add(rows: slice, out: IntArray) -> None:
            kernels.add_sums(values[rows], power, out)

        return self._over_rows(add, (values.shape[1],))

    def with_labels(self, n_indicators: int) -> IntArray:
        """(Y, P) the sum of each column over the rows with each label indicator."""
        from labelsieve.counting import rank_kernels as kernels

        values = self.columns.values
        labels = Lists(*self.labels.indicator_rows())
        shape = (n_indicators, values.shape[1])
        refuse_larger_than_memory(
            shape,
            "The sums of ranks over the rows of each label",
            "Select among fewer features, for example with FIMF first.",
            itemsize=8,
        )
        if sp.issparse(values):
            out = np.zeros(shape, dtype=np.int64)
            cells = values.indptr, values.indices, values.data
            kernels.add_stored_label_sums(*cells, labels, out)
            n_l = np.bincount(labels.entries, minlength=n_indicators)
            return out + n_l[:, np.newaxis] * self.columns.absent

        def add(rows: slice, out: IntArray) -> None:
            kernels.add_label_sums(values[rows], labels, rows.start, out)

        return self._over_rows(add, shape)

    def with_column(self, column: int) -> IntArray:
        """(P,) the sum of the products of each column with one of them."""
        from labelsieve.counting import rank_kernels as kernels

        values = self.columns.values
        if sp.issparse(values):
            return self._with_stored(values, column)

        def add(rows: slice, out: IntArray) -> None:
            kernels.add_products(values[rows], column, out)

        return self._over_rows(add, (values.shape[1],))

    def within(self) -> IntArray:
        """The same of the columns of each feature with each other, in squares."""
        from labelsieve.counting import rank_kernels as kernels

        values, start = self.columns.values, self.start
        if values.shape[1] == start.size - 1:
            return self.totals(2)
        squares = np.append(0, np.cumsum(np.diff(start) ** 2))
        if sp.issparse(values):
            return self._within_stored(values, squares)
        width = np.diff(start)
        out = np.empty(int(squares[-1]), dtype=np.int64)
        for after in range(int(width.max())):

            def add(rows: slice, out: IntArray, after: int = after) -> None:
                kernels.add_within(values[rows], after, out)

            products = self._over_rows(add, (values.shape[1] - after,))
            for i in range(int(width.max()) - after):
                (wide,) = np.nonzero(width > i + after)
                found, at = products[start[wide] + i], squares[wide]
                out[at + i * width[wide] + i + after] = found
                out[at + (i + after) * width[wide] + i] = found
        return out

    def products(
        self, column: int, others: list[int], lines: IntArray, power: int = 1
    ) -> IntArray:
        """(lines + 1, others) sums of products of a column, or a power, with others.

        Over the rows with each of some label indicators, then over all rows.
        """
        some = [column, *others]
        values = self.columns.values[:, some]
        if sp.issparse(values):
            values = values.toarray() + self.columns.absent[some]
        first, *rest = values.astype(np.int64).T
        found = np.column_stack([first**power * other for other in rest])
        return np.vstack([self._by_label[lines] @ found, found.sum(axis=0)])

    @cached_property
    def _by_label(self) -> sp.csr_matrix:
        """(Y, n) 1 where a row has a label indicator."""
        start, indicators = self.labels.indicator_rows()
        ones = np.ones(indicators.size, dtype=np.int64)
        shape = (self.labels.n_rows, int(self.labels.start[-1]))
        return sp.csr_matrix((ones, indicators, start), shape=shape).T.tocsr()

    def _within_stored(self, values: sp.csr_matrix, squares: IntArray) -> IntArray:
        """At once for features of one column."""
        own = self.totals(2)
        out = np.empty(int(squares[-1]), dtype=np.int64)
        width = np.diff(self.start)
        out[squares[:-1][width == 1]] = own[self.start[:-1][width == 1]]
        for f in np.flatnonzero(width > 1).tolist():
            columns = range(self.start[f], self.start[f + 1])
            lines = [self._with_stored(values, p)[columns] for p in columns]
            out[span(squares, f)] = np.concatenate(lines)
        return out

    def _with_stored(self, values: sp.csr_matrix, column: int) -> IntArray:
        """sum (a + s)(b + t) = sum s t + a sum t + b sum s + n a b."""
        from labelsieve.counting import rank_kernels as kernels

        absent, n_rows = self.columns.absent, self.labels.n_rows
        stored = np.zeros(n_rows, dtype=np.int16)
        cells = values.indices == column
        rows = np.repeat(np.arange(n_rows), np.diff(values.indptr))
        stored[rows[cells]] = values.data[cells]
        out = np.zeros(values.shape[1], dtype=np.int64)
        kernels.add_stored_products(
            values.indptr, values.indices, values.data, stored, out
        )
        sums = self.totals() - n_rows * absent
        out += absent[column] * sums + absent * sums[column]
        return out + n_rows * absent[column] * absent

    def _over_rows(
        self, add: Callable[[slice, IntArray], None], shape: tuple[int, ...]
    ) -> IntArray:
        """Add up over row blocks, on threads where there is enough to do."""
        n_rows, n_columns = self.columns.values.shape
        height = max(1, CELLS_PER_TASK // max(n_columns, 1))

        def part(rows: slice) -> IntArray:
            out = np.zeros(shape, dtype=np.int64)
            add(rows, out)
            return out

        parts = run_in_threads(part, slices_of(n_rows, height), self.n_jobs)
        return parts[0] if len(parts) == 1 else add_up(parts)


@dataclass(frozen=True)
class RowsInBlocks:
    """The same over row blocks that stay where they are."""

    blocks: list[Any]
    start: IntArray
    is_rank: Any

    @classmethod
    def of(
        cls, rows: SurveyedRows, coded: CodedBlocks, cuts: RankCuts
    ) -> RowsInBlocks | None:
        """Rank the numbers of all blocks; None where no column holds any."""
        if not cuts.columns.size:
            return None
        numbers, kept = rows.numbers(), coded.features.kept
        is_rank = np.isin(kept, cuts.columns)
        ranked = keep(
            coded.tasks(_rank_block, value(cuts), value(is_rank), each=numbers)
        )
        (start,) = run([task(_start, ranked[0])])
        return cls(ranked, start, is_rank)

    def totals(self, power: int = 1) -> IntArray:
        """(P,) the sum of each column, or of its squares or cubes."""
        return self._sum("totals", power)

    def with_labels(self, n_indicators: int) -> IntArray:
        """(Y, P) the sum of each column over the rows with each label indicator."""
        return self._sum("with_labels", n_indicators)

    def with_column(self, column: int) -> IntArray:
        """(P,) the sum of the products of each column with one of them."""
        return self._sum("with_column", column)

    def within(self) -> IntArray:
        """The same of the columns of each feature with each other, in squares."""
        return self._sum("within")

    def products(
        self, column: int, others: list[int], lines: IntArray, power: int = 1
    ) -> IntArray:
        """(lines + 1, others) sums of products of a column, or a power, with others."""
        return self._sum("products", column, others, lines, power)

    def _sum(self, *question: Any) -> IntArray:
        parts = [task(_ask, block, *question) for block in self.blocks]
        (total,) = run([tree(add_up, parts)])
        return np.asarray(total)


def rank_rows(
    values: Matrix,
    cuts: RankCuts,
    features: CodedColumns,
    labels: CodedColumns,
    n_jobs: int | None = None,
) -> RowsInMemory | None:
    """Sums over rows in memory; None where no column holds numbers to be ranked."""
    if not cuts.columns.size:
        return None
    is_rank = np.isin(features.kept, cuts.columns)
    columns = score_columns(values, cuts, features)
    return RowsInMemory(columns, labels, is_rank, n_jobs)


def _rank_block(
    features: CodedColumns, labels: CodedColumns, cuts: RankCuts, is_rank: Any, X: Any
) -> RowsInMemory:
    return RowsInMemory(score_columns(X, cuts, features), labels, is_rank)


def _start(block: Any) -> IntArray:
    return load(block).start


def _ask(block: Any, question: str, *arguments: Any) -> IntArray:
    return getattr(load(block), question)(*arguments)
