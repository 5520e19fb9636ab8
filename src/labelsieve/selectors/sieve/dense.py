"""All pairs of a feature and a label in tables, brought up to date at every pick."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.engines import Counted, Tables
from labelsieve.selectors.sieve.residuals import BIAS, Residuals


class AllPairs:
    """The views of every pair: marginal, given each pick, beyond all picks.

    Values of pairs are n times nats, less the bias of their degrees of freedom, or 0.
    """

    def __init__(self, engine: Any) -> None:
        self.engine, X, Y = engine, engine.X, engine.Y
        self._joint, self.residuals = engine.joint(), Residuals(engine)
        self._C = self.residuals.targets.centred(self._joint, X.totals)
        self._C_marginal, self._no_picks = self._C, copy(self.residuals)
        (self._leveled,) = np.nonzero(~X.is_score)
        (self._labels,) = np.nonzero(~Y.is_score)
        # All samples for each in which a label is known
        n_known = self.residuals.targets.n_known[self._labels]
        self._n_over_known = engine.n_samples / n_known
        self._has_levels = self._leveled.size and self._labels.size
        self._has_numbers = X.is_score.any() or Y.is_score.any()
        self._with_levels = np.ix_(self._leveled, self._labels)
        # n I(f; l) less bias; with a number on either side half the share
        value = np.zeros((X.n_blocks, Y.n_blocks))
        if self._has_numbers:
            value = self.residuals.half_shares(self._C)
        if self._has_levels:
            self._tables = Tables(X.about(self._leveled), Y.about(self._labels))
            totals = X.totals, Y.totals, engine.n_samples
            self._whole = self._of_levels(self._joint, *totals)
            found = self._tables.information(self._whole).value
            bias = np.outer(X.width[self._leveled], self.residuals.bias[self._labels])
            value[self._with_levels] = self._n_over_known * found - bias
        self._marginal = np.maximum(value, 0.0)
        # min over picks s of I(f; l | s), the running minimum of CMIM (Fleuret 2004).
        self._minimum = self._marginal

    def _of_levels(self, joint: IntArray, n_x: IntArray, n_y: IntArray, n: Any) -> Any:
        """Counts of the indicators: no sums of scores."""
        X, Y = self.engine.X, self.engine.Y
        x, y = ~X.is_score[X.owner], ~Y.is_score[Y.owner]
        joint = joint if x.all() and y.all() else joint[..., x, :][..., y]
        return Counted(joint, n_x[..., x], n_y[..., y], n)

    def marginal(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Features, labels and marginal values of the pairs above their bias."""
        feature, label = np.nonzero(self._marginal)
        return feature, label, self._marginal[feature, label]

    def evidence_beyond_picks(self, critical: FloatArray) -> FloatArray:
        """(D,) the largest likelihood ratio of numbers, in critical values."""
        explained, freedom = self._explained
        found = self.residuals.log_likelihoods(explained) - freedom
        return np.where(self.engine.X.is_score, (found / critical[freedom]).max(1), 0.0)

    def weigh(self, scale: FloatArray, *_: Any) -> None:
        """Let each label count so much, by samples times nats."""
        self._scale = scale

    def gains(self) -> FloatArray:
        """(D,) sum over labels of the least view of each pair."""
        return self._least(self._minimum) @ self._scale

    all_gains = gains

    def final_gains(self) -> FloatArray:
        """The same without the views given single picks."""
        return self._least(self._marginal) @ self._scale

    def bring_up_to_date(self, *_: Any) -> None:
        """All pairs are up to date."""

    def _least(self, values: FloatArray) -> FloatArray:
        explained, freedom = self._explained
        view = explained - self.residuals.level * freedom
        return np.maximum(np.minimum(view, values), 0.0)

    @cached_property
    def _explained(self) -> tuple[FloatArray, IntArray]:
        """What features explain beyond the picks, and the degrees of freedom of it."""
        return self.residuals.explained(self._C)

    def joint_of(self, columns: Sequence[int]) -> IntArray:
        """(m, Q) the sums of columns over the samples of each column of Y."""
        return self._joint[columns]

    def choose(self, feature: int) -> None:
        """Lower pairs to what they are given a pick, and project the pick out."""
        X, minimum = self.engine.X, self._minimum.copy()
        pick = feature, self.residuals.covariances(feature)
        if self._has_numbers:
            # Half the share explained beyond one pick alone
            alone = copy(self._no_picks)
            minimum = alone.half_shares(self._left(self._C_marginal, alone, *pick))
        if self._has_levels and not X.is_score[feature]:
            minimum[self._with_levels] = self._given(X.columns_of(feature))
        self._minimum = np.maximum(np.minimum(minimum, self._minimum), 0.0)
        self._C = self._left(self._C, self.residuals, *pick)
        vars(self).pop("_explained", None)

    def _left(
        self, C: FloatArray, residuals: Residuals, pick: int, covariances: Any
    ) -> FloatArray:
        """What a pick leaves of C, once it is in the basis of the residuals."""
        of_pick = self._C_marginal[self.engine.X.columns_of(pick)]
        for basis, along in residuals.project_out(pick, covariances, of_pick):
            C = C - np.outer(basis, along)
        return C

    def _given(self, columns: range) -> FloatArray:
        """(leveled, labels) n I(f; l | s) less bias, once for each stratum of s."""
        given = self._of_levels(*self.engine.given(columns.start, columns.stop))
        found = self._tables.information(self._whole.split(given))
        # I(f; l | s) = sum over the levels of s of their share times I(f; l)
        total = (found.value - BIAS * found.freedom).sum(axis=0)
        return self._n_over_known * total
