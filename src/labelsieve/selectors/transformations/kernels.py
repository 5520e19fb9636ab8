"""Compiled loops of forward selection by nearest-neighbour information."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IntArray

# Distances below this count as this: equal rows would have an infinite logarithm.
SMALLEST_SQUARE = 1e-20


@njit
def add_feature(column: FloatArray, first: int, distances: FloatArray) -> None:
    """Add the squared differences of one feature to the distances of a block."""
    for i in range(distances.shape[0]):
        value = column[first + i]
        for j in range(distances.shape[1]):
            difference = value - column[j]
            distances[i, j] += difference * difference


@njit
def log_ratio_sums(
    columns: FloatArray,  # [candidates, n]
    distances: FloatArray,  # [rows, n] squared, over the features chosen so far
    first: int,
    starts: IntArray,  # [classes + 1] where the rows of each class begin
    class_of: IntArray,  # [n] ascending
    k: int,
    sums: FloatArray,  # [candidates], overwritten
) -> None:
    """Sum log(eps_i / eps_i in its class) over a block, for each candidate feature."""
    n = distances.shape[1]
    row = np.empty(n)
    for candidate in range(columns.shape[0]):
        column = columns[candidate]
        total = 0.0
        for i in range(distances.shape[0]):
            value = column[first + i]
            for j in range(n):
                difference = value - column[j]
                row[j] = distances[i, j] + difference * difference
            row[first + i] = np.inf
            own = class_of[first + i]
            inside = _kth_smallest(row[starts[own] : starts[own + 1]], k)
            everywhere = _kth_smallest(row, k)
            total += 0.5 * np.log(
                max(everywhere, SMALLEST_SQUARE) / max(inside, SMALLEST_SQUARE)
            )
        sums[candidate] = total


@njit
def _kth_smallest(values: FloatArray, k: int) -> float:
    smallest = np.full(k, np.inf)
    for value in values:
        if value < smallest[k - 1]:
            place = k - 1
            while place > 0 and smallest[place - 1] > value:
                smallest[place] = smallest[place - 1]
                place -= 1
            smallest[place] = value
    return smallest[k - 1]
