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
