"""One binary classifier per label: their scores, and labels that need none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.svm import LinearSVC

from labelsieve._plumbing.machine import one_thread_inside, run_in_threads
from labelsieve.classifiers._base import (
    Flags,
    Floats,
    Matrix,
    refuse_large,
    refuse_small,
)

# Score of a label that is absent from (minus) or present in (plus) all training
# rows: it is ranked behind or before all others.
CERTAIN = 1e6


def fit_binary(estimator: BaseEstimator | None, X: Matrix, y: Flags) -> BaseEstimator:
    """Fit a copy of the given classifier, or the linear SVM that is meant."""
    if estimator is None:
        refuse_large(X, power=4)  # liblinear would not come back
        refuse_small(X)
        # The state only orders liblinear's steps: a fixed one makes fits repeatable.
        estimator = LinearSVC(random_state=0)
    return clone(estimator).fit(X, y)


def for_each_label(
    fit_label: Callable[[int, Any], Any], Y: Flags, n_jobs: int | None
) -> list[Any]:
    """Return ``fit_label(label, rows)`` for labels that vary, else +-CERTAIN.

    `rows` are those where the label is known: all, or a mask.
    """

    def fit(label: int) -> Any:
        unknown = Y[:, label] == 2
        rows = ~unknown if unknown.any() else slice(None)
        present = Y[rows, label] == 1
        if present.all() or not present.any():
            return CERTAIN if present.any() else -CERTAIN
        return fit_label(label, rows)

    with one_thread_inside():
        return run_in_threads(fit, range(Y.shape[1]), n_jobs)


def score_each_label(
    score_label: Callable[[int], Floats],
    models: list[Any],
    n_rows: int,
    n_jobs: int | None,
) -> Floats:
    """Return the columns ``score_label(label)``, or the constant that a model is."""
    scores = np.empty((n_rows, len(models)))

    def score(label: int) -> None:
        model = models[label]
        constant = isinstance(model, float)
        scores[:, label] = model if constant else score_label(label)

    with one_thread_inside():
        run_in_threads(score, range(len(models)), n_jobs)
    return scores


def signed_scores(estimator: BaseEstimator, X: Matrix) -> Floats:
    """Return scores of a fitted binary classifier, positive for its second class."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, 1] - 0.5, dtype=np.float64)
    return np.asarray(estimator.predict(X) - 0.5, dtype=np.float64)
