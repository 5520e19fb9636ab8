"""MLRF: ReliefF on every pair of labels."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._features import Features
from labelsieve._typing import FloatArray, Matrix
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._relief import ReliefSums


class MLRF(IndicatorSelector):
    """Multi-label ReliefF by pairs of labels (Kong, Ding, Huang and Zhao, 2012).

    Every two labels make a problem with two classes: the rows that have only the
    first, and those that have only the second. Rows with both are ambiguous and
    left out. A feature gains where a row differs from its nearest rows of the
    other class, and loses where it differs from its nearest rows of its own.

    Parameters
    ----------
    n_features_to_select : int or float, default=0.1
        How many features to keep, or which fraction of them (at least one).
    n_neighbors : int, default=3
        How many nearest rows of each class to use; fewer where there are fewer.
    aggregate : {"sum", "mean"}, default="sum"
        Add the weights of all pairs of labels up, or take their mean. The ranking
        is the same.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weight of each feature; 0 for constant features.
    order_ : ndarray of shape (n_features,)
        Feature indices, best first.
    ranking_ : ndarray of shape (n_features,)
        Rank of each feature, 1 is best.
    support_ : ndarray of shape (n_features,)
        Which features are selected.
    n_pairs_ : int
        How many pairs of labels had rows on both sides.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.

    See Also
    --------
    ReliefFML : ReliefF with one distance between label sets.

    Notes
    -----
    Distances are Manhattan distances of features divided by their range; text and
    category columns of a DataFrame differ by 0 or 1. If only a single label is not
    constant, it makes a pair with its complement.

    References
    ----------
    D. Kong, C. Ding, H. Huang and H. Zhao, "Multi-label ReliefF and F-statistic
    feature selections for image annotation", CVPR 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MLRF
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MLRF(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "aggregate": [StrOptions({"sum", "mean"})],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        n_neighbors: int = 3,
        aggregate: str = "sum",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.aggregate = aggregate
        self.n_jobs = n_jobs

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        labels = _varying_labels(indicator)
        weights = pair_weights(labels)
        self.n_pairs_ = int(np.count_nonzero(weights)) // 2
        scores = self._weights(features, labels, weights)
        return scores / max(1, self.n_pairs_) if self.aggregate == "mean" else scores

    def _weights(
        self, features: Features, indicator: sp.csr_matrix, weights: FloatArray
    ) -> FloatArray:
        from labelsieve.selectors._relief_kernels import pair_coefficients

        sums = ReliefSums(features, slice(None))
        search = sums.distances()
        bits = indicator.toarray()
        indptr = indicator.indptr.astype(np.int64)
        indices = indicator.indices.astype(np.uint32)

        def coefficients(block: slice) -> Iterator[FloatArray]:
            distances = search.block(block)
            pair_coefficients(
                distances, block.start, bits, indptr, indices, weights, self.n_neighbors
            )
            yield distances

        return sums.add_up(coefficients, self.n_jobs)[0]


def _varying_labels(indicator: Matrix) -> sp.csr_matrix:
    """The labels that are not constant; a single one gets its complement."""
    table = sp.csc_matrix(indicator)
    frequencies = np.diff(table.indptr)
    varying = table[:, (frequencies > 0) & (frequencies < table.shape[0])]
    if varying.shape[1] == 1:
        label = varying.toarray()
        return sp.csr_matrix(np.hstack([label ^ 1, label]))
    return varying.tocsr()


def pair_weights(indicator: sp.csr_matrix) -> FloatArray:
    """One over the number of rows with exactly one of two labels, 0 if one-sided."""
    counts = indicator.astype(np.int64)
    both = (counts.T @ counts).toarray()
    only = np.diag(both)[:, None] - both
    two_sided = (only > 0) & (only.T > 0)
    weights = np.zeros(both.shape)
    np.divide(1.0, only + only.T, out=weights, where=two_sided)
    return weights
