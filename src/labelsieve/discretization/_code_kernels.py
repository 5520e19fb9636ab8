"""The kernel that codes the stored cells of sparse tables."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import CodeArray, FloatArray, Int32Array, IntArray


@njit
def code_cells(
    index: Int32Array,
    values: FloatArray,
    cut_start: IntArray,
    cut_points: FloatArray,
    codes: CodeArray,
) -> None:
    """codes[p] = how many cut points of column index[p] lie below values[p].

    index: int32[cells]
    values: float64[cells]
    cut_start: int64[columns + 1], the first cut point of each column
    cut_points: float64[cut points], ascending in each column
    codes: unsigned[cells], overwritten
    """
    for p in range(np.uint64(index.size)):
        column = np.uint64(index[p])
        low, high = (
            np.uint64(cut_start[column]),
            np.uint64(cut_start[column + np.uint64(1)]),
        )
        first = low
        while low < high:
            middle = (low + high) // np.uint64(2)
            if cut_points[middle] < values[p]:
                low = middle + np.uint64(1)
            else:
                high = middle
        codes[p] = low - first
