"""Kernels that code the stored cells of sparse tables."""

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


@njit
def recode(
    start: Int32Array,
    index: Int32Array,
    codes: CodeArray,
    background: CodeArray,
    zero_code: CodeArray,
    position: Int32Array,
    filled: IntArray,
    out_start: IntArray,
    out_index: Int32Array,
    out_codes: CodeArray,
) -> None:
    """Write the cells that are not background, code 0 named background.

    start: int32[rows + 1], the first stored cell of each row
    index: int32[cells], the column of each
    codes: unsigned[cells], the code of each
    background: unsigned[columns], the code that is to be 0
    zero_code: unsigned[columns], the new code of cells that are not stored
    position: int32[columns], new index, negative for a column to drop
    filled: int64[some], columns, ascending, whose other cells are no background
    out_start: int64[rows + 1], filled in
    out_index: int32[room], filled in
    out_codes: unsigned[room], filled in
    """
    place = np.uint64(0)
    for row in range(start.size - 1):
        p, end, f = np.uint64(start[row]), np.uint64(start[row + 1]), 0
        while p < end or f < filled.size:
            if f < filled.size and (p == end or filled[f] < index[p]):
                out_index[place] = position[filled[f]]
                out_codes[place] = zero_code[filled[f]]
                place += np.uint64(1)
                f += 1
                continue
            column, code = np.uint64(index[p]), codes[p]
            p += np.uint64(1)
            f += f < filled.size and filled[f] == index[p - np.uint64(1)]
            if position[column] >= 0 and code != background[column]:
                out_index[place] = position[column]
                out_codes[place] = background[column] if code == 0 else code
                place += np.uint64(1)
        out_start[row + 1] = place
