"""Models of all targets, or of each: fitted where targets are known, and asked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone, is_regressor
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.reading import Labels
from labelsieve.selectors._importances import PER_TARGET

# The targets of a fitted model, and the model.
Fitted = tuple[IntArray, Any]


@dataclass(frozen=True)
class ModelTargets:
    """What models learn of each target, and where it is known."""

    # Classes 0, 1, ...; if one is a number, floats that vary as a label of one half.
    codes: Any  # (n_samples, n_targets)
    known: BoolArray  # (n_samples, n_targets)

    @classmethod
    def of(cls, labels: Labels) -> ModelTargets:
        known = np.ones(labels.codes.shape, dtype=bool)
        if labels.n_unknown is not None:
            known = ~as_dense(labels.unknown()).astype(bool)
        codes = as_dense(labels.codes).astype(np.int64)
        return cls(labels.with_numbers(codes), known)

    def take(self, samples: IntArray) -> ModelTargets:
        return ModelTargets(self.codes[samples], self.known[samples])

    def classes(self, target: int) -> tuple[IntArray, IntArray]:
        """The classes that a target has, and how many samples each."""
        known = self.codes[self.known[:, target], target]
        return np.unique(known, return_counts=True)

    def weights(self) -> FloatArray:
        """(n_targets,) the share of each in the variance of all.

        That of classes is Gini's impurity, 1 - sum_c p_c^2; 1 / 2 that of numbers.
        """
        counts = [self.classes(target)[1] for target in range(self.codes.shape[1])]
        variance = np.array([1.0 - ((n / max(n.sum(), 1)) ** 2).sum() for n in counts])
        if self.codes.dtype.kind == "f":
            variance[(self.codes % 1).any(axis=0)] = 0.5
        varies = np.array([n.size > 1 for n in counts])
        return np.where(varies, variance, 0.0) / max(variance[varies].sum(), 1e-300)


def fit_models(
    model: Any, X: Matrix, targets: ModelTargets, n_jobs: int | None = None
) -> list[Fitted]:
    """Copies of a model for the targets that vary: one for all if it can, or for each.

    Where targets are partly unknown, or classes more than two, it is one for each.
    """
    classes = [targets.classes(target)[0] for target in range(targets.codes.shape[1])]
    varying = np.flatnonzero([found.size > 1 for found in classes])
    binary = is_regressor(model) or all(c[-1] <= 1 for c in classes if c.size)
    # The model's own parameters are looked at, too.
    with one_thread_inside(), config_context(skip_parameter_validation=False):
        if varying.size > 1 and targets.known.all() and binary and takes_many(model):
            return [(varying, clone(model).fit(X, targets.codes[:, varying]))]
        single = of_one_target(model)

        def fit(target: int) -> Fitted:
            rows = np.flatnonzero(targets.known[:, target])
            table = X if rows.size == X.shape[0] else X[rows]
            found = clone(single).fit(table, targets.codes[rows, target])
            return np.array([target]), found

        return run_in_threads(fit, varying.tolist(), n_jobs)


def takes_many(model: Any) -> bool:
    """Whether a model learns several targets at once."""
    tags = get_tags(model)
    several = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    return bool(several or tags.target_tags.multi_output)


def of_one_target(model: Any) -> Any:
    """The model that a wrapper fits for each target, or the model itself."""
    if isinstance(model, Pipeline):
        *earlier, (name, last) = model.steps
        return Pipeline([*earlier, (name, of_one_target(last))])
    if isinstance(model, (*PER_TARGET, ClassifierChain)):
        return model.estimator
    return model


def squared_errors(
    fitted: list[Fitted], X: Matrix, truth: ModelTargets, n_copies: int = 1
) -> FloatArray:
    """(n_copies, n_targets) Brier scores of the predictions for copies of samples.

    sum_c (p_c - [y = c])^2 over the classes c, averaged over the known samples of each
    target; decisions count as probabilities where a model knows no others, and numbers
    y as shares: (p_1 - y)^2 + (p_0 - (1 - y))^2.
    """
    errors = np.zeros((n_copies, truth.codes.shape[1]))
    for which, model in fitted:
        for target, (classes, shares) in zip(
            which, _class_shares(model, X, which.size), strict=True
        ):
            codes = np.tile(truth.codes[:, target], n_copies)[:, np.newaxis]
            is_class = codes == classes
            if truth.codes.dtype.kind == "f":
                is_class = np.hstack([1 - codes, codes])
            squares = ((shares - is_class) ** 2).sum(axis=1).reshape(n_copies, -1)
            known = truth.known[:, target]
            errors[:, target] = squares[:, known].mean(axis=1) if known.any() else 0.0
    return errors


def _class_shares(
    model: Any, X: Matrix, n_targets: int
) -> Iterator[tuple[Any, FloatArray]]:
    """For each target its classes, and the probabilities of each."""
    with warnings.catch_warnings(), one_thread_inside():
        # A model that knows names of features gets numbers without.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        if n_targets == 1 and hasattr(model, "predict_proba"):
            yield model.classes_, np.asarray(model.predict_proba(X))
            return
        if hasattr(model, "predict_proba"):
            said = model.predict_proba(X)
            if isinstance(said, list):  # a table for each target
                said = np.column_stack([table[:, 1] for table in said])
        else:
            said = as_dense(model.predict(X)).reshape(X.shape[0], n_targets)
    binary = np.array([0, 1])
    for share in np.asarray(said, dtype=np.float64).T:
        yield binary, np.column_stack([1 - share, share])


def permuted_columns(X: Matrix, columns: IntArray, order: IntArray) -> Matrix:
    """A copy of X in which the samples of some columns are permuted together."""
    if not sp.issparse(X):
        changed = np.array(X)
        changed[:, columns] = X[np.ix_(order, columns)]
        return changed
    keep = np.ones(X.shape[1])
    keep[columns] = 0.0
    return (X @ sp.diags(keep) + X[order] @ sp.diags(1.0 - keep)).tocsr()
