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
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(table.sum()):
            return None
    from labelsieve.reading import _kernels as kernels

    table = np.ascontiguousarray(table)
    start = np.zeros(len(table) + 1, dtype=np.int64)
    if not kernels.count_known(table, start):
        return None
    np.cumsum(start, out=start)
    n_cells = int(start[-1])
    if n_cells > LISTED_SHARE * table.size:
        return None
    index, codes = np.empty(n_cells, dtype=np.int32), np.empty(n_cells, dtype=np.uint8)
    kernels.list_known(table, start, index, codes)
    return sp.csr_matrix((codes, index, start), table.shape)


def _list(table: NDArray[Any]) -> tuple[Any, ...] | None:
    """Cells, columns and where each line begins."""
    from labelsieve.reading import _kernels as kernels

    # Whatever its type, a cell is 0 or 1 where its bits are those of 0 or 1.
    bits = np.dtype(f"u{table.itemsize}")
    one = np.ones(1, dtype=table.dtype).view(bits)[0]
    start = np.zeros(len(table) + 1, dtype=np.int64)
    room = int(LISTED_SHARE * table.size) + table.shape[1]
    index = np.empty(room, dtype=np.int32)
    if not kernels.list_ones(table.view(bits), one, start, index):
        return None
    n_ones = int(start[-1])
    return np.ones(n_ones, dtype=np.uint8), index[:n_ones].copy(), start
