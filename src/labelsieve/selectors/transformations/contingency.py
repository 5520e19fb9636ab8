"""Scores of features from their weighted tables of codes by classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.discretization import CodedColumns
from labelsieve.selectors.transformations.problems import Problem

# Tables of at most this many cells are in memory at once.
BLOCK_CELLS = 4_000_000
# Few classes are multiplied faster as a dense matrix.
DENSE_UP_TO = 16


class Margins(NamedTuple):
    """What a table's cells are compared with."""

    codes: FloatArray  # [lines, 1] weight of each code
    classes: FloatArray  # [classes] weight of each class
    total: float


Term = Callable[[FloatArray, Margins], FloatArray]


def chi2_terms(cells: FloatArray, margins: Margins) -> FloatArray:
    """(observed - expected)^2 / expected, 0 where nothing is expected."""
    expected = margins.codes * (margins.classes / margins.total)
    terms = np.zeros_like(cells)
    return np.divide((cells - expected) ** 2, expected, out=terms, where=expected > 0)


def information_terms(cells: FloatArray, margins: Margins) -> FloatArray:
    """P(f, c) log(P(f, c) / P(f) P(c)), 0 where nothing was observed."""
    expected = margins.codes * (margins.classes / margins.total)
    # Rounding may leave a trace of weight in a cell of a code that has none.
    observed = (cells > 0) & (expected > 0)
    ratio = np.divide(cells, expected, out=np.ones_like(cells), where=observed)
    return cells / margins.total * np.log(ratio)


class Tables:
    """Tables of coded columns by the classes of any problem over the same rows."""

    def __init__(self, coded: CodedColumns) -> None:
        self._start = coded.start
        indptr, indices = coded.indicator_rows()
        cells = (np.ones(indices.size), indices, indptr)
        shape = (coded.n_rows, int(coded.start[-1]))
        # One line per column and code but 0, one column per row.
        self._indicators = sp.csr_matrix(cells, shape=shape).T.tocsr()

    def scores(self, problem: Problem, term: Term) -> FloatArray:
        """Score of each coded column: the terms of all cells of its table, added."""
        row_weights = problem.row_weights
        class_weights = added(
            np.asarray(members.sum(axis=0)).ravel() / divisor
            for divisor, members in problem.groups()
        )
        code_weights = (self._indicators @ row_weights)[:, None]
        total = float(row_weights.sum())
        if problem.has_rest:
            class_weights = np.append(class_weights, total - class_weights.sum())
        margins = Margins(code_weights, class_weights, total)
        return score_tables(
            lambda lines: self._cells(lines, problem, code_weights),
            self._start,
            margins,
            term,
        )

    def _cells(
        self, lines: slice, problem: Problem, code_weights: FloatArray
    ) -> FloatArray:
        """Weight of the rows with each code (line) and class (column)."""
        cells = added(
            self._product(lines, members) / divisor
            for divisor, members in problem.groups()
        )
        if not problem.has_rest:
            return cells
        rest = code_weights[lines] - cells.sum(axis=1, keepdims=True)
        return np.hstack([cells, rest])

    def _product(self, lines: slice, members: sp.csr_matrix) -> FloatArray:
        if members.shape[1] <= DENSE_UP_TO:
            return self._indicators[lines] @ members.toarray()
        return (self._indicators[lines] @ members).toarray()


def added(parts: Iterable[FloatArray]) -> FloatArray:
    """The sum of arrays, one after the other."""
    return reduce(np.add, parts)


def score_tables(
    cells_of: Callable[[slice], FloatArray],
    start: IntArray,
    margins: Margins,
    term: Term,
) -> FloatArray:
    """Score of each coded column: the terms of all cells of its table, added.

    `cells_of` returns the weights of the given lines (column and code but 0), one
    column per class; the lines of each coded column begin at `start`.
    """
    code_weights, class_weights, total = margins
    scores = np.zeros(start.size - 1)
    if total == 0.0:
        return scores
    for columns, lines in _blocks(start, class_weights.size):
        cells, codes = cells_of(lines), code_weights[lines]
        starts = start[columns] - lines.start
        # Code 0 has the rows that no other code of the column has.
        zero_cells = class_weights - np.add.reduceat(cells, starts, axis=0)
        zero_codes = total - np.add.reduceat(codes, starts, axis=0)
        np.maximum(zero_cells, 0.0, out=zero_cells)
        terms = term(cells, Margins(codes, class_weights, total)).sum(axis=1)
        others = term(zero_cells, Margins(zero_codes, class_weights, total))
        scores[columns] = np.add.reduceat(terms, starts) + others.sum(axis=1)
    return scores


def _blocks(start: IntArray, n_classes: int) -> list[tuple[slice, slice]]:
    """Columns with the lines of their codes, in blocks of bounded size."""
    most_lines = max(1, BLOCK_CELLS // n_classes)
    blocks, first = [], 0
    while first < start.size - 1:
        last = int(np.searchsorted(start, start[first] + most_lines, side="right")) - 1
        last = max(last, first + 1)
        blocks.append((slice(first, last), slice(int(start[first]), int(start[last]))))
        first = last
    return blocks
