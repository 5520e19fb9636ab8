"""Rank-SVM without a kernel: the primal, for many rows and features."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.warnings import warn
from labelsieve.classifiers._base import Flags, Floats, Matrix

# The corner of the hinge is rounded over this part of the margin of 1, so that
# quasi-Newton steps can be taken.
CORNER = 0.1
ROWS_AT_ONCE = 1024


def solve_linear(
    X: Matrix, Y: Flags, C: float, max_iter: int, tol: float, n_jobs: int | None
) -> tuple[Floats, Floats, int]:
    """Minimise the ranking hinge loss plus half the squared weights, by L-BFGS.

    Returns the weights [features, labels], the biases [labels] and the iterations.
    """
    n_features, n_labels = X.shape[1], Y.shape[1]
    with_label = Y.sum(axis=1, dtype=np.int64)
    cost = C / np.maximum(with_label * (n_labels - with_label), 1)
    transposed = X.T.tocsr() if hasattr(X, "tocsr") else X.T

    def objective(parameters: Floats) -> tuple[float, Floats]:
        weights = parameters[: n_features * n_labels].reshape(n_features, n_labels)
        scores = np.ascontiguousarray(X @ weights + parameters[-n_labels:])
        loss, slopes = _loss(scores, Y, cost, n_jobs)
        gradient = (weights + transposed @ slopes).ravel()
        value = 0.5 * float(np.sum(weights * weights)) + loss
        return value, np.concatenate([gradient, slopes.sum(axis=0)])

    found = minimize(
        objective,
        np.zeros((n_features + 1) * n_labels),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": tol * 1e-3},
    )
    if found.nit >= max_iter:
        warn(
            f"Rank-SVM stopped after max_iter={max_iter} iterations before its "
            f"objective {found.fun:.6g} settled. Raise max_iter or tol, or scale the "
            "features.",
            ConvergenceWarning,
        )
    weights = found.x[: n_features * n_labels].reshape(n_features, n_labels)
    return weights, found.x[-n_labels:], int(found.nit)


def _loss(
    scores: Floats, Y: Flags, cost: Floats, n_jobs: int | None
) -> tuple[float, Floats]:
    from labelsieve.classifiers._rank_kernels import smooth_ranking_loss

    slopes = np.empty_like(scores)

    def block_loss(start: int) -> float:
        rows = slice(start, start + ROWS_AT_ONCE)
        return float(
            smooth_ranking_loss(scores[rows], Y[rows], cost[rows], CORNER, slopes[rows])
        )

    starts = range(0, len(Y), ROWS_AT_ONCE)
    return sum(run_in_threads(block_loss, starts, n_jobs)), slopes
