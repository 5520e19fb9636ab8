"""labelsieve chooses the features that matter when every row carries many labels."""

from __future__ import annotations

import importlib

__version__ = "0.1.0.dev0"

# Where each public name lives. Names are imported when first used, so that
# `import labelsieve` (and `labelsieve --help`) stay instant.
_HOMES = {
    "Discretizer": "labelsieve.discretization",
    "FIMF": "labelsieve.selectors",
    "MLQPFS": "labelsieve.selectors",
    "PMU": "labelsieve.selectors",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
