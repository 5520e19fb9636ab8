"""Effects that are not monotone: numbers whose squared score counts as well."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import fdtrc

from labelsieve._plumbing.typing import BoolArray
from labelsieve.selectors.sieve.residuals import TOLERANCE, Targets
from labelsieve.selectors.sieve.significance import skewed_tail, skewness

# How likely any of many numbers with a monotone effect gets a square, about.
ERROR_RATE = 0.005


def find_squares(engine: Any, n_features: int) -> BoolArray:
    """Which numbers have a square that is significant beyond the score, for some label.

    All numbers of the engine have squares; `n_features` is among how many features
    these are sought.
    """
    X, targets, n = engine.X, Targets(engine.Y), engine.n_samples
    first = X.start[:-1][X.is_score]
    columns = np.column_stack([first, first + 1])
    totals = X.totals[columns].astype(np.float64)
    C = targets.centred(engine.joint()[columns.ravel()], X.totals[columns.ravel()], n)
    C = C.reshape(len(columns), 2, -1)
    V = engine.within(columns) - totals[:, :, np.newaxis] * totals[:, np.newaxis] / n
    slope = V[:, 0, 1] / V[:, 0, 0]
    left = V[:, 1, 1] - slope * V[:, 0, 1]
    counts = left > TOLERANCE * V[:, 1, 1]
    N, share = (
        targets.n_known[targets.label],
        targets.n_y / targets.n_known[targets.label],
    )
    whole = n * (share - share * share)
    of_score = C[:, 0] ** 2 / V[:, 0, 0, np.newaxis] / whole
    beyond = C[:, 1] - slope[:, np.newaxis] * C[:, 0]
    of_square = beyond**2 / np.where(counts, left, np.inf)[:, np.newaxis] / whole
    free = np.maximum(N - 3, 1)
    rest = np.maximum(1.0 - of_score - of_square, 1e-12)
    limit = ERROR_RATE / (n_features * engine.Y.n_blocks)
    p = fdtrc(1, free, of_square / rest * free)
    (some,) = np.nonzero((p <= limit).any(axis=1))
    moments = np.stack([engine.powers(k)[columns[some, 1]] / n for k in (1, 2, 3)])
    found = np.zeros(len(columns), dtype=bool)
    heavy = skewed_tail(p[some], skewness(moments)[:, np.newaxis], targets.n_y, N)
    found[some] = (heavy <= limit).any(axis=1)
    return found
