"""Listed pairs of a feature and a label on sparse data, by lazy greedy.

Only pairs above their bias are listed: the others can gain nothing, now or later. The
sum of the minima of a feature can only fall, so its last known value is an upper bound
of what the feature gains; features are brought up to date from the largest bound on,
until the best is certain (lazy greedy: Minoux 1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._utils.machine import cached_property, run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.engines import SparseEngine
from labelsieve.selectors._base import TIE
from labelsieve.selectors.sieve.residuals import BIAS, Residuals, put

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.kernels import Listed, Pairs

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

    def __init__(self, engine: SparseEngine) -> None:
        from labelsieve.selectors.sieve import kernels  # which imports numba

        self._kernels = kernels
        self.engine, X, Y = engine, engine.X, engine.Y
        self.residuals = Residuals(engine)
        is_binary = X.totals.size == X.n_blocks and Y.totals.size == Y.n_blocks
        self._general = None if is_binary else True
        self._pairs = self._list_pairs()
        self._marginal = self._pairs.minimum.copy()
        self._by_shares = np.full(X.n_blocks, np.inf)
        self._root = np.zeros(X.n_blocks)
        levels, start = np.empty((0, X.n_samples), np.uint16), np.zeros(1, np.int64)
        self._own = np.empty((0, Y.totals.size))
        self._picks = kernels.Picks(
            levels, start, start[:0], self._own.astype(np.int64)
        )

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
        seen, bound = np.zeros(X.n_blocks, dtype=np.int64), np.empty(X.n_blocks)
        return self._kernels.Pairs(*listed, projected, explained, seen, bound)

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
        given = engine.features, engine.targets, engine.T, frequent, n_unmet
        ends = kernels.list_pairs(features.start, *given, self._general, room)
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

    def marginal(self) -> tuple[IntArray, Any, FloatArray]:
        """Features, labels and marginal values of the pairs above their bias."""
        n_pairs = np.diff(self._pairs.start)
        feature = np.repeat(np.arange(n_pairs.size), n_pairs)
        return feature, self._pairs.label, self._marginal

    def evidence_beyond_picks(self, critical: FloatArray) -> FloatArray:
        """(D,) the largest likelihood ratio of numbers: there are none."""
        return np.zeros(self._root.size)

    def weigh(self, scale: FloatArray, relevance: FloatArray) -> None:
        """Let each label count so much, so that no gain is above the relevance."""
        self._scale, self._pairs.bound[:] = scale, relevance

    def gains(self) -> FloatArray:
        """(D,) upper bounds of the sums of the least view of each pair."""
        return np.minimum(self._pairs.bound, self._by_shares)

    def all_gains(self) -> FloatArray:
        """(D,) the sums themselves, after a look at all features."""
        J = self.gains()
        every = np.arange(J.size)
        self._update(every, J)
        self._condition(every, J, np.zeros(J.size))
        return J

    def final_gains(self) -> FloatArray:
        """(D,) the same without the views given single picks, up to date."""
        pairs = self._pairs
        live, end = np.arange(pairs.label.size), pairs.start[1:]
        pairs = pairs._replace(minimum=self._marginal, live=live, end=end)
        J = np.zeros(self._root.size)
        self._update(np.flatnonzero(np.diff(pairs.start)), J, pairs)
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
            self._condition(now, J, best - 2.0 * TIE * max(1.0, best) - added)
            J[now] += added[now]
            best = max(best, float(J[now].max()))
            n_looks *= 2
        return best

    def _update(
        self, features: IntArray, J: FloatArray, pairs: Pairs | None = None
    ) -> None:
        """J of some features with the explained shares as they are now."""
        of, shares = self.residuals, np.empty(J.size)
        rest = self._kernels.Residual(
            *(of.V, of.v_start, of.tolerance, of.n_basis, of.room_for_basis),
            *(of.room_for_along, of.targets.start, of.half, of.bias, self._scale),
        )
        given = self.engine.X.start, pairs or self._pairs, rest, J, shares
        self._visit(self._kernels.update_gains, features, *given)
        self._by_shares[features] = J[features] * ROUNDED_UP
        root = np.sqrt(np.maximum(shares[features], 0.0))
        self._root[features] = root * ROUNDED_UP

    def _condition(self, features: IntArray, J: FloatArray, enough: FloatArray) -> None:
        """Lower J of some features to what they gain given the picks."""
        engine = self.engine
        given = engine.features, engine.targets, self._pairs, self._picks, self._own
        how = self._general, self._scale, enough, engine.T, J
        self._visit(self._kernels.condition, features, *given, *how)

    def _visit(self, kernel: Any, features: IntArray, *others: Any) -> None:
        """Call ``kernel(features, *others)`` for some of the features at a time."""
        tasks, n_jobs = slices_of(features.size, FEATURES_PER_TASK), self.engine.n_jobs
        run_in_threads(lambda some: kernel(features[some], *others), tasks, n_jobs)

    def joint_of(self, columns: Sequence[int]) -> IntArray:
        """(m, Q) the sums of columns over the samples of each column of Y."""
        return np.stack([self.engine.joint_of(g) for g in columns])

    def choose(self, feature: int) -> None:
        """Remember a pick, and project it out."""
        engine, X, Y = self.engine, self.engine.X, self.engine.Y
        columns, (levels, start, n_s, n_ys) = X.columns_of(feature), self._picks
        joint, totals = self.joint_of(columns), X.totals[columns]
        level = np.zeros(engine.n_samples, dtype=np.uint16)
        for place, g in enumerate(columns, 1):
            level[engine.samples_of(g)] = place
        # Of each level, the reference level first.
        n = np.append(engine.n_samples - totals.sum(), totals)
        n_y = np.vstack([Y.totals - joint.sum(axis=0), joint])
        T, k = engine.T, start.size - 1
        own = (T[n_y] + T[n[:, np.newaxis] - n_y]).sum(axis=0)
        self._own = put(self._own, k, own)
        self._picks = self._kernels.Picks(
            put(levels, k, level),
            np.append(start, n_s.size + n.size),
            np.append(n_s, n),
            put(n_ys, n_s.size, n_y),
        )
        C = self.residuals.targets.centred(joint, totals)
        covariances = self.residuals.covariances(feature)
        for basis, along in self.residuals.project_out(feature, covariances, C):
            self._loosen(basis, along)

    def _loosen(self, basis: FloatArray, along: FloatArray) -> None:
        """Raise the bounds by shares to what they are beyond one more basis vector.

        C becomes C - a b and V becomes V - a a'. With s = a' (V - a a')^-1 a the root R
        of the weighted sum of shares is then at most R sqrt(1 + s) + sqrt(s) |b|
        (Cauchy and Schwarz).
        """
        residuals, targets = self.residuals, self.residuals.targets
        length = along**2 @ (residuals.half * self._scale[targets.label])
        s = residuals.squared_parts(basis)
        known = np.isfinite(s)
        s = np.where(known, s, 0.0)
        root = self._root * np.sqrt(1.0 + s) + np.sqrt(s * length)
        more = np.where(known, root**2 - self._root**2, np.inf)
        self._by_shares = (self._by_shares + more) * ROUNDED_UP
        self._root = root * ROUNDED_UP


def _possible(J: FloatArray, features: IntArray, best: float) -> IntArray:
    """Those of some features that gain something, and might be the best or tie."""
    tied = best - TIE * max(1.0, best)
    return features[(J[features] >= tied) & (J[features] > 0.0)]


def _largest(
    J: FloatArray, features: IntArray, n_largest: int
) -> tuple[IntArray, IntArray]:
    """The features with the largest J, so many of them, and the others."""
    if features.size <= n_largest:
        return features, features[:0]
    is_large = np.zeros(features.size, dtype=bool)
    is_large[np.argpartition(-J[features], n_largest)[:n_largest]] = True
    return features[is_large], features[~is_large]
