"""All pairs of a feature and a label in tables, brought up to date at every pick."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.engines import Counted, Tables
from labelsieve.selectors.sieve.residuals import BIAS, Residuals, Targets


class AllPairs:
    """The views of every pair: marginal, given each pick, beyond all picks.

    Values of pairs are n times nats, less the bias of their degrees of freedom; those
    that are not positive are 0 and stay so: the minimum can only fall.

    Attributes
    ----------
    residuals : the Gram-Schmidt basis of the picks
    """

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        X, Y = engine.X, engine.Y
        self._joint, targets = engine.joint(), Targets(Y)
        self.residuals = Residuals(X, targets, engine.within)
        self._C = targets.centred(self._joint, X.totals, engine.n_samples)
        self._C_marginal, self._V_marginal = self._C, self.residuals.V
        (self._leveled,) = np.nonzero(~X.is_score)
        (self._scores,) = np.nonzero(X.is_score)
        (self._indicators,) = np.nonzero(~X.is_score[X.owner])
        self._marginal = self._find_marginal()
        # min over picks s of I(f; l | s), the running minimum of CMIM (Fleuret 2004).
        self._minimum = self._marginal

    def _find_marginal(self) -> FloatArray:
        """(D, L) n I(f; l) less bias, of numbers half the explained share."""
        X, Y, residuals = self.engine.X, self.engine.Y, self.residuals
        value = np.zeros((X.n_blocks, residuals.level.size))
        if self._scores.size:
            view = residuals.half_shares(self._C, residuals.V)
            value[self._scores] = view[self._scores]
        if self._leveled.size:
            chosen, n = self._indicators, self.engine.n_samples
            self._tables = Tables(X.about(self._leveled), Y)
            self._whole = Counted(self._joint[chosen], X.totals[chosen], Y.totals, n)
            bias = residuals.freedom * X.width[self._leveled][:, np.newaxis]
            found = self._tables.information(self._whole).value
            scale = n / residuals.targets.n_known
            value[self._leveled] = scale * found - residuals.level * bias
        return np.maximum(value, 0.0)

    @property
    def relevant(self) -> IntArray:
        """The features with some marginal relevance beyond its bias."""
        return np.flatnonzero(self._marginal.any(axis=1))

    def relevance(self, scale: FloatArray, threshold: FloatArray) -> FloatArray:
        """(D,) marginal relevance, 0 where it is above the threshold for no label."""
        is_clear = (self._marginal > threshold).any(axis=1)
        return np.where(is_clear, self._marginal @ scale, 0.0)

    def gains(self, scale: FloatArray) -> FloatArray:
        """(D,) sum over labels of the least view of each pair."""
        return self._least(self._minimum) @ scale

    all_gains = gains

    def final_gains(self, scale: FloatArray) -> FloatArray:
        """The same without the views given single picks."""
        return self._least(self._marginal) @ scale

    def bring_up_to_date(
        self, J: FloatArray, added: FloatArray, closed: BoolArray, scale: FloatArray
    ) -> None:
        """All pairs are up to date."""

    def _least(self, values: FloatArray) -> FloatArray:
        view = self.residuals.half_shares(self._C, self.residuals.V)
        return np.maximum(np.minimum(view, values), 0.0)

    def parts(self, feature: int) -> FloatArray:
        """(T, width) sums of squares explained by each column beyond those before."""
        C = self._C[self.engine.X.columns_of(feature)]
        return self.residuals.parts(feature, C)

    def joint_of(self, column: int) -> IntArray:
        """(Q,) the sums of a column over the samples of each column of Y."""
        return self._joint[column]

    def choose(self, feature: int) -> None:
        """Lower pairs to what they are given a pick, and project the pick out."""
        X, residuals = self.engine.X, self.residuals
        columns = range(*X.start[feature : feature + 2])
        gram = np.stack([self.engine.gram(g) for g in columns])
        covariances = residuals.covariances(feature, gram)
        minimum = self._minimum.copy()
        if self._scores.size:
            by_share = slice(None) if X.is_score[feature] else self._scores
            view = self._beyond_one(columns.start, covariances)
            minimum[by_share] = np.minimum(minimum[by_share], view[by_share])
        if self._leveled.size and not X.is_score[feature]:
            given = self._given(columns)
            minimum[self._leveled] = np.minimum(minimum[self._leveled], given)
        self._minimum = np.maximum(minimum, 0.0)
        for g, covariance in zip(columns, covariances, strict=True):
            if residuals.project_out(g, covariance, self._C_marginal[g]):
                self._C = self._C - np.outer(residuals.basis[-1], residuals.along[-1])

    def _given(self, columns: range) -> FloatArray:
        """(leveled, L) n I(f; l | s) less bias, once for each stratum of s."""
        joint, n_x, n_y, n = self.engine.given(columns.start, columns.stop)
        chosen = self._indicators
        given = Counted(joint[:, chosen], n_x[:, chosen], n_y, n)
        found = self._tables.information(self._whole.split(given))
        # I(f; l | s) = sum over the levels of s of their share times I(f; l)
        total = (found.value - BIAS * found.freedom).sum(axis=0)
        return self.engine.n_samples / self.residuals.targets.n_known * total

    def _beyond_one(self, first: int, covariances: list[FloatArray]) -> FloatArray:
        """(D, L) half the share explained beyond one pick alone, less bias."""
        C, V, residuals = self._C_marginal, self._V_marginal, self.residuals
        basis = np.empty((0, len(C)))
        for g, covariance in enumerate(covariances, first):
            left = covariance - basis[:, g] @ basis
            if left[g] > residuals.tolerance[g]:
                part = left / np.sqrt(left[g])
                C, V = C - np.outer(part, C[g] / part[g]), residuals.shrunk(V, part)
                basis = np.vstack([basis, part])
        return residuals.half_shares(C, V)
