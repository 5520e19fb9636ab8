"""Whether a feature tells anything: tests of its columns against the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from scipy.special import fdtrc

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.unexplained import Projected

# How likely features that tell nothing may get any of them selected, and which share
# of the selected may tell nothing on average.
ERROR_RATES = {"family": 0.05, "fdr": 0.1}


class Significance:
    """Tests of features, one by one, all pairs of columns and targets considered.

    A column is tested by F, beyond the features chosen by now. For ranks its tail is
    that of the sum of ranks over a label's rows, as if these were drawn at random, with
    its skewness. A column of 0 and 1 must also be significant by itself, by Fisher's
    exact test: F trusts too much in a few rows where features and labels are rare.
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
        return self._least_p(feature, self._limit) <= self._limit

    def _least_p(self, feature: int, limit: float) -> float:
        """The least p-value of the columns of a feature, as the choice is now.

        Beyond the limit only that of F, which is no larger, and found at once.
        """
        linear, tests = self._linear, self._tests
        left, new = linear.left[:, np.newaxis], linear.contrasts(feature)
        free = np.maximum(linear.n_known - 2 - linear.n_basis, 1)[:, np.newaxis]
        rest = np.maximum(left - new, 1e-12 * linear.whole[:, np.newaxis])
        p = fdtrc(1, free, new / rest * free)
        if p.min() > limit:
            return float(p.min())
        columns = linear.columns
        for place, column in enumerate(range(*columns.start[feature:][:2])):
            if place == 0 and columns.is_rank[feature]:
                p[:, 0] = tests.skewed(p[:, 0], column)
            else:
                p[:, place] = np.maximum(p[:, place], tests.exact(column))
        return float(p.min())

    def _benjamini_hochberg(
        self, tells: IntArray, n_tests: float, n_features: int
    ) -> float:
        """The p-value of a pair up to which features keep the share of false ones.

        The least p-value of a feature, times the number of its tests, is its own.
        """
        limit = ERROR_RATES["fdr"] * n_features / n_tests
        p = np.array([self._least_p(f, limit) for f in tells.tolist()])
        ascending = np.sort(p) * n_tests / n_features
        rank = np.arange(1, p.size + 1)
        (passed,) = np.nonzero(ascending <= rank * ERROR_RATES["fdr"] / n_features)
        n_passed = int(passed[-1]) + 1 if passed.size else 0
        return ERROR_RATES["fdr"] * max(n_passed, 1) / n_tests


class _Tests:
    """p-values of the columns of features with all targets."""

    def __init__(self, counts: Counts, linear: Projected) -> None:
        self._linear = linear
        self._columns = linear.columns
        self._n = counts.n_rows

    def exact(self, column: int) -> FloatArray:
        """Fisher's exact test, twice the lesser tail, of the table itself half."""
        linear = self._linear
        n_x = _whole(linear.known_sums_of(column))
        table = (_whole(linear.n_known), n_x, _whole(linear.n_y))
        both = _whole(linear.sums_of(column))
        here = 0.5 * stats.hypergeom.pmf(both, *table)
        above = stats.hypergeom.sf(both, *table) + here
        below = stats.hypergeom.cdf(both, *table) - here
        return np.minimum(1.0, 2.0 * np.minimum(above, below))

    def skewed(self, p: FloatArray, column: int) -> FloatArray:
        """p-values of a symmetric test with the tail of sums of ranks, the heavier."""
        linear = self._linear
        m, N = linear.n_y.astype(np.float64), linear.n_known.astype(np.float64)
        tilt = (N - 2 * m) * np.sqrt(N - 1)
        tilt /= np.maximum(N - 2, 1) * np.sqrt(m * (N - m))
        skew = np.abs(self._skewness[column] * tilt)
        return np.minimum(1.0, 2.0 * stats.pearson3.sf(stats.norm.isf(p / 2.0), skew))

    @cached_property
    def _skewness(self) -> FloatArray:
        """(P,) of each column."""
        first, second, third = (self._columns.powers(k) / self._n for k in (1, 2, 3))
        variance = np.maximum(second - first**2, 0.0)
        cubed = third - 3 * first * variance - first**3
        skewness = np.zeros_like(cubed)
        return np.divide(cubed, variance**1.5, out=skewness, where=variance > 0)


def _whole(values: Any) -> IntArray:
    return np.asarray(values).astype(np.int64)
