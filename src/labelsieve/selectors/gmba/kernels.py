"""Compiled loops of GMBA: who is similar, who counts, and the descent.

similarity: float64[rows, label sets]; of one row float64[label sets]
codes: int64[n], the label set of every row
groups: int32[rows, n], SIMILAR, DIFFERENT or ITSELF; of one row int32[n]
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, Int32Array, IntArray
from labelsieve.neighbors.kernels import RAISED, insert_neighbor

SIMILAR, DIFFERENT, ITSELF = 0, 1, -1


@njit
def margin_coefficients(
    distances: FloatArray,
    similarity: FloatArray,
    codes: IntArray,
    groups: Int32Array,
    near: FloatArray,
    hits: IntArray,
    trade_off: float,
    tie: float,
    authors: bool,
) -> FloatArray:
    """Find c such that half the gradient of row i is w sum_j c_ij (x_i - x_j)^2.

    Returns the sum of the absolute coefficients of each row; it is 0 for rows that
    have not enough neighbours.

    distances: float64[rows, n], squared, overwritten by the coefficients
    near: float64[rows, 2, k], distances of nearest similar and different rows
    hits: int64[rows, 2, k], their indices, -1 where there is none
    """
    k = hits.shape[2]
    magnitude = np.zeros(distances.shape[0])
    for i in range(distances.shape[0]):
        row, near_hits, who = distances[i], near[i, SIMILAR], hits[i, SIMILAR]
        n_hits = np.sum(who >= 0)
        needed = k if authors else 1
        if n_hits < needed or (authors and hits[i, DIFFERENT, k - 1] < 0):
            row[:] = 0.0
            continue
        s_hits = similarity[i][codes[who[:n_hits]]]
        pulls = s_hits.copy()
        weights = np.full(n_hits, trade_off)
        if authors:
            # Their code looks the pull up by the hit's position in the list of
            # similar rows, and counts earlier hits again for later ones. In its
            # graph a row is not similar to itself.
            times = np.arange(n_hits, 0, -1)
            for h in range(n_hits):
                place = np.sum(groups[i, : who[h]] == SIMILAR)
                itself = groups[i, place] == ITSELF
                pulls[h] = 0.0 if itself else times[h] * similarity[i, codes[place]]
            weights *= times
        margin = 0.0
        if hits[i, DIFFERENT, 0] >= 0:
            margin = abs(near_hits[0] - near[i, DIFFERENT, 0])  # Eq. 10
        reach = margin + near_hits[:n_hits] - tie
        magnitude[i] = _push_row_away(
            row, similarity[i], codes, groups[i], reach, s_hits, weights, pulls
        )
        for h in range(n_hits):
            row[who[h]] = pulls[h]
            magnitude[i] += abs(pulls[h])
    return magnitude


@njit
def _push_row_away(
    row: FloatArray,
    similarity: FloatArray,
    codes: IntArray,
    groups: Int32Array,
    reach: FloatArray,
    s_hits: FloatArray,
    weights: FloatArray,
    pulls: FloatArray,
) -> float:
    """Second term of Eq. 13: different rows within reach of a hit are pushed away.

    row: float64[n], distances, overwritten by coefficients
    reach: float64[hits], ascending: different rows nearer than this count
    s_hits: float64[hits], similarity of each hit
    weights: float64[hits]
    pulls: float64[hits], increased by what each hit is pulled with
    """
    magnitude = 0.0
    farthest = reach[-1]
    for j in range(row.shape[0]):
        if groups[j] != DIFFERENT or row[j] >= farthest:
            row[j] = 0.0
            continue
        push = 0.0
        for h in range(reach.shape[0]):
            if row[j] < reach[h]:  # Eq. 15
                term = weights[h] * (s_hits[h] - similarity[codes[j]])  # Eq. 16
                push += term
                pulls[h] += term
        row[j] = -push
        magnitude += abs(push)
    return magnitude


@njit
def descend(
    slopes: FloatArray,
    weights: FloatArray,
    learning_rate: float,
    decaying: bool,
    n_updates: int,
) -> int:
    """Step (f) of the algorithm for one visited row after the other.

    slopes: float64[visits, D], half gradients divided by the weights
    weights: float64[D], changed in place
    """
    gradient = np.empty_like(weights)
    for visit in range(slopes.shape[0]):
        square = 0.0
        for d in range(weights.shape[0]):
            gradient[d] = weights[d] * slopes[visit, d]
            square += gradient[d] * gradient[d]
        if square == 0.0:
            continue
        n_updates += 1
        length = learning_rate / np.sqrt(square)
        if decaying:
            length /= np.sqrt(n_updates)
        for d in range(weights.shape[0]):
            weights[d] -= length * gradient[d]
    return n_updates


@njit
def nearest_of_row(
    distances: FloatArray, groups: Int32Array, near: FloatArray, hits: IntArray
) -> None:
    """The k nearest similar and different rows of one row, ties by index.

    distances: float64[1, n]
    near: float64[1, 2, k], overwritten
    hits: int64[1, 2, k], overwritten
    """
    near[:] = np.inf
    hits[:] = -1
    k = near.shape[2]
    for j in range(distances.shape[1]):
        group = groups[0, j]
        if group >= 0 and distances[0, j] * RAISED < near[0, group, k - 1]:
            insert_neighbor(near[0, group], hits[0, group], distances[0, j], j)
