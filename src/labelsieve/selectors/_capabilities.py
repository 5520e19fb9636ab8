"""What a method can do and what it needs, as its class says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelsieve.registry import selector_classes

if TYPE_CHECKING:
    from labelsieve.selectors._base import LabelSelector

# Yes, no, or: with these values of these parameters.
Condition = bool | Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Capabilities:
    """What a method can do and what it needs.

    Attributes
    ----------
    row_blocks : whether it ranks rows in blocks, as Dask collections have them
    needs_anchors : whether it does so with `n_anchors` only
    codes_features : whether it sees codes, with the parameters `n_bins` and `binning`
    picks_greedily : whether its order is exact only as far as it was asked for
    two_valued_labels : whether labels must have two values
    """

    row_blocks: Condition = False
    needs_anchors: bool = False
    codes_features: bool = False
    picks_greedily: Condition = False
    two_valued_labels: bool = False


def holds(selector: LabelSelector, condition: Condition) -> bool:
    """Whether a condition is fulfilled by the parameters of a selector."""
    if isinstance(condition, bool):
        return condition
    return not any(True for _ in _hindrances(selector, condition))


def refuse_blocks(selector: LabelSelector) -> None:
    """TypeError where the selector, with its parameters, takes no row blocks."""
    name, wanted = type(selector).__name__, selector._capabilities
    if wanted.row_blocks is False:
        raise TypeError(
            f"{name} needs all rows at once, so it takes no Dask collections. Fit it "
            "on a sample of the rows in memory (see the page on scaling), or use "
            f"{_alternatives()}."
        )
    if wanted.needs_anchors and getattr(selector, "n_anchors", None) is None:
        raise TypeError(
            f"{name} compares rows with rows, so it takes Dask collections only with "
            "anchors, rows that stand for all: set n_anchors, for example "
            "n_anchors=1000."
        )
    if isinstance(wanted.row_blocks, bool):
        return
    for parameter, allowed in _hindrances(selector, wanted.row_blocks):
        raise TypeError(
            f"{name} with {parameter}={getattr(selector, parameter)!r} needs all rows "
            "at once, so it takes no Dask collections. Use "
            f"{parameter}={_any_of([repr(value) for value in allowed])}, or fit on a "
            "sample of the rows in memory."
        )


def _hindrances(
    selector: LabelSelector, condition: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The parameters with other values than wanted, and those values."""
    for parameter, allowed in condition.items():
        if getattr(selector, parameter) not in allowed:
            yield parameter, allowed


def _alternatives() -> str:
    """The methods that take row blocks, by the names of their classes."""
    can = [kind for kind in selector_classes() if kind._capabilities.row_blocks]
    plain = [k.__name__ for k in can if not k._capabilities.needs_anchors]
    anchored = [k.__name__ for k in can if k._capabilities.needs_anchors]
    return f"{', '.join(plain)}, or {_any_of(anchored)} with n_anchors"


def _any_of(names: list[str]) -> str:
    return " or ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])
