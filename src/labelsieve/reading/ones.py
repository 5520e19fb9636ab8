"""Dense tables of zeros and ones, listed in one pass over their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.matrices import slices_of

# Lists take at most about as much memory as a table of bytes would.
LISTED_SHARE = 0.2
# A table of fewer cells is not worth a list.
LISTED_FROM = 100_000
# So many cells are looked at at a time.
CELLS_AT_ONCE = 1 << 18


def list_ones(table: NDArray[Any]) -> sp.csr_matrix | None:
    """The ones of a large table of 0 and 1, mostly 0; None of any other table.

    Cells of any type are read where they are, in the order in which they lie.
    """
    return _list(table, False)


def list_known(table: NDArray[Any]) -> sp.csr_matrix | None:
    """The same where some cells are NaN: codes, 1 for 1 and 2 for NaN."""
    return _list(table, True) if table.dtype.kind == "f" else None


def _list(table: NDArray[Any], unknown: bool) -> sp.csr_matrix | None:
    if table.dtype.kind not in "biuf" or table.size < LISTED_FROM:
        return None
    if table.flags.f_contiguous and not table.flags.c_contiguous:
        turned = _list(table.T, unknown)
        return None if turned is None else turned.T.tocsr()
    width = table.shape[1]
    room = LISTED_SHARE * table.size + width
    parts: list[tuple[NDArray[Any], ...]] = []
    for rows in slices_of(len(table), max(1, CELLS_AT_ONCE // max(1, width))):
        cells = table[rows].ravel()
        place = np.flatnonzero(cells != 0)
        found = cells[place]
        is_one = found == 1
        if not (is_one | (found != found) if unknown else is_one).all():
            return None
        room -= place.size
        if room < 0:
            return None
        start = np.searchsorted(place, width * np.arange(1, len(table[rows]) + 1))
        codes = 2 - is_one.astype(np.uint8)
        parts.append(
            (codes, (place % width).astype(np.int32), np.diff(start, prepend=0))
        )
    if not parts:
        return None
    codes, index, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sp.csr_matrix((codes, index, np.append(0, np.cumsum(counts))), table.shape)
