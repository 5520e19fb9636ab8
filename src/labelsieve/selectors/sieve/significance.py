"""Whether a feature tells anything: tests of its columns against the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import fdtrc

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.unexplained import REPEATED, Projected

# How likely features that tell nothing may get any of them selected, and which share
# of the selected may tell nothing on average.
ERROR_RATES = {"family": 0.05, "fdr": 0.1}


class Significance:
    """Tests of features, one by one, all pairs of columns and targets considered.

    A column is tested by F, beyond the features chosen by now. For ranks its tail is
    that of the sum of ranks over a label's rows, as if these were drawn at random, with
    its skewness. A column of 0 and 1 must also be significant by itself, by Fisher's
    exact test: F trusts too much in a few rows where features and labels are rare.
    Each label is looked at over the rows where it is known.
    """

    def __init__(
        self, counts: Counts, linear: Projected, tells: IntArray, error: str
    ) -> None:
        self._linear = linear
        self._known = None if counts.known is None else _KnownRows(counts, linear)
        self._tests = _Tests(counts, linear, self._known)
        n_tests = float(linear.columns.start[-1]) * linear.left.size
        self._limit = ERROR_RATES[error] / n_tests
        if error == "fdr":
            self._limit = self._benjamini_hochberg(tells, n_tests, counts.n_features)

    def is_significant(self, feature: int, picks: Sequence[int]) -> bool:
        """Whether a feature tells something of a label that the picks do not tell."""
        return self._least_p(feature, picks, self._limit) <= self._limit

    def _least_p(self, feature: int, picks: Sequence[int], limit: float) -> float:
        """The least p-value of the columns of a feature, as the choice is now.

        Beyond the limit only that of F, which is no larger, and found at once.
        """
        linear, tests = self._linear, self._tests
        if self._known is None:
            new, left, rank = linear.contrasts(feature), linear.left, linear.n_basis
        else:
            new, left, rank = self._known.contrasts(feature, picks)
        free = np.maximum(linear.n_known - 2 - rank, 1)[:, np.newaxis]
        least = 1e-12 * linear.whole[:, np.newaxis]
        rest = np.maximum(left[:, np.newaxis] - new, least)
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
        p = np.array([self._least_p(f, [], limit) for f in tells.tolist()])
        ascending = np.sort(p) * n_tests / n_features
        rank = np.arange(1, p.size + 1)
        (passed,) = np.nonzero(ascending <= rank * ERROR_RATES["fdr"] / n_features)
        n_passed = int(passed[-1]) + 1 if passed.size else 0
        return ERROR_RATES["fdr"] * max(n_passed, 1) / n_tests


class _Tests:
    """p-values of the columns of features with all targets."""

    def __init__(
        self, counts: Counts, linear: Projected, known: _KnownRows | None
    ) -> None:
        self._linear = linear
        self._columns = linear.columns
        self._n = counts.n_rows
        self._known = known

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
        skew = np.abs(self._skewness(column) * tilt)
        return np.minimum(1.0, 2.0 * stats.pearson3.sf(stats.norm.isf(p / 2.0), skew))

    def _skewness(self, column: int) -> FloatArray:
        """(T,) of a column, or one for all where all labels are known."""
        if self._known is not None:
            first, second, third = self._known.moments(column)
        else:
            first, second, third = self._moments[:, column]
        variance = np.maximum(second - first**2, 0.0)
        cubed = third - 3 * first * variance - first**3
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(variance > 0, cubed / variance**1.5, 0.0)

    @cached_property
    def _moments(self) -> FloatArray:
        """(3, P) means of each column, its squares and its cubes."""
        return np.stack([self._columns.powers(k) / self._n for k in (1, 2, 3)])


class _KnownRows:
    """What features explain beyond the picks, over the rows where a label is known.

    Columns are made orthogonal one after the other, for each target over its own rows:
    x has the part a_k = (x'g - sum_j<k a_j R_kj) / R_kk along the k-th column g, and
    |x - sum a_k| is its length R.
    """

    def __init__(self, counts: Counts, linear: Projected) -> None:
        assert counts.known is not None
        assert counts.labels.unknown is not None
        self._linear, unknown = linear, counts.labels.unknown
        self._lines = counts.known.y_end[unknown]
        self._unsure = unknown[linear.label]
        self._line_of = (np.cumsum(unknown) - 1)[linear.label[self._unsure]]
        self._n_picks = 0
        self._chosen: list[int] = []  # columns of the picks, in their order
        # Of each: (T, k) R_kj, (T,) R_kk, and (T,) the part of the target along it.
        self._basis: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        self._left = linear.whole * (linear.n_known / counts.n_rows)

    def contrasts(
        self, feature: int, picks: Sequence[int]
    ) -> tuple[FloatArray, FloatArray, Any]:
        """Parts of the sums of squares that a feature explains beyond the picks.

        What the picks leave of them, and how many of their columns they take for it.
        """
        for pick in picks[self._n_picks :]:
            explained = self._extend(pick)
            self._left = np.maximum(self._left - explained.sum(axis=1), 0.0)
            self._n_picks += 1
        n_chosen, rank = len(self._chosen), np.zeros(self._left.size)
        for _, length, _ in self._basis:
            rank += np.isfinite(length)
        explained = self._extend(feature)
        del self._chosen[n_chosen:], self._basis[n_chosen:]
        return explained, self._left, rank

    def moments(self, column: int) -> list[FloatArray]:
        """(T,) means of a column, its squares and its cubes."""
        n, sums = self._linear.n_known, self._linear.known_sums_of(column)
        squares, cubes = (self._products(column, [column], k)[:, 0] for k in (1, 2))
        return [sums / n, squares / n, cubes / n]

    def _extend(self, feature: int) -> FloatArray:
        """Take a feature into the basis: (T, width) what its columns explain."""
        linear, parts = self._linear, []
        for column in range(*linear.columns.start[feature:][:2]):
            self._chosen.append(column)
            total = linear.known_sums_of(column) / linear.n_known
            sums = np.column_stack([linear.known_sums_of(g) for g in self._chosen])
            x = self._products(column, self._chosen)
            rounding = 1e-12 * x[:, -1]
            x -= sums * total[:, np.newaxis]
            tiny = np.maximum(REPEATED * x[:, -1], rounding)
            y = linear.sums_of(column) - total * linear.n_y
            for k, (root, length, along) in enumerate(self._basis):
                x[:, k] = (x[:, k] - (x[:, :k] * root).sum(axis=1)) / length
                x[:, -1] -= x[:, k] ** 2
                y = y - x[:, k] * along
            # What the others explain adds nothing, as if it were infinitely far.
            length = np.sqrt(np.where(x[:, -1] > tiny, x[:, -1], np.inf))
            self._basis.append((x[:, :-1], length, y / length))
            parts.append((y / length) ** 2)
        return np.column_stack(parts)

    def _products(self, column: int, others: list[int], power: int = 1) -> FloatArray:
        """(T, others) sums of products over the rows where the label is known."""
        *hidden, every = self._linear.columns.products(
            column, others, self._lines, power
        )
        out = np.tile(every, (self._unsure.size, 1))
        out[self._unsure] -= np.array(hidden)[self._line_of]
        return out.astype(np.float64)


def _whole(values: Any) -> IntArray:
    return np.asarray(values).astype(np.int64)
