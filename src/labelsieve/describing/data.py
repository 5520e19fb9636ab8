"""Data of any form, read once, with names for everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.texts import dates_in
from labelsieve._utils.typing import BoolArray, IntArray, Matrix
from labelsieve.blocks import is_lazy
from labelsieve.datasets import Dataset, Description, count_data
from labelsieve.describing.leaks import LabelLists, columns_as_rows
from labelsieve.reading import (
    MISSING,
    Features,
    Labels,
    is_frame,
    is_identifier,
    names_rows,
    read_scored_targets,
    read_values,
    warn_other_order,
    without_index,
)

# A text file may speak of a billion columns: no array has one entry for each then, and
# not all names of constant ones are listed.
MANY_COLUMNS = 1_000_000
LISTED_CONSTANTS = 1_000


@dataclass(frozen=True, eq=False)
class Data:
    """Features and labels, and what they are called."""

    name: str
    features: Features  # all, or those in which something is stored where many
    columns: IntArray  # (D,) where these are among all
    labels: Labels
    feature_names: Sequence[Any]  # of all
    label_names: Sequence[Any]
    n_dates: int  # how many features are dates, times or durations

    @property
    def values(self) -> Matrix:
        """The cells of `features`."""
        return self.features.values

    def feature(self, place: int) -> str:
        """The name of one of `features`."""
        return str(self.feature_names[int(self.columns[place])])

    def label(self, place: int) -> str:
        """The name of a label."""
        return str(self.label_names[place])

    @cached_property
    def is_label(self) -> BoolArray:
        """Which columns of Y are labels: not classes, not numbers."""
        return np.array(self.labels.types) == "label"

    @cached_property
    def has_label(self) -> Any:
        """Which rows have which label, in CSR; no row has a class or a number."""
        codes = sp.csr_array(self.labels.codes)
        cells = np.ones(codes.nnz, dtype=bool), codes.indices, codes.indptr
        table = sp.csr_array(cells, shape=codes.shape)
        if self.unknown is not None or not self.is_label.all():
            table = table.copy()  # the codes stay as they are
            table.data &= codes.data != self.labels.unknown_code[codes.indices]
            table.data &= self.is_label[codes.indices]
            table.eliminate_zeros()
        return table

    @cached_property
    def unknown(self) -> Any:
        """Which cells of labels are not known, in CSR, None if all are."""
        if self.labels.n_unknown is None:
            return None
        table = sp.csr_array(self.labels.unknown()).copy()
        table.eliminate_zeros()
        return table

    @cached_property
    def lists(self) -> LabelLists:
        """Labels that are there, and that are not known, as lists."""
        return LabelLists(self.has_label, self.unknown)

    @cached_property
    def by_column(self) -> Matrix:
        """The cells of `features`, a line for each column."""
        return columns_as_rows(self.values)

    @cached_property
    def n_unknown(self) -> Any:
        """How many labels of each row are not known; 0 where all are known."""
        return 0 if self.unknown is None else np.diff(self.unknown.indptr)

    @cached_property
    def identifiers(self) -> list[int]:
        """Which of `features` name the rows; they are read as if constant."""
        found = []
        for place, values in self.features.categories.items():
            cells = as_dense(self.values[:, [place]]).ravel()
            there = cells[cells != MISSING]
            # A value of its own in nearly every row.
            if is_identifier(values) or names_rows(np.unique(there).size, there.size):
                found.append(place)
        return found

    @cached_property
    def varies(self) -> BoolArray:
        """Which of `features` have two values or more."""
        found = ~self.features.constant
        found[self.identifiers] = True
        return found

    @property
    def numbers(self) -> Description:
        """What papers print about it."""
        labels, unknown = np.flatnonzero(self.is_label), self.unknown
        return count_data(
            self.name,
            self.has_label[:, labels],
            n_unknown=0 if unknown is None else np.diff(unknown[:, labels].indptr),
            n_features=len(self.feature_names),
            n_nominal=len(self.features.categories),
            n_constant=self.n_constant,
        )

    @property
    def n_constant(self) -> int:
        """How many features never vary."""
        return len(self.feature_names) - int(self.varies.sum())

    def constants(self) -> list[str]:
        """The names of the first features that never vary."""
        varying = set(self.columns[self.varies].tolist())
        all_columns = range(len(self.feature_names))
        constant = (column for column in all_columns if column not in varying)
        return [str(self.feature_names[c]) for c in islice(constant, LISTED_CONSTANTS)]

    @property
    def types(self) -> dict[str, int]:
        """How many features of each type there are."""
        nominal = len(self.features.categories)
        found = {
            "numeric": len(self.feature_names) - nominal - self.n_dates,
            "categorical": nominal,
            "date or time": self.n_dates,
        }
        return {kind: many for kind, many in found.items() if many}

    @property
    def missing(self) -> dict[str, int]:
        """How many cells are missing, by the names of the features."""
        n_missing = self.features.n_missing
        if n_missing is None:
            return {}
        some = np.flatnonzero(n_missing)
        return {self.feature(place): int(n_missing[place]) for place in some.tolist()}


def read_data(X: Any, Y: Any) -> Data:
    """Read features and labels in any form that selectors take, or a data set."""
    if isinstance(X, Dataset):
        return _of_dataset(X)
    if Y is None:
        raise TypeError(
            "describe needs X and Y, or a Dataset of labelsieve.datasets; got "
            f"{type(X).__name__} alone."
        )
    X, Y = (part.compute() if is_lazy(part) else part for part in (X, Y))
    features = read_values("describe", X, min_rows=1, takes_missing=True)
    names: Sequence[str] = [f"x{j}" for j in range(features.values.shape[1])]
    n_dates = 0
    if is_frame(X):
        import narwhals.stable.v2 as nw

        table = nw.from_native(without_index(X), eager_only=True)
        names = [str(name) for name in table.columns]
        n_dates = sum(
            kind.is_temporal() or (kind == nw.String and _holds_dates(table[:, place]))
            for place, kind in enumerate(table.schema.values())
            if place not in features.categories
        )
    warn_other_order(X, Y)
    labels = read_scored_targets(Y, features.values)
    return _stored("data", features, labels, names, labels.names, n_dates)


def _holds_dates(column: Any) -> bool:
    """Whether a column of text that is no category holds dates, not numbers."""
    return dates_in(column.drop_nulls().unique().to_list()) is not None


def _of_dataset(data: Dataset) -> Data:
    if is_frame(data.X):
        return replace(read_data(data.X, data.Y), name=data.name)
    features = read_values("describe", data.X, min_rows=1, takes_missing=True)
    names = enumerate(data.feature_names if data.categories else ())
    nominal = {
        place: np.array(data.categories[name], dtype=object)
        for place, name in names
        if name in data.categories
    }
    features = replace(features, categories=nominal)
    types = list(data.target_types) or "auto"
    labels = read_scored_targets(data.Y, features.values, types)
    called = data.feature_names, data.label_names
    dates = set(data.dates)  # mostly none, and of a billion names none is looked at
    n_dates = len(dates.intersection(data.feature_names)) if dates else 0
    return _stored(data.name, features, labels, *called, n_dates)


def _stored(name: str, features: Features, labels: Labels, *others: Any) -> Data:
    """Of a sparse table with very many columns, those in which something is stored."""
    table = features.values
    if not sp.issparse(table) or table.shape[1] <= MANY_COLUMNS:
        return Data(name, features, np.arange(table.shape[1]), labels, *others)
    columns, index = np.unique(table.indices, return_inverse=True)
    cells = table.data, index.reshape(-1).astype(np.int32), table.indptr
    n_missing = features.n_missing
    features = Features(
        sp.csr_matrix(cells, shape=(table.shape[0], columns.size)),
        n_missing=None if n_missing is None else n_missing[columns],
    )
    return Data(name, features, columns, labels, *others)
