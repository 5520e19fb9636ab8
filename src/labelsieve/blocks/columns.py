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
    from labelsieve.blocks import kernels

    n_rows, n_columns = features.values.shape
    survey = _nothing_known(n_rows, n_columns, n_bins)
    X = features.values
    if sp.issparse(X):
        zeros = np.flatnonzero(features.n_stored < n_rows).astype(np.int32)
        cells = [(X.data, X.indices), (np.zeros(zeros.size), zeros)]
    else:  # no columns: those of row after row
        cells = [(np.ascontiguousarray(X).ravel(), np.empty(0, dtype=np.int32))]
    for values, column in cells:
        kernels.survey_cells(
            values,
            column,
            survey.few,
            survey.n_few,
            survey.low,
            survey.high,
            survey.second,
            survey.n_negative,
            survey.n_positive,
            survey.n_missing,
        )
    if binning == "none":
        return replace(survey, distinct=_distinct(features.values))
    return survey


def merge_columns(surveys: list[ColumnSurvey]) -> ColumnSurvey:
    """Put the surveys of several blocks together."""
    from labelsieve.blocks import kernels

    surveys = [survey for survey in surveys if survey.n_rows] or surveys[:1]
    first = surveys[0]
    few, n_few = first.few.copy(), first.n_few.copy()
    for other in surveys[1:]:
        kernels.merge_distinct(few, n_few, other.few, other.n_few)
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


def _nothing_known(n_rows: int, n_columns: int, n_bins: int) -> ColumnSurvey:
    return ColumnSurvey(
        n_rows=n_rows,
        n_missing=np.zeros(n_columns, dtype=np.int64),
        few=np.zeros((n_columns, n_bins)),
        n_few=np.zeros(n_columns, dtype=np.int64),
        low=np.full(n_columns, np.inf),
        high=np.full(n_columns, -np.inf),
        second=np.full(n_columns, -np.inf),
        n_negative=np.zeros(n_columns, dtype=np.int64),
        n_positive=np.zeros(n_columns, dtype=np.int64),
    )
