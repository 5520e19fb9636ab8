"""Where the values of each column are cut into codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.matrices import span
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import (
    ColumnSurvey,
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

# From columns and b to (columns, b - 1) values: those of the ranks ceil(k n / b) of
# the cells that are there.
Quantiles = Callable[[IntArray, int], FloatArray]
# From columns and ranks, from 1, among their cells that are not zero to values.
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
        listed = list(columns)
        start = np.cumsum([0, *(points.size for points in listed)])
        points = np.concatenate(listed) if listed else np.empty(0)
        return cls(points.astype(np.float64, copy=False), start)

    @property
    def n_codes(self) -> IntArray:
        return np.diff(self.start) + 1

    def of(self, column: int) -> FloatArray:
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
    if binning == "none":
        survey, known = survey_columns(features, n_bins, binning), np.empty((0, 0))
    else:
        n_cuts = n_bins - 1 if binning == "quantile" else 0
        survey, known = survey_dense(features, n_bins, n_cuts)
    quantiles = (
        (lambda columns, n_bins: known[columns])
        if features.weight is None
        else weighted_quantiles(features)
    )
    return cut_surveyed(survey, n_bins, binning, quantiles, features.categories)


def _sparse_cuts(features: Features, n_bins: int, binning: str) -> Cuts:
    X = features.values
    if X.data.size == 0 or features.one_value not in (None, MISSING):
        # One value beside the implicit zeros, as in a bag of words.
        varies = (features.n_stored > 0) & (features.n_stored < X.shape[0])
        start = np.append(0, np.cumsum(varies))
        return Cuts(np.full(start[-1], float(X.data[:1].min(initial=0.0))), start)
    survey = survey_columns(features, n_bins, binning)
    quantiles = quantiles_of(features, survey)
    return cut_surveyed(survey, n_bins, binning, quantiles, features.categories)


def weighted_quantiles(features: Features) -> Quantiles:
    """Quantiles of columns whose rows do not count once each.

    They are the least values up to which k/b of the weight is.
    """
    weight = features.weight
    assert weight is not None
    X = features.values.tocsc() if sp.issparse(features.values) else features.values

    def quantiles(columns: IntArray, n_bins: int) -> FloatArray:
        parts = np.arange(1, n_bins)
        out = np.empty((columns.size, parts.size))
        for line, column in zip(out, columns.tolist(), strict=True):
            if sp.issparse(X):  # all zeros are one cell
                cells = span(X.indptr, column)
                stored = weight[X.indices[cells]]
                values = np.append(X.data[cells], 0.0)
                times = np.append(stored, weight.sum() - stored.sum())
            else:
                values, times = X[:, column].astype(np.float64), weight
            present = np.flatnonzero(values != MISSING)
            order = present[np.argsort(values[present])]
            up_to = n_bins * np.cumsum(times[order], dtype=np.float64)
            # Less what rounding leaves
            reached = parts * (up_to[-1] / n_bins) * (1.0 - 1e-12)
            line[:] = values[order][np.searchsorted(up_to, reached)]
        return out + 0.0

    return quantiles


def quantiles_of(features: Features, survey: ColumnSurvey) -> Quantiles:
    """Quantiles of weighted rows, or of a sparse table from its stored cells."""
    if features.weight is not None:
        return weighted_quantiles(features)

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        wanted, place = np.unique(columns, return_inverse=True)
        return _at_ranks(place, ranks, _cells_of(features.values, wanted))

    return _searched(survey, search)


def block_quantiles(survey: ColumnSurvey, blocks: list[Any]) -> Quantiles:
    """Quantiles from the non-zero cells of columns that `blocks`, tasks, return."""
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

    return _searched(survey, search)


def _searched(survey: ColumnSurvey, search: Search) -> Quantiles:
    """Quantiles by a search for those that are not zero."""

    def quantiles(columns: IntArray, n_bins: int) -> FloatArray:
        n_present = survey.n_present[columns, np.newaxis]
        ranks = quantile_ranks(n_present, n_bins)
        n_negative = survey.n_negative[columns, np.newaxis]
        n_zero = n_present - n_negative - survey.n_positive[columns, np.newaxis]
        is_zero = (n_negative < ranks) & (ranks <= n_negative + n_zero)
        values = np.zeros(is_zero.shape)
        if not is_zero.all():
            rank = np.where(ranks <= n_negative, ranks, ranks - n_zero)[~is_zero]
            values[~is_zero] = search(columns[np.nonzero(~is_zero)[0]], rank)
        return values

    return quantiles


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
    quantiles: Quantiles,
    categories: dict[int, NDArray[Any]] | None = None,
) -> Cuts:
    """Find the cut points of surveyed columns, given quantiles of numbers."""
    if survey.distinct is not None:
        columns = dict(enumerate(values[:-1] for values in survey.distinct))
    elif binning == "uniform":
        columns = _uniform_cuts(survey, n_bins)
    else:
        columns = _quantile_cuts(survey, n_bins, quantiles)
    for column, names in (categories or {}).items():
        columns[column] = np.arange(len(names) - 1.0)  # keeps all positions apart
    nothing = survey.n_present == 0
    columns |= {int(column): np.empty(0) for column in np.flatnonzero(nothing)}
    return _joined(survey, columns).with_missing((survey.n_missing > 0) & ~nothing)


def _uniform_cuts(survey: ColumnSurvey, n_bins: int) -> dict[int, FloatArray]:
    """Cut at equal widths; a value on an edge belongs to the upper code."""
    several = np.flatnonzero(survey.n_few > n_bins).tolist()
    edges = [np.linspace(survey.low[j], survey.high[j], n_bins + 1) for j in several]
    points = [np.nextafter(ends[1:-1], -np.inf) for ends in edges]
    return dict(zip(several, points, strict=True))


def _quantile_cuts(
    survey: ColumnSurvey, n_bins: int, quantiles: Quantiles
) -> dict[int, FloatArray]:
    (several,) = np.nonzero(survey.n_few > n_bins)
    values = quantiles(several, n_bins)
    # Columns that are mostly zero are many: one cut, at zero, serves them all.
    at_zero = (values == 0.0).all(axis=1) & (survey.high[several] > 0)
    columns = dict.fromkeys(several[at_zero].tolist(), np.zeros(1))
    several, values = several[~at_zero], values[~at_zero]
    high, second = survey.high[several, np.newaxis], survey.second[several]
    if n_bins == 2:  # `cut_after` of many columns
        points = np.where(values == high, np.nextafter(high, -np.inf), values)
        return columns | dict(zip(several.tolist(), points, strict=True))
    cuts = map(cut_after, values, second, high[:, 0])
    return columns | dict(zip(several.tolist(), cuts, strict=True))


def _joined(survey: ColumnSurvey, columns: dict[int, FloatArray]) -> Cuts:
    """Cut points of all columns; those that are not given keep their few values."""
    listed = np.arange(survey.few.shape[1]) < survey.n_few[:, np.newaxis]
    few = np.sort(np.where(listed, survey.few, np.inf), axis=1)
    n_points = (survey.n_few - 1).tolist()
    pairs = enumerate(zip(few, n_points, strict=True))
    return Cuts.from_columns([columns.get(j, own[:n]) for j, (own, n) in pairs])


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
