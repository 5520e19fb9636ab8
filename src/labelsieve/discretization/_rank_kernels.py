"""Kernels that find many quantiles of a column and rank its numbers, without a sort.

Numbers are looked at as keys: unsigned integers in the same order.

keys: uint32 or uint64[n], those of a column
cuts: uint32 or uint64[cuts], keys of its quantiles, ascending; may repeat
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    BoolArray,
    CodeArray,
    FloatArray,
    IntArray,
    Scalar,
)

Keys = NDArray[Any]
# Keys are told apart by their first bits, if there are many.
FIRST_BITS = 16
N_FIRST = 1 << FIRST_BITS
MANY_KEYS = 1 << 14
# A rank that the first bits do not tell.
NOT_TOLD = np.uint8(255)


@njit
def find_many_keys(
    keys: Keys, n_bits: int, ranks: IntArray, buffer: Keys, out: Keys
) -> None:
    """out[i] = the key of rank ranks[i], from 1; ranks ascend.

    Only keys whose first bits are those of some answer are sorted.

    n_bits: of a key
    ranks: int64[any]
    buffer: uint32 or uint64[n], overwritten
    out: uint32 or uint64[ranks], overwritten
    """
    if keys.size <= MANY_KEYS:
        buffer[:] = keys
        buffer.sort()
        for i in range(ranks.size):
            out[i] = buffer[ranks[i] - 1]
        return
    shift = np.uint64(n_bits - FIRST_BITS)
    counts = np.zeros(N_FIRST, np.int64)
    for p in range(np.uint64(keys.size)):
        counts[np.uint64(keys[p]) >> shift] += 1
    # Where the keys with the same first bits as an answer are gathered, from 1.
    place = np.zeros(N_FIRST, np.int64)
    ends = np.zeros(ranks.size, np.int64)
    of_answer, within = np.empty((2, ranks.size), np.int64)
    first, below, n_gathered, n_places = 0, 0, 0, 0
    for i in range(ranks.size):
        while below + counts[first] < ranks[i]:
            below += counts[first]
            first += 1
        if place[first] == 0:
            ends[n_places] = n_gathered
            n_gathered += counts[first]
            n_places += 1
            place[first] = n_places
        of_answer[i], within[i] = place[first] - 1, ranks[i] - 1 - below
    start = ends.copy()
    for p in range(np.uint64(keys.size)):
        at = place[np.uint64(keys[p]) >> shift]
        if at:
            buffer[ends[at - 1]] = keys[p]
            ends[at - 1] += 1
    for at in range(n_places):
        buffer[start[at] : ends[at]].sort()
    for i in range(ranks.size):
        out[i] = buffer[start[of_answer[i]] + within[i]]


@njit
def rank_columns(
    keys: Keys,
    missing: Scalar,
    n_bits: int,
    wanted: BoolArray,
    cuts: Keys,
    out: CodeArray,
) -> None:
    """out[row, c] = the rank of a key in its column; in the middle where it is missing.

    keys: uint32 or uint64[columns, n]
    missing: the key of a missing cell
    wanted: bool[columns], which columns are ranked
    cuts: uint32 or uint64[columns, cuts]
    out: uint8[n, columns], overwritten in those
    """
    ranks = np.zeros(keys.shape, np.uint8)
    for c in range(keys.shape[0]):
        if wanted[c]:
            _rank_column(keys[c], missing, n_bits, cuts[c], ranks[c])
    for row in range(np.uint64(keys.shape[1])):
        for c in range(np.uint64(keys.shape[0])):
            out[row, c] = ranks[c, row]


@njit
def _rank_column(
    keys: Keys, missing: Scalar, n_bits: int, cuts: Keys, out: CodeArray
) -> None:
    """The same of one column.

    out: uint8[n], overwritten
    """
    if keys.size <= MANY_KEYS:
        for p in range(np.uint64(keys.size)):
            out[p] = cuts.size if keys[p] == missing else rank_among(cuts, keys[p])
        return
    shift = np.uint64(n_bits - FIRST_BITS)
    table = np.empty(N_FIRST, np.uint8)
    n_below = 0
    for first in range(N_FIRST):
        table[first] = 2 * n_below
        while n_below < cuts.size and np.uint64(cuts[n_below]) >> shift == first:
            table[first] = NOT_TOLD
            n_below += 1
    table[np.uint64(missing) >> shift] = NOT_TOLD
    for p in range(np.uint64(keys.size)):
        rank = table[np.uint64(keys[p]) >> shift]
        if rank == NOT_TOLD:
            rank = cuts.size if keys[p] == missing else rank_among(cuts, keys[p])
        out[p] = rank


@njit
def rank_values(
    points: FloatArray, lines: IntArray, values: FloatArray, out: IntArray
) -> None:
    """out[i] = the rank of a value among the points of its line.

    points: float64[lines, cuts], ascending
    lines: int64[values], the line of each
    values: float64[values]
    out: int64[values], overwritten
    """
    for i in range(values.size):
        out[i] = rank_among(points[lines[i]], values[i])


@njit
def rank_among(cuts: Keys, value: Scalar) -> int:
    """How many cuts are below a value, and how many are not above it."""
    below, high = 0, cuts.size
    while below < high:
        middle = (below + high) // 2
        if cuts[middle] < value:
            below = middle + 1
        else:
            high = middle
    equal = below
    while equal < cuts.size and cuts[equal] == value:
        equal += 1
    return below + equal
