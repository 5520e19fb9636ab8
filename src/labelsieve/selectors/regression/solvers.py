"""Least squares between all features and all labels, with rows of weights."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.typing import FloatArray, Matrix

# Weights stop moving when no row changes by more than this, relative to the largest.
CONVERGED = 1e-6
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
    table -= table.mean(axis=0)
    deviation = table.std(axis=0)
    table /= np.where(deviation > 0, deviation, 1.0)
    return table


def ridge_weights(X: FloatArray, Y: FloatArray, penalty: FloatArray) -> FloatArray:
    """Minimise |X W - Y|^2 + sum_f penalty_f |W_f|^2, by the smaller of two systems."""
    n_rows, n_features = X.shape
    if n_features <= n_rows:
        return _solve(X.T @ X + np.diag(penalty), X.T @ Y)
    scaled = X / penalty
    return scaled.T @ _solve(scaled @ X.T + np.eye(n_rows), Y)


def _solve(A: FloatArray, B: FloatArray) -> FloatArray:
    return np.linalg.solve(A, B).astype(np.float64, copy=False)


def sparse_row_weights(
    X: FloatArray, Y: FloatArray, strength: float, robust: bool, max_iter: int
) -> tuple[FloatArray, int]:
    """Minimise the loss of X W - Y plus gamma times the summed lengths of rows of W.

    The loss is the summed length of the rows of residuals if `robust`, else half the
    sum of their squares; gamma is `strength` times the least that makes W zero. Both
    are solved by ridge regressions with weights from the solution before, whose
    number is returned too.
    """
    gamma = strength * _least_gamma_for_nothing(X, Y, robust)
    if gamma == 0:
        return np.zeros((X.shape[1], Y.shape[1])), 1
    weights = ridge_weights(X, Y, np.full(X.shape[1], gamma))
    n_iter, moved = 0, np.inf
    while n_iter < max_iter and moved > CONVERGED * row_norms(weights).max():
        n_iter += 1
        importance = _row_importance(X @ weights - Y, robust)
        penalty = gamma / _lengths(weights)
        root = np.sqrt(importance)[:, np.newaxis]
        new = ridge_weights(root * X, root * Y, penalty)
        moved = np.abs(row_norms(new) - row_norms(weights)).max()
        weights = new
    return weights, n_iter


def _least_gamma_for_nothing(X: FloatArray, Y: FloatArray, robust: bool) -> float:
    target = Y
    if robust:
        length = row_norms(Y)
        target = Y / np.where(length > 0, length, 1.0)[:, np.newaxis]
    return float(row_norms(X.T @ target).max())


def _row_importance(residual: FloatArray, robust: bool) -> FloatArray:
    if not robust:
        return np.ones(len(residual))
    return 1.0 / _lengths(residual)


def _lengths(rows: FloatArray) -> FloatArray:
    """Lengths of rows, none so short that its inverse means nothing."""
    lengths = row_norms(rows)
    return np.maximum(lengths, max(SHORTEST * float(lengths.max()), 1e-300))


def row_norms(rows: FloatArray) -> FloatArray:
    """The length of each row."""
    return np.sqrt((rows**2).sum(axis=1))
