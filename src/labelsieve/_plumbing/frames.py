"""Answers as a table of the library that the user works with."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any


def frame_of(columns: Mapping[str, Any]) -> Any:
    """A DataFrame of the columns: polars where only polars is loaded, else pandas."""
    if "polars" in sys.modules and "pandas" not in sys.modules:
        return sys.modules["polars"].DataFrame(columns)
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a table of the answer needs pandas or polars, and neither is installed: "
            "pip install 'labelsieve[tables]'"
        ) from error
    return pandas.DataFrame(columns)
