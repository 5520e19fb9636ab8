"""Partial counts of one block, dense or as a list of cells, and their sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelsieve._plumbing.typing import CountArray, IntArray


@dataclass(frozen=True)
class SparseTable:
    """A table of counts by its cells that are not zero."""

    shape: tuple[int, ...]
    index: IntArray
    counts: CountArray


Partial = CountArray | SparseTable


def pack(table: CountArray, travels: bool) -> Partial:
    """List the cells of a table that goes over a network, where that is smaller."""
    if not travels:
        return table
    index = np.flatnonzero(table)
    counts = table.ravel()[index]
    index = index.astype(np.min_scalar_type(table.size))
    if index.nbytes + counts.nbytes >= table.nbytes:
        return table
    return SparseTable(table.shape, index, counts)


def add(parts: list[Partial]) -> Partial:
    """The sum of some parts, in the smaller form if all of them came in it."""
    if len(parts) == 1:
        return parts[0]
    table = unpack(parts[0]).copy()
    cells = table.reshape(-1)
    for part in parts[1:]:
        if isinstance(part, SparseTable):
            cells[part.index] += part.counts
        else:
            table += part
    return pack(table, any(isinstance(part, SparseTable) for part in parts))


def unpack(part: Partial) -> CountArray:
    """The table."""
    if not isinstance(part, SparseTable):
        return part
    table = np.zeros(part.shape, dtype=np.uint32)
    table.reshape(-1)[part.index] = part.counts
    return table
