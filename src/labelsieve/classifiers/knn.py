"""Nearest-neighbour classifiers: ML-kNN, majorities, and chains of labels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._plumbing.machine import run_in_threads
from labelsieve._plumbing.matrices import slices_of
from labelsieve.classifiers._base import (
    Flags,
    Floats,
    MarginClassifier,
    Matrix,
    ProbabilisticClassifier,
    dense_rows,
)
from labelsieve.neighbors import nearest

Integers = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint16]

QUERY_BLOCK = 256


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
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: Integers
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        if sizes.size == 1:  # matrix products find the neighbours faster
            self._fit_labels(X, Y)
            return self._score_labels(X_test)[None]
        in_training = _path_votes(X, None, Y, self._k(Y), sizes, self.n_jobs)
        in_test = _path_votes(X, X_test, Y, self._k(Y), sizes, self.n_jobs)
        scores = np.empty(in_test.shape)
        for s in range(sizes.size):
            odds = self._posterior_odds(in_training[s], Y)
            scores[s] = _look_up(odds, in_test[s])
        return scores

    def _k(self, Y: Flags) -> int:
        return min(self.n_neighbors, len(Y) - 1)

    def _posterior_odds(self, counts: Counts, Y: Flags) -> Floats:
        k, s, n_labels = self._k(Y), self.smoothing, Y.shape[1]
        # Rows by having a label and by how many of their neighbours have it.
        cells = (Y.astype(np.int64) * n_labels + np.arange(n_labels)) * (k + 1) + counts
        table = np.bincount(cells.ravel(), minlength=2 * n_labels * (k + 1))
        table = table.reshape(2, n_labels, k + 1)
        n_rows = table.sum(axis=2, keepdims=True)
        # P(H) P(j | H) without the denominator of P(H), which both share.
        joint = (s + n_rows) * (s + table) / (s * (k + 1) + n_rows)
        return np.log(joint[1]) - np.log(joint[0])


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
        return _lead_over_half(votes(neighbors, self._labels), k)

    def _path_scores(
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: Integers
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        if sizes.size == 1:  # matrix products find the neighbours faster
            self._fit_labels(X, Y)
            return self._score_labels(X_test)[None]
        k = min(self.n_neighbors, len(Y))
        found = _path_votes(X, X_test, Y, k, sizes, self.n_jobs)
        return _lead_over_half(found, k)


class CCkNN(MarginClassifier):
    """Classifier chain with k nearest neighbours.

    Labels are predicted one after the other, as by `BRkNN`, and each label is a
    further 0/1 feature for those after it: the true value in training rows, the
    predicted one in new rows. This is scikit-learn's
    ``ClassifierChain(KNeighborsClassifier(3))``, with ties of distance given to the
    first rows.

    Parameters
    ----------
    n_neighbors : int, default=3
        The k; at most all training rows are used.
    order : {"random"} or array of label indices, default="random"
        The order of the chain.
    random_state : int, RandomState or None, default=None
        Draws the random order.

    Attributes
    ----------
    order_ : array of shape (n_labels,)
        The labels in the order of the chain.

    Examples
    --------
    >>> from labelsieve.classifiers import CCkNN
    >>> X, Y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [[1, 0]] * 3 + [[0, 1]] * 3
    >>> CCkNN(random_state=0).fit(X, Y).predict([[0.3], [4.9]])
    array([[1, 0],
           [0, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, 65_535, closed="both")],
        "order": [StrOptions({"random"}), "array-like"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_neighbors: int = 3,
        order: Literal["random"] | npt.ArrayLike = "random",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.order = order
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_labels(self, X: Matrix, Y: Flags) -> None:
        self._rows, self._labels = X, Y
        self.order_ = self._chain(Y.shape[1])

    def _score_labels(self, X: Matrix) -> Floats:
        sizes = np.array([X.shape[1]])
        return self._chained(self._rows, self._labels, X, sizes, self.order_)[0]

    def _path_scores(
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: Integers
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        return self._chained(X, Y, X_test, sizes, self._chain(Y.shape[1]))

    def _chain(self, n_labels: int) -> Integers:
        if isinstance(self.order, str):
            return check_random_state(self.random_state).permutation(n_labels)
        order = np.asarray(self.order)
        if not np.array_equal(np.sort(order), np.arange(n_labels)):
            raise ValueError(
                f"order must hold each of the {n_labels} labels 0 to {n_labels - 1} "
                f"once, got {self.order!r}."
            )
        return order.astype(np.int64)

    def _chained(
        self,
        X: Matrix,
        Y: Flags,
        X_test: Matrix,
        sizes: Integers,
        order: Integers,
    ) -> Floats:
        from labelsieve.classifiers._knn_kernels import chain_votes

        k = min(self.n_neighbors, len(Y))
        columns, queries = np.ascontiguousarray(dense_rows(X).T), dense_rows(X_test)
        label_rows = np.ascontiguousarray(Y[:, order].T)
        votes = np.empty((sizes.size, len(queries), Y.shape[1]), dtype=np.uint16)

        def vote(block: slice) -> None:
            part = np.empty_like(votes[:, block])
            chain_votes(queries[block], columns, label_rows, k, sizes, part)
            votes[:, block] = part

        run_in_threads(vote, slices_of(len(queries), QUERY_BLOCK), self.n_jobs)
        return _lead_over_half(votes[:, :, np.argsort(order)], k)


def votes(neighbors: Integers, Y: Flags) -> Counts:
    """Return how many neighbours of each row have each label."""
    counts = np.zeros((len(neighbors), Y.shape[1]), dtype=np.uint16)
    for nth_nearest in neighbors.T:
        counts += Y[nth_nearest]
    return counts


def _path_votes(
    X: Matrix,
    X_test: Matrix | None,
    Y: Flags,
    k: int,
    sizes: Integers,
    n_jobs: int | None,
) -> Counts:
    """Votes of the k nearest for nested sets of leading features.

    The result has the shape [sizes, queries, labels]. Without test rows, those of X
    are searched among themselves.
    """
    from labelsieve.classifiers._knn_kernels import nearest_along_path

    rows = dense_rows(X)
    queries = rows if X_test is None else dense_rows(X_test)
    columns = np.ascontiguousarray(rows.T)
    out = np.empty((sizes.size, len(queries), Y.shape[1]), dtype=np.uint16)

    def search(block: slice) -> None:
        first = block.start if X_test is None else -1
        found = np.empty((sizes.size, block.stop - block.start, k), dtype=np.int64)
        nearest_along_path(queries[block], columns, first, sizes, found)
        for place, neighbors in enumerate(found):
            out[place, block] = votes(neighbors, Y)

    run_in_threads(search, slices_of(len(queries), QUERY_BLOCK), n_jobs)
    return out


def _look_up(odds: Floats, counts: Counts) -> Floats:
    return odds[np.arange(len(odds)), counts]


def _lead_over_half(counts: Counts, k: int) -> Floats:
    """Return the share of votes minus one half: positive is a majority."""
    return counts / k - 0.5
