"""Kernels over the cells of a row block: digits of values.

bits: uint64[cells], the bits of their values
column: int32[cells], the column of each; empty for a dense block, whose cells are
    listed row after row
start: int64[columns + 1], the first target of each column
prefix: uint64[targets], what is known of the ordered bits of the values sought
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    Int32Array,
    IntArray,
    Scalar,
    WordArray,
)
from labelsieve.blocks.kernels import next_column

DIGIT_BITS = 12
N_DIGITS = 1 << DIGIT_BITS


@njit
def count_digits(
    bits: WordArray,
    column: Int32Array,
    n_columns: int,
    start: IntArray,
    prefix: WordArray,
    ahead: int,
    shift: int,
    out: CountArray,
) -> None:
    """Count the cells of each target by their next digit, zero cells left out.

    A cell belongs to target t if its ordered bits but the last `ahead` are prefix[t];
    its digit is what follows but the last `shift` bits.

    out: uint32[targets, digits], added to
    """
    last = (np.uint64(1) << np.uint64(ahead - shift)) - np.uint64(1)
    j = np.uint64(n_columns - 1)
    for p in range(np.uint64(bits.size)):
        j = next_column(column, p, j, n_columns)
        if bits[p] << np.uint64(1):
            key = ordered_bits(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    out[t, (key >> np.uint64(shift)) & last] += np.uint32(1)


@njit
def list_cells(
    bits: WordArray,
    column: Int32Array,
    n_columns: int,
    start: IntArray,
    prefix: WordArray,
    ahead: int,
    target: IntArray,
    place: IntArray,
) -> int:
    """List the cells that belong to a target; returns how many there are.

    target, place: int64[room], overwritten as far as there is room
    """
    n_found = 0
    j = np.uint64(n_columns - 1)
    for p in range(np.uint64(bits.size)):
        j = next_column(column, p, j, n_columns)
        if bits[p] << np.uint64(1):
            key = ordered_bits(bits[p])
            for t in range(np.uint64(start[j]), np.uint64(start[j + np.uint64(1)])):
                if starts_with(key, np.uint64(ahead), prefix[t]):
                    if n_found < target.size:
                        target[n_found] = t
                        place[n_found] = p
                    n_found += 1
    return n_found


@njit
def ordered_bits(bits: Scalar) -> Scalar:
    """The bits of a double as an integer in the order of the numbers."""
    sign = np.uint64(1) << np.uint64(63)
    return ~bits if bits & sign else bits | sign


@njit
def starts_with(key: Scalar, ahead: Scalar, prefix: Scalar) -> bool:
    """Whether what stands before the last `ahead` bits is the prefix."""
    return ahead >= np.uint64(64) or key >> ahead == prefix
