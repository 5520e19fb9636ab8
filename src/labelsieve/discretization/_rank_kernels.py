"""Kernels that find many quantiles of a column and rank its numbers, without a sort."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    BoolArray,
    CodeArray,
    FloatArray,
    IntArray,
    Scalar,
)

Keys = NDArray[Any]
Places = NDArray[np.uint16]
# Keys are told apart by their first bits.
FIRST_BITS = 16
N_FIRST = 1 << FIRST_BITS
# Numbers are told apart by bins of the same width, about as many as there are numbers.
FEWEST_BINS = 1 << 9
MOST_BINS = 1 << 12
# So few numbers are sorted by moving each to its place.
FEW_NUMBERS = 16


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
    values: NDArray[Any],
    keys: Keys,
    wanted: BoolArray,
    ends: NDArray[Any],
    n_missing: IntArray,
    scores: CodeArray,
    cuts: NDArray[Any],
    out: CodeArray,
) -> None:
    """Cut columns into quantiles, and rank their numbers; in the middle where missing.

    out[row, c] is the score of the rank; 0 where not wanted.

    values: float32 or float64[columns, n]; infinity where missing
    keys: uint32 or uint64[columns, n], the same as keys
    wanted: bool[columns], which columns are ranked
    ends: the type of values[columns, 2], the smallest and the largest number
    n_missing: int64[columns]
    scores: uint8[ranks], what stands for each rank
    cuts: the type of values[columns, quantiles], overwritten where wanted
    out: uint8[n, columns], overwritten
    """
    n_columns, n_rows = values.shape
    ranks = np.zeros(values.shape, np.uint8)
    positions = np.empty(cuts.shape[1], np.int64)
    for c in range(n_columns):
        if wanted[c]:
            quantile_ranks(n_rows - n_missing[c], positions)
            _rank_column(values[c], keys[c], ends[c], positions, cuts[c], ranks[c])
            for row in range(np.uint64(n_rows)):
                ranks[c, row] = scores[ranks[c, row]]
    for row in range(np.uint64(n_rows)):
        for c in range(np.uint64(n_columns)):
            out[row, c] = ranks[c, row]


@njit
def quantile_ranks(n_present: int, out: IntArray) -> None:
    """out[k] = the rank of a quantile, from 1: ceil((k + 1) n / (K + 1)).

    out: int64[K], overwritten
    """
    for k in range(out.size):
        out[k] = ((k + 1) * n_present + out.size) // (out.size + 1)


@njit
def _rank_column(
    values: NDArray[Any],
    keys: Keys,
    ends: NDArray[Any],
    positions: IntArray,
    cuts: NDArray[Any],
    out: CodeArray,
) -> None:
    """The same of one column.

    values: float32 or float64[n]
    keys: uint32 or uint64[n]
    ends: the type of values[2]
    positions: int64[quantiles], the ranks of the cuts
    cuts: the type of values[quantiles], overwritten
    out: uint8[n], overwritten
    """
    low, width, n_bins = ends[0], ends[1] - ends[0], FEWEST_BINS
    while 2 * n_bins <= values.size and n_bins < MOST_BINS:
        n_bins *= 2
    scale = values.dtype.type(0)
    if 0 < width < np.inf:
        scale = values.dtype.type((n_bins - 1) / np.float64(width))
    if not 0 < scale < np.inf:
        _cut_by_keys(keys, positions, cuts)
        for p in range(np.uint64(values.size)):
            missing = values[p] == np.inf
            out[p] = cuts.size if missing else rank_among(cuts, values[p])
        return
    bins = np.empty(values.size, np.uint16)
    for p in range(np.uint64(values.size)):
        missing = values[p] == np.inf
        bins[p] = n_bins if missing else np.uint64((values[p] - low) * scale)
    if not _cut_in_bins(values, bins, n_bins, positions, cuts):
        _cut_by_keys(keys, positions, cuts)
    of_cuts = np.empty(cuts.size, np.uint16)
    for k in range(cuts.size):
        of_cuts[k] = np.uint64((cuts[k] - low) * scale)
    _rank_in_bins(values, bins, n_bins, cuts, of_cuts, out)


@njit
def _cut_in_bins(
    values: NDArray[Any],
    bins: Places,
    n_bins: int,
    positions: IntArray,
    cuts: NDArray[Any],
) -> bool:
    """Find cuts by sorting the bins that hold any, if that is not most of many numbers.

    values: float32 or float64[n]
    bins: uint16[n], in the order of the values; n_bins where missing
    positions: int64[quantiles]
    cuts: the type of values[quantiles], overwritten
    """
    counts = np.zeros(n_bins + 1, np.uint32)
    for p in range(np.uint64(values.size)):
        counts[bins[p]] += np.uint32(1)
    # Where the numbers of such bins are gathered, from 1.
    place = np.zeros(n_bins + 1, np.uint32)
    start, where = np.empty((2, cuts.size), np.int64)
    b, n_before, n_gathered = 0, 0, 0
    for k in range(cuts.size):
        while n_before + counts[b] < positions[k]:
            n_before += counts[b]
            b += 1
        if place[b] == 0:
            place[b] = n_gathered + 1
            n_gathered += counts[b]
        start[k], where[k] = place[b] - 1, positions[k] - 1 - n_before
    if values.size > N_FIRST and 2 * n_gathered > values.size:
        return False
    gathered = np.empty(n_gathered + 1, values.dtype)
    for p in range(np.uint64(values.size)):
        b = bins[p]
        if place[b]:
            gathered[place[b] - np.uint32(1)] = values[p]
            place[b] += np.uint32(1)
    for k in range(cuts.size):
        if k == 0 or start[k] > start[k - 1]:
            last = k
            while last + 1 < cuts.size and start[last + 1] == start[k]:
                last += 1
            end = n_gathered if last + 1 == cuts.size else start[last + 1]
            _sort(gathered[start[k] : end])
        cuts[k] = gathered[start[k] + where[k]]
    return True


@njit
def _sort(values: NDArray[Any]) -> None:
    """Sort numbers by bins, of which most hold few.

    values: float32 or float64[some]
    """
    n, low, high = values.size, values.min(), values.max()
    scale = values.dtype.type(0)
    if high > low:
        scale = values.dtype.type((n - 1) / (np.float64(high) - np.float64(low)))
    if n <= FEW_NUMBERS:
        _sort_few(values)
    elif not 0 < scale < np.inf:
        values.sort()
    else:
        bins, place = np.empty(n, np.uint32), np.zeros(n + 2, np.uint32)
        for p in range(np.uint64(n)):
            bins[p] = np.uint64((values[p] - low) * scale)
            place[bins[p] + 2] += np.uint32(1)
        for b in range(2, n + 2):
            place[b] += place[b - 1]
        unsorted = values.copy()
        for p in range(np.uint64(n)):
            values[place[bins[p] + 1]] = unsorted[p]
            place[bins[p] + 1] += np.uint32(1)
        for b in range(n):
            own = values[place[b] : place[b + 1]]
            if own.size > FEW_NUMBERS:
                own.sort()
            else:
                _sort_few(own)


@njit
def _sort_few(values: NDArray[Any]) -> None:
    """Sort a few numbers by moving each to its place.

    values: float32 or float64[some]
    """
    for i in range(1, values.size):
        value, k = values[i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value


@njit
def _cut_by_keys(keys: Keys, positions: IntArray, cuts: NDArray[Any]) -> None:
    """Find cuts among keys.

    keys: uint32 or uint64[n]
    positions: int64[quantiles]
    cuts: float32 or float64[quantiles], overwritten
    """
    found, buffer = np.empty(cuts.size, keys.dtype), np.empty_like(keys)
    n_bits = 8 * keys.itemsize
    find_many_keys(keys, n_bits, positions, buffer, found)
    sign = keys.dtype.type(1) << keys.dtype.type(n_bits - 1)
    for k in range(found.size):
        found[k] = found[k] ^ sign if found[k] & sign else ~found[k]
    cuts[:] = found.view(cuts.dtype)


@njit
def _rank_in_bins(
    values: NDArray[Any],
    bins: Places,
    n_bins: int,
    cuts: NDArray[Any],
    of_cuts: Places,
    out: CodeArray,
) -> None:
    """Rank numbers by their bins, and only where those hold cuts by themselves.

    values: float32 or float64[n]
    bins, of_cuts: uint16[n] and uint16[cuts], the bins of values and of cuts
    cuts: the type of values[cuts], ascending
    out: uint8[n], overwritten
    """
    has_cut, n_below = np.zeros(n_bins + 1, np.bool_), np.zeros(n_bins + 1, np.uint8)
    k = 0
    for b in range(n_bins):
        n_below[b] = k
        while k < cuts.size and of_cuts[k] == b:
            has_cut[b] = True
            k += 1
    for p in range(np.uint64(values.size)):
        b = bins[p]
        below = np.int64(n_below[b])
        if has_cut[b]:
            while below < cuts.size and cuts[below] < values[p]:
                below += 1
            equal = below
            while equal < cuts.size and cuts[equal] == values[p]:
                equal += 1
            out[p] = below + equal
        else:
            out[p] = cuts.size if b == n_bins else 2 * below


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


@njit
def count_codes(
    scores: CodeArray,
    columns: IntArray,
    code_of: CodeArray,
    labels: Lists,
    out: IntArray,
) -> None:
    """out[c, code, y] += rows with a code of a column and label indicator y.

    scores: uint8[rows, all columns]
    columns: int64[columns], which are counted
    code_of: uint8[columns, 256], the code of each score
    labels: those of each row
    out: int64[columns, codes, label indicators + 1], the last one for all rows
    """
    start, index = labels
    last = out.shape[2] - 1
    for row in range(scores.shape[0]):
        begin, end = np.uint64(start[row]), np.uint64(start[row + 1])
        for c in range(np.uint64(columns.size)):
            code = code_of[c, scores[row, columns[c]]]
            out[c, code, last] += 1
            for p in range(begin, end):
                out[c, code, index[p]] += 1
