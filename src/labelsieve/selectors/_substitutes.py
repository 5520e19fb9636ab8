"""What is selected where one of the chosen features cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from labelsieve._utils.typing import IntArray
from labelsieve.selectors._base import LabelSelector, Ranking
from labelsieve.selectors._capabilities import holds
from labelsieve.selectors._forced import ForcedFeatures, size_limits

if TYPE_CHECKING:
    from labelsieve.selectors._greedy import GreedySearch

# The share of a budget of seconds that may be spent.
SHARE = 0.75


def working_seconds() -> float:
    """Processor seconds so far, without those of compiling."""
    from labelsieve._utils import compile  # imports numba

    return compile.working_seconds()


@dataclass
class Substitutes:
    """What else is picked without one of the first `size` picks, as time allows.

    A search goes on without a feature before it would be picked: excluding it changes
    nothing before. `found` has all picks by the feature that is left out. The budget is
    known once it is known how many seconds all else takes.
    """

    size: int
    budget: Callable[[float], float]
    found: dict[int, IntArray] = field(default_factory=dict)
    spent: float = 0.0
    begin: float = field(default_factory=working_seconds)

    @property
    def seconds(self) -> float:
        """The budget."""
        return self.budget(working_seconds() - self.begin - self.spent)

    def look(self, feature: int, search: Callable[[], Any]) -> None:
        """Search without a feature, if there is time."""
        if self.spent < SHARE * self.seconds:
            begin = working_seconds()
            self.found[feature] = np.asarray(search(), dtype=np.int64)
            self.spent += working_seconds() - begin

    def look_beside(self, search: GreedySearch, pick: int) -> None:
        """Go on without a feature that is about to be picked."""
        if len(search.first) <= len(search.picks) < self.size:
            self.look(pick, lambda: search.picks_without(pick, self.size))


def fit_longer(
    selector: LabelSelector,
    X: Any,
    Y: Any,
    budget: Callable[[float], float],
    **weight: Any,
) -> tuple[LabelSelector, dict[int, IntArray], float]:
    """Rank twice as many features as a fitted selector keeps, and without each.

    Returns a selector of as many, if there are, which begin with the same ones;
    by feature what is kept without it; and the seconds that are left of the budget,
    which depends on those of the fit, and of which three quarters may be spent.
    """
    chosen: Any = selector._by_group()
    size, forced = int(chosen.support_.sum()), ForcedFeatures.of(chosen)
    _, possible = size_limits(chosen, chosen.n_features_in_)
    order, n_others = chosen.order_[:size], min(size, possible - 1)
    most = min(possible, 2 * size)
    is_auto = selector.n_features_to_select == "auto"
    stops = is_auto or getattr(selector, "max_cost", None) is not None
    longer: Any = clone(selector)
    if not is_auto:
        longer.set_params(n_features_to_select=most)
    looks = longer._substitutes = Substitutes(possible if stops else size, budget)
    longer.fit(X, Y, **weight)
    found = vars(longer).pop("_substitutes").found  # no part of what was fitted
    for feature, picks in found.items():
        out = ForcedFeatures(forced.forced_in, np.append(forced.forced_out, feature))
        found[feature] = out.arrange(Ranking(chosen.scores_, picks)).order
    if not found and n_others:
        # A method without picks ranks all features at once; but elimination asks
        # models of the features that are left.
        is_search = holds(selector, selector._capabilities.picks_greedily)
        at_once = not is_search and getattr(selector, "step", None) is None
        everything = longer._by_group().order_
        again: Any = clone(selector).set_params(n_features_to_select=size)
        never = [] if selector.exclude is None else list(selector.exclude)
        for feature in order[~np.isin(order, forced.forced_in)].tolist():
            again.set_params(exclude=[*never, feature])
            if at_once:
                found[feature] = everything[everything != feature]
            else:
                looks.look(
                    feature, lambda: again.fit(X, Y, **weight)._by_group().order_
                )
    if not stops:
        found = {feature: some[:n_others] for feature, some in found.items()}
    if is_auto:
        longer = clone(selector).set_params(n_features_to_select=most)
        longer.set_params(include=order.tolist()).fit(X, Y, **weight)
    return longer, found, max(0.0, looks.seconds - looks.spent)
