"""Columns of codes in the one form that counting wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._features import Features
from labelsieve._labels import Labels
from labelsieve._typing import BoolArray, FloatArray, IndexArray, IntArray, Matrix
from labelsieve.discretization._cuts import Cuts


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
    n_entries : how many cells are not 0
    """

    codes: Matrix
    n_codes: IntArray
    kept: IntArray
    n_entries: int

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
        codes = self.codes.toarray() if sp.issparse(self.codes) else self.codes
        return np.ascontiguousarray(codes)

    def take(self, columns: IntArray) -> CodedColumns:
        """Some of the columns, in the given order."""
        codes = self.codes[:, columns]
        if sp.issparse(codes):
            codes.sort_indices()
            n_entries = codes.nnz
        else:
            n_entries = int(np.count_nonzero(codes))
        return CodedColumns(codes, self.n_codes[columns], self.kept[columns], n_entries)

    def indicator_rows(self) -> tuple[IntArray, IndexArray]:
        """CSR pointers and indices of the indicators: one for each non-zero cell."""
        if sp.issparse(self.codes):
            stored = self.codes
            indptr, columns, data = stored.indptr, stored.indices, stored.data
        else:
            rows, columns = np.nonzero(self.codes)
            data = self.codes[rows, columns]
            indptr = np.searchsorted(rows, np.arange(self.n_rows + 1))
        if (self.n_codes == 2).all():
            indices = columns.astype(np.uint32, copy=False)
        else:
            indices = (self.start[columns] + data - 1).astype(np.uint32)
        return indptr.astype(np.int64), indices


def code_features(features: Features, cuts: Cuts) -> CodedColumns:
    """Code the features by their cut points."""
    if sp.issparse(features.values):
        return _from_sparse(*code_sparse(features.values, cuts), cuts.n_codes)
    return _from_dense(code_dense(features.values, cuts), cuts.n_codes)


def code_labels(labels: Labels) -> CodedColumns:
    """Code the labels that are not constant."""
    n_codes = np.where(labels.constant, 1, labels.n_values)
    if sp.issparse(labels.codes):
        zero_code = np.zeros(n_codes.size, dtype=np.uint8)
        return _from_sparse(labels.codes.astype(np.uint8), zero_code, n_codes)
    return _from_dense(labels.codes, n_codes)


def code_dense(X: FloatArray, cuts: Cuts) -> NDArray[Any]:
    """The codes of a dense table, in the smallest unsigned integers that hold them."""
    dtype = np.min_scalar_type(int(cuts.n_codes.max()) - 1)
    codes = (cuts.single() < X).astype(dtype)
    for column in np.flatnonzero(cuts.n_codes > 2).tolist():
        codes[:, column] = cuts.codes_of(X[:, column], column)
    return codes


def code_sparse(X: sp.csr_matrix, cuts: Cuts) -> tuple[sp.csr_matrix, NDArray[Any]]:
    """The codes of the stored cells (explicit where 0), and the code of zero."""
    dtype = np.min_scalar_type(int(cuts.n_codes.max()) - 1)
    single = cuts.single()
    zero_code = (single < 0).astype(dtype)
    several = np.flatnonzero(cuts.n_codes > 2)
    if not several.size:
        codes = (single[X.indices] < X.data).astype(dtype)
        return sp.csr_matrix((codes, X.indices, X.indptr), shape=X.shape), zero_code
    table = X.tocsc()
    codes = (np.repeat(single, np.diff(table.indptr)) < table.data).astype(dtype)
    for column in several.tolist():
        cells = slice(table.indptr[column], table.indptr[column + 1])
        codes[cells] = cuts.codes_of(table.data[cells], column)
        zero_code[column] = cuts.codes_of(np.zeros(1), column)[0]
    coded = sp.csc_matrix((codes, table.indices, table.indptr), shape=X.shape)
    return coded.tocsr(), zero_code


def _from_dense(codes: NDArray[Any], n_codes: IntArray) -> CodedColumns:
    kept = np.flatnonzero(n_codes > 1)
    if kept.size < n_codes.size:
        codes = codes[:, kept]
    frequency = _dense_frequencies(codes, n_codes[kept])
    background = _most_frequent(frequency, n_codes[kept])
    renamed = np.flatnonzero(background)
    if renamed.size:
        codes = codes.copy()
        codes[:, renamed] = _rename(codes[:, renamed], background[renamed])
    n_entries = codes.size - int(frequency[_place(n_codes[kept]) + background].sum())
    return CodedColumns(codes, n_codes[kept], kept, n_entries)


def _from_sparse(
    stored: sp.csr_matrix, zero_code: NDArray[Any], n_codes: IntArray
) -> CodedColumns:
    n_rows = stored.shape[0]
    place = _place(n_codes)
    cell_place = place[stored.indices] + stored.data
    frequency = np.bincount(cell_place, minlength=int(n_codes.sum()))
    n_stored = np.bincount(stored.indices, minlength=n_codes.size)
    frequency[place + zero_code] += n_rows - n_stored
    background = _most_frequent(frequency, n_codes)
    # Where zero is not the most frequent code, the implicit cells become entries.
    filled = np.flatnonzero((zero_code != background) & (n_codes > 1))
    codes = _drop_background(stored, background, (n_codes < 2) | _mask(filled, n_codes))
    if filled.size:
        codes = codes + _fill(stored[:, filled], zero_code[filled], background, filled)
    kept = np.flatnonzero(n_codes > 1)
    if kept.size < n_codes.size:
        codes = codes[:, kept]
    codes.sort_indices()
    return CodedColumns(codes, n_codes[kept], kept, codes.nnz)


def _place(n_codes: IntArray) -> IntArray:
    """Where the codes of each column begin in a list of all codes of all columns."""
    return np.cumsum(n_codes) - n_codes


def _dense_frequencies(codes: NDArray[Any], n_codes: IntArray) -> IntArray:
    frequency = np.zeros(int(n_codes.sum()), dtype=np.int64)
    place = _place(n_codes)
    two = n_codes == 2
    ones = codes[:, two].sum(axis=0, dtype=np.int64)
    frequency[place[two]] = codes.shape[0] - ones
    frequency[place[two] + 1] = ones
    for column in np.flatnonzero(~two):
        counts = np.bincount(codes[:, column], minlength=n_codes[column])
        frequency[place[column] : place[column] + n_codes[column]] = counts
    return frequency


def _most_frequent(frequency: IntArray, n_codes: IntArray) -> IntArray:
    """The most frequent code of each column; of several, the smallest."""
    place = _place(n_codes)
    background = np.zeros(n_codes.size, dtype=np.int64)
    two = n_codes == 2
    background[two] = frequency[place[two] + 1] > frequency[place[two]]
    for column in np.flatnonzero(n_codes > 2):
        counts = frequency[place[column] : place[column] + n_codes[column]]
        background[column] = np.argmax(counts)
    return background


def _rename(codes: NDArray[Any], background: IntArray) -> NDArray[Any]:
    """Exchange the names of code 0 and of the background code."""
    background = background.astype(codes.dtype)
    renamed = np.where(codes == background, 0, np.where(codes == 0, background, codes))
    return renamed.astype(codes.dtype)


def _mask(columns: IntArray, n_codes: IntArray) -> BoolArray:
    mask = np.zeros(n_codes.size, dtype=bool)
    mask[columns] = True
    return mask


def _drop_background(
    stored: sp.csr_matrix, background: IntArray, dropped: BoolArray
) -> sp.csr_matrix:
    """Keep the stored cells that are not background and not in a dropped column."""
    codes = stored.data
    if background.any():
        codes = _rename(codes, background[stored.indices])
    keep = codes != 0
    if dropped.any():
        keep &= ~dropped[stored.indices]
    if keep.all():
        return sp.csr_matrix((codes, stored.indices, stored.indptr), shape=stored.shape)
    indptr = np.concatenate([[0], np.cumsum(keep)])[stored.indptr]
    return sp.csr_matrix((codes[keep], stored.indices[keep], indptr), stored.shape)


def _fill(
    stored: sp.csr_matrix,
    zero_code: NDArray[Any],
    background: IntArray,
    columns: IntArray,
) -> sp.csr_matrix:
    """Entries of columns whose implicit zeros are not their most frequent code."""
    codes = np.tile(zero_code, (stored.shape[0], 1))
    rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
    codes[rows, stored.indices] = stored.data
    codes = _rename(codes, background[columns])
    rows, position = np.nonzero(codes)
    cells = (codes[rows, position], (rows, columns[position]))
    return sp.csr_matrix(cells, shape=(stored.shape[0], background.size))
