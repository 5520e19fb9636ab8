"""EMCFS: a binary classifier per label, on label-specific features."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from labelsieve._utils.estimators import as_accepted
from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.typing import BoolArray, ByteArray, FloatArray, Matrix
from labelsieve.classifiers._base import (
    LabelClassifier,
    MarginClassifier,
    fit_binary,
    for_each_label,
    score_each_label,
    signed_scores,
)
from labelsieve.selectors import (
    EMCFSDensity,
    LabelFeatures,
    LabelSelector,
    LabelSpecificSelector,
    check_selector,
    names_of_labels,
)


class EMCFS(LabelFeatures, MarginClassifier):
    """Ensemble multi-label classifier using feature selection.

    Each label selects features of its own (label-specific features), and a binary
    classifier is trained on them. Both parts are exchangeable. The defaults are those
    of the paper: features of sufficient density among the positive or negative samples,
    and a linear SVM. As printed, every feature is dense enough: the default is then a
    linear SVM per label, which gives the published values. ``mode="count"`` selects.

    Parameters
    ----------
    selector : selector of this library or None, default=None
        Selects the features of each label, fitted to that label alone, such as
        ``Sieve("auto")``; or a selector of label-specific features, such as
        ``LabelSpecificSelector()``. None means the densities of the paper.
    classifier : scikit-learn classifier or None, default=None
        The binary classifier; None is ``LinearSVC()``.
    ratio : float, default=0.1
        The r that determines how many features a label selects; see `EMCFSDensity`.
    mode : {"threshold", "count"}, default="threshold"
        How r is read; see `EMCFSDensity`: as the threshold that the paper prints, which
        every feature passes, or as a number of features.

    Attributes
    ----------
    label_support_ : array of shape (n_labels, n_features)
        Which features each label uses; see also `label_features`,
        `label_feature_names`, `transform_label` and `explain_label`.
    label_names_ : array of shape (n_labels,)
        The names of the labels, or their numbers.
    estimators_ : list
        The classifier of each label; a number for a constant label, negative where no
        training sample has it, positive where all have it.

    See Also
    --------
    labelsieve.EMCFSDensity : The selector alone.
    labelsieve.LabelSpecificSelector : Features for all labels, and more for each.
    LIFT : Distances to clusters as label-specific features.

    Notes
    -----
    A linear SVM needs features of similar scale: scale them first, for example to
    [0, 1]. On sparse text the densest features are the rarest, which predict badly:
    with ``mode="count"`` the published values are missed by far.

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
        "selector": [object, None],  # `fit` says more clearly what is wrong
        "classifier": [HasMethods(["fit", "predict"]), None],
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"count", "threshold"})],
    }

    selector: LabelSelector | None = None
    classifier: BaseEstimator | None = None
    ratio: float = 0.1
    mode: Literal["count", "threshold"] = "threshold"
    n_jobs: int | None = None

    _skips_unknown: ClassVar[bool] = True

    def _fit(self, X: Any, y: Any) -> LabelClassifier:
        if self.selector is not None:
            check_selector(self.selector, "EMCFS", takes_groups=False)
        super()._fit(X, y)
        self.label_names_ = names_of_labels(y, self._target.n_columns)
        return self

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        self.label_support_ = self._select(X, Y)

        def fit_label(label: int, rows: Any) -> BaseEstimator:
            chosen = self._features_of(label, X)
            return fit_binary(self.classifier, chosen[rows], Y[rows, label])

        self.estimators_ = for_each_label(fit_label, Y, self.n_jobs)

    def _select(self, X: Matrix, Y: ByteArray) -> BoolArray:
        if self.selector is None and self.mode == "threshold":
            # A density is at least the number of rows, so every feature is above.
            return np.ones((Y.shape[1], X.shape[1]), dtype=bool)
        selector = self._selector_of_labels()
        with warnings.catch_warnings():
            # Constant labels have been reported by `fit`.
            warnings.simplefilter("ignore", UserWarning)
            some_unknown = (Y == 2).any()
            if isinstance(selector, LabelSpecificSelector):
                known = np.where(Y == 2, np.nan, Y) if some_unknown else Y
                support = selector.fit(X, known).label_support_
            elif isinstance(selector, EMCFSDensity) and not some_unknown:
                support = selector.fit(X, Y).label_support_
            else:
                support = self._select_one_by_one(selector, X, Y)
        # Of a label that is constant, or with one row on either side, nothing is
        # known: use them all.
        support[~support.any(axis=1)] = True
        return support

    def _select_one_by_one(
        self, selector: LabelSelector, X: Matrix, Y: ByteArray
    ) -> BoolArray:
        support = np.zeros((Y.shape[1], X.shape[1]), dtype=bool)

        def choose(label: int) -> None:
            rows = Y[:, label] < 2  # where it is known
            if 0 < Y[rows, label].sum() < rows.sum():
                fitted = clone(selector).fit(X[rows], Y[rows, label])
                support[label] = getattr(fitted, "label_support_", fitted.support_)

        run_in_threads(choose, range(Y.shape[1]), self.n_jobs)
        return support

    def _selector_of_labels(self) -> LabelSelector:
        if self.selector is not None:
            return clone(self.selector)
        return EMCFSDensity(1, ratio=self.ratio, n_jobs=self.n_jobs)

    def _features_of(self, label: int, X: Matrix) -> Matrix:
        chosen = X[:, self.label_support_[label]]
        given = self.classifier
        return chosen if given is None else as_accepted(chosen, given)

    def _score_labels(self, X: Matrix) -> FloatArray:
        def score_label(label: int) -> FloatArray:
            chosen = self._features_of(label, X)
            return signed_scores(self.estimators_[label], chosen)

        return score_each_label(score_label, self.estimators_, X.shape[0], self.n_jobs)
