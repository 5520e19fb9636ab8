"""All pairs of a feature and a label in tables, brought up to date at every pick."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.engines import Counted, Tables
from labelsieve.selectors.sieve.residuals import BIAS, Residuals, TargetColumns


class AllPairs:
    """The views of every pair: marginal, given each pick, beyond all picks.

    Values of pairs are n times nats, less the bias of their degrees of freedom, or 0.

    Attributes
    ----------
    residuals : the Gram-Schmidt basis of the picks
    scale : (L,) how much each label counts, by samples times nats
    """

    scale: FloatArray

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        X, Y = engine.X, engine.Y
        self._joint, targets = engine.joint(), TargetColumns(Y)
        self.residuals = Residuals(X, targets, engine.within)
        self._C = targets.centred(self._joint, X.totals, engine.n_samples)
        self._C_marginal, self._V_marginal = self._C, self.residuals.V
        (self._leveled,) = np.nonzero(~X.is_score)
        (self._scores,) = np.nonzero(X.is_score)
        (self._numbers,) = np.nonzero(Y.is_score)  # targets
        (self._labels,) = np.nonzero(~Y.is_score)
        self._with_levels = np.ix_(self._leveled, self._labels)
        self._marginal = self._find_marginal()
        # min over picks s of I(f; l | s), the running minimum of CMIM (Fleuret 2004).
        self._minimum = self._marginal

    def _find_marginal(self) -> FloatArray:
        """(D, L) n I(f; l) less bias; with a number on either side half the share."""
        X, Y, residuals = self.engine.X, self.engine.Y, self.residuals
        value = np.zeros((X.n_blocks, residuals.level.size))
        if self._scores.size or self._numbers.size:
            value = residuals.half_shares(self._C, residuals.V)
        if self._leveled.size and self._labels.size:
            n = self.engine.n_samples
            self._tables = Tables(X.about(self._leveled), Y.about(self._labels))
            self._whole = self._of_levels(self._joint, X.totals, Y.totals, n)
            found = self._tables.information(self._whole).value
            labels = residuals.level[self._labels], residuals.freedom[self._labels]
            bias = np.outer(X.width[self._leveled], np.multiply(*labels))
            value[self._with_levels] = self._n_over_known * found - bias
        return np.maximum(value, 0.0)

    def _of_levels(self, joint: IntArray, n_x: IntArray, n_y: IntArray, n: Any) -> Any:
        """Counts of the indicators: no sums of scores."""
        X, Y = self.engine.X, self.engine.Y
        (chosen,) = np.nonzero(~X.is_score[X.owner])
        joint, n_x = joint[..., chosen, :], n_x[..., chosen]
        if self._numbers.size:
            (chosen,) = np.nonzero(~Y.is_score[Y.owner])
            joint, n_y = joint[..., chosen], n_y[..., chosen]
        return Counted(joint, n_x, n_y, n)

    @property
    def _n_over_known(self) -> FloatArray:
        """(labels,) all samples for each in which a label is known."""
        known: IntArray = self.residuals.targets.n_known[self._labels]
        return self.engine.n_samples / known

    @property
    def relevant(self) -> IntArray:
        """The features with some marginal relevance beyond its bias."""
        return np.flatnonzero(self._marginal.any(axis=1))

    def relevance(self, scale: FloatArray) -> FloatArray:
        """(D,) marginal relevance."""
        return self._marginal @ scale

    def evidence(self, critical: FloatArray) -> FloatArray:
        """(D,) the largest marginal value of each feature, in critical values."""
        residuals = self.residuals
        freedom = self.engine.X.width[:, np.newaxis] * residuals.freedom
        return (self._marginal / (residuals.level * critical[freedom])).max(axis=1)

    def evidence_beyond_picks(self, critical: FloatArray) -> FloatArray:
        """(D,) the same of numbers beyond the picks, of their likelihood ratios."""
        explained, rank = self._explained
        freedom = rank[:, np.newaxis] * self.residuals.freedom
        found = self.residuals.log_likelihoods(explained) - freedom
        return np.where(self.engine.X.is_score, (found / critical[freedom]).max(1), 0.0)

    def gains(self) -> FloatArray:
        """(D,) sum over labels of the least view of each pair."""
        return self._least(self._minimum) @ self.scale

    all_gains = gains

    def final_gains(self) -> FloatArray:
        """The same without the views given single picks."""
        return self._least(self._marginal) @ self.scale

    def bring_up_to_date(self, *_: Any) -> None:
        """All pairs are up to date."""

    def _least(self, values: FloatArray) -> FloatArray:
        residuals, (explained, rank) = self.residuals, self._explained
        view = explained - residuals.level * residuals.freedom * rank[:, np.newaxis]
        return np.maximum(np.minimum(view, values), 0.0)

    @cached_property
    def _explained(self) -> tuple[FloatArray, IntArray]:
        """What features explain beyond the picks, and the rank of each."""
        return self.residuals.explained(self._C, self.residuals.V)

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
        if self._scores.size or self._numbers.size:
            minimum = self._beyond_one(columns.start, covariances)
        if self._leveled.size and self._labels.size and not X.is_score[feature]:
            minimum[self._with_levels] = self._given(columns)
        self._minimum = np.maximum(np.minimum(minimum, self._minimum), 0.0)
        for g, covariance in zip(columns, covariances, strict=True):
            if residuals.project_out(g, covariance, self._C_marginal[g]):
                self._C = self._C - np.outer(residuals.basis[-1], residuals.along[-1])
        vars(self).pop("_explained", None)

    def _given(self, columns: range) -> FloatArray:
        """(leveled, labels) n I(f; l | s) less bias, once for each stratum of s."""
        given = self._of_levels(*self.engine.given(columns.start, columns.stop))
        found = self._tables.information(self._whole.split(given))
        # I(f; l | s) = sum over the levels of s of their share times I(f; l)
        total = (found.value - BIAS * found.freedom).sum(axis=0)
        return self._n_over_known * total

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
