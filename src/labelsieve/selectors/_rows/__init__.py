"""What methods that compare rows share.

Anchors are rows, drawn at random, that stand for all others in sums over rows.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.random import sample_without_replacement

from labelsieve._utils.typing import IntArray

ANCHOR_CONSTRAINTS: dict[str, list[Any]] = {
    "n_anchors": [None, Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
}


def draw_anchors(n_rows: int, n_anchors: int | None, random_state: Any) -> IntArray:
    """Return the rows that are anchors, ascending: all where there are not so many.

    Nothing is drawn then, so that ``n_anchors=n_rows`` changes nothing.
    """
    if n_anchors is None or n_anchors >= n_rows:
        return np.arange(n_rows)
    drawn = sample_without_replacement(n_rows, n_anchors, random_state=random_state)
    return np.sort(drawn).astype(np.int64)
