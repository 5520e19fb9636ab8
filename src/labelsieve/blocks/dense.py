"""What columns of dense numbers hold, their quantiles and the ranks of their cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.blocks.columns import ColumnSurvey
from labelsieve.reading import MISSING, Features

# So many cells, and at least so many columns, are sorted at a time.
CELLS_AT_ONCE, COLUMNS_AT_ONCE = 1 << 17, 16
# So many of their rows stay in the cache.
ROWS_AT_ONCE = 512
# So many bins decide the ranks of most cells.
N_BINS = 1 << 12
# Cells of longer columns are ranked by these bins, of shorter ones by their order.
LONG = 1 << 14


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
    features: Features, n_bins: int, n_cuts: int, scored: Scored | None = None
) -> tuple[ColumnSurvey, FloatArray]:
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
    width = max(COLUMNS_AT_ONCE, CELLS_AT_ONCE // n_rows)

    def survey(columns: slice) -> None:
        block = np.empty((columns.stop - columns.start, n_rows), dtype=X.dtype)
        for rows in slices_of(n_rows, ROWS_AT_ONCE):
            block[:, rows] = X[rows, columns].T
        if scored is None:
            _survey_block(block, found.of(columns), None)
            return
        scores = np.zeros(block.shape, dtype=np.uint8)
        _survey_block(block, found.of(columns), Scored(scored.of_rank, scores))
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


def _survey_block(block: NDArray[Any], found: Found, scored: Scored | None) -> None:
    """Survey (columns, n) numbers."""
    if block.shape[1] <= LONG:
        _survey_sorted(block, found, scored)
        return
    for j in range(len(block)):  # one of them stays in the cache
        column = slice(j, j + 1)
        _survey_sorted(block[column], found.of(column), None)
    if scored is None:
        return
    (many,) = np.nonzero(found.numbers[:, 0] > found.few.shape[1])
    for j in many.tolist():
        scored.table[j] = _scores(block[j], found.cuts[j], scored.of_rank)


def _survey_sorted(block: NDArray[Any], found: Found, scored: Scored | None) -> None:
    """Survey (columns, n) numbers by sorting them; missing ones come last."""
    few, ends, numbers, cuts = found
    n_columns, n_rows = block.shape
    if scored is None:
        ascending = np.sort(block, axis=1)
    else:  # twice as long, so only where cells are ranked
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
    n_below = n_present - np.count_nonzero(ascending == high[:, np.newaxis], axis=1)
    second = ascending[np.arange(n_columns), np.maximum(n_below, 1) - 1]
    ends[:, 0], ends[:, 1] = ascending[:, 0], high
    ends[:, 2] = np.where(n_below > 0, second, -np.inf)
    numbers[:, 0] = np.minimum(n_values, few.shape[1] + 1)
    numbers[:, 1] = np.count_nonzero(ascending < 0, axis=1)
    numbers[:, 2] = np.count_nonzero(ascending > 0, axis=1) - n_missing
    numbers[:, 3] = n_missing
    (many,) = np.nonzero(n_values > few.shape[1])
    n_bins, n_cells = cuts.shape[1] + 1, n_present[many, np.newaxis]
    at = quantile_ranks(n_cells, n_bins) - 1
    cuts[many] = ascending[many[:, np.newaxis], at]
    if scored is None:
        return
    # Of b - 1 cuts, floor(b i / n) are among the first i of n cells.
    place, begins = np.arange(n_rows), begins[many]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    is_last = np.roll(begins, -1, axis=1)
    after = np.where(is_last, place + 1, n_rows)[:, ::-1]
    after = np.minimum.accumulate(after, axis=1)[:, ::-1]
    below, up_to = (
        np.minimum(n_bins * i // n_cells, n_bins - 1) for i in (first, after)
    )
    rank = np.where(ascending[many] == MISSING, n_bins - 1, below + up_to)
    ranked = np.empty(rank.shape, dtype=np.uint8)
    np.put_along_axis(ranked, order[many], scored.of_rank[rank], axis=1)
    scored.table[many] = ranked


def _bins(values: NDArray[Any], low: Any, high: Any) -> NDArray[np.uint16] | None:
    """In which of N_BINS each value is; None where that overflows.

    They are of equal width, but for the first, of what is below, and the last.
    """
    with np.errstate(all="ignore"):
        scale = (N_BINS - 3) / (high - low)
        if not 0 < scale < np.inf:  # too far apart, or too close
            return None
        found = (values - low) * scale + 1
        return np.clip(found, 0, N_BINS - 1, out=found).astype(np.uint16)


def _scores(
    values: NDArray[Any], cuts: NDArray[Any], of_rank: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """The score of each rank: how many cuts are below, and how many not above.

    Bins of equal width give it for most cells; only those that share a bin with a cut
    are compared with all cuts. A missing cell is in the middle.
    """
    bins, cut_bins = (_bins(part, cuts[0], cuts[-1]) for part in (values, cuts))
    if bins is None or cut_bins is None:
        return _scores_of_some(values, cuts, of_rank)
    of_bin = of_rank[2 * np.searchsorted(cut_bins, np.arange(N_BINS))]
    has_cut = np.zeros(N_BINS, dtype=bool)
    has_cut[cut_bins], has_cut[-1] = True, values.max() == MISSING
    (unsure,) = np.nonzero(has_cut[bins])
    scores = of_bin[bins]
    scores[unsure] = _scores_of_some(values[unsure], cuts, of_rank)
    return scores


def _scores_of_some(
    values: NDArray[Any], cuts: NDArray[Any], of_rank: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    rank = np.searchsorted(cuts, values) + np.searchsorted(cuts, values, side="right")
    return of_rank[np.where(values == MISSING, cuts.size, rank)]
