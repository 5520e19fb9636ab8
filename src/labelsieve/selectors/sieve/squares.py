"""Effects that are not monotone: numbers whose squared score counts as well."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import fdtrc

from labelsieve._utils.typing import BoolArray
from labelsieve.selectors.sieve.residuals import Residuals, eliminate, skewness
from labelsieve.selectors.sieve.significance import skewed_tail

# How likely any of many numbers with a monotone effect gets a square, about.
ERROR_RATE = 0.005


def find_squares(engine: Any, n_features: int) -> BoolArray:
    """Which numbers have a square that explains more of some label than the score.

    Beyond the score, and significantly among `n_features`; the engine has all squares.
    """
    X, residuals, n = engine.X, Residuals(engine), engine.n_samples
    targets, limit = residuals.targets, ERROR_RATE / (n_features * engine.Y.n_blocks)
    C, N = targets.centred(engine.joint(), X.totals), targets.n_known[targets.label]
    found, free = np.zeros(X.n_blocks, dtype=bool), np.maximum(N - 3, 1)
    for features, columns, entries in residuals.blocks:
        some = X.is_score[features]
        if not some.any():
            continue
        columns, features = columns[some, :2], features[some]
        V = residuals.V[entries[some, :2, :2]]
        (score, _), (square, _) = eliminate(C[columns], V, residuals.tolerance[columns])
        rest = np.maximum(residuals.whole - score - square, 1e-12 * residuals.whole)
        p = np.where(square > score, fdtrc(1, free, square / rest * free), 1.0)
        (some,) = np.nonzero((p <= limit).any(axis=1))
        if not some.size:
            continue
        moments = np.stack([engine.powers(k)[columns[some, 1]] / n for k in (1, 2, 3)])
        skewnesses = skewness(moments)[:, np.newaxis] * targets.skewness
        heavy = skewed_tail(p[some], skewnesses, N)
        found[features[some]] = (heavy <= limit).any(axis=1)
    return found[X.is_score]
