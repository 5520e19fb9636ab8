"""Binary relevance with nearest neighbours: the majority of the nearest rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval

from labelsieve.classifiers._base import Flags, Floats, MarginClassifier, Matrix
from labelsieve.classifiers._knn import dense_rows, path_votes, votes
from labelsieve.neighbors import nearest


class BRkNN(MarginClassifier):
    """Binary relevance with k nearest neighbours.

    A label is predicted if more than half of the k nearest training rows have it.
    This is scikit-learn's `KNeighborsClassifier` on a label matrix, with ties of
    distance given to the first rows.

    Parameters
    ----------
    n_neighbors : int, default=3
        The k; at most all training rows are used.

    See Also
    --------
    CCkNN : The same with the labels in a chain.

    Examples
    --------
    >>> from labelsieve.classifiers import BRkNN
    >>> X, Y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [[1, 0]] * 3 + [[0, 1]] * 3
    >>> BRkNN().fit(X, Y).predict([[0.3], [4.9]])
    array([[1, 0],
           [0, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, 65_535, closed="both")],
        "n_jobs": [Integral, None],
    }

    def __init__(self, n_neighbors: int = 3, n_jobs: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        self._rows, self._labels = X, Y

    def _score_labels(self, X: Matrix) -> Floats:
        k = min(self.n_neighbors, len(self._labels))
        neighbors, _ = nearest(X, self._rows, k=k, n_jobs=self.n_jobs)
        return lead_over_half(votes(neighbors, self._labels), k)

    def _path_scores(
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: npt.NDArray[np.int64]
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        if sizes.size == 1:  # matrix products find the neighbours faster
            self._fit_labels(X, Y)
            return self._score_labels(X_test)[None]
        k = min(self.n_neighbors, len(Y))
        queries = dense_rows(X_test)
        found = path_votes(dense_rows(X), queries, Y, k, sizes, self.n_jobs)
        return lead_over_half(found, k)


def lead_over_half(counts: npt.NDArray[np.uint16], k: int) -> Floats:
    """Return the share of votes minus one half: positive is a majority."""
    return counts / k - 0.5
