"""Compiled loops of GMBA: who is similar, who counts, and the descent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IntArray

SIMILAR, DIFFERENT, ITSELF = 0, 1, -1


@njit
def split_by_similarity(
    similarity: FloatArray,  # [rows, label sets]
    codes: IntArray,  # [n] label set of every row
    own: IntArray,  # [rows] index of each row among the n
    threshold: float,
    groups: NDArray[np.int32],  # [rows, n], overwritten
) -> None:
    """Eqs. 6 and 7: who is similar to each row, who is not."""
    for i in range(groups.shape[0]):
        for j in range(codes.shape[0]):
            alike = similarity[i, codes[j]] >= threshold
            groups[i, j] = SIMILAR if alike else DIFFERENT
        groups[i, own[i]] = ITSELF


@njit
def margin_coefficients(
    distances: FloatArray,  # [rows, n] squared, overwritten by the coefficients
    similarity: FloatArray,  # [rows, label sets]
    codes: IntArray,
    groups: NDArray[np.int32],
    near: FloatArray,  # [rows, 2, k] distances of nearest similar and different rows
    hits: IntArray,  # [rows, 2, k] their indices, -1 where there is none
    trade_off: float,
    tie: float,
    authors: bool,
) -> FloatArray:
    """Find c such that half the gradient of row i is w sum_j c_ij (x_i - x_j)^2.

    Returns the sum of the absolute coefficients of each row; it is 0 for rows that
    have not enough neighbours.
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
            # similar rows, and counts earlier hits again for later ones.
            times = np.arange(n_hits, 0, -1)
            for h in range(n_hits):
                place = np.sum(groups[i, : who[h]] == SIMILAR)
                pulls[h] = times[h] * similarity[i, codes[place]]
            weights *= times
        margin = 0.0
        if hits[i, DIFFERENT, 0] >= 0:
            margin = abs(near_hits[0] - near[i, DIFFERENT, 0])  # Eq. 10
        reach = margin + near_hits[:n_hits] - tie
        magnitude[i] = _push(
            row, similarity[i], codes, groups[i], reach, s_hits, weights, pulls
        )
        for h in range(n_hits):
            row[who[h]] = pulls[h]
            magnitude[i] += abs(pulls[h])
    return magnitude


@njit
def push_away(
    distances: FloatArray,  # [rows, others] squared, overwritten by coefficients
    similarity: FloatArray,  # [rows, label sets]
    codes: IntArray,  # [others]
    groups: NDArray[np.int32],  # [rows, others]
    reach: FloatArray,  # [rows, k] ascending
    s_hits: FloatArray,  # [rows, k]
    n_hits: IntArray,  # [rows] how many of the k there are
    trade_off: float,
    pulls: FloatArray,  # [rows, k], increased
    magnitude: FloatArray,  # [rows], increased
) -> None:
    """What `margin_coefficients` finds for others that are only some of all rows."""
    for i in range(distances.shape[0]):
        k = n_hits[i]
        if k == 0:
            distances[i] = 0.0
            continue
        magnitude[i] += _push(
            distances[i],
            similarity[i],
            codes,
            groups[i],
            reach[i, :k],
            s_hits[i, :k],
            np.full(k, trade_off),
            pulls[i, :k],
        )


@njit
def _push(
    row: FloatArray,  # [n] distances, overwritten by coefficients
    similarity: FloatArray,  # [label sets] of this row
    codes: IntArray,
    groups: NDArray[np.int32],
    reach: FloatArray,  # [hits] ascending: different rows nearer than this count
    s_hits: FloatArray,  # [hits] similarity of each hit
    weights: FloatArray,  # [hits]
    pulls: FloatArray,  # [hits], increased by what each hit is pulled with
) -> float:
    """Second term of Eq. 13: different rows within reach of a hit are pushed away."""
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
    slopes: FloatArray,  # [visits, D] half gradients divided by the weights
    weights: FloatArray,  # [D], changed in place
    learning_rate: float,
    decaying: bool,
    n_updates: int,
) -> int:
    """Step (f) of the algorithm for one visited row after the other."""
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
def weighted_distances(
    rows: FloatArray,  # [n, D]
    one: int,  # the row whose distances are wanted
    squared_weights: FloatArray,
    out: FloatArray,  # [1, n], overwritten
) -> None:
    """Squared norms of Eq. 13, with the weights of this moment."""
    for j in range(rows.shape[0]):
        total = 0.0
        for d in range(rows.shape[1]):
            difference = rows[one, d] - rows[j, d]
            total += squared_weights[d] * difference * difference
        out[0, j] = total


@njit
def nearest_of_row(
    distances: FloatArray,  # [1, n]
    groups: NDArray[np.int32],  # [1, n]
    near: FloatArray,  # [1, 2, k], overwritten
    hits: IntArray,  # [1, 2, k], overwritten
) -> None:
    """The k nearest similar and different rows of one row, ties by index."""
    near[:] = np.inf
    hits[:] = -1
    k = near.shape[2]
    for j in range(distances.shape[1]):
        group = groups[0, j]
        if group < 0 or distances[0, j] >= near[0, group, k - 1]:
            continue
        place = k - 1
        while place > 0 and near[0, group, place - 1] > distances[0, j]:
            near[0, group, place] = near[0, group, place - 1]
            hits[0, group, place] = hits[0, group, place - 1]
            place -= 1
        near[0, group, place] = distances[0, j]
        hits[0, group, place] = j
