"""What users pass as features, read once into numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_array, validate_data

from labelsieve._utils.machine import cached_property, n_threads
from labelsieve._utils.matrices import (
    as_dense,
    merge_repeats,
    open_sparse,
    refuse_others,
)
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import BoolArray, IntArray, Matrix, Weights
from labelsieve.reading.frames import (
    frame_to_numbers,
    is_frame,
    names_of,
    rounded_names,
    without_index,
)
from labelsieve.reading.groups import Groups, as_numbers, codes_by_rows
from labelsieve.reading.missing import (
    MISSING,
    fill_masked,
    fill_objects,
    mark_missing,
    refuse_missing,
)
from labelsieve.reading.nominal import warn_nominal
from labelsieve.reading.whole import rounded_columns, warn_rounded

# So much is shown of a text that is refused.
SHOWN = 40


@dataclass(frozen=True)
class Features:
    """Feature columns as numbers.

    Attributes
    ----------
    values : (n, D) float64 array, or CSR without explicit zeros and duplicates; a
        missing cell is infinity, see `MISSING`. Also float32 for who keeps that
    categories : for each nominal column of a table, its categories; the column
        holds positions in them, whose order means nothing
    n_jobs : number of threads for work on the columns
    n_missing : (D,) how many cells of each column are missing, None where none is
    grouped : which columns are one feature, None where each is one
    weight : (n,) how often each row counts, None for once
    blocks : for each group of features with numbers among them, all their columns in
        `members`; its own column holds combinations of their levels
    members : all features before they were grouped, None if they were not
    """

    values: Matrix
    categories: dict[int, NDArray[Any]] = field(default_factory=dict)
    n_jobs: int | None = None
    n_missing: IntArray | None = None
    grouped: Groups | None = None
    weight: Weights | None = None
    blocks: dict[int, IntArray] = field(default_factory=dict)
    members: Features | None = None

    @cached_property
    def constant(self) -> BoolArray:
        """Which features have the same value in every row."""
        if sp.issparse(self.values):
            constant = self.n_stored == 0
            (full,) = np.nonzero(self.n_stored == self.values.shape[0])
            if full.size:
                dense = self.values[:, full].toarray()
                constant[full] = (dense == dense[0]).all(axis=0)
            return constant
        return self.groups.whole((self.values == self.values[0]).all(axis=0))

    @property
    def groups(self) -> Groups:
        """Which columns are one feature."""
        return self.grouped or Groups(np.ones(self.values.shape[1], dtype=np.int64))

    def as_numbers(self) -> Features:
        """The same for who takes numbers: a column of 0 and 1 for each category.

        What categories are called, and their order, changes nothing. Two categories
        are one column. No cell may be missing.
        """
        if not self.categories:
            return self
        X, blocks = as_dense(self.values), self.blocks
        nominal = self.categories.keys() - blocks.keys()
        codes = {c: codes_by_rows(X[:, c]) for c in sorted(nominal)}
        held = self.members or self
        take = replace(held, values=as_dense(held.values)).take_columns
        several = {c: take(b).as_numbers().values for c, b in blocks.items()}
        values, groups = as_numbers(X, codes, several)
        return replace(self, values=values, categories={}, grouped=groups, blocks={})

    def take_columns(self, columns: IntArray) -> Features:
        """Some of the columns; what is nominal stays so."""
        values = self.values[:, columns]
        if sp.issparse(values):
            values.sort_indices()  # taking columns leaves rows unsorted
        taken, known, held = columns.tolist(), self.categories, self.blocks
        return Features(
            values,
            {i: known[c] for i, c in enumerate(taken) if c in known},
            n_missing=None if self.n_missing is None else self.n_missing[columns],
            weight=self.weight,
            blocks={i: held[c] for i, c in enumerate(taken) if c in held},
            members=self.members,
        )

    @cached_property
    def n_stored(self) -> IntArray:
        """How many cells of each column of a sparse table are stored."""
        return np.bincount(self.values.indices, minlength=self.values.shape[1])

    @cached_property
    def one_value(self) -> float | None:
        """What all stored cells of a sparse table hold, None if they differ."""
        data = self.values.data
        return float(data[0]) if data.size and (data == data[0]).all() else None

    def take_rows(self, rows: BoolArray) -> Features:
        """Some of the rows."""
        values, n_missing = self.values[rows], None
        if self.n_missing is not None:
            n_missing = np.asarray((values == MISSING).sum(axis=0)).ravel()
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, values=values, n_missing=n_missing, weight=weight)


def warn_constant_features(constant: BoolArray) -> None:
    """Whether no feature varies, so that there is nothing to choose from."""
    if constant.all():
        warn(
            f"all {constant.size} features have the same value in every row: they are "
            "ranked by their column index, with score 0."
        )


def read_features(
    estimator: Any, X: Any, *, reset: bool = True, min_rows: int = 2, **how: Any
) -> Features:
    """Validate X for `estimator`, remember its width and names, return its numbers.

    With ``reset=False`` the width and names are compared with the remembered ones.
    For the rest see `read_values`.
    """
    features = read_values(estimator, X, min_rows=min_rows, warns=reset, **how)
    named = without_index(X) if is_frame(X) else features.values
    validate_data(estimator, named, reset=reset, skip_check_array=True)
    return features


def read_values(
    estimator: Any,
    X: Any,
    *,
    min_rows: int,
    categories: dict[int, NDArray[Any]] | None = None,
    takes_missing: bool = False,
    warns: bool = False,
    keeps_float32: bool = False,
) -> Features:
    """Validate X, a whole table or a block of its rows, and return its numbers.

    Nominal columns of a table use the given `categories`; with `warns`, columns that
    are not taken as they are give a warning. Missing cells are refused, unless the
    caller `takes_missing` ones. Numbers become float64, unless they are float32 and
    the caller `keeps_float32`.
    """
    refuse_others(X, "X")
    X = without_index(fill_masked(X))
    numbers = X
    found: dict[int, NDArray[Any]] = {}
    if is_frame(X):
        _refuse_duplicate_names(X)
        numbers, found = frame_to_numbers(X, categories)
        if warns:
            warn_nominal(names_of(X), found)
        warn_rounded(rounded_names(X, found), "X")
    elif sp.issparse(X):
        numbers = open_sparse(X, "X")
    else:
        numbers = _as_array(X)
        _look_at_text(numbers)
    if not is_frame(X):
        warn_rounded(rounded_columns(numbers), "X")
    values = check_array(
        numbers,
        accept_sparse="csr",
        dtype=[np.float64, np.float32] if keeps_float32 else np.float64,
        ensure_all_finite=False,  # looked at below, once
        ensure_min_samples=min_rows,
        estimator=estimator,
        input_name="X",
    )
    if sp.issparse(values):
        values = merge_repeats(values)
    values, n_missing = mark_missing(values)
    if n_missing is not None and not takes_missing:
        names = names_of(X) if is_frame(X) else range(n_missing.size)
        who = estimator if isinstance(estimator, str) else type(estimator).__name__
        refuse_missing(n_missing, names, who)
    n_jobs = getattr(estimator, "n_jobs", None)
    n_threads(n_jobs)  # refuses what is no number of threads
    features = Features(values, found, n_jobs, n_missing)
    if not sp.issparse(values) or features.one_value or values.data.all():
        return features
    without_zeros = values.copy()
    without_zeros.eliminate_zeros()
    return replace(features, values=without_zeros)


def _as_array(X: Any) -> NDArray[Any]:
    try:
        table = X if isinstance(X, np.ndarray) else np.asarray(X)
        return fill_objects(table) if table.dtype == object else table
    except ValueError as error:
        raise ValueError(
            f"Expected X as rows of equally many numbers, got a {type(X).__name__} "
            f"that NumPy cannot turn into a table: {error}"
        ) from error


def _refuse_duplicate_names(frame: Any) -> None:
    counted = Counter(names_of(frame))
    duplicates = sorted(str(name) for name, times in counted.items() if times > 1)
    if duplicates:
        raise ValueError(
            "Expected unique column names, got duplicates: " + ", ".join(duplicates)
        )


def _look_at_text(numbers: NDArray[Any]) -> None:
    """Warn of numbers as text; ValueError that names a column of other text."""
    has_text = numbers.dtype.kind in "US"
    if numbers.dtype.kind in "UO" and numbers.ndim == 1:
        _refuse_list(numbers)
    elif numbers.dtype.kind in "UO" and numbers.ndim == 2:
        columns = enumerate(numbers.T)
        cells = ((place, cell) for place, column in columns for cell in column)
        for place, cell in cells:
            if not isinstance(cell, str):
                continue
            has_text = True
            try:
                float(cell)
            except ValueError:
                raise ValueError(
                    f"column {place} of X holds text, such as {str(cell)!r}: could not "
                    "convert string to float. Pass X as a DataFrame (pandas, polars, "
                    "pyarrow), whose columns of text are categories, or encode the "
                    "column, for example with sklearn.preprocessing.OneHotEncoder."
                ) from None
    if has_text:
        warn(
            "X holds numbers as text; they are converted to float64.",
            DataConversionWarning,
        )


def _refuse_list(cells: NDArray[Any]) -> None:
    """ValueError for a list of texts or of dictionaries, which is no table."""
    ways = (
        (str, "texts", "make_pipeline(CountVectorizer(binary=True), Sieve(50))"),
        (dict, "dictionaries", "pandas.DataFrame(X)"),
    )
    for kind, called, way in ways:
        if cells.size and isinstance(cells[0], kind):
            raise ValueError(
                f"Expected 2D array, got 1D array instead: X is a list of {called}, "
                f"such as {str(cells[0])[:SHOWN]!r}. Make columns of them first, for "
                f"example with {way}."
            )
