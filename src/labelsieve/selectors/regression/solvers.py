"""Least squares between features and labels, or targets smooth where rows are near."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import BoolArray, FloatArray, Matrix
from labelsieve.neighbors import nearest
from labelsieve.reading import Groups
from labelsieve.selectors._rows.scaled_rows import power_of_two

# Ridge regressions end when no row of weights changes by more than this, relative to
# the largest, and sweeps over features when the duality gap is so small: weights are
# off by its square root.
CONVERGED, GAP = 1e-6, 1e-12
RIDGE_REGRESSIONS, SWEEPS = 50, 10_000
# Rows of weights and residuals shorter than this share of the longest count as this.
SHORTEST = 1e-10
# Equations are solved until no residual is longer than this share of the right side.
SOLVED, MOST_STEPS = 1e-12, 1000
# Turns end when the objective changes by less than this share.
SETTLED = 1e-3


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


@dataclass(frozen=True)
class Turns:
    """What taking turns found: weights of features, and the objective after each."""

    weights: FloatArray
    objectives: list[float]


def take_turns(
    X: FloatArray,
    target: FloatArray,
    gamma: float,
    max_iter: int,
    target_given: Callable[[FloatArray], tuple[FloatArray, float]],
) -> Turns:
    """Fit sparse weights to a target, and the target to what they predict, in turns.

    Weights minimise ``|X W - T|^2 + gamma sum_f |W_f|``, by ridge regressions that
    the last weights weigh. ``target_given(X W)`` is the best target T, and what the
    objective is made of besides those two terms.
    """
    weights = ridge_weights(X, target, np.full(X.shape[1], gamma))
    objectives: list[float] = []
    while len(objectives) < max_iter:
        target, others = target_given(X @ weights)
        weights = ridge_weights(X, target, 0.5 * gamma / safe_lengths(weights))
        residual = float(((X @ weights - target) ** 2).sum())
        lengths = gamma * float(row_norms(weights).sum())
        objectives.append(residual + lengths + others)
        if len(objectives) > 1:
            before, now = objectives[-2:]
            if abs(before - now) <= SETTLED * abs(before):
                break
    return Turns(weights, objectives)


def varying_labels(indicator: Matrix) -> tuple[FloatArray, BoolArray]:
    """The labels that vary, as dense numbers, and which of all they are."""
    labels = as_dense(indicator).astype(np.float64)
    varies = labels.min(axis=0) < labels.max(axis=0)
    return labels[:, varies], varies


def laplacian(rows: FloatArray, k: int, *, heat: bool = False) -> sp.csr_matrix:
    """D - S of the graph of the k nearest rows.

    S is the mean of both directions of an edge, whose weight is 1, or with `heat`
    falls with the squared distance, in units of the mean over all edges.
    """
    n_rows = len(rows)
    indices, distances = nearest(rows, k=min(k, n_rows - 1))
    edges = (np.repeat(np.arange(n_rows), indices.shape[1]), indices.ravel())
    weight = np.ones(indices.size)
    if heat and distances.any():
        weight = np.exp(-distances.ravel() / distances.mean())
    one_way = sp.csr_matrix((weight, edges), shape=(n_rows, n_rows))
    both = (one_way + one_way.T) / 2
    return sp.csr_matrix(sp.diags(np.asarray(both.sum(axis=1)).ravel()) - both)


def solve_smooth(
    graph: sp.csr_matrix, centring: float, shifts: FloatArray, right: FloatArray
) -> FloatArray:
    """Solve (L + centring H + shift_j I) x_j = right_j for each column j.

    H centres columns. All columns take the steps of conjugate gradients together.
    """

    def times(x: FloatArray) -> FloatArray:
        return graph @ x + centring * (x - x.mean(axis=0)) + shifts * x

    x = right / (shifts + centring)
    residual = right - times(x)
    direction = residual
    squares = (residual**2).sum(axis=0)
    enough = SOLVED**2 * (right**2).sum(axis=0)
    for _ in range(MOST_STEPS):
        open_ = squares > enough
        if not open_.any():
            break
        image = times(direction)
        curvature = (direction * image).sum(axis=0)
        step = np.divide(squares, curvature, out=np.zeros_like(squares), where=open_)
        x = x + step * direction
        residual = residual - step * image
        new = (residual**2).sum(axis=0)
        turn = np.divide(new, squares, out=np.zeros_like(new), where=open_)
        direction = residual + turn * direction
        squares = new
    return x
