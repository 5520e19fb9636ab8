"""Sparse tables as CSR, looked through before anything follows their indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.matrices import check_sparse


def open_sparse(table: Any, name: str) -> tuple[Any, bool]:
    """Return a sparse table as CSR, and whether its rows are sorted without repeats.

    `name` is what the table is called in the error for wrong indices. The table that
    was passed stays as it is.
    """
    from labelsieve.reading._kernels import BROKEN, CANONICAL, scan_rows

    if table.format != "csr":
        check_sparse(table, name)
        table = table.tocsr()
    check_sparse(table, name, follow=False)
    form = scan_rows(_plain(table.indptr), _plain(table.indices), table.shape[1])
    if form == BROKEN:
        check_sparse(table, name)  # says what is wrong
    canonical: bool = form == CANONICAL
    n_stored = int(table.indptr[-1])
    if not canonical or n_stored < table.indices.size:
        # A new object: marks that SciPy made earlier may no longer be true.
        cells = table.data[:n_stored], table.indices[:n_stored], table.indptr
        table = type(table)(cells, shape=table.shape)
    table.has_canonical_format = canonical
    return table, canonical


def merge_repeats(table: Any) -> Any:
    """A copy of the CSR table with sorted rows in which each cell is stored once."""
    table = table.copy()
    table.sum_duplicates()
    return table


def _plain(index: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as kernels know them."""
    known = index.dtype in (np.int32, np.int64)
    return np.ascontiguousarray(index, None if known else np.int64)
