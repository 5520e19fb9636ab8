"""Exact nearest neighbours by blocks, in memory that does not grow with the rows.

Distances are float64 sums of (a - b)^2, or of the absolute a - b, in the order of the
features. Matrix products only find the candidates: whoever may belong to the k
nearest by a rigorous error bound is measured again.

Distances within `TIE` of each other, relatively, are equal, and among equals the
smaller index is nearer. The terms of a sum are not negative, so two sums of the same
terms in another order, or of terms that are equal in exact arithmetic, differ by less:
neighbours depend neither on the order of the features nor on threads. Terms are known
to a few roundings where values are small integers, or those divided by a range of up
to some thousand levels; otherwise they are what the given floats say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from labelsieve._plumbing.machine import one_thread_inside, run_in_threads
from labelsieve._plumbing.matrices import slices_of
from labelsieve.neighbors.products import (
    DenseProducts,
    ManhattanHalves,
    Products,
    SparseProducts,
)

if TYPE_CHECKING:
    from labelsieve.neighbors.kernels import Best, Rows

Metric = Literal["sqeuclidean", "manhattan"]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Matrix = Any  # a float64 array, or a float64 CSR array with sorted indices
Found = tuple[Integers, Floats]

QUERY_BLOCK = 256
REFERENCE_TILE = 2048
SPARSE_BELOW = 0.05  # share of non-zeros under which dense rows are searched as sparse


def nearest(
    queries: object,
    references: object | None = None,
    *,
    k: int,
    metric: Metric = "sqeuclidean",
    n_jobs: int | None = None,
) -> Found:
    """Find the k nearest references of every query.

    Without `references` the queries are searched among themselves and a row is
    never its own neighbour (its duplicates are).

    Returns
    -------
    indices : int64 array of shape (queries, k)
        Nearest first, ties by smaller index, -1 where there are fewer than k.
    distances : float64 array of shape (queries, k)
        Squared Euclidean or Manhattan, infinite where the index is -1.

    Examples
    --------
    >>> from labelsieve.neighbors.search import nearest
    >>> indices, distances = nearest([[0.0], [1.0], [3.0]], k=1)
    >>> indices.ravel().tolist(), distances.ravel().tolist()
    ([1, 0, 1], [1.0, 1.0, 4.0])
    """
    search = Distances(queries, references, metric=metric)
    everyone = np.zeros((1, search.n_references), dtype=np.int32)
    indices, kept = search_groups(search, lambda rows: everyone, 1, k, n_jobs)
    return indices[:, 0], kept[:, 0]


class Distances:
    """Rows prepared for distances, tile by tile, between queries and references.

    Threads may ask for different blocks at the same time.

    Examples
    --------
    >>> from labelsieve.neighbors.search import Distances
    >>> Distances([[0.0], [1.0], [3.0]]).block(slice(1, 2)).tolist()
    [[1.0, 0.0, 4.0]]
    """

    def __init__(
        self,
        queries: object,
        references: object | None = None,
        *,
        metric: Metric = "sqeuclidean",
    ) -> None:
        self.same_rows = references is None
        pair = _alike(queries, queries if references is None else references)
        self.metric = metric
        self.n_queries, self.n_features = pair[0].shape
        self.n_references = pair[1].shape[0]
        self.queries, self.references = map(_rows, pair)
        self.tiles = slices_of(self.n_references, REFERENCE_TILE)
        if metric == "manhattan":
            self._products: Products = ManhattanHalves(*pair, self.tiles)
        elif sparse.issparse(pair[0]):
            self._products = SparseProducts(*pair, self.queries, self.tiles)
        else:
            self._products = DenseProducts(*pair)

    def block(self, rows: slice) -> Floats:
        """Return the distances of a slice of queries to all references."""
        products = self._products
        block = np.empty((rows.stop - rows.start, self.n_references))
        with one_thread_inside():
            for tile in self.tiles:
                block[:, tile] = products.tile(rows, tile)
        block *= -2.0
        block += products.query_norms[rows, None]
        block += products.reference_norms
        np.maximum(block, 0.0, out=block)
        if self.same_rows:
            own = np.arange(rows.start, rows.stop)
            block[own - rows.start, own] = 0.0
        return block

    def keep_nearest(
        self, rows: slice, groups: npt.NDArray[np.int32], best: Best
    ) -> None:
        """Merge all references into the best candidates of a slice of queries."""
        from labelsieve.neighbors.kernels import Tile, keep_nearest

        products = self._products
        for tile in self.tiles:
            known = Tile(
                products.tile(rows, tile),
                products.query_norms[rows],
                products.reference_norms[tile],
                np.ascontiguousarray(groups[:, tile]),
                rows.start,
                tile.start,
            )
            keep_nearest(
                known,
                products.slack,
                self.queries,
                self.references,
                self.same_rows,
                products.mode,
                best,
            )


def search_groups(
    search: Distances,
    group_codes: Callable[[slice], npt.NDArray[np.int32]],
    n_groups: int,
    k: int,
    n_jobs: int | None,
) -> Found:
    """The k nearest references of every query inside each group.

    ``group_codes(rows)`` are the groups 0..G-1 of the references for a slice of
    queries, -1 for those that are no candidates; in one line if they are the same for
    all.
    """
    from labelsieve.neighbors.kernels import Best

    shape = (search.n_queries, n_groups, k)
    best = Best(
        np.full(shape, np.inf), np.full(shape, np.inf), np.full(shape, -1, np.int64)
    )
    if best.indices.size == 0:
        return best.indices, best.distances

    def search_block(rows: slice) -> None:
        part = Best(best.bounds[rows], best.distances[rows], best.indices[rows])
        search.keep_nearest(rows, group_codes(rows), part)

    with one_thread_inside():
        run_in_threads(search_block, slices_of(search.n_queries, QUERY_BLOCK), n_jobs)
    return best.indices, best.distances


def _alike(queries: object, references: object) -> tuple[Matrix, Matrix]:
    """Both dense or both sparse, whichever makes the products cheaper."""
    pair = [_float_rows(queries), _float_rows(references)]
    if not any(map(sparse.issparse, pair)) and max(map(_density, pair)) > SPARSE_BELOW:
        return pair[0], pair[1]
    as_sparse = [sparse.csr_array(rows) for rows in pair]
    for rows in as_sparse:
        rows.sum_duplicates()  # sorts as well
    return as_sparse[0], as_sparse[1]


def _float_rows(rows: object) -> Matrix:
    if sparse.issparse(rows):
        # A copy, because duplicates are about to be summed in place.
        return sparse.csr_array(rows, dtype=np.float64, copy=True)
    # Kernels are compiled for one layout: plain, contiguous and writeable.
    return np.require(rows, np.float64, ["C", "A", "W", "E"])


def _density(rows: Floats) -> float:
    return np.count_nonzero(rows) / max(1, rows.size)


def _rows(rows: Matrix) -> Rows:
    from labelsieve.neighbors.kernels import Rows

    if sparse.issparse(rows):
        return Rows(
            np.empty((0, 0)),
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.uint32),
            np.require(rows.data, np.float64, ["C", "W"]),
        )
    return Rows(
        rows, np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.float64)
    )
