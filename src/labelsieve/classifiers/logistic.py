"""Logistic regression per label, fast enough for hundreds of labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval

from labelsieve._plumbing.machine import run_in_threads
from labelsieve.classifiers._base import (
    Flags,
    Floats,
    Matrix,
    ProbabilisticClassifier,
    refuse_large,
)
from labelsieve.classifiers._per_label import CERTAIN


class BRLogistic(ProbabilisticClassifier):
    """Binary relevance with logistic regression.

    Every label has its own logistic regression with an L2 penalty. The penalty pulls
    the intercept to the log-odds of the label, not to 0: rare labels stay rare.

    Parameters
    ----------
    C : float, default=1.0
        The inverse of the penalty's strength: smaller means simpler.
    max_iter : int, default=50
        The largest number of Newton steps; a few are enough.
    tol : float, default=0.05
        It ends after a step that changes no log-odds of a training row by more.

    Attributes
    ----------
    coef_ : array of shape (n_labels, n_features)
        The weight of each feature for each label.
    intercept_ : array of shape (n_labels,)
        The log-odds of each label where all features are 0.
    n_iter_ : int
        How many steps the label took that took most.

    See Also
    --------
    MLNB : Naive Bayes per label.

    Notes
    -----
    Features should be of similar size: scale them before, for example to [0, 1]. A
    label that no training row has, or every one, is predicted so for every row.

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
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        C: float = 1.0,
        max_iter: int = 50,
        tol: float = 0.05,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        from labelsieve.classifiers._logistic_kernels import BATCH, fit_labels

        refuse_large(X)
        rows = sparse.csr_array(X)
        share = Y.mean(axis=0)
        certain = (share == 0) | (share == 1)
        odds = np.log(np.where(certain, 1.0, share / np.where(certain, 1.0, 1 - share)))
        prior = np.where(certain, np.where(share == 1, CERTAIN, -CERTAIN), odds)
        weights = np.zeros((Y.shape[1], X.shape[1] + 1))
        indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.uint32)
        C, tol, most = float(self.C), float(self.tol), int(self.max_iter)
        # Labels that are about as rare take about as many steps.
        by_share = np.argsort(share, kind="stable")
        uncertain = by_share[~certain[by_share]]

        def fit(first: int) -> int:
            labels = uncertain[first : first + BATCH]
            present = np.zeros((len(Y), BATCH), dtype=np.uint8)
            present[:, : labels.size] = Y[:, labels]
            active = (np.arange(BATCH) < labels.size).astype(np.uint8)
            priors, found = np.zeros(BATCH), np.zeros((X.shape[1] + 1, BATCH))
            priors[: labels.size] = prior[labels]
            of_labels = present, C, priors, tol, most, active, found
            n_steps = fit_labels(indptr, indices, rows.data, *of_labels)
            weights[labels] = found.T[: labels.size]
            return n_steps

        batches = range(0, uncertain.size, BATCH)
        steps = run_in_threads(fit, batches, self.n_jobs)
        self.n_iter_ = max([1, *steps])
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1] + prior

    def _score_labels(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.coef_.T) + self.intercept_
