"""Scores of labels for nested sets of features, all sizes in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

from labelsieve._plumbing.matrices import as_dense, check_sparse
from labelsieve.classifiers._base import Flags, Floats, Matrix, read_target
from labelsieve.classifiers.brknn import BRkNN
from labelsieve.classifiers.ccknn import CCkNN
from labelsieve.classifiers.scoring import label_scores
from labelsieve.reading import read_values

Categories = dict[int, npt.NDArray[Any]]


@dataclass(frozen=True)
class PathScores:
    """What a classifier says of the test rows at every size of the feature set.

    Attributes
    ----------
    sizes : array of shape (n_sizes,)
        How many of the first features were used.
    scores : array of shape (n_sizes, n_test_rows, n_labels)
        Larger means more relevant.
    predictions : 0/1 array of the same shape
        The predicted labels.
    """

    sizes: npt.NDArray[np.int64]
    scores: Floats
    predictions: Flags


def path_scores(
    classifier: BaseEstimator,
    X_train: Any,
    Y_train: Any,
    X_test: Any,
    order: npt.ArrayLike,
    sizes: npt.ArrayLike,
) -> PathScores:
    """Train on the first features of an order and score the test rows, for each size.

    The result is that of fitting a clone of the classifier on
    ``X_train[:, order[:size]]`` for every size. MLNB, MLkNN, BRkNN and CCkNN need one
    pass for all sizes, because log-likelihoods and squared distances are sums over
    features; scikit-learn's `KNeighborsClassifier` with Euclidean distance and uniform
    votes, and chains of it, are computed as BRkNN and CCkNN, which differs only in
    which of several equally distant rows are nearest. Other classifiers are fitted at
    each size.

    Parameters
    ----------
    classifier : scikit-learn classifier
        Not fitted, and not changed.
    X_train, X_test : arrays or sparse matrices
        The features.
    Y_train : 0/1 matrix of shape (n_samples, n_labels)
        The labels; two other codes are read as 0 and 1.
    order : array of int
        Indices of features, best first, for example a selector's `order_`.
    sizes : array of int
        How many of the first features to use, in any order.

    Returns
    -------
    path : PathScores
        `scores` and `predictions` of shape (n_sizes, n_test_rows, n_labels).

    Examples
    --------
    >>> from labelsieve.classifiers import MLNB, path_scores
    >>> X, Y = [[0, 1], [0, 0], [1, 1], [1, 0]], [[0, 1], [0, 0], [1, 1], [1, 0]]
    >>> path = path_scores(MLNB(), X, Y, [[1, 1]], order=[1, 0], sizes=[1, 2])
    >>> path.predictions[1].tolist()
    [[1, 1]]
    """
    check_sparse(Y_train, "Y_train")
    chosen = _checked_order(order)
    asked = _checked_sizes(sizes, chosen.size)
    unique, position = np.unique(asked, return_inverse=True)
    train, categories = _columns(X_train, chosen[: unique[-1]])
    test, _ = _columns(X_test, chosen[: unique[-1]], categories)
    fast = _one_pass(classifier)
    Y = read_target(Y_train, train, classifier)
    if not Y.multilabel:
        raise ValueError("Y_train must be a 0/1 matrix with one column per label.")
    if fast is None:
        # Some classifiers of scikit-learn write -1 where labels are 0.
        labels = Y.indicator if isinstance(Y.classes, list) else Y_train
        if getattr(labels, "dtype", None) == np.uint8:
            labels = labels.astype(np.int64)
        scores, predictions = _refit(classifier, train, labels, test, unique)
    else:
        scores = fast._path_scores(train, Y.indicator, test, unique)
        predictions = fast._decide(scores).astype(np.uint8)
    if np.array_equal(unique, asked):
        return PathScores(asked, scores, predictions)
    return PathScores(asked, scores[position], predictions[position])


def _checked_order(order: npt.ArrayLike) -> npt.NDArray[np.int64]:
    chosen = np.asarray(order)
    if chosen.ndim != 1 or chosen.size == 0 or chosen.dtype.kind not in "iu":
        raise ValueError(
            "order must be a list of feature indices, best first; got an array of "
            f"shape {chosen.shape} and dtype {chosen.dtype}."
        )
    return chosen.astype(np.int64)


def _checked_sizes(sizes: npt.ArrayLike, longest: int) -> npt.NDArray[np.int64]:
    asked = np.asarray(sizes)
    if asked.ndim != 1 or asked.size == 0 or asked.dtype.kind not in "iu":
        raise ValueError(f"sizes must be a list of whole numbers, got {sizes!r}.")
    if asked.min() < 1 or asked.max() > longest:
        raise ValueError(
            f"sizes must be between 1 and the {longest} features of order, got "
            f"{asked.min()} to {asked.max()}."
        )
    return asked.astype(np.int64)


def _columns(
    X: Any, chosen: npt.NDArray[np.int64], categories: Categories | None = None
) -> tuple[Matrix, Categories]:
    """Return the chosen columns in their order, as plain rows or canonical CSR."""
    features = read_values("path_scores", X, min_rows=1, categories=categories)
    checked = features.values
    if not 0 <= chosen.min() <= chosen.max() < checked.shape[1]:
        raise ValueError(
            f"order must name features of X, which has {checked.shape[1]}; got indices "
            f"from {chosen.min()} to {chosen.max()}."
        )
    if not sparse.issparse(checked):
        columns = np.require(checked[:, chosen], np.float64, ["C", "W"])
    else:
        columns = sparse.csr_array(checked[:, chosen])
        columns.sort_indices()
    return columns, features.categories


def _one_pass(classifier: BaseEstimator) -> Any:
    """Return a classifier that knows how to go down a path, or None."""
    if hasattr(classifier, "_path_scores"):
        classifier._validate_params()
        return clone(classifier)
    if _is_plain_knn(classifier):
        return BRkNN(classifier.n_neighbors, classifier.n_jobs)
    if type(classifier) is ClassifierChain:
        inner: Any = getattr(classifier, "estimator", None)
        if inner is None or isinstance(inner, str):
            inner = getattr(classifier, "base_estimator", None)
        plain = classifier.cv is None and classifier.chain_method == "predict"
        if plain and _is_plain_knn(inner) and classifier.order is not None:
            return CCkNN(
                inner.n_neighbors,
                classifier.order,
                classifier.random_state,
                inner.n_jobs,
            )
    return None


def _is_plain_knn(classifier: Any) -> bool:
    return (
        type(classifier) is KNeighborsClassifier
        and classifier.weights == "uniform"
        and classifier.metric in ("minkowski", "euclidean")
        and (classifier.p == 2 or classifier.metric == "euclidean")
    )


def _refit(
    classifier: BaseEstimator,
    train: Matrix,
    Y_train: Any,
    test: Matrix,
    sizes: npt.NDArray[np.int64],
) -> tuple[Floats, Flags]:
    scores, predictions = [], []
    for size in sizes:
        fitted = clone(classifier).fit(train[:, :size], Y_train)
        scores.append(label_scores(fitted, test[:, :size]))
        predicted = fitted.predict(test[:, :size])
        dense = as_dense(predicted)
        predictions.append(np.asarray(dense, dtype=np.uint8))
    return np.stack(scores), np.stack(predictions)
