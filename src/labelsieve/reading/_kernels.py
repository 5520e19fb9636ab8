"""Kernels over cells of tables as users pass them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit

CANONICAL, UNSORTED, BROKEN = 0, 1, 2
CHUNK = 2**20  # cells that are counted in 32 bits, which is twice as fast


@njit
def scan_rows(
    start: NDArray[np.integer[Any]], index: NDArray[np.integer[Any]], width: int
) -> int:
    """Whether rows are sorted without repeats, within the table, or broken.

    start: int32 or int64[rows + 1], where the cells of each row begin
    index: int32 or int64[cells], the column of each
    width: number of columns
    """
    n_rows = start.size - 1
    broken = start[0] != 0 or start[n_rows] > index.size
    for r in range(n_rows):
        broken |= start[r + 1] < start[r]
    if broken:
        return BROKEN
    n_falls, inside = _scan_cells(index[: start[n_rows]], width)
    for r in range(1, n_rows):
        low = start[r]
        if 0 < low < start[r + 1]:
            # Where a row begins, indices may fall.
            n_falls -= index[low] <= index[low - 1]
    if not inside:
        return BROKEN
    return CANONICAL if n_falls == 0 else UNSORTED


@njit
def _scan_cells(index: NDArray[np.integer[Any]], width: int) -> tuple[int, bool]:
    """How often indices do not rise, and whether all of them are columns.

    index: int32 or int64[cells], the column of each
    """
    if index.size == 0:
        return 0, True
    lowest = highest = index[0]
    n_falls = 0
    for first in range(1, index.size, CHUNK):
        part = index[first : first + CHUNK]
        before = index[first - 1 : first - 1 + part.size]
        falls = np.int32(0)
        for p in range(part.size):
            lowest, highest = min(lowest, part[p]), max(highest, part[p])
            falls = np.int32(falls + np.int32(part[p] <= before[p]))
        n_falls += int(falls)
    return n_falls, lowest >= 0 and highest < width
