"""LIFT: label-specific features from distances to the clusters of each label."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval

from labelsieve._utils.typing import ByteArray, FloatArray, Matrix
from labelsieve.classifiers._base import (
    MarginClassifier,
    fit_binary,
    for_each_label,
    score_each_label,
    signed_scores,
)


class LIFT(MarginClassifier):
    """Multi-label learning with label-specific features (LIFT).

    For each label, k-means clusters its positive and its negative samples separately. A
    binary classifier is trained on the distances to all centres.

    Parameters
    ----------
    ratio : float, default=0.1
        The r of m = ceil(r min(|P|, |N|)), the number of clusters of the positive and
        of the negative samples.
    estimator : scikit-learn classifier or None, default=None
        The binary classifier; None is ``LinearSVC()``.
    random_state : int, RandomState or None, default=None
        The seed of k-means.

    Attributes
    ----------
    models_ : list
        The centres and the classifier of each label; a number for a constant label,
        negative where no training sample has it, positive where all have it.

    See Also
    --------
    EMCFS : Selected features for each label.

    References
    ----------
    M.-L. Zhang, "LIFT: multi-label learning with label-specific features", IJCAI 2011.

    Examples
    --------
    >>> from labelsieve.classifiers import LIFT
    >>> X, Y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [[1, 0]] * 3 + [[0, 1]] * 3
    >>> LIFT(random_state=0).fit(X, Y).predict([[0.3], [4.9]])
    array([[1, 0],
           [0, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "estimator": [HasMethods(["fit", "predict"]), None],
    }

    ratio: float = 0.1
    estimator: BaseEstimator | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    _skips_unknown: ClassVar[bool] = True

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        state = check_random_state(self.random_state)
        # One seed per label, so that the result does not depend on threads.
        seeds = state.randint(np.iinfo(np.int32).max, size=Y.shape[1])

        def fit_label(label: int, rows: Any) -> tuple[FloatArray, BaseEstimator]:
            known, y = X[rows], Y[rows, label]
            sides = known[y == 1], known[y == 0]
            # 0.1 times 30 is a little more than 3.
            smaller = min(side.shape[0] for side in sides)
            n_clusters = max(1, int(np.ceil(self.ratio * smaller - 1e-9)))
            means = KMeans(n_clusters, n_init=1, random_state=int(seeds[label]))
            centres = np.vstack([means.fit(side).cluster_centers_ for side in sides])
            distances = euclidean_distances(known, centres)
            return centres, fit_binary(self.estimator, distances, y)

        with warnings.catch_warnings():
            # Equal rows may make fewer clusters than asked for: then centres repeat.
            warnings.filterwarnings(
                "ignore", "Number of distinct clusters", ConvergenceWarning
            )
            self.models_ = for_each_label(fit_label, Y, self.n_jobs)

    def _score_labels(self, X: Matrix) -> FloatArray:
        def score_label(label: int) -> FloatArray:
            centres, classifier = self.models_[label]
            return signed_scores(classifier, euclidean_distances(X, centres))

        return score_each_label(score_label, self.models_, X.shape[0], self.n_jobs)
