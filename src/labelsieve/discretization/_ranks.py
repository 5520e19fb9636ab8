"""Numbers as scores of ranks, small whole numbers, and counts of few values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri

from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import (
    ColumnSurvey,
    Scored,
    SurveyedRows,
    add_up,
    run,
    survey_dense,
    task,
    tree,
    value,
)
from labelsieve.discretization._block_codes import parts_of
from labelsieve.discretization._codes import CodedColumns, code_dense
from labelsieve.discretization._cuts import (
    Cuts,
    Quantiles,
    block_quantiles,
    cut_surveyed,
    find_cuts,
    sparse_quantiles,
    survey_sparse,
    weighted_quantiles,
)
from labelsieve.reading import MISSING, Features

# Ranks are told apart by so many quantiles and one: enough for all but a few per cent
# of the information of exact ranks.
N_LEVELS = 64
# Normal scores of the ranks 0 to 126: where such a rank would be in a normal
# distribution, in whole numbers from 0 to 252, all different. Unlike ranks they show
# rare labels at the ends apart as well as the numbers of a normal distribution do.
N_RANKS = 2 * N_LEVELS - 1
SCORES = (126 + np.rint(52 * ndtri(np.arange(1, N_RANKS + 1) / (N_RANKS + 1)))).astype(
    np.uint8
)
# The square of each score, as far from the middle, in whole numbers up to 252.
SQUARES = np.rint(43 * ((np.arange(256) - 126) / 52) ** 2).clip(0, 255)
SQUARES = SQUARES.astype(np.uint8)
# Columns with more frequent values than this are no categories.
MOST_CATEGORIES = 32
# What stands for a missing cell, which has a column of its own: the middle.
MIDDLE = int(SCORES[N_LEVELS - 1])
# Which quantile is the median.
MEDIAN = N_LEVELS // 2 - 1


@dataclass(frozen=True)
class RankCuts:
    """Where columns of numbers are cut into ranks.

    The rank of x is the number of its column's points below x and of those not above
    it: 0 to 126, the same in both directions, and never constant where x is not. Its
    normal score stands for it.

    Attributes
    ----------
    columns : (R,) those with more than two values that are not nominal, and no value
        in more than half of the rows: weights of words are there or not
    points : (R, N_LEVELS - 1) values of the ranks ceil(k n / N_LEVELS), ascending
    missing : (R,) whether cells are missing
    table : (n, D) of a dense table in memory, the scores in these columns
    squared : (R,) which have a column of squared scores too
    """

    columns: IntArray
    points: FloatArray
    missing: BoolArray
    table: NDArray[np.uint8] | None = None
    squared: BoolArray | None = None

    def with_squares(self, which: BoolArray) -> RankCuts:
        """The same columns, some of them squared too."""
        return replace(self, squared=which)

    def with_few_values(self) -> RankCuts:
        """Those of the columns that have few values, as categories have."""
        n_points = 1 + np.count_nonzero(np.diff(self.points, axis=1), axis=1)
        return self.where(n_points <= MOST_CATEGORIES)

    def without(self, columns: Iterable[int]) -> RankCuts:
        return self.where(~np.isin(self.columns, [*columns]))

    def where(self, which: BoolArray) -> RankCuts:
        if which.all():
            return self
        parts = self.columns[which], self.points[which], self.missing[which]
        return RankCuts(*parts, self.table)

    def as_codes(self) -> Cuts:
        """Cuts of these columns after each of their points: all frequent values."""
        points = Cuts.from_columns([np.unique(line) for line in self.points])
        return points.with_missing(self.missing)


NO_RANKS = RankCuts(
    np.empty(0, np.int64), np.empty((0, N_LEVELS - 1)), np.empty(0, bool)
)


def cut_into_ranks(features: Features) -> tuple[Cuts, RankCuts]:
    """Cuts at the median, as `find_cuts` finds them, and cuts into ranks."""
    weighted = features.weight is not None
    if sp.issparse(features.values):
        one_value = features.one_value not in (None, MISSING)
        if not features.values.nnz or one_value:
            # One value beside the implicit zeros, as in a bag of words.
            return find_cuts(features, 2, "quantile"), NO_RANKS
        survey = survey_sparse(features, 2, "quantile")
        quantiles = sparse_quantiles(features, survey)
        return _both_cuts(survey, quantiles, features.categories, weighted)
    if weighted:
        survey, _ = survey_dense(features, 2, 0)
        quantiles = weighted_quantiles(features)
        return _both_cuts(survey, quantiles, features.categories, weighted)
    table = np.zeros(features.values.shape, dtype=np.uint8)
    survey, known = survey_dense(features, 2, N_LEVELS - 1, Scored(SCORES, table))

    def known_ones(columns: IntArray, n_bins: int) -> FloatArray:
        return known[columns, MEDIAN : MEDIAN + 1] if n_bins == 2 else known[columns]

    cuts, ranks = _both_cuts(survey, known_ones, features.categories)
    return cuts, replace(ranks, table=table)


def cut_rows_into_ranks(rows: SurveyedRows) -> tuple[Cuts, RankCuts]:
    """The same cuts of rows in blocks."""
    quantiles = block_quantiles(rows.columns, rows.numbers())
    return _both_cuts(rows.columns, quantiles, rows.rows.categories)


def _both_cuts(
    survey: ColumnSurvey,
    quantiles: Quantiles,
    categories: dict[int, NDArray[Any]],
    weighted: bool = False,
) -> tuple[Cuts, RankCuts]:
    cuts = cut_surveyed(survey, 2, "quantile", quantiles, categories)
    numbers = survey.n_few > 2
    numbers[list(categories)] = False
    if not weighted:
        # Columns that are mostly zero are many, and need no search.
        n_zero = survey.n_present - survey.n_negative - survey.n_positive
        numbers &= 2 * n_zero <= survey.n_present
    (columns,) = np.nonzero(numbers)
    points = quantiles(columns, N_LEVELS)
    # Not one value in more than half of the rows, as words have
    n_equal = (points == points[:, MEDIAN : MEDIAN + 1]).sum(axis=1)
    varied = n_equal < N_LEVELS // 2
    columns, points = columns[varied], points[varied]
    return cuts, RankCuts(columns, points, survey.n_missing[columns] > 0)


# Tables of about so many counts are in memory at a time, and so many cells of rows.
COUNTS_AT_ONCE = 1_000_000
CELLS_AT_ONCE = 4_000_000

# Some columns, and (C, codes, Y + 1) rows with each code and each label indicator; the
# last of these are all rows, and the last code of a column missing cells, if any.
ValueCounts = tuple[RankCuts, IntArray]


def count_values(
    values: Matrix, cuts: RankCuts, labels: CodedColumns
) -> Iterator[ValueCounts]:
    """Count the codes of some columns with labels, a few columns at a time."""
    for some in _few_at_a_time(cuts, labels, values.shape[0]):
        yield some, _count(values, labels, some)


def count_values_in_blocks(
    rows: SurveyedRows, cuts: RankCuts, labels: CodedColumns
) -> Iterator[ValueCounts]:
    """The same for rows in blocks."""
    blocks = list(zip(rows.numbers(), parts_of(rows, labels), strict=True))
    for some in _few_at_a_time(cuts, labels, max(rows.lengths)):
        parts = [task(_count, x, y, value(some)) for x, y in blocks]
        (total,) = run([tree(add_up, parts)])
        yield some, total


def _few_at_a_time(
    cuts: RankCuts, labels: CodedColumns, n_rows: int
) -> Iterator[RankCuts]:
    n_counts = (MOST_CATEGORIES + 2) * (int(labels.start[-1]) + 1)
    most = min(COUNTS_AT_ONCE // n_counts, CELLS_AT_ONCE // n_rows)
    for some in slices_of(cuts.columns.size, max(1, most)):
        which = np.zeros(cuts.columns.size, dtype=bool)
        which[some] = True
        yield cuts.where(which)


def _count(values: Matrix, labels: CodedColumns, cuts: RankCuts) -> IntArray:
    n_codes, columns = MOST_CATEGORIES + 2, cuts.columns
    # No value fills half of such a column: it is dense.
    table = as_dense(values[:, columns]).astype(np.float64)
    codes = code_dense(table, cuts.as_codes()).astype(np.int32)
    codes += n_codes * np.arange(columns.size, dtype=np.int32)
    n_rows, n_cells = len(codes), columns.size * n_codes
    start = columns.size * np.arange(n_rows + 1)
    weight = labels.weight
    weight = np.ones(n_rows, dtype=np.int64) if weight is None else weight
    ones = np.repeat(weight, columns.size)
    is_code = sp.csr_matrix((ones, codes.ravel(), start), shape=(n_rows, n_cells))
    n_indicators, (begin, entries) = int(labels.start[-1]), labels.indicator_rows()
    is_one = np.ones(entries.size, dtype=np.int64), entries.astype(np.int32), begin
    is_label = sp.csr_matrix(is_one, shape=(n_rows, n_indicators))
    out = np.empty((columns.size, n_codes, n_indicators + 1), dtype=weight.dtype)
    out[:, :, :-1] = (is_code.T @ is_label).toarray().reshape(out[:, :, :-1].shape)
    every = np.bincount(codes.ravel(), ones, minlength=n_cells)
    out[:, :, -1] = every.reshape(out.shape[:2])
    return out
