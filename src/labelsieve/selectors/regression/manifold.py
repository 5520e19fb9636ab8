"""MDFS and MIFS: sparse regression with manifold regularisation."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg
from sklearn.utils._param_validation import Interval

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import BoolArray, FloatArray, Matrix
from labelsieve.neighbors import nearest
from labelsieve.reading import Features, Groups
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import RegressionSelector
from labelsieve.selectors._terms import ONLY, ScoreTerms
from labelsieve.selectors.regression.rfs import (
    LENGTH,
    ridge_weights,
    row_norms,
    safe_lengths,
    standardized_table,
)

# Equations are solved until no residual is longer than this share of the right side.
SOLVED, MOST_STEPS = 1e-12, 1000
# Turns end when the objective changes by less than this share.
SETTLED = 1e-3


class Turns(NamedTuple):
    """What taking turns found: weights of features, and the objective after each."""

    weights: FloatArray
    objectives: list[float]


class TurnsSelector(RegressionSelector):
    """Ranks features by weights that are found in turns with what they predict.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The norm of each feature's row of coefficients.
    n_iter_ : int
        The number of iterations.
    """

    _of_labels: ClassVar[bool] = False  # whether weights are those of labels
    _slow_terms: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _turns(self, features: Features, indicator: Matrix) -> Turns:
        raise NotImplementedError

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = self._turns(features, indicator)
        self.n_iter_ = len(found.objectives)
        return row_norms(found.weights)

    def _terms(self, explained: Explained) -> ScoreTerms:
        weights = self._turns(explained.numbers, explained.indicator).weights
        terms = {"norm of the coefficients": row_norms(weights)}
        per_label = (weights, LENGTH) if self._of_labels else ()
        return ScoreTerms(terms, ONLY, *per_label).at(explained.chosen)


class MDFS(TurnsSelector):
    """Manifold regularised discriminative feature selection (MDFS).

    A linear model W predicts an embedding F of the samples, one column per label, that
    is close to the labels Y (1 and -1) and smooth over the graphs of neighbouring
    samples and of similar labels. Alternating updates minimise

    .. math::

        \\operatorname{tr}(F^T L F) + \\alpha \\|H X W - H F\\|^2
        + \\alpha \\|F - Y\\|^2 + \\beta \\operatorname{tr}(F L_0 F^T)
        + \\gamma \\|W\\|_{2,1}

    with the Laplacians L and L0 of the nearest-neighbour graphs of samples and labels
    and the centring matrix H. Features are ranked by the norms of their rows of W.

    Parameters
    ----------
    alpha, beta, gamma : float, default=1.0, 1.0, 100.0
        Weights of the labels, of the label graph and of the sparsity; the defaults are
        those of the authors' program.
    n_neighbors : int, default=20
        Neighbours per sample, and per label, in the graphs.
    max_iter : int, default=50
        The maximum number of iterations.

    See Also
    --------
    MIFS : The same with latent factors of the labels.
    RFS : Sparse regression without a graph.

    Notes
    -----
    Features become dense and are standardised. The authors' program starts from random
    weights; here a ridge regression of the labels is the start.

    References
    ----------
    J. Zhang, Z. Luo, C. Li, C. Zhou, S. Li: Manifold regularized discriminative
    feature selection for multi-label learning. Pattern Recognition 95, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MDFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MDFS(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _of_labels: ClassVar[bool] = True

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 100.0
    n_neighbors: int = 20
    max_iter: int = 50

    def _turns(self, features: Features, indicator: Matrix) -> Turns:
        X = standardized_table(features.values)
        Y, varies = varying_labels(indicator)
        Y = 2.0 * Y - 1.0
        if not Y.shape[1]:
            return Turns(np.zeros((features.constant.size, varies.size)), [0.0])
        with one_thread_inside():
            rows = laplacian(balanced(X, features.groups), self.n_neighbors)
            labels = np.zeros((1, 1))
            if Y.shape[1] > 1:
                labels = laplacian(Y.T.copy(), self.n_neighbors).toarray()
            values, vectors = np.linalg.eigh(labels)

            def target_given(predicted: FloatArray) -> tuple[FloatArray, float]:
                # In the basis of the labels' graph each column is solved alone.
                right = self.alpha * (predicted + Y) @ vectors
                shifts = self.alpha + self.beta * values
                F = solve_smooth(rows, self.alpha, shifts, right) @ vectors.T
                smooth = (F * (rows @ F)).sum() + self.beta * (F * (F @ labels)).sum()
                others = smooth / self.alpha + ((F - Y) ** 2).sum()
                return F - F.mean(axis=0), float(others)

            gamma = self.gamma / self.alpha
            start = Y - Y.mean(axis=0)
            found = take_turns(X, start, gamma, self.max_iter, target_given)
        weights = np.zeros((features.constant.size, varies.size))
        weights[:, varies] = features.groups.lengths(found.weights)
        return found._replace(weights=weights)


class MIFS(TurnsSelector):
    """Multi-label informed feature selection (MIFS).

    The labels Y are factorised into a few latent factors V with loadings B. A sparse
    linear model W predicts the factors, which are smooth over the graph of neighbouring
    samples. Alternating updates minimise

    .. math::

        \\|X W - V\\|^2 + \\alpha \\|Y - V B\\|^2
        + \\beta \\operatorname{tr}(V^T L V) + \\gamma \\|W\\|_{2,1}

    with the Laplacian L of the nearest-neighbour graph. Features are ranked by the
    norms of their rows of W.

    Parameters
    ----------
    alpha, beta, gamma : float, default=1.0
        Weights of the label fit, of the graph and of the sparsity.
    n_factors : int or None, default=None
        The number of latent factors; None means half the number of labels.
    n_neighbors : int, default=5
        Neighbours per sample in the graph.
    max_iter : int, default=20
        The maximum number of iterations.

    See Also
    --------
    MDFS : The same with an embedding of all labels.
    RFS : Sparse regression without a graph.

    Notes
    -----
    Features become dense and are standardised, labels are centred. The paper takes
    gradient steps from random matrices; here each of the three matrices is updated
    exactly, from the singular vectors of the labels. The objective has no minimum:
    shrinking V while B grows always lowers it. The result depends on the start and on
    the stopping rule, a relative change below 0.1 %.

    References
    ----------
    L. Jian, J. Li, K. Shu, H. Liu: Multi-label informed feature selection. IJCAI
    2016.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MIFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MIFS(2, n_factors=2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_factors": [None, Interval(Integral, 1, None, closed="left")],
    }

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    n_factors: int | None = None
    n_neighbors: int = 5
    max_iter: int = 20

    def _turns(self, features: Features, indicator: Matrix) -> Turns:
        X = standardized_table(features.values)
        Y, _ = varying_labels(indicator)
        Y -= Y.mean(axis=0)
        if not Y.shape[1]:
            return Turns(np.zeros((features.constant.size, 0)), [0.0])
        n_factors = min(self.n_factors or -(-Y.shape[1] // 2), *Y.shape)
        with one_thread_inside():
            rows = balanced(X, features.groups)
            graph = self.beta * laplacian(rows, self.n_neighbors, heat=True)
            # The columns that make Y best, by weights of length 1; signs are settled.
            leading = np.linalg.eigh(Y.T @ Y)[1][:, ::-1][:, :n_factors]
            largest = np.abs(leading).argmax(axis=0)
            V = Y @ (leading * np.sign(leading[largest, np.arange(n_factors)]))

            def target_given(predicted: FloatArray) -> tuple[FloatArray, float]:
                nonlocal V
                B = np.linalg.pinv(V) @ Y
                values, vectors = np.linalg.eigh(B @ B.T)
                right = (predicted + self.alpha * Y @ B.T) @ vectors
                shifts = 1.0 + self.alpha * np.maximum(values, 0.0)
                V = solve_smooth(graph, 0.0, shifts, right) @ vectors.T
                apart = self.alpha * ((Y - V @ B) ** 2).sum()
                return V, float(apart + (V * (graph @ V)).sum())

            found = take_turns(X, V, self.gamma, self.max_iter, target_given)
        return found._replace(weights=features.groups.lengths(found.weights))


def balanced(table: FloatArray, groups: Groups) -> FloatArray:
    """A table in which a feature of several columns counts as one, for distances."""
    if not groups.several:
        return table
    return table / np.sqrt(groups.spread(groups.sizes))


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

    H centres columns, and L 1 = 0: on means only the shift acts, and on what is left
    the graph with a larger diagonal.
    """
    mean, diagonal = right.mean(axis=0), shifts + centring
    rest = right - mean
    found = np.empty_like(right)
    for j, more in enumerate(diagonal):
        matrix = graph + more * sp.identity(len(right), format="csr")
        x0 = rest[:, j] / more
        found[:, j], _ = cg(matrix, rest[:, j], x0, rtol=SOLVED, maxiter=MOST_STEPS)
    return found + mean / shifts
