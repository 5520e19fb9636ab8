"""Kernels over the columns of sparse tables."""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit


@njit
def count_columns(index, out):
    """out[column] += 1 for each stored cell."""
    for p in range(np.uint64(index.size)):
        out[np.uint64(index[p])] += 1


@njit
def all_equal(values, value):
    """Whether all values are the given one."""
    n_others = 0
    for p in range(values.size):
        n_others += values[p] != value
    return n_others == 0


CANONICAL, UNSORTED, BROKEN = 0, 1, 2
CHUNK = 2**20  # cells that are counted in 32 bits, which is twice as fast


@njit
def scan_rows(start, index, width):
    """Whether rows are sorted without repeats, within the table, or broken."""
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
def _scan_cells(index, width):
    """How often indices do not rise, and whether all of them are columns."""
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
