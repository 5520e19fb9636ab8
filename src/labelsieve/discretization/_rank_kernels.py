"""Kernels that find many quantiles of a column and rank its numbers, without a sort."""

from __future__ import annotations

from typing import Any, NamedTuple

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
# Keys are told apart by their first bits.
FIRST_BITS = 16
N_FIRST = 1 << FIRST_BITS
# Between the first and the last cut, numbers are looked up in so many bins of the same
# width, if there are enough of them.
N_BINS = 1 << 10
# A rank that a bin does not tell.
NOT_TOLD = np.uint8(255)


@njit
def find_many_keys(
    keys: Keys, n_bits: int, ranks: IntArray, buffer: Keys, out: Keys
) -> None:
    """out[i] = the key of rank ranks[i], from 1; ranks ascend.

    Keys are unsigned integers in the order of the numbers. Only those whose first bits
    are those of some answer are sorted.

    keys: uint32 or uint64[n]
    n_bits: of a key
    ranks: int64[any]
    buffer: uint32 or uint64[n], overwritten
    out: uint32 or uint64[ranks], overwritten
    """
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
    values: NDArray[Any], wanted: BoolArray, cuts: NDArray[Any], out: CodeArray
) -> None:
    """out[row, c] = the rank of a number in its column; in the middle where missing.

    values: float32 or float64[columns, n]; infinity where missing
    wanted: bool[columns], which columns are ranked
    cuts: the same type[columns, cuts], ascending
    out: uint8[n, columns], overwritten
    """
    ranks = np.zeros(values.shape, np.uint8)
    for c in range(values.shape[0]):
        if wanted[c]:
            _rank_column(values[c], cuts[c], ranks[c])
    for row in range(np.uint64(values.shape[1])):
        for c in range(np.uint64(values.shape[0])):
            out[row, c] = ranks[c, row]


@njit
def _rank_column(values: NDArray[Any], cuts: NDArray[Any], out: CodeArray) -> None:
    """The same of one column.

    values: float32 or float64[n]
    cuts: the same type[cuts]
    out: uint8[n], overwritten
    """
    low, high, last = cuts[0], cuts[-1], np.uint8(2 * cuts.size)
    scale = values.dtype.type(0)
    if high > low:
        scale = values.dtype.type((N_BINS - 1) / (np.float64(high) - np.float64(low)))
    if values.size < N_BINS or not 0 < scale < np.inf:
        for p in range(np.uint64(values.size)):
            missing = values[p] == np.inf
            out[p] = cuts.size if missing else rank_among(cuts, values[p])
        return
    table = np.empty(2 * N_BINS, np.uint8)
    n_below = 0
    for place in range(table.size):
        table[place] = 2 * n_below
        while n_below < cuts.size and int((cuts[n_below] - low) * scale) == place:
            table[place] = NOT_TOLD
            n_below += 1
    for p in range(np.uint64(values.size)):
        value = values[p]
        if value < low:
            out[p] = 0
        elif value > high:
            out[p] = cuts.size if value == np.inf else last
        else:
            rank = table[np.uint64((value - low) * scale)]
            out[p] = rank_among(cuts, value) if rank == NOT_TOLD else rank


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
    """How many cuts are below a value, and how many are not above it.

    cuts: numbers[cuts], ascending
    """
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


class Placed(NamedTuple):
    """Where columns of ranks go in a table of all columns."""

    columns: IntArray  # [ranked] where each is among the values
    first: IntArray  # [ranked] where it goes
    missing: BoolArray  # [ranked] whether the next column says where it is missing


@njit
def place_ranks(
    ranks: CodeArray,
    values: NDArray[Any],
    mark: float,
    placed: Placed,
    out: CodeArray,
) -> None:
    """Write columns of ranks, and where they are missing, into a table.

    ranks: uint8[rows, columns]
    values: float32 or float64[rows, columns], `mark` where missing
    out: uint8[rows, columns of the table]
    """
    for row in range(np.uint64(ranks.shape[0])):
        for i in range(np.uint64(placed.columns.size)):
            column, first = np.uint64(placed.columns[i]), np.uint64(placed.first[i])
            out[row, first] = ranks[row, column]
            if placed.missing[i]:
                out[row, first + np.uint64(1)] = values[row, column] == mark
