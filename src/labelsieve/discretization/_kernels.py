"""Kernels that code cells of sparse tables and find values at given ranks.

Of long columns of numbers, which are looked at in bins of equal width:

values: float32 or float64[n], those of a column; infinity where missing
bins: uint16[n], the bin of each, in the order of the values; N_BINS where missing

Of the cells of a row block, by the digits of their values:

bits: uint64[cells], the bits of their values
column: int32[cells], the column of each; empty for a dense block, whose cells are
    listed row after row
start: int64[columns + 1], the first target of each column
prefix: uint64[targets], what is known of the ordered bits of the values sought
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CodeArray,
    CountArray,
    FloatArray,
    Int32Array,
    IntArray,
    Scalar,
    WordArray,
)
from labelsieve.blocks.kernels import next_column

Numbers = NDArray[Any]
Places = NDArray[np.uint16]
N_BINS = 1 << 12
DIGIT_BITS = 12
N_DIGITS = 1 << DIGIT_BITS


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


@njit
def list_few(values: Numbers, few: Numbers, ends: Numbers) -> int:
    """List distinct values; returns how many there are, room + 1 for any more.

    few: the type of values[room], filled in
    ends: the type of values[3], smallest, largest and second largest value; the last
        is overwritten, with minus infinity for none
    """
    missing, high = few.dtype.type(np.inf), ends[1]
    second = -missing
    for p in range(np.uint64(values.size)):
        if second < values[p] < high:
            second = values[p]
    ends[2] = second
    known = 0
    for p in range(np.uint64(values.size)):
        place = 0
        while place < known and few[place] != values[p]:
            place += 1
        if place == known and values[p] != missing:
            known += 1
            if known > few.size:
                break
            few[place] = values[p]
    return known


def scale_of(low: Any, high: Any, dtype: Any) -> Any:
    """Bins per unit, 0 where numbers are too far apart or too close for bins."""
    with np.errstate(over="ignore"):
        width = high - low
        scale = dtype.type((N_BINS - 1) / np.float64(width)) if width > 0 else 0
    return scale if width < np.inf and 0 < scale < np.inf else dtype.type(0)


@njit
def list_near(
    values: Numbers,
    low: Scalar,
    scale: Scalar,
    at: IntArray,
    bins: Places,
    near: Numbers,
    place: IntArray,
) -> Scalar:
    """List the numbers of the bins that hold quantiles; returns how many there are.

    at: int64[quantiles], where each is among all numbers in order, ascending
    bins: overwritten
    near: the type of values[n], filled in
    place: int64[quantiles], overwritten: where each is among these numbers in order
    """
    counts = np.zeros(N_BINS + 1, np.int64)
    for p in range(np.uint64(values.size)):
        # Infinity is far from what a bin can be.
        is_there = values[p] < np.inf
        b = np.uint64((values[p] - low) * scale) if is_there else np.uint64(N_BINS)
        bins[p] = b
        counts[b] += 1
    wanted = np.zeros(N_BINS + 1, np.bool_)
    first, n_before, n_near = 0, 0, 0
    for k in range(at.size):
        while n_before + counts[first] <= at[k]:
            n_before += counts[first]
            n_near += counts[first] if wanted[first] else 0
            first += 1
        wanted[first] = True
        place[k] = n_near + at[k] - n_before
    n_listed = np.uint64(0)
    for p in range(np.uint64(values.size)):
        near[n_listed] = values[p]
        n_listed += np.uint64(wanted[bins[p]])
        if n_listed == np.uint64(near.size):
            break
    return n_listed


@njit
def score_in_bins(
    values: Numbers,
    bins: Places,
    low: Scalar,
    scale: Scalar,
    cuts: Numbers,
    score_of_rank: CodeArray,
    out: CodeArray,
) -> None:
    """out[p] = the score of a rank: how many cuts are below, and how many not above.

    Only numbers in bins that hold cuts are compared with these. A missing cell is in
    the middle.

    cuts: the type of values[cuts], ascending
    score_of_rank: uint8[ranks]
    out: uint8[n], overwritten
    """
    has_cut, n_below = np.zeros(N_BINS + 1, np.bool_), np.zeros(N_BINS + 1, np.uint8)
    k = 0
    for b in range(N_BINS):
        n_below[b] = k
        while k < cuts.size and np.int64((cuts[k] - low) * scale) == b:
            has_cut[b] = True
            k += 1
    for p in range(np.uint64(values.size)):
        b = bins[p]
        below = np.int64(n_below[b])
        if has_cut[b]:
            while below < cuts.size and cuts[below] < values[p]:
                below += 1
            equal = below
            while equal < cuts.size and cuts[equal] == values[p]:
                equal += 1
            out[p] = score_of_rank[below + equal]
        else:
            out[p] = score_of_rank[cuts.size if b == N_BINS else 2 * below]


@njit
def count_digits(
    bits: WordArray,
    column: Int32Array,
    n_columns: int,
    start: IntArray,
    prefix: WordArray,
    ahead: int,
    shift: int,
    out: CountArray,
) -> None:
    """Count the cells of each target by their next digit, zero cells left out.

    A cell belongs to target t if its ordered bits but the last `ahead` are prefix[t];
    its digit is what follows but the last `shift` bits.

    out: uint32[targets, digits], added to
    """
    last = (np.uint64(1) << np.uint64(ahead - shift)) - np.uint64(1)
    j = np.uint64(n_columns - 1)
    for p in range(np.uint64(bits.size)):
        j = next_column(column, p, j, n_columns)
        if bits[p] << np.uint64(1):
            key = ordered_bits(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    out[t, (key >> np.uint64(shift)) & last] += np.uint32(1)


@njit
def list_cells(
    bits: WordArray,
    column: Int32Array,
    n_columns: int,
    start: IntArray,
    prefix: WordArray,
    ahead: int,
    target: IntArray,
    place: IntArray,
) -> int:
    """List the cells that belong to a target; returns how many there are.

    target, place: int64[room], overwritten as far as there is room
    """
    n_found = 0
    j = np.uint64(n_columns - 1)
    for p in range(np.uint64(bits.size)):
        j = next_column(column, p, j, n_columns)
        if bits[p] << np.uint64(1):
            key = ordered_bits(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    if n_found < target.size:
                        target[n_found] = t
                        place[n_found] = p
                    n_found += 1
    return n_found


@njit
def ordered_bits(bits: Scalar) -> Scalar:
    """The bits of a double as an integer in the order of the numbers."""
    sign = np.uint64(1) << np.uint64(63)
    return ~bits if bits & sign else bits | sign


@njit
def starts_with(key: Scalar, ahead: Scalar, prefix: Scalar) -> bool:
    """Whether what stands before the last `ahead` bits is the prefix."""
    return ahead >= np.uint64(64) or key >> ahead == prefix
