"""Multi-label feature selection for scikit-learn."""

from __future__ import annotations

import importlib
import os

from labelsieve._methods import selector_homes

__version__ = "0.1.0"

# The documentation in Markdown: part of the wheel, or beside the sources.
__docs_dir__ = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_docs")
if not os.path.isdir(__docs_dir__):
    __docs_dir__ = os.path.normpath(os.path.join(__docs_dir__, "../../../docs"))

# Where each public name lives. Names are imported when first used, so that
# `import labelsieve` (and `labelsieve --help`) stay instant.
_PACKAGES = {
    "labelsieve.choosing": [
        "PermutationPValues",
        "Quality",
        "RecursiveElimination",
        "SizeCV",
        "StabilitySelection",
        "evaluate_selection",
        "permutation_p_values",
        "reduce",
    ],
    "labelsieve.classifiers": [
        "BRLogistic",
        "BRkNN",
        "CCkNN",
        "EMCFS",
        "LIFT",
        "MLNB",
        "MLkNN",
        "RankSVM",
        "label_scores",
        "path_scores",
    ],
    "labelsieve.datasets": [
        "Dataset",
        "FormatError",
        "find_dataset",
        "load",
        "load_segments",
        "make_multilabel",
        "save",
    ],
    "labelsieve.describing": ["DataDescription", "describe"],
    "labelsieve.discretization": ["Discretizer"],
    "labelsieve.experiments": ["compare"],
    "labelsieve.folds": ["LabelFolds"],
    "labelsieve.information": [
        "conditional_mutual_information",
        "entropy",
        "interaction_information",
        "mutual_information",
    ],
    "labelsieve.metrics": ["evaluate", "scorer"],
    "labelsieve.reading": ["split_tags", "with_unknown"],
    "labelsieve.registry": ["describe_selector", "make_selector", "selector_names"],
    "labelsieve.report": ["write_report"],
    "labelsieve.selectors": [
        *selector_homes(),
        "BinaryRelevance",
        "EntropyLabelAssignment",
        "LabelPowerset",
        "PrunedTransformation",
        "LabelSpecificSelector",
    ],
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}{_question(name)}"
        )
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def _question(name: str) -> str:
    """Ask for the public name that a mistyped one looks like."""
    if name.startswith("_"):  # Python and tools ask for many that may be missing
        return ""
    from labelsieve._utils.messages import nearest

    near = nearest(name, _HOMES)
    return "" if near is None else f"; did you mean {near!r}?"
