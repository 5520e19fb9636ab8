"""Numbers as scores of ranks: small whole numbers, the same from any container."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import ColumnSurvey, SurveyedRows
from labelsieve.discretization._block_cuts import values_at
from labelsieve.discretization._codes import CodedColumns
from labelsieve.discretization._cuts import (
    Cuts,
    Search,
    cut_surveyed,
    find_cuts,
    quantile_values,
    search_known,
    search_sparse,
    survey_sparse,
)
from labelsieve.discretization._dense_survey import Scored, survey_dense
from labelsieve.reading import MISSING, Features

# Ranks are told apart by so many quantiles and one: enough for all but a few per cent
# of what exact ranks tell.
N_LEVELS = 64
# Normal scores of the ranks 0 to 126: where such a rank would be in a normal
# distribution, in whole numbers from 0 to 252, all different. Unlike ranks they tell
# rare labels at the ends apart as well as the numbers of a normal distribution do.
N_RANKS = 2 * N_LEVELS - 1
SCORES = (126 + np.rint(52 * ndtri(np.arange(1, N_RANKS + 1) / (N_RANKS + 1)))).astype(
    np.uint8
)
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
    """

    columns: IntArray
    points: FloatArray
    missing: BoolArray
    table: NDArray[np.uint8] | None = None

    def with_few_values(self) -> RankCuts:
        """Those of the columns that have few values, as categories have."""
        n_points = 1 + np.count_nonzero(np.diff(self.points, axis=1), axis=1)
        return self.where(n_points <= MOST_CATEGORIES)

    def without(self, columns: Iterable[int]) -> RankCuts:
        """All but some columns."""
        return self.where(~np.isin(self.columns, [*columns]))

    def where(self, which: BoolArray) -> RankCuts:
        """Some of the columns."""
        if which.all():
            return self
        parts = self.columns[which], self.points[which], self.missing[which]
        return RankCuts(*parts, self.table)

    def codes_of_scores(self) -> NDArray[np.uint8]:
        """(R, 256) the code by `as_codes` of a number with each score, none missing.

        A number above k points, which may repeat, has a rank of 2 k at least.
        """
        is_last = np.diff(self.points, axis=1, append=np.inf) > 0
        n_below = np.zeros((len(is_last), N_LEVELS), dtype=np.uint8)
        np.cumsum(is_last, axis=1, out=n_below[:, 1:])
        out = np.zeros((len(is_last), 256), dtype=np.uint8)
        out[:, SCORES] = n_below[:, np.arange(N_RANKS) // 2]
        return out

    def as_codes(self) -> Cuts:
        """Cuts of these columns after each of their points: all frequent values."""
        points = Cuts.from_columns([np.unique(line) for line in self.points])
        return points.with_missing(self.missing)


NO_RANKS = RankCuts(
    np.empty(0, np.int64), np.empty((0, N_LEVELS - 1)), np.empty(0, bool)
)


def cut_into_ranks(features: Features) -> tuple[Cuts, RankCuts]:
    """Cuts at the median, as `find_cuts` finds them, and cuts into ranks."""
    if sp.issparse(features.values):
        words = features.word is not None and features.word > 0
        one_value = features.one_value not in (None, MISSING)
        if not features.values.nnz or one_value or words:
            # One value beside the implicit zeros, as in a bag of words.
            return find_cuts(features, 2, "quantile"), NO_RANKS
        survey = survey_sparse(features, 2, "quantile")
        search = search_sparse(features.values)
        cuts = cut_surveyed(survey, 2, "quantile", search, features.categories)
        return cuts, _rank_cuts(survey, search, features.categories)
    table = np.zeros(features.values.shape, dtype=np.uint8)
    survey, quantiles = survey_dense(features, 2, N_LEVELS - 1, Scored(SCORES, table))
    median = search_known(survey, quantiles[:, MEDIAN : MEDIAN + 1])
    cuts = cut_surveyed(survey, 2, "quantile", median, features.categories)
    columns = _numbers(survey, features.categories)
    columns = columns[~_is_mostly_one_value(quantiles[columns])]
    missing = survey.n_missing[columns] > 0
    return cuts, RankCuts(columns, quantiles[columns], missing, table)


def cut_rows_into_ranks(rows: SurveyedRows) -> tuple[Cuts, RankCuts]:
    """The same cuts of rows in blocks."""
    survey, blocks, categories = rows.columns, rows.numbers(), rows.rows.categories

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        return values_at(survey, blocks, columns, ranks)

    cuts = cut_surveyed(survey, 2, "quantile", search, categories)
    return cuts, _rank_cuts(survey, search, categories)


def _rank_cuts(
    survey: ColumnSurvey, search: Search, categories: dict[int, NDArray[Any]]
) -> RankCuts:
    n_zero = survey.n_present - survey.n_negative - survey.n_positive
    columns = _numbers(survey, categories)
    # Columns that are mostly zero are many, and need no search.
    columns = columns[2 * n_zero[columns] <= survey.n_present[columns]]
    points, _ = quantile_values(survey, columns, N_LEVELS, search)
    varied = ~_is_mostly_one_value(points)
    columns, points = columns[varied], points[varied]
    return RankCuts(columns, points, survey.n_missing[columns] > 0)


def _is_mostly_one_value(points: FloatArray) -> BoolArray:
    """Which columns have one value in more than half of the rows, as words have."""
    n_equal = (points == points[:, MEDIAN : MEDIAN + 1]).sum(axis=1)
    return n_equal >= N_LEVELS // 2


def _numbers(survey: ColumnSurvey, categories: dict[int, NDArray[Any]]) -> IntArray:
    """The columns with more than two values that are not nominal."""
    numbers = survey.n_few > 2
    numbers[list(categories)] = False
    return np.flatnonzero(numbers)


@dataclass(frozen=True)
class RankedColumns:
    """The features that vary as columns of small whole numbers.

    A feature of numbers is the column of its scores, and one of 0 and 1 that says where
    it is missing, if anywhere. Any other is a column of 0 and 1 for each code but 0.

    Attributes
    ----------
    values : (n, P) array of uint8, or CSR of int16: what to add to `absent`
    absent : (P,) the value of a cell that is not stored; 0 in an array
    start : (d + 1,) where the columns of each feature begin
    """

    values: Matrix
    absent: IntArray
    start: IntArray


def rank_columns(values: Matrix, cuts: RankCuts, coded: CodedColumns) -> RankedColumns:
    """The columns of rows, of which those of `coded` vary."""
    place = np.searchsorted(coded.kept, cuts.columns)
    width = coded.n_codes - 1
    width[place] = 1 + cuts.missing
    start = np.append(0, np.cumsum(width))
    is_coded = np.ones(coded.kept.size, dtype=bool)
    is_coded[place] = False
    first = start[:-1]
    if sp.issparse(values):
        return _rank_sparse(values, cuts, coded, start, first[place], is_coded)
    ranks = cuts.table
    if ranks is None:
        ranks = _rank_block(values, cuts)
    return RankedColumns(
        _assemble(ranks, cuts, coded, start, first[place], is_coded, values),
        np.zeros(start[-1], dtype=np.int64),
        start,
    )


def _assemble(
    ranks: NDArray[np.uint8],
    cuts: RankCuts,
    coded: CodedColumns,
    start: IntArray,
    first: IntArray,
    is_coded: BoolArray,
    values: FloatArray,
) -> NDArray[np.uint8]:
    """One table of all columns, which the scores may be as they are."""
    if cuts.columns.size == ranks.shape[1] and not cuts.missing.any():
        return ranks
    out = np.zeros((ranks.shape[0], start[-1]), dtype=np.uint8)
    out[:, first] = ranks[:, cuts.columns]
    flagged = cuts.columns[cuts.missing]
    out[:, first[cuts.missing] + 1] = values[:, flagged] == MISSING
    rows, columns, codes = _entries(coded, is_coded)
    out[rows, start[columns] + codes - 1] = 1
    return out


def _rank_block(X: FloatArray, cuts: RankCuts) -> NDArray[np.uint8]:
    """The scores of a block of rows, in the columns that have any."""
    out = np.zeros(X.shape, dtype=np.uint8)
    for line, column in enumerate(cuts.columns):
        values = X[:, column].astype(np.float64)
        score = _score_of(cuts.points, np.full(values.size, line), values)
        out[:, column] = np.where(values == MISSING, MIDDLE, score)
    return out


def _entries(coded: CodedColumns, which: BoolArray) -> tuple[Any, IntArray, IntArray]:
    """Rows, columns and codes of the cells that are not 0, of some columns."""
    if not which.any():
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing
    if sp.issparse(coded.codes):
        rows = np.repeat(np.arange(coded.n_rows), np.diff(coded.codes.indptr))
        columns, codes = coded.codes.indices, coded.codes.data
    else:
        (wanted,) = np.nonzero(which)
        rows, place = np.nonzero(coded.codes[:, wanted])
        columns = wanted[place]
        codes = coded.codes[rows, columns]
    some = which[columns]
    return rows[some], columns[some].astype(np.int64), codes[some].astype(np.int64)


def _rank_sparse(
    X: sp.csr_matrix,
    cuts: RankCuts,
    coded: CodedColumns,
    start: IntArray,
    first: IntArray,
    is_coded: BoolArray,
) -> RankedColumns:
    """Scores of stored cells, less the score of zero, which the others have."""
    position = np.full(X.shape[1], -1)
    position[cuts.columns] = np.arange(cuts.columns.size)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    line = position[X.indices]
    rows, line, data = rows[line >= 0], line[line >= 0], X.data[line >= 0]
    zero = _score_of(cuts.points, np.arange(cuts.columns.size), np.zeros(first.size))
    missing = data == MISSING
    score = np.where(missing, MIDDLE, _score_of(cuts.points, line, data)) - zero[line]
    code_rows, columns, codes = _entries(coded, is_coded)
    flags = first[line[missing]] + 1
    parts = [
        (rows, first[line], score),
        (rows[missing], flags, np.ones(flags.size)),
        (code_rows, start[columns] + codes - 1, np.ones(codes.size)),
    ]
    at, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
    table = sp.csr_matrix(
        (value.astype(np.int16), (at, column)), shape=(X.shape[0], start[-1])
    )
    table.sort_indices()
    absent = np.zeros(start[-1], dtype=np.int64)
    absent[first] = zero
    return RankedColumns(table, absent, start)


def _score_of(points: FloatArray, lines: IntArray, values: FloatArray) -> IntArray:
    """The normal scores of some values, each by one line of points."""
    out = np.empty(values.size, dtype=np.int64)
    order = np.argsort(lines, kind="stable")
    ends = np.searchsorted(lines[order], np.arange(len(points) + 1))
    for line, cuts in enumerate(points):
        some = order[ends[line] : ends[line + 1]]
        below = np.searchsorted(cuts, values[some], side="left")
        out[some] = below + np.searchsorted(cuts, values[some], side="right")
    return SCORES[out].astype(np.int64)
