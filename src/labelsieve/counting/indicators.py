"""Indicators of coded columns as index lists, and as bits where these count faster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import Lists, even_blocks, span
from labelsieve._plumbing.threads import n_threads, run_in_threads
from labelsieve._plumbing.typing import CountArray, IndexArray, IntArray, WordArray
from labelsieve.discretization import CodedColumns

if TYPE_CHECKING:
    from labelsieve.counting.plane_kernels import RowFeatures

# No list has so many rows that bits are asked for.
NO_BITS, NEVER = np.empty((0, 0), dtype=np.uint64), np.iinfo(np.int64).max


@dataclass(frozen=True)
class IndicatorRows:
    """Indicators as index lists: those of each row, and the rows of each."""

    of_row: Lists
    n_indicators: int
    n_jobs: int | None = None
    counts: CountArray | None = None  # rows of each, where known

    @classmethod
    def build(cls, columns: CodedColumns, n_jobs: int | None = None) -> IndicatorRows:
        """List the indicators of coded columns."""
        lists = Lists(*columns.indicator_rows())
        return cls(lists, int(columns.start[-1]), n_jobs, columns.counts)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.of_row.start.size - 1

    @cached_property
    def columns(self) -> Lists:
        """The rows of each indicator, ascending."""
        from labelsieve.counting import kernels

        every = np.arange(self.n_rows, dtype=np.uint32)
        if self.counts is not None and n_threads(self.n_jobs) == 1:
            blocks, counts = [every], self.counts[np.newaxis]
        else:
            blocks = [every[rows] for rows in even_blocks(self.of_row.start)]
            counts = np.stack(run_in_threads(self.count, blocks, self.n_jobs))
        start = np.zeros(self.n_indicators + 1, dtype=np.int64)
        np.cumsum(counts.sum(axis=0, dtype=np.int64), out=start[1:])
        # Of each indicator, the rows of one block come after those of the last.
        places = start[:-1] + np.cumsum(counts, axis=0, dtype=np.int64) - counts
        grouped = np.empty(start[-1], dtype=np.uint32)

        def group(block: int) -> None:
            kernels.group_rows(blocks[block], self.of_row, places[block], grouped)

        run_in_threads(group, range(len(blocks)), self.n_jobs)
        return Lists(start, grouped)

    def take_columns(self, columns: CodedColumns, taken: IntArray) -> CodedColumns:
        """The same as ``columns.take``, by the rows of the columns that are taken."""
        start, rows = self.columns
        ends = columns.start[taken], columns.start[taken + 1]
        parts = [
            rows[start[low] : start[high]] for low, high in zip(*ends, strict=True)
        ]
        sizes = np.array([part.size for part in parts])
        lines = np.concatenate([np.arange(*each) for each in zip(*ends, strict=True)])
        counts = np.diff(start)[lines]
        code = np.concatenate([np.arange(1, n) for n in columns.n_codes[taken]])
        cells = (
            np.repeat(code.astype(columns.codes.dtype), counts),
            np.concatenate(parts).astype(np.int32),
            np.append(0, np.cumsum(sizes)),
        )
        codes = sp.csc_matrix(cells, shape=(self.n_rows, taken.size)).tocsr()
        about = columns.about(taken)
        counted = counts.astype(np.uint32)
        return replace(about, codes=codes, n_entries=codes.nnz, counts=counted)

    def rows_with(self, indicator: int) -> IndexArray:
        """The rows that have an indicator, ascending."""
        start, rows = self.columns
        return rows[span(start, indicator)]

    def group(self, rows: IndexArray) -> Lists:
        """Those of the given rows that have each indicator, ascending."""
        from labelsieve.counting import kernels

        start = np.empty(self.n_indicators + 1, dtype=np.int64)
        kernels.begin_groups(rows, self.of_row, start)
        grouped = np.empty(start[-1], dtype=np.uint32)
        kernels.group_rows(rows, self.of_row, start[:-1].copy(), grouped)
        return Lists(start, grouped)

    def count(self, rows: IndexArray) -> CountArray:
        """How many of the rows have each indicator."""
        from labelsieve.counting import kernels

        out = np.empty(self.n_indicators, dtype=np.uint32)
        kernels.count_features_sparse(rows, self.of_row, out)
        return out

    def count_groups(
        self,
        groups: Lists,
        out: CountArray | None = None,
        of_row: RowFeatures | None = None,
    ) -> CountArray:
        """How many rows of each group have each indicator, one line per group.

        `of_row` is what `for_groups` found to be best for these and other groups.
        """
        from labelsieve.counting import plane_kernels

        if out is None:
            shape = (groups.start.size - 1, self.n_indicators)
            out = np.empty(shape, dtype=np.uint32)
        of_row = of_row or self.for_groups(groups)
        plane_kernels.count_groups_of(groups, of_row, out)
        return out

    def for_groups(self, groups: Lists) -> RowFeatures:
        """The indicators of each row, with bits if these pay for the given groups."""
        from labelsieve.counting import plane_kernels

        # In half nanoseconds: a row costs so much more by lists than by bits, and
        # sums of bits have to be read off.
        entries, n_steps = self.of_row.entries.size, -(-self.n_indicators // 512)
        saved = 4 + 3 * entries // max(1, 2 * self.n_rows) - 6 * n_steps
        if saved > 0 and 64 * n_steps <= 64 + 8 * entries // max(1, self.n_rows):
            reading = 200 + 200 * n_steps
            fewest = 1 + reading // saved
            gain = plane_kernels.saved_by_bits(groups.start, fewest, saved, reading)
            if gain > (0 if "bits" in vars(self) else 2 * entries):
                return plane_kernels.RowFeatures(self.of_row, self.bits, fewest)
        return plane_kernels.RowFeatures(self.of_row, NO_BITS, NEVER)

    @cached_property
    def bits(self) -> WordArray:
        """The indicators of each row as bits, and a row without any."""
        from labelsieve.counting import plane_kernels

        n_words = 8 * -(-self.n_indicators // 512)
        bits = np.zeros((self.n_rows + 1, n_words), dtype=np.uint64)
        plane_kernels.pack_rows(self.of_row, bits)
        return bits

    def count_pairs(self) -> CountArray:
        """How many rows have each pair of indicators."""
        return self.count_groups(self.columns)
