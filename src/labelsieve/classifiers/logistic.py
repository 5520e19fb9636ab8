"""Logistic regression per label (binary relevance), for hundreds of labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils._param_validation import Interval

from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import ByteArray, FloatArray, Matrix
from labelsieve.classifiers._base import CERTAIN, ProbabilisticClassifier, refuse_large

# Labels that are fitted side by side: memory grows with them.
BATCH = 16
# A step is found to this part of the gradient: the next one makes up for the rest.
INEXACT = 0.1
# Conjugate gradients take fewer directions than this but for rounding.
MOST_DIRECTIONS = 200
# A step must lower the loss by this part of what its slope promises; else half of it.
ARMIJO = 1e-4
MOST_HALVINGS = 30


class BRLogistic(ProbabilisticClassifier):
    """Binary relevance with logistic regression.

    Every label has its own logistic regression with an L2 penalty. The penalty shrinks
    the intercept towards the log-odds of the label, not towards 0: rare labels stay
    rare.

    Parameters
    ----------
    C : float, default=1.0
        The inverse of the regularisation strength.
    max_iter : int, default=50
        The maximum number of Newton steps; a few are enough.
    tol : float, default=0.05
        Stop after a step that changes no log-odds of a training sample by more.

    Attributes
    ----------
    coef_ : array of shape (n_labels, n_features)
        The coefficient of each feature for each label.
    intercept_ : array of shape (n_labels,)
        The log-odds of each label where all features are 0.
    n_iter_ : int
        The largest number of steps over all labels.

    See Also
    --------
    MLNB : Naive Bayes per label.

    Notes
    -----
    Features should have a similar scale: scale them first, for example to [0, 1]. A
    label that is constant in the training samples is predicted as that constant. One
    that is partly known is learned from the samples where it is known.

    References
    ----------
    C.-J. Lin, R. C. Weng, S. S. Keerthi: Trust region Newton method for large-scale
    logistic regression. Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> from labelsieve.classifiers import BRLogistic
    >>> X = Y = [[0, 1], [0, 0], [1, 1], [1, 0]] * 5
    >>> BRLogistic().fit(X, Y).predict([[1, 1]])
    array([[1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    C: float = 1.0
    max_iter: int = 50
    tol: float = 0.05
    n_jobs: int | None = None

    _skips_unknown: ClassVar[bool] = True

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        refuse_large(X)
        share = np.ma.array(Y, mask=Y == 2).mean(axis=0).filled(0.0)
        certain = (share == 0) | (share == 1)
        odds = np.log(np.where(certain, 1.0, share / np.where(certain, 1.0, 1 - share)))
        prior = np.where(certain, np.where(share == 1, CERTAIN, -CERTAIN), odds)
        weights = np.zeros((Y.shape[1], X.shape[1] + 1))
        ones = np.ones((X.shape[0], 1))
        if sparse.issparse(X):
            rows: Matrix = sparse.hstack([X, ones], format="csr")
        else:
            rows = np.hstack([X, ones])
        # Labels that are about as rare take about as many steps.
        by_share = np.argsort(share, kind="stable")
        uncertain = by_share[~certain[by_share]]

        def fit(labels: slice) -> int:
            batch = uncertain[labels]
            weights[batch], n_steps = _newton(
                rows, Y[:, batch], prior[batch], self.C, self.tol, self.max_iter
            )
            return n_steps

        with one_thread_inside():
            steps = run_in_threads(fit, slices_of(uncertain.size, BATCH), self.n_jobs)
        self.n_iter_ = max([1, *steps])
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1] + prior

    def _score_labels(self, X: Matrix) -> FloatArray:
        return np.asarray(X @ self.coef_.T) + self.intercept_


def _newton(
    X: Matrix, Y: ByteArray, priors: FloatArray, C: float, tol: float, max_iter: int
) -> tuple[FloatArray, int]:
    """Fit several labels side by side; returns [labels, features + 1] and the steps.

    Newton's method on |weights|^2 / 2 + C * (sum of log losses) for each label; X ends
    with ones, whose weight is the intercept beyond the prior. A label ends after a step
    that changes no log-odds by `tol`. Rows where a label is not known (2) weigh 0.
    """
    known = (Y < 2).astype(np.float64)
    squares = X.multiply(X).tocsr() if sparse.issparse(X) else X * X
    weights, odds = np.zeros((X.shape[1], Y.shape[1])), np.tile(priors, (len(Y), 1))
    going, n_steps = np.arange(Y.shape[1]), 0
    while going.size and n_steps < max_iter:
        n_steps += 1
        likely = expit(odds[:, going])
        weight = known[:, going]
        curve = C * likely * (1.0 - likely) * weight
        gradient = weights[:, going] + C * (X.T @ ((likely - Y[:, going]) * weight))
        step = _newton_step(X, curve, gradient, 1.0 + squares.T @ curve)
        change = weight * (X @ step)
        # Each label goes all the way along its step, or half of it, ...
        length, sign = np.ones(going.size), np.where(Y[:, going] == 1, -1.0, 1.0)
        before = odds[:, going]
        loss = np.logaddexp(0.0, sign * before).sum(axis=0)
        promised, size = (gradient * step).sum(axis=0), (step * step).sum(axis=0)
        along = (weights[:, going] * step).sum(axis=0)
        for _ in range(MOST_HALVINGS):
            ahead = sign * (before + length * change)
            after = np.logaddexp(0.0, ahead).sum(axis=0)
            gain = length * along + 0.5 * length**2 * size + C * (after - loss)
            too_far = gain > ARMIJO * length * promised
            if not too_far.any():
                break
            length[too_far] *= 0.5
        odds[:, going] += length * change
        weights[:, going] += length * step
        going = going[np.abs(length * change).max(axis=0) >= tol]
    return weights.T, n_steps


def _newton_step(
    X: Matrix, curve: FloatArray, gradient: FloatArray, diagonal: FloatArray
) -> FloatArray:
    """Solve (1 + X' curve X) step = -gradient for each label.

    Conjugate gradients, preconditioned by the diagonal of the matrix.
    """
    step, rest = np.zeros_like(gradient), -gradient
    direction = rest / diagonal
    product = (rest * direction).sum(axis=0)
    enough = INEXACT**2 * product
    for _ in range(min(MOST_DIRECTIONS, 2 * len(step))):
        going = product > enough
        if not going.any():
            break
        bent = direction + X.T @ (curve * (X @ direction))
        curvature = (direction * bent).sum(axis=0)
        length = np.where(going, product, 0.0) / np.where(going, curvature, 1.0)
        step += length * direction
        rest -= length * bent
        after = np.where(going, (rest * rest / diagonal).sum(axis=0), product)
        turn = after / np.where(going, product, 1.0)
        product = after
        direction = np.where(going, rest / diagonal + turn * direction, 0.0)
    return step
