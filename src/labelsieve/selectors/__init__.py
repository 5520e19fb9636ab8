"""Selectors: one room per method, all with the same scikit-learn interface.

The methods themselves come from the registry, each imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from labelsieve.registry import selector_homes
from labelsieve.selectors._base import LabelSelector as LabelSelector
from labelsieve.selectors._base import check_selector as check_selector
from labelsieve.selectors._capabilities import refuse_blocks as refuse_blocks
from labelsieve.selectors._capabilities import (
    takes_unknown_labels as takes_unknown_labels,
)
from labelsieve.selectors._decided import Decided as Decided
from labelsieve.selectors._decided import size_limits as size_limits
from labelsieve.selectors._explanation import Explanation as Explanation
from labelsieve.selectors._explanation import feature_table as feature_table

if TYPE_CHECKING:
    from labelsieve.selectors.density import EMCFSDensity as EMCFSDensity
    from labelsieve.selectors.shared_and_own import LabelFeatures as LabelFeatures
    from labelsieve.selectors.shared_and_own import SharedAndOwn as SharedAndOwn
    from labelsieve.selectors.shared_and_own import names_of_labels as names_of_labels
    from labelsieve.selectors.shared_and_own import own_table as own_table
    from labelsieve.selectors.sieve import Sieve as Sieve

_ROOM = "labelsieve.selectors"
# What is no method and has no name in the registry.
_OTHERS = {
    "BinaryRelevance": f"{_ROOM}.transformations",
    "EntropyLabelAssignment": f"{_ROOM}.transformations",
    "LabelPowerset": f"{_ROOM}.transformations",
    "PrunedTransformation": f"{_ROOM}.transformations",
    "SharedAndOwn": f"{_ROOM}.shared_and_own",
}
# What other packages use, imported when it is first used.
_SHARED = dict.fromkeys(
    ("LabelFeatures", "names_of_labels", "own_table"), f"{_ROOM}.shared_and_own"
)
_HOMES = {**selector_homes(), **_OTHERS, **_SHARED}

__all__ = sorted([*selector_homes(), *_OTHERS])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
