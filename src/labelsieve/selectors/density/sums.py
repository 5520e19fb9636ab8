"""Densities of feature values on both sides of every label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.machine import one_thread_inside, run_in_threads
from labelsieve._plumbing.matrices import as_dense, slices_of, span
from labelsieve._plumbing.typing import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    Matrix,
)
from labelsieve.reading import Groups

Similarity = Callable[[FloatArray], FloatArray]

# Up to this many distinct values, adding up over pairs of values is faster.
EXACT_UP_TO = 700
# Sum of exponentials for 1 / (1 + d), 0 <= d <= 1: nine terms are within 1e-12.
N_TERMS = 9
WORST_ERROR = 1e-12
BLOCK_CELLS = 2**22


def inverse_distance(distances: FloatArray) -> FloatArray:
    """1 / (1 + d): finite where two values are equal."""
    return 1.0 / (1.0 + distances)


class Sides(NamedTuple):
    """Rows of the smaller side of each label; sums over the other side follow.

    Adding up over the smaller side is cheaper, and subtracting it loses no digits.
    """

    indptr: IntArray  # labels of each row, CSR
    indices: IndexArray
    sizes: IntArray  # [L] rows on the smaller side
    flipped: BoolArray  # [L] whether the smaller side is that without the label
    n_rows: int

    @classmethod
    def of(cls, indicator: Matrix) -> Sides:
        """Find the smaller sides of a 0/1 matrix."""
        n_rows = indicator.shape[0]
        sizes = np.asarray(indicator.sum(axis=0, dtype=np.int64)).ravel()
        flipped = 2 * sizes > n_rows
        if flipped.any():
            bits = as_dense(indicator)
            indicator = bits ^ flipped.astype(np.uint8)
        table = sp.csr_matrix(indicator)
        sizes = np.where(flipped, n_rows - sizes, sizes)
        indices = table.indices.astype(np.uint32)
        return cls(table.indptr.astype(np.int64), indices, sizes, flipped, n_rows)


@dataclass(frozen=True)
class Densities:
    """rho of Eq. 3 on both sides of every label, one line per label.

    Attributes
    ----------
    positive, negative : (L, D), 0 where there is no row on that side
    n_positive, n_negative : (L,) how many rows there are
    """

    positive: FloatArray
    negative: FloatArray
    n_positive: IntArray
    n_negative: IntArray


def densities(
    values: Matrix,
    indicator: Matrix,
    similarity: Similarity,
    n_jobs: int | None,
    groups: Groups,
) -> Densities:
    """Densities of all features; values are scaled to [0, 1] over all rows.

    Two different categories of a nominal feature are at distance 1.
    """
    sides = Sides.of(indicator)
    table = values.tocsc() if sp.issparse(values) else values
    n_features = groups.sizes.size
    small = np.empty((n_features, sides.sizes.size))
    large = np.empty_like(small)

    def measure(feature: int) -> None:
        columns = groups.columns(feature)
        if groups.single[feature]:
            column = read_column(table, columns.start)
        else:
            column = read_categories(table[:, columns])
        if similarity is inverse_distance and column.distinct.size > EXACT_UP_TO:
            sums = _sums_by_exponentials(column, sides)
        else:
            sums = _sums_by_values(column, sides, similarity)
        small[feature], large[feature] = _relative(sums, sides, similarity)

    with one_thread_inside():
        run_in_threads(measure, range(n_features), n_jobs)
    n_large, flipped = sides.n_rows - sides.sizes, sides.flipped
    return Densities(
        positive=np.where(flipped, large, small).T,
        negative=np.where(flipped, small, large).T,
        n_positive=np.where(flipped, n_large, sides.sizes),
        n_negative=np.where(flipped, sides.sizes, n_large),
    )


class Column(NamedTuple):
    """One feature: distinct values scaled to [0, 1], and which row has which."""

    distinct: FloatArray  # ascending
    rows: IntArray  # rows whose codes are listed
    codes: IntArray
    background: int  # code of all other rows


def read_categories(block: FloatArray) -> Column:
    """Read a nominal feature from its columns of 0 and 1: any two values are 1 apart.

    Its values are 0, 1, 2, ...; no distance is counted as more than 1.
    """
    n_rows, n_codes = block.shape
    codes = block.argmax(axis=1).astype(np.int64)
    return Column(np.arange(float(n_codes)), np.arange(n_rows), codes, 0)


def read_column(table: Matrix, feature: int) -> Column:
    """Read one column of an array or CSC matrix."""
    background = 0
    if sp.issparse(table):
        cells = span(table.indptr, feature)
        rows = table.indices[cells].astype(np.int64)
        distinct, codes = np.unique(table.data[cells], return_inverse=True)
        if rows.size < table.shape[0]:
            background = int(np.searchsorted(distinct, 0.0))
            distinct = np.insert(distinct, background, 0.0)
            codes = codes + (codes >= background)
    else:
        rows = np.arange(table.shape[0])
        distinct, codes = np.unique(table[:, feature], return_inverse=True)
    half = distinct / 2.0  # the difference of two halves is always a number
    width = half[-1] - half[0]
    scaled = (half - half[0]) / (width if width > 0 else 1.0)
    return Column(scaled, rows, codes.astype(np.int64), background)


class SideSums(NamedTuple):
    """For each label: similarities of all ordered pairs, and the range of values."""

    small: FloatArray
    large: FloatArray
    small_range: FloatArray
    large_range: FloatArray


def _sums_by_values(column: Column, sides: Sides, similarity: Similarity) -> SideSums:
    """Exact sums over pairs of distinct values.

    No two values are farther apart than 1, which is so by itself where they are scaled.
    """
    from labelsieve.selectors.density.kernels import count_codes_by_label

    distinct = column.distinct
    counts = np.zeros((distinct.size, sides.sizes.size))
    count_codes_by_label(column.rows, column.codes, sides.indptr, sides.indices, counts)
    counts[column.background] += sides.sizes - counts.sum(axis=0)
    totals = np.bincount(column.codes, minlength=distinct.size).astype(np.float64)
    totals[column.background] += sides.n_rows - column.rows.size
    inside, across = np.zeros((2, counts.shape[1]))
    everything = 0.0
    for part in slices_of(distinct.size, max(1, BLOCK_CELLS // distinct.size)):
        distances = np.abs(distinct[part, None] - distinct)
        table = similarity(np.minimum(distances, 1.0))
        near = table @ counts
        inside += (counts[part] * near).sum(axis=0)
        across += totals[part] @ near
        everything += float(totals[part] @ (table @ totals))
    ranges = (
        np.minimum(_range_where(distinct, present), 1.0)
        for present in (counts > 0, totals[:, None] > counts)
    )
    return SideSums(inside, everything - 2.0 * across + inside, *ranges)


def _range_where(distinct: FloatArray, present: BoolArray) -> FloatArray:
    """Largest minus smallest of the values that are present, for each label."""
    first = present.argmax(axis=0)
    last = distinct.size - 1 - present[::-1].argmax(axis=0)
    return np.where(present.any(axis=0), distinct[last] - distinct[first], 0.0)


def _sums_by_exponentials(column: Column, sides: Sides) -> SideSums:
    """Sums of 1 / (1 + d), in which d may have too many different values."""
    from labelsieve.selectors.density import kernels

    codes = np.full(sides.n_rows, column.background)
    codes[column.rows] = column.codes
    order = np.argsort(codes, kind="stable")
    values = column.distinct[codes[order]]
    n_labels = sides.sizes.size
    inside, across = np.empty(n_labels), np.empty(n_labels)
    everything = kernels.sums_of_exponentials(
        values, order, sides.indptr, sides.indices, *exponential_sum(), inside, across
    )
    ends = np.empty((4, n_labels), dtype=np.int64)
    kernels.find_ends_of_sides(order, sides.indptr, sides.indices, ends)
    # Ends of an empty side lie outside the order; it has no range.
    edges = values[np.clip(ends, 0, sides.n_rows - 1)]
    return SideSums(
        inside,
        everything - 2.0 * across + inside,
        np.maximum(0.0, edges[1] - edges[0]),
        np.maximum(0.0, edges[3] - edges[2]),
    )


@lru_cache(maxsize=1)
def exponential_sum() -> tuple[FloatArray, FloatArray]:
    """Nodes t and weights w with 1 / (1 + d) = sum_k w_k exp(-t_k d) on [0, 1].

    Gauss-Laguerre quadrature of the integral of exp(-t (1 + d)), scaled so that it
    is best in the geometric middle of 1 + d = 1..2. The relative error is below
    `WORST_ERROR`; as all terms are positive, it is no larger for their sums.
    """
    nodes, weights = np.polynomial.laguerre.laggauss(N_TERMS)
    root = np.sqrt(2.0)
    weights = weights * np.exp(nodes * (1.0 - 1.0 / root)) / root
    return nodes / root, weights


def _relative(
    sums: SideSums, sides: Sides, similarity: Similarity
) -> tuple[FloatArray, FloatArray]:
    """Eq. 3: divide by the rows and by the smallest similarity among them."""
    sizes, n_large = sides.sizes, sides.n_rows - sides.sizes
    small = sums.small / np.maximum(1, sizes) / similarity(sums.small_range)
    large = sums.large / np.maximum(1, n_large) / similarity(sums.large_range)
    return np.where(sizes > 0, small, 0.0), np.where(n_large > 0, large, 0.0)
