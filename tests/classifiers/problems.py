"""Small multi-label problems that the tests of classifiers share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


def discrete(seed=0, n=40, d=5, n_labels=3, n_values=3):
    """Codes, some of them zero, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n, d)).astype(float)
    noise = rng.random((n, n_labels)) < 0.2
    Y = ((X[:, :n_labels] > 0) ^ noise).astype(np.uint8)
    Y[0], Y[1] = 1, 0  # a row with all labels, one without, and no constant label
    return X, Y


def continuous(seed=0, n=40, d=5, n_labels=3, decimals=6):
    """Real numbers and labels that depend on them; few decimals make ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(decimals)
    Y = (X[:, :n_labels] + 0.5 * rng.normal(size=(n, n_labels)) > 0.3).astype(np.uint8)
    Y[0], Y[1] = 1, 0
    return X, Y


seeds = st.integers(0, 2**32 - 1)
