"""Which of several values is the best, and when two of them are the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from labelsieve._plumbing.typing import FloatArray

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
    """Return the values so that those that are the same are equal.

    Parameters
    ----------
    values : array of shape (n,)
        In any order; each becomes the smallest of those that are the same.
    largest : float, optional
        The largest number that the values were computed from, by default the largest
        of them: it says how coarse they are.
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
