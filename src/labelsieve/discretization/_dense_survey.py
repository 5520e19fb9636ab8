"""What columns of dense numbers hold, and their quantiles, without a full sort."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.slices import slices_of
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray
from labelsieve.blocks import ColumnSurvey
from labelsieve.reading import MISSING, Features

# A survey, and quantiles.
Surveyed = tuple[ColumnSurvey, FloatArray]
# So many columns are copied out at a time: cells that share a line of the cache.
COLUMNS_AT_ONCE = 16
# Columns of at most so many rows are sorted where many quantiles are wanted.
SORTED_ROWS = 1 << 14


class Scored(NamedTuple):
    """Scores that are asked for."""

    of_rank: NDArray[np.uint8]  # what stands for each rank
    table: NDArray[np.uint8]  # (n, columns), filled in


def survey_dense(
    features: Features,
    n_bins: int,
    n_cuts: int,
    scored: Scored | None = None,
) -> Surveyed:
    """Survey all columns, with the first quantiles of those with many values.

    Quantiles, one line per column, are those after which more than `n_bins` distinct
    values are cut. Where scores are asked for, such columns are ranked by them, in the
    same pass. Threads take columns: nothing depends on their number.
    """
    from labelsieve.discretization import _dense_kernels as kernels
    from labelsieve.discretization import _rank_kernels

    X = features.values
    n_rows, n_columns = X.shape
    key = np.dtype(f"u{X.dtype.itemsize}")
    sign = key.type(1 << (8 * key.itemsize - 1))
    # Of zero and of infinity, which stands in missing cells.
    signs = np.array([0.0, MISSING], dtype=X.dtype).view(key) | sign
    n_keys = n_cuts if scored is None else 0
    few, ends, cuts = (
        np.full((n_columns, width), sign) for width in (n_bins, 3, n_keys)
    )
    points = np.zeros((n_columns, n_cuts), dtype=X.dtype)
    numbers = np.empty((n_columns, 4), dtype=np.int64)

    def survey(columns: slice) -> None:
        shape = (columns.stop - columns.start, n_rows)
        block = np.empty(shape, dtype=X.dtype)
        kernels.copy_columns(X, columns.start, block)
        keys = block.view(key) if scored is None else block.view(key).copy()
        kernels.order_bits(keys.reshape(-1), sign)
        few_rows = n_keys > kernels.FEW_RANKS and n_rows <= SORTED_ROWS
        ascending = np.sort(keys, axis=1) if few_rows else keys[:, :0]
        found = few[columns], ends[columns], numbers[columns], cuts[columns]
        kernels.survey_columns(keys, ascending, signs, 8 * key.itemsize, *found)
        many = numbers[columns, 0] > n_bins
        if scored is not None and many.any():
            edges, n_missing = numbers_of(ends[columns, :2]), numbers[columns, 3]
            _rank_kernels.rank_columns(
                *(block, keys, many, edges, n_missing, scored.of_rank),
                *(points[columns], scored.table[:, columns]),
            )

    def numbers_of(keys: NDArray[Any]) -> NDArray[Any]:
        return np.where(keys & sign, keys ^ sign, ~keys).view(X.dtype)

    run_in_threads(survey, slices_of(n_columns, COLUMNS_AT_ONCE), features.n_jobs)
    values, edges = (numbers_of(keys).astype(np.float64) for keys in (few, ends))
    quantiles = (numbers_of(cuts) if scored is None else points).astype(np.float64)
    n_few, n_negative, n_positive, n_missing = numbers.T
    edges[n_few == 0, 1] = -np.inf
    edges[n_few < 2, 2] = -np.inf
    found = ColumnSurvey(
        *(n_rows, n_missing, values, n_few, *edges.T, n_negative, n_positive)
    )
    return found, quantiles
