"""Cells that are not there, missing in X or unknown in Y: NaN, None, NA, masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from labelsieve._utils.typing import BoolArray, IntArray, Matrix

if TYPE_CHECKING:
    from labelsieve.reading.features import Features
    from labelsieve.reading.labels import Labels

# What stands in a missing cell once X is read. Infinity is refused in X, so nothing
# else is equal to it; unlike NaN it equals itself and lies above every cut point.
MISSING = np.inf
LISTED_AT_MOST = 5
IMPUTE = "Impute them first, for example with SimpleImputer in a pipeline"


def fill_masked(X: Any) -> Any:
    """A masked array as a plain one with NaN in masked cells, anything else as is."""
    if np.ma.isMaskedArray(X) and np.ma.is_masked(X):
        with_nan = np.result_type(X.dtype, np.float16)
        plain = np.ma.getdata(X).astype(with_nan)
        plain[np.ma.getmaskarray(X)] = np.nan
        return plain
    return X


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing cell."""
    # Comparing pandas' NA gives NA again, which is neither true nor false; comparing
    # an array gives an array.
    if value is None or type(value).__name__ == "NAType":
        return True
    return not isinstance(value, np.ndarray) and bool(value != value)


def fill_objects(table: NDArray[Any]) -> NDArray[Any]:
    """An array of objects with NaN in missing cells."""
    missing = np.array([is_missing(cell) for cell in table.ravel()], dtype=bool)
    return np.where(missing.reshape(table.shape), np.nan, table)


def mark_missing(values: Matrix) -> tuple[Matrix, IntArray | None]:
    """Write `MISSING` for NaN, in a copy, and count such cells of each column.

    Where nothing is missing, the values come back as they are, with None. Infinity
    is refused.
    """
    cells = values.data if sp.issparse(values) else values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(cells.sum()):
            return values, None
    assert_all_finite(values, allow_nan=True, input_name="X")
    missing = np.isnan(cells)
    if not missing.any():  # the sum was too large
        return values, None
    marked = np.where(missing, values.dtype.type(MISSING), cells)
    if not sp.issparse(values):
        return marked, np.count_nonzero(missing, axis=0)
    n_missing = np.bincount(values.indices[missing], minlength=values.shape[1])
    marked = type(values)((marked, values.indices, values.indptr), values.shape)
    marked.has_canonical_format = True
    return marked, n_missing


def with_nan(values: Matrix) -> Matrix:
    """A copy of values that were read, with NaN in missing cells."""
    found = values.copy()
    cells = found.data if sp.issparse(found) else found
    cells[cells == MISSING] = np.nan
    return found


def refuse_missing(
    n_missing: IntArray, names: Sequence[Any], who: str, way_out: str = ""
) -> None:
    """ValueError that names the columns with missing cells."""
    listed = listed_names([names[j] for j in np.flatnonzero(n_missing).tolist()])
    raise ValueError(
        f"Input X contains NaN: {int(n_missing.sum())} missing cell(s) in column(s) "
        f"{listed}, but {who} needs a value in every cell. {IMPUTE}{way_out}."
    )


def listed_names(names: Sequence[Any]) -> str:
    """The first few names, for a message."""
    more = ", ..." if len(names) > LISTED_AT_MOST else ""
    return ", ".join(map(repr, names[:LISTED_AT_MOST])) + more


# What stands in an unknown cell of a label whose values are text: no text is behind it
# in sorted order, as no number is behind NaN.
UNKNOWN_TEXT = chr(0x10FFFF)


def unknown_cells(columns: Matrix) -> Matrix | None:
    """Which cells of labels that were read are not known, None if all are."""
    if sp.issparse(columns):
        cells = unknown_cells(columns.data)
        if cells is None:
            return None
        return sp.csr_matrix((cells, columns.indices, columns.indptr), columns.shape)
    if columns.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isnan(columns.sum()):
                return None
        unknown = np.isnan(columns)
    elif columns.dtype.kind == "U":
        unknown = columns == UNKNOWN_TEXT
    else:
        return None
    return unknown if unknown.any() else None


def leave_unlabelled(
    features: Features, labels: Labels
) -> tuple[Features, Labels, BoolArray | slice]:
    """Both without the samples in which no label is known, and which ones are left."""
    known, n_unknown = labels.labelled, labels.n_unknown
    if n_unknown is None or known.all():
        return features, labels, slice(None)
    if known.sum() < 2:
        raise ValueError(
            f"Input y contains NaN: a {labels.noun} is known in 1 row only, and a "
            "minimum of 2 is required."
        )
    n_unknown = n_unknown - np.count_nonzero(~known)
    labels = replace(
        labels,
        codes=labels.codes[known],
        scores={place: scores[known] for place, scores in labels.scores.items()},
        n_unknown=n_unknown if n_unknown.any() else None,
    )
    return features.take_rows(known), labels, known
