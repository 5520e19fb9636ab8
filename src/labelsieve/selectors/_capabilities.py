"""What a method can do and what it needs, as its class says it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelsieve._utils.typing import IntArray
from labelsieve.blocks import is_lazy
from labelsieve.reading import BIN, Labels, refuse_missing
from labelsieve.registry import selector_classes

if TYPE_CHECKING:
    from labelsieve.selectors._base import LabelSelector

# What to do where rows in blocks are refused.
SAMPLE = (
    "Fit it on a sample in memory, fit(*labelsieve.datasets.sample_rows(X, y, 5_000))"
)
# What targets of a type need.
OF_TYPE = {"number": "takes_numbers", "class": "takes_classes"}
# Yes, no, or: with these values of these parameters.
Condition = bool | Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Capabilities:
    """What a method can do and what it needs."""

    row_blocks: Condition = False  # ranks rows in blocks, as in Dask collections
    codes_features: Condition = False  # sees codes, with `n_bins` and `binning`
    picks_greedily: Condition = False  # its order is exact only as far as asked for
    takes_classes: Condition = True  # targets may have more than two values
    takes_missing: Condition = False  # cells of X may be missing
    takes_unknown: Condition = False  # cells of Y may be unknown
    takes_numbers: Condition = False  # targets may be numbers
    takes_mixtures: Condition = False  # and others of them classes
    takes_weights: Condition = False  # samples may have a weight
    takes_groups: Condition = False  # columns may be groups, selected as a whole


def holds(selector: LabelSelector, condition: Condition) -> bool:
    """Whether the parameters of a selector fulfil a condition."""
    return condition is not False and all(
        isinstance(value := getattr(selector, parameter), Hashable) and value in allowed
        for parameter, allowed in _wanted(condition)
    )


def can(selector: LabelSelector, *needed: str) -> bool:
    """Whether a selector, with its parameters, has capabilities."""
    return all(holds(selector, getattr(selector._capabilities, n)) for n in needed)


def needed_for(types: Collection[str], are_unknown: bool) -> list[str]:
    """The capabilities that targets of these types need."""
    needed = [needed for kind, needed in OF_TYPE.items() if kind in types]
    needed += ["takes_mixtures"] if len(needed) > 1 else []
    return needed + (["takes_unknown"] if are_unknown else [])


def refuse_blocks(selector: LabelSelector) -> None:
    """TypeError where the selector, with its parameters, takes no row blocks."""
    if not can(selector, "row_blocks"):
        who, way_out = _without(selector, "row_blocks")
        raise TypeError(
            f"{who} needs all rows at once, so it takes no Dask collections. {SAMPLE}"
            f"{way_out}."
        )


def refuse_missing_cells(selector: LabelSelector, n_missing: IntArray | None) -> None:
    """ValueError where cells are missing and the selector needs all of them."""
    if n_missing is None or not n_missing.any() or can(selector, "takes_missing"):
        return
    who, way_out = _without(selector, "takes_missing")
    names = getattr(selector, "feature_names_in_", range(n_missing.size))
    refuse_missing(n_missing, names, who, way_out)


def refuse_unknown_labels(selector: LabelSelector, labels: Labels) -> None:
    """ValueError where labels are not known and the selector needs all of them."""
    if labels.n_unknown is not None and not can(selector, "takes_unknown"):
        labels.refuse_unknown(*_without(selector, "takes_unknown", labels))


def refuse_numeric_targets(selector: LabelSelector, labels: Labels) -> None:
    """ValueError where a target is a number and the selector needs classes."""
    if labels.scores and not can(selector, "takes_numbers"):
        who, way_out = _without(selector, "takes_numbers", labels)
        name = labels.names[min(labels.scores)]
        n_bins = 2 if selector._wants_two_values() else 4
        takes_bins = hasattr(selector, "n_target_bins")
        bins = f"pass n_target_bins={n_bins}" if takes_bins else BIN
        raise ValueError(
            f"Unknown label type: continuous. {who} needs labels or classes, and "
            f"target {name!r} is a number: {bins}{way_out}. If its values are names of "
            "classes, make them text: y.astype(str)."
        )


def refuse_classes(selector: LabelSelector, labels: Labels) -> None:
    """ValueError where a target has several values and the selector needs two."""
    if (labels.n_values > 2).any() and selector._wants_two_values():
        labels.refuse_several_values(*_without(selector, "takes_classes", labels))


def refuse_asked(selector: LabelSelector, what: str, X: Any, y: Any) -> None:
    """TypeError where "sample_weight" or "feature_groups" are not taken."""
    needed = f"takes_{what.partition('_')[2].removesuffix('s')}s"
    if not can(selector, needed):
        who, way_out = _without(selector, needed)
        way_out = way_out.replace("takes them", "takes it")
        raise TypeError(f"{who} takes no {what}. Leave it out{way_out}.")
    if is_lazy(X) or is_lazy(y):
        raise TypeError(
            f"{what} is for tables in memory, not for Dask collections: draw some "
            "samples with labelsieve.datasets.sample_rows."
        )


def _without(
    selector: LabelSelector, first: str, labels: Labels | None = None
) -> tuple[str, str]:
    """Who does not take something, and what does, and takes these labels."""
    who = type(selector).__name__
    for parameter, allowed in _wanted(getattr(selector._capabilities, first)):
        value = getattr(selector, parameter)
        if value not in allowed:
            way_out = f"{parameter}={_any_of([repr(one) for one in allowed])}"
            return f"{who} with {parameter}={value!r}", f", or use {way_out}"
    needed = [first]
    if labels is not None:
        needed += needed_for(labels.types, labels.n_unknown is not None)
    kinds = {k.__name__: vars(k._capabilities) for k in selector_classes()}
    takers = _any_of([name for name, can in kinds.items() if all(map(can.get, needed))])
    return who, f", or use a selector that takes them: {takers}"


def _wanted(condition: Condition) -> Iterable[tuple[str, tuple[Any, ...]]]:
    """The parameters that a condition names, with the values it allows."""
    return () if isinstance(condition, bool) else condition.items()


def _any_of(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
