"""Whether a feature is significant: tests of its columns against the targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from scipy.special import fdtrc

from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.selectors.sieve.residuals import TOLERANCE
from labelsieve.selectors.sieve.search import Pairs

# The family-wise error rate, and the false discovery rate.
ERROR_RATES = {"family": 0.05, "fdr": 0.1}


class Significance:
    """Tests of features, one by one, all pairs of columns and targets considered.

    A column is tested by F, beyond the picks. For scores its tail is that of the sum of
    scores over a label's samples, as if these were drawn at random, with its skewness.
    An indicator must also be significant by itself, by Fisher's exact test: F trusts
    too much in a few samples where features and labels are rare. Each label is tested
    over the samples in which it is known.
    """

    def __init__(self, pairs: Pairs, error: str) -> None:
        self._pairs, self._residuals = pairs, pairs.residuals
        self._X, self._targets = pairs.residuals.X, pairs.residuals.targets
        self._n_known = self._targets.n_known[self._targets.label]
        self._partly = _PartlyKnown(pairs) if self._targets.marks.size else None
        n_tests = float(self._X.start[-1]) * self._targets.label.size
        self._limit = ERROR_RATES[error] / n_tests
        if error == "fdr":
            self._limit = self._benjamini_hochberg(n_tests)

    def is_significant(self, feature: int, picks: list[int]) -> bool:
        """Whether a feature is relevant to some label beyond the picks."""
        return self._least_p(feature, picks, self._limit) <= self._limit

    def _least_p(self, feature: int, picks: list[int], limit: float) -> float:
        """The least p-value of the columns of a feature beyond the picks.

        Beyond the limit only that of F, which is no larger, and found at once.
        """
        residuals, new = self._residuals, self._pairs.parts(feature)
        left, rank = residuals.left, np.full(len(new), float(residuals.n_basis))
        if self._partly is not None:
            new, left, rank = self._partly.parts(feature, picks)
        free = np.maximum(self._n_known - 2 - rank, 1)[:, np.newaxis]
        rest = left[:, np.newaxis] - new
        rest = np.maximum(rest, 1e-12 * residuals.whole[:, np.newaxis])
        p = fdtrc(1, free, new / rest * free)
        if p.min() > limit:
            return float(p.min())
        columns = self._X.columns_of(feature)
        for place, column in enumerate(range(columns.start, columns.stop)):
            if place == 0 and self._X.is_score[feature]:
                p[:, 0] = self._skewed(p[:, 0], column)
            else:
                p[:, place] = np.maximum(p[:, place], self._exact(column))
        return float(p.min())

    def _benjamini_hochberg(self, n_tests: float) -> float:
        """The p-value of a pair up to which features keep the false discovery rate.

        The least p-value of a feature, times the number of its tests, is its own.
        """
        rate, n_features = ERROR_RATES["fdr"], self._X.n_blocks
        limit = rate * n_features / n_tests
        p = np.array([self._least_p(f, [], limit) for f in self._pairs.relevant])
        ascending = np.sort(p) * n_tests / n_features
        rank = np.arange(1, p.size + 1)
        (passed,) = np.nonzero(ascending <= rank * rate / n_features)
        n_passed = int(passed[-1]) + 1 if passed.size else 0
        return rate * max(n_passed, 1) / n_tests

    def _exact(self, column: int) -> FloatArray:
        """Fisher's exact test, twice the lesser tail, of the table itself half."""
        targets, joint = self._targets, self._pairs.joint_of(column)[np.newaxis]
        total = self._X.totals[[column]]
        n_x = targets.known(joint, total)[0, targets.label]
        table = self._n_known, n_x, targets.n_y
        both = targets.sums(joint, total)[0]
        here = 0.5 * stats.hypergeom.pmf(both, *table)
        above = stats.hypergeom.sf(both, *table) + here
        below = stats.hypergeom.cdf(both, *table) - here
        return np.minimum(1.0, 2.0 * np.minimum(above, below))

    def _skewed(self, p: FloatArray, column: int) -> FloatArray:
        """p-values of a symmetric test with the tail of sums of scores, the heavier."""
        m, N = self._targets.n_y.astype(np.float64), self._n_known.astype(np.float64)
        tilt = (N - 2 * m) * np.sqrt(N - 1)
        tilt /= np.maximum(N - 2, 1) * np.sqrt(m * (N - m))
        skew = np.abs(self._skewness(column) * tilt)
        return np.minimum(1.0, 2.0 * stats.pearson3.sf(stats.norm.isf(p / 2.0), skew))

    def _skewness(self, column: int) -> FloatArray:
        """(T,) of a column, or one for all where all labels are known."""
        moments: Any = self._moments[:, column]
        if self._partly is not None:
            moments = self._partly.moments(column)
        first, second, third = moments
        variance = np.maximum(second - first**2, 0.0)
        cubed = third - 3 * first * variance - first**3
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(variance > 0, cubed / variance**1.5, 0.0)

    @cached_property
    def _moments(self) -> FloatArray:
        """(3, P) means of each column, its squares and its cubes."""
        n, powers = self._residuals.n_samples, self._pairs.engine.powers
        return np.stack([powers(k) / n for k in (1, 2, 3)])


class _PartlyKnown:
    """What features explain beyond the picks, over the samples where a label is known.

    Gram-Schmidt for each target over its own samples: x has the part
    a_k = (x'g - sum_j<k a_j R_kj) / R_kk along the k-th column g, and |x - sum a_k| is
    its length R.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs, self._targets = pairs, pairs.residuals.targets
        self._X = pairs.residuals.X
        targets, residuals = self._targets, pairs.residuals
        self._n_known = targets.n_known[targets.label]
        self._n_picks = 0
        self._chosen: list[int] = []  # columns of the picks, in their order
        # Of each: (T, k) R_kj, (T,) R_kk, and (T,) the part of the target along it.
        self._basis: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        self._left = residuals.whole * (self._n_known / residuals.n_samples)

    def parts(
        self, feature: int, picks: list[int]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
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
        squares, cubes = (self._products(column, [column], k)[:, 0] for k in (1, 2))
        return [part / self._n_known for part in (self._sums(column), squares, cubes)]

    def _extend(self, feature: int) -> FloatArray:
        """Take a feature into the basis: (T, width) what its columns explain."""
        targets, parts = self._targets, []
        for column in range(*self._X.start[feature : feature + 2]):
            self._chosen.append(column)
            mean = self._sums(column) / self._n_known
            sums = np.column_stack([self._sums(g) for g in self._chosen])
            x = self._products(column, self._chosen)
            rounding = 1e-12 * x[:, -1]
            x -= sums * mean[:, np.newaxis]
            tolerance = np.maximum(TOLERANCE * x[:, -1], rounding)
            joint, total = self._pairs.joint_of(column), self._X.totals[[column]]
            y = targets.sums(joint[np.newaxis], total)[0] - mean * targets.n_y
            for k, (root, length, along) in enumerate(self._basis):
                x[:, k] = (x[:, k] - (x[:, :k] * root).sum(axis=1)) / length
                x[:, -1] -= x[:, k] ** 2
                y = y - x[:, k] * along
            # What the others explain adds nothing, as if it were infinitely far.
            length = np.sqrt(np.where(x[:, -1] > tolerance, x[:, -1], np.inf))
            self._basis.append((x[:, :-1], length, y / length))
            parts.append((y / length) ** 2)
        return np.column_stack(parts)

    def _sums(self, column: int) -> IntArray:
        """(T,) the sum of a column over the samples where the label is known."""
        joint, total = self._pairs.joint_of(column), self._X.totals[[column]]
        return self._targets.known(joint[np.newaxis], total)[0, self._targets.label]

    def _products(self, column: int, others: list[int], power: int = 1) -> FloatArray:
        """(T, others) sums of products over the samples where the label is known."""
        targets, products = self._targets, self._pairs.engine.products
        *hidden, every = products(column, others, targets.marks, power)
        out = np.tile(every, (targets.n_known.size, 1))
        out[targets.partly] -= np.array(hidden)
        return out[targets.label].astype(np.float64)
