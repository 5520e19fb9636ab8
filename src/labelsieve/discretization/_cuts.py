"""Where the values of each column are cut into codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._features import Features
from labelsieve._typing import FloatArray, IntArray

# Columns are sorted in blocks of at most this many cells, which bounds the copies.
BLOCK_CELLS = 4_000_000


@dataclass(frozen=True)
class Cuts:
    """Cut points of all columns: the code of x is the number of its column's cuts < x.

    Attributes
    ----------
    points : all cut points, column after column, ascending within a column
    start : (D + 1,) where the points of each column begin
    """

    points: FloatArray
    start: IntArray

    @classmethod
    def from_columns(cls, columns: Iterable[FloatArray]) -> Cuts:
        """Join the cut points of single columns."""
        listed = list(columns)
        start = np.zeros(len(listed) + 1, dtype=np.int64)
        np.cumsum([points.size for points in listed], out=start[1:])
        points = np.concatenate(listed) if listed else np.empty(0)
        return cls(points.astype(np.float64, copy=False), start)

    @property
    def n_codes(self) -> IntArray:
        """How many codes each column has."""
        return np.diff(self.start) + 1

    def of(self, column: int) -> FloatArray:
        """The cut points of one column."""
        return self.points[self.start[column] : self.start[column + 1]]

    def single(self) -> FloatArray:
        """The only cut of each column that has one, infinity (never passed) else."""
        only = np.full(self.start.size - 1, np.inf)
        one = self.n_codes == 2
        only[one] = self.points[self.start[:-1][one]]
        return only

    def codes_of(self, values: FloatArray, column: int) -> IntArray:
        """The codes of some values of one column."""
        return np.searchsorted(self.of(column), values, side="left")


def find_cuts(features: Features, n_bins: int, binning: str) -> Cuts:
    """Find the cut points of every column.

    A column with at most `n_bins` distinct values, and a nominal column of a table,
    keeps its values as codes. Others are cut into `n_bins` codes: ``"quantile"``
    with about as many rows each (cut after the ceil(k n / n_bins)-th smallest
    value), ``"uniform"`` at equal widths (a value on a cut belongs to the upper
    code), ``"none"`` not at all, so that each distinct value is a code.
    """
    if sp.issparse(features.values):
        columns = _sparse_cuts(features, n_bins, binning)
    else:
        columns = _dense_cuts(features.values, n_bins, binning)
    for column, categories in features.categories.items():
        columns[column] = np.arange(len(categories) - 1, dtype=np.float64)
    return Cuts.from_columns(columns)


def _dense_cuts(X: FloatArray, n_bins: int, binning: str) -> list[FloatArray]:
    columns: list[FloatArray] = []
    width = max(1, BLOCK_CELLS // X.shape[0])
    for left in range(0, X.shape[1], width):
        block = X[:, left : left + width]
        low, high = block.min(axis=0), block.max(axis=0)
        # Two values are two codes under every rule, and common enough to be quick.
        two_valued = ((block == low) | (block == high)).all(axis=0)
        points = [low[j : j + (low[j] < high[j])] for j in range(low.size)]
        (others,) = np.nonzero(~two_valued)
        ascending = np.sort(block[:, others].T, axis=1)
        for j, values in zip(others, ascending, strict=True):
            last = np.flatnonzero(np.append(values[1:] != values[:-1], True))
            points[j] = cut_distinct(values[last], last + 1, n_bins, binning)
        columns.extend(points)
    return columns


def _sparse_cuts(features: Features, n_bins: int, binning: str) -> list[FloatArray]:
    X, stored = features.values, features.n_stored
    n_rows, n_columns = X.shape
    if X.data.size == 0 or (X.data == X.data[0]).all():
        # One value beside the implicit zeros, as in a bag of words.
        low = np.minimum(0.0, X.data[:1])
        varies = (stored > 0) & (stored < n_rows)
        return [low if varied else low[:0] for varied in varies]
    table = X.tocsc()
    columns = []
    for j in range(n_columns):
        values = table.data[table.indptr[j] : table.indptr[j + 1]]
        distinct, counts = np.unique(values, return_counts=True)
        if values.size < n_rows:
            place = int(np.searchsorted(distinct, 0.0))
            distinct = np.insert(distinct, place, 0.0)
            counts = np.insert(counts, place, n_rows - values.size)
        columns.append(cut_distinct(distinct, np.cumsum(counts), n_bins, binning))
    return columns


def cut_distinct(
    distinct: FloatArray,
    n_up_to: NDArray[np.integer],
    n_bins: int,
    binning: str,
) -> FloatArray:
    """Cut one column, given its distinct values and the number of rows up to each."""
    if binning == "none" or distinct.size <= n_bins:
        return distinct[:-1]
    if binning == "uniform":
        # A value on an edge belongs to the upper code: cut just below the edge.
        edges = np.linspace(distinct[0], distinct[-1], n_bins + 1)[1:-1]
        return np.nextafter(edges, -np.inf)
    ranks = -(-np.arange(1, n_bins) * n_up_to[-1] // n_bins)  # ceil(k n / b)
    return cut_after(distinct[np.searchsorted(n_up_to, ranks)], *distinct[-2:])


def cut_after(values: FloatArray, second: float, largest: float) -> FloatArray:
    """Cut one column after each of these values, which may repeat.

    `second` and `largest` are the two largest values of the column.
    """
    points = np.unique(values)
    if points[-1] == largest:
        # The upper code would be empty: it gets the rows that equal the maximum.
        points[-1] = np.nextafter(largest, -np.inf)
        if second in points[:-1]:
            points = points[:-1]
    return points
