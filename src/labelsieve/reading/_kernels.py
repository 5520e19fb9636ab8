"""Kernels over cells of tables as users pass them."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, Int32Array, IntArray, Scalar


@njit
def count_columns(index: Int32Array, out: IntArray) -> None:
    """out[column] += 1 for each stored cell.

    index: int32[cells], the column of each
    out: int64[columns]
    """
    for p in range(np.uint64(index.size)):
        out[np.uint64(index[p])] += 1


@njit
def all_equal(values: NDArray[Any], value: Scalar, other: Scalar) -> bool:
    """Whether all values are the given one or the other.

    values: any number[cells]
    """
    n_others = 0
    for p in range(values.size):
        n_others += (values[p] != value) & (values[p] != other)
    return n_others == 0


@njit
def mark_cells(
    values: NDArray[Any], mark: Scalar, out: NDArray[Any], n_marked: IntArray
) -> bool:
    """Copy values with a mark for NaN; returns whether some value is infinite.

    values: float32 or float64[lines, cells]
    out: float32 or float64[lines, cells], overwritten
    n_marked: int64[cells], added to: how many cells of each are NaN
    """
    n_infinite = 0
    for line in range(np.uint64(values.shape[0])):
        for cell in range(np.uint64(values.shape[1])):
            value = values[line, cell]
            is_nan = value != value
            n_infinite += abs(value) == mark
            n_marked[cell] += is_nan
            out[line, cell] = mark if is_nan else value
    return n_infinite > 0


@njit
def mark_stored(
    values: NDArray[Any],
    index: Int32Array,
    mark: Scalar,
    out: NDArray[Any],
    n_marked: IntArray,
) -> bool:
    """The same for stored cells of a sparse table.

    values: float32 or float64[cells]
    index: int32 or int64[cells], the column of each
    out: float32 or float64[cells], overwritten
    n_marked: int64[columns], added to: how many cells of each are NaN
    """
    n_infinite = 0
    for p in range(np.uint64(values.size)):
        value = values[p]
        is_nan = value != value
        n_infinite += abs(value) == mark
        n_marked[np.uint64(index[p])] += is_nan
        out[p] = mark if is_nan else value
    return n_infinite > 0


CANONICAL, UNSORTED, BROKEN = 0, 1, 2
CHUNK = 2**20  # cells that are counted in 32 bits, which is twice as fast


@njit
def scan_rows(
    start: NDArray[np.integer[Any]], index: NDArray[np.integer[Any]], width: int
) -> int:
    """Whether rows are sorted without repeats, within the table, or broken.

    start: int32 or int64[rows + 1], where the cells of each row begin
    index: int32 or int64[cells], the column of each
    width: number of columns
    """
    n_rows = start.size - 1
    broken = start[0] != 0 or start[n_rows] > index.size
    for r in range(n_rows):
        broken |= start[r + 1] < start[r]
    if broken:
        return BROKEN
    n_falls, inside = _scan_cells(index[: start[n_rows]], width)
    for r in range(1, n_rows):
        low = start[r]
        if 0 < low < start[r + 1]:
            # Where a row begins, indices may fall.
            n_falls -= index[low] <= index[low - 1]
    if not inside:
        return BROKEN
    return CANONICAL if n_falls == 0 else UNSORTED


@njit
def _scan_cells(index: NDArray[np.integer[Any]], width: int) -> tuple[int, bool]:
    """How often indices do not rise, and whether all of them are columns.

    index: int32 or int64[cells], the column of each
    """
    if index.size == 0:
        return 0, True
    lowest = highest = index[0]
    n_falls = 0
    for first in range(1, index.size, CHUNK):
        part = index[first : first + CHUNK]
        before = index[first - 1 : first - 1 + part.size]
        falls = np.int32(0)
        for p in range(part.size):
            lowest, highest = min(lowest, part[p]), max(highest, part[p])
            falls = np.int32(falls + np.int32(part[p] <= before[p]))
        n_falls += int(falls)
    return n_falls, lowest >= 0 and highest < width


CELLS_AT_ONCE = np.uint64(16)


@njit
def list_ones(
    table: NDArray[Any], one: Scalar, start: IntArray, index: Int32Array
) -> bool:
    """List the ones of each line; whether there is nothing else but zeros, and room.

    table: unsigned[lines, columns], bits of numbers; `one` are those of the number 1
    start: int64[lines + 1], filled in: where the ones of each line begin
    index: int32[room], filled in: the column of each
    """
    width, room = np.uint64(table.shape[1]), np.uint64(index.size)
    whole = width - width % CELLS_AT_ONCE
    zero = one ^ one
    place = np.uint64(0)
    for row in range(table.shape[0]):
        line = table[row]
        if place + width > room:
            return False
        for first in range(np.uint64(0), whole, CELLS_AT_ONCE):
            some = zero
            for j in range(CELLS_AT_ONCE):
                some |= line[first + j]
            if some == zero:
                continue
            if some != one:
                return False
            for j in range(first, first + CELLS_AT_ONCE):
                index[place] = j
                place += np.uint64(line[j] == one)
        for j in range(whole, width):
            if line[j] != zero and line[j] != one:
                return False
            index[place] = j
            place += np.uint64(line[j] == one)
        start[row + 1] = place
    return True


@njit
def code_cells(values: FloatArray, codes: NDArray[np.uint8]) -> None:
    """Code 1 for 1, 2 for NaN and 0 for all else.

    values: float64[cells]
    codes: uint8[cells], overwritten
    """
    for p in range(np.uint64(values.size)):
        value = values[p]
        is_nan = np.uint8(value != value)
        codes[p] = np.uint8(value == 1.0) + is_nan + is_nan


@njit
def count_codes(index: Int32Array, codes: NDArray[np.uint8], counts: IntArray) -> None:
    """Count the cells of each column by their codes.

    index: int32 or int64[cells], the column of each
    codes: uint8[cells], 0 to 2
    counts: int64[3, columns], added to
    """
    for p in range(np.uint64(index.size)):
        counts[codes[p], np.uint64(index[p])] += 1


@intrinsic
def _zeros_below(context: Any, word: Any) -> Any:
    """The place of the lowest one of a uint64 that has any, one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        never_zero = ir.Constant(ir.IntType(1), 1)
        return builder.cttz(arguments[0], never_zero)

    return types.uint64(types.uint64), generate


def _zeros_below_in_python(word: Any) -> int:
    return (int(word) & -int(word)).bit_length() - 1


lowest_one: Any = _zeros_below_in_python if config.DISABLE_JIT else _zeros_below


@njit
def list_known(
    table: NDArray[Any],
    one: Scalar,
    infinity: Scalar,
    magnitude: Scalar,
    start: IntArray,
    index: Int32Array,
    codes: NDArray[np.uint8],
) -> bool:
    """Like `list_ones`, where cells may also be NaN: code 1 for 1, code 2 for NaN.

    table: unsigned[lines, columns], bits of numbers; `infinity` are those of infinity,
        `magnitude` are all but the sign
    start: int64[lines + 1], filled in: where the cells of each line begin
    index: int32[room], filled in: the column of each
    codes: uint8[room], filled in
    """
    width, room, step = np.uint64(table.shape[1]), np.uint64(index.size), np.uint64(64)
    zero, next_one = one ^ one, np.uint64(1)
    place, n_others = np.uint64(0), 0
    for row in range(table.shape[0]):
        line = table[row]
        if place + width > room or n_others:
            return False
        for first in range(np.uint64(0), width, step):
            some = np.uint64(0)
            if first + step <= width:
                for j in range(step):
                    some |= np.uint64(line[first + j] != zero) << j
            else:
                for j in range(width - first):
                    some |= np.uint64(line[first + j] != zero) << j
            while some:
                column = first + np.uint64(lowest_one(some))
                some &= some - next_one
                is_one = line[column] == one
                # Above infinity are the many NaN.
                n_others += (not is_one) & ((line[column] & magnitude) <= infinity)
                index[place], codes[place] = column, 1 if is_one else 2
                place += next_one
        start[row + 1] = place
    return n_others == 0
