"""Rows and columns that are equal in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.typing import Matrix


def equal_rows(table: Matrix, rows: Sequence[int]) -> list[list[int]]:
    """Those of some rows that are equal, group by group, in the order of the table.

    A sparse table is canonical CSR without stored zeros.
    """
    by_hash: dict[int, list[int]] = {}
    for row, cells in zip(rows, cells_of(table, rows), strict=True):
        by_hash.setdefault(hash(cells), []).append(row)
    # What has one hash is nearly always equal, but nobody promises it.
    alike = [row for group in by_hash.values() if len(group) > 1 for row in group]
    groups: dict[bytes, list[int]] = {}
    for row, cells in zip(alike, cells_of(table, alike), strict=True):
        groups.setdefault(cells, []).append(row)
    return [group for group in groups.values() if len(group) > 1]


def cells_of(table: Any, rows: Sequence[int]) -> Iterator[bytes]:
    """The cells of some rows, as bytes that are the same where all cells are."""
    if not sp.issparse(table):
        for row in rows:
            yield (table[row] + 0).tobytes()  # without the sign of a zero
        return
    start, index, data = table.indptr.tolist(), table.indices, table.data
    for row in rows:
        cells = slice(start[row], start[row + 1])
        yield index[cells].tobytes() + data[cells].tobytes()


def columns_as_rows(table: Matrix) -> Matrix:
    """The columns of a table as rows that are quickly at hand."""
    return (
        sp.csr_matrix(table.T) if sp.issparse(table) else np.ascontiguousarray(table.T)
    )
