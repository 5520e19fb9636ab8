"""Selectors by name, for the command line and for experiments."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labelsieve._methods import (
    BASELINES,
    COMPARED,
    COMPARED_BY_NUMBERS,
    LOWEST_REGRET,
    METHODS,
    MODELS,
    REPRODUCED,
    SCORES,
    TRANSFORMATIONS,
    selector_homes,
)
from labelsieve._utils.messages import unknown

if TYPE_CHECKING:
    from labelsieve.selectors import LabelSelector

__all__ = [
    "COMPARED",
    "COMPARED_BY_NUMBERS",
    "LOWEST_REGRET",
    "REPRODUCED",
    "SelectorEntry",
    "describe_selector",
    "make_selector",
    "selector_classes",
    "selector_homes",
    "selector_names",
]


@dataclass(frozen=True)
class SelectorEntry:
    """Name, class, summary and reference of a selector.

    Attributes
    ----------
    name : what users write
    class_name : the class
    description : one line
    reference : where the method was published
    parameters : how this selector differs from the class's defaults
    transformation : name of the transformation's class, for the baselines
    """

    name: str
    class_name: str
    description: str
    reference: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    transformation: str | None = None


def selector_names() -> list[str]:
    """Return the names of all selectors, those of the papers first.

    Examples
    --------
    >>> from labelsieve.registry import selector_names
    >>> selector_names()[:4]
    ['pmu', 'fimf', 'mlqpfs', 'gmba']
    """
    return list(_ENTRIES)


def describe_selector(name: str) -> SelectorEntry:
    """Return the entry of a selector: its class, summary and reference.

    Parameters
    ----------
    name : str
        One of `selector_names`, in upper or lower case.

    Examples
    --------
    >>> from labelsieve.registry import describe_selector
    >>> describe_selector("lp+relieff").description
    'ReliefF on label sets as classes'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"expected the name of a selector, such as 'sieve', got {name!r}."
        )
    entry = _ENTRIES.get(name.lower())
    if entry is None:
        raise ValueError(unknown("selector", name, _ENTRIES))
    return entry


def selector_classes() -> list[type[LabelSelector]]:
    """Return the classes of all selectors, each once, in the order of the names."""
    selectors = importlib.import_module("labelsieve.selectors")
    return [getattr(selectors, name) for name in selector_homes()]


def make_selector(name: str, **parameters: Any) -> LabelSelector:
    """Make an unfitted selector by its name.

    Parameters
    ----------
    name : str
        One of `selector_names`, in upper or lower case.
    **parameters
        Parameters of its class, such as ``n_features_to_select=20``.

    Examples
    --------
    >>> from labelsieve.registry import make_selector
    >>> make_selector("ppt+mi", n_features_to_select=20)
    TransformationSelector(n_features_to_select=20,
                           score_func='mutual_information',
                           transformation=PrunedTransformation(tau=6))
    """
    entry = describe_selector(name)
    selectors = importlib.import_module("labelsieve.selectors")
    settings = {**entry.parameters, **parameters}
    if entry.transformation is not None:
        transformation = getattr(selectors, entry.transformation)
        settings.setdefault("transformation", transformation())
    made: LabelSelector = getattr(selectors, entry.class_name)(**settings)
    return made


def _baseline(name: str, reference: str) -> SelectorEntry:
    transformation, score = name.split("+")
    class_name, classes = TRANSFORMATIONS[transformation]
    score_func, statistic = SCORES[score]
    said, settings = f"{statistic} on {classes}", {"score_func": score_func}
    kind = "TransformationSelector"
    return SelectorEntry(name, kind, said, reference, settings, class_name)


def _model(name: str, reference: str) -> SelectorEntry:
    said = f"importance for each label in a model ({name}), less redundancy"
    settings = {"estimator": name}
    return SelectorEntry(f"model+{name}", "SelectByModel", said, reference, settings)


_ENTRIES: dict[str, SelectorEntry] = {
    entry.name: entry
    for entry in (
        *(
            SelectorEntry(name, home.split(".")[1], said, reference)
            for name, home, said, reference in METHODS
        ),
        *(_model(*model) for model in MODELS.items()),
        *(_baseline(*baseline) for baseline in BASELINES.items()),
    )
}
