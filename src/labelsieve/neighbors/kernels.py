"""Compiled insertion into a short sorted list, for kernels that search neighbours."""

from __future__ import annotations

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.neighbors.search import TIE

# A later row must be nearer than an earlier one by more than rounding.
RAISED = 1.0 + TIE


@njit
def insert_neighbor(
    distances: FloatArray, indices: IntArray, distance: float, index: int
) -> None:
    """Put a row among the nearest so far, after those as near; the last falls off.

    Those within rounding are as near: callers have seen that the last is not.

    distances: float64[k], ascending, changed
    indices: int64[k], changed
    """
    place = distances.shape[0] - 1
    while place > 0 and distances[place - 1] > distance * RAISED:
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = index
