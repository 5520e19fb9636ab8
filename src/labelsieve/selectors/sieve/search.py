"""The criterion of Sieve along the picks."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammainccinv

from labelsieve._utils.messages import warn
from labelsieve._utils.typing import BoolArray, FloatArray
from labelsieve.selectors._base import TIE, best_of
from labelsieve.selectors._forced import NOTHING_FORCED, ForcedFeatures
from labelsieve.selectors._greedy import Criterion
from labelsieve.selectors.sieve.dense import AllPairs
from labelsieve.selectors.sieve.residuals import TOLERANCE
from labelsieve.selectors.sieve.sparse import ListedPairs

Pairs = AllPairs | ListedPairs

# So many features are tried whether they pass a test, the best first.
MOST_TRIED = 20
# With so many samples that it may change, a label counts half of what many give it.
SAMPLES_FOR_HALF = 10.0
# Below every value: what is not asked for.
NOT_ASKED = -4.0
# How many of all pairs may be taken for significant by chance, on average.
ERROR_RATE = 0.05
# Features that may be noise are compared with values exceeded so often: always the
# same, so that features that never come do not change how others are valued.
FOR_EVIDENCE = 1e-6


class Search(Criterion):
    """The value of every feature, now.

    Parameters
    ----------
    entropy : (L,) H(l)
    weights : how much labels count, by a name or by numbers
    n_features : among how many features is searched
    only_new : whether features are tested before they are picked
    costs : (D,) what each feature costs, None for the same
    budget : how much may be spent

    Attributes
    ----------
    closed : (D,) which features are not to be picked any more
    passes : whether a feature is significant beyond the picks, if that is asked
    unproven : the features that are picked by gain without being significant
    """

    def __init__(
        self,
        pairs: Pairs,
        entropy: FloatArray,
        weights: str | FloatArray,
        n_features: int,
        only_new: bool = False,
        forced: ForcedFeatures = NOTHING_FORCED,
        costs: FloatArray | None = None,
        budget: float = np.inf,
    ) -> None:
        self.pairs, residuals = pairs, pairs.residuals
        self._has_costs, self._budget = costs is not None, budget
        self._costs = np.ones(residuals.X.n_blocks) if costs is None else costs
        n, n_known = residuals.n_samples, residuals.targets.n_known
        # p (1 - p); a number counts as a label that half of the samples have
        is_number = residuals.targets.is_number
        variance = np.where(is_number, 0.25, residuals.variance)
        entropy = np.where(is_number, np.log(2.0), entropy)
        n_variance = variance * n_known  # in the samples in which the target is known
        named = {
            "variance": variance,
            "balanced": n_variance / (n_variance + SAMPLES_FOR_HALF),
            "information": entropy,
        }
        weight = named[weights] if isinstance(weights, str) else weights
        scale = weight / entropy / n
        self._total_weight = float(weight.sum()) or 1.0
        self._is_leveled = ~residuals.X.is_score
        self._relevance = self._relevance_by(scale)
        pairs.weigh(scale, self._relevance)
        # D L pairs are looked at.
        self._critical = self._critical_values(ERROR_RATE / (n_features * n_known.size))
        self._is_relevant = self._marginal_evidence(self._critical) > 1.0
        self._bonus, self._only_new = np.zeros(residuals.X.n_blocks), only_new
        if isinstance(weights, str) and weights == "balanced" and not only_new:
            # How probable it is, by the rule of succession, that the next sample of a
            # label does not follow what all samples before did: 1 / (n V + 2).
            bonus = self._relevance_by(scale / (n_variance + 2.0))
            self._bonus = np.where(self._is_relevant, bonus, 0.0)
        unproven = ~self._is_relevant & self._is_leveled & (not only_new)
        self.unproven = np.flatnonzero(unproven)
        self.closed = np.zeros(self._bonus.size, dtype=bool)
        self.closed[forced.forced_out] = True
        self.picks: list[int] = []
        self.passes: Any = None
        self._included = forced.forced_in
        self._ceiling = np.inf
        self._lead = 0  # of significant picks over others
        self._evidence: FloatArray | None = None
        self.values = self._criterion()

    def _criterion(self) -> FloatArray:
        """The value of every feature, as far as it is needed to know the best."""
        bonus, significant = self._rare_label_bonus(), self._is_significant()
        if self._has_costs:
            values = self._by_class(self._by_cost(self.pairs.all_gains()), significant)
            return np.where(self._costs > self._budget, -np.inf, values)
        J = self.pairs.gains() + bonus
        update, closed = partial(self.pairs.bring_up_to_date, J, bonus), self.closed
        update(closed | ~significant)
        included = self._included[len(self.picks) :][:1]
        for feature in included:
            update(np.arange(J.size) != feature)
        if not (J[significant & ~closed] > TIE).any():
            update(closed | significant)
            return self._by_class(J, significant)
        # No pick asks how the others compare.
        values = np.where(significant & (J > TIE), J, NOT_ASKED)
        if included.size:
            values[included] = self._by_class(J, significant)[included]
        return values

    def _by_cost(self, gains: FloatArray) -> FloatArray:
        """J: gains and bonus by cost."""
        return (gains + self._rare_label_bonus()) / self._costs

    def _relevance_by(self, scale: FloatArray) -> FloatArray:
        """(D,) marginal relevance."""
        feature, label, value = self.pairs.marginal()
        sums = np.bincount(feature, scale[label] * value, self._costs.size)
        return sums.astype(np.float64)

    def _marginal_evidence(self, critical: FloatArray) -> FloatArray:
        """(D,) the largest marginal value of each feature, in critical values."""
        residuals, (feature, label, value) = self.pairs.residuals, self.pairs.marginal()
        freedom = residuals.X.width[feature] * residuals.freedom[label]
        found, limit = np.zeros(self._costs.size), critical[freedom]
        np.maximum.at(found, feature, value / (residuals.level[label] * limit))
        return found

    def _is_significant(self) -> BoolArray:
        """(D,) which features come by their gain: numbers only where that is clear."""
        if self._only_new:  # each is tested before it is picked
            return np.ones(self.closed.size, dtype=bool)
        is_new = self.pairs.evidence_beyond_picks(self._critical) > 1.0
        return self._is_leveled | self._is_relevant | is_new

    def _critical_values(self, rate: float) -> FloatArray:
        """The critical value of n I less bias for each number of degrees of freedom.

        2 n I is about chi-squared under independence.
        """
        residuals = self.pairs.residuals
        freedom = np.arange(1 + int(residuals.X.width.max() * residuals.freedom.max()))
        quantile = gammainccinv(np.maximum(freedom, 1) / 2, rate)
        return np.maximum(quantile - freedom, TIE)

    def _by_class(self, J: FloatArray, significant: BoolArray) -> FloatArray:
        """Values of all features: gain, then relevance, then what may be noise."""
        unique = self.pairs.residuals.unique
        is_redundant = self._is_relevant & (unique > TOLERANCE)
        relative = J / self._total_weight if self._evidence is None else self._evidence
        is_doubtful = ~self._is_leveled & (relative > TIE)
        classes = [significant & (J > TIE), is_redundant, is_doubtful]
        # -1 / (1 + r) rises from -1 to 0.
        by_relevance = -self._total_weight / (self._total_weight + self._relevance)
        by_doubt = -0.5 / (1.0 + relative) - (1.0 if self._evidence is None else 1.5)
        values = [J, by_relevance, by_doubt]
        return np.select(classes, values, -2.0 - unique)

    def _rare_label_bonus(self) -> FloatArray:
        """What features that are no copies add for rare labels, in case picks fail."""
        return np.where(self.pairs.residuals.unique > TOLERANCE, self._bonus, 0.0)

    def terms(self) -> dict[str, FloatArray]:
        """The gain, the bonus for rare labels, or what is below both."""
        bonus = self._rare_label_bonus() / self._costs
        J = self._by_cost(self.pairs.all_gains())
        self.values = self._by_class(J, self._is_significant())
        values = np.minimum(self.values, self._ceiling)
        gain = np.where(values > 0.0, np.minimum(J - bonus, values), 0.0)
        return {
            "gain": gain,
            "rare-label bonus": np.maximum(values, 0.0) - gain,
            "not significant": np.minimum(values, 0.0),
        }

    def after_pick(self, pick: int) -> FloatArray:
        """The value of every feature once another is chosen."""
        if len(self.picks) >= self._included.size:
            self._ceiling = min(self._ceiling, self.values[pick])
        self._lead += 1 if self.values[pick] > 0.0 else -1
        # Where nothing gains, and picks explain all columns, no value changes any more.
        gains = self.values[~self.closed] > 0.0
        is_final = not gains.any() and self.pairs.residuals.is_exhausted
        is_redundant = -1.0 < self.values[pick] < 0.0
        if self._evidence is None and (is_redundant or self._lead <= 0):
            # Such picks explain labels by chance, and beyond them noise seems to gain.
            critical = self._critical_values(FOR_EVIDENCE)
            beyond = self.pairs.evidence_beyond_picks(critical)
            self._evidence = np.maximum(beyond, self._marginal_evidence(critical))
            is_final = False
        self.closed[pick] = True
        self.picks.append(pick)
        # What is left is compared with costs: rounding must not make it too little.
        self._budget -= self._costs[pick] * (1.0 - 1e-12)
        if self._has_costs or not is_final:
            self.pairs.choose(pick)
            self.values = self._criterion()
        return self.values

    def final_values(self) -> FloatArray:
        """Values of features that were not picked, without views given single picks."""
        J = self._by_cost(self.pairs.final_gains())
        return self._by_class(J, self._is_significant())

    def without(self, feature: int) -> Search:
        """The same as it is now, to go on by itself without a feature."""
        engine, code = self.pairs.engine, getattr(self.pairs, "_kernels", None)
        shared = engine, engine.X, engine.Y, code  # the data do not change
        other = deepcopy(self, {id(part): part for part in shared})
        other.closed[feature] = True
        other.values = other._criterion()
        return other

    def worth_picking(self, best: int) -> int | None:
        """The best feature that can be paid and passes the test, if there is one."""
        if self.closed[best] or self.values[best] == -np.inf:  # the others are too dear
            return None
        found = best if self.passes is None else self._first_that_passes(best)
        if found is None and not self.picks:
            self.unproven = np.array([best])
            warn(
                "no feature is significant for any label: the best one is kept, and it "
                "may be noise."
            )
        return found

    def _first_that_passes(self, best: int) -> int | None:
        """The best feature that passes, if it is among the first few."""
        tried: dict[int, float] = {}
        found, value = None, self.values[best]
        while found is None and value > 0.0 and len(tried) < MOST_TRIED:
            if self.passes(best, self.picks):
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
