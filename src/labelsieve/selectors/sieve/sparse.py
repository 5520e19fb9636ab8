"""Listed pairs of a feature and a label on sparse data, by lazy greedy.

Only pairs above their bias are listed: the others can gain nothing, now or later. The
sum of the minima of a feature can only fall, so its last known value is an upper bound
of what the feature gains; features are brought up to date from the largest bound on,
until the best is certain (lazy greedy: Minoux 1978).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._utils.machine import cached_property, run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.engines import SparseEngine
from labelsieve.selectors._base import TIE
from labelsieve.selectors.sieve.residuals import BIAS, Residuals, TargetColumns

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.kernels import Listed, Pairs, Residual

# Of so many features with the largest bounds the explained shares are found first.
PROJECTED_FIRST = 64
# So many of these are looked at given the picks first, then twice as many at a time.
CONDITIONED_FIRST = 4
# Fewer features are not worth threads.
FEATURES_PER_TASK = 64
# More than all that is lost by rounding in a sum over labels.
ROUNDED_UP = 1.0 + 1e-9
# Pairs are listed in parts of so many.
PAIRS_AT_ONCE = 1 << 20


class ListedPairs:
    """What `AllPairs` answers, of features and labels that are lists of samples."""

    scale: FloatArray

    def __init__(self, engine: SparseEngine) -> None:
        from labelsieve.selectors.sieve import kernels  # which imports numba

        self._kernels = kernels
        self.engine, X, Y = engine, engine.X, engine.Y
        self.residuals = Residuals(X, TargetColumns(Y), self._within)
        self._is_binary = X.totals.size == X.n_blocks and Y.totals.size == Y.n_blocks
        self._pairs = self._list_pairs()
        self._marginal = self._pairs.minimum.copy()
        self._feature = np.repeat(np.arange(X.n_blocks), np.diff(self._pairs.start))
        self._seen = np.zeros(X.n_blocks, dtype=np.int64)
        self._bound: FloatArray = np.empty(0)
        self._by_shares = np.full(X.n_blocks, np.inf)
        self._root = np.zeros(X.n_blocks)
        self._levels = np.empty((0, X.n_samples), dtype=np.uint16)
        self._n_s = np.empty(0, dtype=np.int64)
        self._n_ys = np.empty((0, Y.totals.size), dtype=np.int64)
        self._pick_start = np.zeros(1, dtype=np.int64)
        self._own = np.empty((0, Y.n_blocks))

    def _within(self, columns: IntArray) -> FloatArray:
        """Sums of products within blocks: indicators of a block exclude each other."""
        width = columns.shape[1]
        totals = self.engine.X.totals[columns]
        return np.eye(width) * totals[:, np.newaxis].astype(np.float64)

    def _list_pairs(self) -> Pairs:
        """The pairs above their bias, with all that is kept for each."""
        X, Y = self.engine.X, self.engine.Y
        tasks = slices_of(X.n_blocks, max(PAIRS_AT_ONCE // Y.n_blocks, 1))
        parts = run_in_threads(self._list_some, tasks, self.engine.n_jobs)
        label, value, joint, C, n_pairs = map(np.concatenate, zip(*parts, strict=True))
        start, width = np.append(0, np.cumsum(n_pairs)), np.repeat(X.width, n_pairs)
        n_counts = width * Y.width[label]
        n_products = width * np.diff(self.residuals.targets.start)[label]
        n_at, c_at = np.cumsum(n_counts) - n_counts, np.cumsum(n_products) - n_products
        live, end = np.arange(label.size), start[1:].copy()
        projected, explained = np.zeros_like(live), np.empty(label.size)
        listed = start, label, value, live, end, n_at, joint, c_at, C
        return self._kernels.Pairs(*listed, projected, explained)

    def _list_some(self, features: slice) -> Listed:
        """The pairs of some features."""
        engine, X, Y, kernels = self.engine, self.engine.X, self.engine.Y, self._kernels
        frequent, n_unmet = self._unmet
        n_unmet = n_unmet[features]
        n_columns = int(X.start[features.stop] - X.start[features.start])
        n_targets = int(self.residuals.targets.start[-1])
        n_pairs, n_counts = n_unmet.size * Y.n_blocks, n_columns * Y.totals.size
        label, joint = (np.empty(n, dtype=np.uint32) for n in (n_pairs, n_counts))
        value, C = np.empty(n_pairs), np.empty(n_columns * n_targets)
        n_found = np.empty(n_unmet.size, dtype=np.int64)
        room = kernels.Listed(label, value, joint, C, n_found)
        lists = engine.features, engine.targets, engine.T
        ends = kernels.list_pairs(features.start, *lists, frequent, n_unmet, room)
        ends = ends[0], ends[0], ends[1], ends[2], n_found.size
        whole = zip(room, ends, strict=True)
        return kernels.Listed(*(part[:end].copy() for part, end in whole))

    @cached_property
    def _unmet(self) -> tuple[IntArray, IntArray]:
        """Labels by frequency, and with how many a pair that never meets may count.

        Then N I = T(N - a - b) - T(N - a) - T(N - b) + T(N) for a and b samples beside
        the reference levels: at most a b/(N - a - b), to be above the bias.
        """
        X, Y, n_known = self.engine.X, self.engine.Y, self.residuals.targets.n_known
        levels = Y.totals.copy()
        levels[Y.start[1:][Y.unknown] - 1] = 0  # marks of unknown cells are none
        b = np.add.reduceat(levels, Y.start[:-1])
        a = np.add.reduceat(X.totals, X.start[:-1])
        frequent = np.argsort(-b, kind="stable")
        least = (n_known.min() - a) * BIAS / (a + BIAS)
        return frequent, np.searchsorted(-b[frequent], -least)

    @property
    def relevant(self) -> IntArray:
        """The features with some marginal relevance beyond its bias."""
        return np.flatnonzero(np.diff(self._pairs.start))

    def relevance(self, scale: FloatArray) -> FloatArray:
        """(D,) marginal relevance."""
        values = scale[self._pairs.label] * self._marginal
        return np.bincount(self._feature, values, self._seen.size).astype(np.float64)

    def evidence(self, critical: FloatArray) -> FloatArray:
        """(D,) the largest marginal value of each feature, in critical values."""
        label, residuals = self._pairs.label, self.residuals
        freedom = self.engine.X.width[self._feature] * residuals.freedom[label]
        found = np.zeros(self._seen.size)
        some = self.relevant
        values = self._marginal / (residuals.level[label] * critical[freedom])
        found[some] = np.maximum.reduceat(values, self._pairs.start[some])
        return found

    def evidence_beyond_picks(self, critical: FloatArray) -> FloatArray:
        """(D,) the same of numbers beyond the picks: there are none."""
        return np.zeros(self._seen.size)

    def gains(self) -> FloatArray:
        """(D,) upper bounds of the sums of the least view of each pair."""
        if not self._bound.size:
            self._bound = self.relevance(self.scale)
            targets = self.residuals.targets
            weight = self.scale * self.residuals.half
            self._weight = targets.weight * weight[targets.label]
        return np.minimum(self._bound, self._by_shares)

    def all_gains(self) -> FloatArray:
        """(D,) the sums themselves, after a look at all features."""
        J = self.gains()
        every = np.arange(J.size)
        self._update(every, J)
        self._condition(every, J, np.zeros(J.size))
        return J

    def final_gains(self) -> FloatArray:
        """(D,) the same without the views given single picks, up to date."""
        J = np.zeros(self._seen.size)
        self._update(self.relevant, J, is_final=True)
        return J

    def bring_up_to_date(
        self, J: FloatArray, added: FloatArray, closed: BoolArray
    ) -> None:
        """Replace upper bounds in J until the best open feature is certain.

        `added` is part of J and no bound.
        """
        rest = _possible(J, np.flatnonzero(~closed), 0.0)
        some, rest = _largest(J, rest, PROJECTED_FIRST)
        best = self._find_best(some, 0.0, J, added)
        self._find_best(_possible(J, rest, best), best, J, added)

    def _find_best(
        self, features: IntArray, best: float, J: FloatArray, added: FloatArray
    ) -> float:
        """The largest J of some features, if it is larger than the best so far."""
        self._update(features, J)
        J[features] += added[features]
        n_looks = CONDITIONED_FIRST
        while (features := _possible(J, features, best)).size:
            now, features = _largest(J, features, n_looks)
            J[now] -= added[now]
            # A little less, so that rounding cannot hide what equals the best.
            self._condition(now, J, _tied(best) - TIE * max(1.0, best) - added)
            J[now] += added[now]
            best = max(best, float(J[now].max()))
            n_looks *= 2
        return best

    def _update(
        self, features: IntArray, J: FloatArray, is_final: bool = False
    ) -> None:
        """J of some features with the explained shares as they are now."""
        x_start, pairs, rest = self.engine.X.start, self._pairs, self._rest()
        listed, shares = (pairs.minimum, pairs.live, pairs.end), np.empty(J.size)
        if is_final:
            listed = self._marginal, np.arange(pairs.label.size), pairs.start[1:]

        def update(some: IntArray) -> None:
            self._kernels.update_gains(some, x_start, pairs, rest, *listed, J, shares)

        self._visit(features, update)
        self._by_shares[features] = J[features] * ROUNDED_UP
        root = np.sqrt(np.maximum(shares[features], 0.0))
        self._root[features] = root * ROUNDED_UP

    def _condition(self, features: IntArray, J: FloatArray, enough: FloatArray) -> None:
        engine, pairs, kernels = self.engine, self._pairs, self._kernels
        given = self._levels, self._pick_start, self._n_s, self._n_ys, self._own
        picks = kernels.Picks(*given)
        lower = kernels.condition_binary if self._is_binary else kernels.condition

        def condition(some: IntArray) -> None:
            lower(
                *(some, engine.features, engine.targets, pairs, picks, self._seen),
                *(self.scale, enough, engine.T, J, self._bound),
            )

        self._visit(features, condition)

    def _visit(self, features: IntArray, visit: Callable[[IntArray], None]) -> None:
        """Call ``visit(features)`` for some at a time."""
        tasks = slices_of(features.size, FEATURES_PER_TASK)
        run_in_threads(lambda some: visit(features[some]), tasks, self.engine.n_jobs)

    def _rest(self) -> Residual:
        of, targets = self.residuals, self.residuals.targets
        V, basis = (of.V, of.v_start, of.tolerance), (of.n_basis, of.room_for_basis)
        labels = of.half, of.level, of.freedom, self.scale
        along = of.room_for_along, targets.start, targets.weight
        parts: Any = (*V, *basis, *along, *labels)
        return self._kernels.Residual(*parts)

    def parts(self, feature: int) -> FloatArray:
        """(T, width) sums of squares explained by each column beyond those before."""
        columns, n = self.engine.X.columns_of(feature), self.engine.n_samples
        joint = np.stack([self.joint_of(g) for g in range(columns.start, columns.stop)])
        C = self.residuals.targets.centred(joint, self.engine.X.totals[columns], n)
        C -= self.residuals.basis[:, columns].T @ self.residuals.along
        return self.residuals.parts(feature, C)

    def joint_of(self, column: int) -> IntArray:
        """(Q,) the sums of a column over the samples of each column of Y."""
        return self.engine.joint_of(column)

    def choose(self, feature: int) -> None:
        """Remember a pick, and project it out."""
        engine, residuals = self.engine, self.residuals
        columns = range(*engine.X.start[feature : feature + 2])
        totals = engine.X.totals[columns.start : columns.stop]
        joint = np.stack([engine.joint_of(g) for g in columns])
        gram = np.stack([engine.gram(g) for g in columns])
        level = np.zeros((1, engine.n_samples), dtype=np.uint16)
        for place, g in enumerate(columns, 1):
            level[0, engine.samples_of(g)] = place
        self._levels = np.concatenate([self._levels, level])
        self._n_s = np.append(self._n_s, totals)
        self._n_ys = np.concatenate([self._n_ys, joint])
        self._pick_start = np.append(self._pick_start, self._n_s.size)
        self._own = np.concatenate([self._own, self._margins(joint, totals)])
        lines = residuals.targets.centred(joint, totals, engine.n_samples)
        covariances = residuals.covariances(feature, gram)
        for g, covariance, line in zip(columns, covariances, lines, strict=True):
            if residuals.project_out(g, covariance, line):
                self._loosen()

    def _loosen(self) -> None:
        """Raise the bounds by shares to what they are beyond one more basis vector.

        C becomes C - a b and V becomes V - a a'. With s = a' (V - a a')^-1 a the root R
        of the weighted sum of shares is then at most R sqrt(1 + s) + sqrt(s) |b|
        (Cauchy and Schwarz).
        """
        residuals = self.residuals
        s, length = residuals.squared_parts(), residuals.along[-1] ** 2 @ self._weight
        known = np.isfinite(s)
        s = np.where(known, s, 0.0)
        root = self._root * np.sqrt(1.0 + s) + np.sqrt(s * length)
        more = np.where(known, root**2 - self._root**2, np.inf)
        self._by_shares = (self._by_shares + more) * ROUNDED_UP
        self._root = root * ROUNDED_UP

    def _margins(self, joint: IntArray, totals: IntArray) -> FloatArray:
        """(1, L) sums over both strata of T(levels of l), for two levels everywhere."""
        T, n_l, n = self.engine.T, self.engine.Y.totals, self.engine.n_samples
        if not self._is_binary:
            return np.zeros((1, self.engine.Y.n_blocks))
        rest = n_l - joint
        strata = T[joint] + T[totals - joint] + T[rest] + T[n - totals - rest]
        return np.asarray(strata)


def _possible(J: FloatArray, features: IntArray, best: float) -> IntArray:
    """Those of some features that gain something, and might be the best or tie."""
    return features[(J[features] >= _tied(best)) & (J[features] > 0.0)]


def _tied(best: float) -> float:
    """What is no less than this ties with the best."""
    return best - TIE * max(1.0, best)


def _largest(
    J: FloatArray, features: IntArray, n_largest: int
) -> tuple[IntArray, IntArray]:
    """The features with the largest J, so many of them, and the others."""
    if features.size <= n_largest:
        return features, features[:0]
    is_large = np.zeros(features.size, dtype=bool)
    is_large[np.argpartition(-J[features], n_largest)[:n_largest]] = True
    return features[is_large], features[~is_large]
