"""Sparse tables as CSR, looked through before anything follows their indices."""

from __future__ import annotations

from typing import Any

from labelsieve._utils.matrices import check_sparse


def open_sparse(table: Any, name: str) -> tuple[Any, bool]:
    """Return a sparse table as CSR, and whether its rows are sorted without repeats.

    `name` is what the table is called in the error for wrong indices. The table that
    was passed stays as it is.
    """
    check_sparse(table, name)
    table = table.tocsr()
    # A new object: marks that SciPy made earlier may no longer be true.
    n_stored = int(table.indptr[-1])
    cells = table.data[:n_stored], table.indices[:n_stored], table.indptr
    opened = type(table)(cells, shape=table.shape)
    return opened, bool(opened.has_canonical_format)


def merge_repeats(table: Any) -> Any:
    """A copy of the CSR table with sorted rows in which each cell is stored once."""
    table = table.copy()
    table.sum_duplicates()
    return table
