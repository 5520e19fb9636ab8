"""The compiled descent of logistic regression for one label."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import ByteArray, FloatArray, IntArray

# Newton steps for one row; far more than are taken but for rounding.
MOST_STEPS = 30
# A row is solved to this precision; the next pass goes on from there.
CLOSE = 1e-3


@njit
def descend_label(
    indptr: IntArray,
    indices: IntArray,
    data: FloatArray,
    present: ByteArray,
    order: IntArray,
    C: float,
    prior: float,
    tol: float,
    max_iter: int,
    weights: FloatArray,
) -> int:
    """Fit the weights of one label, row after row, and return how many passes it took.

    Coordinate descent in the dual: a row has a multiplier C / (1 + exp(margin)) at the
    solution, the weights are the sum of the rows times their multipliers.

    indptr: int64[rows + 1], where each row of the CSR features begins
    indices: int64[cells], the column of each
    data: float64[cells]
    present: uint8[rows], whether a row has the label
    order: int64[rows], the rows in the order of each pass
    C: weight of the losses against the penalty
    prior: log-odds of the label; the intercept is penalised as it leaves them
    tol: ends where no margin differs by more from what its multiplier says
    max_iter: most passes
    weights: float64[features + 1], changed; the intercept beyond the prior is last
    """
    n_rows = present.size
    margins = np.full(n_rows, np.inf)  # what the multipliers say: they start at 0
    multipliers = np.zeros(n_rows)
    weights[:] = 0.0
    for iteration in range(max_iter):
        largest = 0.0
        for i in order:
            sign = 1.0 if present[i] else -1.0
            norm, odds = 1.0, weights[-1] + prior
            for place in range(indptr[i], indptr[i + 1]):
                norm += data[place] * data[place]
                odds += data[place] * weights[indices[place]]
            # The margin m solves m = rest + norm * C / (1 + exp(m)).
            rest = sign * odds - norm * multipliers[i]
            low, high = rest, rest + norm * C
            margin = min(max(margins[i], low), high)
            share = 0.0
            for _ in range(MOST_STEPS):
                share = 1.0 / (1.0 + np.exp(margin))
                error = margin - rest - norm * C * share
                if abs(error) < min(CLOSE, 0.1 * tol):
                    break
                if error > 0.0:
                    high = margin
                else:
                    low = margin
                margin -= error / (1.0 + norm * C * share * (1.0 - share))
                if not low < margin < high:
                    margin = 0.5 * (low + high)
            wanted = C * share
            change = sign * (wanted - multipliers[i])
            largest = max(largest, abs(margin - margins[i]))
            margins[i], multipliers[i] = margin, wanted
            weights[-1] += change
            for place in range(indptr[i], indptr[i + 1]):
                weights[indices[place]] += change * data[place]
        if largest < tol:
            return iteration + 1
    return max_iter
