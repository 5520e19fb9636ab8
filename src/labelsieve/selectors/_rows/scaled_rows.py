"""Features on one scale, ready for distances between rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix, Weights
from labelsieve.reading import Features

# Columns are made dense in blocks of at most this many cells.
BLOCK_CELLS = 4_000_000


def column_blocks(values: Matrix) -> Iterator[tuple[slice, FloatArray]]:
    """Go over the columns in dense C-ordered blocks, the same for sparse input.

    Sums over the rows of a block are the same bits whatever the input was, so that
    ties between features or between neighbours cannot depend on the format.
    """
    by_column = values.tocsc() if sp.issparse(values) else values
    for columns in column_slices(values):
        yield columns, dense_columns(by_column, columns)


def column_slices(values: Matrix) -> list[slice]:
    """Divide the columns into blocks of bounded size."""
    n_rows, n_columns = values.shape
    return slices_of(n_columns, max(1, BLOCK_CELLS // n_rows))


def dense_columns(by_column: Matrix, columns: slice) -> FloatArray:
    """Some columns of an array or CSC matrix as a C-ordered array."""
    block = by_column[:, columns]
    if sp.issparse(block):
        return block.toarray(order="C")
    return np.ascontiguousarray(block)


def centred_columns(
    block: FloatArray, which: BoolArray | None = None, weight: Weights | None = None
) -> FloatArray:
    """Subtract the mean of each column, on a scale where squares cannot overflow.

    The mean is that of all rows, or of some, or as often as each counts.
    """
    scaled = block * power_of_two(block)
    if weight is not None:
        return scaled - np.average(scaled, axis=0, weights=weight)
    some = scaled if which is None or which.all() else scaled[which]
    return scaled - some.mean(axis=0)


def power_of_two(block: FloatArray) -> FloatArray:
    """For each column a power of two, which costs no digits, that makes it about 1."""
    _, exponent = np.frexp(np.maximum(block.max(axis=0), -block.min(axis=0)))
    return np.ldexp(1.0, -np.clip(exponent, -1000, 1000))


def standardized(features: Features) -> Matrix:
    """Divide each column by its standard deviation, near zero as differences need.

    All columns of a feature have the same scale: together they vary by 1.
    """
    values, groups = _moved(features.values), features.groups
    deviations = np.empty(values.shape[1])
    for columns, block in column_blocks(values):
        power = power_of_two(block)
        deviations[columns] = (block * power).std(axis=0) / power
    return _divided(values, groups.spread(groups.lengths(deviations)))


def _moved(values: Matrix) -> Matrix:
    """Move columns that lie farther from zero than they are wide.

    Differences of such values would have few digits. No other column is moved: where
    a cell is zero, in a sparse table not stored, it stays so.
    """
    low, high = _ends(values)
    with np.errstate(over="ignore"):
        width = high - low
    offset = np.where(low > width, low, np.where(-high > width, high, 0.0))
    if not offset.any():
        return values
    if sp.issparse(values):
        cells = values.data - offset[values.indices]
        return sp.csr_matrix((cells, values.indices, values.indptr), values.shape)
    return values - offset


def _ends(values: Matrix) -> tuple[FloatArray, FloatArray]:
    low, high = (as_dense(end(axis=0)).ravel() for end in (values.min, values.max))
    return low, high


def _divided(values: Matrix, scale: FloatArray) -> Matrix:
    """Return the columns divided by their scale, or set to zero where it is zero."""
    if not np.isfinite(scale).all():
        column = int(np.argmin(np.isfinite(scale)))
        raise ValueError(
            f"The values of feature {column} lie too far apart to be compared "
            f"(more than {np.finfo(np.float64).max:.1e}). Scale the feature first, for "
            "example divide it by a constant."
        )
    usable = np.where(scale > 0, scale, np.inf)
    if sp.issparse(values):
        cells = values.data / usable[values.indices]
        return sp.csr_matrix((cells, values.indices, values.indptr), values.shape)
    return np.ascontiguousarray(values / usable)


def range_normalized(features: Features) -> tuple[Matrix, IntArray]:
    """Divide each column by its range; the Manhattan distance then adds up `diff`.

    A nominal column of a table with more than two categories becomes one column of
    0 and 1/2 per category, so that different categories are at distance 1. The
    second array says which feature each column belongs to.
    """
    values = features.values
    nominal = sorted(c for c, kinds in features.categories.items() if len(kinds) > 2)
    numeric = np.setdiff1d(np.arange(values.shape[1]), nominal)
    numbers = values if not nominal else values[:, numeric]
    owners = [numeric]
    scaled = []
    if numeric.size:
        low, high = _ends(numbers)
        with np.errstate(over="ignore"):
            scaled.append(_divided(numbers, high - low))
    for column in nominal:
        codes = np.arange(len(features.categories[column]))
        scaled.append(0.5 * (values[:, [column]] == codes))
        owners.append(np.full(codes.size, column))
    rows = scaled[0] if len(scaled) == 1 else np.hstack(scaled)
    return rows, np.concatenate(owners).astype(np.int64)
