"""Nearest-neighbour classifiers: ML-kNN, binary relevance, classifier chains."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import ByteArray, FloatArray, IntArray, Matrix, ShortArray
from labelsieve.classifiers._base import (
    CERTAIN,
    MarginClassifier,
    ProbabilisticClassifier,
    dense_rows,
    never_known,
)
from labelsieve.neighbors import nearest

QUERY_BLOCK = 256
# Where labels are partly known, so many times the neighbours that would be enough if
# known rows were spread evenly are searched for; and at most so many times k.
SPARE, MOST_SPARE = 2, 8


class MLkNN(ProbabilisticClassifier):
    """Multi-label k nearest neighbours (ML-kNN).

    Each label has a posterior given the number of the k nearest training samples that
    have it, estimated from the neighbours of the training samples themselves.

    Parameters
    ----------
    n_neighbors : int, default=10
        The k; with n training samples at most n - 1 are used.
    smoothing : float, default=1.0
        The s of Laplace smoothing.

    Attributes
    ----------
    log_odds_ : array of shape (n_labels, n_neighbors + 1)
        Log-odds of each label given the number of neighbours that have it.

    See Also
    --------
    MLNB : Multi-label naive Bayes.
    BRkNN : Majority vote of the nearest neighbours.

    Notes
    -----
    Distances are Euclidean and exact; the smaller index breaks ties. A training sample
    is not its own neighbour, its duplicates are. A label that is partly known is
    learned from the samples where it is known.

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
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    n_neighbors: int = 10
    smoothing: float = 1.0
    n_jobs: int | None = None

    _skips_unknown: ClassVar[bool] = True

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        self._rows, self._labels = X, Y
        k, own = self._k(Y), np.arange(len(Y))
        neighbors, _ = nearest(X, k=_enough(k, Y), n_jobs=self.n_jobs)
        self.log_odds_ = self._posterior_odds(
            known_votes(neighbors, Y, k, X, X, own), Y
        )

    def _score_labels(self, X: Matrix) -> FloatArray:
        rows, Y, k = self._rows, self._labels, self._k(self._labels)
        neighbors, _ = nearest(X, rows, k=_enough(k, Y), n_jobs=self.n_jobs)
        return _look_up(self.log_odds_, known_votes(neighbors, Y, k, X, rows))

    def _path_scores(
        self, X: Matrix, Y: ByteArray, X_test: Matrix, sizes: IntArray
    ) -> FloatArray:
        in_training = _path_votes(X, None, Y, self._k(Y), sizes, self.n_jobs)
        in_test = _path_votes(X, X_test, Y, self._k(Y), sizes, self.n_jobs)
        scores = np.empty(in_test.shape)
        for s in range(sizes.size):
            odds = self._posterior_odds(in_training[s], Y)
            scores[s] = _look_up(odds, in_test[s])
        return scores

    def _k(self, Y: ByteArray) -> IntArray:
        """The k of each label: it needs so many rows beside each where it is known."""
        return np.clip((Y < 2).sum(axis=0) - 1, 0, self.n_neighbors)

    def _posterior_odds(self, counts: ShortArray, Y: ByteArray) -> FloatArray:
        k, s, n_labels = self._k(Y), self.smoothing, Y.shape[1]
        most = int(k.max())
        # Rows by having a label and by how many of their neighbours have it.
        places = Y.astype(np.int64) * n_labels + np.arange(n_labels)
        cells = (places * (most + 1) + counts)[Y < 2]
        table = np.bincount(cells, minlength=2 * n_labels * (most + 1))
        table = table.reshape(2, n_labels, most + 1)
        n_rows = table.sum(axis=2, keepdims=True)
        # P(H) P(j | H) without the denominator of P(H), which both share.
        joint = (s + n_rows) * (s + table) / (s * (k[:, None] + 1) + n_rows)
        odds = np.log(joint[1]) - np.log(joint[0])
        return np.where(never_known(Y)[:, None], -CERTAIN, odds)


class BRkNN(MarginClassifier):
    """Binary relevance with k nearest neighbours.

    A label is predicted if more than half of the k nearest training samples have it.
    This is scikit-learn's `KNeighborsClassifier` on a label matrix; the smaller index
    breaks ties of distance.

    Parameters
    ----------
    n_neighbors : int, default=3
        The k; at most all training samples are used.

    See Also
    --------
    CCkNN : The same as a classifier chain.

    Examples
    --------
    >>> from labelsieve.classifiers import BRkNN
    >>> X, Y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [[1, 0]] * 3 + [[0, 1]] * 3
    >>> BRkNN().fit(X, Y).predict([[0.3], [4.9]])
    array([[1, 0],
           [0, 1]])
    """

    n_neighbors: int = 3
    n_jobs: int | None = None

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        self._rows, self._labels = X, Y

    def _score_labels(self, X: Matrix) -> FloatArray:
        k = min(self.n_neighbors, len(self._labels))
        neighbors, _ = nearest(X, self._rows, k=k, n_jobs=self.n_jobs)
        return _lead_over_half(votes(neighbors, self._labels), k)

    def _path_scores(
        self, X: Matrix, Y: ByteArray, X_test: Matrix, sizes: IntArray
    ) -> FloatArray:
        k = np.full(Y.shape[1], min(self.n_neighbors, len(Y)))
        found = _path_votes(X, X_test, Y, k, sizes, self.n_jobs)
        return _lead_over_half(found, int(k[0]))


class CCkNN(MarginClassifier):
    """Classifier chain with k nearest neighbours.

    Labels are predicted one after the other, as by `BRkNN`, and each label is a further
    0/1 feature for those after it: its true value in training samples, the predicted
    one in new samples. This is scikit-learn's
    ``ClassifierChain(KNeighborsClassifier(3))``; the smaller index breaks ties of
    distance.

    Parameters
    ----------
    n_neighbors : int, default=3
        The k; at most all training samples are used.
    order : {"random"} or array of label indices, default="random"
        The order of the chain.
    random_state : int, RandomState or None, default=None
        The seed of the random order.

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
        "order": [StrOptions({"random"}), "array-like"],
    }

    n_neighbors: int = 3
    order: Literal["random"] | npt.ArrayLike = "random"
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        self._rows, self._labels = X, Y
        self.order_ = self._chain(Y.shape[1])

    def _score_labels(self, X: Matrix) -> FloatArray:
        sizes = np.array([X.shape[1]])
        return self._chained(self._rows, self._labels, X, sizes, self.order_)[0]

    def _path_scores(
        self, X: Matrix, Y: ByteArray, X_test: Matrix, sizes: IntArray
    ) -> FloatArray:
        return self._chained(X, Y, X_test, sizes, self._chain(Y.shape[1]))

    def _chain(self, n_labels: int) -> IntArray:
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
        self, X: Matrix, Y: ByteArray, X_test: Matrix, sizes: IntArray, order: IntArray
    ) -> FloatArray:
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


def votes(neighbors: IntArray, Y: ByteArray) -> ShortArray:
    """Return how many neighbours of each row have each label."""
    counts = np.zeros((len(neighbors), Y.shape[1]), dtype=np.uint16)
    for nth_nearest in neighbors.T:
        counts += Y[nth_nearest]
    return counts


def known_votes(
    neighbors: IntArray,
    Y: ByteArray,
    k: IntArray,
    queries: Matrix,
    rows: Matrix,
    own: IntArray | None = None,
) -> ShortArray:
    """Return how many of the k nearest rows in which a label is known have it.

    `neighbors` are the nearest of all rows, nearest first. Where too few of them are
    known, the known rows are searched. `own` are the queries among the rows.
    """
    if not (Y == 2).any():
        return votes(neighbors, Y)
    counts = np.zeros((len(neighbors), Y.shape[1]), dtype=np.uint16)
    seen = np.zeros_like(counts)
    for nth_nearest in neighbors.T:
        cells = Y[nth_nearest]
        taken = (cells < 2) & (seen < k)
        counts += taken & (cells == 1)
        seen += taken
    short = seen < k
    if own is not None:
        short &= Y[own] < 2
    for label in np.flatnonzero(short.any(axis=0)):
        (known,), (asked,) = np.nonzero(Y[:, label] < 2), np.nonzero(short[:, label])
        n_nearest = int(k[label]) + (own is not None)
        found, _ = nearest(queries[asked], rows[known], k=n_nearest)
        found = known[found]
        if own is not None:  # a row itself goes last, and then away
            order = np.argsort(found == own[asked, None], axis=1, kind="stable")
            found = np.take_along_axis(found, order[:, :-1], axis=1)
        counts[asked, label] = Y[found, label].sum(axis=1)
    return counts


def _enough(k: IntArray, Y: ByteArray) -> int:
    """How many neighbours hold the k nearest known ones of most labels and rows."""
    most, share = int(k.max()), float((Y < 2).mean(axis=0).min())
    if share == 1.0:
        return most
    return min(int(most * min(MOST_SPARE, SPARE / max(share, 1e-9))), len(Y) - 1)


def _path_votes(
    X: Matrix,
    X_test: Matrix | None,
    Y: ByteArray,
    k: IntArray,
    sizes: IntArray,
    n_jobs: int | None,
) -> ShortArray:
    """Votes of the k nearest for nested sets of leading features.

    The result has the shape [sizes, queries, labels]. Without test rows, those of X
    are searched among themselves.
    """
    from labelsieve.classifiers._knn_kernels import nearest_along_path

    rows = dense_rows(X)
    queries = rows if X_test is None else dense_rows(X_test)
    columns = np.ascontiguousarray(rows.T)
    out = np.zeros((sizes.size, len(queries), Y.shape[1]), dtype=np.uint16)
    if not k.any():
        return out

    def search(block: slice) -> None:
        own = np.arange(block.start, block.stop) if X_test is None else None
        first = -1 if own is None else block.start
        shape = sizes.size, block.stop - block.start, _enough(k, Y)
        found = np.empty(shape, dtype=np.int64)
        nearest_along_path(queries[block], columns, first, sizes, found)
        for place, (size, neighbors) in enumerate(zip(sizes, found, strict=True)):
            leading = queries[block, :size], rows[:, :size]
            out[place, block] = known_votes(neighbors, Y, k, *leading, own)

    run_in_threads(search, slices_of(len(queries), QUERY_BLOCK), n_jobs)
    return out


def _look_up(odds: FloatArray, counts: ShortArray) -> FloatArray:
    return odds[np.arange(len(odds)), counts]


def _lead_over_half(counts: ShortArray, k: int) -> FloatArray:
    """Return the share of votes minus one half: positive is a majority."""
    return counts / k - 0.5
