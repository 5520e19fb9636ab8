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


@njit
def scan_rows(start, index, width):
    """Whether rows are sorted without repeats, within the table, or broken."""
    n_rows, n_stored = start.size - 1, index.size
    if start[0] != 0 or start[n_rows] > n_stored:
        return BROKEN
    n_falls, outside = 0, False
    for r in range(n_rows):
        low, high = start[r], start[r + 1]
        if high < low:
            return BROKEN
        if high > n_stored:
            return BROKEN
        if low < high:
            outside |= index[low] < 0 or index[high - 1] >= width
            # Where a row begins, indices may fall.
            n_falls += low > 0 and index[low] <= index[low - 1]
    for p in range(1, start[n_rows]):
        n_falls -= index[p] <= index[p - 1]
    if n_falls == 0:
        # Then each row rises, and its ends stand for all between them.
        return BROKEN if outside else CANONICAL
    for p in range(start[n_rows]):
        outside |= index[p] < 0 or index[p] >= width
    return BROKEN if outside else UNSORTED
