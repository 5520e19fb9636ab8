"""Kernels over the cells of a row block: digits of values.

A block comes as its cells: `column` of each (empty for a dense block, whose cells
are listed row after row), and the bits of their values.
"""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit

DIGIT_BITS = 12
N_DIGITS = 1 << DIGIT_BITS


@njit
def count_digits(bits, column, n_columns, start, prefix, ahead, shift, out):
    """out[t, d] += cells of target t whose next digit is d, zero cells left out.

    The targets of column j are start[j] .. start[j + 1]; a cell belongs to target t
    if its ordered bits but the last `ahead` are prefix[t]; its digit is what follows
    but the last `shift` bits.
    """
    last = (np.uint64(1) << np.uint64(ahead - shift)) - np.uint64(1)
    j = np.uint64(0)
    for p in range(np.uint64(bits.size)):
        if column.size:
            j = np.uint64(column[p])
        if bits[p] << np.uint64(1):
            key = ordered(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    out[t, (key >> np.uint64(shift)) & last] += np.uint32(1)
        if not column.size:
            j += np.uint64(1)
            if j == np.uint64(n_columns):
                j = np.uint64(0)


@njit
def find_cells(bits, column, n_columns, start, prefix, ahead, target, place):
    """List the cells that belong to a target; returns how many there are."""
    n_found = 0
    j = np.uint64(0)
    for p in range(np.uint64(bits.size)):
        if column.size:
            j = np.uint64(column[p])
        if bits[p] << np.uint64(1):
            key = ordered(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    if n_found < target.size:
                        target[n_found] = t
                        place[n_found] = p
                    n_found += 1
        if not column.size:
            j += np.uint64(1)
            if j == np.uint64(n_columns):
                j = np.uint64(0)
    return n_found


@njit
def ordered(bits):
    """The bits of a double as an integer in the order of the numbers."""
    sign = np.uint64(1) << np.uint64(63)
    return ~bits if bits & sign else bits | sign


@njit
def starts_with(key, ahead, prefix):
    """Whether what stands before the last `ahead` bits is the prefix."""
    return ahead >= np.uint64(64) or key >> ahead == prefix
