"""Gradients of GMBA's loss, for many rows in blocks or for one row at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.machine import (
    cached_property,
    one_thread_inside,
    run_in_threads,
)
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import Distances
from labelsieve.reading import Groups
from labelsieve.selectors._base import TIE
from labelsieve.selectors._rows.differences import Differences
from labelsieve.selectors._rows.label_graph import LabelGraph

# Distances of a block of rows to all rows, and its slopes, take at most this much.
BLOCK_BYTES = 2**25
MOST_ROWS = 256
# Blocks whose gradients wait in memory for the descent.
BLOCKS_AT_ONCE = 16


@dataclass(frozen=True)
class MarginLoss:
    """The loss of Eqs. 8 to 14, whose gradient is wanted.

    The gradient of row i is 2 w_d times its slope sum_j c_ij (x_id - x_jd)^2. With
    unweighted distances the coefficients c do not depend on the weights w, and
    slopes can be found for whole blocks of rows.

    Attributes
    ----------
    rows : (n, C) array or CSR matrix, the columns of the features on one scale
    groups : which columns are one feature, with one weight
    graph : similarity of the rows' labels
    """

    rows: Matrix
    groups: Groups
    graph: LabelGraph
    n_neighbors: int
    threshold: float
    trade_off: float
    authors: bool

    def slopes(self, visits: IntArray, n_jobs: int | None) -> Iterator[FloatArray]:
        """Slopes of the visited rows, block after block, zero for skipped rows."""
        search = Distances(self.rows[visits], self.rows)
        step = min(MOST_ROWS, max(1, BLOCK_BYTES // (8 * max(self.rows.shape))))
        parts = slices_of(visits.size, step)
        for first in range(0, len(parts), BLOCKS_AT_ONCE):
            with one_thread_inside():
                ready = run_in_threads(
                    lambda part: self._block(search, visits, part),
                    parts[first : first + BLOCKS_AT_ONCE],
                    n_jobs,
                )
            yield from ready

    def _block(self, search: Distances, visits: IntArray, part: slice) -> FloatArray:
        from labelsieve.neighbors.kernels import Best

        own = visits[part]
        similarity, groups = self._neighborhood(own)
        shape = (own.size, 2, self.n_neighbors)
        best = Best(np.full(shape, np.inf), np.full(shape, np.inf), np.full(shape, -1))
        search.keep_nearest(part, groups, best)
        return self._slopes(
            own, similarity, groups, search.block(part), best.distances, best.indices
        )

    def weighted_slope(self, row: int, weights: FloatArray) -> FloatArray:
        """Slope of one row where distances use the weights (Eqs. 13 and 14)."""
        from labelsieve.selectors.gmba import kernels

        own = np.array([row])
        similarity, groups = self._neighborhood(own)
        distances = np.empty((1, self.rows.shape[0]))
        near = np.empty((1, 2, self.n_neighbors))
        hits = np.empty((1, 2, self.n_neighbors), dtype=np.int64)
        of_columns = self.groups.spread(weights**2)
        kernels.weighted_distances(self.rows, row, of_columns, distances)
        kernels.nearest_of_row(distances, groups, near, hits)
        return self._slopes(own, similarity, groups, distances, near, hits)

    def _neighborhood(self, own: IntArray) -> tuple[FloatArray, NDArray[np.int32]]:
        """Similarity to every label set, and who is similar, different or oneself."""
        from labelsieve.selectors.gmba import kernels

        codes = self.graph.codes
        similarity = self.graph.similarity(codes[own])
        groups = np.empty((own.size, codes.size), dtype=np.int32)
        kernels.split_by_similarity(
            similarity, codes, own, self.threshold - TIE, groups
        )
        return similarity, groups

    def _slopes(
        self,
        own: IntArray,
        similarity: FloatArray,
        groups: NDArray[np.int32],
        distances: FloatArray,
        near: FloatArray,
        hits: IntArray,
    ) -> FloatArray:
        from labelsieve.selectors.gmba import kernels

        # The coefficients take the place of the distances.
        magnitude = kernels.margin_coefficients(
            distances,
            similarity,
            self.graph.codes,
            groups,
            near,
            hits,
            self.trade_off,
            self._rounding,
            self.authors,
        )
        slopes = self._differences.sums(self.rows[own], distances)
        slopes = self.groups.sums(slopes)
        # What rounding leaves of zero would otherwise become a whole step.
        slopes[np.abs(slopes).max(axis=1) <= self._rounding * magnitude] = 0.0
        return slopes

    @cached_property
    def _differences(self) -> Differences:
        return Differences(self.rows, squared=True)

    @cached_property
    def _rounding(self) -> float:
        """Squared distances that differ by less are equal."""
        mean = np.asarray(self.rows.mean(axis=0)).ravel()
        if sp.issparse(self.rows):
            norms = np.asarray(self.rows.multiply(self.rows).sum(axis=1)).ravel()
            norms += mean @ mean - 2.0 * (self.rows @ mean)
        else:
            norms = ((self.rows - mean) ** 2).sum(axis=1)
        return float(TIE * norms.max())
