"""Exact nearest neighbours by blocks of queries, in bounded memory.

Squared Euclidean distances come from matrix products, norm + norm - 2 product, which
only find the candidates: whoever may belong to the k nearest by a rigorous error bound
is measured again, by a sum of (a - b)^2 over the features.

Distances within `TIE` of each other, relatively, are equal, and among equals the
smaller index is nearer. The terms of a sum are not negative, so two sums of the same
terms in another order, or of terms that are equal in exact arithmetic, differ by less:
neighbours depend neither on the order of the features nor on threads. Terms are known
to a few roundings where values are small integers, or those divided by a range of up
to some thousand levels; otherwise they are what the given floats say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import sparse

from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import FloatArray, IntArray, Matrix

Metric = Literal["sqeuclidean", "manhattan"]
Found = tuple[IntArray, FloatArray]
Measure = Callable[[IntArray, IntArray], FloatArray]

# Distances that differ by less, relatively, are equal: rounding alone cannot move
# them farther apart. Compiled code (njit) follows a change here by this very word.
TIE = 1e-12
ROUNDING = 2.0**-53
# Distances of a block of queries, and the differences of candidates, are so many cells.
BLOCK_CELLS = 2**22
MOST_ROWS = 256
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
    indices = np.empty((search.n_queries, k), np.int64)
    distances = np.empty((search.n_queries, k))

    def search_block(rows: slice) -> None:
        block = search.block(rows)
        if search.same_rows:
            block[search.own(rows)] = np.inf
        indices[rows], distances[rows] = search.nearest(rows, block, k)

    blocks = slices_of(search.n_queries, block_size(search.shape))
    with one_thread_inside():
        run_in_threads(search_block, blocks, n_jobs)
    return indices, distances


def block_size(shape: tuple[int, ...]) -> int:
    """How many queries to compare at once with references of this shape."""
    return min(MOST_ROWS, max(1, BLOCK_CELLS // max(shape)))


class Distances:
    """Rows prepared for distances, block by block, between queries and references.

    Threads may ask for different blocks at the same time.
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
        self._queries, self._references = pair
        self.n_queries = pair[0].shape[0]
        self.shape: tuple[int, int] = pair[1].shape
        self.metric = metric
        # A bound for |norm + norm - 2 product - distance| / (norm + norm): twice
        # n_features roundings in the product, the same in the norms and in the
        # distance that is summed directly, and a few in centring.
        self._slack = (6 * self.shape[1] + 32) * ROUNDING
        self._factors = pair
        if metric == "sqeuclidean":
            # Products of small whole numbers are exact as they are.
            if pair[1].shape[0] and not all(map(_whole, pair)):
                with np.errstate(over="ignore", invalid="ignore"):  # norms will tell
                    centre = pair[1].mean(axis=0)
                    self._factors = pair[0] - centre, pair[1] - centre
            self._norms = [_finite_norms(rows) for rows in self._factors]

    def block(self, rows: slice) -> FloatArray:
        """Return the distances of a slice of queries to all references."""
        if self.metric == "manhattan":
            from sklearn.metrics.pairwise import manhattan_distances

            return np.asarray(
                manhattan_distances(self._queries[rows], self._references)
            )
        queries, references = self._factors
        with one_thread_inside():
            products = (references @ as_dense(queries[rows]).T).T
        block = np.multiply(products, -2.0, dtype=np.float64, order="C")
        block += self._norms[0][rows, None]
        block += self._norms[1]
        np.maximum(block, 0.0, out=block)
        if self.same_rows:
            block[self.own(rows)] = 0.0
        return block

    def own(self, rows: slice) -> tuple[IntArray, IntArray]:
        """Where a block has the distances of queries to themselves."""
        own = np.arange(rows.start, rows.stop)
        return own - rows.start, own

    def nearest(self, rows: slice, block: FloatArray, k: int) -> Found:
        """The k nearest references of a slice of queries, from a block of distances.

        Those that are no candidates are infinitely far in the block.
        """
        if self.metric == "manhattan":
            return smallest(block, k)
        error = self._slack * (self._norms[0][rows, None] + self._norms[1])
        return smallest(block, k, error, lambda i, j: self._measure(i + rows.start, j))

    def _measure(self, queries: IntArray, references: IntArray) -> FloatArray:
        """Squared Euclidean distances of pairs of rows, from their features."""
        distances = np.empty(queries.size)
        for part in slices_of(queries.size, max(1, BLOCK_CELLS // max(self.shape))):
            one = self._queries[queries[part]]
            distances[part] = _squared_norms(one - self._references[references[part]])
        return distances


def smallest(
    distances: FloatArray,
    k: int,
    error: FloatArray | float = 0.0,
    measure: Measure | None = None,
) -> Found:
    """The k smallest finite distances of each line, ties by index.

    Where distances are known up to an error only, ``measure(lines, columns)`` says
    the exact ones of those that may be among the k.
    """
    n_lines, n_columns = distances.shape
    indices, found = np.full((n_lines, k), -1), np.full((n_lines, k), np.inf)
    if min(k, distances.size) == 0:
        return indices, found
    last = min(k, n_columns) - 1
    bound = np.partition(distances + error, last, axis=1)[:, last, None]
    finite = np.minimum(bound * (1.0 + 2.0 * TIE), np.finfo(np.float64).max)
    line, column = np.nonzero(distances - error <= finite)
    exact = distances[line, column] if measure is None else measure(line, column)
    order = np.lexsort((exact, line))
    line, column, exact = line[order], column[order], exact[order]
    apart = (line[1:] > line[:-1]) | (exact[1:] > exact[:-1] * (1.0 + TIE))
    rank = np.append(0, np.cumsum(apart))[: line.size]
    order = np.lexsort((column, rank))  # lines stay in their order
    place = np.arange(line.size) - np.searchsorted(line, np.arange(n_lines))[line]
    best = place < k
    indices[line[best], place[best]] = column[order][best]
    found[line[best], place[best]] = exact[order][best]
    return indices, found


def _alike(queries: object, references: object) -> tuple[Matrix, Matrix]:
    """Both dense or both sparse, whichever makes the products cheaper."""
    given = queries, references
    if not any(map(sparse.issparse, given)):
        one, other = (np.asarray(rows, np.float64, order="C") for rows in given)
        if any(np.count_nonzero(r) > SPARSE_BELOW * r.size for r in (one, other)):
            return one, other
    # Copies, because duplicates are summed in place.
    one, other = (sparse.csr_array(r, dtype=np.float64, copy=True) for r in given)
    for rows in (one, other):
        rows.sum_duplicates()  # sorts as well
    return one, other


def _whole(rows: Matrix) -> bool:
    """Whether all values are whole numbers, or the rows are sparse."""
    # Most real-valued data is recognised by its first rows.
    return sparse.issparse(rows) or all(
        bool((part == np.rint(part)).all()) for part in (rows[:16], rows[16:])
    )


def _squared_norms(rows: Matrix) -> FloatArray:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", rows, rows)


def _finite_norms(rows: Matrix) -> FloatArray:
    norms = _squared_norms(rows)
    if not np.isfinite(4.0 * norms.max(initial=0.0)):
        raise ValueError(
            "Distances overflow: the squared norm of a row is larger than "
            f"{np.finfo(np.float64).max / 4:.1e}. Scale the features, for example "
            "with sklearn.preprocessing.MinMaxScaler."
        )
    return norms
