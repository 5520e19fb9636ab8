"""What the members of the ReliefF family share: sums of differences in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from labelsieve._plumbing.machine import (
    cached_property,
    one_thread_inside,
    run_in_threads,
)
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import Distances, Metric
from labelsieve.reading import Features
from labelsieve.selectors._rows.differences import Differences
from labelsieve.selectors._rows.scaled_rows import is_binary, range_normalized

# Distances of one block of rows to all rows take at most this much memory.
BLOCK_BYTES = 2**25
MOST_ROWS = 256

# For a block of rows, the coefficients [rows, n] of one problem after the other.
BlockCoefficients = Callable[[slice], Iterable[FloatArray]]


class ReliefSums:
    """Sums of |x_if - x_jf| / range_f over chosen pairs of rows.

    Parameters
    ----------
    features : Features
        The features; nominal columns of a table differ by 0 or 1.
    which : index array or slice
        The rows that take part; ranges are those of their values.
    """

    def __init__(self, features: Features, which: IntArray | slice) -> None:
        used = Features(features.values[which], features.categories)
        self.rows: Matrix
        self.rows, self._owners = range_normalized(used)
        self._n_features = features.values.shape[1]
        self._differences = Differences(self.rows, squared=False)

    @cached_property
    def metric(self) -> Metric:
        """Manhattan; of 0 and 1 the same number comes faster from products."""
        return "sqeuclidean" if is_binary(self.rows) else "manhattan"

    def distances(self, some: IntArray | None = None) -> Distances:
        """Exact distances of some (or all) rows to all rows, block by block."""
        if some is None:
            return Distances(self.rows, metric=self.metric)
        return Distances(self.rows[some], self.rows, metric=self.metric)

    def add_up(
        self,
        coefficients: BlockCoefficients,
        n_jobs: int | None,
        some: IntArray | None = None,
    ) -> FloatArray:
        """For each problem (line) and feature: the sum of c_ij |x_if - x_jf|.

        With `some`, i goes over these rows only, and blocks are blocks of them.
        """
        rows = self.rows if some is None else self.rows[some]
        n_rows = rows.shape[0]
        step = min(MOST_ROWS, max(1, BLOCK_BYTES // (8 * max(self.rows.shape))))
        blocks = slices_of(n_rows, step)

        def add_block(block: slice) -> FloatArray:
            sums = self._differences.sums
            return np.array(
                [sums(rows[block], given).sum(axis=0) for given in coefficients(block)]
            )

        with one_thread_inside():
            parts = run_in_threads(add_block, blocks, n_jobs)
        return self._per_feature(np.sum(parts, axis=0))

    def _per_feature(self, sums: FloatArray) -> FloatArray:
        """Add up the columns that a nominal feature was split into."""
        total = np.zeros((sums.shape[0], self._n_features))
        np.add.at(total.T, self._owners, sums.T)
        return total


def parts_of(coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients of rows that are misses more than hits, and those of the others."""
    return np.maximum(coefficients, 0.0), np.minimum(coefficients, 0.0)


def relieff(
    features: Features,
    which: IntArray | slice,
    problems: list[IntArray],
    n_neighbors: int,
    n_jobs: int | None,
    in_parts: bool = False,
) -> FloatArray:
    """ReliefF weights of all features, one line per problem or two for its parts.

    A problem is a class code 0, 1, ... for each of the rows `which`. All rows are
    used; classes without another member have no hits.
    """
    from labelsieve.selectors.relief.kernels import class_coefficients

    sums = ReliefSums(features, which)
    search = sums.distances()
    shares = [np.bincount(classes) / classes.size for classes in problems]

    def coefficients(block: slice) -> Iterator[FloatArray]:
        distances = search.block(block)
        out = np.empty_like(distances)
        for classes, share in zip(problems, shares, strict=True):
            class_coefficients(distances, block.start, classes, share, n_neighbors, out)
            yield from parts_of(out) if in_parts else (out,)

    return sums.add_up(coefficients, n_jobs)
