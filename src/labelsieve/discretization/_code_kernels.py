"""Kernels that turn stored cells of sparse tables into entries of coded columns.

index: int32[cells], the column of each stored cell
position: int32[columns], the new index of each, negative for one to drop
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CodeArray,
    FloatArray,
    IndexArray,
    Int32Array,
    IntArray,
    Scalar,
)


class Cells(NamedTuple):
    """Coded cells of a sparse table, row after row (CSR)."""

    start: IntArray  # [rows + 1] where each row begins
    columns: Int32Array  # [cells] ascending in each row
    codes: CodeArray  # [cells]


class Names(NamedTuple):
    """How the codes of each column are named anew."""

    zero_code: CodeArray  # [columns] the code of cells that are not stored
    background: CodeArray  # [columns] the code that is to be 0
    position: Int32Array  # [columns] new index, negative for a column to drop
    filled: IntArray  # columns, ascending, whose other cells are no background


@njit
def code_cells(
    index: Int32Array,
    values: FloatArray,
    cut_start: IntArray,
    cut_points: FloatArray,
    codes: CodeArray,
) -> None:
    """codes[p] = how many cut points of column index[p] lie below values[p].

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
def code_words(
    index: Int32Array,
    values: FloatArray,
    missing: float,
    of_word: CodeArray,
    of_missing: CodeArray,
    codes: CodeArray,
) -> None:
    """codes[p] = the code of a missing cell or of a word in column index[p].

    values: float64[cells]
    of_word, of_missing: uint8[columns]
    codes: uint8[cells], overwritten
    """
    for p in range(np.uint64(index.size)):
        column = np.uint64(index[p])
        is_missing = values[p] == missing
        codes[p] = of_missing[column] if is_missing else of_word[column]


@njit
def name_indicators(
    index: Int32Array, codes: CodeArray, first: IntArray, out: IndexArray
) -> None:
    """out[p] = the indicator of code codes[p] of column index[p].

    codes: unsigned[cells], not 0
    first: int64[columns], the indicator of code 1 of each column
    out: uint32[cells], overwritten
    """
    for p in range(np.uint64(index.size)):
        before = np.uint64(first[np.uint64(index[p])]) + np.uint64(codes[p])
        out[p] = before - np.uint64(1)


@njit
def count_code_frequencies(
    index: Int32Array,
    codes: CodeArray,
    place: IntArray,
    frequency: IntArray,
    n_zero: IntArray,
) -> None:
    """Count the codes of stored cells, and take these cells off `n_zero`.

    codes: unsigned[cells]
    place: int64[columns], where the codes of each begin in `frequency`
    frequency: int64[codes of all columns], added to
    n_zero: int64[columns], lowered
    """
    for p in range(np.uint64(index.size)):
        column = np.uint64(index[p])
        frequency[np.uint64(place[column]) + np.uint64(codes[p])] += 1
        n_zero[column] -= 1


@njit
def recode(
    first_row: int, last_row: int, n_out: int, stored: Cells, names: Names, out: Cells
) -> None:
    """Write the cells that are not background, code 0 named background.

    The rows in [first_row, last_row) are written, from entry `n_out` on.
    """
    start, index, _ = stored
    zero_code, background, position, filled = names
    out_start, out_index, out_codes = out
    place = np.uint64(n_out)
    for row in range(first_row, last_row):
        p, end = np.uint64(start[row]), np.uint64(start[row + 1])
        for column in filled:
            until = _first_from(index, p, end, column)
            place = _write_recoded(stored, p, until, names, place, out)
            p = until
            if p < end and index[p] == column:
                place = _write_recoded(stored, p, p + np.uint64(1), names, place, out)
                p += np.uint64(1)
            else:
                # What is not stored is no background, or it would not be filled in.
                code = zero_code[column]
                out_index[place] = position[column]
                out_codes[place] = background[column] if code == 0 else code
                place += np.uint64(1)
        place = _write_recoded(stored, p, end, names, place, out)
        out_start[row + 1] = place


@njit
def _first_from(index: Int32Array, low: Scalar, high: Scalar, column: int) -> Scalar:
    """The first of the cells in [low, high) that is not before a column, or `high`."""
    while low < high and index[low] < column:
        low += np.uint64(1)
    return low


@njit
def _write_recoded(
    stored: Cells, low: Scalar, high: Scalar, names: Names, place: Scalar, out: Cells
) -> Scalar:
    """Write the cells in [low, high) that vary and are not background.

    Returns where the next one goes.
    """
    for p in range(low, high):
        column, code = np.uint64(stored.columns[p]), stored.codes[p]
        renamed, background = names.position[column], names.background[column]
        if renamed >= 0 and code != background:
            out.columns[place] = renamed
            out.codes[place] = background if code == 0 else code
            place += np.uint64(1)
    return place


@njit
def recode_words(
    first_row: int,
    last_row: int,
    n_out: int,
    start: IntArray,
    index: Int32Array,
    position: Int32Array,
    common: IntArray,
    out_start: IntArray,
    out_index: Int32Array,
) -> None:
    """Like `recode`, where all stored cells are alike.

    Entries are stored cells, and of the columns in `common` the others.

    start: int32[rows + 1], the first stored cell of each row
    common: int64[some columns], ascending
    out_start: int64[rows + 1], filled in
    out_index: int32[entries], filled in
    """
    place = np.uint64(n_out)
    for row in range(first_row, last_row):
        p, end = np.uint64(start[row]), np.uint64(start[row + 1])
        for column in common:
            until = _first_from(index, p, end, column)
            place = _write_renamed(index, p, until, position, place, out_index)
            p = until
            if p < end and index[p] == column:
                p += np.uint64(1)
            else:
                out_index[place] = position[column]
                place += np.uint64(1)
        place = _write_renamed(index, p, end, position, place, out_index)
        out_start[row + 1] = place


@njit
def _write_renamed(
    index: Int32Array,
    low: Scalar,
    high: Scalar,
    position: Int32Array,
    place: Scalar,
    out_index: Int32Array,
) -> Scalar:
    """Write the new indices of cells in [low, high), but for columns to drop.

    Returns where the next one goes.

    out_index: int32[entries], filled in from `place` on
    """
    for p in range(low, high):
        renamed = position[np.uint64(index[p])]
        if renamed >= 0:
            out_index[place] = renamed
            place += np.uint64(1)
    return place
