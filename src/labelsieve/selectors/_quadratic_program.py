"""min x'Qx/2 - c'x over x >= 0, also where Q is singular or slightly indefinite."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray

# Descent stops when a sweep changes Qx - c by less than this share of max |c|: first
# where nearly all positive coordinates are known, later only if solving for them
# failed.
DESCENT_TOLERANCES = np.array([2e-2, 1e-4, 1e-12])
SOLVED = 1e-12
# Nothing but rounding: another step does not help.
ROUNDING = 1e-14
MAX_SWEEPS = 10_000
MAX_PAIR_STEPS = 2_000_000
MAX_STEPS = 20
SETTLED_SHARE = 0.1


@dataclass(frozen=True)
class Solution:
    """A point that satisfies the optimality conditions up to `residual`."""

    x: FloatArray  # the weights
    gradient: FloatArray  # Qx - c, less `level`
    level: float  # the multiplier of the sum, 0 without a sum
    residual: float  # max |min(Q_ii x_i, gradient_i)| / max |c|; 0 is perfect


def minimize(
    Q: FloatArray, c: FloatArray, free: BoolArray, simplex: bool = False
) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0, zero where not `free`, by descent from 0.

    With non-negative entries and a positive diagonal the problem is bounded whatever
    the eigenvalues of Q; where Q is indefinite the result is a local minimum. On the
    `simplex` weights sum to 1, and descent begins with equal ones.
    """
    problem = _QuadraticProgram(Q, c, free, simplex)
    x = free / free.sum() if simplex else np.zeros(c.size)
    gradient, places = Q @ x - c, np.flatnonzero(free)
    for tolerance in DESCENT_TOLERANCES * problem.scale:
        descend = pair_descent if simplex else coordinate_descent
        descend(Q, places, x, gradient, tolerance)
        level = float(x @ gradient) if simplex else 0.0
        found = _polish(problem, Solution(x, gradient - level, level, np.inf))
        if found.residual < SOLVED:
            break
    return found


@dataclass(frozen=True)
class _QuadraticProgram:
    """min x'Qx/2 - c'x over x >= 0, zero where not free, and perhaps with sum 1."""

    Q: FloatArray
    c: FloatArray
    free: BoolArray
    simplex: bool

    @property
    def scale(self) -> float:
        return float(np.abs(self.c).max()) or 1.0

    def certify(self, x: FloatArray, level: float) -> Solution:
        """Measure how far x is from the optimality conditions of KKT."""
        gradient = self.Q @ x - self.c - level
        distances = np.abs(np.minimum(np.diag(self.Q) * x, gradient))
        distance = distances.max(where=self.free, initial=0.0)
        residual = float(distance / self.scale) if distance else 0.0
        return Solution(x, gradient, level, residual)


def _polish(problem: _QuadraticProgram, start: Solution) -> Solution:
    """Solve the equations of the positive coordinates; keep what is better."""
    found = start
    # One thread of BLAS, always: its sums depend on the number of threads.
    with one_thread_inside():
        if start.x.any():
            with suppress(LinAlgError):
                found = _exchange(problem, start)
        if found.residual < SOLVED:
            return found
        certified = problem.certify(start.x, start.level)
        return min(found, certified, key=attrgetter("residual"))


def _exchange(problem: _QuadraticProgram, start: Solution) -> Solution:
    """Step to where the equations hold, exchanging wrong coordinates.

    In exact arithmetic one step reaches the solution for given positive coordinates;
    further steps take off what rounding leaves.
    """
    solution, positive = start, start.x > 0
    solve = _solver(problem.Q, positive)
    for _ in range(MAX_STEPS):
        last = solution
        # To the x, zero but in these coordinates, where they cost alike: the level.
        down, level = -last.gradient[positive], 0.0
        x = np.where(positive, last.x, 0.0)
        if problem.simplex:
            move, slope = solve(np.column_stack([down, np.ones_like(down)])).T
            rise = (1.0 - last.x.sum() - move.sum()) / slope.sum()
            x[positive] += move + rise * slope
            level = float(last.level + rise)
        else:
            x[positive] += solve(down)
        solution = problem.certify(np.maximum(x, 0.0), level)
        if solution.residual < ROUNDING:
            break
        wrong = (x < 0) | (~positive & problem.free & (solution.gradient < 0))
        if wrong.any() and (positive ^ wrong).any():
            positive = positive ^ wrong
            solve = _solver(problem.Q, positive)
        elif solution.residual > last.residual / 2:
            break
    return min(last, solution, key=attrgetter("residual"))


def _solver(Q: FloatArray, kept: BoolArray) -> Callable[[FloatArray], FloatArray]:
    """What solves the equations of the coordinates that are kept."""
    inside = Q[np.ix_(kept, kept)]
    try:
        factor = cho_factor(inside, check_finite=False)
    except LinAlgError:  # not positive definite
        return partial(np.linalg.solve, inside)
    return partial(cho_solve, factor, check_finite=False)


# Q is symmetric; the point x and gradient = Qx - c are changed in place, and only
# `free` coordinates move.


def coordinate_descent(
    Q: FloatArray, free: IntArray, x: FloatArray, gradient: FloatArray, tolerance: float
) -> None:
    """Minimise x'Qx/2 - c'x over x >= 0, one coordinate after the other.

    Between sweeps over the `free` coordinates, those that are not zero are swept
    until they change little beside what that sweep changed: more would settle the
    values of coordinates that do not stay.
    """
    for _ in range(MAX_SWEEPS):
        change = _sweep(Q, x, gradient, free)
        if change <= tolerance:
            return
        active, settled = free[x[free] > 0], max(tolerance, SETTLED_SHARE * change)
        for _inner in range(MAX_SWEEPS):
            if _sweep(Q, x, gradient, active) <= settled:
                break


def _sweep(
    Q: FloatArray, x: FloatArray, gradient: FloatArray, coordinates: IntArray
) -> float:
    """Minimise along each coordinate once; return the largest change in Qx - c."""
    largest = 0.0
    for i in coordinates.tolist():
        old, own = float(x[i]), float(Q[i, i])
        # Without curvature there is nothing to gain either.
        x[i] = new = max(0.0, old - float(gradient[i]) / own) if own else 0.0
        if new != old:
            largest = max(largest, abs(new - old) * own)
            gradient += (new - old) * Q[i]
    return largest


def pair_descent(
    Q: FloatArray, free: IntArray, x: FloatArray, gradient: FloatArray, tolerance: float
) -> None:
    """Minimise x'Qx/2 - c'x over the simplex, moving weight between two.

    Each step takes weight from the coordinate that costs most and gives it to the
    one that costs least, as far as that pays.
    """
    for _ in range(MAX_PAIR_STEPS):
        low = free[gradient[free].argmin()]
        high = free[np.where(x[free] > 0, gradient[free], -np.inf).argmax()]
        gain = gradient[high] - gradient[low]
        if gain <= tolerance:
            return
        curvature, step = Q[low, low] + Q[high, high] - 2 * Q[low, high], x[high]
        if curvature * step > gain:
            step = gain / curvature
        x[high] -= step
        x[low] += step
        gradient += step * (Q[low] - Q[high])
