"""Scores of labels from any scikit-learn classifier, in one form."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator


def label_scores(estimator: BaseEstimator, X: Any) -> npt.NDArray[np.float64]:
    """Return one score per row and label: larger means more relevant.

    Taken from the first of `label_scores`, `decision_function`, `predict_proba` and
    `predict` that the fitted estimator has. scikit-learn's lists of two-column
    probabilities become one column per label.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelsieve.classifiers import label_scores
    >>> X, Y = [[0.0], [1.0], [5.0]], [[1, 0], [1, 0], [0, 1]]
    >>> label_scores(KNeighborsClassifier(1).fit(X, Y), [[0.2]]).tolist()
    [[1.0, 0.0]]
    """
    for method in ("label_scores", "decision_function", "predict_proba"):
        if hasattr(estimator, method):
            scores = getattr(estimator, method)(X)
            if isinstance(scores, list):
                return _positive_columns(scores, estimator.classes_)
            return np.asarray(scores, dtype=np.float64)
    return np.asarray(estimator.predict(X), dtype=np.float64)


def _positive_columns(
    probabilities: list[npt.NDArray[np.float64]], classes: list[npt.NDArray[Any]]
) -> npt.NDArray[np.float64]:
    # A label that is constant in training has one class, which may be 0 or 1.
    return np.column_stack(
        [
            columns @ (np.asarray(values) == 1)
            for columns, values in zip(probabilities, classes, strict=True)
        ]
    )
