"""How often codes occur, and which is the most frequent of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.slices import row_blocks, slices_of, stored_cells
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import BoolArray, CountArray, IntArray

# A thread counts the ones of about so many dense cells at a time.
CELLS_AT_ONCE = 1_000_000


def sparse_frequencies(
    stored: sp.csr_matrix, zero_code: NDArray[Any], n_codes: IntArray
) -> IntArray:
    """How often each code of each column occurs, column after column."""
    blocks = row_blocks(stored)
    return block_frequencies(stored, zero_code, n_codes, blocks, None).sum(axis=0)


def block_frequencies(
    stored: sp.csr_matrix,
    zero_code: NDArray[Any],
    n_codes: IntArray,
    blocks: list[slice],
    n_jobs: int | None,
) -> IntArray:
    """How often each code of each column occurs, one line for each block of rows."""
    from labelsieve.discretization import _code_kernels as kernels

    place = place_of(n_codes)

    def count(rows: slice) -> IntArray:
        cells = stored_cells(stored, rows)
        frequency = np.zeros(int(n_codes.sum()), dtype=np.int64)
        n_zero = np.full(n_codes.size, rows.stop - rows.start)
        kernels.count_code_frequencies(
            stored.indices[cells], stored.data[cells], place, frequency, n_zero
        )
        frequency[place + zero_code] += n_zero
        return frequency

    return np.stack(run_in_threads(count, blocks, n_jobs))


def place_of(n_codes: IntArray) -> IntArray:
    """Where the codes of each column begin in a list of all codes of all columns."""
    return np.cumsum(n_codes) - n_codes


def dense_frequencies(
    codes: NDArray[Any], n_codes: IntArray, n_jobs: int | None = None
) -> IntArray:
    """How often each code of each column occurs, column after column."""
    from labelsieve.discretization import _dense_kernels as kernels

    frequency = np.zeros(int(n_codes.sum()), dtype=np.int64)
    place = place_of(n_codes)
    two = n_codes == 2
    ones = _count_ones(codes if two.all() else codes[:, two], n_jobs)
    frequency[place[two]] = codes.shape[0] - ones
    frequency[place[two] + 1] = ones
    if two.all():
        return frequency
    (others,) = np.nonzero(~two)
    several = np.ascontiguousarray(
        codes if others.size == n_codes.size else codes[:, others]
    )
    kernels.count_dense_codes(several, place[others], frequency)
    return frequency


def _count_ones(codes: NDArray[Any], n_jobs: int | None) -> IntArray:
    """How many rows of each column have 1, of zeros and ones."""
    from labelsieve.discretization import _dense_kernels as kernels

    table = np.ascontiguousarray(codes, dtype=np.uint8)
    height = max(1, CELLS_AT_ONCE // max(1, table.shape[1]))

    def count(rows: slice) -> IntArray:
        out = np.zeros(table.shape[1], dtype=np.int64)
        kernels.count_ones(table[rows], out)
        return out

    counts = run_in_threads(count, slices_of(len(table), height), n_jobs)
    return np.sum(counts, axis=0, dtype=np.int64)


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
