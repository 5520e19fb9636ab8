"""Sums of products of small whole numbers, exact whatever the order of adding.

R: uint8[n, P], the columns
start: integer[n + 1], where the stored cells of each row begin, where not all are
index: integer[cells], the column of each
data: int16[cells], its value
out: int64, added to
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import IntArray

# Products of two scores are below 2**16: so many of them fit in 32 bits.
ROWS_IN_32_BITS = 1 << 15


@njit
def add_products(R: NDArray[Any], g: int, out: IntArray) -> None:
    """out[p] += sum of R[:, g] * R[:, p].

    out: int64[P]
    """
    part = np.zeros(out.size, np.int32)
    n_columns = np.uint64(out.size)
    for low in range(0, R.shape[0], ROWS_IN_32_BITS):
        for row in range(low, min(low + ROWS_IN_32_BITS, R.shape[0])):
            value = np.int32(R[row, g])
            if value:
                line = R[row]
                for p in range(n_columns):
                    part[p] += value * np.int32(line[p])
        for p in range(n_columns):
            out[p] += part[p]
            part[p] = 0


@njit
def add_label_sums(R: NDArray[Any], labels: Lists, first: int, out: IntArray) -> None:
    """out[y, p] += sum of R[:, p] over the rows with the label indicator y.

    labels: the indicators of each row
    first: the row of all rows that R begins with
    out: int64[Y, P]
    """
    n_columns = np.uint64(R.shape[1])
    for row in range(R.shape[0]):
        line = R[row]
        for i in range(labels.start[first + row], labels.start[first + row + 1]):
            into = out[labels.entries[i]]
            for p in range(n_columns):
                into[p] += np.int64(line[p])


@njit
def add_sums(R: NDArray[Any], power: int, out: IntArray) -> None:
    """out[p] += sum of R[:, p] ** power.

    out: int64[P]
    """
    for row in range(R.shape[0]):
        for p in range(np.uint64(R.shape[1])):
            value = np.int64(R[row, p])
            term = value
            for _ in range(power - 1):
                term *= value
            out[p] += term


@njit
def add_stored_products(
    start: NDArray[Any],
    index: NDArray[Any],
    data: NDArray[Any],
    column: NDArray[Any],
    out: IntArray,
) -> None:
    """out[p] += sum of column * R[:, p] over stored cells.

    column: int16[n], what is stored of one column, 0 elsewhere
    out: int64[P]
    """
    for row in range(start.size - 1):
        value = np.int64(column[row])
        if value:
            for i in range(start[row], start[row + 1]):
                out[index[i]] += value * np.int64(data[i])


@njit
def add_stored_label_sums(
    start: NDArray[Any],
    index: NDArray[Any],
    data: NDArray[Any],
    labels: Lists,
    out: IntArray,
) -> None:
    """out[y, p] += sum of stored R[:, p] over the rows with the label indicator y.

    labels: the indicators of each row
    out: int64[Y, P]
    """
    for row in range(start.size - 1):
        for j in range(labels.start[row], labels.start[row + 1]):
            into = out[labels.entries[j]]
            for i in range(start[row], start[row + 1]):
                into[index[i]] += np.int64(data[i])


@njit
def add_within(R: NDArray[Any], after: int, out: IntArray) -> None:
    """Add up the products of each column with the one that is so many after it.

    out: int64[P - after]
    """
    part = np.zeros(out.size, np.int32)
    for low in range(0, R.shape[0], ROWS_IN_32_BITS):
        for row in range(low, min(low + ROWS_IN_32_BITS, R.shape[0])):
            line, later = R[row], R[row, after:]
            for p in range(np.uint64(out.size)):
                part[p] += np.int32(line[p]) * np.int32(later[p])
        for p in range(np.uint64(out.size)):
            out[p] += part[p]
            part[p] = 0
