"""Whole numbers too large for float64, in which features are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.messages import warn

# Beyond this not every whole number is a float64.
EXACT = 2**53
LARGEST = int(np.finfo(np.float64).max)
LISTED_AT_MOST = 5


def warn_rounded(names: Sequence[Any], what: str) -> None:
    """Tell which columns hold different numbers that are the same as float64."""
    if not names:
        return
    listed = ", ".join(repr(name) for name in names[:LISTED_AT_MOST])
    more = ", ..." if len(names) > LISTED_AT_MOST else ""
    warn(
        f"{what} holds whole numbers beyond 2**53 that differ but are the same as "
        f"float64, and are taken as equal, in column(s) {listed}{more}. Subtract the "
        "smallest number of the column, or leave the column out if its numbers are "
        "only names."
    )


def rounded_columns(table: NDArray[Any]) -> list[int]:
    """Columns of an array in which float64 makes different whole numbers the same."""
    if table.dtype == object:
        refuse_huge(table.ravel())
    if table.ndim != 2 or not may_round(table):
        return []
    return [j for j, column in enumerate(table.T) if rounds(column)]


def rounded_sparse_columns(table: Any) -> list[int]:
    """The same of a CSR table."""
    if not may_round(table.data):
        return []
    by_column = table.tocsc()
    parts = np.split(by_column.data, by_column.indptr[1:-1])
    return [j for j, cells in enumerate(parts) if rounds(cells)]


def refuse_huge(cells: Iterable[Any], name: Any = None) -> None:
    """Raise for a whole number of Python's that is too large for any float64."""
    for cell in cells:
        if isinstance(cell, int) and abs(cell) > LARGEST:
            where = "" if name is None else f" in column {name!r}"
            raise ValueError(
                f"Input X contains a whole number of {cell.bit_length()} bits{where}: "
                "a value too large for dtype('float64')."
            )


def may_round(cells: NDArray[Any]) -> bool:
    """Whether there may be whole numbers that float64 does not hold."""
    if cells.dtype == object:
        return True
    wide = cells.dtype.kind in "iu" and cells.dtype.itemsize > 4
    return bool(
        wide and cells.size and (cells.max() > EXACT or int(cells.min()) < -EXACT)
    )


def rounds(cells: NDArray[Any]) -> bool:
    """Whether float64 makes different whole numbers among the cells the same."""
    if cells.dtype == object:
        large = {cell for cell in cells if isinstance(cell, int) and abs(cell) >= EXACT}
        return len({float(cell) for cell in large}) < len(large)
    if not may_round(cells):
        return False
    distinct = np.unique(cells)
    return bool(np.unique(distinct.astype(np.float64)).size < distinct.size)
