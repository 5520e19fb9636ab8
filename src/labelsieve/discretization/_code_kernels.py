"""Kernels that turn stored cells of sparse tables into entries of coded columns."""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._compile import njit


@njit
def code_frequencies(index, codes, place, frequency):
    """frequency[place[column] + code] += 1 for each stored cell."""
    for p in range(np.uint64(index.size)):
        column = np.uint64(index[p])
        frequency[np.uint64(place[column]) + np.uint64(codes[p])] += 1


@njit
def recode(
    start, index, codes, zero_code, background, position, filled, out_start, out_index,
    out_codes,
):  # fmt: skip
    """Write the cells that are not background as CSR, code 0 named background.

    `start`, `index` and `codes` are the stored cells. `position` is the new index of
    each column, negative for one to drop. `filled` lists the columns, ascending, in
    which cells that are not stored are no background either.
    """
    n_out = np.uint64(0)
    for row in range(start.size - 1):
        p, end = np.uint64(start[row]), np.uint64(start[row + 1])
        q = 0
        while p < end or q < filled.size:
            if q < filled.size and (p == end or filled[q] <= index[p]):
                column = filled[q]
                stored = p < end and index[p] == column
                q += 1
            else:
                column = index[p]
                stored = True
            if stored:
                code = codes[p]
                p += np.uint64(1)
            else:
                code = zero_code[column]
            if position[column] < 0 or code == background[column]:
                continue
            out_index[n_out] = position[column]
            out_codes[n_out] = background[column] if code == 0 else code
            n_out += np.uint64(1)
        out_start[row + 1] = n_out
