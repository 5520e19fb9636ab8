"""min x'Qx/2 - c'x over x >= 0, also where Q is singular or slightly indefinite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from labelsieve._threads import one_thread_inside
from labelsieve._typing import BoolArray, FloatArray, IntArray
from labelsieve.selectors._cholesky import factorise

# Descent stops when a sweep changes Qx - c by less than this share of max |c|: first
# where nearly all positive coordinates are known, later only if solving for them
# failed.
DESCENT_TOLERANCES = np.array([2e-2, 1e-4, 1e-12])
SOLVED = 1e-12
MAX_SWEEPS = 10_000
MAX_PAIR_STEPS = 2_000_000
MAX_PIVOTS = 20
# So many exchanged coordinates are corrected for; more are worth factorising again.
MAX_EXCHANGED = 32


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


def minimize_nonnegative(
    Q: FloatArray, c: FloatArray, n_jobs: int | None = None
) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0, by descent from x = 0.

    With non-negative entries and a positive diagonal the problem is bounded whatever
    the eigenvalues of Q; where Q is indefinite the result is a local minimum.
    """
    from labelsieve.selectors._nonnegative_kernels import coordinate_descent

    x, gradient = np.zeros(c.size), -c
    for tolerance in DESCENT_TOLERANCES * np.abs(c).max():
        coordinate_descent(Q, c, x, gradient, tolerance, MAX_SWEEPS)
        polished = _pivot(Q, c, x > 0, False, n_jobs)
        if polished is not None and polished.residual < SOLVED:
            return polished
        found = _better(_certify(Q, c, x, 0.0), polished)
    return found


def minimize_on_simplex(
    Q: FloatArray, c: FloatArray, n_jobs: int | None = None
) -> Solution:
    """Minimise x'Qx/2 - c'x over x >= 0 with sum 1, by descent from equal weights."""
    from labelsieve.selectors._nonnegative_kernels import pair_descent

    x = np.full(c.size, 1.0 / c.size)
    gradient = Q @ x - c
    for tolerance in DESCENT_TOLERANCES * np.abs(c).max():
        pair_descent(Q, c, x, gradient, tolerance, MAX_PAIR_STEPS)
        polished = _pivot(Q, c, x > 0, True, n_jobs)
        if polished is not None and polished.residual < SOLVED:
            return polished
        level = float(x @ (Q @ x - c))
        found = _better(_certify(Q, c, x, level), polished)
    return found


def principal_part(
    Q: FloatArray, kept: IntArray, overwrite: bool = False
) -> FloatArray:
    """The lines and columns of Q that are kept, in a new matrix or in place of Q."""
    from labelsieve.selectors._nonnegative_kernels import take_square

    size = kept.size
    place = Q.reshape(-1)[: size * size] if overwrite else np.empty(size * size)
    part = place.reshape(size, size)
    take_square(Q, kept, part)
    return part


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
    Q: FloatArray,
    c: FloatArray,
    positive: BoolArray,
    simplex: bool,
    n_jobs: int | None,
) -> Solution | None:
    """Solve the equations of the positive coordinates, exchanging wrong ones.

    Returns None where the equations have no unique solution.
    """
    if not positive.any():
        return None
    # One thread of BLAS, always: its sums depend on the number of threads.
    with one_thread_inside():
        try:
            return _exchange(Q, c, positive, simplex, n_jobs)
        except LinAlgError:
            return None


def _exchange(
    Q: FloatArray,
    c: FloatArray,
    positive: BoolArray,
    simplex: bool,
    n_jobs: int | None,
) -> Solution:
    equations = _Equations(Q, positive, n_jobs)
    for _ in range(MAX_PIVOTS):
        if np.count_nonzero(positive ^ equations.base) > MAX_EXCHANGED:
            equations = _Equations(Q, positive, n_jobs)
        x, level = _stationary(equations, c, positive, simplex)
        solution = _certify(Q, c, np.maximum(x, 0.0), level)
        wrong = (x < 0) | (~positive & (solution.gradient < 0))
        if not wrong.any() or not (positive ^ wrong).any():
            break
        positive = positive ^ wrong
    if solution.residual < SOLVED or (positive == equations.base).all():
        return solution
    # Corrections of a nearly singular system are not exact: solve the last one afresh.
    afresh = _Equations(Q, positive, n_jobs)
    x, level = _stationary(afresh, c, positive, simplex)
    return _better(solution, _certify(Q, c, np.maximum(x, 0.0), level))


def _stationary(
    equations: _Equations, c: FloatArray, positive: BoolArray, simplex: bool
) -> tuple[FloatArray, float]:
    """The x, zero but in some coordinates, where these cost alike; and how much."""
    if not simplex:
        return equations.solve(positive, c[:, np.newaxis])[:, 0], 0.0
    x, slope = equations.solve(positive, np.column_stack([c, np.ones(c.size)])).T
    level = (1.0 - x.sum()) / slope.sum()
    return x + level * slope, level


class _Equations:
    """Qx = right in some coordinates, x = 0 in the others, for sets near the first."""

    def __init__(
        self, Q: FloatArray, base: BoolArray, n_jobs: int | None = None
    ) -> None:
        self.Q, self.base = Q, base
        inside = principal_part(Q, np.flatnonzero(base))
        self._solve: Callable[[FloatArray], FloatArray]
        try:
            # Lines are the columns that Fortran wants, and L then the upper factor.
            factor = (factorise(inside, n_jobs).T, False)
            self._solve = partial(cho_solve, factor, check_finite=False)
        except LinAlgError:
            inside = principal_part(Q, np.flatnonzero(base))
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
        found = self._solve(np.hstack([right[base], pull]))
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
