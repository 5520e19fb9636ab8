"""Rank-SVM: a large-margin ranking of relevant before irrelevant labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import ByteArray, FloatArray, Matrix
from labelsieve.classifiers._base import CERTAIN, MarginClassifier
from labelsieve.classifiers._rank_solvers import solve_dual, solve_linear

OUTSIDE = 0.1  # how far below the lowest or above the highest score a threshold is
# Scores of a ranking sum to a constant: singular values below this part of the
# largest are that dependence plus rounding.
INDEPENDENT = 1e-8


class RankSVM(MarginClassifier):
    """Ranking support vector machine for labels (Rank-SVM).

    The scores f_k(x) = <w_k, x> + b_k minimise 1/2 sum_k |w_k|^2 plus C times the sum
    over samples of the mean hinge loss of f_k - f_l, over the pairs of a relevant label
    k and an irrelevant label l. A threshold that is linear in the scores decides how
    many labels are predicted.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss: the inverse of the regularisation strength.
    degree : int, default=8
        The degree of the polynomial kernel (gamma <x, x'> + coef0)^degree.
    gamma, coef0 : float, default=1.0
        The other parameters of the kernel.
    solver : {"kernel", "linear"}, default="kernel"
        "kernel" solves the dual with the polynomial kernel; memory grows with the
        square of the number of samples. "linear" solves the primal without a kernel,
        for many samples, with smoothed hinges.
    max_iter : int, default=5000
        The maximum number of sweeps over the samples, or of steps of the linear solver.
    tol : float, default=0.01
        Stop when the relative duality gap is below this. The linear solver reaches
        0.001; less may need very many steps.
    n_jobs : int or None, default=None
        Number of threads of the linear solver; the result does not depend on it.

    Attributes
    ----------
    n_iter_ : int
        The number of sweeps or steps.
    duality_gap_ : float
        Upper bound of the distance to the optimum, relative to the objective.

    Notes
    -----
    The kernel solver scales samples to unit norm first, because the eighth power of
    long vectors is out of reach of any solver. Samples with all labels or none have no
    pairs; they enter the fit of the threshold only. A single label is ranked against
    its absence.

    References
    ----------
    A. Elisseeff, J. Weston, "A kernel method for multi-labelled classification",
    NIPS 2001.

    Examples
    --------
    >>> from labelsieve.classifiers import RankSVM
    >>> X, Y = [[0, 1], [1, 5], [5, 1], [1, 0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> RankSVM().fit(X, Y).predict([[1, 9]])
    array([[1, 0]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"kernel", "linear"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    C: float = 1.0
    degree: int = 8
    gamma: float = 1.0
    coef0: float = 1.0
    solver: Literal["kernel", "linear"] = "kernel"
    max_iter: int = 5000
    tol: float = 0.01
    n_jobs: int | None = None

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        share = Y.mean(axis=0)
        self._constant = np.where(share == 1, CERTAIN, -CERTAIN)
        self._varying = np.flatnonzero((share > 0) & (share < 1))
        ranked = np.ascontiguousarray(Y[:, self._varying])
        if self._varying.size == 1:
            ranked = np.hstack([1 - ranked, ranked])
        if self._varying.size:
            with one_thread_inside():
                self._fit_ranking(X, ranked)
            self._threshold = fit_threshold(self._outputs(X), ranked)

    def _fit_ranking(self, X: Matrix, Y: ByteArray) -> None:
        with_label = Y.sum(axis=1)
        rows = np.flatnonzero((with_label > 0) & (with_label < Y.shape[1]))
        if rows.size == 0:
            warn(
                "Every row has all labels or none of them: there is nothing to rank, "
                "and labels are ranked by their frequency."
            )
            rows = np.arange(1)
        ranked = np.ascontiguousarray(Y[rows])
        if self.solver == "linear":
            found = solve_linear(
                X[rows], ranked, self.C, self.max_iter, self.tol, self.n_jobs
            )
        else:
            self._rows = normalize(X[rows])
            found = solve_dual(
                self._kernel(self._rows), ranked, self.C, self.max_iter, self.tol
            )
        self._weights, self._bias = found.weights, found.bias
        self.n_iter_, self.duality_gap_ = found.n_iter, found.gap
        if not self._weights.any() and not self._bias.any():
            self._bias = Y.mean(axis=0)

    def _score_labels(self, X: Matrix) -> FloatArray:
        scores = np.tile(self._constant, (X.shape[0], 1))
        if self._varying.size == 1:
            outputs = self._outputs(X)
            scores[:, self._varying[0]] = outputs[:, 1] - outputs[:, 0]
        elif self._varying.size:
            outputs = self._outputs(X)
            limit = outputs @ self._threshold[:-1] + self._threshold[-1]
            scores[:, self._varying] = outputs - limit[:, None]
        return scores

    def _outputs(self, X: Matrix) -> FloatArray:
        if self.solver == "linear":
            return np.asarray(X @ self._weights) + self._bias
        return self._kernel(normalize(X)) @ self._weights + self._bias

    def _kernel(self, X: Matrix) -> FloatArray:
        return np.ascontiguousarray(
            polynomial_kernel(X, self._rows, self.degree, self.gamma, self.coef0)
        )


def fit_threshold(scores: FloatArray, Y: ByteArray) -> FloatArray:
    """Return coefficients of the scores, and last the constant, of the threshold."""
    design = np.hstack([scores, np.ones((len(scores), 1))])
    target = best_thresholds(scores, Y)
    coefficients, *_ = np.linalg.lstsq(design, target, rcond=INDEPENDENT)
    return np.asarray(coefficients, dtype=np.float64)


def best_thresholds(scores: FloatArray, Y: ByteArray) -> FloatArray:
    """Return for each row the lowest threshold that separates its labels best.

    Candidates are the midpoints between scores that follow each other, and one on
    either side; errors are labels at or below it, and absent ones at or above.
    """
    order = np.argsort(scores, axis=1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=1)
    has_label = np.take_along_axis(Y, order, axis=1).astype(np.int64)
    missed = np.cumsum(has_label, axis=1)
    false = np.cumsum((1 - has_label)[:, ::-1], axis=1)[:, ::-1]
    none = np.zeros((len(scores), 1), dtype=np.int64)
    errors = np.hstack([none, missed]) + np.hstack([false, none])
    # Between equal scores there is no room, and both sides would be wrong.
    errors[:, 1:-1][ascending[:, 1:] == ascending[:, :-1]] = Y.shape[1] + 1
    candidates = np.hstack(
        [
            ascending[:, :1] - OUTSIDE,
            (ascending[:, 1:] + ascending[:, :-1]) / 2,
            ascending[:, -1:] + OUTSIDE,
        ]
    )
    best = np.argmin(errors, axis=1)
    return candidates[np.arange(len(scores)), best]
