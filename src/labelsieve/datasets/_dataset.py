"""What every reader returns: features, labels, and what describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.matrices import open_sparse
from labelsieve._utils.messages import warn
from labelsieve._utils.texts import refuse_constant
from labelsieve.datasets._places import fault, refuse_unfinished, split_of

LISTED_AT_MOST = 5
# What targets may be.
TYPES = ("label", "class", "number")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows that carry many labels.

    Parameters
    ----------
    X : ndarray of float64 or CSR array, shape (n_rows, n_features)
        Feature values; a nominal value is its position among its categories, a
        missing value is NaN. A sparse file gives a CSR array, never made dense.
        DataFrames where they were asked for.
    Y : ndarray of uint8 or CSR array, shape (n_rows, n_labels)
        1 where a row carries a label, else 0, in the same layout as `X`: a sparse
        file with many thousand labels fits in memory, ``Y.toarray()`` is one call.
        Where labels are not known, NaN among 0 and 1, as float64. Targets of any type
        are a dense array of float64: classes are positions, numbers what they are.
    feature_names, label_names : sequence of str
        The names, in the order of the file.
    name : str
        What the data set is called.
    categories : mapping of str to tuple of str
        For each nominal feature, and each class among targets that is text, the text
        of its values.
    weights : ndarray of float64, shape (n_rows,), or None
        The weight of each row, where the file gives any.
    dates : sequence of str
        The features that are dates or times, in seconds.
    target_types : sequence of str
        What each target is, ``"label"``, ``"class"`` or ``"number"``; empty where all
        are labels.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.datasets import Dataset
    >>> data = Dataset(np.eye(2), np.eye(2), ["a", "b"], ["happy", "sad"])
    >>> data
    Dataset('data', 2 samples, 2 features, 2 labels, dense)
    >>> X, Y = data
    >>> Y.dtype
    dtype('uint8')
    """

    X: Any
    Y: Any
    feature_names: Sequence[str]
    label_names: Sequence[str]
    name: str = "data"
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Any = None
    dates: Sequence[str] = ()
    target_types: Sequence[str] = ()

    def __post_init__(self) -> None:
        types = tuple(self.target_types)
        types = () if set(types) == {"label"} else types
        object.__setattr__(self, "target_types", types)
        if not hasattr(self.X, "iloc"):
            object.__setattr__(self, "X", _as_features(self.X))
            Y = _as_features if types else partial(_as_labels, self.X)
            object.__setattr__(self, "Y", Y(self.Y))
        for names in ("feature_names", "label_names"):
            if not isinstance(getattr(self, names), NumberedNames):
                object.__setattr__(self, names, tuple(getattr(self, names)))
        if self.weights is not None:
            weights = np.asarray(self.weights, dtype=np.float64)
            object.__setattr__(self, "weights", weights)
        _check_shapes(self)
        _check_names(self)

    def __iter__(self) -> Iterator[Any]:
        several = [name for name, values in self.categories.items() if len(values) > 2]
        if several and not hasattr(self.X, "iloc"):
            listed = ", ".join(map(repr, several[:LISTED_AT_MOST]))
            more = ", ..." if len(several) > LISTED_AT_MOST else ""
            warn(
                f"column(s) {listed}{more} hold categories, and X their positions, "
                "which selectors take as numbers. load(path, as_frame=True) keeps "
                "them categories."
            )
        yield self.X
        yield self.Y

    def __repr__(self) -> str:
        rows, features = self.X.shape
        layout = "sparse" if sparse.issparse(self.X) else "dense"
        if hasattr(self.X, "iloc"):
            layout = "frame"
        return (
            f"Dataset({self.name!r}, {rows} samples, {features} features, "
            f"{self.Y.shape[1]} {'targets' if self.target_types else 'labels'}, "
            f"{layout})"
        )


def with_features(dataset: Dataset, columns: Sequence[int]) -> Dataset:
    """Return the data set with some of its features, in this order."""
    names = [dataset.feature_names[column] for column in columns]
    known = dataset.categories
    kept = (*names, *dataset.label_names) if known else ()
    categories = {name: known[name] for name in kept if name in known}
    X = dataset.X[:, list(columns)]
    return replace(dataset, X=X, feature_names=names, categories=categories)


class NumberedNames(Sequence[str]):
    """Names that are only numbers, made when asked for: ``prefix0, prefix1, ...``.

    A text file of a few bytes may speak of feature two billion; its names must not
    fill the memory.
    """

    def __init__(self, prefix: str, start: int, count: int) -> None:
        self.prefix = prefix
        self.numbers = range(start, start + count)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(f"{self.prefix}{number}" for number in self.numbers[index])
        return f"{self.prefix}{self.numbers[index]}"

    def __len__(self) -> int:
        return len(self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NumberedNames):
            if not isinstance(other, Sequence) or len(self) != len(other):
                return False
            return tuple(self) == tuple(other)
        return self.prefix == other.prefix and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash((self.prefix, self.numbers))

    def __repr__(self) -> str:
        return f"NumberedNames({self.prefix!r}, {self.numbers.start}, {len(self)})"


def _as_features(X: Any) -> Any:
    """Return float64 rows, or a CSR array that holds each non-zero once, in order."""
    if not sparse.issparse(X):
        X = np.ascontiguousarray(X, dtype=np.float64)
        values = X
    else:
        X = _canonical(X, "X", np.float64)
        values = X.data
    if np.isinf(values).any():
        raise ValueError("X contains infinity; a data set holds finite values or NaN")
    return X


def _as_labels(X: Any, Y: Any) -> Any:
    if sparse.issparse(Y):
        Y = _canonical(Y, "Y")
    values = Y.data if sparse.issparse(Y) else np.asarray(Y)
    unknown = values != values
    if not ((values == 0) | (values == 1) | unknown).all():
        raise ValueError("Y holds values other than 0 and 1, or NaN")
    dtype = np.float64 if unknown.any() else np.uint8
    if sparse.issparse(X):
        return sparse.csr_array(Y, dtype=dtype)
    if sparse.issparse(Y):
        Y = Y.toarray()
    return np.ascontiguousarray(Y, dtype=dtype)


def _canonical(matrix: Any, name: str, dtype: Any = None) -> Any:
    matrix = sparse.csr_array(open_sparse(matrix, name), dtype=dtype)
    if not matrix.has_canonical_format or not np.all(matrix.data):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _check_shapes(dataset: Dataset) -> None:
    X, Y = dataset.X, dataset.Y
    if X.ndim != 2 or Y.ndim != 2:
        raise ValueError(f"X and Y need 2 dimensions, got {X.ndim} and {Y.ndim}")
    if X.shape[0] != Y.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows and Y has {Y.shape[0]}")
    for what, names, width in (
        ("features", dataset.feature_names, X.shape[1]),
        ("labels", dataset.label_names, Y.shape[1]),
    ):
        if len(names) != width:
            raise ValueError(f"{len(names)} names for {width} {what}")
    if len(dataset.target_types) not in (0, Y.shape[1]):
        raise ValueError(f"{len(dataset.target_types)} types of {Y.shape[1]} targets")
    weights = dataset.weights
    if weights is None:
        return
    if weights.shape != (X.shape[0],) or not np.isfinite(weights).all():
        raise ValueError(f"weights must be {X.shape[0]} finite numbers, one per row")


def _check_names(dataset: Dataset) -> None:
    names = [
        name
        for part in (dataset.feature_names, dataset.label_names)
        if not isinstance(part, NumberedNames)
        for name in part
    ]
    repeated = first_repeated(names)
    if repeated is not None:
        raise ValueError(f"the name {repeated!r} is used twice")
    if dataset.categories and not dataset.categories.keys() <= set(names):
        raise ValueError("there are categories for a name that is not a feature")
    for name, values in dataset.categories.items():
        if not values or len(set(values)) < len(values):
            raise ValueError(f"the categories of {name!r} are empty or repeat a value")


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurred before, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def join_parts(parts: list[Dataset], path: str) -> Dataset:
    """Return the rows of both parts, one below the other."""
    train, test = parts
    for part in ("feature_names", "label_names", "categories", "target_types"):
        if getattr(train, part) != getattr(test, part):
            reason = f"the {part.replace('_', ' ')} of -train and -test differ"
            raise fault(path, reason)
    stack = sparse.vstack if sparse.issparse(train.X) else np.vstack
    if sparse.issparse(test.X) != sparse.issparse(train.X):
        raise fault(path, "one of -train and -test is dense, the other sparse")
    weights = None
    if train.weights is not None or test.weights is not None:
        weights = np.concatenate(
            [
                np.ones(part.X.shape[0]) if part.weights is None else part.weights
                for part in parts
            ]
        )
    name, X, Y = split_of(train.name)[0], [train.X, test.X], [train.Y, test.Y]
    return replace(train, X=stack(X), Y=stack(Y), name=name, weights=weights, dates=())


_VERSION = 1


@dataclass(frozen=True)
class Schema:
    """What CSV, LibSVM and Parquet files cannot say about a data set, kept as JSON.

    CSV and LibSVM files have it in a file beside them (``name.json``), so that they
    stay plain for other programs; Parquet files hold it inside.
    """

    name: str
    features: tuple[str, ...]
    labels: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sparse: bool = False
    weights: tuple[float, ...] | None = None
    # The cell of a CSV file that stands for a missing value.
    missing: str = ""
    # Empty where all are labels.
    target_types: tuple[str, ...] = ()

    def to_json(self) -> bytes:
        content = asdict(self)
        if not self.target_types:
            del content["target_types"]
        return json.dumps({"labelsieve": _VERSION, **content}).encode()

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
            named = self.features, self.labels, self.name, self.categories, weights
            return Dataset(X, Y, *named, target_types=self.target_types)
        except ValueError as error:
            reason = f"the data do not fit their description: {error}"
            raise fault(path, reason) from None


def schema_of(dataset: Dataset) -> Schema:
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
        tuple(dataset.target_types),
    )


def read_schema(text: bytes | bytearray, path: str) -> Schema:
    """Read a description; FormatError where it is not one."""
    refuse_unfinished(text, path)
    try:
        content = json.loads(text, parse_constant=refuse_constant)
        return _checked(content)
    except RecursionError:
        reason = "the JSON is nested too deeply"
    except (TypeError, ValueError, OverflowError) as error:
        reason = f"not a description of a data set: {error}"
    raise fault(path, reason)


def _checked(content: Any) -> Schema:
    if not isinstance(content, dict) or content.pop("labelsieve", None) != _VERSION:
        raise ValueError(f"expected an object with 'labelsieve': {_VERSION}")
    content.setdefault("target_types", [])
    wanted = {part.name for part in fields(Schema)}
    if content.keys() != wanted:
        raise ValueError(f"missing or unknown: {sorted(content.keys() ^ wanted)}")
    features, labels = _words(content["features"]), _words(content["labels"])
    if not features or not labels:
        raise ValueError("features and labels need names")
    declared, weights = content["categories"], content["weights"]
    if not isinstance(declared, dict) or not isinstance(content["sparse"], bool):
        raise ValueError("expected categories by feature, and sparse as true or false")
    categories = {name: _words(values) for name, values in declared.items()}
    types = tuple(content["target_types"])
    if not categories.keys() <= {*features, *(labels if types else ())}:
        raise ValueError("categories of unknown features")
    if types and (len(types) != len(labels) or not {*types} <= {*TYPES}):
        raise ValueError(f"target_types needs one of {', '.join(TYPES)} for each")
    if weights is not None:
        if not isinstance(weights, list):
            raise ValueError("weights need a number for each row")
        weights = tuple(map(float, weights))
    (name,), (missing,) = _words([content["name"]]), _words([content["missing"]])
    named = name, features, labels, categories
    return Schema(*named, content["sparse"], weights, missing, types)


def _words(values: Sequence[Any]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        raise ValueError("expected a list of texts")
    if first_repeated(values) is not None:
        raise ValueError("a text occurs twice in a list")
    for value in values:
        value.encode()  # refuses half surrogates, which no file can hold
    return tuple(values)
