"""Joins the two parts of a data set that comes only as a split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._files import split_of


def join_parts(parts: list[Dataset], path: str) -> Dataset:
    """Return the rows of both parts, one below the other."""
    train, test = parts
    for part in ("feature_names", "label_names", "categories"):
        if getattr(train, part) != getattr(test, part):
            reason = f"the {part.replace('_', ' ')} of -train and -test differ"
            raise FormatError(path, None, None, reason)
    stack = sparse.vstack if sparse.issparse(train.X) else np.vstack
    if sparse.issparse(test.X) != sparse.issparse(train.X):
        reason = "one of -train and -test is dense, the other sparse"
        raise FormatError(path, None, None, reason)
    weights = None
    if train.weights is not None or test.weights is not None:
        weights = np.concatenate([_weights(train), _weights(test)])
    return Dataset(
        stack([train.X, test.X]),
        stack([train.Y, test.Y]),
        train.feature_names,
        train.label_names,
        split_of(train.name)[0],
        train.categories,
        weights,
    )


def _weights(dataset: Dataset) -> NDArray[np.float64]:
    if dataset.weights is None:
        return np.ones(dataset.X.shape[0])
    return dataset.weights
