"""The criterion of Sieve along the picks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.information import label_entropy
from labelsieve.selectors._base import best_of
from labelsieve.selectors._greedy import Criterion
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.listed import Listed
from labelsieve.selectors.sieve.postponed import Postponed
from labelsieve.selectors.sieve.tables import Tables
from labelsieve.selectors.sieve.unexplained import CHANCE, REPEATED, known_rows

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy

# How likely a search through all pairs of features that tell nothing may find one.
ERROR_RATE = 0.05

# So many features are tried whether they pass a test, the best first.
MOST_TRIED = 20

# With so many rows that it may change, a label counts half of what it does with many.
ROWS_FOR_HALF = 10.0

# Below every value: what is not asked for.
NOT_ASKED = -3.0


class Search(Criterion):
    """J of every feature, now.

    Parameters
    ----------
    counts : of all features and labels that vary; `counts.ranks` of the numbers
    weights : how much labels count, by a name or by numbers
    n_features : among how many features is searched
    limit : how clear synergy must be, by default among all counted features
    only_new : whether what repeats the picks never counts

    Attributes
    ----------
    closed : (D,) which features are not to be picked any more
    picks : the features that were picked
    """

    def __init__(
        self,
        counts: Counts,
        weights: str | FloatArray,
        n_features: int,
        limit: float | None = None,
        only_new: bool = False,
    ) -> None:
        self.counts = counts
        kind: type[Listed] | type[Postponed] | type[Tables] = Tables
        if Listed.serves(counts):
            kind = Listed
        elif Postponed.serves(counts):
            kind = Postponed
        self.views = kind(counts, Columns(counts, counts.ranks))
        self.linear = self.views.linear
        entropy = label_entropy(counts)
        variance = self.linear.variance
        n_known = known_rows(counts)
        weight = _weights_of(weights, variance, entropy, n_known)
        # Views of pairs are in rows: n times information, and sums of squares.
        self._scale = weight / entropy / counts.n_rows
        scale = weight / variance / counts.n_rows
        self._what = _synergy(counts, limit, scale)
        # Less chance, which is taken off already, about what the best of all pairs
        # shows where nothing is to be told.
        most = max(np.log(n_features * counts.n_labels), CHANCE)
        self._enough = self.linear.level * (most / CHANCE - 1.0)
        self._most = float(weight.sum()) or 1.0
        self._nothing = np.zeros(counts.n_features)
        self._again = self._nothing
        if isinstance(weights, str) and weights == "equal" and not only_new:
            # How probable it is, by the rule of succession, that the next row of a
            # label does not follow what all rows before did.
            doubt = 1.0 / (variance * n_known + 2.0)
            self._again = self.views.clear(self._scale * doubt, self._enough)
        self.closed = np.zeros(counts.n_features, dtype=bool)
        self.picks: list[int] = []
        self.values = self._criterion()

    def _criterion(self) -> FloatArray:
        """J of every feature, as far as it is needed to know the best."""
        beside = self._together() + self._told_again()
        J = self.views.gains(self._scale) + beside
        self.views.settle(J, beside, self.closed, self._scale)
        told = J > 0.0
        if np.count_nonzero(told > self.closed):  # told, and not closed
            # No pick asks how those compare that tell nothing new.
            return np.where(told, J, NOT_ASKED)
        return self._with_rest(J)

    def _with_rest(self, J: FloatArray) -> FloatArray:
        """Values of all features, also of those that tell nothing new."""
        unique = self.linear.uniqueness
        # What clearly tells something alone repeats at worst, but a copy is of no use;
        # the others may be noise.
        is_clear, alone = self._alone
        rest = np.where(is_clear & (unique > REPEATED), alone, -1.0 - unique)
        return np.where(J > 0.0, J, rest)

    @cached_property
    def _alone(self) -> tuple[BoolArray, FloatArray]:
        """Which features clearly tell something alone; how much of all, less 1."""
        told = self.views.clear(self._scale, self._enough)
        return told > 0.0, told / self._most - 1.0

    def _together(self) -> FloatArray:
        """What features tell only together with a pick, as far as they are new."""
        synergy = self.views.synergy
        return self.linear.uniqueness * synergy if synergy.any() else self._nothing

    def _told_again(self) -> FloatArray:
        """What features that are no copies tell of labels, in case that picks fail."""
        if not self._again.any():
            return self._nothing
        return np.where(self.linear.uniqueness > REPEATED, self._again, 0.0)

    def terms(self) -> dict[str, FloatArray]:
        """What is new about labels, told only together with a pick, or told again."""
        together, again = self._together(), self._told_again()
        J = self.views.gains_of_all(self._scale) + (together + again)
        self.values = self._with_rest(J)
        told = self.values > 0.0
        new = self.values - (together + again)
        terms = {"new about labels": new, "synergy": together, "told again": again}
        found = {name: np.where(told, values, 0.0) for name, values in terms.items()}
        return found | {"within chance": np.where(told, 0.0, self.values)}

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self.closed[pick] = True
        self.picks.append(pick)
        self.views.choose(pick, self._what)
        self.values = self._criterion()
        return self.values

    def final_values(self) -> FloatArray:
        """J of the features that were not picked, not asked beside single picks."""
        beside = self._together() + self._told_again()
        return self._with_rest(self.views.gains_alone(self._scale) + beside)

    def first_that(self, passes: Callable[[int], bool], best: int) -> int | None:
        """The best feature that passes a test, if it is among the first few."""
        tried: dict[int, float] = {}
        found, value = None, self.values[best]
        while found is None and value > 0.0 and len(tried) < MOST_TRIED:
            if passes(best):
                found = best
            else:
                tried[best] = value
                self.closed[best] = True
                self.values[:] = self._criterion()
                possible = np.where(self.closed, -np.inf, self.values)
                best = best_of(possible)
                value = possible[best]
        self.closed[[*tried]] = False
        # While they were closed, nobody looked at them.
        self.values[[*tried]] = [*tried.values()]
        return found

    def is_synergy(self, feature: int) -> bool:
        """Whether a feature tells something together with a pick, clearly."""
        return bool(self.views.synergy[feature] > 0.0)


def clear_from(n_indicators: float, counts: Counts) -> float:
    """The limit of synergy in a search through pairs of so many codes of features."""
    n_tests = float(n_indicators) * float(n_indicators) / 2 * counts.n_label_values
    return float(2.0 * np.log(2.0 * n_tests / ERROR_RATE))


def _synergy(counts: Counts, limit: float | None, scale: FloatArray) -> Synergy:
    from labelsieve.selectors.sieve.given_kernels import Synergy

    owner = np.repeat(np.arange(counts.n_features), np.diff(counts.x_start))
    of_indicator = np.repeat(scale, np.diff(counts.y_start))
    limit = limit or clear_from(counts.x_start[-1], counts)
    return Synergy(owner, limit, of_indicator)


def _weights_of(
    weights: str | FloatArray,
    variance: FloatArray,
    entropy: FloatArray,
    n_known: IntArray,
) -> FloatArray:
    if not isinstance(weights, str):
        return weights
    equal = variance / (variance + ROWS_FOR_HALF / n_known)
    return {"variance": variance, "equal": equal, "information": entropy}[weights]
