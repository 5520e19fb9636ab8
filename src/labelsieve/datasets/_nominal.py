"""Nominal features of a data set by the rule that all tables follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve.datasets._dataset import Dataset


def texts_of(dataset: Dataset, name: str) -> tuple[list[str], NDArray[np.intp]]:
    """The distinct texts of a feature, and which each row has, -1 where none."""
    column = dataset.X[:, [list(dataset.feature_names).index(name)]]
    values = (column.toarray() if hasattr(column, "toarray") else column)[:, 0]
    missing = np.isnan(values)
    if name in dataset.categories:
        texts = list(dataset.categories[name])
        codes = np.where(missing, 0, values).astype(np.intp)
    else:
        numbers, codes = np.unique(np.where(missing, 0, values), return_inverse=True)
        texts = [f"{number:.15g}" for number in numbers]
    return texts, np.where(missing, -1, codes)


def settled_codes(dataset: Dataset, name: str) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """A nominal feature with its rare categories together, as in any table."""
    from labelsieve.reading import Words, positions, settle

    texts, codes = texts_of(dataset, name)
    counts = np.bincount(codes + 1, minlength=len(texts) + 1)[1:].tolist()
    used = {text: n for text, n in zip(texts, counts, strict=True) if n}
    categories = settle(name, Words(used, np.array(texts, dtype=object)))
    assert categories is not None  # they are declared
    place = np.append(positions(texts, categories), -1)
    return np.nan_to_num(place, nan=-1).astype(np.intp)[codes], categories


def names_of_rows_as_constants(dataset: Dataset) -> Dataset:
    """Return the data set with the first category in all cells of such features."""
    from labelsieve.reading import is_identifier, warn_nominal

    found = {}
    for place, name in enumerate(dataset.feature_names if dataset.categories else ()):
        if len(dataset.categories.get(name, ())) > 2:
            _, categories = settled_codes(dataset, name)
            if is_identifier(categories):
                found[place] = categories
    if not found:
        return dataset
    warn_nominal(dataset.feature_names, found)
    X = dataset.X.copy()
    if sparse.issparse(X):
        X.data[np.isin(X.indices, list(found))] = 0
    else:
        X[:, list(found)] = 0
    return replace(dataset, X=X)
