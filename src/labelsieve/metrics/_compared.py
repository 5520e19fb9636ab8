"""Ties of values, the best of them, and the stability of feature subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from labelsieve._utils.estimators import check_count
from labelsieve._utils.typing import FloatArray

SMALLER_IS_BETTER = frozenset(
    {"hamming_loss", "ranking_loss", "one_error", "coverage", "coverage_error"}
)
# Values that differ by less than this, or by this share of the largest, are the same:
# what lies between them is rounding.
TIE_DIGITS = 12
TIE = 10.0**-TIE_DIGITS


def same(one: float, other: float) -> bool:
    """Whether two values are the same but for rounding."""
    return abs(one - other) <= TIE * max(1.0, abs(one), abs(other))


def tied(values: ArrayLike, largest: float | None = None) -> FloatArray:
    """Return the values, each replaced by the smallest of those that are the same.

    `largest` is the largest number that they were computed from, by default the
    largest of them: it says how coarse they are.
    """
    found = np.array(values, dtype=np.float64)
    order = np.argsort(found, kind="stable")
    ascending = found[order]
    if largest is None:
        largest = float(np.abs(found[np.isfinite(found)]).max(initial=0.0))
    steps = np.diff(ascending, prepend=-np.inf)
    first = ~(steps <= TIE * max(1.0, largest))
    found[order] = ascending[first][np.cumsum(first) - 1]
    return found


def best_place(values: ArrayLike, *, smaller_is_better: bool) -> int:
    """Return the place of the best of some values, the first of those that tie."""
    sign = 1.0 if smaller_is_better else -1.0
    return int(np.argmin(tied(sign * np.asarray(values, dtype=np.float64))))


@dataclass(frozen=True)
class Stability:
    """Nogueira's stability index with its asymptotic 95 % confidence interval."""

    value: float
    low: float
    high: float


def stability(selections: Sequence[ArrayLike], n_features: int) -> Stability:
    """Return the stability of feature subsets across splits (Nogueira et al. 2018).

    1 means identical subsets, 0 is the expected value of random subsets of the same
    sizes.

    Parameters
    ----------
    selections : sequence of arrays of int
        The selected feature indices of each split; the sizes may differ.
    n_features : int
        The number of all features.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown: On the stability of feature selection
    algorithms. Journal of Machine Learning Research 18(174), 2018.

    Examples
    --------
    >>> from labelsieve.experiments import stability
    >>> stability([[0, 1], [0, 1], [0, 2]], n_features=10).value
    0.58...
    """
    check_count(n_features, "n_features")
    if len(selections) < 2:
        raise ValueError(
            f"stability needs at least 2 selections, got {len(selections)}."
        )
    chosen = np.zeros((len(selections), int(n_features)))
    for row, selection in zip(chosen, selections, strict=True):
        row[_checked(selection, row.size)] = 1.0
    n_splits, frequency = len(chosen), chosen.mean(axis=0)
    share = float(chosen.mean())
    by_chance = share * (1 - share)
    if by_chance == 0:  # nothing or everything was chosen, every time
        return Stability(1.0, 1.0, 1.0)
    variance = n_splits / (n_splits - 1) * (frequency * (1 - frequency)).mean()
    value = 1.0 - float(variance) / by_chance  # Eq. 4
    # Theorem 7: each selection's part in the index gives its variance.
    shares = chosen.mean(axis=1)
    parts = (
        (chosen * frequency).mean(axis=1)
        - shares * share
        + value / 2 * (2 * share * shares - shares - share + 1)
    ) / by_chance
    spread = 4.0 / n_splits**2 * float(((parts - parts.mean()) ** 2).sum())
    half = float(norm.ppf(0.975)) * float(np.sqrt(spread))
    return Stability(value, value - half, min(value + half, 1.0))


def _checked(selection: ArrayLike, n_features: int) -> NDArray[np.int64]:
    """The selection as indices of features."""
    indices = np.asarray(selection)
    if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
        raise ValueError(
            f"a selection must be a list of feature indices, got {selection!r}."
        )
    if indices.size and not 0 <= indices.min() <= indices.max() < n_features:
        raise ValueError(
            f"feature indices must be between 0 and {n_features - 1}, got "
            f"{indices.min()} to {indices.max()}."
        )
    return indices.astype(np.int64)
