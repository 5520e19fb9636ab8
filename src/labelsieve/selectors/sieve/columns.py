"""What Sieve's linear view asks of features: sums over rows of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.counting import Counts, RankSums


class Columns:
    """Columns of features: ranks of numbers, 0 and 1 for each code of the others.

    Where there are no numbers, all sums are counts. All are whole.

    Attributes
    ----------
    start : (D + 1,) where the columns of each feature begin
    is_rank : (D,) which features are numbers by rank
    totals : (P,) the sum of each column
    """

    def __init__(self, counts: Counts, ranks: RankSums | None) -> None:
        self._counts = counts
        self._ranks = ranks
        if ranks is None:
            self.start: IntArray = counts.x_start
            self.is_rank: BoolArray = np.zeros(counts.n_features, dtype=bool)
            self.totals: Any = counts.feature_counts
        else:
            self.start, self.is_rank = ranks.start, ranks.is_rank
            self.totals = ranks.totals()

    @cached_property
    def with_labels(self) -> Any:
        """(Y, P) the sum of each column over the rows with each label indicator."""
        if self._ranks is None:
            return self._counts.feature_label_counts
        return self._ranks.with_labels(int(self._counts.y_start[-1]))

    @property
    def are_indicators(self) -> bool:
        """Whether there are no numbers among the features."""
        return self._ranks is None

    @property
    def single(self) -> bool:
        """Whether each feature has one column."""
        return bool((np.diff(self.start) == 1).all())

    def with_feature(self, feature: int, n_fg: Any) -> Any:
        """Sums of products of all columns with each column of a feature.

        `n_fg` are its joint counts with all indicators, which serve where all columns
        are indicators.
        """
        if self._ranks is None:
            return n_fg
        columns = range(self.start[feature], self.start[feature + 1])
        return [self._ranks.with_column(p) for p in columns]

    def products(
        self, column: int, others: list[int], lines: IntArray, power: int = 1
    ) -> IntArray:
        """(lines + 1, others) sums of products of a column, or a power, with others.

        Over the rows with each of some label indicators, then over all rows.
        """
        if self._ranks is not None:
            return self._ranks.products(column, others, lines, power)
        if others == [column]:
            here = np.append(self.with_labels[lines, column], self.totals[column])
            return here[:, np.newaxis].astype(np.int64)
        source, n_indicators = self._counts.source, int(self._counts.y_start[-1])
        rows = source.rows_with_feature(column)
        counted = source.count_both(rows, 0, n_indicators)[lines]
        every = np.vstack([counted, source.count_features(rows)])
        return every[:, others].astype(np.int64)

    def powers(self, power: int) -> FloatArray:
        """(P,) the sum of each column, or of its squares or cubes."""
        if self._ranks is None:
            return np.asarray(self.totals, dtype=np.float64)
        return self._ranks.totals(power).astype(np.float64)

    def covariances(self) -> FloatArray:
        """Centred sums of products of the columns of each feature, in squares."""
        n, sums = self._counts.n_rows, np.asarray(self.totals, dtype=np.float64)
        width = np.diff(self.start)
        v_start = np.append(0, np.cumsum(width**2))
        if self._ranks is not None:
            products = self._ranks.within().astype(np.float64)
        else:
            # Indicators of one feature exclude each other.
            products = np.zeros(int(v_start[-1]))
            width_of = np.repeat(width, width)
            place = np.arange(sums.size) - np.repeat(self.start[:-1], width)
            products[np.repeat(v_start[:-1], width) + place * (width_of + 1)] = sums
        if self.single:
            return products - sums * sums / n
        for size in np.unique(width):
            (some,) = np.nonzero(width == size)
            own = sums[self.start[some, np.newaxis] + np.arange(size)]
            place = v_start[some, np.newaxis] + np.arange(size * size)
            outer = own[:, :, np.newaxis] * own[:, np.newaxis] / n
            products[place] -= outer.reshape(place.shape)
        return products
