"""How many labels to predict: a threshold that is a linear function of the scores."""

from __future__ import annotations

import numpy as np

from labelsieve.classifiers._base import Flags, Floats

OUTSIDE = 0.1  # how far below the lowest or above the highest score a threshold is
# Scores of a ranking sum to a constant: singular values below this part of the
# largest are that dependence plus rounding.
INDEPENDENT = 1e-8


def fit_threshold(scores: Floats, Y: Flags) -> Floats:
    """Return coefficients of the scores, and last the constant, of the threshold."""
    design = np.hstack([scores, np.ones((len(scores), 1))])
    target = best_thresholds(scores, Y)
    coefficients, *_ = np.linalg.lstsq(design, target, rcond=INDEPENDENT)
    return np.asarray(coefficients, dtype=np.float64)


def thresholds(coefficients: Floats, scores: Floats) -> Floats:
    """Return the threshold of every row."""
    return scores @ coefficients[:-1] + coefficients[-1]


def best_thresholds(scores: Floats, Y: Flags) -> Floats:
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
