"""Rank-SVM without a kernel: the primal, for many rows and features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.messages import warn
from labelsieve.classifiers._base import Flags, Floats, Matrix, refuse_large

# The corner of the hinge is rounded over this part of the margin of 1, so that
# quasi-Newton steps can be taken; then over less and less of it.
CORNER = 0.1
SHARPER = 0.5
SHARPEST = 1e-7
ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class LinearSolution:
    """Weights and biases of the labels, and how good they are."""

    weights: Floats  # [features, labels]
    bias: Floats  # [labels]
    primal: float  # objective of these weights and biases
    gap: float  # how much smaller the best objective may be, relative to `primal`
    n_iter: int


def solve_linear(
    X: Matrix, Y: Flags, C: float, max_iter: int, tol: float, n_jobs: int | None
) -> LinearSolution:
    """Minimise the ranking hinge loss plus half the squared weights, by L-BFGS.

    The slopes of the rounded hinges are multipliers of the dual: their objective is a
    bound for that of the best weights, and tells when to stop.
    """
    refuse_large(X)
    problem = _Problem(X, Y, C, n_jobs)
    width, n_iter = CORNER, 0
    while True:
        found = minimize(
            problem.objective,
            problem.best,
            args=(width,),
            jac=True,
            method="L-BFGS-B",
            callback=lambda _: problem.stop_within(tol),
            options={
                "maxiter": max_iter - n_iter,
                "maxfun": 2 * max_iter,
                "ftol": 1e-6 * width,
                "gtol": 0.0,  # the gap decides
                "maxcor": 30,
            },
        )
        n_iter += int(found.nit)
        width *= SHARPER
        if problem.gap <= tol or n_iter >= max_iter or width < SHARPEST:
            break
    if problem.gap > tol:
        _warn_unfinished(n_iter, problem.gap, tol)
    weights, bias = problem.split(problem.best)
    return LinearSolution(weights, bias, problem.primal, problem.gap, n_iter)


class _Problem:
    """The objective, the best parameters met so far and what is known of the optimum.

    Attributes
    ----------
    best : weights [features, labels] and biases [labels] in one line
    primal : their objective, without rounding
    dual : the largest lower bound of the best objective
    """

    def __init__(self, X: Matrix, Y: Flags, C: float, n_jobs: int | None) -> None:
        self._X, self._Y, self._n_jobs = X, Y, n_jobs
        self._transposed = X.T.tocsr() if hasattr(X, "tocsr") else X.T
        with_label = Y.sum(axis=1, dtype=np.int64)
        self._cost: Floats = C / np.maximum(with_label * (Y.shape[1] - with_label), 1)
        self.best = np.zeros((X.shape[1] + 1) * Y.shape[1])
        self.primal, self.dual = np.inf, 0.0

    @property
    def gap(self) -> float:
        """How much smaller the best objective may be, relatively."""
        return (self.primal - self.dual) / max(self.primal, 1e-300)

    def stop_within(self, tol: float) -> None:
        """End the descent when the gap is small enough."""
        if self.gap <= tol:
            raise StopIteration

    def split(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Weights and biases."""
        n_labels = self._Y.shape[1]
        return parameters[:-n_labels].reshape(-1, n_labels), parameters[-n_labels:]

    def objective(self, parameters: Floats, width: float) -> tuple[float, Floats]:
        """The objective with rounded hinges, and its gradient."""
        weights, bias = self.split(parameters)
        scores = np.ascontiguousarray(self._X @ weights + bias)
        (smooth, sharp, multipliers), slopes = self._loss(scores, width)
        dual_weights, sums = self._transposed @ slopes, slopes.sum(axis=0)
        half_norm = 0.5 * float(np.sum(weights * weights))
        if half_norm + sharp < self.primal:
            self.primal, self.best = half_norm + sharp, parameters.copy()
        # What labels get in all must be zero; what is not counts against the bound.
        unsettled = float(np.sum(np.abs(sums) * (1.0 + np.abs(bias))))
        bound = multipliers - 0.5 * float(np.sum(dual_weights**2)) - unsettled
        self.dual = max(self.dual, bound)
        gradient = np.concatenate([(weights + dual_weights).ravel(), sums])
        return half_norm + smooth, gradient

    def _loss(
        self, scores: Floats, width: float
    ) -> tuple[tuple[float, float, float], Floats]:
        from labelsieve.classifiers._rank_kernels import smooth_ranking_loss

        slopes = np.empty_like(scores)

        def block_loss(start: int) -> tuple[float, float, float]:
            rows = slice(start, start + ROWS_AT_ONCE)
            return smooth_ranking_loss(
                scores[rows], self._Y[rows], self._cost[rows], width, slopes[rows]
            )

        starts = range(0, len(scores), ROWS_AT_ONCE)
        parts = run_in_threads(block_loss, starts, self._n_jobs)
        smooth, sharp, multipliers = (sum(each) for each in zip(*parts, strict=True))
        return (smooth, sharp, multipliers), slopes


def _warn_unfinished(n_iter: int, gap: float, tol: float) -> None:
    warn(
        f"Rank-SVM stopped after {n_iter} iterations with its objective within "
        f"{gap:.2g} of the best, relatively; tol={tol:g} was asked for. Raise max_iter "
        "or tol, or scale the features.",
        ConvergenceWarning,
    )
