"""Lists one after the other, and blocks of rows that threads take one by one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.typing import IndexArray, IntArray

# Sparse tables are worked on in this many blocks, fewer where there are few cells.
MOST_BLOCKS = 8
CELLS_PER_BLOCK = 250_000


class Lists(NamedTuple):
    """Lists of indices, one after the other: those of each row, rows of each label."""

    start: IntArray  # [lists + 1] where each list begins
    entries: IndexArray  # of all lists


def span(start: NDArray[Any], item: int) -> slice:
    """Where the entries of one item stand, of those that begin at `start`."""
    return slice(int(start[item]), int(start[item + 1]))


def slices_of(n: int, step: int) -> list[slice]:
    """Cut n items into ranges of `step`, the last one shorter."""
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def row_blocks(table: sp.csr_matrix) -> list[slice]:
    """Ranges of rows with about as many stored cells each; not of the threads' number.

    What is counted in blocks can be added up in their order, whoever counted.
    """
    return even_blocks(table.indptr)


def even_blocks(start: NDArray[Any]) -> list[slice]:
    """The same from where the cells of each row begin."""
    n_blocks = min(MOST_BLOCKS, int(start[-1]) // CELLS_PER_BLOCK)
    if n_blocks < 2:
        return [slice(0, start.size - 1)]
    cells = np.linspace(0, start[-1], n_blocks + 1)[1:-1]
    edges = np.searchsorted(start, cells).tolist()
    return [slice(*ends) for ends in pairwise([0, *edges, start.size - 1])]


def stored_cells(table: sp.csr_matrix, rows: slice) -> slice:
    """Where the stored cells of a range of rows stand."""
    return slice(int(table.indptr[rows.start]), int(table.indptr[rows.stop]))
