"""min x'Qx/2 - c'x over x >= 0, also where Q is singular or slightly indefinite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from labelsieve._typing import BoolArray, FloatArray

# Descent stops when a sweep changes Qx - c by less than this share of max |c|: first
# where the positive coordinates are known, later only if solving for them failed.
DESCENT_TOLERANCES = np.array([1e-4, 1e-12])
SOLVED = 1e-12
MAX_SWEEPS = 10_000
MAX_PAIR_STEPS = 2_000_000
MAX_PIVOTS = 20


@dataclass(frozen=True)
class Solution:
    """A point that satisfies the optimality conditions up to `residual`.

    Attributes
    ----------
    x : the weights
    gradient : Qx - c, less the multiplier of the sum if there is one
    residual : max |min(Q_ii x_i, gradient_i)| / max |c|; 0 is perfect
    """

    x: FloatArray
    gradient: FloatArray
    residual: float


def minimize_nonnegative(Q: FloatArray, c: FloatArray) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0, by descent from x = 0.

    With non-negative entries and a positive diagonal the problem is bounded whatever
    the eigenvalues of Q; where Q is indefinite the result is a local minimum.
    """
    from labelsieve.selectors._nonnegative_kernels import coordinate_descent

    x, gradient = np.zeros(c.size), -c
    for tolerance in DESCENT_TOLERANCES * np.abs(c).max():
        coordinate_descent(Q, c, x, gradient, tolerance, MAX_SWEEPS)
        found = _better(_certify(Q, c, x, 0.0), _pivot(Q, c, x > 0, simplex=False))
        if found.residual < SOLVED:
            break
    return found


def minimize_on_simplex(Q: FloatArray, c: FloatArray) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0 with sum 1, by descent from equal weights."""
    from labelsieve.selectors._nonnegative_kernels import pair_descent

    x = np.full(c.size, 1.0 / c.size)
    gradient = Q @ x - c
    for tolerance in DESCENT_TOLERANCES * np.abs(c).max():
        pair_descent(Q, c, x, gradient, tolerance, MAX_PAIR_STEPS)
        level = float(x @ (Q @ x - c))
        found = _better(_certify(Q, c, x, level), _pivot(Q, c, x > 0, simplex=True))
        if found.residual < SOLVED:
            break
    return found


def _certify(Q: FloatArray, c: FloatArray, x: FloatArray, level: float) -> Solution:
    """Measure how far x is from the optimality conditions of KKT."""
    gradient = Q @ x - c - level
    distance = np.abs(np.minimum(np.diag(Q) * x, gradient)).max()
    scale = np.abs(c).max()
    return Solution(x, gradient, float(distance / scale) if distance else 0.0)


def _better(descent: Solution, polished: Solution | None) -> Solution:
    """Take the polished solution only if it is certified to be the better one."""
    if polished is not None and polished.residual < descent.residual:
        return polished
    return descent


def _pivot(
    Q: FloatArray, c: FloatArray, positive: BoolArray, simplex: bool
) -> Solution | None:
    """Solve the equations of the positive coordinates, exchanging wrong ones.

    Returns None where the equations have no unique solution.
    """
    for _ in range(MAX_PIVOTS):
        try:
            x, level = _solve_positive(Q, c, positive, simplex)
        except LinAlgError:
            return None
        solution = _certify(Q, c, np.maximum(x, 0.0), level)
        wrong = (x < 0) | (~positive & (solution.gradient < 0))
        if not wrong.any() or not (positive ^ wrong).any():
            return solution
        positive = positive ^ wrong
    return solution


def _solve_positive(
    Q: FloatArray, c: FloatArray, positive: BoolArray, simplex: bool
) -> tuple[FloatArray, float]:
    size = int(positive.sum())
    if size == 0:
        return np.zeros(c.size), 0.0
    inside = Q[np.ix_(positive, positive)]
    if simplex:
        ones = np.ones((size, 1))
        system = np.block([[inside, ones], [ones.T, np.zeros((1, 1))]])
        values = _solve(system, np.append(c[positive], 1.0))
    else:
        values = _solve(inside, c[positive])
    x = np.zeros(c.size)
    x[positive] = values[:size]
    # The multiplier of the sum is what all positive coordinates cost alike.
    return x, -float(values[size]) if simplex else 0.0


def _solve(system: FloatArray, right: FloatArray) -> FloatArray:
    # One thread of BLAS, always: its sums depend on the number of threads.
    with threadpool_limits(1, user_api="blas"):
        try:
            return np.asarray(cho_solve(cho_factor(system, check_finite=False), right))
        except LinAlgError:
            return np.asarray(np.linalg.solve(system, right), dtype=np.float64)
