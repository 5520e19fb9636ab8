"""Tables that grow row by row while a file is read."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from labelsieve._plumbing.texts import amounts_in, dates_in, warn_amounts, warn_doubtful
from labelsieve._plumbing.typing import FloatArray
from labelsieve.datasets._columns import UNKNOWN, Plan
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError

if TYPE_CHECKING:
    from labelsieve.datasets._kernels import Entries


class DenseTable:
    """Dense rows, written into arrays that are large enough from the start."""

    def __init__(self, plan: Plan, max_rows: int) -> None:
        self.plan = plan
        self.X = np.empty((max_rows, len(plan.feature_columns)), dtype=np.float64)
        self.Y = np.empty((max_rows, len(plan.label_columns)), dtype=np.uint8)
        self.rows = 0
        self.weights: dict[int, float] = {}

    def add(self, values: list[float], weight: float | None) -> None:
        """Append one row."""
        row = np.array(values, dtype=np.float64)
        self.X[self.rows] = row[self.plan.feature_columns]
        labels = row[self.plan.label_columns]
        self.Y[self.rows] = np.where(np.isnan(labels), UNKNOWN, labels)
        if weight is not None:
            self.weights[self.rows] = weight
        self.rows += 1

    def trim(self) -> None:
        """Give unused rows back in place, where a slice would keep them."""
        for part in (self.X, self.Y):
            part.resize((self.rows, part.shape[1]), refcheck=False)
        if (self.Y == UNKNOWN).any():
            self.Y = np.where(self.Y == UNKNOWN, np.nan, self.Y)

    def finish(self, name: str) -> Dataset:
        """Return what was read."""
        self.trim()
        return _dataset(self.plan, self.X, self.Y, name, self.weights)


class SparseRows:
    """The entries of sparse rows, one row after the other."""

    def __init__(self) -> None:
        self.x_counts, self.y_counts = array("q"), array("q")
        self.x_columns, self.y_columns = array("i"), array("i")
        self.x_values = array("d")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.x_counts)

    def append(self, features: dict[int, float], labels: list[int]) -> None:
        """Append one row: its values by feature, and its labels."""
        kept = sorted(column for column, value in features.items() if value != 0)
        self.x_columns.extend(kept)
        self.x_values.extend([features[column] for column in kept])
        self.x_counts.append(len(kept))
        self.y_columns.extend(sorted(labels))
        self.y_counts.append(len(labels))

    def extend(self, entries: Entries, rows: int, x_total: int, y_total: int) -> None:
        """Append many rows, as a kernel returns them."""
        self.x_counts.frombytes(entries.x_counts[:rows].view(np.uint8).data)
        self.x_columns.frombytes(entries.x_columns[:x_total].view(np.uint8).data)
        self.x_values.frombytes(entries.x_values[:x_total].view(np.uint8).data)
        self.y_counts.frombytes(entries.y_counts[:rows].view(np.uint8).data)
        self.y_columns.frombytes(entries.y_columns[:y_total].view(np.uint8).data)

    def matrices(self, n_features: int, n_labels: int) -> tuple[Any, Any]:
        """Return X and Y."""
        values = np.frombuffer(self.x_values, dtype=np.float64)
        ones = np.ones(len(self.y_columns), dtype=np.uint8)
        return (
            _csr(values, self.x_columns, self.x_counts, n_features),
            _csr(ones, self.y_columns, self.y_counts, n_labels),
        )


class SparseTable(SparseRows):
    """Sparse rows of declared columns."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.weights: dict[int, float] = {}
        self.unknown: list[tuple[int, int]] = []

    def add(self, values: dict[int, float], weight: float | None) -> None:
        """Append one row, given as value by column."""
        features, labels = {}, []
        for column, value in values.items():
            target = int(self.plan.targets[column])
            if target >= 0:
                features[target] = value
            elif np.isnan(value):
                self.unknown.append((self.rows, ~target))
            elif value != 0:
                labels.append(~target)
        if weight is not None:
            self.weights[self.rows] = weight
        self.append(features, labels)

    def finish(self, name: str) -> Dataset:
        """Return what was read."""
        plan = self.plan
        X, Y = self.matrices(len(plan.feature_columns), len(plan.label_columns))
        if plan.flipped:
            Y = _flip(Y, plan)
        if self.unknown:
            holes = np.full(len(self.unknown), np.nan)
            places = tuple(np.transpose(self.unknown))
            Y = Y.astype(np.float64) + sparse.csr_array((holes, places), Y.shape)
        return _dataset(plan, X, Y, name, self.weights)


# Rows times labels that a file of a few bytes may ask to fill with ones.
_MAX_FLIPPED = 1 << 25


def _csr(values: Any, columns: array[int], counts: array[int], width: int) -> Any:
    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(np.frombuffer(counts, dtype=np.int64), out=ends[1:])
    if ends[-1] < np.iinfo(np.int32).max:
        ends = ends.astype(np.int32)
    indices = np.frombuffer(columns, dtype=np.int32)
    return sparse.csr_array((values, indices, ends), shape=(len(counts), width))


def _flip(Y: Any, plan: Plan) -> Any:
    """Exchange 0 and 1 of labels whose first declared value, which sparse rows leave
    out, is 1.
    """
    rows = Y.shape[0]
    if rows * len(plan.flipped) > _MAX_FLIPPED:
        reason = (
            "too many labels of this sparse file declare 1 first, so that every row "
            "which leaves them out carries them; declare them {0,1}"
        )
        raise FormatError(plan.path, None, None, reason)
    columns = np.tile(np.array(plan.flipped, dtype=np.int32), rows)
    ends = np.arange(rows + 1) * len(plan.flipped)
    ones = np.ones(len(columns), dtype=np.int8)
    full = sparse.csr_array((ones, columns, ends), shape=Y.shape)
    return abs(full - Y.astype(np.int8))


def _dataset(
    plan: Plan, X: Any, Y: Any, name: str, weights: dict[int, float]
) -> Dataset:
    X, dates = _texts_as_numbers(plan, X)
    row_weights = None
    if weights:
        row_weights = np.ones(X.shape[0])
        row_weights[list(weights)] = list(weights.values())
    return Dataset(
        X,
        Y,
        [plan.columns[index].name for index in plan.feature_columns],
        [plan.columns[index].name for index in plan.label_columns],
        name,
        plan.categories(),
        row_weights,
        dates,
    )


def _texts_as_numbers(plan: Plan, X: Any) -> tuple[Any, list[str]]:
    """Turn columns of text in which every cell is a date or a number into numbers.

    Dates are seconds since 1970. Returns the names of all columns of dates, too.
    """
    columns = [plan.columns[index] for index in plan.feature_columns]
    names = [column.name for column in columns if column.parse_date is not None]
    if sparse.issparse(X):  # what is left out of a row is the empty text
        return X, names
    amounts: dict[str, Mapping[str, float]] = {}
    for index, texts in plan.texts.items():
        if plan.columns[index].holds_tags:
            continue
        name, place = plan.columns[index].name, int(plan.targets[index])
        read = read_texts(name, texts, amounts)
        if read is None:
            continue
        if name not in amounts:
            names.append(name)
        X[:, place] = numbers_of(X[:, place], read)
        texts.clear()
    warn_amounts(amounts)
    return X, names


def read_texts(
    name: str, texts: Collection[str], amounts: dict[str, Mapping[str, float]]
) -> dict[str, float] | None:
    """The seconds or the number of each text, None unless all are dates or numbers.

    Numbers are noted among the amounts; dates that are in doubt are told.
    """
    read = dates_in(texts)
    if read is not None:
        return read
    read = amounts_in(texts)
    if read is None:
        warn_doubtful(name, texts)
    else:
        amounts[name] = read
    return read


def numbers_of(codes: FloatArray, read: Mapping[str, float]) -> FloatArray:
    """The numbers of the texts that codes stand for, NaN where they are missing."""
    numbers = np.array([*read.values(), np.nan])
    return numbers[np.where(np.isnan(codes), -1, codes).astype(np.intp)]
