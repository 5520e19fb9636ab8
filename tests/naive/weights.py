"""Weights and groups, slowly: rows that are repeated, and columns that are joined."""

from __future__ import annotations

from typing import Any

import numpy as np


def repeated(weight: Any, *tables: Any) -> tuple[Any, ...]:
    """Each row as often as its weight says."""
    return tuple(np.repeat(table, weight, axis=0) for table in tables)


def joined(columns: Any) -> Any:
    """The combination of the values in each row, as one category; large ones first."""
    rows = [tuple(row) for row in columns]
    codes = {row: code for code, row in enumerate(sorted({*rows}, reverse=True))}
    return np.array([codes[row] for row in rows])


def effective_sample_size(weight: Any) -> float:
    """(sum w)^2 / sum w^2."""
    return sum(weight) ** 2 / sum(w * w for w in weight)
