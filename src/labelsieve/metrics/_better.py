"""Which of several values of a measure is the best."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

SMALLER_IS_BETTER = frozenset(
    {"hamming_loss", "ranking_loss", "one_error", "coverage", "coverage_error"}
)


def best_place(values: ArrayLike, measure: str) -> int:
    """Return the place of the best of some values, the first of equals."""
    sign = 1 if measure in SMALLER_IS_BETTER else -1
    return int(np.argmin(np.round(sign * np.asarray(values), 12)))
