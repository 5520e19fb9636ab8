"""Kernels over long columns of numbers, which are looked at in bins of equal width.

values: float32 or float64[n], those of a column; infinity where missing
bins: uint16[n], the bin of each, in the order of the values; N_BINS where missing
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import CodeArray, IntArray, Scalar

Numbers = NDArray[Any]
Places = NDArray[np.uint16]
N_BINS = 1 << 12


@njit
def list_few(values: Numbers, few: Numbers, ends: Numbers) -> int:
    """List distinct values; returns how many there are, room + 1 for any more.

    few: the type of values[room], filled in
    ends: the type of values[3], smallest, largest and second largest value; the last
        is overwritten, with minus infinity for none
    """
    missing, high = few.dtype.type(np.inf), ends[1]
    second = -missing
    for p in range(np.uint64(values.size)):
        if second < values[p] < high:
            second = values[p]
    ends[2] = second
    known = 0
    for p in range(np.uint64(values.size)):
        place = 0
        while place < known and few[place] != values[p]:
            place += 1
        if place == known and values[p] != missing:
            known += 1
            if known > few.size:
                break
            few[place] = values[p]
    return known


def scale_of(low: Any, high: Any, dtype: Any) -> Any:
    """Bins per unit, 0 where numbers are too far apart or too close for bins."""
    with np.errstate(over="ignore"):
        width = high - low
        scale = dtype.type((N_BINS - 1) / np.float64(width)) if width > 0 else 0
    return scale if width < np.inf and 0 < scale < np.inf else dtype.type(0)


@njit
def list_near(
    values: Numbers,
    low: Scalar,
    scale: Scalar,
    at: IntArray,
    bins: Places,
    near: Numbers,
    place: IntArray,
) -> Scalar:
    """List the numbers of the bins that hold quantiles; returns how many there are.

    at: int64[quantiles], where each is among all numbers in order, ascending
    bins: overwritten
    near: the type of values[n], filled in
    place: int64[quantiles], overwritten: where each is among these numbers in order
    """
    counts = np.zeros(N_BINS + 1, np.int64)
    for p in range(np.uint64(values.size)):
        # Infinity is far from what a bin can be.
        is_there = values[p] < np.inf
        b = np.uint64((values[p] - low) * scale) if is_there else np.uint64(N_BINS)
        bins[p] = b
        counts[b] += 1
    wanted = np.zeros(N_BINS + 1, np.bool_)
    first, n_before, n_near = 0, 0, 0
    for k in range(at.size):
        while n_before + counts[first] <= at[k]:
            n_before += counts[first]
            n_near += counts[first] if wanted[first] else 0
            first += 1
        wanted[first] = True
        place[k] = n_near + at[k] - n_before
    n_listed = np.uint64(0)
    for p in range(np.uint64(values.size)):
        near[n_listed] = values[p]
        n_listed += np.uint64(wanted[bins[p]])
        if n_listed == np.uint64(near.size):
            break
    return n_listed


@njit
def score_in_bins(
    values: Numbers,
    bins: Places,
    low: Scalar,
    scale: Scalar,
    cuts: Numbers,
    score_of_rank: CodeArray,
    out: CodeArray,
) -> None:
    """out[p] = the score of a rank: how many cuts are below, and how many not above.

    Only numbers in bins that hold cuts are compared with these. A missing cell is in
    the middle.

    cuts: the type of values[cuts], ascending
    score_of_rank: uint8[ranks]
    out: uint8[n], overwritten
    """
    has_cut, n_below = np.zeros(N_BINS + 1, np.bool_), np.zeros(N_BINS + 1, np.uint8)
    k = 0
    for b in range(N_BINS):
        n_below[b] = k
        while k < cuts.size and np.int64((cuts[k] - low) * scale) == b:
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
            out[p] = score_of_rank[below + equal]
        else:
            out[p] = score_of_rank[cuts.size if b == N_BINS else 2 * below]
