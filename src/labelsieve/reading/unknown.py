"""Cells of Y that are not known: NaN, None, NA, null, masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import refuse_others
from labelsieve._plumbing.typing import IntArray, Matrix
from labelsieve.reading.frames import is_frame
from labelsieve.reading.sparse import merge_repeats, open_sparse

if TYPE_CHECKING:
    from labelsieve.reading.features import Features
    from labelsieve.reading.labels import Labels

# What stands in an unknown cell of a label whose values are text: no text is behind it
# in sorted order, as no number is behind NaN.
UNKNOWN_TEXT = chr(0x10FFFF)
LISTED_AT_MOST = 5


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
        table, canonical = open_sparse(y, "y")
        marked = (table if canonical else merge_repeats(table)).astype(np.float64)
        if unknown == 0:  # which is what cells hold that are not stored
            return with_unknown(marked.toarray(), unknown)
        marked.data[marked.data == unknown] = np.nan
        return marked
    if is_frame(y):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(y)
        columns = [nw.col(name) for name in frame.columns]
        return frame.select(
            *(nw.when(column != unknown).then(column) for column in columns)
        ).to_native()
    try:
        cells = np.asarray(y)
    except ValueError:  # rows of different lengths
        raise ValueError(
            "y is no table of labels: expected rows of equally many values."
        ) from None
    if cells.dtype.kind in "biuf":
        return np.where(cells == unknown, np.nan, cells)
    words = cells.astype(object)
    words[cells == unknown] = None
    return words


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


def known_codes(columns: Matrix) -> Matrix:
    """Labels of 0 and 1 as codes, 2 where they are not known."""
    if not sp.issparse(columns):
        unknown = unknown_cells(columns)
        known = columns if unknown is None else np.where(unknown, 2, columns)
        return known.astype(np.uint8, order="C")
    if columns.dtype.kind != "f":
        return columns
    codes = np.isnan(columns.data).view(np.uint8)
    if not codes.any():
        return columns
    codes += np.uint8(1)
    return sp.csr_matrix((codes, columns.indices, columns.indptr), columns.shape)


def leave_unlabelled(features: Features, labels: Labels) -> tuple[Features, Labels]:
    """Both without the rows in which no label is known: they tell of no label."""
    n_unknown = labels.n_unknown
    if n_unknown is None or not n_unknown.all():
        return features, labels
    if sp.issparse(labels.cells):
        most = np.diff(labels.cells.indptr).max()
        if most < n_unknown.size:  # no row stores a cell of every label
            return features, labels
    known = np.asarray(labels.unknown().sum(axis=1)).ravel() < n_unknown.size
    if known.all():
        return features, labels
    if known.sum() < 2:
        raise ValueError(
            "Input y contains NaN: a label is known in 1 row only, and a minimum of 2 "
            "is required."
        )
    n_unknown = n_unknown - np.count_nonzero(~known)
    labels = replace(
        labels,
        cells=labels.cells[known],
        n_unknown=n_unknown if n_unknown.any() else None,
    )
    return features.take_rows(known), labels


def refuse_unknown(
    n_unknown: IntArray, names: Sequence[Any], who: str, way_out: str = ""
) -> None:
    """ValueError that names the labels with unknown cells."""
    (some,) = np.nonzero(n_unknown)
    listed = ", ".join(repr(names[label]) for label in some[:LISTED_AT_MOST])
    more = ", ..." if some.size > LISTED_AT_MOST else ""
    raise ValueError(
        f"Input y contains NaN: {int(n_unknown.sum())} unknown cell(s) in {some.size} "
        f"of {n_unknown.size} label(s), {listed}{more}, but {who} needs every label of "
        "every row. Leave those rows out, or fill the cells (0 says that a label is "
        f"absent){way_out}."
    )
