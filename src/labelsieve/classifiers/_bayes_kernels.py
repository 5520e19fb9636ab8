"""Compiled loops of naive Bayes: counts, moments and additive log-likelihoods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from labelsieve._plumbing.compile import njit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint32]


class Cells(NamedTuple):
    """The non-zero cells of a matrix, row by row with ascending columns (CSR)."""

    indptr: Integers
    indices: Unsigned
    data: Floats


class Gaussians(NamedTuple):
    """Normal densities of every feature with (1) and without (0) every label.

    Arrays are [features, labels]; `scale` is 1 / standard deviation and `peak` the
    logarithm of the density at the mean. Where `scale` is 0 nothing is known.
    """

    mean1: Floats
    scale1: Floats
    peak1: Floats
    mean0: Floats
    scale0: Floats
    peak0: Floats


@njit
def category_of(
    values: Floats,  # categories of all features, ascending inside each feature
    offsets: Integers,  # [features + 1]: where the categories of a feature start
    feature: int,
    value: float,
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
    label_ptr: Integers,  # labels of each row, as CSR without data
    labels: Unsigned,
    values: Floats,
    offsets: Integers,
    counts: Floats,  # [categories, labels], added to
    totals: Floats,  # [categories], added to
) -> None:
    """Count the rows of each category of a non-zero cell, with and without labels."""
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
    values: Floats,
    offsets: Integers,
    gains: Floats,  # [categories, labels]: log-odds of a category minus those of zero
    unseen: Floats,  # [features, labels]: the same for a value that is no category
    base: Floats,  # [sizes, labels]: log-odds of a row of zeros
    sizes: Integers,  # ascending numbers of leading features
    out: Floats,  # [sizes, rows, labels], overwritten
) -> None:
    """Log-odds of every row for nested sets of leading features, in one pass."""
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
    X: Floats,  # [rows, features]
    centre: Floats,  # [features]
    label_ptr: Integers,
    labels: Unsigned,
    sums: Floats,  # [labels + 1, features], added to; the last is all rows
    squares: Floats,
) -> None:
    """Add up centred values and their squares, over all rows and those of a label.

    Each feature is summed row by row, whatever other features there are: the result
    for a feature is the same in every subset of features.
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
    X: Floats,  # [rows, features]
    fitted: Gaussians,
    log_floor: float,
    prior: Floats,  # [labels]: log-odds without any feature
    sizes: Integers,  # ascending numbers of leading features
    out: Floats,  # [sizes, rows, labels], overwritten
) -> None:
    """Log-odds of every row for nested sets of leading features, in one pass."""
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
