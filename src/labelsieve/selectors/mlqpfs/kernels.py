"""Kernels of the quadratic program: coordinate and pair descent.

Q: float64[D, D], symmetric
x: float64[D], the point, changed in place
gradient: float64[D], Qx - c on entry and on return
free: int64[some coordinates], those that may change
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IntArray

SETTLED_SHARE = 0.1


@njit
def coordinate_descent(
    Q: FloatArray,
    free: IntArray,
    x: FloatArray,
    gradient: FloatArray,
    tolerance: float,
    max_sweeps: int,
) -> None:
    """Minimise x'Qx/2 - c'x over x >= 0 in place, one coordinate after the other.

    Between sweeps over the `free` coordinates, those that are not zero are swept
    until they change little beside what that sweep changed: more would settle the
    values of coordinates that do not stay.
    """
    active = np.empty(free.size, dtype=np.int64)
    for _ in range(max_sweeps):
        change = _sweep(Q, x, gradient, free)
        if change <= tolerance:
            return
        n_active = 0
        for i in free:
            if x[i] > 0:
                active[n_active] = i
                n_active += 1
        settled = max(tolerance, SETTLED_SHARE * change)
        for _inner in range(max_sweeps):
            if _sweep(Q, x, gradient, active[:n_active]) <= settled:
                break


@njit
def _sweep(
    Q: FloatArray, x: FloatArray, gradient: FloatArray, coordinates: IntArray
) -> float:
    """Minimise along each coordinate once; return the largest change in Qx - c.

    coordinates: int64[some coordinates]
    """
    largest = 0.0
    for i in coordinates:
        new = max(0.0, x[i] - gradient[i] / Q[i, i])
        step = new - x[i]
        if step != 0.0:
            x[i] = new
            largest = max(largest, abs(step) * Q[i, i])
            for j in range(x.size):
                gradient[j] += step * Q[i, j]
    return largest


@njit
def pair_descent(
    Q: FloatArray,
    free: IntArray,
    x: FloatArray,
    gradient: FloatArray,
    tolerance: float,
    max_steps: int,
) -> None:
    """Minimise x'Qx/2 - c'x over the simplex in place, moving weight between two.

    Each step takes weight from the coordinate that costs most and gives it to the
    one that costs least, as far as that pays.
    """
    for _ in range(max_steps):
        low = high = -1
        for i in free:
            if low < 0 or gradient[i] < gradient[low]:
                low = i
            if x[i] > 0 and (high < 0 or gradient[i] > gradient[high]):
                high = i
        gain = gradient[high] - gradient[low]
        if gain <= tolerance:
            return
        curvature = Q[low, low] + Q[high, high] - 2 * Q[low, high]
        step = x[high]
        if curvature * step > gain:
            step = gain / curvature
            x[high] -= step
        else:
            x[high] = 0.0
        x[low] += step
        for j in range(x.size):
            gradient[j] += step * (Q[low, j] - Q[high, j])


@njit
def take_square(Q: FloatArray, kept: IntArray, out: FloatArray) -> None:
    """out[i, j] = Q[kept[i], kept[j]].

    kept: int64[kept]
    out: float64[kept, kept]
    """
    for i in range(np.uint64(kept.size)):
        line = Q[np.uint64(kept[i])]
        for j in range(np.uint64(kept.size)):
            out[i, j] = line[np.uint64(kept[j])]


@njit
def find_first_equivalent(Q: FloatArray, share: float, out: IntArray) -> None:
    """out[i] = the first j for which Q[i, j] is both diagonal entries, nearly.

    out: int64[D]
    """
    needed = np.empty(len(Q))
    for i in range(len(Q)):
        needed[i] = share * Q[i, i]
        line, n_found = Q[i], 0
        # Few have an equal: counting without leaving the loop is faster than looking.
        for j in range(i):
            n_found += line[j] >= max(needed[i], needed[j])
        out[i] = i
        for j in range(i if n_found else 0):
            if line[j] >= max(needed[i], needed[j]):
                out[i] = j
                break
