"""What the user says of single features: which must be in or out, what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._utils.messages import nearest
from labelsieve._utils.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from labelsieve.selectors._base import LabelSelector, Ranking

# How a parameter names features: by their names, or by the indices of their columns.
FeatureNames = Sequence[str] | Sequence[int] | None
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class ForcedFeatures:
    """Features whose places the user has decided."""

    forced_in: IntArray  # they come first, in their order
    forced_out: IntArray  # they are never selected

    @classmethod
    def of(cls, selector: LabelSelector, named: Any = None) -> ForcedFeatures:
        """What `include` and `exclude` say of features that are known by now.

        Their number and names are those that the selector, or `named`, has seen.
        """
        if selector.include is None and selector.exclude is None:
            return NOTHING_FORCED
        seen = selector if named is None else named
        first, never = (
            _places(getattr(selector, parameter), parameter, seen)
            for parameter in ("include", "exclude")
        )
        both = np.intersect1d(first, never)
        if both.size:
            raise ValueError(
                f"include and exclude both name {_name(seen, both[0])!r}: it can only "
                "be in one of them."
            )
        if never.size == seen.n_features_in_:
            raise ValueError(
                f"exclude names all {never.size} features: none is left to select."
            )
        return cls(first, never)

    def among(self, kept: IntArray) -> ForcedFeatures:
        """The same of some features, by their places among these."""
        if not self.forced_in.size and not self.forced_out.size:
            return self
        place = {int(feature): position for position, feature in enumerate(kept)}
        return ForcedFeatures(
            *(
                np.array([place[f] for f in of.tolist() if f in place], dtype=np.int64)
                for of in (self.forced_in, self.forced_out)
            )
        )

    def arrange(self, ranking: Ranking) -> Ranking:
        """The ranking with these features in their places."""
        if not self.forced_in.size and not self.forced_out.size:
            return ranking
        order = ranking.order
        never = np.isin(order, self.forced_out)
        others = order[~never & ~np.isin(order, self.forced_in)]
        arranged = np.concatenate([self.forced_in, others, order[never]])
        ends = self._reach(order, ranking.n_exact), self._reach(order, ranking.n_found)
        return type(ranking)(ranking.scores, arranged, *ends)

    def _reach(self, order: IntArray, end: int | None) -> int | None:
        """How far a beginning of the order reaches with all that must be in it."""
        if end is None:
            return None
        begins = order[:end]
        n_never = int(np.isin(begins, self.forced_out).sum())
        return end - n_never + int((~np.isin(self.forced_in, begins)).sum())


NOTHING_FORCED = ForcedFeatures(NONE, NONE)


def size_limits(selector: LabelSelector, n_features: int) -> tuple[int, int]:
    """The fewest and the most of so many features that a selector may keep."""
    n_first, n_never = (
        0 if which is None else len(which)
        for which in (selector.include, selector.exclude)
    )
    return max(1, n_first), n_features - n_never


def _places(which: FeatureNames, parameter: str, seen: Any) -> IntArray:
    """The columns that a parameter names, in its order; those of a set in theirs."""
    if which is None:
        return NONE
    named = which.tolist() if isinstance(which, np.ndarray) else list(which)
    places = [place_of(feature, parameter, seen) for feature in named]
    if len(set(places)) < len(places):
        repeated = next(p for n, p in enumerate(places) if p in places[:n])
        raise ValueError(f"{parameter} names {_name(seen, repeated)!r} twice.")
    if isinstance(which, set | frozenset):
        places.sort()
    return np.array(places, dtype=np.int64)


def costs_of(selector: Any, features: IntArray) -> FloatArray | None:
    """What some features cost, None where `feature_costs` says nothing of it."""
    given, n_features = selector.feature_costs, selector.n_features_in_
    if given is None:
        if selector.max_cost is not None:
            raise ValueError("max_cost needs feature_costs, which are not given.")
        return None
    names = getattr(given, "index", ())
    if hasattr(given, "to_dict") and all(isinstance(name, str) for name in names):
        given = given.to_dict()  # a Series has names, in any order
    places, named = list(range(n_features)), given
    if isinstance(given, Mapping):
        places = [place_of(name, "feature_costs", selector) for name in given]
        named = [*given.values()]
    try:
        values = np.asarray(named, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    is_cost = np.isfinite(values) & (values > 0)
    if values.shape != (len(places),) or not is_cost.all():
        raise ValueError(
            f"feature_costs is {given!r}; expected a number above zero for each of "
            f"{n_features} features, or a dict of some by name."
        )
    costs = np.ones(n_features)
    costs[places] = values
    least = costs[features].min(initial=np.inf)
    if selector.max_cost is not None and least > selector.max_cost:
        raise ValueError(
            f"max_cost={selector.max_cost} is less than any feature costs; the "
            f"cheapest one costs {least:g}."
        )
    return costs[features]


def place_of(feature: Any, parameter: str, seen: Any) -> int:
    """The column that is meant by a name or an index."""
    n_features = seen.n_features_in_
    if isinstance(feature, str):
        names = getattr(seen, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                f"{parameter} holds the name {feature!r}, but X has no names of "
                "features: pass a DataFrame, or indices of columns."
            )
        (found,) = np.nonzero(names == feature)
        if not found.size:
            if feature in (members := getattr(seen, "_members", {})):
                raise ValueError(
                    f"{parameter} holds {feature!r}, a column of the group "
                    f"{members[feature]!r}: name the group."
                )
            near = nearest(feature, names)
            question = "" if near is None else f"; did you mean {near!r}?"
            raise ValueError(f"{parameter}: X has no feature {feature!r}{question}")
        return int(found[0])
    if isinstance(feature, bool | np.bool_) or not isinstance(feature, Integral):
        raise TypeError(
            f"{parameter} holds {feature!r}; expected names of features, or indices "
            f"from 0 to {n_features - 1}."
        )
    if not 0 <= (place := int(feature)) < n_features:
        raise ValueError(
            f"{parameter} holds the index {place}; expected 0 to {n_features - 1}, "
            f"because X has {n_features} features."
        )
    return place


def _name(seen: Any, place: int) -> Any:
    return getattr(seen, "feature_names_in_", range(seen.n_features_in_))[place]
