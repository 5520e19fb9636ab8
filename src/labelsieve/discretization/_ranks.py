"""Numbers as scores of ranks: small whole numbers, the same from any container."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri

from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.blocks import (
    ColumnSurvey,
    Scored,
    SurveyedRows,
    survey_columns,
    survey_dense,
)
from labelsieve.discretization._cuts import (
    Cuts,
    Quantiles,
    block_quantiles,
    cut_surveyed,
    find_cuts,
    quantiles_of,
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
    is_sparse, weighted = sp.issparse(features.values), features.weight is not None
    if is_sparse and (
        not features.values.nnz or features.one_value not in (None, MISSING)
    ):
        # One value beside the implicit zeros, as in a bag of words.
        return find_cuts(features, 2, "quantile"), NO_RANKS
    if is_sparse or weighted:
        survey = survey_columns(features, 2, "quantile")
        quantiles = quantiles_of(features, survey)
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
