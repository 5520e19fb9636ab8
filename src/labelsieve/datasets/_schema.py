"""What CSV, LibSVM and Parquet files cannot say about a data set, kept as JSON.

CSV and LibSVM files have it in a file beside them (``name.json``), so that they stay
plain for other programs; Parquet files hold it inside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve.datasets._dataset import Dataset, first_repeated
from labelsieve.datasets._errors import FormatError, refuse_unfinished

_VERSION = 1


@dataclass(frozen=True)
class Schema:
    """The description of a data set without its values."""

    name: str
    features: tuple[str, ...]
    labels: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sparse: bool = False
    weights: tuple[float, ...] | None = None
    # The cell of a CSV file that stands for a missing value.
    missing: str = ""

    def to_json(self) -> bytes:
        """Return the description as text."""
        return json.dumps({"labelsieve": _VERSION, **asdict(self)}).encode()

    def apply(self, X: Any, Y: Any, path: str) -> Dataset:
        """Return the data set with its names, layout and weights."""
        if self.sparse:
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            way_out = 'Write "sparse": true into its description.'
            refuse_larger_than_memory(X.shape, f"{path}: a table", way_out, itemsize=8)
            X = X.toarray()
        weights = None if self.weights is None else np.array(self.weights)
        try:
            return Dataset(
                X, Y, self.features, self.labels, self.name, self.categories, weights
            )
        except ValueError as error:
            reason = f"the data do not fit their description: {error}"
            raise FormatError(path, None, None, reason) from None


def schema_of(dataset: Dataset) -> Schema:
    """Return the description of a data set."""
    weights = dataset.weights
    words = {word for values in dataset.categories.values() for word in values}
    missing = ""
    while missing in words:
        missing += "?"
    return Schema(
        dataset.name,
        tuple(dataset.feature_names),
        tuple(dataset.label_names),
        {name: tuple(values) for name, values in dataset.categories.items()},
        sparse.issparse(dataset.X),
        None if weights is None else tuple(map(float, weights)),
        missing,
    )


def read_schema(text: bytes | bytearray, path: str) -> Schema:
    """Read a description; FormatError where it is not one."""
    refuse_unfinished(text, path)
    try:
        content = json.loads(text, parse_constant=_refuse)
        return _checked(content)
    except RecursionError:
        reason = "the JSON is nested too deeply"
    except (TypeError, ValueError, KeyError) as error:
        reason = f"not a description of a data set: {error}"
    raise FormatError(path, None, None, reason)


def _checked(content: Any) -> Schema:
    if not isinstance(content, dict) or content.pop("labelsieve", None) != _VERSION:
        raise ValueError(f"expected an object with 'labelsieve': {_VERSION}")
    features, labels = _words(content.pop("features")), _words(content.pop("labels"))
    repeated = first_repeated((*features, *labels))
    if repeated is not None or not features or not labels:
        raise ValueError("features and labels need names, each its own")
    declared = content.pop("categories")
    if not isinstance(declared, dict):
        raise ValueError("categories need a list of texts for each feature")
    categories = {name: _words(values) for name, values in declared.items()}
    if not categories.keys() <= set(features) or not all(categories.values()):
        raise ValueError("categories of unknown features, or none")
    weights = content.pop("weights")
    if weights is not None:
        if not isinstance(weights, list):
            raise ValueError("weights need a number for each row")
        try:
            weights = tuple(float(weight) for weight in weights)
        except OverflowError as error:
            raise ValueError("a weight is too large") from error
    (name,), (missing,) = (
        _words([content.pop("name")]),
        _words([content.pop("missing")]),
    )
    as_sparse = content.pop("sparse")
    if content or not isinstance(as_sparse, bool):
        raise ValueError(f"unexpected entries {sorted(content)}")
    return Schema(name, features, labels, categories, as_sparse, weights, missing)


def _words(values: Sequence[Any]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise ValueError("expected a list of texts")
    if first_repeated(values) is not None:
        raise ValueError("a text occurs twice in a list")
    for value in values:
        value.encode()  # refuses half surrogates, which no file can hold
    return tuple(values)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")
