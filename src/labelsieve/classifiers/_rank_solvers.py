"""Solvers of Rank-SVM: the dual with a kernel, the primal without one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import ByteArray, FloatArray, IntArray, Matrix
from labelsieve.classifiers._base import refuse_large

CHECK_EVERY = 5  # sweeps: measuring the gap costs about as much as one
# The corner of the hinge is rounded over this part of the margin of 1, so that
# quasi-Newton steps can be taken; then over less and less of it.
CORNER = 0.1
SHARPER = 0.5
SHARPEST = 1e-7
ROWS_AT_ONCE = 1024


@dataclass(frozen=True)
class RankSolution:
    """Weights, biases of the labels, and how good they are."""

    weights: FloatArray  # [rows, labels] of the dual, [features, labels] of the primal
    bias: FloatArray  # [labels]
    primal: float  # objective of these weights and biases
    gap: float  # how much smaller the best objective may be, relative to `primal`
    n_iter: int


def solve_dual(
    kernel: FloatArray, Y: ByteArray, C: float, max_iter: int, tol: float
) -> RankSolution:
    """Maximise the dual of Rank-SVM over the multipliers of all pairs.

    The multiplier of a pair moves weight from the label that the row lacks to the one
    that it has, and lies in [0, C / number of pairs of the row]. Without a penalty on
    the biases, what every label gets in all must be zero: the method of multipliers
    sees to that, and its multipliers are the biases. Weights that sum to zero do not
    see the mean of the kernel, so it is taken off, which makes the problem easy.
    """
    from labelsieve.classifiers._rank_kernels import ascend, smooth_ranking_loss

    means, n_pairs, limits = kernel.mean(axis=0), _n_pairs(Y), _pair_cost(Y, C)
    centred = kernel - means - means[:, None] + means.mean()
    # Weaker than the kernel: what a stronger one holds fast settles slowly.
    penalty = max(0.1 * float(np.trace(centred)) / len(Y), 1e-12)
    starts, multipliers = np.cumsum(n_pairs) - n_pairs, np.zeros(int(n_pairs.sum()))
    weights, bias = np.zeros(Y.shape), np.zeros(Y.shape[1])
    outputs = np.zeros(Y.shape)  # centred @ weights + bias + penalty * sums

    def primal_and_gap() -> tuple[float, float]:
        """The objective, and what it and the sums are off the optimum, relative."""
        sums = weights.sum(axis=0)
        plain = outputs - penalty * sums
        half_norm = 0.5 * float(np.sum(weights * (plain - bias)))
        _, loss, _ = smooth_ranking_loss(plain, Y, limits, 1e-12, np.empty(Y.shape))
        primal = half_norm + float(loss)
        dual = multipliers.sum() - half_norm
        infeasible = float(np.sum(np.abs(sums) * (1.0 + np.abs(bias))))
        return primal, float((abs(primal - dual) + infeasible) / max(primal, 1e-300))

    random = np.random.default_rng(0)  # only orders the rows
    for step in range(1, max_iter + 1):
        ascend(
            centred,
            penalty,
            Y,
            limits,
            starts,
            random.permutation(len(Y)),
            multipliers,
            weights,
            outputs,
        )
        change = penalty * weights.sum(axis=0)
        bias += change
        outputs += change
        if step % CHECK_EVERY == 0 or step == max_iter:
            primal, gap = primal_and_gap()
            if gap <= tol:
                break
    if gap > tol:
        _warn_unfinished(f"max_iter={max_iter} sweeps", gap, tol)
    bias = bias - (kernel @ weights).mean(axis=0)
    return RankSolution(weights, bias, primal, gap, step)


def solve_linear(
    X: Matrix, Y: ByteArray, C: float, max_iter: int, tol: float, n_jobs: int | None
) -> RankSolution:
    """Minimise the ranking hinge loss plus half the squared weights, by L-BFGS.

    The slopes of the rounded hinges are multipliers of the dual: their objective is a
    bound for that of the best weights, and decides when to stop.
    """
    refuse_large(X)
    problem = _RankProblem(X, Y, C, n_jobs)
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
        _warn_unfinished(f"{n_iter} iterations", problem.gap, tol)
    weights, bias = problem.split(problem.best)
    return RankSolution(weights, bias, problem.primal, problem.gap, n_iter)


class _RankProblem:
    """The objective, the best parameters met so far and what is known of the optimum.

    Attributes
    ----------
    best : weights [features, labels] and biases [labels] in one line
    primal : their objective, without rounding
    dual : the largest lower bound of the best objective
    """

    def __init__(self, X: Matrix, Y: ByteArray, C: float, n_jobs: int | None) -> None:
        self._X, self._Y, self._n_jobs = X, Y, n_jobs
        self._transposed = X.T.tocsr() if hasattr(X, "tocsr") else X.T
        self._cost = _pair_cost(Y, C)
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

    def split(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        n_labels = self._Y.shape[1]
        return parameters[:-n_labels].reshape(-1, n_labels), parameters[-n_labels:]

    def objective(
        self, parameters: FloatArray, width: float
    ) -> tuple[float, FloatArray]:
        """The objective with rounded hinges, and its gradient."""
        from labelsieve.classifiers._rank_kernels import smooth_ranking_loss

        weights, bias = self.split(parameters)
        scores = np.ascontiguousarray(self._X @ weights + bias)
        slopes = np.empty_like(scores)

        def block_loss(rows: slice) -> tuple[float, float, float]:
            return smooth_ranking_loss(
                scores[rows], self._Y[rows], self._cost[rows], width, slopes[rows]
            )

        blocks = slices_of(len(scores), ROWS_AT_ONCE)
        parts = run_in_threads(block_loss, blocks, self._n_jobs)
        smooth, sharp, multipliers = (sum(each) for each in zip(*parts, strict=True))
        dual_weights, sums = self._transposed @ slopes, slopes.sum(axis=0)
        half_norm = 0.5 * float(np.sum(weights * weights))
        if half_norm + sharp < self.primal:
            self.primal, self.best = half_norm + sharp, parameters.copy()
        # What labels get in all must be zero; what is not counts against the bound.
        infeasible = float(np.sum(np.abs(sums) * (1.0 + np.abs(bias))))
        bound = multipliers - 0.5 * float(np.sum(dual_weights**2)) - infeasible
        self.dual = max(self.dual, bound)
        gradient = np.concatenate([(weights + dual_weights).ravel(), sums])
        return half_norm + smooth, gradient


def _pair_cost(Y: ByteArray, C: float) -> FloatArray:
    """C divided among the pairs of each row: of a label it has, and one it lacks."""
    return C / np.maximum(_n_pairs(Y), 1)


def _n_pairs(Y: ByteArray) -> IntArray:
    with_label = Y.sum(axis=1, dtype=np.int64)
    return with_label * (Y.shape[1] - with_label)


def _warn_unfinished(after: str, gap: float, tol: float) -> None:
    warn(
        f"Rank-SVM stopped after {after} with its objective within "
        f"{gap:.2g} of the best, relatively; tol={tol:g} was asked for. Raise max_iter "
        "or tol, or scale the features.",
        ConvergenceWarning,
    )
