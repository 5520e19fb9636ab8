"""The criterion of Sieve along the picks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.selectors._base import best_of
from labelsieve.selectors._greedy import Criterion
from labelsieve.selectors.sieve.dense import AllPairs
from labelsieve.selectors.sieve.residuals import BIAS, TOLERANCE
from labelsieve.selectors.sieve.sparse import ListedPairs

Pairs = AllPairs | ListedPairs

# So many features are tried whether they pass a test, the best first.
MOST_TRIED = 20

# With so many samples that it may change, a label counts half of what many give it.
SAMPLES_FOR_HALF = 10.0

# Below every value: what is not asked for.
NOT_ASKED = -3.0


class Search(Criterion):
    """J of every feature, now.

    Parameters
    ----------
    pairs : of all features and labels that vary
    entropy : (L,) H(l)
    weights : how much labels count, by a name or by numbers
    n_features : among how many features is searched
    only_new : whether what repeats the picks never counts
    included : features whose J is wanted whether or not they are the best

    Attributes
    ----------
    closed : (D,) which features are not to be picked any more
    picks : the features that were picked
    """

    def __init__(
        self,
        pairs: Pairs,
        entropy: FloatArray,
        weights: str | FloatArray,
        n_features: int,
        only_new: bool = False,
        included: IntArray | None = None,
    ) -> None:
        self.pairs, residuals = pairs, pairs.residuals
        n, n_known = residuals.n_samples, residuals.targets.n_known
        # n p (1 - p), in the samples in which the label is known
        n_variance = residuals.variance * n_known
        named = {
            "variance": residuals.variance,
            "equal": n_variance / (n_variance + SAMPLES_FOR_HALF),
            "information": entropy,
        }
        weight = named[weights] if isinstance(weights, str) else weights
        self._scale = weight / entropy / n
        self._total_weight = float(weight.sum()) or 1.0
        # The largest of D L independent pairs shows about log(D L) / n: a threshold,
        # less the bias that is taken off already.
        largest = max(np.log(n_features * n_known.size), BIAS)
        self._threshold = residuals.level * (largest / BIAS - 1.0)
        self._bonus = np.zeros(residuals.X.n_blocks)
        if isinstance(weights, str) and weights == "equal" and not only_new:
            # How probable it is, by the rule of succession, that the next sample of a
            # label does not follow what all samples before did.
            doubt = 1.0 / (n_variance + 2.0)
            self._bonus = pairs.relevance(self._scale * doubt, self._threshold)
        self.closed = np.zeros(self._bonus.size, dtype=bool)
        self.picks: list[int] = []
        self._included = np.arange(0) if included is None else included
        self.values = self._criterion()

    def _criterion(self) -> FloatArray:
        """J of every feature, as far as it is needed to know the best."""
        bonus = self._rare_label_bonus()
        J = self.pairs.gains(self._scale) + bonus
        self.pairs.bring_up_to_date(J, bonus, self.closed, self._scale)
        for feature in self._included[len(self.picks) :][:1]:
            others = np.ones(J.size, dtype=bool)
            others[feature] = False
            self.pairs.bring_up_to_date(J, bonus, others, self._scale)
        if (J[~self.closed] > 0.0).any():
            # No pick asks how those compare that gain nothing.
            return np.where(J > 0.0, J, NOT_ASKED)
        return self._with_tail(J)

    def _with_tail(self, J: FloatArray) -> FloatArray:
        """Values of all features, also of those that gain nothing."""
        unique = self.pairs.residuals.unique
        # What is relevant by itself is redundant at worst, but a copy is of no use;
        # the others may be noise.
        is_relevant, relevance = self._marginal
        tail = np.where(is_relevant & (unique > TOLERANCE), relevance, -1.0 - unique)
        return np.where(J > 0.0, J, tail)

    @cached_property
    def _marginal(self) -> tuple[BoolArray, FloatArray]:
        """Which features are relevant by themselves; their relevance, less 1."""
        relevance = self.pairs.relevance(self._scale, self._threshold)
        return relevance > 0.0, relevance / self._total_weight - 1.0

    def _rare_label_bonus(self) -> FloatArray:
        """What features that are no copies add for rare labels, in case picks fail."""
        if not self._bonus.any():
            return self._bonus
        unique = self.pairs.residuals.unique
        return np.where(unique > TOLERANCE, self._bonus, 0.0)

    def terms(self) -> dict[str, FloatArray]:
        """The gain, the bonus for rare labels, or what is below both."""
        bonus = self._rare_label_bonus()
        J = self.pairs.all_gains(self._scale) + bonus
        self.values = self._with_tail(J)
        gained = self.values > 0.0
        return {
            "new about labels": np.where(gained, self.values - bonus, 0.0),
            "told again": np.where(gained, bonus, 0.0),
            "within chance": np.where(gained, 0.0, self.values),
        }

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self.closed[pick] = True
        self.picks.append(pick)
        self.pairs.choose(pick)
        self.values = self._criterion()
        return self.values

    def final_values(self) -> FloatArray:
        """J of the features that were not picked, without views given single picks."""
        bonus = self._rare_label_bonus()
        return self._with_tail(self.pairs.final_gains(self._scale) + bonus)

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
