"""A classifier chain of nearest neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve.classifiers._base import Flags, Floats, MarginClassifier, Matrix
from labelsieve.classifiers._knn import dense_rows, path_chain_votes
from labelsieve.classifiers.brknn import lead_over_half


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
        self, X: Matrix, Y: Flags, X_test: Matrix, sizes: npt.NDArray[np.int64]
    ) -> Floats:
        """Scores for the leading features of X, for every (ascending) size."""
        return self._chained(X, Y, X_test, sizes, self._chain(Y.shape[1]))

    def _chain(self, n_labels: int) -> npt.NDArray[np.int64]:
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
        sizes: npt.NDArray[np.int64],
        order: npt.NDArray[np.int64],
    ) -> Floats:
        k = min(self.n_neighbors, len(Y))
        counts = path_chain_votes(
            dense_rows(X), dense_rows(X_test), Y[:, order], k, sizes, self.n_jobs
        )
        return lead_over_half(counts[:, :, np.argsort(order)], k)
