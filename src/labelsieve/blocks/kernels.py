"""Kernels over the cells of a row block: what each column holds.

column: int32[cells], the column of each; empty for a dense block, whose cells are
    listed row after row
few: float64[columns, room], the first `n_few` are distinct values of a column
n_few: int64[columns], how many distinct values were met, one more than there is room
    for any more
"""

from __future__ import annotations

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import FloatArray, Int32Array, IntArray, Scalar


@njit
def survey_cells(
    values: FloatArray,
    column: Int32Array,
    few: FloatArray,
    n_few: IntArray,
    low: FloatArray,
    high: FloatArray,
    second: FloatArray,
    n_negative: IntArray,
    n_positive: IntArray,
    n_missing: IntArray,
) -> None:
    """Add the cells to what is known of each column.

    values: float64[cells], infinity where missing
    low, high: float64[columns], smallest and largest value
    second: float64[columns], the largest value but `high`
    n_negative, n_positive: int64[columns], cells below and above zero
    n_missing: int64[columns], missing cells, of which nothing else is known
    """
    n_columns = n_few.size
    j = np.uint64(n_columns - 1)
    for p in range(np.uint64(values.size)):
        j = next_column(column, p, j, n_columns)
        x = values[p]
        if x == np.inf:
            n_missing[j] += 1
            continue
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
        add_distinct(few, n_few, j, x)


@njit
def next_column(column: Int32Array, p: Scalar, last: Scalar, n_columns: int) -> Scalar:
    """The column of cell p, if the cell before is in column `last`."""
    if column.size:
        return np.uint64(column[p])
    following = last + np.uint64(1)
    return following if following < np.uint64(n_columns) else np.uint64(0)


@njit
def add_distinct(few: FloatArray, n_few: IntArray, j: Scalar, x: Scalar) -> None:
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
def merge_distinct(
    few: FloatArray, n_few: IntArray, other: FloatArray, n_other: IntArray
) -> None:
    """Add the distinct values of another block.

    other: float64[columns, room], like `few`
    n_other: int64[columns], like `n_few`
    """
    for j in range(n_few.size):
        if n_other[j] > few.shape[1]:
            n_few[j] = n_other[j]
            continue
        for k in range(n_other[j]):
            # Most blocks have met the same values in the same order.
            if n_few[j] <= k or few[j, k] != other[j, k]:
                add_distinct(few, n_few, np.uint64(j), other[j, k])
