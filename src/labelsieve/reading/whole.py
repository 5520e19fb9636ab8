"""Whole numbers too large for float64, in which features are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.messages import warn
from labelsieve.reading.missing import listed_names

# Beyond this not every whole number is a float64.
EXACT = 2**53
LARGEST = int(np.finfo(np.float64).max)


def warn_rounded(names: Sequence[Any], what: str) -> None:
    """Warn which columns hold different numbers that are the same as float64."""
    if names:
        warn(
            f"{what} holds whole numbers beyond 2**53 that differ but are the same as "
            f"float64, and are taken as equal, in column(s) {listed_names(names)}. "
            "Subtract the smallest number of the column, or leave the column out if "
            "its numbers are only names."
        )


def rounded_columns(table: Any) -> list[int]:
    """Columns in which float64 makes different whole numbers the same."""
    cells = table.data if sp.issparse(table) else table
    if cells.dtype == object:
        refuse_huge(cells.ravel())
    if table.ndim != 2 or not rounds(cells):
        return []
    columns = table.T
    if sp.issparse(table):
        by_column = table.tocsc()
        columns = np.split(by_column.data, by_column.indptr[1:-1])
    return [j for j, column in enumerate(columns) if rounds(column)]


def refuse_huge(cells: Iterable[Any], name: Any = None) -> None:
    """Raise for a whole number of Python's that is too large for any float64."""
    for cell in cells:
        if isinstance(cell, int) and abs(cell) > LARGEST:
            where = "" if name is None else f" in column {name!r}"
            raise ValueError(
                f"Input X contains a whole number of {cell.bit_length()} bits{where}: "
                "a value too large for dtype('float64')."
            )


def rounds(cells: NDArray[Any]) -> bool:
    """Whether float64 makes different whole numbers among the cells the same."""
    if cells.dtype == object:
        whole = (cell for cell in cells.ravel() if isinstance(cell, int))
        large = {cell for cell in whole if abs(cell) >= EXACT}
        return len({float(cell) for cell in large}) < len(large)
    if cells.dtype.kind not in "iu" or cells.dtype.itemsize <= 4 or not cells.size:
        return False
    if cells.max() <= EXACT and int(cells.min()) >= -EXACT:
        return False
    distinct = np.unique(cells)
    return bool(np.unique(distinct.astype(np.float64)).size < distinct.size)
