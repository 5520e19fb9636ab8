"""EMCFS: a binary classifier per label, on features chosen for that label."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from labelsieve.classifiers._base import Flags, Floats, MarginClassifier, Matrix
from labelsieve.classifiers._per_label import (
    fit_binary,
    for_each_label,
    score_each_label,
    signed_scores,
)
from labelsieve.selectors import EMCFSDensity


class EMCFS(MarginClassifier):
    """Ensemble multi-label classifier using feature selection.

    Each label chooses the features whose values lie densely enough among the rows with
    the label, and among those without it, and a binary classifier is trained on them.
    As printed, every feature is dense enough: this is then a linear SVM per label, and
    it is what gives the published values. ``mode="count"`` makes a choice.

    Parameters
    ----------
    estimator : scikit-learn classifier or None, default=None
        The binary classifier; None is ``LinearSVC()``.
    ratio : float, default=0.1
        The r that says how many features a label chooses, see `EMCFSDensity`.
    mode : {"threshold", "count"}, default="threshold"
        How r is read, see `EMCFSDensity`: as the threshold that the paper prints,
        which every feature passes, or as the share of the features to keep.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all. The result does not depend on it.

    Attributes
    ----------
    classes_ : array or list of arrays
        The labels 0, 1, ..., or the classes of a 1-D y; where labels are coded by
        other values than 0 and 1, the codes of each.
    label_support_ : array of shape (n_labels, n_features)
        Which features each label uses.
    estimators_ : list
        The classifier of each label; a number for a label that is absent from all
        training rows (negative) or present in all (positive).

    See Also
    --------
    labelsieve.selectors.EMCFSDensity : The selection alone.
    LIFT : Distances to clusters as features of each label.

    Notes
    -----
    A linear SVM wants features of similar size: scale them before, for example to
    [0, 1], as the density does for itself. On words the densest features are the
    rarest, and a few of them predict badly: with ``mode="count"`` the published values
    are missed by far.

    References
    ----------
    H. Liu, Z. Zheng, J. Zhao, R. Ye, "An ensemble method for high-dimensional
    multilabel data", Mathematical Problems in Engineering, 2013.

    Examples
    --------
    >>> from labelsieve.classifiers import EMCFS
    >>> X = Y = [[0, 1], [0, 0], [1, 1], [1, 0]] * 5
    >>> EMCFS().fit(X, Y).predict([[1, 1]])
    array([[1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"count", "threshold"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        ratio: float = 0.1,
        mode: Literal["count", "threshold"] = "threshold",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.ratio = ratio
        self.mode = mode
        self.n_jobs = n_jobs

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        self.label_support_ = self._select(X, Y)
        columns = _by_columns(X)

        def fit_label(label: int) -> BaseEstimator:
            chosen = _take(columns, self.label_support_[label])
            return fit_binary(self.estimator, chosen, Y[:, label])

        self.estimators_ = for_each_label(fit_label, Y, self.n_jobs)

    def _select(self, X: Matrix, Y: Flags) -> npt.NDArray[np.bool_]:
        if self.mode == "threshold":
            # A density is at least the number of rows, so every feature is above.
            return np.ones((Y.shape[1], X.shape[1]), dtype=bool)
        selector = EMCFSDensity(1, ratio=self.ratio, n_jobs=self.n_jobs)
        with warnings.catch_warnings():
            # Constant labels have been reported by `fit`.
            warnings.simplefilter("ignore", UserWarning)
            support = selector.fit(X, Y).label_support_
        # With one row on either side nothing is known of densities: use them all.
        support[~support.any(axis=1)] = True
        return support

    def _score_labels(self, X: Matrix) -> Floats:
        columns = _by_columns(X)

        def score_label(label: int) -> Floats:
            chosen = _take(columns, self.label_support_[label])
            return signed_scores(self.estimators_[label], chosen)

        return score_each_label(score_label, self.estimators_, X.shape[0], self.n_jobs)


def _by_columns(X: Matrix) -> Matrix:
    return X.tocsc() if sparse.issparse(X) else X


def _take(columns: Matrix, support: npt.NDArray[np.bool_]) -> Matrix:
    chosen = columns[:, np.flatnonzero(support)]
    return sparse.csr_matrix(chosen) if sparse.issparse(chosen) else chosen
