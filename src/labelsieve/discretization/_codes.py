"""Columns of codes in the one form that counting wants."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    FloatArray,
    IndexArray,
    IntArray,
    Matrix,
)
from labelsieve.discretization._cuts import FEW_CUTS, Cuts
from labelsieve.reading import Features, Labels


@dataclass(frozen=True)
class CodedColumns:
    """Columns of codes in which 0, of sparse tables the code of zero, is left out.

    Information does not change when codes are renamed, nor with the reference level
    for which there is no indicator. Constant columns are left out.

    Attributes
    ----------
    codes : (n, d) array, or CSR of the non-zero codes
    n_codes : (d,) number of codes of each column, at least 2
    kept : (d,) index of each column in the input
    counts : how many rows have each code but 0, column after column, where these rows
        are somewhere else
    unknown : (d,) of labels, whether the last code means that the label is not known;
        None if no such
    """

    codes: Matrix
    n_codes: IntArray
    kept: IntArray
    counts: IntArray | None = None
    unknown: BoolArray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def start(self) -> IntArray:
        """(d + 1,) where the indicators (codes 1, 2, ...) of each column begin."""
        start = np.zeros(self.n_codes.size + 1, dtype=np.int64)
        np.cumsum(self.n_codes - 1, out=start[1:])
        return start

    def dense(self) -> NDArray[Any]:
        """The codes as a C-ordered array."""
        codes = as_dense(self.codes)
        return np.ascontiguousarray(codes)

    def indicator_rows(self) -> tuple[IntArray, IndexArray]:
        """CSR pointers and indices of the indicators: one for each non-zero cell."""
        stored = as_csr(self.codes)
        indptr, columns, data = stored.indptr, stored.indices, stored.data
        if (self.n_codes == 2).all():
            # Not negative, so the same bits: millions of them need no copy.
            same = columns.dtype == np.int32
            indices = columns.view(np.uint32) if same else columns.astype(np.uint32)
        else:
            indices = ((self.start[:-1] - 1)[columns] + data).astype(np.uint32)
        return indptr.astype(np.int64), indices


def code_features(features: Features, cuts: Cuts) -> CodedColumns:
    """Code the features by their cut points."""
    if sp.issparse(features.values):
        stored = code_sparse(features.values, cuts, features.n_jobs)
    else:
        stored = code_dense(features.values, cuts, features.n_jobs)
    return varying(stored, cuts.n_codes)


def code_labels(labels: Labels) -> CodedColumns:
    """Code the labels that vary."""
    # Labels that are not known in some rows have one more code.
    n_unknown = 0 if labels.n_unknown is None else labels.n_unknown
    unknown = (n_unknown > 0) & ~labels.constant
    n_codes = np.where(labels.constant, 1, labels.n_values) + unknown
    codes = labels.codes
    if (labels.n_values <= 2).all() or sp.issparse(codes):
        codes = as_csr(codes).astype(np.uint8, copy=False)
    coded = varying(codes, n_codes)
    return replace(coded, unknown=unknown[coded.kept] if unknown.any() else None)


def varying(codes: Matrix, n_codes: IntArray) -> CodedColumns:
    """The columns with several codes."""
    kept = np.flatnonzero(n_codes > 1)
    if kept.size < n_codes.size:
        codes = codes[:, kept]
    return CodedColumns(codes, n_codes[kept], kept)


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


def code_sparse(X: sp.csr_matrix, cuts: Cuts, n_jobs: int | None = None) -> Any:
    """The codes of a sparse table; the code of zero and code 0 exchange their names."""
    codes = np.zeros(X.nnz, np.min_scalar_type(int(cuts.n_codes.max()) - 1))
    few = cuts.few()
    zero_code = np.zeros(X.shape[1], dtype=codes.dtype)
    _code_cells(np.arange(X.shape[1]), np.zeros(X.shape[1]), cuts, few, zero_code)

    def code(rows: slice) -> None:
        cells = stored_cells(X, rows)
        columns, out = X.indices[cells], codes[cells]
        _code_cells(columns, X.data[cells], cuts, few, out)
        if zero_code.any():
            at_zero = zero_code[columns]
            was_zero = out == 0
            out[out == at_zero] = 0
            np.copyto(out, at_zero, where=was_zero)

    run_in_threads(code, row_blocks(X), n_jobs)
    coded = sp.csr_matrix((codes, X.indices, X.indptr), shape=X.shape)
    if not codes.all():
        coded = coded.copy()  # the places of the cells are still those of X
        coded.eliminate_zeros()
    return coded


def _code_cells(
    columns: IntArray, values: FloatArray, cuts: Cuts, few: FloatArray, out: Any
) -> None:
    """Add to `out` how many cuts of its column lie below each value."""
    for points in few:
        one = points[0] if points.min() == points.max() else points[columns]
        out += values > one
    (many,) = np.nonzero((cuts.n_codes - 1 > FEW_CUTS)[columns])
    order = many[np.argsort(columns[many], kind="stable")]
    edges = np.flatnonzero(np.diff(columns[order])) + 1
    for cells in np.split(order, edges) if many.size else ():
        out[cells] = cuts.codes_of(values[cells], int(columns[cells[0]]))
