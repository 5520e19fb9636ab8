"""The data of an experiment: where it lies, and which rows train and which test."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import unknown
from labelsieve._utils.typing import IntArray, Matrix
from labelsieve.datasets import Dataset, find_dataset, load, names_of_rows_as_constants
from labelsieve.discretization import Discretizer
from labelsieve.folds import divided, group_codes
from labelsieve.reading import (
    LABEL,
    is_frame,
    names_of,
    read_values,
    strata,
    targets_in,
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


def with_medians(train: Matrix, test: Matrix) -> tuple[Matrix, Matrix]:
    """The median of the training rows where cells are missing."""
    if not (has_missing(train) or has_missing(test)):
        return train, test
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(train)
    return imputer.transform(train), imputer.transform(test)


def has_missing(X: Matrix) -> bool:
    """Whether a cell is not known."""
    return bool(np.isnan(X.data if sp.issparse(X) else X).any())


def with_frequent(Y: Any) -> Any:
    """The more frequent value of a label where it is not known."""
    if not has_missing(Y):
        return Y
    imputer = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    return imputer.fit_transform(Y).astype(np.uint8)


# A message names so many features.
MOST_NAMES = 20


@dataclass(frozen=True)
class DataSource:
    """A data set by its name, the path where it was found, and what is left out."""

    name: str
    path: str
    drop: tuple[str, ...] = ()
    groups: str | None = None  # the feature of rows that belong together; left out, too
    labels: str | None = None  # how names of label columns begin, if nothing says it


@dataclass(frozen=True)
class Loaded:
    """Features and dense targets in memory, with a checksum of both."""

    X: Matrix
    Y: np.ndarray[Any, Any]  # labels as uint8; float64 with NaN where not all is known
    checksum: str
    is_categorical: bool  # no feature has more than two values: binning changes nothing
    groups: IntArray | None = None
    kinds: tuple[str, ...] = ()  # what each target is; empty where all are labels


def locate(
    name: str,
    data: str | os.PathLike[str] | None,
    drop: tuple[str, ...] = (),
    groups: str | None = None,
    labels: str | None = None,
) -> DataSource:
    """Find a data set by name in the folder `data`, or where `find_dataset` looks.

    A name that is the path of a file or folder is taken as it is.
    """
    path = None
    if data is not None:
        with contextlib.suppress(FileNotFoundError, ValueError):  # a path is no name
            path = find_dataset(name, data)
    given = Path(name)
    if path is None and given.exists() and (os.sep in name or given.is_file()):
        path, name = given, given.name.split(".")[0]
    path = find_dataset(name) if path is None else path
    return DataSource(name, str(path.resolve()), drop, groups, labels)


def dataset_of(X: Any, Y: Any) -> Dataset:
    """What users pass to `fit`, as a data set."""
    features = read_values("compare", X, min_rows=2, takes_missing=True, warns=True)
    targets = targets_in(Y, features.values)
    width = features.values.shape[1]
    names = names_of(X) if is_frame(X) else [f"x{place}" for place in range(width)]
    names = list(map(str, names))
    taken = set(names)
    called = [f"label:{n}" if str(n) in taken else str(n) for n in targets.names]
    categories = {
        names[place]: tuple(map(str, values))
        for place, values in features.categories.items()
    }
    table, kinds = with_nan(features.values), targets.kinds
    named = names, called, "data", categories
    return Dataset(table, targets.dense(), *named, target_types=kinds)


@lru_cache(maxsize=3)
def read(source: DataSource) -> Loaded:
    """Load a data set once per process."""
    dataset = load(source.path, labels=source.labels)
    return prepare(dataset, source.drop, source.groups)


@dataclass(frozen=True)
class Facts:
    """What a plan must know of a data set: little, unlike its values."""

    rows: int
    features: int
    labels: int
    checksum: str
    is_categorical: bool
    is_sparse: bool
    kinds: tuple[str, ...] = ()
    missing: float = 0.0  # share of the cells of X
    unknown: float = 0.0  # share of the cells of Y
    cardinality: float = 0.0  # mean number of labels that a row is known to have
    rarest: int = 0  # rows of the rarest label


@lru_cache(maxsize=256)
def facts(source: DataSource) -> Facts:
    """Read a data set for what is known of it, and forget its values."""
    loaded = read(source)
    n_rows, n_features = map(int, loaded.X.shape)
    is_sparse = bool(sp.issparse(loaded.X))
    cells, known = loaded.X.data if is_sparse else loaded.X, np.nan_to_num(loaded.Y)
    return Facts(
        rows=n_rows,
        features=n_features,
        labels=int(loaded.Y.shape[1]),
        checksum=loaded.checksum,
        is_categorical=loaded.is_categorical,
        is_sparse=is_sparse,
        kinds=loaded.kinds,
        missing=round(float(np.isnan(cells).sum()) / (n_rows * n_features), 6),
        unknown=round(float(np.isnan(loaded.Y).mean()), 6),
        cardinality=round(float(known.sum() / n_rows), 4),
        rarest=int(known.sum(axis=0).min()),
    )


def prepare(
    dataset: Dataset, drop: tuple[str, ...] = (), groups: str | None = None
) -> Loaded:
    """Leave features out by name and take the checksum of the rest."""
    table = names_of_rows_as_constants(dataset)
    X, Y = table.X, table.Y
    which = None
    if groups is not None:
        names = list(dataset.feature_names)
        if groups not in names:
            raise ValueError(unknown("feature", groups, names[:MOST_NAMES]))
        column = as_dense(dataset.X[:, [names.index(groups)]]).ravel()
        which, drop = group_codes(column, column.size), (*drop, groups)
    if drop:
        kept = [i for i, name in enumerate(dataset.feature_names) if name not in drop]
        X = X[:, kept]
    kinds = tuple(dataset.target_types)
    labels = targets_in(Y, X, kinds or LABEL).dense()
    digest = checksum(X, labels)
    if kinds:
        digest = hashlib.sha256(repr((digest, kinds)).encode()).hexdigest()[:32]
    if sp.issparse(X):
        is_categorical = bool(np.isin(X.data, (0.0, 1.0)).all())
    else:
        is_categorical = all(np.unique(column).size <= 2 for column in X.T)
    return Loaded(X, labels, digest, is_categorical, which, kinds)


def checksum(X: Matrix, Y: np.ndarray[Any, Any]) -> str:
    """Return a digest of the values, whatever file they came from."""
    digest = hashlib.sha256()
    digest.update(repr((X.shape, Y.shape, sp.issparse(X))).encode())
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    for part in (*parts, Y):
        wide = np.float64 if part.dtype.kind == "f" else np.int64
        digest.update(np.ascontiguousarray(part, dtype=wide).tobytes())
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class Split:
    """Row indices of the training and the test part, ascending."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class SplitProtocol:
    """Base of the protocols: subclasses say how rows are divided.

    The split number i depends on the seed, on i and on nothing else that varies, so
    that more splits later keep the first ones.
    """

    n_splits: int
    stratified: bool = False

    def split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None = None
    ) -> Split:
        """Return the split number `index` of the rows of Y, of some groups in one part.

        Only the number of rows of Y counts unless `stratified`.
        """
        if not 0 <= index < self.n_splits:
            raise IndexError(f"there are splits 0 to {self.n_splits - 1}, got {index}.")
        return self._split(Y, seed, index, groups)

    def with_splits(self, n_splits: int) -> SplitProtocol:
        """Return the same protocol with at most `n_splits` splits."""
        return replace(self, n_splits=min(n_splits, self.n_splits))

    def identity(self) -> dict[str, Any]:
        """Return what determines a split besides the seed and its number."""
        fields = {"kind": type(self).__name__, **asdict(self)}
        del fields["n_splits"]
        return fields

    def describe(self) -> str:
        """Return the protocol in words."""
        raise NotImplementedError

    def _sizes(self, n_rows: int) -> list[int]:
        """How many rows train, how many test, and how many do neither, if any."""
        raise NotImplementedError

    def _split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None
    ) -> Split:
        random = np.random.default_rng([seed, index])
        shared = strata(Y) if self.stratified else None
        train, test, *_ = divided(self._sizes(Y.shape[0]), random, shared, groups)
        return Split(train, test)


@dataclass(frozen=True)
class HoldOut(SplitProtocol):
    """Random training and test parts, drawn again for each split.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import HoldOut
    >>> split = HoldOut(n_splits=30, test_size=0.3).split(np.eye(10), seed=0, index=4)
    >>> split.train.size, split.test.size
    (7, 3)
    """

    n_splits: int = 30
    test_size: float = 0.3

    def describe(self) -> str:
        """Return the protocol in words."""
        percent = round(100 * self.test_size)
        how = "stratified " if self.stratified else ""
        return f"{self.n_splits} x {how}hold-out, {100 - percent}/{percent}"

    def _sizes(self, n_rows: int) -> list[int]:
        n_test = min(max(round(self.test_size * n_rows), 1), n_rows - 1)
        return [n_rows - n_test, n_test]


@dataclass(frozen=True)
class CappedHoldOut(HoldOut):
    """Hold-out of a sample of the rows where there are more than `most_rows`."""

    most_rows: int = 1500

    def describe(self) -> str:
        """Return the protocol in words."""
        return f"{super().describe()}, of at most {self.most_rows} rows"

    def _sizes(self, n_rows: int) -> list[int]:
        n = min(n_rows, self.most_rows)
        return [*super()._sizes(n), n_rows - n]


@dataclass(frozen=True)
class KFold(SplitProtocol):
    """Each row tests once: parts of equal size, one of them the test part in turn.

    With more splits than `n_folds` the rows are divided again and again.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import KFold
    >>> folds = KFold(n_splits=5)
    >>> [folds.split(np.eye(10), seed=0, index=i).test.size for i in range(5)]
    [2, 2, 2, 2, 2]
    """

    n_splits: int = 10
    n_folds: int | None = None

    def describe(self) -> str:
        """Return the protocol in words."""
        how = "stratified " if self.stratified else ""
        only = "" if self.n_splits == self.folds else f" ({self.n_splits} of them)"
        if self.n_splits > self.folds:
            only = f", repeated ({self.n_splits} splits)"
        return f"{how}{self.folds}-fold cross-validation{only}"

    @property
    def folds(self) -> int:
        """The number of parts, which stays when fewer splits are used."""
        return self.n_folds or self.n_splits

    def with_splits(self, n_splits: int) -> SplitProtocol:
        """Return the same folds, of which at most `n_splits` are used."""
        fewer = min(n_splits, self.n_splits)
        return replace(self, n_splits=fewer, n_folds=self.folds)

    def identity(self) -> dict[str, Any]:
        """Return what determines a split besides the seed and its number."""
        return {**super().identity(), "n_folds": self.folds}

    def _split(
        self, Y: Matrix, seed: int, index: int, groups: IntArray | None
    ) -> Split:
        n = Y.shape[0]
        if n < self.folds:
            raise ValueError(f"{n} rows cannot be divided into {self.folds} folds.")
        sizes = [n // self.folds + (i < n % self.folds) for i in range(self.folds)]
        repeat, fold = divmod(index, self.folds)
        random = np.random.default_rng([seed, repeat] if repeat else seed)
        parts = divided(sizes, random, strata(Y) if self.stratified else None, groups)
        train = np.concatenate(parts[:fold] + parts[fold + 1 :])
        return Split(np.sort(train), parts[fold])


@dataclass(frozen=True)
class SampledTraining(SplitProtocol):
    """A fixed number of training rows and a share of other rows for the test.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve.experiments import SampledTraining
    >>> protocol = SampledTraining(n_splits=10, n_train=50, test_size=0.1)
    >>> split = protocol.split(np.eye(200), seed=0, index=0)
    >>> split.train.size, split.test.size
    (50, 20)
    """

    n_splits: int = 10
    n_train: int = 1800
    test_size: float = 0.1

    def describe(self) -> str:
        """Return the protocol in words."""
        how = "stratified " if self.stratified else ""
        return (
            f"{self.n_splits} x {how}{self.n_train} training rows, "
            f"{100 * self.test_size:g} % of all rows for the test"
        )

    def _sizes(self, n_rows: int) -> list[int]:
        n_test = max(int(self.test_size * n_rows), 1)
        rest = n_rows - self.n_train - n_test
        if rest < 0:
            raise ValueError(
                f"{self.n_train} training and {n_test} test rows are more than the "
                f"{n_rows} rows there are. Use HoldOut for this data set."
            )
        return [self.n_train, n_test, rest]
