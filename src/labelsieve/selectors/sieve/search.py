"""The criterion of Sieve along the picks."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.typing import FloatArray
from labelsieve.counting import Counts
from labelsieve.information import label_entropy
from labelsieve.selectors._greedy import Criterion
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.conditional import Conditional, clear_from
from labelsieve.selectors.sieve.unexplained import Unexplained

# Below every value: what is not asked for.
NOT_ASKED = -3.0


def chance_of(n_features: int, n_rows: int) -> float:
    """What chance shows among so many features, in rows times nats: c of the formula.

    A pair that tells nothing shows 1/2 on average, and the largest of D about log D.
    """
    return max(1.0, float(np.log(n_features / n_rows)))


class Search(Criterion):
    """J of every feature, now.

    Parameters
    ----------
    counts : of all features and labels that vary; `counts.ranks` of the numbers
    weights : how much labels count, by a name or by numbers
    n_features : among how many features is searched
    limit : how clear synergy must be, by default among all counted features

    Attributes
    ----------
    closed : (D,) which features are not to be picked any more
    """

    def __init__(
        self,
        counts: Counts,
        weights: str | FloatArray,
        n_features: int,
        limit: float | None = None,
    ) -> None:
        self.counts = counts
        chance = chance_of(n_features, counts.n_rows)
        self.linear = Unexplained(counts, Columns(counts, counts.ranks), chance)
        entropy = label_entropy(counts)
        weight = _weights_of(weights, self.linear.variance, entropy)
        # Views of pairs are in rows: n times information, and sums of squares.
        self._scale = weight / entropy / counts.n_rows
        synergy_scale = weight / self.linear.variance / counts.n_rows
        limit = limit or clear_from(counts.x_start[-1], counts)
        self._given = Conditional(counts, self.linear, limit, synergy_scale)
        self.alone = self._given.least.copy()
        self._whole = weight.sum()
        self._tells = self.alone.sums(self._scale) > 0.0
        self.closed = np.zeros(counts.n_features, dtype=bool)
        self.values = self._criterion()

    def _criterion(self, all_values: bool = False) -> FloatArray:
        J = self.linear.gains(self._given.least, self._scale) + self._together()
        if not all_values and (J[~self.closed] > 0.0).any():
            # No pick asks how those compare that tell nothing new.
            return np.where(J > 0.0, J, NOT_ASKED)
        left = self.linear.leftovers(self.alone, self._scale) / self._whole
        rest = np.where(self._tells, left - 1.0, -1.0 - self.linear.uniqueness)
        return np.where(J > 0.0, J, rest)

    def _together(self) -> FloatArray:
        """What features tell only together with a pick, as far as they are new."""
        return self.linear.uniqueness * self._given.synergy

    def terms(self) -> dict[str, FloatArray]:
        """What is new about labels, and what is told only together with a pick."""
        self.values = self.final_values()
        told = self.values > 0.0
        together = np.where(told, self._together(), 0.0)
        return {
            "new about labels": np.where(told, self.values - together, 0.0),
            "synergy": together,
            "within chance": np.where(told, 0.0, self.values),
        }

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self.closed[pick] = True
        self.linear.choose(pick, self._given.choose(pick).n_fa)
        self.values = self._criterion()
        return self.values

    def final_values(self) -> FloatArray:
        """J of every feature, also of those that tell nothing new."""
        return self._criterion(all_values=True)

    def is_synergy(self, feature: int) -> bool:
        """Whether a feature tells something together with a pick, clearly."""
        return bool(self._given.synergy[feature] > 0.0)


def _weights_of(
    weights: str | FloatArray, variance: FloatArray, entropy: FloatArray
) -> FloatArray:
    if not isinstance(weights, str):
        return weights
    equal = np.ones_like(variance)
    return {"variance": variance, "equal": equal, "information": entropy}[weights]
