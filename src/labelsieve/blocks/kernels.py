"""Kernels over the stored cells of a sparse table: what each column holds.

column: int32[cells], the column of each
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
    for p in range(np.uint64(values.size)):
        j, x = np.uint64(column[p]), values[p]
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
