"""Cut points over row blocks: exactly those that all rows in one table would get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._dask import run, task, tree, value
from labelsieve._features import Features
from labelsieve._typing import BoolArray, CountArray, FloatArray, IntArray, Matrix
from labelsieve.discretization._cuts import Cuts, cut_after, cut_distinct

# Values are counted by 12 bits at a time; histograms of at most this many columns and
# ranks are in flight, 16 KB each.
TARGETS_PER_ROUND = 2048
# Searching ends where so few values are left that they can be sent and sorted.
GATHERED_VALUES = 1_000_000
VALUE_BITS = 64

# Values and the column of each; no columns for the cells of dense rows.
Cells = tuple[FloatArray, NDArray[Any]]


@dataclass(frozen=True)
class ColumnSurvey:
    """What the columns of some rows hold; surveys of two blocks can be merged.

    Attributes
    ----------
    n_rows : number of rows
    few : (D, n_bins) distinct values, as long as they are not more
    n_few : (D,) how many distinct values there are, n_bins + 1 for any more
    low, high, second : (D,) smallest, largest and second largest value
    n_negative, n_positive : (D,) how many cells are below and above zero
    distinct : for each column all distinct values, where these were asked for
    """

    n_rows: int
    few: FloatArray
    n_few: IntArray
    low: FloatArray
    high: FloatArray
    second: FloatArray
    n_negative: IntArray
    n_positive: IntArray
    distinct: list[FloatArray] | None = None

    @property
    def constant(self) -> BoolArray:
        """Which columns have the same value in every row."""
        return self.low == self.high

    @property
    def n_entries(self) -> int:
        """How many cells are not zero."""
        return int(self.n_negative.sum() + self.n_positive.sum())


def survey_columns(features: Features, n_bins: int, binning: str) -> ColumnSurvey:
    """Find out what the columns of a block hold."""
    from labelsieve.discretization import _block_kernels as kernels

    n_rows, n_columns = features.values.shape
    survey = _nothing_known(n_columns, n_bins)
    arrays = (survey.low, survey.high, survey.second)
    counts = (survey.n_negative, survey.n_positive)
    cells = list(_cells(features.values))
    if sp.issparse(features.values):
        n_stored = features.n_stored
        cells = _one_cell_each(n_stored, *cells[0]) or cells
        zeros = np.flatnonzero(n_stored < n_rows).astype(np.int32)
        cells.append((np.zeros(zeros.size), zeros))
    for values, column in cells:
        kernels.summarize(values, column, survey.few, survey.n_few, *arrays, *counts)
    if sp.issparse(features.values) and len(cells[0][0]) < features.values.nnz:
        # One cell stood for all of its column.
        survey.n_negative[survey.n_negative > 0] = n_stored[survey.n_negative > 0]
        survey.n_positive[survey.n_positive > 0] = n_stored[survey.n_positive > 0]
    distinct = _distinct(features.values) if binning == "none" else None
    return ColumnSurvey(
        n_rows, survey.few, survey.n_few, *arrays, *counts, distinct=distinct
    )


def merge_columns(surveys: list[ColumnSurvey]) -> ColumnSurvey:
    """Put the surveys of several blocks together."""
    from labelsieve.discretization import _block_kernels as kernels

    surveys = [survey for survey in surveys if survey.n_rows] or surveys[:1]
    first = surveys[0]
    few, n_few = first.few.copy(), first.n_few.copy()
    for other in surveys[1:]:
        kernels.merge_few(few, n_few, other.few, other.n_few)
    high = np.max([survey.high for survey in surveys], axis=0)
    tops = np.concatenate([[s.high for s in surveys], [s.second for s in surveys]])
    second = np.where(tops < high, tops, -np.inf).max(axis=0)
    distinct = None
    if first.distinct is not None:
        columns = zip(*(s.distinct for s in surveys if s.distinct), strict=True)
        distinct = [np.unique(np.concatenate(parts)) for parts in columns]
    return ColumnSurvey(
        sum(survey.n_rows for survey in surveys),
        few,
        n_few,
        np.min([survey.low for survey in surveys], axis=0),
        high,
        second,
        np.sum([survey.n_negative for survey in surveys], axis=0),
        np.sum([survey.n_positive for survey in surveys], axis=0),
        distinct,
    )


def find_block_cuts(
    survey: ColumnSurvey,
    blocks: list[Any],
    n_bins: int,
    binning: str,
    categories: dict[int, NDArray[Any]],
) -> Cuts:
    """Find the cut points of every column, as `find_cuts` would for all rows.

    `blocks` are tasks that return the numbers of a block of rows. Only columns whose
    quantiles the survey does not tell are read again.
    """
    if survey.distinct is not None:
        columns = {j: values[:-1] for j, values in enumerate(survey.distinct)}
    else:
        columns = _cuts_of_many(survey, blocks, n_bins, binning)
    for column, names in categories.items():
        columns[column] = np.arange(len(names) - 1, dtype=np.float64)
    return _joined(survey, columns)


def _cuts_of_many(
    survey: ColumnSurvey, blocks: list[Any], n_bins: int, binning: str
) -> dict[int, FloatArray]:
    """Cut points of the columns that have more than `n_bins` values."""
    (several,) = np.nonzero(survey.n_few > n_bins)
    if binning == "uniform":
        # Equal widths depend on nothing but the ends.
        ends = zip(survey.low[several], survey.high[several], strict=True)
        apart = [np.linspace(low, high, n_bins + 1) for low, high in ends]
        place = np.arange(n_bins + 1)
        found = [cut_distinct(values, place, n_bins, binning) for values in apart]
    else:
        ranks = -(-np.arange(1, n_bins) * survey.n_rows // n_bins)  # ceil(k n / b)
        values = values_at(survey, blocks, several, ranks)
        largest = zip(survey.second[several], survey.high[several], strict=True)
        pairs = zip(values, largest, strict=True)
        found = [cut_after(line, *two) for line, two in pairs]
    return dict(zip(several.tolist(), found, strict=True))


def _joined(survey: ColumnSurvey, columns: dict[int, FloatArray]) -> Cuts:
    """Cut points of all columns; those that are not given keep their few values."""
    n_points = survey.n_few - 1
    for column, points in columns.items():
        n_points[column] = points.size
    start = np.zeros(n_points.size + 1, dtype=np.int64)
    np.cumsum(n_points, out=start[1:])
    points = np.empty(start[-1])
    n_kept = survey.n_few - 1
    n_kept[list(columns)] = 0
    rank = np.arange(survey.few.shape[1])
    known = rank < survey.n_few[:, np.newaxis]
    few = np.sort(np.where(known, survey.few, np.inf), axis=1)
    kept = rank < n_kept[:, np.newaxis]
    points[(start[:-1, np.newaxis] + rank)[kept]] = few[kept]
    for column, values in columns.items():
        points[start[column] : start[column + 1]] = values
    return Cuts(points, start)


@dataclass(frozen=True)
class Targets:
    """Values that are searched: the one of some rank among a column's cells.

    Attributes
    ----------
    column : (T,) ascending
    rank : (T,) rank among the non-zero cells that begin with the prefix
    prefix : (T,) what is known of the value: the first bits
    """

    column: IntArray
    rank: IntArray
    prefix: NDArray[np.uint64]

    def start(self, n_columns: int) -> IntArray:
        """Where the targets of each column begin."""
        return np.searchsorted(self.column, np.arange(n_columns + 1))


def values_at(
    survey: ColumnSurvey, blocks: list[Any], columns: IntArray, ranks: IntArray
) -> FloatArray:
    """The values of given ranks (from 1) in ascending order, one line per column."""
    found = np.zeros((columns.size, ranks.size))
    n_negative = survey.n_negative[columns, np.newaxis]
    n_zero = survey.n_rows - n_negative - survey.n_positive[columns, np.newaxis]
    is_zero = (n_negative < ranks) & (ranks <= n_negative + n_zero)
    line, place = np.nonzero(~is_zero)
    rank = np.where(ranks <= n_negative, ranks, ranks - n_zero)[line, place]
    for low in range(0, line.size, TARGETS_PER_ROUND):
        part = slice(low, low + TARGETS_PER_ROUND)
        nothing = np.zeros(line[part].size, dtype=np.uint64)
        targets = Targets(columns[line[part]], rank[part], nothing)
        n_cells = (survey.n_negative + survey.n_positive)[targets.column].sum()
        found[line[part], place[part]] = _search(blocks, targets, int(n_cells))
    return found


def _search(blocks: list[Any], targets: Targets, n_left: int) -> FloatArray:
    """Find the first bits of all targets, then all; each step is one pass.

    `n_left` is how many cells may be the value of a target.
    """
    from labelsieve.discretization import _block_kernels as kernels

    shift = VALUE_BITS
    while shift and n_left > GATHERED_VALUES:
        ahead, shift = shift, max(0, shift - kernels.DIGIT_BITS)
        shared = value(targets)
        parts = [task(_count_digits, block, shared, ahead, shift) for block in blocks]
        (counts,) = run([tree(_add, parts)])
        targets, n_left = _next_targets(targets, counts, ahead - shift)
    if shift == 0:
        return _as_doubles(targets.prefix)
    shared = value(targets)
    parts = run([task(_gather, block, shared, shift) for block in blocks])
    target = np.concatenate([part[0] for part in parts])
    values = np.concatenate([part[1] for part in parts])
    order = np.lexsort((values, target))
    start = np.searchsorted(target[order], np.arange(targets.rank.size))
    return np.asarray(values[order][start + targets.rank - 1])


def _next_targets(
    targets: Targets, counts: CountArray, n_bits: int
) -> tuple[Targets, int]:
    """Fix the next digit of every target; returns also how many cells are left."""
    up_to = np.cumsum(counts, axis=1, dtype=np.int64)
    digit = (up_to < targets.rank[:, np.newaxis]).sum(axis=1)
    lines = np.arange(digit.size)
    in_digit = counts[lines, digit].astype(np.int64)
    rank = targets.rank - (up_to[lines, digit] - in_digit)
    prefix = (targets.prefix << np.uint64(n_bits)) | digit.astype(np.uint64)
    return Targets(targets.column, rank, prefix), int(in_digit.sum())


def _count_digits(
    values: Matrix, targets: Targets, ahead: int, shift: int
) -> CountArray:
    from labelsieve.discretization import _block_kernels as kernels

    out = np.zeros((targets.rank.size, kernels.N_DIGITS), dtype=np.uint32)
    n_columns = values.shape[1]
    start = targets.start(n_columns)
    for cells, column in _cells(values):
        bits = cells.view(np.uint64)
        kernels.count_digits(
            bits, column, n_columns, start, targets.prefix, ahead, shift, out
        )
    return out


def _gather(
    values: Matrix, targets: Targets, ahead: int
) -> tuple[IntArray, FloatArray]:
    from labelsieve.discretization import _block_kernels as kernels

    n_columns = values.shape[1]
    found: list[tuple[IntArray, FloatArray]] = [(np.empty(0, np.int64), np.empty(0))]
    for cells, column in _cells(values):
        bits = cells.view(np.uint64)
        arguments = (bits, column, n_columns, targets.start(n_columns), targets.prefix)
        target, place = np.empty((2, 0), dtype=np.int64)
        n_found = kernels.find_cells(*arguments, ahead, target, place)
        target, place = np.empty((2, n_found), dtype=np.int64)
        kernels.find_cells(*arguments, ahead, target, place)
        found.append((target, cells[place]))
    return (
        np.concatenate([target for target, _ in found]),
        np.concatenate([values for _, values in found]),
    )


def _add(parts: list[CountArray]) -> CountArray:
    return np.sum(parts, axis=0, dtype=np.uint32)


def _as_doubles(keys: NDArray[np.uint64]) -> FloatArray:
    """Numbers from their ordered bits."""
    sign = np.uint64(1 << 63)
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float64)


def _cells(values: Matrix) -> Iterator[Cells]:
    """The values of a block and the column of each, none for dense rows."""
    if sp.issparse(values):
        yield values.data, values.indices
    elif values.size:
        yield np.ascontiguousarray(values).ravel(), np.empty(0, dtype=np.int32)


def _one_cell_each(
    n_stored: IntArray, values: FloatArray, column: NDArray[Any]
) -> list[Cells]:
    """One cell for each column, where all have the same value, as in bags of words."""
    if not values.size or values.min() < values.max():
        return []
    stored = np.flatnonzero(n_stored).astype(column.dtype)
    return [(values[: stored.size], stored)]


def _distinct(values: Matrix) -> list[FloatArray]:
    """All distinct values of each column."""
    if not sp.issparse(values):
        return [np.unique(column) for column in values.T]
    table = values.tocsc()
    found = []
    for j in range(table.shape[1]):
        cells = table.data[table.indptr[j] : table.indptr[j + 1]]
        zero = np.zeros(int(cells.size < table.shape[0]))
        found.append(np.unique(np.concatenate([cells, zero])))
    return found


def _nothing_known(n_columns: int, n_bins: int) -> ColumnSurvey:
    return ColumnSurvey(
        n_rows=0,
        few=np.zeros((n_columns, n_bins)),
        n_few=np.zeros(n_columns, dtype=np.int64),
        low=np.full(n_columns, np.inf),
        high=np.full(n_columns, -np.inf),
        second=np.full(n_columns, -np.inf),
        n_negative=np.zeros(n_columns, dtype=np.int64),
        n_positive=np.zeros(n_columns, dtype=np.int64),
    )
