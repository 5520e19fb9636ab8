"""Where the values of each column are cut into codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import row_blocks, stored_cells
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import (
    ColumnSurvey,
    merge_columns,
    quantile_ranks,
    run,
    survey_columns,
    survey_dense,
    task,
    value,
)
from labelsieve.reading import MISSING, Features

# The cut below missing cells, which are infinity: no number lies above it.
LARGEST = np.finfo(np.float64).max

# So few cuts are compared with each number; of more, the place is searched.
FEW_CUTS = 16

# The cells of columns with about so many in all are in memory at a time.
GATHERED_VALUES = 1 << 24

# From columns and ranks to values.
Search = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True)
class Cuts:
    """Cut points of all columns: the code of x is the number of its column's cuts < x.

    Attributes
    ----------
    points : all cut points, column after column, ascending within a column
    start : (D + 1,) where the points of each column begin
    """

    points: FloatArray
    start: IntArray

    @classmethod
    def from_columns(cls, columns: Iterable[FloatArray]) -> Cuts:
        """Join the cut points of single columns."""
        listed = list(columns)
        start = np.zeros(len(listed) + 1, dtype=np.int64)
        np.cumsum([points.size for points in listed], out=start[1:])
        points = np.concatenate(listed) if listed else np.empty(0)
        return cls(points.astype(np.float64, copy=False), start)

    @property
    def n_codes(self) -> IntArray:
        """How many codes each column has."""
        return np.diff(self.start) + 1

    def of(self, column: int) -> FloatArray:
        """The cut points of one column."""
        return self.points[self.start[column] : self.start[column + 1]]

    @property
    def code_missing(self) -> BoolArray:
        """Which columns have a code for missing cells."""
        some = self.n_codes > 1
        some[some] = self.points[self.start[1:][some] - 1] == LARGEST
        return some

    def few(self) -> FloatArray:
        """The cuts of columns with few, one line for the first of each, and so on.

        Where a column has fewer, or many, infinity, which no number passes.
        """
        n_cuts = self.n_codes - 1
        known = n_cuts <= FEW_CUTS
        lines = np.full((max(1, n_cuts[known].max(initial=0)), n_cuts.size), np.inf)
        for place, line in enumerate(lines):
            here = known & (n_cuts > place)
            line[here] = self.points[self.start[:-1][here] + place]
        return lines

    def with_missing(self, columns: BoolArray) -> Cuts:
        """The same with one more code in some columns, the last, for missing cells."""
        if not columns.any():
            return self
        points = np.insert(self.points, self.start[1:][columns], LARGEST)
        return Cuts(points, self.start + np.append(0, np.cumsum(columns)))

    def with_points(self, columns: dict[int, FloatArray]) -> Cuts:
        """The same with other cut points in some columns, but for missing cells."""
        if not columns:
            return self
        size, missing, parts, end = np.diff(self.start), self.code_missing, [], 0
        for column in sorted(columns):
            own = np.append(columns[column], [LARGEST] * int(missing[column]))
            parts += [self.points[end : self.start[column]], own]
            size[column], end = own.size, self.start[column + 1]
        points = np.concatenate([*parts, self.points[end:]])
        return Cuts(points, np.append(0, np.cumsum(size)))

    def codes_of(self, values: FloatArray, column: int) -> IntArray:
        """The codes of some values of one column."""
        return np.searchsorted(self.of(column), values, side="left")


def find_cuts(features: Features, n_bins: int, binning: str) -> Cuts:
    """Find the cut points of every column.

    A column with at most `n_bins` distinct values, and a nominal column of a table,
    keeps its values as codes. Others are cut into `n_bins` codes: ``"quantile"``
    with about as many rows each (cut after the ceil(k n / n_bins)-th smallest
    value), ``"uniform"`` at equal widths (a value on a cut belongs to the upper
    code), ``"none"`` not at all, so that each distinct value is a code. Cuts come
    from the cells that are there; missing ones are one more code, the last.
    """
    if sp.issparse(features.values):
        return _sparse_cuts(features, n_bins, binning)
    search: Search | WeightedQuantiles
    if binning == "none":
        survey, quantiles = survey_columns(features, n_bins, binning), np.empty((0, 0))
    else:
        n_cuts = n_bins - 1 if binning == "quantile" else 0
        survey, quantiles = survey_dense(features, n_bins, n_cuts)

    search = search_known(survey, quantiles)
    if features.weight is not None:
        search = WeightedQuantiles(features)
    return cut_surveyed(survey, n_bins, binning, search, features.categories)


def search_known(survey: ColumnSurvey, quantiles: FloatArray) -> Search:
    """A search among quantiles that are known: one line for each column."""

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        n_negative, n_present = survey.n_negative[columns], survey.n_present[columns]
        n_zero = n_present - n_negative - survey.n_positive[columns]
        rank = np.where(ranks <= n_negative, ranks, ranks + n_zero)
        known = quantile_ranks(n_present[:, np.newaxis], quantiles.shape[1] + 1)
        return quantiles[columns, (known == rank[:, np.newaxis]).argmax(axis=1)]

    return search


def _sparse_cuts(features: Features, n_bins: int, binning: str) -> Cuts:
    X = features.values
    if X.data.size == 0 or features.one_value not in (None, MISSING):
        # One value beside the implicit zeros, as in a bag of words.
        varies = (features.n_stored > 0) & (features.n_stored < X.shape[0])
        start = np.append(0, np.cumsum(varies))
        return Cuts(np.full(start[-1], float(X.data[:1].min(initial=0.0))), start)
    survey = survey_sparse(features, n_bins, binning)
    search = search_sparse(features)
    return cut_surveyed(survey, n_bins, binning, search, features.categories)


def survey_sparse(features: Features, n_bins: int, binning: str) -> ColumnSurvey:
    """What the columns of a sparse table hold."""
    X = features.values

    def survey(rows: slice) -> ColumnSurvey:
        cells, start = stored_cells(X, rows), X.indptr[rows.start : rows.stop + 1]
        block = (X.data[cells], X.indices[cells], start - start[0])
        shape = (rows.stop - rows.start, X.shape[1])
        return survey_columns(Features(sp.csr_matrix(block, shape)), n_bins, binning)

    return merge_columns(run_in_threads(survey, row_blocks(X), features.n_jobs))


class WeightedQuantiles:
    """Quantiles of columns whose rows do not count once each."""

    def __init__(self, features: Features) -> None:
        X, self._weight = features.values, features.weight
        self._columns = X.tocsc() if sp.issparse(X) else X

    def of(self, columns: IntArray, n_bins: int) -> FloatArray:
        """(columns, n_bins - 1) the least values up to which k/b of the weight is."""
        parts = np.arange(1, n_bins)
        out = np.empty((columns.size, parts.size))
        for line, column in zip(out, columns.tolist(), strict=True):
            values, weight = self._cells(column)
            order = np.argsort(values)
            up_to = n_bins * np.cumsum(weight[order], dtype=np.float64)
            # Less what rounding leaves
            reached = parts * (up_to[-1] / n_bins) * (1.0 - 1e-12)
            line[:] = values[order][np.searchsorted(up_to, reached)]
        return out + 0.0

    def _cells(self, column: int) -> tuple[FloatArray, FloatArray]:
        """The values that are there, with their weight; all zeros may be one."""
        X, weight = self._columns, self._weight
        assert weight is not None
        if sp.issparse(X):
            cells = slice(X.indptr[column], X.indptr[column + 1])
            stored = weight[X.indices[cells]]
            values = np.append(X.data[cells], 0.0)
            weight = np.append(stored, weight.sum() - stored.sum())
        else:
            values = X[:, column].astype(np.float64)
        present = values != MISSING
        return values[present], weight[present]


def search_sparse(features: Features) -> Search | WeightedQuantiles:
    """A search among the stored cells of columns."""
    if features.weight is not None:
        return WeightedQuantiles(features)
    X = features.values

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        wanted, place = np.unique(columns, return_inverse=True)
        return _at_ranks(place, ranks, _cells_of(X, wanted))

    return search


def search_blocks(survey: ColumnSurvey, blocks: list[Any]) -> Search:
    """A search among the non-zero cells of columns that `blocks`, tasks, return."""
    n_cells = survey.n_negative + survey.n_positive

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        wanted, place = np.unique(columns, return_inverse=True)
        found = np.empty(columns.size)
        # Each part is one pass over the blocks.
        part = np.cumsum(n_cells[wanted]) // GATHERED_VALUES
        for some in (np.flatnonzero(part == number) for number in np.unique(part)):
            here, shared = np.isin(place, some), value(wanted[some])
            asked = place[here] - some[0], ranks[here]
            tables = [task(_cells_of, block, shared) for block in blocks]
            (found[here],) = run([task(_at_ranks, *asked, *tables)])
        return found

    return search


def _cells_of(values: Matrix, columns: IntArray) -> sp.csc_matrix:
    return sp.csc_matrix(values[:, columns])


def _at_ranks(place: IntArray, ranks: IntArray, *tables: sp.csc_matrix) -> FloatArray:
    """The values of some ranks, from 1, among the cells of columns of tables."""
    table = tables[0] if len(tables) == 1 else sp.vstack(tables, format="csc")
    ascending = [np.sort(cells) for cells in np.split(table.data, table.indptr[1:-1])]
    pairs = zip(place, ranks, strict=True)
    return np.array([ascending[column][rank - 1] for column, rank in pairs])


def cut_surveyed(
    survey: ColumnSurvey,
    n_bins: int,
    binning: str,
    search: Search | WeightedQuantiles,
    categories: dict[int, NDArray[Any]] | None = None,
) -> Cuts:
    """Find the cut points of surveyed columns.

    ``search(columns, ranks)`` returns the values of given ranks, from 1, among the
    cells of the columns that are not zero; it is asked for quantiles that the survey
    does not give.
    """
    if survey.distinct is not None:
        columns = dict(enumerate(values[:-1] for values in survey.distinct))
    elif binning == "uniform":
        columns = _uniform_cuts(survey, n_bins)
    else:
        columns = _quantile_cuts(survey, n_bins, search)
    for column, names in (categories or {}).items():
        columns[column] = _between(names)
    nothing = survey.n_present == 0
    columns |= {int(column): np.empty(0) for column in np.flatnonzero(nothing)}
    return _joined(survey, columns).with_missing((survey.n_missing > 0) & ~nothing)


def _uniform_cuts(survey: ColumnSurvey, n_bins: int) -> dict[int, FloatArray]:
    """Equal widths depend on nothing but the ends."""
    (several,) = np.nonzero(survey.n_few > n_bins)
    ends = zip(survey.low[several], survey.high[several], strict=True)
    points = [uniform_points(low, high, n_bins) for low, high in ends]
    return dict(zip(several.tolist(), points, strict=True))


def _quantile_cuts(
    survey: ColumnSurvey, n_bins: int, search: Search | WeightedQuantiles
) -> dict[int, FloatArray]:
    (several,) = np.nonzero(survey.n_few > n_bins)
    values, is_zero = quantile_values(survey, several, n_bins, search)
    # Columns that are mostly zero are many: one cut, at zero, serves them all.
    at_zero = is_zero.all(axis=1) & (survey.high[several] > 0)
    columns = dict.fromkeys(several[at_zero].tolist(), np.zeros(1))
    several, values = several[~at_zero], values[~at_zero]
    high, second = survey.high[several, np.newaxis], survey.second[several]
    if n_bins == 2:  # `cut_after` of many columns
        points = np.where(values == high, np.nextafter(high, -np.inf), values)
        return columns | dict(zip(several.tolist(), points, strict=True))
    cuts = map(cut_after, values, second, high[:, 0])
    return columns | dict(zip(several.tolist(), cuts, strict=True))


def quantile_values(
    survey: ColumnSurvey,
    columns: IntArray,
    n_bins: int,
    search: Search | WeightedQuantiles,
) -> tuple[FloatArray, BoolArray]:
    """(columns, n_bins - 1) values of the ranks ceil(k n / b), and which are zeros."""
    if isinstance(search, WeightedQuantiles):
        values = search.of(columns, n_bins)
        return values, values == 0.0
    n_present = survey.n_present[columns, np.newaxis]
    ranks = quantile_ranks(n_present, n_bins)
    n_negative = survey.n_negative[columns, np.newaxis]
    n_zero = n_present - n_negative - survey.n_positive[columns, np.newaxis]
    is_zero = (n_negative < ranks) & (ranks <= n_negative + n_zero)
    values = np.zeros(is_zero.shape)
    if not is_zero.all():
        rank = np.where(ranks <= n_negative, ranks, ranks - n_zero)[~is_zero]
        values[~is_zero] = search(columns[np.nonzero(~is_zero)[0]], rank)
    return values, is_zero


def _joined(survey: ColumnSurvey, columns: dict[int, FloatArray]) -> Cuts:
    """Cut points of all columns; those that are not given keep their few values."""
    given = np.fromiter(columns, dtype=np.int64, count=len(columns))
    n_points = survey.n_few - 1
    n_points[given] = [points.size for points in columns.values()]
    start = np.append(0, np.cumsum(n_points))
    is_given = np.zeros(n_points.size, dtype=bool)
    is_given[given] = True
    points = np.empty(start[-1])
    # Of two values the lower one is the cut.
    two = ~is_given & (survey.n_few == 2)
    points[start[:-1][two]] = survey.low[two]
    (others,) = np.nonzero(~is_given & ~two)
    rank = np.arange(survey.few.shape[1])
    known = rank < survey.n_few[others, np.newaxis]
    few = np.sort(np.where(known, survey.few[others], np.inf), axis=1)
    kept = rank < n_points[others, np.newaxis]
    points[(start[others, np.newaxis] + rank)[kept]] = few[kept]
    # The places of all given points at once, in the order in which they are listed.
    size = n_points[given]
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    listed = [np.empty(0), *columns.values()]
    points[place + np.repeat(start[given], size)] = np.concatenate(listed)
    return Cuts(points, start)


def _between(categories: NDArray[Any]) -> FloatArray:
    """Cut points that keep all positions in a list of categories apart."""
    return np.arange(len(categories) - 1, dtype=np.float64)


def uniform_points(low: float, high: float, n_bins: int) -> FloatArray:
    """Cut at equal widths; a value on an edge belongs to the upper code."""
    return np.nextafter(np.linspace(low, high, n_bins + 1)[1:-1], -np.inf)


def cut_after(values: FloatArray, second: float, largest: float) -> FloatArray:
    """Cut one column after each of these values, which may repeat.

    `second` and `largest` are the two largest values of the column.
    """
    points = np.unique(values)
    if points[-1] == largest:
        # The upper code would be empty: it gets the rows that equal the maximum.
        points[-1] = np.nextafter(largest, -np.inf)
        if second in points[:-1]:
            points = points[:-1]
    return points
