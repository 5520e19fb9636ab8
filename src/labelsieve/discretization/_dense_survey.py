"""What columns of dense numbers hold, their quantiles and the ranks of their cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.blocks import ColumnSurvey
from labelsieve.reading import MISSING, Features

# A survey, and quantiles.
Surveyed = tuple[ColumnSurvey, FloatArray]
# Tables of more cells than this, with more rows than this, are not sorted: kernels
# are several times faster there, and worth compiling.
SORTED_CELLS = 1 << 21
SORTED_ROWS = 1 << 14
# So many cells are sorted at a time.
CELLS_AT_ONCE = 1 << 17
# So many columns are copied out at a time: cells that share a line of the cache.
COLUMNS_AT_ONCE = 16
# So many of their rows stay in the cache.
ROWS_AT_ONCE = 512


class Scored(NamedTuple):
    """Scores that are asked for."""

    of_rank: NDArray[np.uint8]  # what stands for each rank
    table: NDArray[np.uint8]  # (n, columns), or (columns, n) of a block, filled in


class Found(NamedTuple):
    """What is found out about columns, filled in; a line for each."""

    few: NDArray[Any]  # [columns, room] distinct values, of columns with no more
    ends: NDArray[Any]  # [columns, 3] smallest, largest and second largest value
    numbers: IntArray  # [columns, 4] n_few, values below and above 0, missing cells
    cuts: NDArray[Any]  # [columns, quantiles] of columns with more values than room

    def of(self, columns: slice) -> Found:
        """Some of the columns."""
        return Found(*(part[columns] for part in self))


def survey_dense(
    features: Features,
    n_bins: int,
    n_cuts: int,
    scored: Scored | None = None,
) -> Surveyed:
    """Survey all columns, with the first quantiles of those with many values.

    Quantiles, one line per column, are those after which more than `n_bins` distinct
    values are cut. Where scores are asked for, such columns are ranked by them, in the
    same pass. Threads take columns: nothing depends on their number.
    """
    X = features.values
    n_rows, n_columns = X.shape
    few, ends, cuts = (
        np.zeros((n_columns, width), dtype=X.dtype) for width in (n_bins, 3, n_cuts)
    )
    found = Found(few, ends, np.zeros((n_columns, 4), dtype=np.int64), cuts)
    is_sorted = X.size <= SORTED_CELLS or n_rows <= SORTED_ROWS
    survey_block = _survey_sorted if is_sorted else _survey_in_bins
    width = max(1, CELLS_AT_ONCE // n_rows) if is_sorted else COLUMNS_AT_ONCE

    def survey(columns: slice) -> None:
        block = np.empty((columns.stop - columns.start, n_rows), dtype=X.dtype)
        for rows in slices_of(n_rows, ROWS_AT_ONCE):
            block[:, rows] = X[rows, columns].T
        if scored is None:
            survey_block(block, found.of(columns), None)
            return
        scores = np.zeros(block.shape, dtype=np.uint8)
        survey_block(block, found.of(columns), Scored(scored.of_rank, scores))
        for rows in slices_of(n_rows, ROWS_AT_ONCE):
            scored.table[rows, columns] = scores[:, rows].T

    run_in_threads(survey, slices_of(n_columns, width), features.n_jobs)
    # Adding zero makes 0.0 of -0.0.
    few, ends, cuts = (part.astype(np.float64) + 0.0 for part in (few, ends, cuts))
    n_few, n_negative, n_positive, n_missing = found.numbers.T
    surveyed = ColumnSurvey(
        *(n_rows, n_missing, few, n_few, *ends.T, n_negative, n_positive)
    )
    return surveyed, cuts


def quantile_ranks(n_cells: int | IntArray, n_bins: int) -> IntArray:
    """The ranks, from 1, of the values after which to cut: ceil(k n / b)."""
    return -(-np.arange(1, n_bins) * n_cells // n_bins)


def _survey_sorted(block: NDArray[Any], found: Found, scored: Scored | None) -> None:
    """Survey (columns, n) numbers by sorting them; missing ones come last."""
    few, ends, numbers, cuts = found
    n_columns, n_rows = block.shape
    if scored is None:
        ascending = np.sort(block, axis=1)
    else:
        order = np.argsort(block, axis=1)
        ascending = np.take_along_axis(block, order, axis=1)
    n_missing = np.count_nonzero(ascending == MISSING, axis=1)
    n_present = n_rows - n_missing
    # Where a run of equal numbers begins.
    begins = np.ones(block.shape, dtype=bool)
    np.not_equal(ascending[:, 1:], ascending[:, :-1], out=begins[:, 1:])
    n_values = np.count_nonzero(begins, axis=1) - (n_missing > 0)
    (listed,) = np.nonzero(n_values <= few.shape[1])
    line, place = np.nonzero(begins[listed])
    is_there = place < n_present[listed[line]]
    line, place = listed[line[is_there]], place[is_there]
    nth = np.arange(line.size) - np.searchsorted(line, line)
    few[line, nth] = ascending[line, place]
    largest = ascending[np.arange(n_columns), np.maximum(n_present, 1) - 1]
    high = np.where(n_present > 0, largest, -np.inf).astype(block.dtype)
    below = ascending < high[:, np.newaxis]
    ends[:, 0], ends[:, 1] = ascending[:, 0], high
    ends[:, 2] = ascending.max(axis=1, where=below, initial=-np.inf)
    numbers[:, 0] = np.minimum(n_values, few.shape[1] + 1)
    numbers[:, 1] = np.count_nonzero(ascending < 0, axis=1)
    numbers[:, 2] = np.count_nonzero(ascending > 0, axis=1) - n_missing
    numbers[:, 3] = n_missing
    (many,) = np.nonzero(n_values > few.shape[1])
    at = quantile_ranks(n_present[many, np.newaxis], cuts.shape[1] + 1) - 1
    cuts[many] = ascending[many[:, np.newaxis], at]
    if scored is not None:
        rank, length = _ranks_of_runs(begins[many], at, n_present[many])
        in_order = np.repeat(scored.of_rank[rank], length)
        flat = order[many] + n_rows * many[:, np.newaxis]
        scored.table.ravel()[flat.ravel()] = in_order


def _ranks_of_runs(
    begins: BoolArray, cuts_at: IntArray, n_present: IntArray
) -> tuple[IntArray, IntArray]:
    """The rank of each run of equal numbers, and how long it is.

    That is how many cuts are below, and how many not above. Cuts are numbers at given
    places of a line: those before the run, and those before the next one.
    """
    n_columns, n_rows = begins.shape
    up_to = np.zeros((n_columns, n_rows + 1), dtype=np.uint8)
    np.add.at(up_to, (np.arange(n_columns)[:, np.newaxis], cuts_at + 1), np.uint8(1))
    np.cumsum(up_to, axis=1, dtype=np.uint8, out=up_to)
    start = np.flatnonzero(begins)
    length = np.diff(start, append=begins.size)
    line = start // n_rows
    below = start + line  # in lines that are longer by one
    rank = up_to.ravel()[below] + up_to.ravel()[below + length]
    # A missing cell is in the middle.
    rank[start - line * n_rows >= n_present[line]] = cuts_at.shape[1]
    return rank, length


def _survey_in_bins(block: NDArray[Any], found: Found, scored: Scored | None) -> None:
    """Survey (columns, n) numbers; only those close to quantiles are sorted."""
    from labelsieve.discretization import _kernels as kernels

    n_rows = block.shape[1]
    bins, near = np.empty(n_rows, dtype=np.uint16), np.empty_like(block[0])
    for c, values in enumerate(block):
        few, ends, numbers, cuts = (part[c] for part in found)
        n_missing = np.count_nonzero(values == MISSING)
        there = values[values < MISSING] if n_missing else values
        ends[0], ends[1] = values.min(), there.max(initial=-np.inf)
        n_above = np.count_nonzero(there > 0)
        n_few = kernels.list_few(values, few, ends)
        numbers[:] = n_few, np.count_nonzero(values < 0), n_above, n_missing
        if n_few <= few.size or not cuts.size:
            continue
        at = quantile_ranks(there.size, cuts.size + 1) - 1
        low, scale = ends[0], kernels.scale_of(ends[0], ends[1], values.dtype)
        if scale == 0:
            here = slice(c, c + 1)
            own = scored and Scored(scored.of_rank, scored.table[here])
            _survey_sorted(block[here], found.of(here), own)
            continue
        place = np.empty(cuts.size, dtype=np.int64)
        n_near = kernels.list_near(values, low, scale, at, bins, near, place)
        near[:n_near].sort()
        cuts[:] = near[place]
        if scored is not None:
            how = values, bins, low, scale, cuts, scored.of_rank
            kernels.score_in_bins(*how, scored.table[c])
