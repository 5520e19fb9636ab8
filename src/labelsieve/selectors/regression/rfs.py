"""RFS: robust regression of all labels with an L2,1 penalty (group lasso)."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import one_thread_inside, refuse_larger_than_memory
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, Matrix, Weights
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import WeightedRegressionSelector
from labelsieve.selectors._rows.scaled_rows import power_of_two
from labelsieve.selectors._terms import ONLY, ScoreTerms

# Ridge regressions end when no row of weights changes by more than this, relative to
# the largest, and sweeps over features when the duality gap is so small: weights are
# off by its square root.
CONVERGED, GAP = 1e-6, 1e-12
RIDGE_REGRESSIONS, SWEEPS = 50, 10_000
# Rows of weights and residuals shorter than this share of the longest count as this.
SHORTEST = 1e-10
# Deviations below this, of columns of about 1, are what rounding leaves of zero.
ROUNDING = 1e-14


class RFS(WeightedRegressionSelector):
    """Robust feature selection (RFS): a linear model with an L2,1 penalty.

    The coefficients W of standardised features (rows) for centred labels (columns)
    minimise

    .. math::

        \\|X W - Y\\|_{2,1} + \\gamma \\|W\\|_{2,1}

    where the L2,1 norm is the sum of the norms of the rows (group lasso). Features are
    ranked by the norms of their rows of W, most of which shrink to zero.

    Parameters
    ----------
    strength : float in (0, 1], default=0.1
        Gamma as a fraction of the smallest value that removes every feature.
    loss : {"robust", "squared"}, default="robust"
        ``"robust"`` sums the norms of the residuals, which limits the influence of
        outliers; ``"squared"`` half their squares: the multi-task lasso.
    max_iter : int or None, default=None
        The maximum number of ridge regressions, or of sweeps of coordinate descent with
        the squared loss. None means 50 and 10,000.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The norm of each feature's row of coefficients.
    n_iter_ : int
        The number of ridge regressions or sweeps.
    duality_gap_ : float
        Upper bound of the distance to the optimum, relative to the objective.

    See Also
    --------
    MDFS : Sparse regression with manifold regularisation.
    sklearn.linear_model.MultiTaskLasso : The model with the squared loss.

    Notes
    -----
    Features become dense. A ridge regression solves a linear system of size min(n, D)
    for n samples and D features. The squared loss is solved to a duality gap of some
    1e-12; with the robust loss 50 regressions leave a gap of some 1e-3, an upper bound.
    A larger `max_iter` lowers it.

    References
    ----------
    F. Nie, H. Huang, X. Cai, C. Ding: Efficient and robust feature selection via
    joint l2,1-norms minimization. NIPS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import RFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(RFS(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _slow_terms: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "strength": [Interval(Real, 0, 1, closed="right")],
        "loss": [StrOptions({"robust", "squared"})],
        "max_iter": [None, Interval(Integral, 1, None, closed="left")],
    }

    strength: float = 0.1
    loss: str = "robust"
    max_iter: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = self._weights(features, indicator)
        self.n_iter_, self.duality_gap_ = found.n_iter, found.gap
        return row_norms(found.weights)

    def _weights(self, features: Features, indicator: Matrix) -> RowWeights:
        labels, w = as_dense(indicator), features.weight
        Y = labels - np.average(labels, axis=0, weights=w)
        X = standardized_table(features.values, w)
        robust = self.loss == "robust"
        if w is not None and not robust:
            X, Y, w = (*(np.sqrt(w)[:, np.newaxis] * part for part in (X, Y)), None)
        with one_thread_inside():
            found = sparse_row_weights(X, Y, self.strength, robust, self.max_iter, w)
        return found._replace(weights=features.groups.lengths(found.weights))

    def _terms(self, explained: Explained) -> ScoreTerms:
        weights = self._weights(explained.numbers, explained.indicator).weights
        terms = {"norm of the coefficients": row_norms(weights)}
        return ScoreTerms(terms, ONLY, weights, LENGTH).at(explained.chosen)


def standardized_table(values: Matrix, weight: Weights | None = None) -> FloatArray:
    """The features as a dense table with mean 0 and variance 1, constant ones 0."""
    refuse_larger_than_memory(
        values.shape,
        "The table of standardised features",
        "Choose candidates first, for example with FIMF.",
        itemsize=8,
    )
    table = values.toarray() if sp.issparse(values) else np.array(values, order="C")
    # Powers of two cost no digits, and keep squares of any unit within range.
    table *= power_of_two(table)
    if weight is None:
        table -= table.mean(axis=0)
        deviation = table.std(axis=0)
    else:
        table -= np.average(table, axis=0, weights=weight)
        deviation = np.sqrt(np.average(table**2, axis=0, weights=weight))
        deviation[deviation < ROUNDING] = 0.0
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
    try:
        return np.linalg.solve(A, B).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:  # by rounding, where rows are fitted exactly
        return np.linalg.lstsq(A, B)[0].astype(np.float64, copy=False)


class RowWeights(NamedTuple):
    """Weights whose rows are mostly zero, and how good they are."""

    weights: FloatArray  # [D, L]
    n_iter: int  # ridge regressions, or sweeps over the features
    gap: float  # how much smaller the best objective may be, relative to theirs


def sparse_row_weights(
    X: FloatArray,
    Y: FloatArray,
    strength: float,
    robust: bool,
    max_iter: int | None,
    of_rows: Weights | None = None,
) -> RowWeights:
    """Minimise the loss of X W - Y plus gamma times the summed lengths of rows of W.

    The loss is the summed length of the rows of residuals if `robust`, else half the
    sum of their squares; gamma is `strength` times the least that makes W zero. Rows
    count once, or as `of_rows` says.
    """
    w = np.ones(len(X)) if of_rows is None else of_rows
    target = Y
    if robust:
        length = row_norms(Y)
        target = Y * (w / np.where(length > 0, length, 1.0))[:, np.newaxis]
    gamma = strength * float(row_norms(X.T @ target).max())
    if gamma == 0:
        return RowWeights(np.zeros((X.shape[1], Y.shape[1])), 1, 0.0)
    if robust:
        return _by_ridge_regressions(X, Y, gamma, max_iter or RIDGE_REGRESSIONS, w)
    return _by_sweeps(X, Y, gamma, max_iter or SWEEPS)


def _by_ridge_regressions(
    X: FloatArray, Y: FloatArray, gamma: float, max_iter: int, w: Weights
) -> RowWeights:
    """The robust loss: each regression is weighted by the solution before."""
    root = np.sqrt(w)[:, np.newaxis]
    weights = ridge_weights(root * X, root * Y, np.full(X.shape[1], gamma))
    n_iter, moved = 0, np.inf
    while n_iter < max_iter and moved > CONVERGED * row_norms(weights).max():
        n_iter += 1
        importance = w / safe_lengths(X @ weights - Y)
        penalty = gamma / safe_lengths(weights)
        root = np.sqrt(importance)[:, np.newaxis]
        new = ridge_weights(root * X, root * Y, penalty)
        moved = np.abs(row_norms(new) - row_norms(weights)).max()
        weights = new
    residual = Y - X @ weights
    lengths = gamma * row_norms(weights).sum()
    objective = float(w @ row_norms(residual) + lengths)
    dual = importance[:, np.newaxis] * residual
    longest = (row_norms(dual) / w).max()
    dual /= max(1.0, longest, row_norms(X.T @ dual).max() / gamma)
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


def safe_lengths(rows: FloatArray) -> FloatArray:
    """Lengths of rows, none so short that its inverse means nothing."""
    lengths = row_norms(rows)
    return np.maximum(lengths, max(SHORTEST * float(lengths.max()), 1e-150))


def row_norms(rows: FloatArray) -> FloatArray:
    """The length of each row."""
    return np.sqrt((rows**2).sum(axis=1))


LENGTH = "norm of the coefficients of the labels"
