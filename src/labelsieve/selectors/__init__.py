"""Selectors: one module per method, all with the same scikit-learn interface.

The methods themselves come from the registry, each imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from labelsieve.registry import selector_homes
from labelsieve.selectors._base import LabelSelector as LabelSelector
from labelsieve.selectors._base import Parameters as Parameters
from labelsieve.selectors._base import check_selector as check_selector
from labelsieve.selectors._capabilities import OF_TYPE as OF_TYPE
from labelsieve.selectors._capabilities import can as can
from labelsieve.selectors._capabilities import needed_for as needed_for
from labelsieve.selectors._capabilities import refuse_asked as refuse_asked
from labelsieve.selectors._capabilities import refuse_blocks as refuse_blocks
from labelsieve.selectors._explain import explain as explain
from labelsieve.selectors._explanation import Explanation as Explanation
from labelsieve.selectors._explanation import coverage as coverage
from labelsieve.selectors._explanation import feature_table as feature_table
from labelsieve.selectors._feature_groups import FeatureGroups as FeatureGroups
from labelsieve.selectors._forced import ForcedFeatures as ForcedFeatures
from labelsieve.selectors._forced import size_limits as size_limits
from labelsieve.selectors._substitutes import fit_longer as fit_longer

if TYPE_CHECKING:
    from labelsieve.selectors.by_model import SelectByModel as SelectByModel
    from labelsieve.selectors.by_model import fewer as fewer
    from labelsieve.selectors.by_model import named_model as named_model
    from labelsieve.selectors.by_model import takes_many as takes_many
    from labelsieve.selectors.density import EMCFSDensity as EMCFSDensity
    from labelsieve.selectors.label_specific import LabelFeatures as LabelFeatures
    from labelsieve.selectors.label_specific import (
        LabelSpecificSelector as LabelSpecificSelector,
    )
    from labelsieve.selectors.label_specific import names_of_labels as names_of_labels
    from labelsieve.selectors.label_specific import specific_table as specific_table
    from labelsieve.selectors.sieve import Sieve as Sieve

_PACKAGE = "labelsieve.selectors"
# What is no method and has no name in the registry.
_OTHERS = {
    "BinaryRelevance": f"{_PACKAGE}.transformations",
    "EntropyLabelAssignment": f"{_PACKAGE}.transformations",
    "LabelPowerset": f"{_PACKAGE}.transformations",
    "PrunedTransformation": f"{_PACKAGE}.transformations",
    "LabelSpecificSelector": f"{_PACKAGE}.label_specific",
}
# What other packages use, imported when it is first used.
_SHARED = dict.fromkeys(
    ("LabelFeatures", "names_of_labels", "specific_table"), f"{_PACKAGE}.label_specific"
)
_SHARED |= dict.fromkeys(("fewer", "named_model", "takes_many"), f"{_PACKAGE}.by_model")
_HOMES = {**selector_homes(), **_OTHERS, **_SHARED}

__all__ = sorted([*selector_homes(), *_OTHERS])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
