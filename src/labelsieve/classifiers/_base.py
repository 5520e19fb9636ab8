"""The scikit-learn contract that every classifier keeps, written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, dataclass_transform

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit, log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.svm import LinearSVC
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from labelsieve._utils.estimators import (
    Documented,
    fits_in_one_step,
    refuse_bools,
    require_targets,
)
from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense, check_sparse
from labelsieve._utils.messages import status, warn
from labelsieve._utils.typing import BoolArray, ByteArray, FloatArray, IntArray, Matrix
from labelsieve.reading import (
    Labels,
    as_matrix,
    listed_names,
    read_features,
    read_labels,
    sparse_indicator,
    warn_other_order,
    without_tags,
)

# Score of a label that is absent from (minus) or present in (plus) all training
# rows: it is ranked behind or before all others.
CERTAIN = 1e6


@dataclass_transform(eq_default=False)
class LabelClassifier(Documented, ClassifierMixin, BaseEstimator):
    """Base of all classifiers: subclasses implement `_fit_labels` and `_score_labels`.

    ``_fit_labels(X, Y)`` gets a float64 matrix and a 0/1 matrix, and
    ``_score_labels(X)`` returns one score per sample and label: larger is more
    relevant.
    A 1-D y is read as scikit-learn does: two classes are one label, more classes are
    one label each, of which the best is predicted. Where `_skips_unknown`, cells of Y
    that are not known are 2. ``_path_scores(X, Y, X_test, sizes)``, of those that have
    it, scores test rows by the leading features of X, for each (ascending) size. What
    docstrings of subclasses leave out is said here:

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : array or list of arrays
        The labels 0, 1, ..., or the classes of a 1-D y; where labels are coded by
        other values than 0 and 1, the codes of each.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.
    """

    _skips_unknown: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        # Of those that have them:
        "n_jobs": [Integral, None],
        "n_neighbors": [Interval(Integral, 1, 65_535, closed="both")],
        "random_state": ["random_state"],
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Annotated attributes of subclasses are their parameters.
        dataclass(repr=False, eq=False)(cls)
        super().__init_subclass__(**kwargs)

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_bools(self)

    # Some hold the user's classifiers and selectors, whose parameters count as well.
    @fits_in_one_step
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> LabelClassifier:
        """Learn the labels y from the features X.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features.
        y : array, sparse matrix or DataFrame of shape (n_samples, n_labels)
            A 0/1 indicator matrix, or one of two other values, or a 1-D array of
            classes; or a list of tags per sample, whose labels are the sorted tags.
            Unknown labels (NaN) are skipped by BRLogistic, EMCFS, LIFT, MLkNN and MLNB,
            which learn each label from the samples where it is known, and refused by
            the others.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> LabelClassifier:
        features = read_features(self, X)
        warn_other_order(X, y)
        target = read_target(y, features.values, self)
        self._categories = features.categories
        self._target = target
        self.classes_ = target.classes
        if target.n_columns:
            warn_constant(target.indicator)
            with status(type(self).__name__):
                self._fit_labels(features.values, target.indicator)
        target.indicator = target.indicator[:0]  # which need not be carried along
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Predict the labels of every sample, in the form of the y given to `fit`.

        Returns
        -------
        y : array of shape (n_samples, n_labels) or (n_samples,)
            0 or 1 for each sample and label, or the values that were given, or the
            class of each sample.
        """
        scores = self.label_scores(X)
        if self._target.multilabel:
            decided, codes = self._decide(scores), self.classes_
            if not isinstance(codes, list):
                return decided.astype(np.int64)
            absent, present = (np.array([c[i] for c in codes]) for i in (0, -1))
            return np.where(decided, present, absent)
        chosen = self.classes_[self._choose_class(scores)]
        return chosen.reshape(-1, 1) if self._target.is_column else chosen

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the fraction of samples with all labels right.

        Parameters
        ----------
        X, y : as in `fit`
            The features and the true labels.
        sample_weight : array of shape (n_samples,), default=None
            The weight of each sample.

        Returns
        -------
        score : float
            Accuracy; with several labels, subset accuracy.
        """
        check_sparse(y, "y")
        return float(super().score(X, y, sample_weight))

    def label_scores(self, X: npt.ArrayLike) -> FloatArray:
        """Score every label of every sample; larger means more relevant.

        Returns
        -------
        scores : array of shape (n_samples, n_labels)
            The scores that rank the labels of a sample.
        """
        check_is_fitted(self)
        features = read_features(
            self, X, reset=False, categories=self._categories or None, min_rows=1
        )
        if not self._target.n_columns:
            return np.zeros((features.values.shape[0], 0))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._score_labels(features.values)
        if np.isnan(scores).any():
            refuse_large(features.values)
        return scores

    def _choose_class(self, scores: FloatArray) -> IntArray:
        if scores.shape[1] == 0:
            return np.zeros(len(scores), dtype=np.int64)
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.int64)  # as argmax of probabilities
        return np.argmax(scores, axis=1)

    def _decide(self, scores: FloatArray) -> BoolArray:
        return scores > 0

    def _fit_labels(self, X: Matrix, Y: ByteArray) -> None:
        raise NotImplementedError

    def _score_labels(self, X: Matrix) -> FloatArray:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


class ProbabilisticClassifier(LabelClassifier):
    """A classifier whose scores are log-odds: a label is predicted from 0 upwards."""

    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """Return the probability of every label of every sample.

        Returns
        -------
        probabilities : array of shape (n_samples, n_labels)
            One column per label, or per class where y was 1-D.
        """
        scores = self.label_scores(X)
        if self._target.multilabel:
            return expit(scores)
        if scores.shape[1] == 0:
            return np.ones((len(scores), 1))
        if scores.shape[1] == 1:
            return np.hstack([expit(-scores), expit(scores)])
        return softmax(log_expit(scores), axis=1)

    def _decide(self, scores: FloatArray) -> BoolArray:
        return scores >= 0


class MarginClassifier(LabelClassifier):
    """A classifier whose scores are signed: a label is predicted above 0."""

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """Return the signed score of every label of every sample.

        Returns
        -------
        scores : array of shape (n_samples, n_labels) or (n_samples,)
            One column per label, or per class where y was 1-D with more than two.
        """
        scores = self.label_scores(X)
        if not self._target.multilabel and scores.shape[1] <= 1:
            return scores.sum(axis=1)
        return scores


@dataclass
class Target:
    """What was given as y: 0/1 columns, and how to give predictions back."""

    indicator: ByteArray  # [rows, columns]; no column if y has a single class
    # The labels by number, or the sorted codes of each where they are not 0 and 1.
    classes: npt.NDArray[Any] | list[npt.NDArray[Any]]
    multilabel: bool
    is_column: bool = False

    def __post_init__(self) -> None:
        self.n_columns = self.indicator.shape[1]


def read_target(y: Any, X: Matrix, estimator: BaseEstimator) -> Target:
    """Read y as 0/1 columns and check it against the rows of X."""
    name = type(estimator).__name__
    require_targets(estimator, y)
    y = without_tags(y)
    if sparse.issparse(y):
        y = sparse_indicator(y)
    labels = read_labels(y, X)
    labels.warn_many_numbers()
    if labels.n_unknown is not None:
        return _target_with_unknown(labels, estimator)
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    single = len(shape) == 1
    if single or (labels.n_values.size == 1 and not _is_indicator(y)):
        return _single_target(np.asarray(y).reshape(-1), is_column=not single)
    codes = labels.indicator(name)
    indicator = np.require(as_dense(codes), np.uint8, ["C", "W"])
    classes: Any = np.arange(indicator.shape[1])
    if not _is_indicator(y):
        columns = as_matrix(as_dense(y))
        if not np.array_equal(columns, indicator):
            classes = [np.unique(column) for column in columns.T]
    return Target(indicator, classes, True)


def _target_with_unknown(labels: Labels, estimator: Any) -> Target:
    """Labels of 0 and 1, with 2 where they are not known."""
    name = type(estimator).__name__
    if not getattr(estimator, "_skips_unknown", False):  # not so scikit-learn's own
        labels.refuse_unknown(name, ", or use BRLogistic, EMCFS, LIFT, MLkNN or MLNB")
    labels.refuse_several_values(name)
    indicator = np.require(as_dense(labels.codes), np.uint8, ["C", "W"])
    return Target(indicator, np.arange(indicator.shape[1]), True)


def _is_indicator(y: Any) -> bool:
    values = y.data if sparse.issparse(y) else as_matrix(y)
    return values.dtype.kind in "biuf" and bool(np.isin(values, (0, 1)).all())


def _single_target(y: npt.NDArray[Any], *, is_column: bool) -> Target:
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    columns = {1: [], 2: [1]}.get(classes.size, list(range(classes.size)))
    indicator = np.array(codes[:, None] == np.array(columns, int), np.uint8)
    return Target(indicator, classes, False, is_column)


def refuse_large(X: Matrix, power: int = 2) -> None:
    """Raise for features of which such powers of differences add up to infinity."""
    values, largest = _values_and_largest(X)
    limit = np.finfo(np.float64).max / max(1, values.size)
    if largest > limit ** (1 / power) / 2:
        sums = "sums of squares" if power == 2 else "squares of sums of squares"
        raise ValueError(
            f"X contains {largest:.1e}, and {sums} overflow. Scale the "
            "features, for example with sklearn.preprocessing.MinMaxScaler."
        )


def refuse_small(X: Matrix) -> None:
    """Raise for features that are not zero, but all their squares are."""
    _, largest = _values_and_largest(X)
    if 0.0 < largest < np.sqrt(np.finfo(np.float64).tiny):
        raise ValueError(
            f"X contains nothing larger than {largest:.1e}, and squares underflow. "
            "Scale the features, for example with sklearn.preprocessing.MinMaxScaler."
        )


def _values_and_largest(X: Matrix) -> tuple[Any, float]:
    values = X.data if sparse.issparse(X) else X
    return values, max(-values.min(initial=0.0), values.max(initial=0.0))


def warn_constant(Y: ByteArray) -> None:
    """Warn which labels have nothing to learn."""
    ones, zeros = (Y == 1).any(axis=0), (Y == 0).any(axis=0)
    (constant,) = np.nonzero(~(ones & zeros))
    if not constant.size:
        return
    warn(
        f"{constant.size} of {ones.size} labels are absent from all training rows or "
        "present in all of them, and will be predicted so: "
        f"{listed_names(constant.tolist())}."
    )


def never_known(Y: ByteArray) -> BoolArray:
    """Which labels are known in no training row: they are predicted nowhere."""
    return np.asarray((Y == 2).all(axis=0))


def dense_rows(X: Matrix) -> FloatArray:
    """X as dense rows whose squares are finite, as kernels are compiled for."""
    refuse_large(X)
    return np.require(as_dense(X), np.float64, ["C", "W", "E"])


def fit_binary(
    estimator: BaseEstimator | None, X: Matrix, y: ByteArray
) -> BaseEstimator:
    """Fit a copy of the given classifier, or the linear SVM that is meant."""
    if estimator is None:
        refuse_large(X, power=4)  # liblinear would not come back
        refuse_small(X)
        # The state only orders liblinear's steps: a fixed one makes fits repeatable.
        estimator = LinearSVC(random_state=0)
    return clone(estimator).fit(X, y)


def for_each_label(
    fit_label: Callable[[int, Any], Any], Y: ByteArray, n_jobs: int | None
) -> list[Any]:
    """Return ``fit_label(label, rows)`` for labels that vary, else +-CERTAIN.

    `rows` are those where the label is known: all, or a mask.
    """

    def fit(label: int) -> Any:
        unknown = Y[:, label] == 2
        rows = ~unknown if unknown.any() else slice(None)
        present = Y[rows, label] == 1
        if present.all() or not present.any():
            return CERTAIN if present.any() else -CERTAIN
        return fit_label(label, rows)

    with one_thread_inside():
        return run_in_threads(fit, range(Y.shape[1]), n_jobs)


def score_each_label(
    score_label: Callable[[int], FloatArray],
    models: list[Any],
    n_rows: int,
    n_jobs: int | None,
) -> FloatArray:
    """Return the columns ``score_label(label)``, or the constant that a model is."""
    scores = np.empty((n_rows, len(models)))

    def score(label: int) -> None:
        model = models[label]
        constant = isinstance(model, float)
        scores[:, label] = model if constant else score_label(label)

    with one_thread_inside():
        run_in_threads(score, range(len(models)), n_jobs)
    return scores


def signed_scores(estimator: BaseEstimator, X: Matrix) -> FloatArray:
    """Return scores of a fitted binary classifier, positive for its second class."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, 1] - 0.5, dtype=np.float64)
    return np.asarray(estimator.predict(X) - 0.5, dtype=np.float64)
