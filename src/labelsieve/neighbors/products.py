"""Dot products by tiles, from which the neighbour search has its distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from labelsieve._plumbing.matrices import as_dense

if TYPE_CHECKING:
    from labelsieve.neighbors.kernels import Rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Matrix = Any  # a float64 array, or a float64 CSR array with sorted indices

ROUNDING = 2.0**-53


class Products:
    """Dot products by tiles: distance = query norm + reference norm - 2 product."""

    query_norms: Floats
    reference_norms: Floats
    slack: float = 0.0
    mode: int = 0

    def tile(self, rows: slice, tile: slice) -> npt.NDArray[np.floating]:
        """Return the products of a slice of queries with a slice of references."""
        raise NotImplementedError


class DenseProducts(Products):
    """Matrix products of rows centred on the references' mean, or of integers."""

    def __init__(self, queries: Floats, references: Floats) -> None:
        from labelsieve.neighbors.kernels import RESCORE_DENSE

        dtype = _exact_dtype(queries, references)
        if dtype is None:
            with np.errstate(over="ignore", invalid="ignore"):  # norms will tell
                centre = references.mean(axis=0)
                self._queries, self._references = queries - centre, references - centre
            self.slack, self.mode = _error_bound(queries.shape[1]), RESCORE_DENSE
        else:
            self._queries, self._references = queries, references
        self.query_norms = _finite_norms(self._queries)
        self.reference_norms = _finite_norms(self._references)
        if dtype is not None:
            self._queries = self._queries.astype(dtype, copy=False)
            self._references = self._references.astype(dtype, copy=False)

    def tile(self, rows: slice, tile: slice) -> npt.NDArray[np.floating]:
        """See `Products.tile`."""
        return self._queries[rows] @ self._references[tile].T


class SparseProducts(Products):
    """Products of sparse rows, scattered from the columns of each tile."""

    def __init__(
        self,
        queries: sparse.csr_array,
        references: sparse.csr_array,
        query_rows: Rows,
        tiles: list[slice],
    ) -> None:
        from labelsieve.neighbors.kernels import RESCORE_SPARSE

        self._queries = query_rows
        self._columns = {tile.start: _columns(references[tile]) for tile in tiles}
        self.query_norms = _finite_norms(queries)
        self.reference_norms = _finite_norms(references)
        if _exact_dtype(queries, references) is None:
            self.slack, self.mode = _error_bound(queries.shape[1]), RESCORE_SPARSE

    def tile(self, rows: slice, tile: slice) -> npt.NDArray[np.floating]:
        """See `Products.tile`."""
        from labelsieve.neighbors.kernels import sparse_dots

        out = np.empty((rows.stop - rows.start, tile.stop - tile.start))
        sparse_dots(self._queries, rows.start, *self._columns[tile.start], out)
        return out


class ManhattanHalves(Products):
    """Minus half the Manhattan distance in the place of the product, no norms."""

    def __init__(
        self,
        queries: Matrix,
        references: Matrix,
        tiles: list[slice],
    ) -> None:
        self._queries, self._references = queries, references
        self.query_norms = np.zeros(queries.shape[0])
        self.reference_norms = np.zeros(references.shape[0])

    def tile(self, rows: slice, tile: slice) -> npt.NDArray[np.floating]:
        """See `Products.tile`."""
        from labelsieve.neighbors.kernels import manhattan_halves

        out = np.empty((rows.stop - rows.start, tile.stop - tile.start))
        references = np.ascontiguousarray(as_dense(self._references[tile]).T)
        manhattan_halves(as_dense(self._queries[rows]), references, out)
        return out


def _columns(
    rows: sparse.csr_array,
) -> tuple[Integers, npt.NDArray[np.uint32], Floats]:
    columns = rows.tocsc()
    return (
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.uint32),
        columns.data,
    )


def _exact_dtype(queries: Matrix, references: Matrix) -> type[np.floating] | None:
    """Return the float type in which the products of these rows are exact, if any.

    Integers whose sums stay below the mantissa are added and multiplied exactly.
    """
    arrays = [_stored(queries), _stored(references)]
    if not all(_whole(array) for array in arrays):
        return None
    largest = max(
        4.0 * float(_squared_norms(rows).max(initial=0.0))
        for rows in (queries, references)
    )
    if largest < 2.0**24:
        return np.float32
    return np.float64 if largest < 2.0**53 else None


def _stored(rows: Matrix) -> Floats:
    return rows.data if sparse.issparse(rows) else rows


def _whole(values: Floats) -> bool:
    # Most real-valued data is recognised by its first values.
    return all(
        bool((part == np.rint(part)).all()) for part in (values[:16], values[16:])
    )


def _squared_norms(rows: Matrix) -> Floats:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", rows, rows)


def _finite_norms(rows: Matrix) -> Floats:
    norms = _squared_norms(rows)
    if not np.isfinite(4.0 * norms.max(initial=0.0)):
        raise ValueError(
            "Distances overflow: the squared norm of a row is larger than "
            f"{np.finfo(np.float64).max / 4:.1e}. Scale the features, for example "
            "with sklearn.preprocessing.MinMaxScaler."
        )
    return norms


def _error_bound(n_features: int) -> float:
    """Return a bound for |norm + norm - 2 product - distance| / (norm + norm).

    Twice n_features roundings in the product, the same in the norms and in the
    distance that is summed directly, and a few in centring. A distance is at most
    twice the norms: whoever may tie with the k-th nearest is a candidate too.
    """
    from labelsieve.neighbors.kernels import TIE

    return (6 * n_features + 32) * ROUNDING + 2.0 * TIE
