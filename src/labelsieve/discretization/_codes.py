"""Columns of codes in the one form that counting wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.machine import run_in_threads
from labelsieve._utils.matrices import (
    CELLS_PER_BLOCK,
    as_csr,
    as_dense,
    row_blocks,
    slices_of,
    stored_cells,
)
from labelsieve._utils.typing import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Matrix,
    Weights,
)
from labelsieve.discretization._cuts import FEW_CUTS, Cuts
from labelsieve.reading import Features, Labels

# A thread counts the codes of about so many dense cells at a time.
CELLS_AT_ONCE = 250_000


@dataclass(frozen=True)
class CodedColumns:
    """Columns of codes in which 0 is each column's most frequent code.

    Information does not change when codes are renamed. Giving the name 0 to the
    most frequent code (the smaller of two that tie) makes the other cells as few as
    can be, and the same for dense and sparse input. Constant columns are left out.

    Attributes
    ----------
    codes : (n, d) array, or CSR of the non-zero codes
    n_codes : (d,) number of codes of each column, at least 2
    kept : (d,) index of each column in the input
    counts : how many rows have each code but 0, column after column, where known
    unknown : (d,) of labels, whether the last code means that the label is not known;
        None if no such
    weight : (n,) how often each row counts, None for once
    """

    codes: Matrix
    n_codes: IntArray
    kept: IntArray
    counts: CountArray | None = None
    unknown: BoolArray | None = None
    weight: Weights | None = None

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[0])

    @property
    def start(self) -> IntArray:
        """(d + 1,) where the indicators (codes 1, 2, ...) of each column begin."""
        return np.append(0, np.cumsum(self.n_codes - 1))

    def dense(self) -> NDArray[Any]:
        """The codes as a C-ordered array."""
        codes = as_dense(self.codes)
        return np.ascontiguousarray(codes)

    def indicator_rows(self) -> tuple[IntArray, IndexArray]:
        """CSR pointers and indices of the indicators: one for each non-zero cell."""
        stored = as_csr(self.codes)
        indices = (self.start[:-1] - 1)[stored.indices] + stored.data
        return stored.indptr.astype(np.int64), indices.astype(np.uint32)


def code_features(features: Features, cuts: Cuts) -> CodedColumns:
    codes, zero_code = code_values(features.values, cuts, features.n_jobs)
    how: dict[str, Any] = {"n_jobs": features.n_jobs, "weight": features.weight}
    return coded_columns(codes, zero_code, cuts.n_codes, **how)


def code_labels(labels: Labels) -> CodedColumns:
    """Code the labels that vary."""
    unknown = None  # those with one more code
    n_codes = np.where(labels.constant, 1, labels.n_values)
    if labels.n_unknown is not None:
        unknown = (labels.n_unknown > 0) & ~labels.constant
        n_codes += unknown
    codes, zero_code = labels.codes, None
    if sp.issparse(codes) or not (labels.n_values > 2).any():
        codes = as_csr(codes).astype(np.uint8, copy=False)
        zero_code = np.zeros(n_codes.size, dtype=np.uint8)
    how: dict[str, Any] = {"unknown": unknown, "weight": labels.weight}
    return coded_columns(codes, zero_code, n_codes, **how)


def code_values(
    values: Matrix, cuts: Cuts, n_jobs: int | None = None
) -> tuple[Matrix, NDArray[Any] | None]:
    """The codes of a table and, of a sparse one, the code of zero, else None."""
    if sp.issparse(values):
        return code_sparse(values, cuts, n_jobs)
    return code_dense(values, cuts, n_jobs), None


def code_dense(X: FloatArray, cuts: Cuts, n_jobs: int | None = None) -> NDArray[Any]:
    """The codes of a dense table, in the smallest unsigned integers that hold them."""
    codes = np.empty(X.shape, np.min_scalar_type(int(cuts.n_codes.max()) - 1))
    few, several = cuts.few(), np.flatnonzero(cuts.n_codes - 1 > FEW_CUTS)

    def code(rows: slice) -> None:
        out = codes[rows].view(bool) if codes.itemsize == 1 else codes[rows]
        np.greater(X[rows], few[0], out=out, casting="unsafe")
        for points in few[1:]:
            codes[rows] += X[rows] > points
        for column in several.tolist():
            codes[rows, column] = cuts.codes_of(X[rows, column], column)

    height = max(1, CELLS_PER_BLOCK // X.shape[1])
    run_in_threads(code, slices_of(X.shape[0], height), n_jobs)
    return codes


def code_sparse(
    X: sp.csr_matrix, cuts: Cuts, n_jobs: int | None = None
) -> tuple[sp.csr_matrix, NDArray[Any]]:
    """The codes of the stored cells (explicit where 0), and the code of zero."""
    codes = np.zeros(X.nnz, np.min_scalar_type(int(cuts.n_codes.max()) - 1))
    few = cuts.few()

    def code(rows: slice) -> None:
        cells = stored_cells(X, rows)
        _code_cells(X.indices[cells], X.data[cells], cuts, few, codes[cells])

    run_in_threads(code, row_blocks(X), n_jobs)
    zero_code = np.zeros(X.shape[1], dtype=codes.dtype)
    _code_cells(np.arange(X.shape[1]), np.zeros(X.shape[1]), cuts, few, zero_code)
    return sp.csr_matrix((codes, X.indices, X.indptr), shape=X.shape), zero_code


def _code_cells(
    columns: IntArray, values: FloatArray, cuts: Cuts, few: FloatArray, out: Any
) -> None:
    """Add to `out` how many cuts of its column lie below each value."""
    for points in few:
        one = points[0] if points.min() == points.max() else points[columns]
        out += values > one
    several = cuts.n_codes - 1 > FEW_CUTS
    if not several.any():
        return
    (many,) = np.nonzero(several[columns])
    order = many[np.argsort(columns[many], kind="stable")]
    edges = np.flatnonzero(np.diff(columns[order])) + 1
    for cells in np.split(order, edges):
        out[cells] = cuts.codes_of(values[cells], int(columns[cells[0]]))


def coded_columns(
    codes: Matrix,
    zero_code: NDArray[Any] | None,
    n_codes: IntArray,
    background: IntArray | None = None,
    n_jobs: int | None = None,
    unknown: BoolArray | None = None,
    weight: Weights | None = None,
) -> CodedColumns:
    """Coded columns of codes as `code_values` returns them.

    Rows of a block get the `background` of all.
    """
    kept, counts = np.flatnonzero(n_codes > 1), None
    if kept.size < n_codes.size:
        codes, n_codes = codes[:, kept], n_codes[kept]
        parts: tuple[Any, ...] = zero_code, background, unknown
        zero_code, background, unknown = (p if p is None else p[kept] for p in parts)
    if background is None:
        frequency = frequencies(codes, zero_code, n_codes, n_jobs, weight)
        background = most_frequent(frequency, n_codes, unknown)
        if weight is None:
            counts = counts_but_background(frequency, n_codes, background)
    (some,) = np.nonzero(background)
    if zero_code is not None:
        all_coded = not zero_code.any() and codes.data.min(initial=1) > 0
        if some.size or not all_coded:
            codes = _recode(codes, zero_code, background.astype(codes.dtype))
    elif some.size:
        codes = codes.copy()
        codes[:, some] = renamed(codes[:, some], background[some])
    if unknown is not None and not unknown.any():
        unknown = None
    return CodedColumns(codes, n_codes, kept, counts, unknown, weight)


def _recode(
    stored: sp.csr_matrix, zero_code: NDArray[Any], background: NDArray[Any]
) -> sp.csr_matrix:
    """Keep what is not background, and name code 0 like that.

    Where zero is not the most frequent code, cells that are not stored are entries.
    """
    is_filled, column = zero_code != background, stored.indices
    (filled,) = np.nonzero(is_filled)
    # Codes of few columns change, as a rule.
    (cells,) = np.nonzero((is_filled | (background > 0))[column])
    codes, changed = stored.data.copy(), column[cells]
    codes[cells] = renamed(codes[cells], background[changed])
    entries = sp.csr_matrix((codes, column.copy(), stored.indptr.copy()), stored.shape)
    entries.eliminate_zeros()
    if filled.size:
        others = np.empty((stored.shape[0], filled.size), dtype=codes.dtype)
        others[:] = renamed(zero_code, background)[filled]
        n_changed = np.diff(np.searchsorted(cells, stored.indptr))
        row, some = np.repeat(np.arange(len(others)), n_changed), is_filled[changed]
        others[row[some], (np.cumsum(is_filled) - 1)[changed[some]]] = 0
        more = as_csr(others)
        index = filled.astype(np.int32)[more.indices]
        entries += sp.csr_matrix((more.data, index, more.indptr), stored.shape)
    return entries


def renamed(codes: NDArray[Any], background: IntArray) -> NDArray[Any]:
    """Exchange the names of code 0 and of the background code."""
    background = background.astype(codes.dtype)
    others = np.where(codes == 0, background, codes)
    return np.where(codes == background, 0, others).astype(codes.dtype)


def place_of(n_codes: IntArray) -> IntArray:
    """Where the codes of each column begin in a list of all codes of all columns."""
    return np.cumsum(n_codes) - n_codes


def frequencies(
    codes: Matrix,
    zero_code: NDArray[Any] | None,
    n_codes: IntArray,
    n_jobs: int | None = None,
    weight: Weights | None = None,
) -> IntArray:
    """How often each code of each column occurs, column after column."""
    n_rows, place, size = codes.shape[0], place_of(n_codes), int(n_codes.sum())
    if not size:
        return np.zeros(0, dtype=np.int64)

    def count(rows: slice) -> IntArray:
        if zero_code is None:
            found, n_cells = place + codes[rows], n_codes.size
        else:
            cells, n_cells = stored_cells(codes, rows), np.diff(codes.indptr)[rows]
            found = place[codes.indices[cells]] + codes.data[cells]
        times = None if weight is None else np.repeat(weight[rows], n_cells)
        return np.bincount(found.ravel(), times, minlength=size)

    height = max(1, CELLS_AT_ONCE // max(1, n_codes.size))
    blocks = slices_of(n_rows, height) if zero_code is None else row_blocks(codes)
    frequency: IntArray = np.sum(run_in_threads(count, blocks, n_jobs), axis=0)
    if zero_code is not None:
        total = n_rows if weight is None else weight.sum()
        frequency[place + zero_code] += total - np.add.reduceat(frequency, place)
    return frequency


def most_frequent(
    frequency: IntArray, n_codes: IntArray, unknown: BoolArray | None = None
) -> IntArray:
    """The most frequent code of each column; of several, the smallest.

    A last code that means *not known* is never the one.
    """
    place = place_of(n_codes)
    if unknown is not None:
        frequency = frequency.copy()
        frequency[(place + n_codes - 1)[unknown]] = -1
    if not n_codes.size:
        return np.empty(0, dtype=np.int64)
    largest = np.repeat(np.maximum.reduceat(frequency, place), n_codes)
    code = np.arange(frequency.size) - np.repeat(place, n_codes)
    first = np.where(frequency == largest, code, frequency.size)
    return np.minimum.reduceat(first, place)


def counts_but_background(
    frequency: IntArray, n_codes: IntArray, background: IntArray
) -> CountArray:
    """How many rows have each code but the background, once that is named 0."""
    place = place_of(n_codes)
    named = frequency.copy()
    named[place + background] = frequency[place]
    return np.delete(named, place).astype(np.uint32)
