"""Integer kernels: how many rows have a feature indicator and a label indicator.

Indicators are the non-zero codes of the columns. Counts are uint32, and every index
is unsigned: signed ones would cost a test for negative positions at each access.
Rows come as CSR (`start` int64, `index` uint32), as bits (one uint64 row per
indicator, 64 rows of data per word), or as C-ordered codes.
"""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import config, types
from numba.extending import intrinsic

from labelsieve._plumbing.compile import njit


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
def group_rows(rows, y_start, y_index, place, grouped):
    """List the given rows by their labels; those of label b from place[b] on.

    place[b] is on return where they end.
    """
    for row in rows:
        for p in range(np.uint64(y_start[row]), np.uint64(y_start[row + 1])):
            label = y_index[p]
            grouped[np.uint64(place[label])] = row
            place[label] += 1


@njit
def count_groups(start, grouped, x_start, x_index, out):
    """out[b, f] = number of rows in group b with feature f."""
    for b in range(start.size - 1):
        rows = grouped[start[b] : start[b + 1]]
        count_features_sparse(rows, x_start, x_index, out[b])


@njit
def count_codes(rows, codes, x_start, y_start, y_index, low, high, out):
    """out[b - low, f] = number of rows with label b and feature f; C-ordered codes."""
    out[:] = 0
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
def count_bits(mask, x_bits, y_bits, low, high, out):
    """Like `count_codes`, for rows given by the ones of `mask` and all as bits."""
    n_words = np.uint64(mask.size)
    both = np.empty(mask.size, dtype=np.uint64)
    for label in range(low, high):
        for w in range(n_words):
            both[w] = mask[w] & y_bits[label, w]
        line = out[label - low]
        for f in range(np.uint64(x_bits.shape[0])):
            column = x_bits[f]
            n = np.uint64(0)
            for w in range(n_words):
                n += popcount(both[w] & column[w])
            line[f] = n


@njit
def count_features_bits(mask, x_bits, out):
    """out[f] = number of the rows in `mask` with feature f."""
    for f in range(np.uint64(x_bits.shape[0])):
        column = x_bits[f]
        n = np.uint64(0)
        for w in range(np.uint64(mask.size)):
            n += popcount(mask[w] & column[w])
        out[f] = n


@njit
def count_features_sparse(rows, x_start, x_index, out):
    """out[f] = number of the given rows with feature f."""
    out[:] = 0
    for row in rows:
        for p in range(np.uint64(x_start[row]), np.uint64(x_start[row + 1])):
            out[x_index[p]] += np.uint32(1)


@njit
def count_features_codes(rows, codes, x_start, out):
    """Like `count_features_sparse`, for features given as C-ordered codes."""
    out[:] = 0
    for row in rows:
        for f in range(np.uint64(codes.shape[1])):
            code = codes[row, f]
            if code:
                out[np.uint64(x_start[f]) + np.uint64(code - 1)] += np.uint32(1)


@njit
def count_pairs_bits(x_bits, low, high, out):
    """out[g - low, f] = number of rows with features f and g, g in [low, high)."""
    for g in range(low, high):
        count_features_bits(x_bits[g], x_bits, out[g - low])
