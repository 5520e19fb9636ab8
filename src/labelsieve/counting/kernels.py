"""Integer kernels: how many rows have a feature indicator and a label indicator.

Indicators are the non-zero codes of the columns. Counts are uint32, and every index
is unsigned: signed ones would cost a test for negative positions at each access.
Rows come as `Lists` of the indicators of each row, as bits (one uint64 row per
indicator, 64 rows of data per word), or as C-ordered codes.

rows: uint32[some rows], the rows to count
mask: uint64[words], the rows to count, as bits
codes: unsigned[n, features], C-ordered
x_bits, y_bits: uint64[indicators, words], the rows with each indicator
x_start: int64[features + 1], the first indicator of each feature
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import config, types
from numba.extending import intrinsic

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    CodeArray,
    CountArray,
    IndexArray,
    IntArray,
    WordArray,
)

# Columns of so many codes but 0 are packed code by code.
MOST_FEW = 3
# So many lists are written at the same time, if rows have so many entries for each
# time that they are gone through.
LISTS_AT_ONCE, ENTRIES_PER_PASS = 1024, 8


@intrinsic
def _ones(context: Any, word: Any) -> Any:
    """The number of ones in a uint64, one instruction on most processors."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _ones_in_python(word: Any) -> int:
    return int(word).bit_count()


popcount: Any = _ones_in_python if config.DISABLE_JIT else _ones


@njit
def begin_groups(rows: IndexArray, labels: Lists, start: IntArray) -> None:
    """Where lists of the given rows begin, one for each label.

    start: int64[labels + 1], overwritten
    """
    start[:] = 0
    y_start, y_index = labels
    for row in rows:
        for p in range(np.uint64(y_start[row]), np.uint64(y_start[row + 1])):
            start[np.uint64(y_index[p]) + np.uint64(1)] += 1
    for b in range(start.size - 1):
        start[b + 1] += start[b]


@njit
def group_rows(
    rows: IndexArray, labels: Lists, place: IntArray, grouped: IndexArray
) -> None:
    """List the given rows by their labels; those of label b from place[b] on.

    labels: those of each row, ascending
    place: int64[labels], on return where the rows of each label end
    grouped: uint32[entries], filled in
    """
    y_start, y_index = labels
    n_passes = 1 + place.size // LISTS_AT_ONCE
    if y_index.size < ENTRIES_PER_PASS * n_passes * y_start.size:
        n_passes = 1
    # The processor writes to some lists at a time faster than to all of them.
    width = np.uint32(place.size // n_passes + 1)
    at = y_start[rows]
    for k in range(n_passes):
        bound = np.uint32(k + 1) * width
        for i in range(np.uint64(rows.size)):
            row, p = rows[i], np.uint64(at[i])
            end = np.uint64(y_start[row + np.uint64(1)])
            while p < end and y_index[p] < bound:
                label = y_index[p]
                grouped[np.uint64(place[label])] = row
                place[label] += 1
                p += np.uint64(1)
            at[i] = p


@njit
def fill_known(
    n_f: CountArray,
    n_fl: CountArray,
    y_start: IntArray,
    y_end: IntArray,
    out: CountArray,
) -> None:
    """Count the rows with each feature where a label is known.

    n_f: uint32[X], rows with a feature indicator
    n_fl: uint32[Y, X], those of them with a label indicator
    y_start: int64[L + 1], the first indicator of each label
    y_end: int64[L], where those end that are not "not known"
    out: uint32[L, X], overwritten
    """
    for label in range(out.shape[0]):
        line = y_end[label]
        if line == y_start[label + 1]:
            out[label] = n_f
            continue
        for f in range(np.uint64(n_f.size)):
            out[label, f] = n_f[f] - n_fl[line, f]


@njit
def count_codes(
    rows: IndexArray,
    codes: CodeArray,
    x_start: IntArray,
    labels: Lists,
    low: int,
    high: int,
    out: CountArray,
) -> None:
    """Count the rows with a feature and a label in [low, high).

    out: uint32[high - low, feature indicators], overwritten
    """
    out[:] = 0
    y_start, y_index = labels
    for row in rows:
        for p in range(np.uint64(y_start[row]), np.uint64(y_start[row + 1])):
            label = y_index[p]
            if low <= label < high:
                line = out[label - low]
                for f in range(np.uint64(codes.shape[1])):
                    code = codes[row, f]
                    if code:
                        indicator = np.uint64(x_start[f]) + np.uint64(code - 1)
                        line[indicator] += np.uint32(1)


@njit
def pack_codes(
    codes: CodeArray, x_start: IntArray, low: int, high: int, out: WordArray
) -> None:
    """Set the bits of the rows with each indicator, in words [low, high).

    out: uint64[indicators, words], zero before
    """
    n_rows, n_columns = codes.shape
    if x_start[-1] == n_columns:
        _pack_two(codes, low, high, out)
        return
    if np.diff(x_start).max() <= MOST_FEW:
        _pack_few(codes, x_start, low, high, out)
        return
    words = np.empty(x_start[-1], dtype=np.uint64)
    for w in range(low, high):
        words[:] = 0
        for row in range(64 * w, min(64 * w + 64, n_rows)):
            bit = np.uint64(1) << np.uint64(row - 64 * w)
            for f in range(np.uint64(n_columns)):
                code = codes[row, f]
                if code:
                    words[np.uint64(x_start[f]) + np.uint64(code - 1)] |= bit
        for indicator in range(np.uint64(words.size)):
            out[indicator, w] = words[indicator]


@njit
def _pack_two(codes: CodeArray, low: int, high: int, out: WordArray) -> None:
    """The same where all columns have two codes: no code is asked what it is.

    out: uint64[columns, words], overwritten in these words
    """
    n_rows, n_columns = codes.shape
    words = np.empty(n_columns, dtype=np.uint64)
    for w in range(low, high):
        words[:] = 0
        for row in range(64 * w, min(64 * w + 64, n_rows)):
            place = np.uint64(row - 64 * w)
            for f in range(np.uint64(n_columns)):
                words[f] |= np.uint64(codes[row, f]) << place
        for f in range(np.uint64(n_columns)):
            out[f, w] = words[f]


@njit
def _pack_few(
    codes: CodeArray, x_start: IntArray, low: int, high: int, out: WordArray
) -> None:
    """The same where columns have few codes: each is looked for in all columns.

    out: uint64[indicators, words], overwritten in these words
    """
    n_rows, n_columns = codes.shape
    words = np.empty(n_columns, dtype=np.uint64)
    for w in range(low, high):
        for indicator in range(np.diff(x_start).max()):
            code = np.uint64(indicator + 1)
            words[:] = 0
            for row in range(64 * w, min(64 * w + 64, n_rows)):
                place = np.uint64(row - 64 * w)
                for f in range(np.uint64(n_columns)):
                    words[f] |= np.uint64(np.uint64(codes[row, f]) == code) << place
            for f in range(n_columns):
                if x_start[f] + indicator < x_start[f + 1]:
                    out[x_start[f] + indicator, w] = words[f]


@njit
def count_bits(
    mask: WordArray,
    x_bits: WordArray,
    y_bits: WordArray,
    low: int,
    high: int,
    out: CountArray,
) -> None:
    """Like `count_codes`, from bits.

    out: uint32[high - low, feature indicators], overwritten
    """
    n_words = np.uint64(mask.size)
    both = np.empty(mask.size, dtype=np.uint64)
    for label in range(low, high):
        for w in range(n_words):
            both[w] = mask[w] & y_bits[label, w]
        count_features_bits(both, x_bits, out[label - low])


@njit
def count_some_bits(
    mask: WordArray,
    some: IntArray,
    x_bits: WordArray,
    y_bits: WordArray,
    low: int,
    high: int,
    out: CountArray,
) -> None:
    """Like `count_bits`, for some of the feature indicators.

    some: int64[which]
    out: uint32[high - low, which], overwritten
    """
    both = np.empty(mask.size, dtype=np.uint64)
    for label in range(low, high):
        for w in range(np.uint64(mask.size)):
            both[w] = mask[w] & y_bits[label, w]
        for i in range(some.size):
            column = x_bits[some[i]]
            n = np.uint64(0)
            for w in range(np.uint64(mask.size)):
                n += popcount(both[w] & column[w])
            out[label - low, i] = n


@njit
def count_features_bits(mask: WordArray, x_bits: WordArray, out: CountArray) -> None:
    """Count the rows in `mask` with each feature.

    out: uint32[feature indicators], overwritten
    """
    for f in range(np.uint64(x_bits.shape[0])):
        column = x_bits[f]
        n = np.uint64(0)
        for w in range(np.uint64(mask.size)):
            n += popcount(mask[w] & column[w])
        out[f] = n


@njit
def count_features_sparse(rows: IndexArray, features: Lists, out: CountArray) -> None:
    """Count the given rows with each feature.

    out: uint32[feature indicators], overwritten
    """
    out[:] = 0
    x_start, x_index = features
    for row in rows:
        for p in range(np.uint64(x_start[row]), np.uint64(x_start[row + 1])):
            out[x_index[p]] += np.uint32(1)


@njit
def count_features_codes(
    rows: IndexArray, codes: CodeArray, x_start: IntArray, out: CountArray
) -> None:
    """Like `count_features_sparse`, from codes.

    out: uint32[feature indicators], overwritten
    """
    out[:] = 0
    for row in rows:
        for f in range(np.uint64(codes.shape[1])):
            code = codes[row, f]
            if code:
                out[np.uint64(x_start[f]) + np.uint64(code - 1)] += np.uint32(1)


@njit
def count_pairs_bits(x_bits: WordArray, low: int, high: int, out: CountArray) -> None:
    """Count the rows with each feature and each feature in [low, high).

    out: uint32[high - low, feature indicators], overwritten
    """
    for g in range(low, high):
        count_features_bits(x_bits[g], x_bits, out[g - low])
