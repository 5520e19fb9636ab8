"""Greedy forward selection, shared by the information-theoretic selectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._utils.messages import progress
from labelsieve._utils.typing import BoolArray, FloatArray
from labelsieve.engines import CORRECTIONS, Correction, Terms
from labelsieve.selectors._base import Ranking, best_of, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms, sum_of


class GreedySelector(InformationSelector):
    """Base of the selectors that maximise a criterion greedily, one feature at a time.

    They implement `_criterion`, which yields both the selection and its terms.

    Parameters
    ----------
    include, exclude : list of str or int, default=None
        Names or indices of features that are forced in, from which the search starts,
        and of features that are forced out.
    verbose : bool, default=False
        Show the progress of the search on the standard error stream.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first: the selected ones in order of selection, then
        the others by their J after the last step, then constant ones.
    scores_ : ndarray of shape (n_features,)
        J of each feature when it was selected, or after the last step.
    """

    _capabilities: ClassVar[Capabilities] = replace(
        InformationSelector._capabilities, picks_greedily=True
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "correction": [None, StrOptions({*CORRECTIONS})],
        "verbose": ["verbose"],
    }

    correction: Correction | None = None
    verbose: bool = False

    @abstractmethod
    def _criterion(self, terms: Terms) -> Criterion:
        """What is maximised, before the first pick."""

    def _rank_counts(self, counts: Terms, n_select: int) -> Ranking:
        forced = ForcedFeatures.of(self).among(counts.features.kept)
        return pick_greedily(self, self._criterion(counts), n_select, forced)

    def _terms(self, explained: Explained) -> ScoreTerms:
        terms = explained.terms_of_chosen.corrected(self.correction)
        criterion = self._criterion(terms)
        return explained.of_counted(terms_at_picks(criterion))


class Criterion(ABC):
    """J of every feature along the picks, and the terms it is the sum of."""

    values: FloatArray  # J of every feature now

    @abstractmethod
    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""

    @abstractmethod
    def terms(self) -> dict[str, FloatArray]:
        """What J is made of now."""

    stops: bool = False  # whether it may end the search

    def worth_picking(self, best: int) -> int | None:
        """The feature to pick, the best one or another; None ends the search."""
        return best

    def final_values(self) -> FloatArray:
        """J of the features that were not picked."""
        return self.values

    def without(self, feature: int) -> Criterion:
        """The same as it is now, to go on by itself without a feature."""
        return copy(self)


class LessPicks(Criterion):
    """Terms that no pick changes (`own`), less what the picks take off their sum.

    That is the sum of ``of_pick(pick)`` over all picks, or their `mean`, times a factor
    of each feature.
    """

    def __init__(
        self,
        own: dict[str, FloatArray],
        of_pick: Callable[[int], FloatArray],
        *,
        mean: bool = False,
        times: Any = 1.0,
    ) -> None:
        self.own, self._of_pick, self._mean, self._times = own, of_pick, mean, times
        self.values = sum_of(own)
        self._total = self._taken = np.zeros_like(self.values)
        self._n_picks = 0

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self._total = self._total + self._of_pick(pick)
        self._n_picks += 1
        self._taken = self._times * self._total / (self._n_picks if self._mean else 1)
        self.values = sum_of(self.own) - self._taken
        return self.values

    def terms(self) -> dict[str, FloatArray]:
        """The first of the own terms, the picks, the others."""
        (first, term), *others = self.own.items()
        return {first: term, "redundancy": -self._taken, **dict(others)}


def terms_at_picks(criterion: Criterion) -> dict[str, FloatArray]:
    """The terms of features that are picked in their order, each at its pick.

    Picks do not depend on features that were never picked, so that those need not be
    among them.
    """
    n_features = criterion.values.size
    found: dict[str, FloatArray] = {}
    for pick in range(n_features):
        for name, values in criterion.terms().items():
            found.setdefault(name, np.zeros(n_features))[pick] = values[pick]
        if pick + 1 < n_features:
            criterion.after_pick(pick)
    return found


def pick_greedily(
    selector: Any, criterion: Criterion, n_select: int, forced: ForcedFeatures
) -> Ranking:
    """Pick the feature with the largest criterion, `n_select` times.

    A picked feature keeps the value of its pick as score, the others have their last
    one and follow in its order. The search ends early where nothing is worth picking;
    the best feature is picked all the same if it is the first pick. The first picks,
    and features that are never picked, may be `forced`.
    """
    scores, closed = criterion.values.copy(), np.zeros(criterion.values.size, bool)
    closed[forced.forced_out] = True
    search = GreedySearch(criterion, closed, [], forced.forced_in.tolist())
    for _ in progress(range(n_select), type(selector).__name__, selector.verbose):
        if (pick := search.next_pick()) is None:
            break
        if selector._substitutes is not None:
            selector._substitutes.look_beside(search, pick)
        scores[pick] = criterion.values[pick]
        search.take(pick)
    values, n_picks = criterion.final_values(), len(search.picks)
    picked = np.isin(np.arange(scores.size), search.picks)
    scores[~picked] = values[~picked]
    others = rank_by_score(np.where(picked, -np.inf, values))
    order = np.concatenate([search.picks, others[: scores.size - n_picks]])
    n_found = n_picks if criterion.stops else None
    return Ranking(scores, order.astype(np.int64), n_picks, n_found)


@dataclass
class GreedySearch:
    """A search as it is now: it goes on pick by pick."""

    criterion: Criterion
    closed: BoolArray  # what is not to be picked any more
    picks: list[int]
    first: list[int] = field(default_factory=list)  # what comes first in any case
    ended: bool = False

    def next_pick(self) -> int | None:
        """The feature to pick next; None where none is worth it."""
        if self.ended or len(self.picks) < len(self.first):
            return None if self.ended else self.first[len(self.picks)]
        best = best_of(np.where(self.closed, -np.inf, self.criterion.values))
        worth = self.criterion.worth_picking(best)
        self.ended = worth is None
        return worth if self.picks or worth is not None else best

    def take(self, pick: int) -> None:
        """Pick a feature."""
        self.picks.append(pick)
        self.closed[pick] = True
        if len(self.picks) < self.closed.size:
            self.criterion.after_pick(pick)

    def picks_without(self, feature: int, n_select: int) -> list[int]:
        """All picks where the search goes on from here without a feature."""
        closed = self.closed | (np.arange(self.closed.size) == feature)
        other = GreedySearch(self.criterion.without(feature), closed, [*self.picks])
        while len(other.picks) < n_select and not other.closed.all():
            if (pick := other.next_pick()) is None:
                break
            other.take(pick)
        return other.picks
