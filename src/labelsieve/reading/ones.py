"""Dense tables of zeros and ones, listed in one pass over their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# Lists take at most about as much memory as a table of bytes would.
LISTED_SHARE = 0.2
# A table of fewer cells is not worth loading a kernel.
LISTED_FROM = 100_000


def list_ones(table: NDArray[Any]) -> sp.csr_matrix | None:
    """The ones of a large table of 0 and 1, mostly 0; None of any other table.

    Cells of any type are read where they are, in the order in which they lie.
    """
    if table.dtype.kind not in "biuf" or table.itemsize > 8:
        return None
    if table.size < LISTED_FROM:
        return None
    if table.flags.f_contiguous and not table.flags.c_contiguous:
        lists = _list(table.T)
        return None if lists is None else sp.csc_matrix(lists, table.shape).tocsr()
    lists = _list(table)
    return None if lists is None else sp.csr_matrix(lists, table.shape)


def list_known(table: NDArray[Any]) -> sp.csr_matrix | None:
    """The same where some cells are NaN: codes, 1 for 1 and 2 for NaN."""
    if table.dtype not in (np.float64, np.float32) or table.size < LISTED_FROM:
        return None
    from labelsieve.reading import _kernels as kernels

    table = np.ascontiguousarray(table)
    bits = np.dtype(f"u{table.itemsize}")
    one, infinity = np.array([1, np.inf], dtype=table.dtype).view(bits)
    magnitude = bits.type(np.iinfo(bits).max // 2)
    start, index = _room(table)
    codes, cells = np.empty(index.size, dtype=np.uint8), table.view(bits)
    if not kernels.list_known(cells, one, infinity, magnitude, start, index, codes):
        return None
    n_cells = int(start[-1])
    codes, index = codes[:n_cells].copy(), index[:n_cells].copy()
    return sp.csr_matrix((codes, index, start), table.shape)


def _room(table: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where lines begin, and places for the cells of a line that are listed."""
    start = np.zeros(len(table) + 1, dtype=np.int64)
    room = int(LISTED_SHARE * table.size) + table.shape[1]
    return start, np.empty(room, dtype=np.int32)


def _list(table: NDArray[Any]) -> tuple[Any, ...] | None:
    """Cells, columns and where each line begins."""
    from labelsieve.reading import _kernels as kernels

    # Whatever its type, a cell is 0 or 1 where its bits are those of 0 or 1.
    bits = np.dtype(f"u{table.itemsize}")
    one = np.ones(1, dtype=table.dtype).view(bits)[0]
    start, index = _room(table)
    if not kernels.list_ones(table.view(bits), one, start, index):
        return None
    n_ones = int(start[-1])
    return np.ones(n_ones, dtype=np.uint8), index[:n_ones].copy(), start
