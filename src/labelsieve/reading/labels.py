"""What users pass as labels, read once into codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from labelsieve._plumbing.typing import BoolArray, IntArray, Matrix
from labelsieve._plumbing.warnings import warn
from labelsieve.reading.frames import is_frame, rounded_names
from labelsieve.reading.sparse import merge_repeats, open_sparse
from labelsieve.reading.whole import warn_rounded

LISTED_AT_MOST = 5


@dataclass(frozen=True)
class Labels:
    """Label columns as codes 0, 1, ... in the order of their sorted values.

    Attributes
    ----------
    codes : (n, L) array of small integers, or CSR of the non-zero codes
    n_values : (L,) how many distinct values each label has
    names : (L,) how to call each label in a message

    A constant label has code 1 where its value is a positive number, else 0.
    """

    codes: Matrix
    n_values: IntArray
    names: Sequence[Any]

    @property
    def constant(self) -> BoolArray:
        """Which labels have the same value in every row, and so say nothing."""
        return self.n_values < 2

    def indicator(self, method: str) -> Matrix:
        """The labels as 0 and 1; `method` is named in the error for other labels."""
        self.refuse_several_values(method)
        return self.codes.astype(np.uint8)

    def refuse_several_values(self, method: str) -> None:
        """Raise if a label has more than two values."""
        (several,) = np.nonzero(self.n_values > 2)
        if several.size:
            raise ValueError(
                f"{method} needs labels with two values; label "
                f"{self.names[several[0]]!r} has {self.n_values[several[0]]}. Turn "
                "each of its values into a label of its own, for example with "
                "sklearn.preprocessing.LabelBinarizer."
            )

    def warn_constant(self) -> None:
        """Tell which labels carry no information."""
        (useless,) = np.nonzero(self.constant)
        if not useless.size:
            return
        listed = ", ".join(repr(self.names[j]) for j in useless[:LISTED_AT_MOST])
        more = ", ..." if useless.size > LISTED_AT_MOST else ""
        consequence = (
            " No label is left: features are ranked by their column index."
            if useless.size == self.n_values.size
            else ""
        )
        warn(
            f"{useless.size} of {self.n_values.size} labels have the same value in "
            f"every row and carry no information: {listed}{more}.{consequence}"
        )


def read_labels(y: Any, X: Any) -> Labels:
    """Read labels in any accepted form and check them against the rows of X.

    Accepted are 0/1 indicator matrices (array, sparse matrix, DataFrame, nested
    list), a single column, and labels with any other values, text included.
    """
    table = sparse_indicator(y) if sp.issparse(y) else y
    labels = _from_sparse(table) if sp.issparse(table) else _from_dense(table)
    if labels.n_values.size == 0:
        raise ValueError(
            f"Found 0 labels (y has shape {labels.codes.shape}) while a minimum of 1 "
            "is required."
        )
    check_consistent_length(X, labels.codes)
    return labels


def sparse_indicator(y: Any) -> Matrix:
    """A sparse table of labels as canonical CSR of ones, as an array if it holds more.

    In the array stored values and implicit zeros are codes of their own.
    """
    table, canonical = open_sparse(y, "y")
    table = sp.csr_matrix(table if canonical else merge_repeats(table))
    if table.data.size and not (table.data == 1).all():
        return table.toarray()
    return table


def _from_sparse(table: sp.csr_matrix) -> Labels:
    ones = np.bincount(table.indices, minlength=table.shape[1])
    n_values = np.where((ones == 0) | (ones == table.shape[0]), 1, 2)
    return Labels(table, n_values, range(table.shape[1]))


def _from_dense(y: Any) -> Labels:
    names = label_names(y)
    columns = as_matrix(y)
    if names is None:
        names = list(range(columns.shape[1]))
    elif is_frame(y) and columns.dtype.kind == "f":
        warn_rounded(rounded_names(y), "y")
    codes = as_indicator(columns)
    if codes is not None:
        ones = codes.sum(axis=0, dtype=np.int64)
        n_values = np.where((ones == 0) | (ones == len(codes)), 1, 2)
        return Labels(codes, n_values, names)
    refuse_numbers(columns)
    codes = np.zeros(columns.shape, dtype=np.int64)
    n_values = np.ones(columns.shape[1], dtype=np.int64)
    for j, column in enumerate(columns.T):
        values, position = np.unique(column, return_inverse=True)
        n_values[j] = values.size
        codes[:, j] = position if values.size > 1 else is_positive(values)
    return Labels(codes, n_values, names)


def label_names(y: Any) -> list[Any] | None:
    """The columns of a table and the name of a Series, also on Dask; else None."""
    if hasattr(y, "columns"):
        return list(y.columns)
    is_named = hasattr(y, "to_list") or hasattr(y, "dask")
    name = getattr(y, "name", None)
    return [name] if is_named and name not in (None, "") else None


def as_matrix(y: Any) -> NDArray[Any]:
    """Return y as a 2-D array of booleans, numbers or text without missing cells."""
    try:
        columns = np.asarray(y)
    except ValueError as error:
        raise _ragged() from error
    if columns.dtype == object:
        columns = _settle_objects(columns)
    if columns.dtype.kind not in "biufUS":
        raise ValueError(
            f"Unknown label type: y has dtype {columns.dtype}; expected 0 and 1, "
            "other whole numbers, booleans or text."
        )
    if columns.ndim == 1:
        columns = columns.reshape(-1, 1)
    if columns.ndim != 2:
        raise ValueError(
            "y should have one column per label, shape (n_samples, n_labels), or be a "
            f"1d array; got an array of shape {columns.shape} instead."
        )
    return columns


def _settle_objects(columns: NDArray[Any]) -> NDArray[Any]:
    """Turn an array of Python objects into one of numbers or of text."""
    cells = columns.ravel()
    if any(isinstance(cell, list | tuple | set | np.ndarray) for cell in cells):
        raise _ragged()
    if any(_is_missing(cell) for cell in cells):
        raise ValueError("Input y contains NaN.")
    settled = np.array(columns.tolist())
    if settled.dtype.kind in "iu":
        return settled  # exact, however large
    try:
        return columns.astype(np.float64)
    except (TypeError, ValueError):
        return columns.astype(str)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or bool(cell != cell)


def _ragged() -> ValueError:
    return ValueError(
        "y looks like a list of label sets of different lengths; expected one 0/1 "
        "column per label. sklearn.preprocessing.MultiLabelBinarizer makes that "
        "matrix: MultiLabelBinarizer().fit_transform(y)."
    )


def as_indicator(columns: NDArray[Any]) -> NDArray[np.uint8] | None:
    """The columns as 0 and 1, None if they hold anything else."""
    if columns.dtype.kind not in "biuf" or not columns.size:
        return None
    with np.errstate(invalid="ignore"):
        codes = columns.astype(np.uint8, order="C")
    if codes.max() > 1 or not (codes == columns).all():
        return None
    return codes


def refuse_numbers(columns: NDArray[Any]) -> None:
    """Raise for numbers that are no class: missing, infinite or fractional ones."""
    if columns.dtype.kind != "f":
        return
    if not np.isfinite(columns).all():
        kind = "NaN" if np.isnan(columns).any() else "infinity"
        raise ValueError(f"Input y contains {kind}.")
    fractional = columns[columns != np.floor(columns)]
    if fractional.size:
        raise ValueError(
            "Unknown label type: continuous. Labels are classes, and y contains "
            f"{fractional[0]:g}; expected 0 and 1 or other whole numbers or text."
        )


def is_positive(values: NDArray[Any]) -> bool:
    """Whether there is one value, and it is a number above zero."""
    return values.size == 1 and values.dtype.kind in "iuf" and bool(values[0] > 0)
