"""Packages that only some uses need: loaded late, and named where they are missing."""

from __future__ import annotations

import importlib
from typing import Any


def need(module: str, use: str, extra: str) -> Any:
    """Import a module that `use` needs, or say which extra installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"{use} needs {package}: pip install 'labelsieve[{extra}]'", name=error.name
        ) from error
