"""Scores of features from their weighted tables of codes by classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.discretization import CodedColumns
from labelsieve.selectors.transformations.problems import Problem

# Tables of at most this many cells are in memory at once.
BLOCK_CELLS = 4_000_000
# Few classes are multiplied faster as a dense matrix.
DENSE_UP_TO = 16


class Margins(NamedTuple):
    """What a table's cells are compared with."""

    codes: FloatArray  # [lines] weight of each code but 0
    classes: FloatArray  # [classes] weight of each class
    total: float


class Cells(NamedTuple):
    """The cells of some lines of a table that are not zero, and any others."""

    start: IntArray  # [lines + 1] where the cells of each line begin
    classes: IntArray  # [cells] ascending within a line
    weights: FloatArray  # [cells]

    @classmethod
    def of(cls, table: Matrix) -> Cells:
        """The cells of an array, all of them, or of a CSR matrix."""
        if sp.issparse(table):
            table.sort_indices()
            start, classes = (
                part.astype(np.int64) for part in (table.indptr, table.indices)
            )
            return cls(start, classes, table.data)
        n_lines, n_classes = table.shape
        start = np.arange(n_lines + 1, dtype=np.int64) * n_classes
        classes = np.tile(np.arange(n_classes, dtype=np.int64), n_lines)
        return cls(start, classes, np.ascontiguousarray(table).ravel())


class Tables:
    """Tables of coded columns by the classes of any problem over the same rows."""

    def __init__(self, coded: CodedColumns) -> None:
        self._start = coded.start
        indptr, indices = coded.indicator_rows()
        cells = (np.ones(indices.size), indices, indptr)
        shape = (coded.n_rows, int(coded.start[-1]))
        # One line per column and code but 0, one column per row.
        self._indicators = sp.csr_matrix(cells, shape=shape).T.tocsr()

    def scores(self, problem: Problem, by_chi2: bool) -> FloatArray:
        """Score of each coded column: the terms of all cells of its table, added."""
        row_weights, groups = problem.row_weights, problem.groups()
        class_weights = added(
            np.asarray(members.sum(axis=0)).ravel() / divisor
            for divisor, members in groups
        )
        code_weights = self._indicators @ row_weights
        total = float(row_weights.sum())
        if problem.has_rest:
            class_weights = np.append(class_weights, total - class_weights.sum())

        def cells_of(lines: slice) -> Cells:
            table = added(
                self._product(lines, members) / divisor for divisor, members in groups
            )
            if problem.has_rest:
                table = table.toarray() if sp.issparse(table) else table
                rest = code_weights[lines] - table.sum(axis=1)
                table = np.column_stack([table, rest])
            return Cells.of(table)

        # A line has no more cells than its rows have classes.
        most = max(divisor for divisor, _ in groups) + problem.has_rest
        room = np.minimum(np.diff(self._indicators.indptr) * most, class_weights.size)
        margins = Margins(code_weights, class_weights, total)
        return score_tables(cells_of, self._start, room, margins, by_chi2)

    def _product(self, lines: slice, members: sp.csr_matrix) -> Matrix:
        if members.shape[1] <= DENSE_UP_TO:
            return self._indicators[lines] @ members.toarray()
        return self._indicators[lines] @ members


def added(parts: Iterable[Matrix]) -> Matrix:
    """The sum of arrays, one after the other."""
    return reduce(add, parts)


def score_tables(
    cells_of: Callable[[slice], Cells],
    start: IntArray,
    room: IntArray,
    margins: Margins,
    by_chi2: bool,
) -> FloatArray:
    """Score of each coded column: the terms of all cells of its table, added.

    `cells_of` returns the cells of the given lines (column and code but 0), at most
    `room` of each; the lines of each coded column begin at `start`. Terms are those of
    chi-square, or of mutual information. Which cells are zero is known beforehand to
    add what depends on margins alone; the others are added one after the other.
    """
    from labelsieve.selectors.transformations import table_kernels

    scores = np.zeros(start.size - 1)
    if np.count_nonzero(margins.classes) < 2:
        return scores  # nothing can tell one class apart
    tally = np.zeros(margins.classes.size)
    for columns, lines in _blocks(start, room):
        table_kernels.score_cells(
            start[columns.start : columns.stop + 1] - lines.start,
            cells_of(lines),
            margins._replace(codes=margins.codes[lines]),
            by_chi2,
            tally,
            scores[columns],
        )
    # What is nothing may come out as a rounding error below it.
    return np.maximum(scores, 0.0)


def _blocks(start: IntArray, room: IntArray) -> list[tuple[slice, slice]]:
    """Columns with the lines of their codes, in blocks of bounded size."""
    done = np.append(0, np.cumsum(room))[start]
    blocks, first = [], 0
    while first < start.size - 1:
        limit = done[first] + BLOCK_CELLS
        last = int(np.searchsorted(done, limit, side="right")) - 1
        last = max(last, first + 1)
        blocks.append((slice(first, last), slice(int(start[first]), int(start[last]))))
        first = last
    return blocks


def chi2_sums(engine: Any) -> FloatArray:
    """(D,) the sum over labels of chi-square of each feature; two levels each.

    chi2 = n (n n_fl - n_f n_l)^2 / (n_f (n - n_f) n_l (n - n_l)), where f and l never
    meet n n_f n_l / ((n - n_f) (n - n_l)): what is known without counting pairs.
    """
    n, n_x, n_y = engine.n_samples, engine.X.totals * 1.0, engine.Y.totals * 1.0
    odds_x, odds_y = n_x / (n - n_x), n_y / (n - n_y)
    feature, label, both = engine.joint_cells()
    n_f, n_l = n_x[feature], n_y[label]
    beyond = (n * both - n_f * n_l) / n_f / n_l
    met = n * odds_x[feature] * odds_y[label] * (beyond * beyond - 1.0)
    return n * odds_x * odds_y.sum() + np.bincount(feature, met, n_x.size)
