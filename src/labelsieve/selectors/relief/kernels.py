"""Compiled loops of the ReliefF family: distances become coefficients of differences.

Each kernel takes exact distances of a block of rows to all rows and overwrites them
by c_ij, such that feature f gains sum_ij c_ij |x_if - x_jf|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray


@njit
def class_coefficients(
    distances: FloatArray,  # [rows, n]
    first: int,  # index of the first row of the block among the n
    classes: IntArray,  # [n] 0..C-1
    shares: FloatArray,  # [C] share of the rows in each class
    k: int,
    out: FloatArray,  # [rows, n], overwritten
) -> None:
    """ReliefF: k nearest hits, k nearest misses of every other class."""
    n_classes = shares.shape[0]
    n_rows = classes.shape[0]
    near = np.empty((n_classes, k))
    who = np.empty((n_classes, k), dtype=np.int64)
    found = np.empty(n_classes, dtype=np.int64)
    for i in range(distances.shape[0]):
        near[:] = np.inf
        found[:] = 0
        row = distances[i]
        for j in range(n_rows):
            c = classes[j]
            if row[j] < near[c, k - 1] and j != first + i:
                _insert(near[c], who[c], row[j], j)
                found[c] += 1
        own = classes[first + i]
        out[i] = 0.0
        for c in range(n_classes):
            count = min(found[c], k)
            weight = -1.0 if c == own else shares[c] / (1.0 - shares[own])
            for place in range(count):
                out[i, who[c, place]] = weight / (count * n_rows)


@njit
def pair_coefficients(
    distances: FloatArray,  # [rows, n], overwritten by the coefficients
    places: IntArray,  # [rows] index of each row among the n
    bits: NDArray[np.uint8],  # [n, L] labels as 0 and 1
    indptr: IntArray,  # the labels of each row as CSR
    indices: IndexArray,
    weights: FloatArray,  # [L, L] weight of a row in the problem of two labels, or 0
    k: int,
) -> None:
    """MLRF: in the problem of labels a and b, rows with both or none are left out."""
    n_labels = bits.shape[1]
    most = 1
    for i in places:
        n_own = indptr[i + 1] - indptr[i]
        most = max(most, n_own * (n_labels - n_own))
    # [pair of an own label and a lacking label, hits or misses, neighbours]
    near = np.empty((most, 2, k))
    who = np.empty((most, 2, k), dtype=np.int64)
    for line, i in enumerate(places):
        own = indices[indptr[i] : indptr[i + 1]]
        lacking = np.flatnonzero(bits[i] == 0)
        row = distances[line]
        near[: own.shape[0] * lacking.shape[0]] = np.inf
        _find_neighbors(row, i, bits, indptr, indices, own, lacking, near, who)
        row[:] = 0.0
        for p in range(own.shape[0]):
            for q in range(lacking.shape[0]):
                pair = p * lacking.shape[0] + q
                weight = weights[own[p], lacking[q]]
                if weight > 0.0:
                    _spread(near[pair, 0], who[pair, 0], -weight, row)
                    _spread(near[pair, 1], who[pair, 1], weight, row)


@njit
def pair_neighbors(
    distances: FloatArray,  # [rows, n]
    places: IntArray,  # [rows] index of each row among the n, -1 if it is elsewhere
    own_bits: NDArray[np.uint8],  # [rows, L] labels of the rows
    bits: NDArray[np.uint8],  # [n, L] labels of the n
    indptr: IntArray,  # the same as CSR
    indices: IndexArray,
    near: FloatArray,  # [pairs of all rows, 2, k] infinite, overwritten
    who: IntArray,  # the same shape, overwritten
) -> None:
    """The neighbours that `pair_coefficients` finds, for rows that may be elsewhere."""
    first = 0
    for i in range(distances.shape[0]):
        own = np.flatnonzero(own_bits[i])
        lacking = np.flatnonzero(own_bits[i] == 0)
        last = first + own.shape[0] * lacking.shape[0]
        found, them = near[first:last], who[first:last]
        _find_neighbors(
            distances[i], places[i], bits, indptr, indices, own, lacking, found, them
        )
        first = last


@njit
def _find_neighbors(
    row: FloatArray,  # distances of row i
    i: int,  # -1 if it is not among the others
    bits: NDArray[np.uint8],
    indptr: IntArray,
    indices: IndexArray,
    own: NDArray[np.integer],  # the labels of row i
    lacking: IntArray,  # the labels that it lacks
    near: FloatArray,  # [pairs, 2, k] infinite, overwritten
    who: IntArray,
) -> None:
    """Nearest rows that have the own label only (hits) or the lacking one (misses)."""
    n_lacking, last = lacking.shape[0], near.shape[2] - 1
    place_of = np.full(bits.shape[1], -1)
    place_of[lacking] = np.arange(n_lacking)
    for j in range(row.shape[0]):
        if j == i:
            continue
        labels = indices[indptr[j] : indptr[j + 1]]
        for p in range(own.shape[0]):
            if bits[j, own[p]]:
                for q in range(n_lacking):
                    pair = p * n_lacking + q
                    if row[j] < near[pair, 0, last] and not bits[j, lacking[q]]:
                        _insert(near[pair, 0], who[pair, 0], row[j], j)
            else:
                for label in labels:
                    pair = p * n_lacking + place_of[label]
                    if place_of[label] >= 0 and row[j] < near[pair, 1, last]:
                        _insert(near[pair, 1], who[pair, 1], row[j], j)


@njit
def _spread(near: FloatArray, who: IntArray, weight: float, row: FloatArray) -> None:
    """Share a weight equally among the neighbours that were found."""
    count = 0
    while count < near.shape[0] and near[count] < np.inf:
        count += 1
    for place in range(count):
        row[who[place]] += weight / count


@njit
def _insert(near: FloatArray, who: IntArray, distance: float, index: int) -> None:
    place = near.shape[0] - 1
    while place > 0 and near[place - 1] > distance:
        near[place] = near[place - 1]
        who[place] = who[place - 1]
        place -= 1
    near[place] = distance
    who[place] = index
