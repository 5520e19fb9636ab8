"""What users pass as labels, read once into codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from labelsieve._utils.matrices import (
    as_dense,
    merge_repeats,
    open_sparse,
    refuse_others,
)
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import BoolArray, IntArray, Matrix, Weights
from labelsieve.reading.frames import is_frame, names_of, rounded_names, without_index
from labelsieve.reading.missing import (
    UNKNOWN_TEXT,
    fill_masked,
    is_missing,
    listed_names,
    unknown_cells,
)
from labelsieve.reading.tags import read_tags, warn_joined
from labelsieve.reading.whole import warn_rounded

# The score of a number one standard deviation above the mean.
UNIT = 1 << 20
# A label with more whole numbers than this is likely an amount, not a name.
MOST_NUMBERS = 20
BIN = (
    "bin it first, for example with pandas.qcut(y, 4, labels=False) or "
    'sklearn.preprocessing.KBinsDiscretizer(4, encode="ordinal")'
)


@dataclass(frozen=True)
class Labels:
    """Label columns as codes 0, 1, ... in the order of their sorted values.

    Attributes
    ----------
    codes : (n, L) array of small integers, or CSR of the non-zero codes
    n_values : (L,) how many distinct values each label has
    names : (L,) how to call each label in a message
    n_unknown : (L,) in how many rows each label is not known, None if all are known
    are_text : whether values are text
    scores : of the targets that are numbers, by their place, (n,) whole numbers, 0
        where it is not known; as codes they have their halves, above the median or not
    weight : (n,) how often each row counts, None for once

    A constant label has code 1 where its value is a positive number, else 0. Cells
    that are not known have `unknown_code`.
    """

    codes: Matrix
    n_values: IntArray
    names: Sequence[Any]
    n_unknown: IntArray | None = None
    are_text: bool = False
    scores: Mapping[int, IntArray] = field(default_factory=dict)
    weight: Weights | None = None

    @property
    def types(self) -> list[str]:
        """What each target is."""
        kinds = np.where(self.n_values > 2, "class", "label").tolist()
        return ["number" if j in self.scores else kind for j, kind in enumerate(kinds)]

    @property
    def noun(self) -> str:
        """What to call one of them."""
        return "label" if {*self.types} == {"label"} else "target"

    @property
    def constant(self) -> BoolArray:
        """Which labels have the same value in every row, and so say nothing."""
        return self.n_values < 2

    @property
    def unknown_code(self) -> IntArray:
        """(L,) the code of cells that are not known: behind all others."""
        return np.maximum(self.n_values, 2).astype(self.codes.dtype)

    def unknown(self) -> Matrix:
        """(n, L) which cells are not known, of the same kind as the codes."""
        if not sp.issparse(self.codes):
            return self.codes == self.unknown_code
        codes = self.codes
        unknown = codes.data == self.unknown_code[codes.indices]
        return sp.csr_matrix((unknown, codes.indices, codes.indptr), codes.shape)

    @property
    def labelled(self) -> BoolArray:
        """(n,) in which rows a label is known."""
        if self.n_unknown is None or not self.n_unknown.all():
            return np.ones(self.codes.shape[0], dtype=bool)
        n_unknown = np.asarray(self.unknown().sum(axis=1)).ravel()
        return n_unknown < self.n_values.size

    def refuse_unknown(self, who: str, way_out: str = "") -> None:
        """ValueError if a label is not known in every row."""
        if self.n_unknown is None:
            return
        (some,) = np.nonzero(self.n_unknown)
        fill = ", or fill the cells (0 says that a label is absent)"
        what, fill = self.noun, fill if self.noun == "label" else ""
        raise ValueError(
            f"Input y contains NaN: {int(self.n_unknown.sum())} unknown cell(s) in "
            f"{some.size} of {self.n_unknown.size} {what}(s), {self._listed(some)}, "
            f"but {who} needs every {what} of every row. Leave those rows out{fill}"
            f"{way_out}."
        )

    def indicator(self, method: str) -> Matrix:
        """The labels as 0 and 1; `method` is named in the error for other labels."""
        self.refuse_several_values(method)
        self.refuse_unknown(method)
        return self.with_numbers(self.codes.astype(np.uint8))

    def with_numbers(self, codes: Matrix) -> Matrix:
        """The codes, and as floats the targets that are numbers.

        Numbers have the mean and variance of a label that half of the samples have.
        """
        if self.scores:
            codes = as_dense(codes).astype(np.float64)
            for place, scores in self.scores.items():
                codes[:, place] = (1.0 + scores / UNIT) / 2.0
        return codes

    def refuse_several_values(self, method: str, way_out: str = "") -> None:
        """Raise if a label has more than two values."""
        (several,) = np.nonzero(self.n_values > 2)
        if several.size:
            raise ValueError(
                f"{method} takes no classes, and the target {self.names[several[0]]!r} "
                f"has {self.n_values[several[0]]} values. Turn each of these into a "
                "label of its own, for example with "
                f"sklearn.preprocessing.LabelBinarizer{way_out}."
            )

    def warn_many_numbers(self) -> None:
        """Whether a label looks like an amount."""
        (many,) = np.nonzero(self.n_values > MOST_NUMBERS)
        if many.size and not self.are_text:
            warn(
                f"{self.noun} {self.names[many[0]]!r} has {self.n_values[many[0]]} "
                "different numbers, and each is taken as a class of its own, without "
                f"their order. If it is an amount (a count, a year), {BIN}; if they "
                "are names, make them text: y.astype(str)."
            )

    def warn_constant(self) -> None:
        """Warn which labels carry no information."""
        (nowhere,) = np.nonzero(self.n_values == 0)
        if nowhere.size:
            warn(
                f"{nowhere.size} of {self.n_values.size} {self.noun}s are known in no "
                f"row and left out: {self._listed(nowhere)}."
            )
        (useless,) = np.nonzero(self.n_values == 1)
        if not useless.size:
            return
        none_left = f" No {self.noun} is left: features are ranked by column index."
        consequence = none_left if self.constant.all() else ""
        where = "" if self.n_unknown is None else " where they are known"
        warn(
            f"{useless.size} of {self.n_values.size} {self.noun}s have the same value "
            f"in every row{where} and carry no information: {self._listed(useless)}."
            f"{consequence}"
        )

    def _listed(self, labels: IntArray) -> str:
        return listed_names([self.names[label] for label in labels])


# Reads a table in which anything else is than 0 and 1.
Otherwise = Callable[[Any], Labels] | None


def read_labels(y: Any, X: Any, otherwise: Otherwise = None) -> Labels:
    """Read labels in any accepted form and check them against the rows of X.

    Accepted are 0/1 indicator matrices (array, sparse matrix, DataFrame, nested
    list), a single column, labels with any other values, text included, and a list of
    tags for each row. Cells that hold NaN, None, NA or null, or are masked, are not
    known. ``otherwise(y)`` reads tables in which anything else is than 0 and 1.
    """
    refuse_others(y, "y")
    y = without_index(y)
    tags = read_tags(y)
    if tags is not None:
        y = tags.table
    if sp.issparse(y):
        labels = _from_sparse(y, otherwise)
    else:
        labels = from_dense(fill_masked(y), otherwise)
    if tags is not None:
        labels = replace(labels, names=tags.names)
    return check_labels(labels, X)


def check_labels(labels: Labels, X: Any) -> Labels:
    """The labels, if there are some and they fit the samples of X."""
    if labels.n_values.size == 0:
        raise ValueError(
            f"Found 0 labels (y has shape {labels.codes.shape}) while a minimum of 1 "
            "is required."
        )
    check_consistent_length(X, labels.codes)
    if not labels.n_values.any():
        raise ValueError(
            "Input y contains NaN: no label is known in any row. Pass at least two "
            "rows with a label that is known."
        )
    return labels


def sparse_indicator(y: Any) -> Matrix:
    """A sparse table of labels as canonical CSR of ones, as an array if it holds more.

    In the array stored values and implicit zeros are codes of their own. NaN among the
    ones stays there.
    """
    table = sp.csr_matrix(merge_repeats(open_sparse(y, "y")))
    ones = table.data == 1
    if ones.all() or (ones | (table.data != table.data)).all():
        return table
    return table.toarray()


def _from_sparse(y: Any, otherwise: Otherwise) -> Labels:
    table = sp.csr_matrix(merge_repeats(open_sparse(y, "y")))
    if table.dtype.kind not in "biuf":
        return from_dense(table.toarray(), otherwise)
    unknown = (table.data != table.data).astype(np.uint8)
    codes = (table.data == 1) + 2 * unknown
    if not codes.all():
        return from_dense(table.toarray(), otherwise)
    # Kernels are compiled for what may be written, though nothing is.
    index, start = (np.require(a, None, "W") for a in (table.indices, table.indptr))
    coded = sp.csr_matrix((codes, index, start), table.shape)
    coded.has_canonical_format = True
    n_labels = table.shape[1]
    n_unknown = np.bincount(index[codes == 2], minlength=n_labels)
    n_ones = np.bincount(index, minlength=n_labels) - n_unknown
    n_values = _n_values(n_ones, table.shape[0] - n_unknown)
    some = n_unknown if n_unknown.any() else None
    return Labels(coded, n_values, range(n_labels), some)


def _n_values(ones: IntArray, n_known: IntArray | int) -> IntArray:
    """How many of the values 0 and 1 labels have in the rows where they are known."""
    return np.add(ones > 0, ones < n_known, dtype=np.int64)


def from_dense(y: Any, otherwise: Otherwise = None) -> Labels:
    """Labels of an array, a table or nested lists."""
    names = label_names(y)
    columns = as_matrix(y)
    if names is None:
        names = list(range(columns.shape[1]))
    elif is_frame(y) and columns.dtype.kind == "f":
        warn_rounded(rounded_names(y), "y")
    unknown = unknown_cells(columns)
    n_unknown: Any = 0 if unknown is None else np.count_nonzero(unknown, axis=0)
    codes = as_indicator(columns, int(np.sum(n_unknown)))
    if codes is not None:
        n_ones = codes.sum(axis=0, dtype=np.int64)
        labels = Labels(codes, _n_values(n_ones, len(codes) - n_unknown), names)
    elif otherwise is not None and columns.size:
        return otherwise(y)
    else:
        if unknown is not None:
            # Any value of the label itself, so that no other joins its values.
            first = columns[np.argmin(unknown, axis=0), np.arange(len(names))]
            if first.dtype.kind == "f":
                first = np.nan_to_num(first)  # of labels that are known nowhere
            columns = np.where(unknown, first, columns)
        labels = _code_columns(columns, names)
    if unknown is None:
        return labels
    n_values = np.where(n_unknown == len(columns), 0, labels.n_values)
    labels = replace(labels, n_values=n_values, n_unknown=n_unknown)
    np.maximum(labels.codes, unknown * labels.unknown_code, out=labels.codes)
    return labels


def _code_columns(columns: NDArray[Any], names: Sequence[Any]) -> Labels:
    """Labels from columns of any values, all of them known."""
    refuse_numbers(columns)
    if columns.shape[1] == 1 and columns.dtype.kind == "U":
        warn_joined(np.unique(columns).tolist())
    codes = np.zeros(columns.shape, dtype=np.int64)
    n_values = np.ones(columns.shape[1], dtype=np.int64)
    for j, column in enumerate(columns.T):
        values, position = np.unique(column, return_inverse=True)
        n_values[j] = values.size
        codes[:, j] = position if values.size > 1 else is_positive(values)
    return Labels(codes, n_values, names, are_text=columns.dtype.kind in "US")


def label_names(y: Any) -> list[Any] | None:
    """The columns of a table and the name of a Series, also on Dask; else None."""
    if hasattr(y, "columns"):
        return names_of(without_index(y))
    name = getattr(y, "name", None) if hasattr(y, "to_frame") else None
    return None if name in (None, "") else [name]


def as_matrix(y: Any) -> NDArray[Any]:
    """Return y as a 2-D array of booleans, numbers or text.

    Cells that are not known are NaN, or `UNKNOWN_TEXT` where labels are text.
    """
    try:
        columns = np.asarray(y)
    except ValueError as error:
        raise _ragged() from error
    if columns.dtype == object:
        columns = _convert_objects(columns)
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


def _convert_objects(columns: NDArray[Any]) -> NDArray[Any]:
    """Turn an array of Python objects into one of numbers or of text."""
    cells = columns.ravel()
    if any(isinstance(cell, list | tuple | set | np.ndarray) for cell in cells):
        raise _ragged()
    converted = np.array(columns.tolist())
    if converted.dtype.kind in "iu":
        return converted  # exact, however large
    unknown = np.reshape([is_missing(cell) for cell in cells], columns.shape)
    try:
        return np.where(unknown, np.nan, columns).astype(np.float64)
    except (TypeError, ValueError):
        return np.where(unknown, UNKNOWN_TEXT, columns).astype(str)


def _ragged() -> ValueError:
    return ValueError(
        "y holds lists among its cells; expected one 0/1 column per label, or one list "
        "of tags for each row."
    )


def as_indicator(columns: NDArray[Any], n_nan: int = 0) -> NDArray[np.uint8] | None:
    """The columns as 0 and 1, None if they hold anything else but so many NaN."""
    if columns.dtype.kind not in "biuf" or not columns.size:
        return None
    ones = np.equal(columns, 1, order="C")
    if np.count_nonzero(ones) + n_nan < np.count_nonzero(columns):
        return None
    return ones.view(np.uint8)


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
            f"{fractional[0]:g}; expected 0 and 1 or other whole numbers or text. If "
            f"it is an amount, {BIN}."
        )


def is_positive(values: NDArray[Any]) -> bool:
    """Whether there is one value, and it is a number above zero."""
    return values.size == 1 and values.dtype.kind in "iuf" and bool(values[0] > 0)


def with_unknown(y: Any, unknown: Any) -> Any:
    """Return labels with NaN, which means *not known*, where they hold `unknown`.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        The labels.
    unknown : number or str
        What stands for a label that is not known, for example -1.

    Returns
    -------
    y : array, sparse matrix or DataFrame
        A copy, in which unknown cells are NaN (None for text).

    Examples
    --------
    >>> from labelsieve import with_unknown
    >>> with_unknown([[1, 0], [-1, 1]], -1)
    array([[ 1.,  0.],
           [nan,  1.]])
    """
    if not (unknown is None or np.isscalar(unknown)):
        raise TypeError(
            f"unknown is a {type(unknown).__name__}; expected the number or text that "
            "stands for a label that is not known."
        )
    refuse_others(y, "y")
    if sp.issparse(y):
        marked = merge_repeats(open_sparse(y, "y")).astype(np.float64)
        if unknown == 0:  # which is what cells hold that are not stored
            return with_unknown(marked.toarray(), unknown)
        marked.data[marked.data == unknown] = np.nan
        return marked
    if is_frame(y):
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import NarwhalsError

        frame = nw.from_native(y)
        for column in [nw.col(name) for name in frame.columns]:
            # No cell of another type is equal; polars refuses to compare them.
            with suppress(NarwhalsError):
                frame = frame.with_columns(nw.when(column != unknown).then(column))
        return frame.to_native()
    try:
        cells = np.asarray(y)
    except ValueError:  # rows of different lengths
        raise ValueError(
            "y is not a table of labels: expected rows with equally many values."
        ) from None
    if cells.dtype.kind in "biuf":
        return np.where(cells == unknown, np.nan, cells)
    words = cells.astype(object)
    words[cells == unknown] = None
    return words
