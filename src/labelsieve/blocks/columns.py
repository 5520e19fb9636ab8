"""What the columns of some rows hold: enough to cut nearly all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.matrices import span
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.reading import MISSING, Features


@dataclass(frozen=True)
class ColumnSurvey:
    """What the columns of some rows hold; surveys of two blocks can be merged.

    Attributes
    ----------
    n_rows : number of rows
    n_missing : (D,) how many cells are missing; nothing else counts them
    few : (D, n_bins) distinct values, as long as they are not more
    n_few : (D,) how many distinct values there are, n_bins + 1 for any more
    low, high, second : (D,) smallest, largest and second largest value
    n_negative, n_positive : (D,) how many cells are below and above zero
    distinct : for each column all distinct values, where these were asked for
    """

    n_rows: int
    n_missing: IntArray
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
        whole = (self.n_missing == 0) & (self.low == self.high)
        return whole | (self.n_missing == self.n_rows)

    @property
    def n_present(self) -> IntArray:
        """How many cells of each column are not missing."""
        return self.n_rows - self.n_missing

    @property
    def n_entries(self) -> int:
        """How many cells are not zero."""
        return int(self.n_negative.sum() + self.n_positive.sum())


def survey_columns(features: Features, n_bins: int, binning: str) -> ColumnSurvey:
    """Find out what the columns of a block hold."""
    from labelsieve.blocks.dense import survey_dense

    X = features.values
    if sp.issparse(X):
        survey = _survey_stored(features, n_bins)
    elif len(X):
        survey, _ = survey_dense(features, n_bins, 0)
    else:  # nothing is stored
        survey = _survey_stored(Features(sp.csr_matrix(X)), n_bins)
    return replace(survey, distinct=_distinct(X)) if binning == "none" else survey


def _survey_stored(features: Features, n_bins: int) -> ColumnSurvey:
    """Survey a sparse table by its stored cells, which need not be sorted."""
    X, (n_rows, n_columns) = features.values, features.values.shape
    by_column = X.tocsc()
    # One more cell for each column: zero, unless all are stored.
    more = np.where(features.n_stored < n_rows, 0.0, MISSING)
    cells = np.insert(by_column.data.astype(np.float64), by_column.indptr[:-1], more)
    start = by_column.indptr[:-1] + np.arange(n_columns)
    column = np.repeat(np.arange(n_columns), np.diff(by_column.indptr) + 1)

    def next_above(value: FloatArray) -> FloatArray:
        above = np.where(cells > value[column], cells, MISSING)
        return np.minimum.reduceat(above, start)

    low = value = next_above(np.full(n_columns, -np.inf))
    few, n_few = np.zeros((n_columns, n_bins)), np.zeros(n_columns, dtype=np.int64)
    for place in range(n_bins + 1):
        there = value != MISSING
        if not there.any():
            break
        n_few += there
        if place < n_bins:
            few[there, place] = value[there]
            value = next_above(value)
    present = np.where(cells == MISSING, -np.inf, cells)
    high = np.maximum.reduceat(present, start)
    below = np.where(present < high[column], present, -np.inf)
    second = np.maximum.reduceat(below, start)
    n_missing, n_negative, n_positive = (
        np.bincount(X.indices[which], minlength=n_columns)
        for which in (X.data == MISSING, X.data < 0, (X.data > 0) & (X.data < MISSING))
    )
    known = few, n_few, low, high, second, n_negative, n_positive
    return ColumnSurvey(n_rows, n_missing, *known)


def merge_columns(surveys: list[ColumnSurvey]) -> ColumnSurvey:
    """Put the surveys of several blocks together."""
    surveys = [survey for survey in surveys if survey.n_rows] or surveys[:1]
    first = surveys[0]
    few, n_few = _merge_distinct(surveys)
    high = reduce(np.maximum, [survey.high for survey in surveys])
    below = [np.where(s.high < high, s.high, s.second) for s in surveys]
    distinct = None
    if first.distinct is not None:
        columns = zip(*(s.distinct for s in surveys if s.distinct), strict=True)
        distinct = [np.unique(np.concatenate(parts)) for parts in columns]
    return ColumnSurvey(
        sum(survey.n_rows for survey in surveys),
        reduce(np.add, [survey.n_missing for survey in surveys]),
        few,
        n_few,
        reduce(np.minimum, [survey.low for survey in surveys]),
        high,
        reduce(np.maximum, below),
        reduce(np.add, [survey.n_negative for survey in surveys]),
        reduce(np.add, [survey.n_positive for survey in surveys]),
        distinct,
    )


def _merge_distinct(surveys: list[ColumnSurvey]) -> tuple[FloatArray, IntArray]:
    """`few` and `n_few` of all blocks."""
    n_columns, room = surveys[0].few.shape
    known = [np.arange(room) < s.n_few[:, np.newaxis] for s in surveys]
    lists = [np.where(k, s.few, np.inf) for k, s in zip(known, surveys, strict=True)]
    values = np.sort(np.hstack(lists), axis=1)
    is_new = values < np.inf
    is_new[:, 1:] &= values[:, 1:] > values[:, :-1]
    n_few = reduce(np.maximum, [is_new.sum(axis=1), *(s.n_few for s in surveys)])
    place = np.cumsum(is_new, axis=1) - 1
    line, column = np.nonzero(is_new & (place < room))
    few = np.zeros((n_columns, room))
    few[line, place[line, column]] = values[line, column]
    return few, np.minimum(n_few, room + 1)


def _distinct(values: Matrix) -> list[FloatArray]:
    """All distinct values of each column, but for missing cells."""
    if not sp.issparse(values):
        return [np.unique(column[column != MISSING]) for column in values.T]
    table = values.tocsc()
    found = []
    for j in range(table.shape[1]):
        cells = table.data[span(table.indptr, j)]
        zero = np.zeros(int(cells.size < table.shape[0]))
        found.append(np.unique(np.concatenate([cells[cells != MISSING], zero])))
    return found
