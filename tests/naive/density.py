"""EMCFS densities by adding up every pair of rows."""

from __future__ import annotations

import numpy as np


def inverse(distance):
    return 1 / (1 + distance)


def density(values, similarity=inverse):
    """Eq. 3: similarities of all ordered pairs over rows times the smallest."""
    pairs = [similarity(abs(a - b)) for a in values for b in values]
    return sum(pairs) / (len(values) * min(pairs)) if pairs else 0.0


def densities(X, Y, similarity=inverse):
    """Positive and negative densities, one line per label."""
    span = X.max(axis=0) - X.min(axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0, span, 1)
    both = []
    for side in (1, 0):
        both.append(
            np.array(
                [
                    [density(column[label == side], similarity) for column in X.T]
                    for label in np.asarray(Y).T
                ]
            )
        )
    return both
