"""Kernels that turn stored cells of sparse tables into entries of coded columns."""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit


@njit
def code_cells(index, values, cut_start, cut_points, codes):
    """codes[p] = how many cut points of column index[p] lie below values[p]."""
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
def code_frequencies(index, codes, place, frequency, n_zero):
    """Count the codes of stored cells, and take these cells off `n_zero`."""
    for p in range(np.uint64(index.size)):
        column = np.uint64(index[p])
        frequency[np.uint64(place[column]) + np.uint64(codes[p])] += 1
        n_zero[column] -= 1


@njit
def recode(
    first_row, last_row, n_out, start, index, codes, zero_code, background, position,
    filled, out_start, out_index, out_codes,
):  # fmt: skip
    """Write the cells that are not background as CSR, code 0 named background.

    `start`, `index` and `codes` are the stored cells, of which the rows in
    [first_row, last_row) are written, from entry `n_out` on. `position` is the new
    index of each column, negative for one to drop. `filled` lists the columns,
    ascending, in which cells that are not stored are no background either.
    """
    n_columns = np.uint64(position.size)
    n_out = np.uint64(n_out)
    for row in range(first_row, last_row):
        q = np.uint64(0)
        absent = np.uint64(filled[q]) if filled.size else n_columns
        p, end = np.uint64(start[row]), np.uint64(start[row + 1])
        while p < end or absent < n_columns:
            column = np.uint64(index[p]) if p < end else n_columns
            if absent < column:
                column, code = absent, zero_code[absent]
            else:
                code = codes[p]
                p += np.uint64(1)
            if absent == column:
                q += np.uint64(1)
                absent = np.uint64(filled[q]) if q < filled.size else n_columns
            if position[column] >= 0 and code != background[column]:
                out_index[n_out] = position[column]
                out_codes[n_out] = background[column] if code == 0 else code
                n_out += np.uint64(1)
        out_start[row + 1] = n_out


@njit
def recode_words(
    first_row, last_row, n_out, start, index, position, common, out_start, out_index
):
    """Like `recode`, where all stored cells are alike.

    Entries are stored cells, and of the columns in `common`, ascending, the others.
    """
    n_out = np.uint64(n_out)
    for row in range(first_row, last_row):
        p, end = np.uint64(start[row]), np.uint64(start[row + 1])
        for column in common:
            until = p
            while until < end and index[until] < column:
                until += np.uint64(1)
            n_out = _rename(index, p, until, position, n_out, out_index)
            p = until
            if p < end and index[p] == column:
                p += np.uint64(1)
            else:
                out_index[n_out] = position[column]
                n_out += np.uint64(1)
        n_out = _rename(index, p, end, position, n_out, out_index)
        out_start[row + 1] = n_out


@njit
def _rename(index, low, high, position, n_out, out_index):
    """Write the new indices of cells in [low, high), but for columns to drop."""
    for p in range(low, high):
        place = position[np.uint64(index[p])]
        if place >= 0:
            out_index[n_out] = place
            n_out += np.uint64(1)
    return n_out
