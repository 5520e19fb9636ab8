"""Compiled loops of Rank-SVM over (relevant, irrelevant) pairs of labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from labelsieve._plumbing.compile import njit

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]


@njit
def ascend(
    kernel: Floats,  # [rows, rows]
    penalty: float,  # added to the kernel
    Y: npt.NDArray[np.uint8],  # [rows, labels]
    limits: Floats,  # [rows]: the largest multiplier of a pair of the row
    starts: npt.NDArray[np.int64],  # [rows]: where the pairs of a row start
    order: npt.NDArray[np.int64],  # the rows in the order of this sweep
    multipliers: Floats,  # [pairs], changed
    weights: Floats,  # [rows, labels], changed
    outputs: Floats,  # [rows, labels], changed
) -> None:
    """Improve the multipliers of the pairs of one row after the other."""
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
            for k in range(n_labels):
                if Y[i, k] == 0:
                    continue
                for m in range(n_labels):
                    if Y[i, m] == 1:
                        continue
                    wanted = multipliers[p] + (1.0 - own[k] + own[m]) / (
                        2.0 * curvature
                    )
                    wanted = min(max(wanted, 0.0), limits[i])
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
            for k in range(n_labels):
                weights[i, k] += change[k]
            for j in range(n_rows):
                factor = kernel[i, j] + penalty
                for k in range(n_labels):
                    outputs[j, k] += factor * change[k]


@njit
def smooth_ranking_loss(
    scores: Floats,  # [rows, labels]
    Y: npt.NDArray[np.uint8],  # [rows, labels]
    cost: Floats,  # [rows]: of each pair of the row
    width: float,  # of the parabola that rounds the corner of the hinge
    gradient: Floats,  # [rows, labels], overwritten
) -> float:
    """Return the cost of all pairs closer than 1, and its slope by every score."""
    total = 0.0
    n_labels = Y.shape[1]
    having, lacking = np.empty(n_labels, np.int64), np.empty(n_labels, np.int64)
    gradient[:] = 0.0
    for i in range(Y.shape[0]):
        n_having, n_lacking = 0, 0
        for k in range(n_labels):
            if Y[i, k]:
                having[n_having] = k
                n_having += 1
            else:
                lacking[n_lacking] = k
                n_lacking += 1
        row_total = 0.0
        for p in range(n_having):
            k = having[p]
            for q in range(n_lacking):
                m = lacking[q]
                missing = 1.0 - scores[i, k] + scores[i, m]
                if missing <= 0.0:
                    continue
                slope = min(missing / width, 1.0)
                row_total += slope * (missing - 0.5 * width * slope)
                gradient[i, k] -= cost[i] * slope
                gradient[i, m] += cost[i] * slope
        total += cost[i] * row_total
    return total
