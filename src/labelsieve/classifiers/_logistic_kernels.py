"""Compiled Newton steps of logistic regression, for several labels side by side.

A pass over the rows serves all labels of a batch; each label goes its own way, and its
result does not depend on the others. Rows are those of a CSR matrix, with a column of
ones for the intercept behind the last:

indptr: int64[rows + 1], where each row begins
indices: uint32[cells], the column of each cell: unsigned, so that none is from the end
data: float64[cells]
active: uint8[labels], which labels are still on their way
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray, FloatArray, IndexArray, IntArray

# Labels of a batch; a constant, so that loops over them become vector instructions.
BATCH = 8
# A step is found to this part of the gradient: the next one makes up for the rest.
INEXACT = 0.1
# Conjugate gradients take fewer directions than this but for rounding.
MOST_DIRECTIONS = 200
# A step must lower the loss by this part of what its slope promises; else half of it.
ARMIJO = 1e-4
MOST_HALVINGS = 30


@njit
def fit_labels(
    indptr: IntArray,
    indices: IndexArray,
    data: FloatArray,
    present: ByteArray,
    C: float,
    priors: FloatArray,
    tol: float,
    max_iter: int,
    active: ByteArray,
    weights: FloatArray,
) -> int:
    """Fit the weights of the labels of a batch; returns how many steps it took.

    Newton's method on |weights|^2 / 2 + C * (sum of log losses); each step is found by
    conjugate gradients.

    present: uint8[rows, labels], whether a row has the label
    C: weight of the losses against the penalty
    priors: float64[labels], log-odds; the intercept is penalised as it leaves them
    tol: a label ends after a step that changes no log-odds by more
    max_iter: most steps
    weights: float64[features + 1, labels], filled; the intercept beyond the prior last
    """
    n_rows = present.shape[0]
    odds = np.empty((n_rows, BATCH))
    change, slope, curve = np.empty_like(odds), np.empty_like(odds), np.empty_like(odds)
    step, gradient = np.empty_like(weights), np.empty_like(weights)
    odds[:] = priors
    weights[:] = 0.0
    for n_steps in range(max_iter):
        for i in range(n_rows):
            for b in range(BATCH):
                likely = 1.0 / (1.0 + np.exp(-odds[i, b]))
                slope[i, b] = C * (likely - present[i, b])
                curve[i, b] = C * likely * (1.0 - likely)
        gradient[:] = weights
        add_columns(indptr, indices, data, slope, gradient)
        find_steps(indptr, indices, data, curve, gradient, active, step)
        times_rows(indptr, indices, data, step, change)
        for b in range(BATCH):
            if active[b]:
                promised = (gradient[:, b] * step[:, b]).sum()
                length = find_length(
                    *(odds[:, b], change[:, b], present[:, b], C),
                    *(weights[:, b], step[:, b], promised),
                )
                change[:, b] *= length
                odds[:, b] += change[:, b]
                weights[:, b] += length * step[:, b]
                active[b] = np.abs(change[:, b]).max() >= tol
        if not active.any():
            return n_steps + 1
    return max_iter


@njit
def find_steps(
    indptr: IntArray,
    indices: IndexArray,
    data: FloatArray,
    curve: FloatArray,
    gradient: FloatArray,
    active: ByteArray,
    step: FloatArray,
) -> None:
    """Solve (1 + X' curve X) step = -gradient for each label, by conjugate gradients.

    curve: float64[rows, labels], the second derivative of the loss of each row
    gradient: float64[features + 1, labels]
    step: float64[features + 1, labels], filled; 0 for labels that are not active
    """
    size = step.shape[0]
    scale = np.ones_like(step)  # the diagonal, by which directions are weighed
    add_columns(indptr, indices, data * data, curve, scale)
    step[:] = 0.0
    rest = -gradient
    direction = rest / scale
    bent, seen = np.empty_like(step), np.empty_like(curve)
    product, enough = np.zeros(BATCH), np.zeros(BATCH)
    length, turn = np.zeros(BATCH), np.zeros(BATCH)
    for b in range(BATCH):
        product[b] = (rest[:, b] * direction[:, b]).sum() if active[b] else 0.0
        enough[b] = INEXACT * INEXACT * product[b]
    for _ in range(min(MOST_DIRECTIONS, 2 * size)):
        if not (product > enough).any():
            break
        times_rows(indptr, indices, data, direction, seen)
        seen *= curve
        bent[:] = direction
        add_columns(indptr, indices, data, seen, bent)
        for b in range(BATCH):
            length[b] = 0.0
            if product[b] > enough[b]:
                length[b] = product[b] / (direction[:, b] * bent[:, b]).sum()
        for j in range(size):
            for b in range(BATCH):
                step[j, b] += length[b] * direction[j, b]
                rest[j, b] -= length[b] * bent[j, b]
        for b in range(BATCH):
            if length[b]:
                before = product[b]
                product[b] = (rest[:, b] * rest[:, b] / scale[:, b]).sum()
                turn[b] = product[b] / before
        for j in range(size):
            for b in range(BATCH):
                direction[j, b] = rest[j, b] / scale[j, b] + turn[b] * direction[j, b]


@njit
def find_length(
    odds: FloatArray,
    change: FloatArray,
    present: ByteArray,
    C: float,
    weights: FloatArray,
    step: FloatArray,
    promised: float,
) -> float:
    """How far to go along the step of one label: all the way, or half of it, ...

    odds, change: float64[rows], log-odds and what the step adds to them
    present: uint8[rows], whether a row has the label
    C: weight of the losses
    weights, step: float64[features + 1]
    promised: the slope along the step
    """
    along, size = (weights * step).sum(), (step * step).sum()
    length = 1.0
    for _ in range(MOST_HALVINGS):
        gain = length * along + 0.5 * length * length * size
        for i in range(odds.size):
            sign = 1.0 if present[i] else -1.0
            after = sign * (odds[i] + length * change[i])
            gain += C * (softplus(-after) - softplus(-sign * odds[i]))
        if gain <= ARMIJO * length * promised:
            break
        length *= 0.5
    return length


@njit
def times_rows(
    indptr: IntArray,
    indices: IndexArray,
    data: FloatArray,
    weights: FloatArray,
    found: FloatArray,
) -> None:
    """Weigh the columns of each row.

    weights: float64[features + 1, labels]
    found: float64[rows, labels], filled with X weights
    """
    for i in range(found.shape[0]):
        for b in range(BATCH):
            found[i, b] = weights[-1, b]
        for place in range(indptr[i], indptr[i + 1]):
            value, j = data[place], indices[place]
            for b in range(BATCH):
                found[i, b] += value * weights[j, b]


@njit
def add_columns(
    indptr: IntArray,
    indices: IndexArray,
    data: FloatArray,
    amounts: FloatArray,
    sums: FloatArray,
) -> None:
    """Add the rows, each so many times.

    amounts: float64[rows, labels]
    sums: float64[features + 1, labels], to which X' amounts is added
    """
    for i in range(amounts.shape[0]):
        for b in range(BATCH):
            sums[-1, b] += amounts[i, b]
        for place in range(indptr[i], indptr[i + 1]):
            value, j = data[place], indices[place]
            for b in range(BATCH):
                sums[j, b] += value * amounts[i, b]


@njit
def softplus(value: float) -> float:
    """log(1 + exp(value)) without overflow."""
    return max(value, 0.0) + np.log1p(np.exp(-abs(value)))
