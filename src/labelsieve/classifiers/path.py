"""Label scores of any classifier, and along a ranking of features."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags

from labelsieve._utils.estimators import as_accepted
from labelsieve._utils.matrices import as_dense, check_sparse
from labelsieve._utils.typing import BoolArray, ByteArray, FloatArray, IntArray, Matrix
from labelsieve.classifiers._base import read_target
from labelsieve.classifiers.emcfs import EMCFS
from labelsieve.classifiers.knn import MLkNN
from labelsieve.classifiers.mlnb import MLNB
from labelsieve.reading import (
    CLASS,
    LABEL,
    NUMBER,
    Features,
    Groups,
    as_numbers,
    read_values,
    with_nan,
)

Categories = dict[int, npt.NDArray[Any]]
# Models that predict several numbers as they would predict each alone.
SIDE_BY_SIDE = (Ridge, KNeighborsRegressor)


@dataclass(frozen=True)
class PathScores:
    """Scores and predictions of a classifier for nested feature subsets.

    Attributes
    ----------
    sizes : array of shape (n_sizes,)
        The sizes of the subsets.
    scores : array of shape (n_sizes, n_test_rows, n_labels)
        Larger means more relevant.
    predictions : 0/1 array of the same shape
        The predicted labels.
    classes, numbers : arrays of shape (n_sizes, n_test_rows, n_targets)
        Predictions of other targets, where there are any.
    """

    sizes: IntArray
    scores: FloatArray
    predictions: ByteArray
    classes: Any = None
    numbers: Any = None


def path_scores(
    classifier: BaseEstimator,
    X_train: Any,
    Y_train: Any,
    X_test: Any,
    order: npt.ArrayLike,
    sizes: npt.ArrayLike,
) -> PathScores:
    """Train on the best features of a ranking and score test samples, for each size.

    The result is that of fitting a clone of the classifier on
    ``X_train[:, order[:size]]`` for every size. MLNB, MLkNN, BRkNN and CCkNN need one
    pass for all sizes, because log-likelihoods and squared distances are sums over
    features. Other classifiers are fitted at each size.

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
        The sizes of the subsets, in any order.

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
    Y = read_target(Y_train, train, classifier)
    if not Y.multilabel:
        raise ValueError("Y_train must be a 0/1 matrix with one column per label.")
    if hasattr(classifier, "_path_scores"):
        classifier._validate_params()
        fast = clone(classifier)
        if unique.size > 1:
            scores = fast._path_scores(train, Y.indicator, test, unique)
        else:  # matrix products find neighbours faster
            fast._fit_labels(train, Y.indicator)
            scores = fast._score_labels(test)[np.newaxis]
        predictions = fast._decide(scores).astype(np.uint8)
    else:
        # Some classifiers of scikit-learn write -1 where labels are 0.
        labels = Y.indicator if isinstance(Y.classes, list) else Y_train
        if getattr(labels, "dtype", None) == np.uint8:
            labels = labels.astype(np.int64)
        said, decided = [], []
        for size in unique:
            known = as_accepted(train[:, :size], classifier)
            unseen = as_accepted(test[:, :size], classifier)
            fitted = clone(classifier).fit(known, labels)
            found = label_scores(fitted, unseen)
            predicted = np.asarray(as_dense(fitted.predict(unseen)), np.uint8)
            if predicted.ndim == 1 and found.ndim == 2:  # of one label
                found = _positive_columns([found], [fitted.classes_])
            said.append(found.reshape(len(found), -1))
            decided.append(predicted.reshape(len(predicted), -1))
        scores, predictions = np.stack(said), np.stack(decided)
    return PathScores(asked, scores[position], predictions[position])


def _checked_order(order: npt.ArrayLike) -> IntArray:
    chosen = np.asarray(order)
    if chosen.ndim != 1 or chosen.size == 0 or chosen.dtype.kind not in "iu":
        raise ValueError(
            "order must be a list of feature indices, best first; got an array of "
            f"shape {chosen.shape} and dtype {chosen.dtype}."
        )
    return chosen.astype(np.int64)


def _checked_sizes(sizes: npt.ArrayLike, longest: int) -> IntArray:
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
    X: Any, chosen: IntArray, categories: Categories | None = None
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


class PathPredictor:
    """Trains and asks models at every size of a ranking.

    Models know numbers only: a nominal feature with more than two categories becomes
    one column of 0 and 1 per category, which enter and leave together. A missing cell
    becomes the median of its feature in the training rows. Each target is learned from
    the training rows where it is known, as if it stood alone. A class is a label for
    each of its values, of which the best is predicted.

    Parameters
    ----------
    features : Features
        All rows.
    targets : array of shape (n_rows, n_targets)
        Labels as 0 and 1, classes as 0, 1, ..., numbers; NaN where they are not known.
    classifier : classifier or None
        Of labels and classes; None means naive Bayes for sparse features and ML-kNN
        for others.
    scaled : bool
        Whether dense features are scaled to [0, 1] by the training rows.
    kinds : sequence of str
        What each target is; by default all are labels.
    regressor : regressor or None
        Of numbers; None means the mean of the ten nearest neighbours.
    predicts : collection of str
        The kinds of targets that are asked for.
    column_groups : array of shape (n_features,) or None
        Numbers of groups of features, which are then what has a place in a ranking.
    """

    def __init__(
        self,
        features: Features,
        targets: Any,
        classifier: Any,
        scaled: bool,
        kinds: Sequence[str] = (),
        regressor: Any = None,
        predicts: Collection[str] = (LABEL, CLASS, NUMBER),
        column_groups: IntArray | None = None,
    ) -> None:
        is_sparse = sparse.issparse(features.values)
        if classifier is None:
            classifier = MLNB() if is_sparse else MLkNN()
        self.classifier = classifier
        self.regressor = KNeighborsRegressor(10) if regressor is None else regressor
        self._scaled = scaled and not is_sparse
        group = np.arange(features.values.shape[1])
        if column_groups is not None and (column_groups != group).any():
            order = np.argsort(column_groups, kind="stable")
            group, features = column_groups[order], features.take_columns(order)
        X, known = features.values, features.categories
        nominal = {c: (X[:, c], len(k)) for c, k in known.items() if len(k) > 2}
        self._values, columns = X, features.groups
        if nominal:
            self._values, columns = as_numbers(X, nominal)
        self._groups = Groups(np.bincount(group, columns.sizes).astype(np.int64))
        self._some_missing = features.n_missing is not None
        self._predicts = predicts
        self._set_targets(targets, np.array(kinds or [LABEL] * targets.shape[1]))

    @property
    def name(self) -> str:
        """The class of the classifier, or of the regressor where all are numbers."""
        of_labels = self._labels.shape[1] > 0
        return type(self.classifier if of_labels else self.regressor).__name__

    def of_targets(self, columns: IntArray) -> PathPredictor:
        """The same predictor of some of the targets."""
        fewer = copy(self)
        fewer._set_targets(self.targets[:, columns], self.kinds[columns])
        return fewer

    def truth(self, kind: str, rows: Any = slice(None)) -> npt.NDArray[Any]:
        """The targets of a kind that are asked for, in some rows."""
        return self.targets[rows][:, self.which(kind)]

    def which(self, kind: str) -> BoolArray:
        """Which targets are of a kind, and asked for."""
        return (self.kinds == kind) & (kind in self._predicts)

    def _set_targets(self, targets: Any, kinds: npt.NDArray[Any]) -> None:
        self.targets, self.kinds = targets, kinds
        parts = [self.truth(LABEL)]
        for column in self.truth(CLASS).T:
            known = ~np.isnan(column[:, None])
            values = np.arange(np.nanmax(column, initial=0) + 1)
            parts.append(np.where(known, column[:, None] == values, np.nan))
        self._labels = np.hstack(parts) if len(parts) > 1 else parts[0]
        self._classes = np.cumsum([part.shape[1] for part in parts])
        self._model = self.classifier
        if (self._labels != self._labels).any():
            self._model = per_label(self.classifier, skips_unknown=True)

    def path(
        self, train: IntArray, test: IntArray, order: IntArray, sizes: IntArray
    ) -> PathScores:
        """What the models say of the test rows with the first features."""
        columns = np.concatenate([np.r_[self._groups.columns(f)] for f in order])
        known, unseen = self._values[train], self._values[test]
        if not sparse.issparse(known):  # what is not asked need not be scaled
            known, unseen = known[:, columns], unseen[:, columns]
            columns = np.arange(columns.size)
        if self._some_missing:
            imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            known = imputer.fit_transform(with_nan(known))
            unseen = imputer.transform(with_nan(unseen))
        if self._scaled:
            scaler = MinMaxScaler().fit(known)
            known, unseen = scaler.transform(known), scaler.transform(unseen)
        reach = np.cumsum(self._groups.sizes[order])[sizes - 1]
        none = np.empty((reach.size, len(test), 0))
        found = PathScores(reach, none, none.astype(np.uint8))
        if self._labels.shape[1]:
            labels = self._labels[train]
            found = path_scores(self._model, known, labels, unseen, columns, reach)
        numbers = None
        if self.which(NUMBER).any():
            steps = [columns[:size] for size in reach]
            Y = self.truth(NUMBER, train)
            numbers = np.stack([self._numbers(known, Y, unseen, c) for c in steps])
        n_labels, *_ = self._classes
        # Of each class the value that has the largest score.
        parts = np.split(found.scores, self._classes, axis=2)[1:-1]
        best = [part.argmax(axis=2) for part in parts]
        return replace(
            found,
            scores=found.scores[:, :, :n_labels],
            predictions=found.predictions[:, :, :n_labels],
            classes=np.stack(best, axis=2) if best else none,
            numbers=numbers,
        )

    def _numbers(
        self, known: Matrix, Y: FloatArray, unseen: Matrix, c: IntArray
    ) -> FloatArray:
        """Predictions of numbers from some columns; NaN of those that no row knows."""
        found = np.full((unseen.shape[0], Y.shape[1]), np.nan)
        X, X_test = (as_accepted(x[:, c], self.regressor) for x in (known, unseen))
        for rows, which in _known_together(Y, isinstance(self.regressor, SIDE_BY_SIDE)):
            model = clone(self.regressor)
            if isinstance(model, KNeighborsRegressor):
                model.set_params(n_neighbors=min(model.n_neighbors, rows.size))
            y = Y[np.ix_(rows, which)]
            fitted = model.fit(X[rows], y if which.size > 1 else y.ravel())
            found[:, which] = fitted.predict(X_test).reshape(-1, which.size)
        return found


def _known_together(
    Y: FloatArray, side_by_side: bool
) -> Iterator[tuple[IntArray, IntArray]]:
    """Rows, and numbers that are known in these; otherwise one number at a time."""
    known = ~np.isnan(Y)
    places = np.arange(Y.shape[1])
    if side_by_side:
        places = np.unique(known, axis=1, return_inverse=True)[1].ravel()
    for place in np.unique(places):
        which = np.flatnonzero(places == place)
        rows = np.flatnonzero(known[:, which[0]])
        if rows.size:
            yield rows, which


def per_label(classifier: Any, *, skips_unknown: bool = False) -> Any:
    """The classifier, or one of it per label where it knows one target only.

    With `skips_unknown` also where it needs to know every label of a row.
    """
    tags = get_tags(classifier)
    of_classes = tags.classifier_tags
    knows_many = of_classes is not None and of_classes.multi_label
    knows_many |= tags.target_tags.multi_output
    if skips_unknown:
        knows_many = getattr(classifier, "_skips_unknown", False)
    # As printed, EMCFS keeps every feature for every label.
    return classifier if knows_many else EMCFS(classifier=classifier, mode="threshold")


def label_scores(estimator: BaseEstimator, X: Any) -> FloatArray:
    """Return one score per sample and label: larger means more relevant.

    Taken from the first of `label_scores`, `decision_function`, `predict_proba` and
    `predict` that the fitted estimator has. scikit-learn's lists of two-column
    probabilities become one column per label.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelsieve.classifiers import label_scores
    >>> X, Y = [[0.0], [1.0], [5.0]], [[1, 0], [1, 0], [0, 1]]
    >>> label_scores(KNeighborsClassifier(1).fit(X, Y), [[0.2]]).tolist()
    [[1.0, 0.0]]
    """
    for method in ("label_scores", "decision_function", "predict_proba"):
        if hasattr(estimator, method):
            scores = getattr(estimator, method)(X)
            if isinstance(scores, list):
                return _positive_columns(scores, estimator.classes_)
            return np.asarray(scores, dtype=np.float64)
    return np.asarray(estimator.predict(X), dtype=np.float64)


def _positive_columns(
    probabilities: list[FloatArray], classes: list[npt.NDArray[Any]]
) -> FloatArray:
    # A label that is constant in training has one class, which may be 0 or 1.
    return np.column_stack(
        [
            columns @ (np.asarray(values) == 1)
            for columns, values in zip(probabilities, classes, strict=True)
        ]
    )
