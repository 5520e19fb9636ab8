"""Greedy forward selection, shared by the information-theoretic selectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._utils.messages import progress
from labelsieve._utils.typing import FloatArray
from labelsieve.engines import CORRECTIONS, Correction, Terms
from labelsieve.selectors._base import Ranking, best_of, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import NOTHING_FORCED, ForcedFeatures
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms, sum_of


class GreedySelector(InformationSelector):
    """Base of the selectors that maximise a criterion greedily, one feature at a time.

    They implement `_criterion`, which yields both the selection and its terms.

    Parameters
    ----------
    n_features_to_select : int or float, default=0.1
        How many features to select, or which fraction of them (at least one).
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
        criterion = self._criterion(counts)
        name = type(self).__name__
        return pick_greedily(
            criterion.values,
            criterion.after_pick,
            n_select,
            name,
            self.verbose,
            forced=ForcedFeatures.of(self).among(counts.features.kept),
        )

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


class LessPicks(Criterion):
    """Terms that no pick changes (`own`), less what the picks take off their sum.

    ``taken_after(pick)`` is what all picks take off once another is chosen.
    """

    def __init__(
        self, own: dict[str, FloatArray], taken_after: Callable[[int], FloatArray]
    ) -> None:
        self.own, self._taken_after = own, taken_after
        self.values = sum_of(own)
        self._taken = np.zeros_like(self.values)

    def after_pick(self, pick: int) -> FloatArray:
        """J of every feature once another is chosen."""
        self._taken = self._taken_after(pick)
        self.values = sum_of(self.own) - self._taken
        return self.values

    def terms(self) -> dict[str, FloatArray]:
        """The first of the own terms, the picks, the others."""
        (first, term), *others = self.own.items()
        return {first: term, "redundancy": -self._taken, **dict(others)}


def over_picks(
    of_pick: Callable[[int], FloatArray], *, mean: bool = False
) -> Callable[[int], FloatArray]:
    """The sum, or the mean, of something over all picks so far."""
    total, n_picks = np.zeros(1), 0

    def after(pick: int) -> FloatArray:
        nonlocal total, n_picks
        total, n_picks = total + of_pick(pick), n_picks + 1
        return total / n_picks if mean else total

    return after


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
    criterion: FloatArray,
    after_pick: Callable[[int], FloatArray],
    n_select: int,
    title: str,
    verbose: bool = False,
    worth_picking: Callable[[int], int | None] | None = None,
    forced: ForcedFeatures = NOTHING_FORCED,
    final_values: Callable[[], FloatArray] | None = None,
) -> Ranking:
    """Pick the feature with the largest criterion, `n_select` times.

    `criterion` holds the values before the first pick; ``after_pick(feature)`` says
    what they are once a feature is chosen. A picked feature keeps the value of its
    pick as score, the others have their last one and follow in its order. The search
    ends early where ``worth_picking(best)`` returns no feature to pick, the best one or
    another; the best one is picked all the same if it is the first pick. The first
    picks, and features that are never picked, may be `forced`. Values that no pick
    needs may wait for ``final_values()``.
    """
    n_features = criterion.size
    scores = criterion.copy()
    picked, closed = np.zeros((2, n_features), dtype=bool)
    closed[forced.forced_out] = True
    first, picks = forced.forced_in.tolist(), list[int]()
    for step in progress(range(n_select), title, verbose):
        worth: int | None
        if step < len(first):
            worth = pick = first[step]
        else:
            worth = pick = best_of(np.where(closed, -np.inf, criterion))
            if worth_picking is not None:
                worth = worth_picking(pick)
            if worth is None and picks:
                break
            pick = pick if worth is None else worth
        picked[pick] = closed[pick] = True
        picks.append(pick)
        scores[pick] = criterion[pick]
        if step + 1 < n_features:
            criterion = after_pick(pick)
        if worth is None:
            break
    if final_values is not None:
        criterion = final_values()
    scores[~picked] = criterion[~picked]
    others = rank_by_score(np.where(picked, -np.inf, criterion))
    order = np.concatenate([picks, others[: n_features - len(picks)]])
    n_found = None if worth_picking is None else len(picks)
    return Ranking(scores, order.astype(np.int64), len(picks), n_found)
