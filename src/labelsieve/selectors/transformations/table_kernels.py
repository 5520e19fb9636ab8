"""Scores from the cells of tables of codes by classes that are not zero.

A cell that is zero adds what depends on its margins alone, and so does what code 0 has
of a class that no other code has: such terms are added up by the weights of all
classes, and cells add the difference.
"""

from __future__ import annotations

from math import log

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.selectors.transformations.contingency import Cells, Margins


@njit
def score_cells(
    start: IntArray,
    cells: Cells,
    margins: Margins,
    by_chi2: bool,
    tally: FloatArray,
    out: FloatArray,
) -> None:
    """out[column] = the terms of all cells of its table.

    start: int64[columns + 1], the first line of each column
    tally: float64[classes], zero, and zero again on return
    out: float64[columns], overwritten
    """
    codes, classes, total = margins
    whole = classes.sum()
    for column in range(start.size - 1):
        first, last = cells.start[start[column]], cells.start[start[column + 1]]
        zero, score = total, 0.0
        for line in range(start[column], start[column + 1]):
            zero -= codes[line]
            score += _term(0.0, codes[line], whole, total, by_chi2)
            for p in range(cells.start[line], cells.start[line + 1]):
                tally[cells.classes[p]] += cells.weights[p]
        score += _term(whole, zero, whole, total, by_chi2)
        for line in range(start[column], start[column + 1]):
            for p in range(cells.start[line], cells.start[line + 1]):
                weight = classes[cells.classes[p]]
                apart = _term(0.0, codes[line], weight, total, by_chi2)
                score += (
                    _term(cells.weights[p], codes[line], weight, total, by_chi2) - apart
                )
        for p in range(first, last):
            weight, named = classes[cells.classes[p]], tally[cells.classes[p]]
            if named != 0.0:
                apart = _term(weight, zero, weight, total, by_chi2)
                left = max(0.0, weight - named)
                score += _term(left, zero, weight, total, by_chi2) - apart
                tally[cells.classes[p]] = 0.0
        out[column] = score


@njit
def _term(
    cell: float, code: float, class_: float, total: float, by_chi2: bool
) -> float:
    """What a cell adds: (observed - expected)^2 / expected, or p log(p / p q).

    0 where nothing is expected, and of information where nothing was observed.
    """
    expected = code * (class_ / total)
    if expected <= 0.0:
        return 0.0
    if by_chi2:
        return (cell - expected) ** 2 / expected
    return cell / total * log(cell / expected) if cell > 0.0 else 0.0
