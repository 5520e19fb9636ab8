"""Regression on targets of its own, which are smooth where rows are near."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import BoolArray, FloatArray, Matrix
from labelsieve.neighbors import nearest
from labelsieve.selectors.regression.solvers import (
    ridge_weights,
    row_norms,
    safe_lengths,
)

# Equations are solved until no residual is longer than this share of the right side.
SOLVED, MOST_STEPS = 1e-12, 1000
# Turns end when the objective changes by less than this share.
SETTLED = 1e-3


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
