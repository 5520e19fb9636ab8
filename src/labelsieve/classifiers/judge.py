"""A classifier along a ranking, on features in a form that it can use."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags

from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.classifiers.emcfs import EMCFS
from labelsieve.classifiers.mlknn import MLkNN
from labelsieve.classifiers.mlnb import MLNB
from labelsieve.classifiers.path import PathScores, path_scores
from labelsieve.reading import Features, with_nan


class Judge:
    """Trains and asks a classifier at every size of a ranking.

    Classifiers know numbers only: a nominal feature with more than two categories
    becomes one column of 0 and 1 per category, which enter and leave together. A
    missing cell becomes the median of its feature in the training rows.

    Parameters
    ----------
    features : Features
        All rows.
    labels : 0/1 matrix
        All rows.
    classifier : classifier or None
        None means naive Bayes for sparse features and ML-kNN for others.
    scaled : bool
        Whether dense features are scaled to [0, 1] by the training rows.
    """

    def __init__(
        self, features: Features, labels: Any, classifier: Any, scaled: bool
    ) -> None:
        is_sparse = sp.issparse(features.values)
        if classifier is None:
            classifier = MLNB() if is_sparse else MLkNN()
        self.classifier = classifier
        self._scaled = scaled and not is_sparse
        self._labels = labels
        self._values, self._width = _spread(features)
        self._start = np.cumsum(self._width) - self._width
        self._some_missing = features.n_missing is not None

    def of_labels(self, columns: IntArray) -> Judge:
        """The same judge of some of the labels."""
        fewer = copy(self)
        fewer._labels = self._labels[:, columns]
        return fewer

    def path(
        self, train: IntArray, test: IntArray, order: IntArray, sizes: IntArray
    ) -> PathScores:
        """What the classifier says of the test rows with the first features."""
        columns = np.concatenate(
            [self._start[f] + np.arange(self._width[f]) for f in order]
        )
        known, unseen = self._values[train], self._values[test]
        if not sp.issparse(known):  # what is not asked need not be scaled
            known, unseen = known[:, columns], unseen[:, columns]
            columns = np.arange(columns.size)
        if self._some_missing:
            imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            known = imputer.fit_transform(with_nan(known))
            unseen = imputer.transform(with_nan(unseen))
        if self._scaled:
            scaler = MinMaxScaler().fit(known)
            known, unseen = scaler.transform(known), scaler.transform(unseen)
        reach = np.cumsum(self._width[order])[sizes - 1]
        return path_scores(
            self.classifier, known, self._labels[train], unseen, columns, reach
        )


def _spread(features: Features) -> tuple[Matrix, IntArray]:
    """The table with a column for each category, and how many each feature has."""
    values = features.values
    width = np.ones(values.shape[1], dtype=np.int64)
    nominal = {c: len(k) for c, k in features.categories.items() if len(k) > 2}
    if not nominal:
        return values, width
    columns: list[FloatArray] = []
    for feature in range(width.size):
        column = values[:, [feature]]
        if feature in nominal:
            width[feature] = nominal[feature]
            column = (column == np.arange(nominal[feature])).astype(np.float64)
        columns.append(column)
    return np.hstack(columns), width


def per_label(classifier: Any) -> Any:
    """The classifier, or one of it per label where it knows one target only."""
    tags = get_tags(classifier).classifier_tags
    knows_many = tags is not None and tags.multi_label
    # As printed, EMCFS keeps every feature for every label.
    return classifier if knows_many else EMCFS(classifier=classifier, mode="threshold")
