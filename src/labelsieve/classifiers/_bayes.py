"""Log-odds of labels as sums over features: categorical and Gaussian."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from labelsieve._plumbing.matrices import slices_of
from labelsieve.classifiers._base import Flags, Floats, Matrix, refuse_large
from labelsieve.classifiers._knn import dense_rows

if TYPE_CHECKING:
    from labelsieve.classifiers._bayes_kernels import Cells, Gaussians

Integers = npt.NDArray[np.int64]

DENSITY_FLOOR = 1e-20  # added to every density, so that one outlier decides nothing
VARIANCE_FLOOR = 1e-9  # of a feature's variance with or without a label, relative
BLOCK_CELLS = 2**22  # of the dense block that a sparse matrix is turned into


class CategoricalOdds:
    """Smoothed frequencies of the values of every feature, with and without a label.

    Only non-zero cells are visited: the log-odds of a row of zeros are summed once,
    and each other value adds its difference to zero. Each feature has its terms from
    its own column alone and they are added in the order of the features, so that a
    prefix of the features gives the very numbers of a fit on that prefix.
    """

    def __init__(self, X: Matrix, Y: Flags, prior: Floats, smoothing: float) -> None:
        from labelsieve.classifiers._bayes_kernels import count_categories

        cells = _cells(X)
        self._values, self._offsets, zeros = _categories(X, cells)

        def count(flags: Flags) -> tuple[Floats, Floats]:
            """Rows with each category, and those of them with each flag."""
            counts = np.zeros((self._values.size, Y.shape[1]))
            totals = np.zeros(self._values.size)
            lists = _label_lists(flags)
            count_categories(cells, *lists, self._values, self._offsets, counts, totals)
            _count_zeros(counts, totals, zeros, self._offsets, flags)
            return counts, totals[:, None]

        counts, totals = count(Y == 1)
        unknown = Y == 2
        if unknown.any():
            totals = totals - count(unknown)[0]
        self._set_odds(counts, totals, zeros, Y, prior, smoothing)

    def _set_odds(
        self,
        counts: Floats,
        totals: Floats,
        zeros: Integers,
        Y: Flags,
        prior: Floats,
        smoothing: float,
    ) -> None:
        n_values = np.diff(self._offsets)
        with_label, n_known = known_rows(Y)
        denominator1 = np.log(smoothing * n_values[:, None] + with_label)
        denominator0 = np.log(smoothing * n_values[:, None] + n_known - with_label)
        unseen = denominator0 - denominator1
        odds = (
            np.log(smoothing + counts)
            - np.log(smoothing + totals - counts)
            + np.repeat(unseen, n_values, axis=0)
        )
        # A label that is always absent or always present keeps its prior.
        constant = (with_label == 0) | (with_label == n_known)
        odds[:, constant] = 0.0
        unseen[:, constant] = 0.0
        of_zero = np.where((zeros >= 0)[:, None], odds[zeros], unseen)
        self._gains = odds - np.repeat(of_zero, n_values, axis=0)
        self._unseen = unseen - of_zero
        self._base = np.cumsum(np.vstack([prior, of_zero]), axis=0)

    def path(self, X: Matrix, sizes: Integers) -> Floats:
        """Log-odds for nested sets of leading features: [sizes, rows, labels]."""
        from labelsieve.classifiers._bayes_kernels import add_categories

        out = np.empty((sizes.size, X.shape[0], self._base.shape[1]))
        add_categories(
            _cells(X),
            self._values,
            self._offsets,
            self._gains,
            self._unseen,
            self._base[sizes],
            sizes,
            out,
        )
        return out


class GaussianOdds:
    """Normal densities of every feature, with and without a label."""

    def __init__(self, X: Matrix, Y: Flags, prior: Floats) -> None:
        self._prior = prior
        self._fitted = _gaussians(X, Y)

    def path(self, X: Matrix, sizes: Integers) -> Floats:
        """Log-odds for nested sets of leading features: [sizes, rows, labels]."""
        from labelsieve.classifiers._bayes_kernels import add_gaussians

        out = np.empty((sizes.size, X.shape[0], self._prior.size))
        for rows, block in _dense_blocks(X):
            add_gaussians(
                block,
                self._fitted,
                np.log(DENSITY_FLOOR),
                self._prior,
                sizes,
                part := np.empty((sizes.size, len(block), self._prior.size)),
            )
            out[:, rows] = part
        return out


def _cells(X: Matrix) -> Cells:
    from labelsieve.classifiers._bayes_kernels import Cells

    rows = sparse.csr_array(X)
    return Cells(
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.uint32),
        np.require(rows.data, np.float64, ["C", "W"]),
    )


def _categories(X: Matrix, cells: Cells) -> tuple[Floats, Integers, Integers]:
    """Categories by feature, where each feature starts, where its zero is (or -1)."""
    n_rows, n_features = X.shape
    stored = np.bincount(cells.indices, minlength=n_features)
    (with_zeros,) = np.nonzero(stored < n_rows)
    feature = np.concatenate([cells.indices, with_zeros])
    value = np.concatenate([cells.data, np.zeros(with_zeros.size)])
    order = np.lexsort((value, feature))
    feature, value = feature[order], value[order]
    first = np.ones(feature.size, dtype=bool)
    first[1:] = (feature[1:] != feature[:-1]) | (value[1:] != value[:-1])
    feature, value = feature[first], value[first]
    offsets = np.searchsorted(feature, np.arange(n_features + 1)).astype(np.int64)
    zeros = np.full(n_features, -1, dtype=np.int64)
    (places,) = np.nonzero(value == 0)
    zeros[feature[places].astype(np.int64)] = places
    return value, offsets, zeros


def known_rows(Y: Flags) -> tuple[Floats, Floats]:
    """How many rows have each label, and in how many it is known."""
    with_label = (Y == 1).sum(axis=0, dtype=np.float64)
    return with_label, (Y < 2).sum(axis=0, dtype=np.float64)


def _label_lists(Y: Flags) -> tuple[Integers, npt.NDArray[np.uint32]]:
    lists = sparse.csr_array(Y)
    return lists.indptr.astype(np.int64), lists.indices.astype(np.uint32)


def _count_zeros(
    counts: Floats, totals: Floats, zeros: Integers, offsets: Integers, Y: Flags
) -> None:
    """Fill in the rows where a feature is zero: those where it is nothing else."""
    has_zero = zeros >= 0
    places = zeros[has_zero]
    with_label = Y.sum(axis=0, dtype=np.float64)
    counts[places] = with_label - np.add.reduceat(counts, offsets[:-1])[has_zero]
    totals[places] = len(Y) - np.add.reduceat(totals, offsets[:-1])[has_zero]


def _gaussians(X: Matrix, Y: Flags) -> Gaussians:
    from labelsieve.classifiers._bayes_kernels import Gaussians, add_moments

    refuse_large(X)
    n_rows, n_labels = Y.shape
    # Sums of deviations from the first row: a constant feature has exactly none.
    centre = dense_rows(X[:1])[0]

    def moments(flags: Flags) -> tuple[Floats, Floats]:
        """Sums and squares over the rows with each flag, then over all rows."""
        sums = np.zeros((n_labels + 1, X.shape[1]))
        squares = np.zeros_like(sums)
        for rows, block in _dense_blocks(X):
            add_moments(block, centre, *_label_lists(flags[rows]), sums, squares)
        return sums, squares

    sums, squares = moments(Y == 1)
    with_label, n_known = (n[:, None] for n in known_rows(Y))
    floor = VARIANCE_FLOOR * _variance(n_rows, sums[-1], squares[-1])
    useless = np.broadcast_to(
        (floor <= 0) | (with_label == 0) | (with_label == n_known), sums[:-1].shape
    )
    others, other_squares = sums[-1] - sums[:-1], squares[-1] - squares[:-1]
    if (Y == 2).any():
        unknown, unknown_squares = moments(Y == 2)
        others -= unknown[:-1]
        other_squares -= unknown_squares[:-1]
    sides = []
    for n, total, square in (
        (with_label, sums[:-1], squares[:-1]),
        (n_known - with_label, others, other_squares),
    ):
        spread = np.maximum(_variance(n, total, square), floor)
        spread = np.where(useless, 1.0, spread)
        mean = centre + total / np.maximum(n, 1)
        scale = np.where(useless, 0.0, 1.0 / np.sqrt(spread))
        peak = np.where(useless, 0.0, -0.5 * np.log(2 * np.pi * spread))
        sides += [np.ascontiguousarray(array.T) for array in (mean, scale, peak)]
    return Gaussians(*sides)


def _variance(n: Floats | int, total: Floats, square: Floats) -> Floats:
    """Unbiased variance from sums; 0 where fewer than two rows are given."""
    n = np.asarray(n, dtype=np.float64)
    centred = square - total * total / np.maximum(n, 1.0)
    return np.where(n > 1, np.maximum(centred, 0.0) / np.maximum(n - 1.0, 1.0), 0.0)


def _dense_blocks(X: Matrix) -> Iterator[tuple[slice, Floats]]:
    step = max(1, BLOCK_CELLS // max(1, X.shape[1]))
    for rows in slices_of(X.shape[0], step):
        yield rows, dense_rows(X[rows])
