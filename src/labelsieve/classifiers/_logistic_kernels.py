"""Compiled Newton steps of logistic regression for one label.

Rows are those of a CSR matrix, with a column of ones for the intercept behind the last:

indptr: int64[rows + 1], where each row begins
indices: int64[cells], the column of each cell
data: float64[cells]
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray, FloatArray, IntArray

# A step is found to this part of the gradient: the next one makes up for the rest.
INEXACT = 0.05
# Conjugate gradients take fewer directions than this but for rounding.
MOST_DIRECTIONS = 200
# A step must lower the loss by this part of what its slope promises; else half of it.
ARMIJO = 1e-4
MOST_HALVINGS = 30


@njit
def fit_label(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    present: ByteArray,
    C: float,
    prior: float,
    tol: float,
    max_iter: int,
    weights: FloatArray,
) -> int:
    """Fit the weights of one label and return how many steps it took.

    Newton's method on |weights|^2 / 2 + C * (sum of log losses); each step is found by
    conjugate gradients.

    present: uint8[rows], whether a row has the label
    C: weight of the losses against the penalty
    prior: log-odds of the label; the intercept is penalised as it leaves them
    tol: ends after a step that changes no log-odds by more
    max_iter: most steps
    weights: float64[features + 1], filled; the intercept beyond the prior is last
    """
    n_rows = present.size
    odds = np.full(n_rows, prior)
    change = np.empty(n_rows)
    slope = np.empty(n_rows)
    curve = np.empty(n_rows)
    step = np.empty(weights.size)
    gradient = np.empty(weights.size)
    weights[:] = 0.0
    for iteration in range(max_iter):
        for i in range(n_rows):
            likely = 1.0 / (1.0 + np.exp(-odds[i]))
            slope[i] = C * (likely - present[i])
            curve[i] = C * likely * (1.0 - likely)
        gradient[:] = weights
        add_columns(indptr, indices, data, slope, gradient)
        find_step(indptr, indices, data, curve, gradient, step)
        times_rows(indptr, indices, data, step, change)
        promised = (gradient * step).sum()
        along, size = (weights * step).sum(), (step * step).sum()
        length = 1.0
        for _ in range(MOST_HALVINGS):
            gain = length * along + 0.5 * length * length * size
            for i in range(n_rows):
                gain += C * loss_change(odds[i], length * change[i], present[i])
            if gain <= ARMIJO * length * promised:
                break
            length *= 0.5
        largest = 0.0
        for i in range(n_rows):
            odds[i] += length * change[i]
            largest = max(largest, abs(length * change[i]))
        weights += length * step
        if largest < tol:
            return iteration + 1
    return max_iter


@njit
def find_step(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    curve: FloatArray,
    gradient: FloatArray,
    step: FloatArray,
) -> None:
    """Solve (1 + X' curve X) step = -gradient, by conjugate gradients.

    curve: float64[rows], the second derivative of the loss of each row
    gradient: float64[features + 1]
    step: float64[features + 1], filled
    """
    scale = np.ones(step.size)  # the diagonal, by which directions are weighed
    scale[-1] += curve.sum()
    for i in range(curve.size):
        for place in range(indptr[i], indptr[i + 1]):
            scale[indices[place]] += curve[i] * data[place] * data[place]
    step[:] = 0.0
    rest = -gradient
    direction = rest / scale
    bent = np.empty(step.size)
    seen = np.empty(curve.size)
    product = (rest * direction).sum()
    enough = INEXACT * INEXACT * product
    for _ in range(min(MOST_DIRECTIONS, 2 * step.size)):
        if product <= enough or product == 0.0:
            break
        times_rows(indptr, indices, data, direction, seen)
        seen *= curve
        bent[:] = direction
        add_columns(indptr, indices, data, seen, bent)
        length = product / (direction * bent).sum()
        step += length * direction
        rest -= length * bent
        before = product
        product = (rest * rest / scale).sum()
        direction = rest / scale + (product / before) * direction


@njit
def times_rows(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    weights: FloatArray,
    found: FloatArray,
) -> None:
    """Weigh the columns of each row.

    weights: float64[features + 1]
    found: float64[rows], filled with X weights
    """
    for i in range(found.size):
        total = weights[-1]
        for place in range(indptr[i], indptr[i + 1]):
            total += data[place] * weights[indices[place]]
        found[i] = total


@njit
def add_columns(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    amounts: FloatArray,
    sums: FloatArray,
) -> None:
    """Add the rows, each so many times.

    amounts: float64[rows]
    sums: float64[features + 1], to which X' amounts is added
    """
    for i in range(amounts.size):
        amount = amounts[i]
        for place in range(indptr[i], indptr[i + 1]):
            sums[indices[place]] += amount * data[place]
        sums[-1] += amount


@njit
def loss_change(odds: float, change: float, present: int) -> float:
    """What a change of the log-odds adds to the loss of a row."""
    before = odds if present else -odds
    after = before + (change if present else -change)
    return _softplus(-after) - _softplus(-before)


@njit
def _softplus(value: float) -> float:
    """log(1 + exp(value)) without overflow."""
    return max(value, 0.0) + np.log1p(np.exp(-abs(value)))
