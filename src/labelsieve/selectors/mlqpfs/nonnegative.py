"""min x'Qx/2 - c'x over x >= 0, also where Q is singular or slightly indefinite."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.typing import BoolArray, FloatArray
from labelsieve.selectors.mlqpfs.cholesky import factorise

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
# So many exchanged coordinates are corrected for; more are worth factorising again.
MAX_EXCHANGED = 32
# From so many unknowns on, factorising in single precision saves more than the steps
# that make up for it cost.
SINGLE_PRECISION = 512

Precision = type[np.float32] | type[np.float64]


@dataclass(frozen=True)
class Solution:
    """A point that satisfies the optimality conditions up to `residual`.

    Attributes
    ----------
    x : the weights
    gradient : Qx - c, less `level`
    level : the multiplier of the sum, 0 without a sum
    residual : max |min(Q_ii x_i, gradient_i)| / max |c|; 0 is perfect
    """

    x: FloatArray
    gradient: FloatArray
    level: float
    residual: float


def minimize_nonnegative(
    Q: FloatArray, c: FloatArray, free: BoolArray, n_jobs: int | None = None
) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0, zero where not `free`, by descent from 0.

    With non-negative entries and a positive diagonal the problem is bounded whatever
    the eigenvalues of Q; where Q is indefinite the result is a local minimum.
    """
    from labelsieve.selectors.mlqpfs.kernels import coordinate_descent

    problem = _Problem(Q, c, free, simplex=False)
    x, gradient = np.zeros(c.size), -c
    for tolerance in DESCENT_TOLERANCES * problem.scale:
        coordinate_descent(Q, np.flatnonzero(free), x, gradient, tolerance, MAX_SWEEPS)
        found = _polish(problem, Solution(x, gradient, 0.0, np.inf), n_jobs)
        if found.residual < SOLVED:
            break
    return found


def minimize_on_simplex(
    Q: FloatArray, c: FloatArray, free: BoolArray, n_jobs: int | None = None
) -> Solution:
    """The same with weights that sum to 1, by descent from equal weights."""
    from labelsieve.selectors.mlqpfs.kernels import pair_descent

    problem = _Problem(Q, c, free, simplex=True)
    x = free / free.sum()
    gradient = Q @ x - c
    for tolerance in DESCENT_TOLERANCES * problem.scale:
        pair_descent(Q, np.flatnonzero(free), x, gradient, tolerance, MAX_PAIR_STEPS)
        level = float(x @ gradient)
        found = _polish(problem, Solution(x, gradient - level, level, np.inf), n_jobs)
        if found.residual < SOLVED:
            break
    return found


def principal_part(
    Q: FloatArray, kept: BoolArray, dtype: Precision = np.float64
) -> FloatArray:
    """The lines and columns of Q that are kept."""
    from labelsieve.selectors.mlqpfs.kernels import take_square

    (places,) = np.nonzero(kept)
    part: FloatArray = np.empty((places.size, places.size), dtype=dtype)
    take_square(Q, places, part)
    return part


@dataclass(frozen=True)
class _Problem:
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


def _polish(problem: _Problem, start: Solution, n_jobs: int | None) -> Solution:
    """Solve the equations of the positive coordinates; keep what is better."""
    found = start
    precisions: list[Precision] = [np.float64] if start.x.any() else []
    if np.count_nonzero(start.x) >= SINGLE_PRECISION:
        precisions.insert(0, np.float32)
    # One thread of BLAS, always: its sums depend on the number of threads.
    with one_thread_inside():
        for precision in precisions:
            with suppress(LinAlgError):
                found = _better(found, _exchange(problem, start, precision, n_jobs))
            if found.residual < SOLVED:
                return found
        return _better(found, problem.certify(start.x, start.level))


def _better(one: Solution, other: Solution) -> Solution:
    return min(one, other, key=attrgetter("residual"))


def _exchange(
    problem: _Problem, start: Solution, precision: Precision, n_jobs: int | None
) -> Solution:
    """Step to where the equations hold, exchanging wrong coordinates.

    In exact arithmetic one step reaches the solution for given positive coordinates.
    Rounding, most of all that of a factor in single precision, leaves a part that
    further steps take off.
    """
    Q, solution, positive = problem.Q, start, start.x > 0
    equations = _Equations(Q, positive, precision, n_jobs)
    for _ in range(MAX_STEPS):
        last = solution
        x, level = _step(equations, last, positive, problem.simplex)
        solution = problem.certify(np.maximum(x, 0.0), level)
        if solution.residual < ROUNDING:
            break
        wrong = (x < 0) | (~positive & problem.free & (solution.gradient < 0))
        if wrong.any() and (positive ^ wrong).any():
            positive = positive ^ wrong
            stale = bool(np.count_nonzero(positive ^ equations.base) > MAX_EXCHANGED)
        else:
            # Corrections of a nearly singular system are not exact.
            stale = solution.residual > last.residual / 2
            if stale and (positive == equations.base).all():
                break
        if stale:
            equations = _Equations(Q, positive, precision, n_jobs)
    return _better(last, solution)


def _step(
    equations: _Equations, start: Solution, positive: BoolArray, simplex: bool
) -> tuple[FloatArray, float]:
    """To the x, zero but in some coordinates, where these cost alike; and how much."""
    down = -start.gradient[:, np.newaxis]
    if not simplex:
        return start.x + equations.solve(positive, down)[:, 0], 0.0
    ones = np.ones_like(down)
    move, slope = equations.solve(positive, np.hstack([down, ones])).T
    rise = (1.0 - start.x.sum() - move.sum()) / slope.sum()
    return start.x + move + rise * slope, float(start.level + rise)


class _Equations:
    """Qx = right in some coordinates, x = 0 in the others, for sets near the first."""

    def __init__(
        self,
        Q: FloatArray,
        base: BoolArray,
        precision: Precision,
        n_jobs: int | None = None,
    ) -> None:
        self.Q, self.base, self.precision = Q, base, precision
        inside = principal_part(Q, base, precision)
        self._solve: Callable[[FloatArray], FloatArray]
        try:
            # Lines are the columns that Fortran wants, and L then the upper factor.
            factor = (factorise(inside, n_jobs).T, False)
            self._solve = partial(cho_solve, factor, check_finite=False)
        except LinAlgError:
            if precision != np.float64:
                raise
            inside = principal_part(Q, base)
            self._solve = partial(np.linalg.solve, inside)

    def solve(self, positive: BoolArray, right: FloatArray) -> FloatArray:
        """Solve for the `positive` coordinates and each column of `right`.

        Beside the coordinates of the base, those that are added are unknown, and the
        forces that hold those that are removed at zero: few, so that what the base
        answers to them gives a small system.
        """
        (base,), (added,) = np.nonzero(self.base), np.nonzero(positive & ~self.base)
        (removed,) = np.nonzero(~positive[base])
        pull = np.zeros((base.size, added.size + removed.size))
        pull[:, : added.size] = self.Q[np.ix_(base, added)]
        pull[removed, added.size + np.arange(removed.size)] = 1.0
        # What is asked of those at zero does not matter, and nothing rounds best.
        right = np.where(positive[:, np.newaxis], right, 0.0)
        asked: FloatArray = np.hstack([right[base], pull], dtype=self.precision)
        found = self._solve(asked).astype(np.float64, copy=False)
        inside, answer = np.split(found, [right.shape[1]], axis=1)
        x = np.zeros(right.shape)
        if pull.size:
            system, wanted = pull.T @ answer, pull.T @ inside
            system[: added.size, : added.size] -= self.Q[np.ix_(added, added)]
            wanted[: added.size] -= right[added]
            others = np.linalg.solve(system, wanted)
            inside = inside - answer @ others
            inside[removed] = 0.0
            x[added] = others[: added.size]
        x[base] = inside
        return x
