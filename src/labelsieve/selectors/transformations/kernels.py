"""Compiled loops of forward selection by nearest-neighbour information."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.neighbors.kernels import insert_value

# Distances below this count as this: equal rows would have an infinite logarithm.
SMALLEST_SQUARE = 1e-20


@njit
def add_feature(column: FloatArray, first: int, distances: FloatArray) -> None:
    """Add the squared differences of one feature to the distances of a block.

    column: float64[n], the feature's values
    distances: float64[rows, n], added to; the rows begin with `first`
    """
    for i in range(distances.shape[0]):
        value = column[first + i]
        for j in range(distances.shape[1]):
            difference = value - column[j]
            distances[i, j] += difference * difference


@njit
def log_ratio_sums(
    columns: FloatArray,
    distances: FloatArray,
    first: int,
    starts: IntArray,
    class_of: IntArray,
    k: int,
    sums: FloatArray,
) -> None:
    """Sum log(eps_i / eps_i in its class) over a block, for each candidate feature.

    columns: float64[candidates, n]
    distances: float64[rows, n], squared, over the features chosen so far
    starts: int64[classes + 1], where the rows of each class begin
    class_of: int64[n], ascending
    sums: float64[candidates], overwritten
    """
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
    """The k-th smallest value, infinite if there are fewer.

    values: float64[any number]
    """
    smallest = np.full(k, np.inf)
    for value in values:
        if value < smallest[k - 1]:
            insert_value(smallest, value)
    return smallest[k - 1]
