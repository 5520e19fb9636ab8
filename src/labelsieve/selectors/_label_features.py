"""Features of single labels: which they are, their names, their columns, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from labelsieve._plumbing.typing import BoolArray, IntArray
from labelsieve.reading import (
    is_frame,
    label_names,
    names_of,
    open_sparse,
    read_tags,
    without_tags,
)
from labelsieve.selectors._base import LabelSelector
from labelsieve.selectors._explanation import Explanation


class LabelFeatures:
    """What an estimator offers whose labels have features of their own.

    It sets `label_support_` (n_labels, n_features) and `label_names_`, and says in
    `_selector_of_labels` what explains the features of a label.
    """

    label_support_: BoolArray
    label_names_: Any

    def _selector_of_labels(self) -> LabelSelector:
        raise NotImplementedError

    def label_features(self, label: Any) -> IntArray:
        """Return the indices of the features of a label.

        Parameters
        ----------
        label : int or str
            Its number, or its name where the labels came with names.

        Returns
        -------
        features : ndarray of int
            Ascending.
        """
        return np.flatnonzero(self.label_support_[self._place(label)])

    def label_feature_names(self, label: Any) -> Any:
        """Return the names of the features of a label; "x3" where they have none.

        Parameters
        ----------
        label : int or str
            Its number, or its name where the labels came with names.

        Returns
        -------
        names : ndarray of str
            In the order of the columns.
        """
        return self._feature_names()[self.label_features(label)]

    def transform_label(self, X: ArrayLike, label: Any) -> Any:
        """Return the columns of X that a label uses.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
            The features, as in `fit`.
        label : int or str
            Its number, or its name where the labels came with names.

        Returns
        -------
        X : of the same kind
            The features of the label.
        """
        chosen = self.label_features(label)
        n_features = self.label_support_.shape[1]
        shape = np.shape(X)
        if len(shape) != 2 or shape[1] != n_features:
            raise ValueError(
                f"X has shape {shape}, but {type(self).__name__} was fitted with "
                f"{n_features} features."
            )
        table: Any = X
        if is_frame(table):
            import narwhals.stable.v2 as nw

            frame = nw.from_native(table, eager_only=True)
            return frame[:, chosen.tolist()].to_native()
        if sp.issparse(table):
            return open_sparse(table, "X")[0][:, chosen]
        return np.asarray(table)[:, chosen]

    def explain_label(self, X: ArrayLike, y: ArrayLike, label: Any) -> Explanation:
        """Say of each feature of a label what it tells about it.

        Parameters
        ----------
        X, y : as in `fit`
            The data to explain on, with all labels.
        label : int or str
            Its number, or its name where the labels came with names.

        Returns
        -------
        explanation : Explanation
            As of the selector, for this label alone.
        """
        place = self._place(label)
        chosen, names = self.label_features(label), self._feature_names()
        selector = self._selector_of_labels()
        # Columns of a label are others than those that the parameters name.
        size = max(1, chosen.size)
        selector.set_params(n_features_to_select=size, include=None, exclude=None)
        column, rows = label_column(y, place), self.transform_label(X, label)
        return selector.fit(rows, column).explain(
            rows,
            column,
            feature_names=[str(name) for name in names[chosen]],
            label_names=[str(self.label_names_[place])],
        )

    def _place(self, label: Any) -> int:
        check_is_fitted(self)
        found = [i for i, name in enumerate(self.label_names_) if name == label]
        if found:
            return found[0]
        if isinstance(label, int | np.integer) and 0 <= label < len(self.label_names_):
            return int(label)
        raise ValueError(
            f"unknown label {label!r}; expected one of "
            f"{', '.join(map(str, self.label_names_))}."
        )

    def _feature_names(self) -> Any:
        n_features = self.label_support_.shape[1]
        numbers = np.array([f"x{j}" for j in range(n_features)], dtype=object)
        return getattr(self, "feature_names_in_", numbers)


def names_of_labels(y: Any, n_labels: int) -> Any:
    """The names of the labels of y as texts, or their numbers."""
    tags = read_tags(y)
    names = label_names(y) if tags is None else tags.names
    if names is None or len(names) != n_labels:
        return np.arange(n_labels)
    return np.array([str(name) for name in names], dtype=object)


def label_column(y: Any, place: int) -> Any:
    """One label of all."""
    y = without_tags(y)
    if is_frame(y):
        return np.asarray(y[names_of(y)[place]])
    if sp.issparse(y):
        return open_sparse(y, "y")[0][:, [place]].toarray().ravel()
    table = np.asarray(y)
    return table if table.ndim == 1 else table[:, place]
