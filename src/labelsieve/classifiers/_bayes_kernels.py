"""Compiled loops of naive Bayes: counts, moments and additive log-likelihoods.

values: float64[categories], those of all features, ascending inside each feature
offsets: int64[features + 1], where the categories of each feature begin
label_ptr: int64[rows + 1], where the labels of each row begin
labels: uint32[entries], the labels of all rows
sizes: int64[sizes], ascending numbers of leading features
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray


class Cells(NamedTuple):
    """The non-zero cells of a matrix, row by row with ascending columns (CSR)."""

    indptr: IntArray  # [rows + 1]
    indices: IndexArray  # [cells]
    data: FloatArray  # [cells]


class Gaussians(NamedTuple):
    """Normal densities of every feature with (1) and without (0) every label.

    Arrays are [features, labels]; `scale` is 1 / standard deviation and `peak` the
    logarithm of the density at the mean. Where `scale` is 0 nothing is known.
    """

    mean1: FloatArray
    scale1: FloatArray
    peak1: FloatArray
    mean0: FloatArray
    scale0: FloatArray
    peak0: FloatArray


@njit
def category_of(
    values: FloatArray, offsets: IntArray, feature: int, value: float
) -> int:
    """Return the place of a value in `values`, or -1 if it is no category."""
    low, high = offsets[feature], offsets[feature + 1]
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    if low < offsets[feature + 1] and values[low] == value:
        return low
    return -1


@njit
def count_categories(
    cells: Cells,
    label_ptr: IntArray,
    labels: IndexArray,
    values: FloatArray,
    offsets: IntArray,
    counts: FloatArray,
    totals: FloatArray,
) -> None:
    """Count the rows of each category of a non-zero cell, with and without labels.

    counts: float64[categories, labels], added to
    totals: float64[categories], added to
    """
    for i in range(cells.indptr.shape[0] - 1):
        for p in range(cells.indptr[i], cells.indptr[i + 1]):
            place = category_of(values, offsets, cells.indices[p], cells.data[p])
            totals[place] += 1.0
            row = counts[place]
            for q in range(label_ptr[i], label_ptr[i + 1]):
                row[labels[q]] += 1.0


@njit
def add_categories(
    cells: Cells,
    values: FloatArray,
    offsets: IntArray,
    gains: FloatArray,
    unseen: FloatArray,
    base: FloatArray,
    sizes: IntArray,
    out: FloatArray,
) -> None:
    """Log-odds of every row for nested sets of leading features, in one pass.

    gains: float64[categories, labels], log-odds of a category minus those of zero
    unseen: float64[features, labels], the same for a value that is no category
    base: float64[sizes, labels], log-odds of a row of zeros
    out: float64[sizes, rows, labels], overwritten
    """
    n_sizes, n_rows, n_labels = out.shape
    total = np.empty(n_labels)
    for i in range(n_rows):
        total[:] = 0.0
        p, end = cells.indptr[i], cells.indptr[i + 1]
        for s in range(n_sizes):
            while p < end and cells.indices[p] < sizes[s]:
                feature = cells.indices[p]
                place = category_of(values, offsets, feature, cells.data[p])
                gain = gains[place] if place >= 0 else unseen[feature]
                for label in range(n_labels):
                    total[label] += gain[label]
                p += 1
            row, start = out[s, i], base[s]
            for label in range(n_labels):
                row[label] = start[label] + total[label]


@njit
def add_moments(
    X: FloatArray,
    centre: FloatArray,
    label_ptr: IntArray,
    labels: IndexArray,
    sums: FloatArray,
    squares: FloatArray,
) -> None:
    """Add up centred values and their squares, over all rows and those of a label.

    Each feature is summed row by row, whatever other features there are: the result
    for a feature is the same in every subset of features.

    X: float64[rows, features]
    centre: float64[features]
    sums: float64[labels + 1, features], added to; the last is all rows
    squares: float64[labels + 1, features], added to
    """
    n_features = X.shape[1]
    everyone = sums.shape[0] - 1
    deviation = np.empty(n_features)
    for i in range(X.shape[0]):
        for f in range(n_features):
            deviation[f] = X[i, f] - centre[f]
            sums[everyone, f] += deviation[f]
            squares[everyone, f] += deviation[f] * deviation[f]
        for q in range(label_ptr[i], label_ptr[i + 1]):
            sum_row, square_row = sums[labels[q]], squares[labels[q]]
            for f in range(n_features):
                sum_row[f] += deviation[f]
                square_row[f] += deviation[f] * deviation[f]


@njit
def add_gaussians(
    X: FloatArray,
    fitted: Gaussians,
    log_floor: float,
    prior: FloatArray,
    sizes: IntArray,
    out: FloatArray,
) -> None:
    """Log-odds of every row for nested sets of leading features, in one pass.

    X: float64[rows, features]
    prior: float64[labels], log-odds without any feature
    out: float64[sizes, rows, labels], overwritten
    """
    n_sizes, n_rows, n_labels = out.shape
    total = np.empty(n_labels)
    for i in range(n_rows):
        total[:] = prior
        f = 0
        for s in range(n_sizes):
            while f < sizes[s]:
                for label in range(n_labels):
                    total[label] += _log_density(
                        (X[i, f] - fitted.mean1[f, label]) * fitted.scale1[f, label],
                        fitted.peak1[f, label],
                        log_floor,
                    ) - _log_density(
                        (X[i, f] - fitted.mean0[f, label]) * fitted.scale0[f, label],
                        fitted.peak0[f, label],
                        log_floor,
                    )
                f += 1
            out[s, i] = total


@njit
def _log_density(standardised: float, peak: float, log_floor: float) -> float:
    """Return log(density + exp(log_floor))."""
    density = peak - 0.5 * standardised * standardised
    difference = density - log_floor
    # Beyond this the smaller term is lost in rounding.
    if difference > 40.0:
        return density
    if difference < -40.0:
        return log_floor
    if difference > 0.0:
        return density + np.log1p(np.exp(-difference))
    return log_floor + np.log1p(np.exp(difference))
