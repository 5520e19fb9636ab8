"""Reads OpenML data sets through scikit-learn, where there is a network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve.datasets._columns import LABEL_VALUES, choose_labels
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError, shorten

PREFIX = "openml:"


def read_openml(path: str, labels: int | str | list[str] | None) -> Dataset:
    """Read ``openml:name`` or ``openml:id``; labels default to the targets there."""
    wanted = path.removeprefix(PREFIX)
    by = {"data_id": int(wanted)} if wanted.isdigit() else {"name": wanted}
    bunch = _fetch(by, path)
    data, target = bunch.data, bunch.target
    names = [*bunch.feature_names]
    targets = [*(bunch.target_names or [])]
    if labels is None:
        if not targets:
            reason = "OpenML names no target for this data set; pass labels="
            raise FormatError(path, None, None, reason)
        return _dataset(data, target, names, targets, bunch, path)
    is_label = choose_labels(names, labels, path)
    features = [name for name, label in zip(names, is_label, strict=True) if not label]
    chosen = [name for name, label in zip(names, is_label, strict=True) if label]
    return _dataset(
        data[:, ~is_label], data[:, is_label], features, chosen, bunch, path
    )


def _fetch(by: dict[str, Any], path: str) -> Any:
    from http.client import HTTPException
    from urllib.error import URLError

    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(**by, as_frame=False, parser="liac-arff")
    except (URLError, HTTPException, ConnectionError, TimeoutError) as error:
        raise ConnectionError(
            f"{path} needs the network, and OpenML cannot be reached ({error}); "
            "load() also takes a file that was downloaded elsewhere"
        ) from error


def _dataset(
    data: Any,
    target: Any,
    features: list[str],
    labels: list[str],
    bunch: Any,
    path: str,
) -> Dataset:
    categories = {
        name: tuple(map(str, values))
        for name, values in (bunch.categories or {}).items()
        if name in features
    }
    X = data if sparse.issparse(data) else np.asarray(data, dtype=np.float64)
    Y = _as_binary(target, labels, path)
    name = str((bunch.details or {}).get("name", path.removeprefix(PREFIX)))
    return Dataset(X, Y, features, labels, name, categories)


def _as_binary(target: Any, labels: list[str], path: str) -> NDArray[np.uint8]:
    if sparse.issparse(target):
        target = target.toarray()
    target = np.asarray(target).reshape(len(target), -1)
    Y = np.empty(target.shape, dtype=np.uint8)
    for column, label in enumerate(labels):
        for value in np.unique(target[:, column]):
            text = f"{value:g}" if isinstance(value, float) else str(value).lower()
            if text not in LABEL_VALUES:
                reason = (
                    f"label {shorten(label)} has the value {shorten(text)}, "
                    "expected 0 and 1; pass labels= to choose other columns"
                )
                raise FormatError(path, None, None, reason)
            Y[target[:, column] == value, column] = LABEL_VALUES[text]
    return Y
