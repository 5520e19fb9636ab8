"""The data of an experiment: where it lies, what was left out, its checksum."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.messages import unknown
from labelsieve._plumbing.typing import IntArray, Matrix
from labelsieve.datasets import (
    Dataset,
    find_dataset,
    load,
    names_of_rows_as_constants,
)
from labelsieve.discretization import Discretizer
from labelsieve.folds import group_codes
from labelsieve.reading import (
    is_frame,
    names_of,
    read_labels,
    read_values,
    unknown_cells,
    with_nan,
)

VIEWS = ("quantile", "uniform", "none", "standard", "minmax", "raw")
# Selectors get these values as they are, and make the codes themselves.
CODES = ("quantile", "uniform", "none")


def transform_rows(view: str, train: Matrix, test: Matrix) -> tuple[Matrix, Matrix]:
    """Return training and test rows as the view shows them, fitted on training rows."""
    if view not in VIEWS:
        raise ValueError(unknown("view", view, VIEWS))
    if view == "raw":
        return train, test
    if view == "standard":
        train, test = as_dense(train), as_dense(test)
        transformer = StandardScaler()
    elif view == "minmax":
        # Sparse values stay sparse: zero is their minimum, or stays where it is.
        transformer = MaxAbsScaler() if sp.issparse(train) else MinMaxScaler()
    else:
        transformer = Discretizer(binning=view)
    fitted = transformer.fit(train)
    return fitted.transform(train), fitted.transform(test)


# A message names so many features.
MOST_NAMES = 20


@dataclass(frozen=True)
class DataSource:
    """A data set by its name, the path where it was found, and what is left out."""

    name: str
    path: str
    drop: tuple[str, ...] = ()
    groups: str | None = None
    """The feature that says which rows belong together; it is left out, too."""


@dataclass(frozen=True)
class Loaded:
    """Features and dense 0/1 labels in memory, with a checksum of both."""

    X: Matrix
    Y: np.ndarray[Any, np.dtype[np.uint8]]
    checksum: str
    is_categorical: bool
    """Whether no feature has more than two values, so that binning changes nothing."""
    groups: IntArray | None = None


def locate(
    name: str,
    data: str | os.PathLike[str] | None,
    drop: tuple[str, ...] = (),
    groups: str | None = None,
) -> DataSource:
    """Find a data set by name in the folder `data`, or where `find_dataset` looks.

    A name that is the path of a file or folder is taken as it is.
    """
    if data is not None:
        with contextlib.suppress(FileNotFoundError, ValueError):  # a path is no name
            return DataSource(
                name, str(find_dataset(name, data).resolve()), drop, groups
            )
    if Path(name).exists() and (os.sep in name or Path(name).is_file()):
        path = Path(name).resolve()
        return DataSource(path.name.split(".")[0], str(path), drop, groups)
    return DataSource(name, str(find_dataset(name).resolve()), drop, groups)


def dataset_of(X: Any, Y: Any) -> Dataset:
    """What users pass to `fit`, as a data set."""
    features = read_values("compare", X, min_rows=2, takes_missing=True, tell=True)
    labels = read_labels(Y, features.values)
    width = features.values.shape[1]
    names = names_of(X) if is_frame(X) else [f"x{place}" for place in range(width)]
    names = list(map(str, names))
    taken = set(names)
    called = [f"label:{one}" if str(one) in taken else str(one) for one in labels.names]
    categories = {
        names[place]: tuple(map(str, values))
        for place, values in features.categories.items()
    }
    table = with_nan(features.values)
    return Dataset(
        *(table, labels.indicator("compare"), names, called), categories=categories
    )


@lru_cache(maxsize=3)
def read(source: DataSource) -> Loaded:
    """Load a data set once per process."""
    return prepare(load(source.path), source.drop, source.groups)


@dataclass(frozen=True)
class Facts:
    """What a plan must know of a data set: little, unlike its values."""

    n_rows: int
    n_features: int
    n_labels: int
    checksum: str
    is_categorical: bool
    is_sparse: bool


@lru_cache(maxsize=256)
def facts(source: DataSource) -> Facts:
    """Read a data set for what is known of it, and forget its values."""
    loaded = read(source)
    return Facts(
        int(loaded.X.shape[0]),
        int(loaded.X.shape[1]),
        int(loaded.Y.shape[1]),
        loaded.checksum,
        loaded.is_categorical,
        bool(sp.issparse(loaded.X)),
    )


def describe(source: DataSource) -> dict[str, Any]:
    """What results say of a data set."""
    known = facts(source)
    return {
        "name": source.name,
        "rows": known.n_rows,
        "features": known.n_features,
        "labels": known.n_labels,
        "checksum": known.checksum,
    }


def prepare(
    dataset: Dataset, drop: tuple[str, ...] = (), groups: str | None = None
) -> Loaded:
    """Leave features out by name and take the checksum of the rest."""
    table = names_of_rows_as_constants(dataset)
    X, Y = table.X, table.Y
    which = None if groups is None else _groups(dataset, groups)
    drop = drop if groups is None else (*drop, groups)
    if drop:
        kept = [i for i, name in enumerate(dataset.feature_names) if name not in drop]
        X = X[:, kept]
    labels = Y.toarray() if sp.issparse(Y) else np.asarray(Y)
    if unknown_cells(labels) is not None:
        found = replace(read_labels(labels, X), names=dataset.label_names)
        found.refuse_unknown(f"a comparison on {dataset.name}")
    labels = np.ascontiguousarray(labels, dtype=np.uint8)
    return Loaded(X, labels, checksum(X, labels), _is_categorical(X), which)


def _groups(dataset: Dataset, name: str) -> IntArray:
    """The rows that have the same value of a feature, as numbers."""
    names = list(dataset.feature_names)
    if name not in names:
        raise ValueError(unknown("feature", name, names[:MOST_NAMES]))
    column = as_dense(dataset.X[:, [names.index(name)]]).ravel()
    return group_codes(column, column.size)


def checksum(X: Matrix, Y: np.ndarray[Any, Any]) -> str:
    """Return a digest of the values, whatever file they came from."""
    digest = hashlib.sha256()
    digest.update(repr((X.shape, Y.shape, sp.issparse(X))).encode())
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    for part in (*parts, Y):
        wide = np.float64 if part.dtype.kind == "f" else np.int64
        digest.update(np.ascontiguousarray(part, dtype=wide).tobytes())
    return digest.hexdigest()[:32]


def _is_categorical(X: Matrix) -> bool:
    if sp.issparse(X):
        return bool(np.isin(X.data, (0.0, 1.0)).all())
    return all(np.unique(column).size <= 2 for column in X.T)
