"""Kernels over the cells of a row block: what each column holds.

A block comes as its cells: `column` of each (empty for a dense block, whose cells
are listed row after row), and their values.
"""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit


@njit
def summarize(values, column, few, n_few, low, high, second, n_negative, n_positive):
    """Add the cells to what is known of each column.

    few[j, :n_few[j]] are its distinct values until there are more than the table
    holds; `second` is the largest value but `high`.
    """
    n_columns = np.uint64(n_few.size)
    j = np.uint64(0)
    for p in range(np.uint64(values.size)):
        if column.size:
            j = np.uint64(column[p])
        x = values[p]
        if x < 0:
            n_negative[j] += 1
        elif x > 0:
            n_positive[j] += 1
        if x < low[j]:
            low[j] = x
        if x > high[j]:
            second[j] = high[j]
            high[j] = x
        elif second[j] < x < high[j]:
            second[j] = x
        add_few(few, n_few, j, x)
        if not column.size:
            j += np.uint64(1)
            if j == n_columns:
                j = np.uint64(0)


@njit
def add_few(few, n_few, j, x):
    """Note one more value of column j, unless there are too many already."""
    known = n_few[j]
    if known > few.shape[1]:
        return
    for k in range(known):
        if few[j, k] == x:
            return
    if known < few.shape[1]:
        few[j, known] = x
    n_few[j] = known + 1


@njit
def merge_few(few, n_few, other, n_other):
    """Add the distinct values of another block."""
    for j in range(n_few.size):
        if n_other[j] > few.shape[1]:
            n_few[j] = n_other[j]
            continue
        for k in range(n_other[j]):
            # Most blocks have met the same values in the same order.
            if n_few[j] <= k or few[j, k] != other[j, k]:
                add_few(few, n_few, np.uint64(j), other[j, k])
