"""Kernels over columns of dense numbers: what they hold, codes, without a sort.

Numbers are looked at as keys: unsigned integers, as wide as the numbers, in the same
order. A column's keys stand one after the other.

keys: uint32 or uint64[n], those of a column
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CodeArray,
    FloatArray,
    IntArray,
    Scalar,
)
from labelsieve.discretization._rank_kernels import find_many_keys, quantile_ranks

Keys = NDArray[Any]
DIGIT_BITS = 12
N_DIGITS = 1 << DIGIT_BITS
# So few keys are sorted.
SORTED_KEYS = 64
# More ranks than this are searched at once.
FEW_RANKS = 4


@njit
def copy_columns(X: NDArray[Any], left: int, out: NDArray[Any]) -> None:
    """Copy columns from `left` on, one after the other, without negative zeros.

    X: float32 or float64[n, columns]
    out: the same type[some columns, n], overwritten
    """
    for row in range(np.uint64(X.shape[0])):
        for c in range(np.uint64(out.shape[0])):
            # Adding zero makes -0.0 the same bits as 0.0.
            out[c, row] = X[row, np.uint64(left) + c] + X.dtype.type(0)


@njit
def order_bits(keys: Keys, sign: Scalar) -> None:
    """Make keys of the bits of numbers, in place; `sign` is the first bit.

    keys: uint32 or uint64[n]
    """
    for p in range(np.uint64(keys.size)):
        bits = keys[p]
        keys[p] = ~bits if bits & sign else bits | sign


@njit
def survey_columns(
    keys: Keys,
    ascending: Keys,
    signs: Keys,
    n_bits: int,
    few: Keys,
    ends: Keys,
    numbers: IntArray,
    cuts: Keys,
) -> None:
    """Find out what columns hold, and where columns with many values are cut.

    keys: uint32 or uint64[columns, n]
    ascending: uint32 or uint64[columns, n], the same sorted, or [columns, 0]
    signs: uint32 or uint64[2], the keys of 0 and of a missing cell, the largest one
    n_bits: of a key
    few: uint32 or uint64[columns, room], the first numbers[:, 0] are distinct keys
    ends: uint32 or uint64[columns, 3], smallest, largest and second largest key
    numbers: int64[columns, 4], distinct keys (room + 1 for any more), keys below zero,
        above zero, and missing
    cuts: uint32 or uint64[columns, quantiles], overwritten where there are many values
    """
    n_bins = few.shape[1]
    buffer = np.empty_like(keys[0])
    ranks = np.empty(cuts.shape[1], np.int64)
    for c in range(keys.shape[0]):
        _survey(keys[c], signs[0], signs[1], ends[c], numbers[c])
        numbers[c, 0] = _list_few(keys[c], signs[1], few[c])
        if numbers[c, 0] > n_bins and ranks.size:
            n_present = keys.shape[1] - numbers[c, 3]
            quantile_ranks(n_present, ranks)
            if ascending.shape[1]:
                for k in range(ranks.size):
                    cuts[c, k] = ascending[c, ranks[k] - 1]
            elif ranks.size > FEW_RANKS:
                find_many_keys(keys[c], n_bits, ranks, buffer, cuts[c])
            else:
                _find_keys(keys[c], n_bits, ranks, buffer, cuts[c])


@njit
def _survey(
    keys: Keys, zero: Scalar, missing: Scalar, ends: Keys, numbers: IntArray
) -> None:
    """Smallest, largest and second largest key; how many are how.

    ends: uint32 or uint64[3], overwritten
    numbers: int64[4], overwritten but for the first
    """
    none = zero ^ zero
    low, high, second = missing, none, none
    n_below, n_above, n_missing = 0, 0, 0
    for p in range(np.uint64(keys.size)):
        key = keys[p]
        n_missing += key == missing
        n_below += key < zero
        n_above += key > zero
        low = min(low, key)
        high = max(high, key if key < missing else none)
    for p in range(np.uint64(keys.size)):
        second = max(second, keys[p] if keys[p] < high else none)
    ends[0], ends[1], ends[2] = low, high, second
    numbers[1], numbers[2], numbers[3] = n_below, n_above - n_missing, n_missing


@njit
def _list_few(keys: Keys, missing: Scalar, few: Keys) -> int:
    """List distinct keys in the order in which they come; returns how many there are.

    few: uint32 or uint64[room], filled in; any more are one more than there is room
    """
    known = 0
    for key in keys:
        if key == missing:
            continue
        place = 0
        while place < known and few[place] != key:
            place += 1
        if place == known:
            if known == few.size:
                return known + 1
            few[known] = key
            known += 1
    return known


@njit
def _find_keys(
    keys: Keys, n_bits: int, ranks: IntArray, buffer: Keys, out: Keys
) -> None:
    """out[i] = the key of rank ranks[i], from 1, found digit by digit.

    ranks: int64[any]
    buffer: uint32 or uint64[n], overwritten
    out: uint32 or uint64[ranks], overwritten
    """
    first, digits = np.zeros(N_DIGITS, np.int64), np.zeros(N_DIGITS, np.int64)
    highest = np.uint64(n_bits - DIGIT_BITS)
    _count_digits(keys, highest, first)
    for i in range(ranks.size):
        rank, digit = _digit_of(first, ranks[i] - 1)
        left = _keep_digit(keys, highest, digit, buffer)
        shift = highest
        while left > SORTED_KEYS and shift > 0:
            shift = shift - min(np.uint64(DIGIT_BITS), shift)
            digits[:] = 0
            _count_digits(buffer[:left], shift, digits)
            rank, digit = _digit_of(digits, rank)
            left = _keep_digit(buffer[:left], shift, digit, buffer)
        if shift > 0:  # else all that are left are the same
            buffer[:left].sort()
        out[i] = buffer[rank] if shift > 0 else buffer[0]


@njit
def _count_digits(keys: Keys, shift: Scalar, out: IntArray) -> None:
    """Count keys by their digit above the last `shift` bits.

    out: int64[digits], added to
    """
    last = np.uint64(N_DIGITS - 1)
    for p in range(np.uint64(keys.size)):
        out[(np.uint64(keys[p]) >> shift) & last] += 1


@njit
def _digit_of(counts: IntArray, rank: int) -> tuple[int, int]:
    """The digit of the key of a rank, from 0, and its rank among those with it.

    counts: int64[digits], keys with each digit
    """
    digit = 0
    while rank >= counts[digit]:
        rank -= counts[digit]
        digit += 1
    return rank, digit


@njit
def _keep_digit(keys: Keys, shift: Scalar, digit: int, out: Keys) -> Scalar:
    """List the keys with a digit; returns how many there are.

    out: uint32 or uint64[n], filled in; may be the keys themselves
    """
    last, wanted = np.uint64(N_DIGITS - 1), np.uint64(digit)
    n = np.uint64(0)
    for p in range(np.uint64(keys.size)):
        key = keys[p]
        out[n] = key
        n += np.uint64((np.uint64(key) >> shift) & last == wanted)
    return n


@njit
def code_few(X: NDArray[Any], cuts: FloatArray, codes: CodeArray) -> None:
    """codes[row, column] = how many cuts of its column lie below a number.

    X: float32 or float64[rows, columns]
    cuts: float64[most cuts, columns], infinity where a column has fewer
    codes: unsigned[rows, columns], overwritten
    """
    for row in range(np.uint64(X.shape[0])):
        for column in range(np.uint64(X.shape[1])):
            codes[row, column] = cuts[0, column] < X[row, column]
        for cut in range(1, cuts.shape[0]):
            for column in range(np.uint64(X.shape[1])):
                codes[row, column] += cuts[cut, column] < X[row, column]


@njit
def count_ones(codes: NDArray[np.uint8], out: IntArray) -> None:
    """out[column] += how many rows of a table of zeros and ones have 1.

    codes: uint8[rows, columns]
    out: int64[columns]
    """
    tally = np.zeros(out.size, dtype=np.uint8)
    for first in range(0, codes.shape[0], 255):  # as many as a byte can count
        for row in range(first, min(first + 255, codes.shape[0])):
            for column in range(np.uint64(out.size)):
                tally[column] += codes[row, column]
        out += tally
        tally[:] = 0


@njit
def code_several(
    X: NDArray[Any],
    columns: IntArray,
    cut_start: IntArray,
    cut_points: FloatArray,
    codes: CodeArray,
) -> None:
    """The same for columns with many cuts.

    X: float32 or float64[rows, columns]
    columns: int64[some columns]
    cut_start: int64[columns + 1], the first cut point of each column
    cut_points: float64[cut points], ascending in each column
    codes: unsigned[rows, columns], overwritten in these columns
    """
    for column in columns:
        points = cut_points[cut_start[column] : cut_start[column + 1]]
        for row in range(np.uint64(X.shape[0])):
            codes[row, column] = np.searchsorted(points, X[row, column])


@njit
def count_dense_codes(codes: CodeArray, place: IntArray, out: IntArray) -> None:
    """out[place[column] + code] += 1 for each cell.

    codes: unsigned[rows, columns]
    place: int64[columns], where the codes of each begin
    out: int64[codes of all columns]
    """
    for row in range(np.uint64(codes.shape[0])):
        for column in range(np.uint64(codes.shape[1])):
            out[np.uint64(place[column]) + np.uint64(codes[row, column])] += 1
