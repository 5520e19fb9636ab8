"""Significance: tests of columns, and of squares of numbers, against the targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import stats
from scipy.special import fdtrc

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.engines import is_whole
from labelsieve.selectors.sieve.residuals import (
    TOLERANCE,
    Residuals,
    eliminate,
    skewness,
)
from labelsieve.selectors.sieve.search import Pairs

# The family-wise error rate, and the false discovery rate.
ERROR_RATES = {"fwer": 0.05, "fdr": 0.1}
# The share of the errors that squares of scores may make.
FOR_SQUARES = 0.1
# How likely any of many numbers with a monotone effect gets a square, about.
FOR_A_SQUARE = 0.005


class Significance:
    """Tests of features, one by one, all pairs of columns and targets considered.

    A column is tested by F, beyond the picks, with the skewness of a sum of scores over
    a label's samples. An indicator must also pass Fisher's exact test: F trusts too
    much in a few samples where features and labels are rare.
    """

    def __init__(
        self, pairs: Pairs, error_rate: str, alpha: float | None, groups: Any
    ) -> None:
        self._pairs, self._residuals = pairs, pairs.residuals
        self._X, self._targets = pairs.residuals.X, pairs.residuals.targets
        self._n_known = self._targets.n_known[self._targets.label]
        self._is_number = self._targets.is_number[self._targets.label]
        self._partly = _PartlyKnown(pairs) if self._targets.marks.size else None
        self._groups = None if groups is None else _Groups(pairs, groups)
        n_targets, n_numbers = self._targets.label.size, self._X.is_score.sum()
        n_tests = float(self._X.start[-1]) * n_targets
        # A square was looked for in every number: a tenth of the errors is for them.
        if n_numbers:
            n_tests /= 1.0 - FOR_SQUARES
        self._per_square = n_numbers * n_targets / FOR_SQUARES / n_tests
        self._alpha = ERROR_RATES[error_rate] if alpha is None else alpha
        self._limit = self._alpha / n_tests
        if error_rate == "fdr":
            self._limit = self._benjamini_hochberg(n_tests)

    def passes(self, feature: int, picks: list[int]) -> bool:
        """Whether a feature is relevant to some label beyond the picks."""
        return self._least_p(feature, picks, self._limit) <= self._limit

    def _least_p(self, feature: int, picks: list[int], limit: float) -> float:
        """The least p-value of a feature beyond the picks; above the limit, of F."""
        residuals, columns = self._residuals, self._X.columns_of(feature)
        new = residuals.parts(feature, self._pairs.joint_of(columns))
        left, rank = residuals.left, np.full(len(new), float(residuals.n_basis))
        if self._partly is not None:
            new, left, rank = self._partly.parts(feature, picks)
        effect: Any = np.ones(new.shape)
        if self._groups is not None:
            effect = self._groups.design_effects(feature)
        n_known = self._n_known[:, np.newaxis] / effect
        free = np.maximum(n_known - 2 - rank[:, np.newaxis], 1)
        rest = left[:, np.newaxis] - new
        rest = np.maximum(rest, 1e-12 * residuals.whole[:, np.newaxis])
        p = fdtrc(1, free, new / rest * free)
        n_scores, n_tests = self._X.n_scores[feature], np.ones(p.shape[1])
        members = self._X.members
        n_tests[1 if members is None else members[feature] : n_scores] = (
            self._per_square
        )
        if (p * n_tests).min() > limit:
            return float((p * n_tests).min())
        for place, column in enumerate(columns):
            own, crowding = p[:, place].copy(), effect[:, place]
            if place < n_scores or self._is_number.any():
                p[:, place] = self._skewed(own, column, crowding)
            if place >= n_scores:
                # The exact test takes long, and no p-value falls by it.
                p[:, place] = np.where(self._is_number, p[:, place], own)
                close = ~self._is_number & (own <= limit)
                exact = self._exact(column, close) ** (1.0 / crowding[close])
                p[close, place] = np.maximum(own[close], exact)
        return float((p * n_tests).min())

    def _benjamini_hochberg(self, n_tests: float) -> float:
        """The p-value of a pair up to which features keep the false discovery rate."""
        rate, n_features = self._alpha, self._X.n_blocks
        limit = rate * n_features / n_tests
        relevant = np.unique(self._pairs.marginal()[0])
        p = np.array([self._least_p(f, [], limit) for f in relevant])
        ascending = np.sort(p) * n_tests / n_features
        rank = np.arange(1, p.size + 1)
        (passed,) = np.nonzero(ascending <= rank * rate / n_features)
        n_passed = int(passed[-1]) + 1 if passed.size else 0
        return rate * max(n_passed, 1) / n_tests

    def _exact(self, column: int, which: BoolArray) -> FloatArray:
        """Fisher's exact test, twice the lesser tail, of the table itself half."""
        n_x, both = (sums[which] for sums in _sums(self._pairs, column))
        table: Any = self._n_known[which], n_x, self._targets.n_y[which]
        if not is_whole(self._X.weight):
            table, both = tuple(map(np.rint, table)), np.rint(both)
        here = 0.5 * stats.hypergeom.pmf(both, *table)
        above = stats.hypergeom.sf(both, *table) + here
        below = stats.hypergeom.cdf(both, *table) - here
        return np.minimum(1.0, 2.0 * np.minimum(above, below))

    def _skewed(self, p: FloatArray, column: int, effect: FloatArray) -> FloatArray:
        """p-values of a symmetric test with the tail of sums of scores, the heavier."""
        moments: Any = self._moments[:, column]
        if self._partly is not None:
            moments = self._partly.moments(column)
        n_known = self._n_known / effect
        return skewed_tail(p, skewness(moments) * self._targets.skewness, n_known)

    @cached_property
    def _moments(self) -> FloatArray:
        """(3, P) means of each column, its squares and its cubes."""
        n, powers = self._residuals.n_samples, self._pairs.engine.powers
        return np.stack([powers(k) / n for k in (1, 2, 3)])


def _sums(pairs: Pairs, column: int) -> Iterator[IntArray]:
    """(T,) the sum of a column where a label is known, and where it has the target."""
    joint, total = pairs.joint_of([column]), pairs.residuals.X.totals[[column]]
    return (sums[0] for sums in pairs.residuals.targets.both(joint, total))


def skewed_tail(p: FloatArray, skewnesses: FloatArray, n: FloatArray) -> FloatArray:
    """p-values of a symmetric test with the tail of a sum of products over n samples.

    skewnesses : those of both factors, multiplied
    """
    # The skewness of the sum over all permutations of one factor
    skew = skewnesses * np.sqrt(np.maximum(n - 1, 1)) / np.maximum(n - 2, 1)
    tail = stats.pearson3.sf(stats.norm.isf(p / 2.0), np.abs(skew))
    return np.minimum(1.0, 2.0 * tail)


class _Groups:
    """Samples in groups of n_g: N count as N / (1 + rho_x rho_y (sum n_g^2 / N - 1)).

    The design effect of Moulton (1986), for the intraclass correlations rho of what the
    picks leave of a column and of a target.
    """

    def __init__(self, pairs: Pairs, groups: IntArray) -> None:
        self._residuals, self._X = pairs.residuals, pairs.residuals.X
        targets, n = pairs.residuals.targets, groups.size
        # Of some groups no sample may be left.
        groups = np.unique(groups, return_inverse=True)[1]
        weight = pairs.engine.X.weight
        weight = np.ones(n, dtype=np.int64) if weight is None else weight
        self._members = sp.csr_matrix((weight, (groups, np.arange(n))))
        self._sizes = np.bincount(groups, weight).astype(weight.dtype)
        joint = self._members @ pairs.engine.Y.values.astype(np.int64)
        joint = joint.toarray() if sp.issparse(joint) else np.asarray(joint)
        self._n_known = targets.n_known[targets.label]
        self._known, sums = targets.both(joint, self._sizes)
        self._y = sums - self._known * (targets.n_y / self._n_known)
        self._basis = np.empty((0, self._sizes.size))  # sums of each vector

    def design_effects(self, feature: int) -> FloatArray:
        """(T, width) by how much too large the number of samples is."""
        residuals, n = self._residuals, self._residuals.n_samples
        for column in residuals.columns[len(self._basis) :]:
            sums, squares = self._left(column)
            self._basis = np.vstack([self._basis, sums / np.sqrt(squares)])
        share = self._known / self._sizes[:, np.newaxis]
        y = self._y - (self._basis.T @ residuals.along) * share
        of_y = _correlation(y, residuals.left * self._n_known / n, self._known)
        crowding = (self._known**2).sum(axis=0) / self._n_known - 1.0
        left = [self._left(column) for column in self._X.columns_of(feature)]
        x, of_columns = map(np.column_stack, zip(*left, strict=True))
        of_x = _correlation(x, of_columns[0], self._sizes[:, np.newaxis])
        return 1.0 + np.outer(of_y * crowding, of_x)

    def _left(self, column: int) -> tuple[FloatArray, float]:
        """(G,) sums of what the basis leaves of a column, and its squares in all."""
        values, residuals = self._X.values[:, [column]], self._residuals
        stored = self._members @ values.astype(np.int64)
        stored = np.asarray(stored.sum(axis=1)).ravel()
        mean = self._X.totals[column] / residuals.n_samples - self._X.absent[column]
        part = residuals.basis[: len(self._basis), column]
        left = max(float(residuals.at_first[column] - part @ part), 1e-12)
        return stored - self._sizes * mean - part @ self._basis, left


def _correlation(sums: FloatArray, squares: FloatArray, sizes: IntArray) -> FloatArray:
    """Correlations within groups, of columns with so many squares in all."""
    pairs = (sizes * (sizes - 1)).sum(axis=0)
    mean = squares / sizes.sum(axis=0)
    between = (sums**2).sum(axis=0) - squares
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.nan_to_num(between / (mean * pairs)), 0.0, 1.0)


class _PartlyKnown:
    """Gram-Schmidt for each target, over the samples where it is known.

    x has the part a_k = (x'g - sum_j<k a_j R_kj) / R_kk along the k-th column g.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._pairs, residuals = pairs, pairs.residuals
        self._X, self._targets = residuals.X, residuals.targets
        self._n_known = self._targets.n_known[self._targets.label]
        # Columns of the picks, and their sums.
        self._n_picks, self._chosen, self._sums_of = 0, list[int](), list[IntArray]()
        # Of each: (T, k) R_kj, (T,) R_kk, and (T,) the part of the target along it.
        self._basis: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        self._left = residuals.whole * (self._n_known / residuals.n_samples)

    def parts(
        self, feature: int, picks: list[int]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sums of squares explained beyond the picks, left by them, and their rank."""
        for pick in picks[self._n_picks :]:
            explained = self._extend(pick)
            self._left = np.maximum(self._left - explained.sum(axis=1), 0.0)
            self._n_picks += 1
        n_chosen, rank = len(self._chosen), np.zeros(self._left.size)
        rank += sum(np.isfinite(length) for _, length, _ in self._basis)
        explained = self._extend(feature)
        for part in (self._chosen, self._sums_of, self._basis):
            del part[n_chosen:]
        return explained, self._left, rank

    def moments(self, column: int) -> list[FloatArray]:
        """(T,) means of a column, its squares and its cubes."""
        squares, cubes = (self._products(column, [column], k)[:, 0] for k in (1, 2))
        sums, _ = _sums(self._pairs, column)
        return [part / self._n_known for part in (sums, squares, cubes)]

    def _extend(self, feature: int) -> FloatArray:
        """Take a feature into the basis: (T, width) what its columns explain."""
        parts = []
        for column in self._X.columns_of(feature):
            self._chosen.append(column)
            sums, y = _sums(self._pairs, column)
            self._sums_of.append(sums)
            mean = sums / self._n_known
            x = self._products(column, self._chosen)
            rounding = 1e-12 * x[:, -1]
            x -= np.column_stack(self._sums_of) * mean[:, np.newaxis]
            tolerance = np.maximum(TOLERANCE * x[:, -1], rounding)
            y = y - mean * self._targets.n_y
            for k, (root, length, along) in enumerate(self._basis):
                x[:, k] -= np.einsum("tk,tk->t", x[:, :k], root)
                x[:, k] /= length
                x[:, -1] -= x[:, k] ** 2
                y = y - x[:, k] * along
            # What the others explain adds nothing, as if it were infinitely far.
            length = np.sqrt(np.where(x[:, -1] > tolerance, x[:, -1], np.inf))
            self._basis.append((x[:, :-1], length, y / length))
            parts.append((y / length) ** 2)
        return np.column_stack(parts)

    def _products(self, column: int, others: list[int], power: int = 1) -> FloatArray:
        """(T, others) sums of products over the samples where the label is known."""
        targets, products = self._targets, self._pairs.engine.products
        *hidden, every = products(column, others, targets.marks, power)
        out = np.tile(every, (targets.n_known.size, 1))
        out[targets.partly] -= np.array(hidden)
        return out[targets.label].astype(np.float64)


def find_squares(engine: Any, n_features: int) -> BoolArray:
    """Which numbers have a square that explains more of some label than the score.

    Beyond the score, and significantly among `n_features`; the engine has all squares.
    """
    X, residuals, n = engine.X, Residuals(engine), engine.n_samples
    targets, limit = residuals.targets, FOR_A_SQUARE / (n_features * engine.Y.n_blocks)
    C, N = targets.centred(engine.joint(), X.totals), targets.n_known[targets.label]
    found, free = np.zeros(X.n_blocks, dtype=bool), np.maximum(N - 3, 1)
    for features, columns, entries in residuals.blocks:
        some = X.is_score[features]
        if not some.any():
            continue
        columns, features = columns[some, :2], features[some]
        V = residuals.V[entries[some, :2, :2]]
        (score, _), (square, _) = eliminate(C[columns], V, residuals.tolerance[columns])
        rest = np.maximum(residuals.whole - score - square, 1e-12 * residuals.whole)
        p = np.where(square > score, fdtrc(1, free, square / rest * free), 1.0)
        (some,) = np.nonzero((p <= limit).any(axis=1))
        if not some.size:
            continue
        moments = np.stack([engine.powers(k)[columns[some, 1]] / n for k in (1, 2, 3)])
        skewnesses = skewness(moments)[:, np.newaxis] * targets.skewness
        heavy = skewed_tail(p[some], skewnesses, N)
        found[features[some]] = (heavy <= limit).any(axis=1)
    return found[X.is_score]
