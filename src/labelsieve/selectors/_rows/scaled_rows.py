"""Features on one scale, ready for distances between rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.reading import Features, Groups

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


def centred_columns(block: FloatArray, which: BoolArray | None = None) -> FloatArray:
    """Subtract the mean of each column, on a scale where squares cannot overflow.

    The mean is that of all rows, or of some.
    """
    scaled = block * _power_of_two(block)
    some = scaled if which is None or which.all() else scaled[which]
    return scaled - some.mean(axis=0)


def standard_deviations(values: Matrix) -> FloatArray:
    """Population standard deviation of each column."""
    deviations = []
    for _, block in column_blocks(values):
        power = _power_of_two(block)
        deviations.append((block * power).std(axis=0) / power)
    return np.concatenate(deviations)


def _power_of_two(block: FloatArray) -> FloatArray:
    """For each column a power of two, which costs no digits, that makes it about 1."""
    return power_of_two(block.min(axis=0), block.max(axis=0))


def power_of_two(low: FloatArray, high: FloatArray) -> FloatArray:
    """The same for columns between two values."""
    _, exponent = np.frexp(np.maximum(high, -low))
    return np.ldexp(1.0, -np.clip(exponent, -1000, 1000))


def value_ranges(values: Matrix) -> FloatArray:
    """Largest minus smallest value of each column."""
    low, high = _ends(values)
    with np.errstate(over="ignore"):
        return high - low


def _ends(values: Matrix) -> tuple[FloatArray, FloatArray]:
    low, high = values.min(axis=0), values.max(axis=0)
    if sp.issparse(values):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return low, high


def offsets(low: FloatArray, high: FloatArray) -> FloatArray:
    """What columns are moved by that lie farther from zero than they are wide.

    Differences of such values would have few digits. No other column is moved: where
    a cell is zero, in a sparse table not stored, it stays so.
    """
    with np.errstate(over="ignore"):
        width = high - low
    return np.where(low > width, low, np.where(-high > width, high, 0.0))


def moved(values: Matrix, offset: FloatArray) -> Matrix:
    """The columns minus their offsets."""
    if not offset.any():
        return values
    if sp.issparse(values):
        cells = values.data - offset[values.indices]
        return sp.csr_matrix((cells, values.indices, values.indptr), values.shape)
    return values - offset


def divided(values: Matrix, scale: FloatArray) -> Matrix:
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


def one_scale(deviations: FloatArray, groups: Groups) -> FloatArray:
    """The same scale for all columns of a feature, so that together they vary by 1."""
    return groups.spread(groups.lengths(deviations))


def standardized(features: Features) -> Matrix:
    """Divide each column by its standard deviation, near zero as differences need."""
    values = moved(features.values, offsets(*_ends(features.values)))
    return divided(values, one_scale(standard_deviations(values), features.groups))


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
    scaled = [divided(numbers, value_ranges(numbers))] if numeric.size else []
    for column in nominal:
        codes = np.arange(len(features.categories[column]))
        scaled.append(0.5 * (values[:, [column]] == codes))
        owners.append(np.full(codes.size, column))
    rows = scaled[0] if len(scaled) == 1 else np.hstack(scaled)
    return rows, np.concatenate(owners).astype(np.int64)


def is_binary(rows: Matrix) -> bool:
    """Whether all values are 0 or 1, where Manhattan equals squared Euclidean."""
    cells = rows.data if sp.issparse(rows) else rows
    return bool(((cells == 0) | (cells == 1)).all())
