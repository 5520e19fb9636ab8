"""Least squares between all features and all labels, with rows of weights."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve._plumbing.typing import FloatArray, Matrix
from labelsieve.reading import Groups
from labelsieve.selectors._rows.scaled_rows import power_of_two

# Ridge regressions end when no row of weights changes by more than this, relative to
# the largest, and sweeps over features when the duality gap is so small: weights are
# off by its square root.
CONVERGED, GAP = 1e-6, 1e-12
RIDGE_REGRESSIONS, SWEEPS = 50, 10_000
# Rows of weights and residuals shorter than this share of the longest count as this.
SHORTEST = 1e-10


def standardized_table(values: Matrix) -> FloatArray:
    """The features as a dense table with mean 0 and variance 1, constant ones 0."""
    refuse_larger_than_memory(
        values.shape,
        "The table of standardised features",
        "Choose candidates first, for example with FIMF.",
        itemsize=8,
    )
    table = values.toarray() if sp.issparse(values) else np.array(values, order="C")
    # Powers of two cost no digits, and keep squares of any unit within range.
    table *= power_of_two(table.min(axis=0), table.max(axis=0))
    table -= table.mean(axis=0)
    deviation = table.std(axis=0)
    table /= np.where(deviation > 0, deviation, 1.0)
    return table


def balanced(table: FloatArray, groups: Groups) -> FloatArray:
    """A table in which a feature of several columns counts as one, for distances."""
    if not groups.several:
        return table
    return table / np.sqrt(groups.spread(groups.sizes))


def ridge_weights(X: FloatArray, Y: FloatArray, penalty: FloatArray) -> FloatArray:
    """Minimise |X W - Y|^2 + sum_f penalty_f |W_f|^2, by the smaller of two systems."""
    n_rows, n_features = X.shape
    if n_features <= n_rows:
        return _solve(X.T @ X + np.diag(penalty), X.T @ Y)
    scaled = X / penalty
    return scaled.T @ _solve(scaled @ X.T + np.eye(n_rows), Y)


def _solve(A: FloatArray, B: FloatArray) -> FloatArray:
    try:
        return np.linalg.solve(A, B).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:  # by rounding, where rows are fitted exactly
        return np.linalg.lstsq(A, B)[0].astype(np.float64, copy=False)


@dataclass(frozen=True)
class RowWeights:
    """Weights whose rows are mostly zero, and how good they are.

    Attributes
    ----------
    weights : (D, L)
    n_iter : ridge regressions, or sweeps over the features
    gap : how much smaller the best objective may be, relative to theirs
    """

    weights: FloatArray
    n_iter: int
    gap: float


def sparse_row_weights(
    X: FloatArray, Y: FloatArray, strength: float, robust: bool, max_iter: int | None
) -> RowWeights:
    """Minimise the loss of X W - Y plus gamma times the summed lengths of rows of W.

    The loss is the summed length of the rows of residuals if `robust`, else half the
    sum of their squares; gamma is `strength` times the least that makes W zero.
    """
    gamma = strength * _least_gamma_for_nothing(X, Y, robust)
    if gamma == 0:
        return RowWeights(np.zeros((X.shape[1], Y.shape[1])), 1, 0.0)
    if robust:
        return _by_ridge_regressions(X, Y, gamma, max_iter or RIDGE_REGRESSIONS)
    return _by_sweeps(X, Y, gamma, max_iter or SWEEPS)


def _by_ridge_regressions(
    X: FloatArray, Y: FloatArray, gamma: float, max_iter: int
) -> RowWeights:
    """The robust loss: each regression is weighted by the solution before."""
    weights = ridge_weights(X, Y, np.full(X.shape[1], gamma))
    n_iter, moved = 0, np.inf
    while n_iter < max_iter and moved > CONVERGED * row_norms(weights).max():
        n_iter += 1
        importance = 1.0 / safe_lengths(X @ weights - Y)
        penalty = gamma / safe_lengths(weights)
        root = np.sqrt(importance)[:, np.newaxis]
        new = ridge_weights(root * X, root * Y, penalty)
        moved = np.abs(row_norms(new) - row_norms(weights)).max()
        weights = new
    residual = Y - X @ weights
    lengths = gamma * row_norms(weights).sum()
    objective = float(row_norms(residual).sum() + lengths)
    dual = importance[:, np.newaxis] * residual
    dual /= max(1.0, row_norms(dual).max(), row_norms(X.T @ dual).max() / gamma)
    return RowWeights(weights, n_iter, _gap(objective, float((dual * Y).sum())))


def _by_sweeps(X: FloatArray, Y: FloatArray, gamma: float, max_iter: int) -> RowWeights:
    """The squared loss: the multi-task lasso, one feature after the other."""
    from sklearn.linear_model import MultiTaskLasso

    lasso = MultiTaskLasso(
        gamma / len(X), fit_intercept=False, max_iter=max_iter, tol=GAP
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is reported
        weights = lasso.fit(np.asfortranarray(X), Y).coef_.T
    dual = Y - X @ weights
    loss = 0.5 * float((dual**2).sum())
    objective = loss + gamma * float(row_norms(weights).sum())
    dual *= min(1.0, gamma / max(row_norms(X.T @ dual).max(), 1e-300))
    bound = float((dual * Y).sum()) - 0.5 * float((dual**2).sum())
    return RowWeights(weights, int(lasso.n_iter_), _gap(objective, bound))


def _gap(objective: float, bound: float) -> float:
    return max(0.0, objective - bound) / max(objective, 1e-300)


def _least_gamma_for_nothing(X: FloatArray, Y: FloatArray, robust: bool) -> float:
    target = Y
    if robust:
        length = row_norms(Y)
        target = Y / np.where(length > 0, length, 1.0)[:, np.newaxis]
    return float(row_norms(X.T @ target).max())


def safe_lengths(rows: FloatArray) -> FloatArray:
    """Lengths of rows, none so short that its inverse means nothing."""
    lengths = row_norms(rows)
    return np.maximum(lengths, max(SHORTEST * float(lengths.max()), 1e-150))


def row_norms(rows: FloatArray) -> FloatArray:
    """The length of each row."""
    return np.sqrt((rows**2).sum(axis=1))
