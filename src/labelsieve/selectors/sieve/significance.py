"""Whether a feature tells anything: tests of its columns against the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.unexplained import Projected

# How likely features that tell nothing may get any of them selected, and which share
# of the selected may tell nothing on average.
ERROR_RATES = {"family": 0.05, "fdr": 0.1}


class Significance:
    """Tests of features, one by one, all pairs of columns and targets considered.

    By itself a column of 0 and 1 is tested by Fisher's exact test, a column of ranks
    by the mean rank of a label's rows, whose distribution under permutations has a
    known variance and skewness. Beyond the chosen features it is tested by F. Both
    must be significant, so that nothing depends on F where labels are rare.
    """

    def __init__(
        self, counts: Counts, linear: Projected, tells: IntArray, error: str
    ) -> None:
        self._linear = linear
        self._tests = _Tests(counts, linear)
        n_tests = float(linear.columns.start[-1]) * linear.left.size
        self._limit = ERROR_RATES[error] / n_tests
        if error == "fdr":
            self._limit = self._benjamini_hochberg(tells, n_tests, counts.n_features)

    def is_significant(self, feature: int) -> bool:
        """Whether a feature tells something of a label that is not told already."""
        alone = self._tests.p_values(feature)
        linear = self._linear
        left, new = linear.left[:, np.newaxis], linear.contrasts(feature)
        free = np.maximum(linear.n_known - 2 - linear.n_basis, 1)[:, np.newaxis]
        rest = np.maximum(left - new, 1e-12 * linear.whole[:, np.newaxis])
        beyond = stats.f.sf(new / rest * free, 1, free)
        return bool((np.maximum(alone, beyond) <= self._limit).any())

    def _benjamini_hochberg(
        self, tells: IntArray, n_tests: float, n_features: int
    ) -> float:
        """The p-value of a pair up to which features keep the share of false ones.

        The least p-value of a feature, times the number of its tests, is its own.
        """
        p = np.array([float(self._tests.p_values(f).min()) for f in tells.tolist()])
        ascending = np.sort(p) * n_tests / n_features
        rank = np.arange(1, p.size + 1)
        (passed,) = np.nonzero(ascending <= rank * ERROR_RATES["fdr"] / n_features)
        n_passed = int(passed[-1]) + 1 if passed.size else 0
        return ERROR_RATES["fdr"] * max(n_passed, 1) / n_tests


class _Tests:
    """p-values of the columns of features with the targets, by themselves."""

    def __init__(self, counts: Counts, linear: Projected) -> None:
        self._linear = linear
        self._columns = linear.columns
        self._n = counts.n_rows

    def p_values(self, feature: int) -> FloatArray:
        """(targets, width) of the columns of a feature."""
        first, last = self._columns.start[feature : feature + 2]
        p = [self._of_codes(c) for c in range(first, last)]
        if self._columns.is_rank[feature]:
            p[0] = self._of_ranks(first)
        return np.column_stack(p)

    def _of_codes(self, column: int) -> FloatArray:
        """Fisher's exact test, twice the lesser tail."""
        linear = self._linear
        n_x = _whole(linear.known_sums_of(column))
        table = (_whole(linear.n_known), n_x, _whole(linear.n_y))
        both = _whole(linear.sums_of(column))
        above = stats.hypergeom.sf(both - 1, *table)
        below = stats.hypergeom.cdf(both, *table)
        return np.minimum(1.0, 2.0 * np.minimum(above, below))

    def _of_ranks(self, column: int) -> FloatArray:
        """The sum of ranks over a label's rows, as if these were drawn at random."""
        linear = self._linear
        m, N = linear.n_y.astype(np.float64), linear.n_known.astype(np.float64)
        _, variance, skewness = self._moments[:, column]
        centred = linear.sums_of(column) - m * linear.known_sums_of(column) / N
        deviation = np.sqrt(m * (N - m) / (N - 1) * variance)
        tilt = (
            (N - 2 * m) * np.sqrt(N - 1) / (np.maximum(N - 2, 1) * np.sqrt(m * (N - m)))
        )
        z, skew = centred / deviation, skewness * tilt
        p = [stats.pearson3.sf(sign * z, sign * skew) for sign in (1.0, -1.0)]
        return np.minimum(1.0, 2.0 * np.minimum(*np.nan_to_num(p, nan=1.0)))

    @cached_property
    def _moments(self) -> FloatArray:
        """(3, P) mean, variance and skewness of each column."""
        n = self._n
        first, second, third = (self._columns.powers(k) / n for k in (1, 2, 3))
        variance = np.maximum(second - first**2, 0.0)
        cubed = third - 3 * first * variance - first**3
        skewness = np.divide(
            cubed, variance**1.5, out=np.zeros_like(cubed), where=variance > 0
        )
        return np.stack([first, variance, skewness])


def _whole(values: Any) -> IntArray:
    return np.asarray(values).astype(np.int64)
