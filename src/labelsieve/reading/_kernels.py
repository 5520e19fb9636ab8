"""Kernels over the columns of sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import Int32Array, IntArray, Scalar


@njit
def count_columns(index: Int32Array, out: IntArray) -> None:
    """out[column] += 1 for each stored cell.

    index: int32[cells], the column of each
    out: int64[columns]
    """
    for p in range(np.uint64(index.size)):
        out[np.uint64(index[p])] += 1


@njit
def all_equal(values: NDArray[Any], value: Scalar) -> bool:
    """Whether all values are the given one.

    values: any number[cells]
    """
    n_others = 0
    for p in range(values.size):
        n_others += values[p] != value
    return n_others == 0
