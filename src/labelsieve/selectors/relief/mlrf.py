"""MLRF: ReliefF on pairs of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import StrOptions

from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import Distances
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows import draw_anchors
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.relief.relieff_ml import ReliefSums, parts_of


class MLRF(IndicatorSelector):
    """Multi-label ReliefF on pairs of labels (Kong, Ding, Huang and Zhao, 2012).

    Every pair of labels is a two-class problem: samples with only the first label
    against samples with only the second. Samples with both are ambiguous and left out.
    A feature gains where a sample differs from its nearest misses, and loses where it
    differs from its nearest hits. Pure interactions (XOR) are found as well.

    Parameters
    ----------
    n_neighbors : int, default=3
        How many hits and misses to use; fewer where a class has fewer samples.
    aggregate : {"sum", "mean"}, default="sum"
        Sum or mean of the weights of all pairs of labels. The ranking is the same.
    n_anchors : int or None, default=None
        Sum over only so many random samples; their neighbours are found among all
        samples.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weight of each feature; 0 for constant features.
    n_pairs_ : int
        How many pairs of labels had samples of both classes.

    See Also
    --------
    ReliefFML : ReliefF with a distance between label sets, whatever their number.

    Notes
    -----
    Distances are Manhattan distances of features divided by their range; nominal
    features differ by 0 or 1. If only a single label varies, it is paired with its
    complement.

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

    _takes_numbers: ClassVar[bool] = False  # categories differ by 0 or 1
    _slow_terms: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "aggregate": [StrOptions({"sum", "mean"})],
    }

    n_neighbors: int = 3
    aggregate: str = "sum"
    n_anchors: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        n_rows = indicator.shape[0]
        anchors = draw_anchors(n_rows, self.n_anchors, self.random_state)
        labels = varying_labels(indicator)
        self.n_pairs_ = int(np.count_nonzero(pair_weights(labels))) // 2
        (sums,) = self._sums(features, labels, anchors)
        return self._per_pair(sums * (n_rows / anchors.size))

    def _per_pair(self, sums: FloatArray) -> FloatArray:
        return sums / max(1, self.n_pairs_) if self.aggregate == "mean" else sums

    def _sums(
        self,
        features: Features,
        labels: sp.csr_matrix,
        anchors: IntArray,
        in_parts: bool = False,
    ) -> FloatArray:
        """The sums over pairs of labels, in one line or in a line for each part."""
        from labelsieve.selectors.relief.kernels import pair_coefficients

        sums = ReliefSums(features, slice(None))
        search = Distances(sums.rows[anchors], sums.rows, metric=sums.metric)
        by_label, bits = labels.tocsc(), np.ascontiguousarray(labels.T.toarray())
        lists = by_label.indptr.astype(np.int64), by_label.indices.astype(np.int64)
        weights, k = pair_weights(labels), self.n_neighbors

        def coefficients(block: slice) -> Iterator[FloatArray]:
            distances = search.block(block)
            out = np.empty_like(distances)
            pair_coefficients(distances, anchors[block], *lists, bits, weights, k, out)
            yield from parts_of(out) if in_parts else (out,)

        return sums.add_up(coefficients, self.n_jobs, anchors)

    def _terms(self, explained: Explained) -> ScoreTerms:
        if self.n_anchors is not None:
            return explained.only_term("weight")
        labels = varying_labels(explained.indicator)
        everyone = np.arange(labels.shape[0])
        parts = self._sums(explained.features, labels, everyone, in_parts=True)
        other, same = self._per_pair(parts[:, explained.chosen])
        return ScoreTerms({"misses": other, "hits": same})


def varying_labels(indicator: Matrix) -> sp.csr_matrix:
    """The labels that are not constant; a single one gets its complement."""
    table = sp.csc_matrix(indicator)
    frequencies = np.diff(table.indptr)
    varying = table[:, (frequencies > 0) & (frequencies < table.shape[0])]
    if varying.shape[1] == 1:
        label = varying.toarray()
        return sp.csr_matrix(np.hstack([label ^ 1, label]))
    return varying.tocsr()


def pair_weights(labels: sp.csr_matrix) -> FloatArray:
    """One over the number of rows with exactly one of two labels, 0 if one-sided."""
    counts = labels.astype(np.int64)
    both = (counts.T @ counts).toarray()
    only = np.diag(both)[:, None] - both
    two_sided = (only > 0) & (only.T > 0)
    weights = np.zeros(both.shape)
    np.divide(1.0, only + only.T, out=weights, where=two_sided)
    return weights
