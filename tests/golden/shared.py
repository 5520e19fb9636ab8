"""What the golden values of several data sets have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.naive import discretization
from tests.naive import information as info


def codes(X: Any, binning: str) -> Any:
    """Features as two codes."""
    return np.stack([discretization.code_column(x, 2, binning) for x in X.T], axis=1)


def ranking(scores: Any) -> list[int]:
    """Best first; scores within rounding tie, and the smaller index wins."""
    return sorted(range(len(scores)), key=lambda f: (-round(float(scores[f]), 12), f))


def promising(Y: Any, q: int) -> list[int]:
    """The labels of largest entropy."""
    return ranking([info.entropy(y) for y in Y.T])[:q]


def without_features(Y: Any, q: int) -> Any:
    """The part of FIMF's score that is the same for all features."""
    chosen = Y[:, promising(Y, q)]
    repeated = info.information_matrix(chosen)
    return sum(info.entropy(y) for y in Y.T) - np.triu(repeated, 1).sum()
