"""Compiled loops of Rank-SVM over (relevant, irrelevant) pairs of labels."""

from __future__ import annotations

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import ByteArray, FloatArray, IntArray


@njit
def ascend(
    kernel: FloatArray,
    penalty: float,
    Y: ByteArray,
    limits: FloatArray,
    starts: IntArray,
    order: IntArray,
    multipliers: FloatArray,
    weights: FloatArray,
    outputs: FloatArray,
) -> None:
    """Improve the multipliers of the pairs of one row after the other.

    kernel: float64[rows, rows]
    penalty: added to the kernel
    Y: uint8[rows, labels]
    limits: float64[rows], the largest multiplier of a pair of the row
    starts: int64[rows], where the pairs of a row start
    order: int64[rows], the rows in the order of this sweep
    multipliers: float64[pairs], changed
    weights: float64[rows, labels], changed
    outputs: float64[rows, labels], changed
    """
    n_rows, n_labels = Y.shape
    own, change = np.empty(n_labels), np.empty(n_labels)
    for i in order:
        curvature = kernel[i, i] + penalty
        if curvature <= 0.0:
            continue
        own[:] = outputs[i]
        change[:] = 0.0
        moved = False
        for _ in range(2):
            p = starts[i]
            for k in np.flatnonzero(Y[i]):
                for m in np.flatnonzero(Y[i] == 0):
                    step = (1.0 - own[k] + own[m]) / (2.0 * curvature)
                    wanted = min(max(multipliers[p] + step, 0.0), limits[i])
                    delta = wanted - multipliers[p]
                    if delta != 0.0:
                        moved = True
                        multipliers[p] = wanted
                        change[k] += delta
                        change[m] -= delta
                        own[k] += delta * curvature
                        own[m] -= delta * curvature
                    p += 1
        if moved:
            weights[i] += change
            for j in range(n_rows):
                factor = kernel[i, j] + penalty
                for label in range(n_labels):
                    outputs[j, label] += factor * change[label]


@njit
def smooth_ranking_loss(
    scores: FloatArray,
    Y: ByteArray,
    cost: FloatArray,
    width: float,
    gradient: FloatArray,
) -> tuple[float, float, float]:
    """The cost of all pairs closer than 1, rounded, and its slope by every score.

    The second number is the cost without rounding, the third the sum of the slopes of
    all pairs: they are multipliers of the dual.

    scores: float64[rows, labels]
    Y: uint8[rows, labels]
    cost: float64[rows], of each pair of the row
    width: of the parabola that rounds the corner of the hinge
    gradient: float64[rows, labels], overwritten
    """
    total, sharp, multipliers = 0.0, 0.0, 0.0
    gradient[:] = 0.0
    for i in range(Y.shape[0]):
        lacking = np.flatnonzero(Y[i] == 0)
        row_total, row_sharp, row_slopes = 0.0, 0.0, 0.0
        for k in np.flatnonzero(Y[i]):
            for m in lacking:
                missing = 1.0 - scores[i, k] + scores[i, m]
                if missing <= 0.0:
                    continue
                slope = min(missing / width, 1.0)
                row_total += slope * (missing - 0.5 * width * slope)
                row_sharp += missing
                row_slopes += slope
                gradient[i, k] -= cost[i] * slope
                gradient[i, m] += cost[i] * slope
        total += cost[i] * row_total
        sharp += cost[i] * row_sharp
        multipliers += cost[i] * row_slopes
    return total, sharp, multipliers
