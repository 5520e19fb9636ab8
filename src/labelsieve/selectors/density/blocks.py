"""EMCFS density over row blocks: whole columns while they fit, histograms beyond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import (
    LabelCodes,
    SurveyedRows,
    add_up,
    keep,
    run,
    task,
    tree,
    value,
)
from labelsieve.reading import Groups
from labelsieve.selectors._base import Ranking
from labelsieve.selectors.density.emcfs_density import EMCFSDensity
from labelsieve.selectors.density.sums import (
    Densities,
    SideSums,
    Similarity,
    both_sides,
    densities,
    relative,
    sums_of_counts,
)

# Up to this many rows, one task gets all values of some columns: exact sums.
GATHERED_ROWS = 2**25
GATHERED_CELLS = 2**24
# Columns of so many cells (1 GiB) are on their way at the same time; the source is
# read once for each such round.
CELLS_IN_ROUND = 2**27
# Beyond, values are rounded to so many places between the ends of their column. A
# distance is wrong by at most 1 / (GRID - 1), and so is, relatively, a density.
GRID = 2049
COUNTED_CELLS = 2**25


def rank_density(selector: EMCFSDensity, rows: SurveyedRows) -> Ranking:
    """Rank by the densities of all features on both sides of all labels."""
    similarity = selector._checked_similarity()
    labels, constant = rows.labels.summary, rows.constant
    measure = _by_columns if rows.n_rows <= GATHERED_ROWS else _by_histograms
    scores = selector._score_densities(measure(rows, similarity), constant)
    return selector._rank_scores(scores, constant, labels)


def _by_columns(rows: SurveyedRows, similarity: Similarity) -> Densities:
    """Send the values of some columns to one task, which measures them exactly."""
    codes = value(rows.labels)
    indicators = [task(_indicator, y, codes) for y in rows.rows.labels]
    (indicator,) = keep([task(_stack, indicators)])
    found: list[Densities] = []
    every = slice(0, rows.groups.sizes.size)
    widest = rows.n_rows * int(rows.groups.sizes.max())
    for round_ in _slices(every, CELLS_IN_ROUND // widest):
        numbers, parts = rows.numbers(), []
        for features in _slices(round_, GATHERED_CELLS // widest):
            columns, groups = rows.groups.part(features)
            cells = [task(_columns, block, columns) for block in numbers]
            given = indicator, value(similarity), value(groups)
            parts.append(task(_measure, cells, *given))
        found += run(parts)
    return Densities(
        np.concatenate([part.positive for part in found], axis=1),
        np.concatenate([part.negative for part in found], axis=1),
        found[0].n_positive,
        found[0].n_negative,
    )


def _slices(features: slice, width: int) -> list[slice]:
    """Cut a range of features into pieces of some width."""
    width = max(1, width)
    starts = range(features.start, features.stop, width)
    return [slice(left, min(left + width, features.stop)) for left in starts]


def _indicator(y: Any, codes: LabelCodes) -> Matrix:
    return codes.read(y).indicator("EMCFSDensity")


def _columns(values: Matrix, columns: slice) -> Matrix:
    block = values[:, columns]
    # A view would keep all other columns in memory.
    return block if sp.issparse(block) else block.copy()


def _stack(blocks: list[Matrix]) -> Matrix:
    if any(sp.issparse(block) for block in blocks):
        return sp.vstack(blocks).tocsr()
    return np.vstack(blocks)


def _measure(
    cells: list[Matrix], indicator: Matrix, similarity: Similarity, groups: Groups
) -> Densities:
    return densities(_stack(cells), indicator, similarity, 1, groups)


@dataclass(frozen=True)
class Grid:
    """Where the values of each column lie."""

    low: FloatArray
    high: FloatArray
    columns: slice

    def places(self, values: FloatArray) -> IntArray:
        """The place of each cell of some columns between the ends of its column."""
        half = values / 2.0  # the difference of two halves is always a number
        low = self.low[self.columns] / 2.0
        span = self.high[self.columns] / 2.0 - low
        share = (half - low) / np.where(span > 0, span, 1.0)
        return np.rint(share * (GRID - 1)).astype(np.int64)


def _by_histograms(rows: SurveyedRows, similarity: Similarity) -> Densities:
    """Count rounded values with and without each label, then add up over pairs."""
    codes, numbers = value(rows.labels), rows.numbers()
    n_features, ones = rows.groups.sizes.size, rows.labels.ones
    sizes = np.minimum(ones, rows.n_rows - ones)
    flipped = 2 * ones > rows.n_rows
    small, large = np.empty((2, n_features, ones.size))
    width = COUNTED_CELLS // (GRID * (ones.size + 1) * int(rows.groups.sizes.max()))
    for features in _slices(slice(0, n_features), width):
        columns, groups = rows.groups.part(features)
        grid = value(Grid(rows.columns.low, rows.columns.high, columns))
        parts = [
            task(_histograms, block, y, codes, grid)
            for block, y in zip(numbers, rows.rows.labels, strict=True)
        ]
        counted = tree(add_up, parts)
        given = flipped, value(similarity), value(groups)
        (sums,) = run([task(_sums, counted, *given)])
        for feature, found in zip(range(n_features)[features], sums, strict=True):
            small[feature], large[feature] = relative(
                found, sizes, rows.n_rows, similarity
            )
    return both_sides(small, large, sizes, flipped, rows.n_rows)


def _histograms(values: Matrix, y: Any, codes: LabelCodes, grid: Grid) -> CountArray:
    """[columns, places, labels + 1] rows with each label, and all rows."""
    members = sp.csr_matrix(_indicator(y, codes), dtype=np.uint32)
    every = np.ones((members.shape[0], 1), dtype=np.uint32)
    members = sp.csr_matrix(sp.hstack([members, every]))
    block = values[:, grid.columns]
    places = grid.places(as_dense(block))
    rows = np.arange(places.shape[0] + 1)
    out = np.empty((places.shape[1], GRID, members.shape[1]), dtype=np.uint32)
    for column, place in enumerate(places.T):
        cells = (np.ones(place.size, dtype=np.uint32), place, rows)
        at = sp.csr_matrix(cells, shape=(place.size, GRID))
        out[column] = (at.T @ members).toarray()
    return out


def _sums(
    counted: CountArray, flipped: IntArray, similarity: Similarity, groups: Groups
) -> list[SideSums]:
    found = []
    for feature in range(groups.sizes.size):
        columns = counted[groups.columns(feature)].astype(np.float64)
        if groups.single[feature]:
            distinct, table = np.linspace(0.0, 1.0, GRID), columns[0]
        else:  # rows that have a category are in the last place of its column
            distinct, table = np.arange(float(len(columns))), columns[:, -1]
        totals, counts = table[:, -1], table[:, :-1]
        counts = np.where(flipped, totals[:, np.newaxis] - counts, counts)
        found.append(sums_of_counts(distinct, counts, totals, similarity))
    return found
