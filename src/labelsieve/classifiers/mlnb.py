"""Multi-label naive Bayes: one naive Bayes classifier per label."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.matrices import slices_of, span
from labelsieve._utils.typing import BoolArray, ByteArray, FloatArray, IntArray, Matrix
from labelsieve.classifiers._base import (
    ProbabilisticClassifier,
    dense_rows,
    refuse_large,
)

DENSITY_FLOOR = 1e-20  # added to every density, so that one outlier decides nothing
VARIANCE_FLOOR = 1e-9  # of a feature's variance with or without a label, relative
BLOCK_CELLS = 2**22  # of the dense block that a sparse matrix is turned into
MOST_CATEGORIES = 16  # kind="auto": a feature with more distinct values is continuous


class MLNB(ProbabilisticClassifier):
    """Multi-label naive Bayes.

    Every label has its own naive Bayes classifier with smoothed priors
    (s + n_l) / (2 s + n); a label is predicted if its posterior is at least 1/2.

    Parameters
    ----------
    kind : {"auto", "categorical", "gaussian"}, default="auto"
        "categorical" takes each distinct value of a feature as a category and
        estimates P(v | H) = (s + count) / (s V + n_H), V being the feature's number
        of categories in training. "gaussian" fits a normal density with the unbiased
        standard deviation. "auto" is "categorical" if no feature has more than 16
        distinct values.
    smoothing : float, default=1.0
        The s above.

    Attributes
    ----------
    kind_ : {"categorical", "gaussian"}
        The kind that was used.

    See Also
    --------
    MLkNN : Posteriors from the labels of the nearest neighbours.

    Notes
    -----
    Labels are ranked by their log-odds, which order them as the posteriors do without
    the ties of posteriors that round to 1. Densities have a floor of 1e-20, and
    variances one of 1e-9 of the variance of the feature, so that a feature which is
    constant among the positive samples does not decide alone.

    A label that is constant in the training samples has the log-odds of its smoothed
    prior for every sample: it is predicted never or always. A warning names such
    labels.

    References
    ----------
    M.-L. Zhang, J. M. Peña, V. Robles, "Feature selection for multi-label naive Bayes
    classification", Information Sciences 179, 2009.

    Examples
    --------
    >>> from labelsieve.classifiers import MLNB
    >>> X, Y = [[0, 1], [0, 0], [1, 1], [1, 0]], [[0, 1], [0, 0], [1, 1], [1, 0]]
    >>> MLNB().fit(X, Y).predict([[1, 1]])
    array([[1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kind": [StrOptions({"auto", "categorical", "gaussian"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    kind: Literal["auto", "categorical", "gaussian"] = "auto"
    smoothing: float = 1.0

    _skips_unknown: ClassVar[bool] = True

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        discrete = self._n_discrete(X) == X.shape[1]
        self.kind_ = "categorical" if discrete else "gaussian"
        self._odds = self._fit_odds(discrete, X, Y)

    def _fit_odds(
        self, discrete: bool, X: Matrix, Y: ByteArray
    ) -> _CategoricalOdds | _GaussianOdds:
        (with_label, n_known), s = _known_rows(Y), self.smoothing
        prior = np.log(s + with_label) - np.log(s + n_known - with_label)
        if discrete:
            return _CategoricalOdds(X, Y, prior, s)
        return _GaussianOdds(X, Y, prior)

    def _score_labels(self, X: Matrix) -> FloatArray:
        return self._odds.path(X, np.array([X.shape[1]]))[0]

    def _path_scores(
        self, X: Matrix, Y: ByteArray, X_test: Matrix, sizes: IntArray
    ) -> FloatArray:
        n_small = int(np.searchsorted(sizes, self._n_discrete(X), side="right"))
        parts = []
        for is_discrete, part in ((True, sizes[:n_small]), (False, sizes[n_small:])):
            if part.size:
                odds = self._fit_odds(is_discrete, X[:, : part[-1]], Y)
                parts.append(odds.path(X_test[:, : part[-1]], part))
        return np.concatenate(parts)

    def _n_discrete(self, X: Matrix) -> int:
        """How many features come before the first that has no categories."""
        if self.kind != "auto":
            return int(X.shape[1]) if self.kind == "categorical" else 0
        stored = sparse.csc_array(X) if sparse.issparse(X) else None
        for feature in range(X.shape[1]):
            column = (
                X[:, feature]
                if stored is None
                else stored.data[span(stored.indptr, feature)]
            )
            implicit_zero = column.size < X.shape[0]
            if np.unique(column).size + implicit_zero > MOST_CATEGORIES:
                return feature
        return int(X.shape[1])


class _CategoricalOdds:
    """Smoothed frequencies of the values of every feature, with and without a label.

    Only non-zero cells are visited: the log-odds of a row of zeros are summed once,
    and each other value adds its difference to zero. Rows are indicators of
    categories, in a block for each feature that ends with one for values never seen.
    """

    def __init__(
        self, X: Matrix, Y: ByteArray, prior: FloatArray, smoothing: float
    ) -> None:
        rows = sparse.csr_array(X)
        zeros = self._find_categories(rows)
        self._starts = self._offsets + np.arange(self._offsets.size)
        n_values = np.diff(self._offsets)
        seen = np.ones(self._starts[-1], dtype=bool)
        seen[self._starts[1:] - 1] = False
        indicators = self._indicators(rows).T[seen]

        def count(flags: BoolArray) -> FloatArray:
            """How many rows of each category have each flag."""
            counts = indicators @ flags.astype(np.float64)
            # Where a feature is zero it is nothing else.
            others = np.add.reduceat(counts, self._offsets[:-1])[zeros >= 0]
            counts[zeros[zeros >= 0]] = flags.sum(axis=0) - others
            return counts

        with_label, n_known = _known_rows(Y)
        counts, totals = count(Y == 1), count(Y < 2)
        # P(v | H) = (s + count) / (s V + n_H)
        unseen = np.log(smoothing * n_values[:, None] + n_known - with_label) - np.log(
            smoothing * n_values[:, None] + with_label
        )
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
        self._gains = np.empty((seen.size, Y.shape[1]))
        self._gains[seen] = odds - np.repeat(of_zero, n_values, axis=0)
        self._gains[~seen] = unseen - of_zero
        self._base = np.cumsum(np.vstack([prior, of_zero]), axis=0)

    def path(self, X: Matrix, sizes: IntArray) -> FloatArray:
        """Log-odds for nested sets of leading features: [sizes, rows, labels]."""
        indicators = self._indicators(sparse.csr_array(X)).tocsc()
        out = np.empty((sizes.size, X.shape[0], self._base.shape[1]))
        gained, done = np.zeros(out.shape[1:]), 0
        for place, size in enumerate(sizes):
            stop = self._starts[size]
            gained += indicators[:, done:stop] @ self._gains[done:stop]
            out[place], done = self._base[size] + gained, stop
        # So that ties stay ties, whatever the sizes between which sums were taken.
        rounded: FloatArray = np.round(out, 10).astype(np.float64, copy=False)
        return rounded

    def _find_categories(self, rows: sparse.csr_array) -> IntArray:
        """Number all values by feature; return where the zero of each is, or -1."""
        n_rows, n_features = rows.shape
        self._values = np.unique(np.append(rows.data, 0.0))
        stored = np.bincount(rows.indices, minlength=n_features)
        (with_zeros,) = np.nonzero(stored < n_rows)
        of_zeros = self._keys_of(with_zeros, np.zeros(with_zeros.size))
        keys = np.append(self._keys_of(rows.indices, rows.data), of_zeros)
        self._keys = np.unique(keys)
        every = np.arange(n_features + 1) * self._values.size
        self._offsets = np.searchsorted(self._keys, every)
        zeros = np.full(n_features, -1, dtype=np.int64)
        zeros[with_zeros] = np.searchsorted(self._keys, of_zeros)
        return zeros

    def _keys_of(self, features: IntArray, values: FloatArray) -> IntArray:
        """A number for each feature and value, ascending; -1 for values never seen."""
        code = np.searchsorted(self._values, values)
        seen = self._values.take(code, mode="clip") == values
        return np.where(seen, features.astype(np.int64) * self._values.size + code, -1)

    def _indicators(self, rows: sparse.csr_array) -> sparse.csr_array:
        """The category of every non-zero cell, as a row of 0 and 1."""
        feature, key = rows.indices, self._keys_of(rows.indices, rows.data)
        place = np.searchsorted(self._keys, key)
        known = self._keys.take(place, mode="clip") == key
        places = np.where(known, place, self._offsets[feature + 1]) + feature
        ones = np.ones(places.size)
        shape = rows.shape[0], int(self._starts[-1])
        return sparse.csr_array((ones, places, rows.indptr), shape=shape)


class _GaussianOdds:
    """Normal densities of every feature, with and without a label."""

    def __init__(self, X: Matrix, Y: ByteArray, prior: FloatArray) -> None:
        refuse_large(X)
        self._prior = prior
        # Sums of deviations from the first row: a constant feature has exactly none.
        centre = dense_rows(X[:1])[0]
        flags = np.vstack([(Y == 1).T, (Y == 0).T, np.ones(len(Y))]).astype(np.float64)
        sums = np.zeros((len(flags), X.shape[1]))
        squares = np.zeros_like(sums)
        for rows, block in _dense_blocks(X):
            deviations = block - centre
            sums += flags[:, rows] @ deviations
            squares += flags[:, rows] @ deviations**2
        n = flags.sum(axis=1)[:, None]
        # Unbiased variances; 0 where fewer than two rows are given.
        centred = np.maximum(squares - sums**2 / np.maximum(n, 1.0), 0.0)
        spread = np.where(n > 1, centred / np.maximum(n - 1.0, 1.0), 0.0)
        floor = VARIANCE_FLOOR * spread[-1]
        one_sided = (n[:-1] == 0).reshape(2, -1, 1).any(axis=0)
        useless = np.tile((floor <= 0) | one_sided, (2, 1))
        spread = np.where(useless, 1.0, np.maximum(spread[:-1], floor))
        # [with and without, labels, features]
        shape = 2, Y.shape[1], X.shape[1]
        self._mean = (centre + (sums / np.maximum(n, 1))[:-1]).reshape(shape)
        self._scale = np.where(useless, 0.0, 1.0 / np.sqrt(spread)).reshape(shape)
        peak = np.where(useless, 0.0, -0.5 * np.log(2 * np.pi * spread))
        self._peak = peak.reshape(shape)

    def path(self, X: Matrix, sizes: IntArray) -> FloatArray:
        """Log-odds for nested sets of leading features: [sizes, rows, labels]."""
        out = np.empty((sizes.size, X.shape[0], self._prior.size))
        for rows, block in _dense_blocks(X):
            total, done = np.tile(self._prior, (len(block), 1)), 0
            for place, size in enumerate(sizes):
                for feature in range(done, size):
                    # Of each row with and without each label: [2, rows, labels]
                    distances = block[:, [feature]] - self._mean[:, None, :, feature]
                    distances *= self._scale[:, None, :, feature]
                    exponents = self._peak[:, None, :, feature] - 0.5 * distances**2
                    density1, density0 = np.exp(exponents) + DENSITY_FLOOR
                    total += np.log(density1 / density0)
                out[place, rows], done = total, size
        return out


def _known_rows(Y: ByteArray) -> tuple[FloatArray, FloatArray]:
    """How many rows have each label, and in how many it is known."""
    with_label = (Y == 1).sum(axis=0, dtype=np.float64)
    return with_label, (Y < 2).sum(axis=0, dtype=np.float64)


def _dense_blocks(X: Matrix) -> Iterator[tuple[slice, FloatArray]]:
    step = max(1, BLOCK_CELLS // max(1, X.shape[1]))
    for rows in slices_of(X.shape[0], step):
        yield rows, dense_rows(X[rows])
