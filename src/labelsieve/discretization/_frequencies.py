"""How often codes occur, and which is the most frequent of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.matrices import row_blocks, slices_of, stored_cells
from labelsieve._plumbing.typing import BoolArray, CountArray, IntArray

# A thread counts the codes of about so many dense cells at a time.
CELLS_AT_ONCE = 250_000


def sparse_frequencies(
    stored: sp.csr_matrix,
    zero_code: NDArray[Any],
    n_codes: IntArray,
    n_jobs: int | None = None,
) -> IntArray:
    """How often each code of each column occurs, column after column."""
    place, size = place_of(n_codes), int(n_codes.sum())

    def count(rows: slice) -> IntArray:
        cells = stored_cells(stored, rows)
        return np.bincount(
            place[stored.indices[cells]] + stored.data[cells], minlength=size
        )

    counts = run_in_threads(count, row_blocks(stored), n_jobs)
    frequency: IntArray = np.sum(counts, axis=0)
    frequency[place + zero_code] += stored.shape[0] - np.add.reduceat(frequency, place)
    return frequency


def place_of(n_codes: IntArray) -> IntArray:
    """Where the codes of each column begin in a list of all codes of all columns."""
    return np.cumsum(n_codes) - n_codes


def dense_frequencies(
    codes: NDArray[Any], n_codes: IntArray, n_jobs: int | None = None
) -> IntArray:
    """How often each code of each column occurs, column after column."""
    place, size = place_of(n_codes), int(n_codes.sum())
    two = (n_codes <= 2).all()

    def count(rows: slice) -> IntArray:
        if two:  # a byte counts so many rows
            return np.add.reduce(codes[rows], axis=0, dtype=np.uint8).astype(np.int64)
        return np.bincount((place + codes[rows]).ravel(), minlength=size)

    height = 255 if two else max(1, CELLS_AT_ONCE // max(1, n_codes.size))
    counts = run_in_threads(count, slices_of(len(codes), height), n_jobs)
    total: IntArray = np.sum(counts, axis=0, dtype=np.int64)
    if not two:
        return total
    both = np.stack([len(codes) - total, total], axis=1)
    return both[np.arange(2) < n_codes[:, np.newaxis]]


def most_frequent(
    frequency: IntArray, n_codes: IntArray, unknown: BoolArray | None = None
) -> IntArray:
    """The most frequent code of each column; of several, the smallest.

    A last code that means *not known* is never the one.
    """
    place = place_of(n_codes)
    if unknown is not None and unknown.any():
        frequency = frequency.copy()
        frequency[(place + n_codes - 1)[unknown]] = -1
    if not n_codes.size:
        return np.empty(0, dtype=np.int64)
    largest = np.repeat(np.maximum.reduceat(frequency, place), n_codes)
    code = np.arange(frequency.size) - np.repeat(place, n_codes)
    first = np.where(frequency == largest, code, frequency.size)
    return np.minimum.reduceat(first, place)


def counts_but_background(
    frequency: IntArray, n_codes: IntArray, background: IntArray
) -> CountArray:
    """How many rows have each code but the background, once that is named 0."""
    place = place_of(n_codes)
    named = frequency.copy()
    named[place + background] = frequency[place]
    return np.delete(named, place).astype(np.uint32)
