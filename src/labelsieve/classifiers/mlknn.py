"""ML-kNN: posteriors of labels given how many of the nearest rows have them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval

from labelsieve.classifiers._base import (
    Flags,
    Floats,
    Matrix,
    ProbabilisticClassifier,
)
from labelsieve.classifiers._knn import Counts, dense_rows, path_votes, votes
from labelsieve.neighbors import nearest


class MLkNN(ProbabilisticClassifier):
    """Multi-label k nearest neighbours.

    Each label has a posterior given the number of the k nearest training rows that
    have it, estimated from the neighbours of the training rows themselves.

    Parameters
    ----------
    n_neighbors : int, default=10
        The k; with n training rows at most n - 1 are used.
    smoothing : float, default=1.0
        The s of Laplace smoothing.

    Attributes
    ----------
    log_odds_ : array of shape (n_labels, n_neighbors + 1)
        Log-odds of each label by the number of neighbours that have it.

    See Also
    --------
    MLNB : Multi-label naive Bayes.
    BRkNN : The majority of the nearest rows.

    Notes
    -----
    Distances are Euclidean and exact; of equally distant rows the first ones are
    nearer. A training row is not its own neighbour, its duplicates are.

    References
    ----------
    M.-L. Zhang, Z.-H. Zhou, "ML-KNN: a lazy learning approach to multi-label
    learning", Pattern Recognition 40, 2007.

    Examples
    --------
    >>> from labelsieve.classifiers import MLkNN
    >>> X, Y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [[1, 0]] * 3 + [[0, 1]] * 3
    >>> MLkNN(n_neighbors=2).fit(X, Y).predict([[0.3], [4.9]])
    array([[1, 0],
           [0, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, 65_535, closed="both")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        smoothing: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothing = smoothing
        self.n_jobs = n_jobs

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        self._rows, self._labels = X, Y
        neighbors, _ = nearest(X, k=self._k(Y), n_jobs=self.n_jobs)
        self.log_odds_ = self._posterior_odds(votes(neighbors, Y), Y)

    def _score_labels(self, X: Matrix) -> Floats:
        k = self._k(self._labels)
        neighbors, _ = nearest(X, self._rows, k=k, n_jobs=self.n_jobs)
        return _look_up(self.log_odds_, votes(neighbors, self._labels))

    def _path_scores(
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: npt.NDArray[np.int64]
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        if sizes.size == 1:  # matrix products find the neighbours faster
            self._fit_labels(X, Y)
            return self._score_labels(X_test)[None]
        rows, queries, k = dense_rows(X), dense_rows(X_test), self._k(Y)
        in_training = path_votes(rows, None, Y, k, sizes, self.n_jobs)
        in_test = path_votes(rows, queries, Y, k, sizes, self.n_jobs)
        scores = np.empty(in_test.shape)
        for s in range(sizes.size):
            odds = self._posterior_odds(in_training[s], Y)
            scores[s] = _look_up(odds, in_test[s])
        return scores

    def _k(self, Y: Flags) -> int:
        return min(self.n_neighbors, len(Y) - 1)

    def _posterior_odds(self, counts: Counts, Y: Flags) -> Floats:
        from labelsieve.classifiers._knn_kernels import tabulate

        k, s = self._k(Y), self.smoothing
        table = np.zeros((2, Y.shape[1], k + 1), dtype=np.int64)
        tabulate(counts, Y, table)
        n_rows = table.sum(axis=2, keepdims=True)
        # P(H) P(j | H) without the denominator of P(H), which both share.
        joint = (s + n_rows) * (s + table) / (s * (k + 1) + n_rows)
        return np.log(joint[1]) - np.log(joint[0])


def _look_up(odds: Floats, counts: Counts) -> Floats:
    from labelsieve.classifiers._knn_kernels import look_up

    out = np.empty(counts.shape)
    look_up(np.ascontiguousarray(odds), counts, out)
    return out
