"""Scores of features from their weighted tables of codes by classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import LabelCodes, SurveyedRows, load, run, task, tree, value
from labelsieve.discretization import CodedBlocks, CodedColumns, indicator_columns
from labelsieve.reading import Labels

# Tables of at most this many cells are in memory at once.
BLOCK_CELLS = 4_000_000
# A cell has a class and a weight, and is there twice while parts are put together.
BYTES_OF_CELL = 24


class Margins(NamedTuple):
    """What a table's cells are compared with."""

    codes: FloatArray  # [lines] weight of each code but 0
    classes: FloatArray  # [classes] weight of each class
    total: float


class Table(NamedTuple):
    """A table of codes (lines) by classes, of which some lines are asked for."""

    weights: Callable[[slice], Matrix]
    room: IntArray  # [lines] at most so many cells of a line are not zero
    margins: Margins


class Cells(NamedTuple):
    """The cells of some lines of a table that are not zero."""

    start: IntArray  # [lines + 1] where the cells of each line begin
    classes: IntArray  # [cells] ascending within a line
    weights: FloatArray  # [cells]

    @classmethod
    def of(cls, table: Matrix) -> Cells:
        """The cells of an array or a CSR matrix."""
        listed = sp.csr_matrix(table)
        listed.sort_indices()
        start, classes = listed.indptr.astype(np.int64), listed.indices.astype(np.int64)
        return cls(start, classes, listed.data)


def table_in_memory(coded: CodedColumns, members: sp.csr_matrix) -> Table:
    """The table of all codes but 0 by the classes of rows."""
    X = _indicators(coded).T.tocsr()
    has_class = np.diff(members.indptr) > 0
    margins = Margins(X @ has_class, _totals(members), float(has_class.sum()))
    room = _room(np.diff(X.indptr), members)
    return Table(lambda lines: X[lines] @ members, room, margins)


def table_in_blocks(
    coded: CodedBlocks, lengths: list[int], members: sp.csr_matrix
) -> Table:
    """The same, added up over blocks of rows with the given lengths."""
    room = _room(indicator_columns(coded.features).totals, members)
    refuse_larger_than_memory(
        (int(room.sum()),),
        "A list of the cells of codes and classes",
        "PrunedTransformation leaves rare label sets out.",
        BYTES_OF_CELL,
    )
    has_class = (np.diff(members.indptr) > 0).astype(np.float64)
    with_last = sp.hstack([members, has_class[:, np.newaxis]], format="csr")
    ends = np.cumsum(lengths)
    each = [
        value(with_last[end - length : end])
        for length, end in zip(lengths, ends, strict=True)
    ]
    (counts,) = run([tree(_add_tables, coded.keep(_count_block, each=each))])
    margins = Margins(
        counts[:, -1:].toarray()[:, 0], _totals(members), float(has_class.sum())
    )
    by_class = counts[:, :-1]
    return Table(lambda lines: by_class[lines], np.diff(by_class.indptr), margins)


def _indicators(coded: CodedColumns) -> sp.csc_matrix:
    return sp.csc_matrix(indicator_columns(coded).values, dtype=np.float64)


def _totals(members: sp.csr_matrix) -> FloatArray:
    return np.asarray(members.sum(axis=0), dtype=np.float64).ravel()


def _room(n_rows: IntArray, members: sp.csr_matrix) -> IntArray:
    """A line has no more cells than its rows have classes."""
    most = np.diff(members.indptr).max(initial=0)
    return np.minimum(n_rows * most, members.shape[1])


def _count_block(
    features: CodedColumns, labels: CodedColumns, members: sp.csr_matrix
) -> sp.csr_matrix:
    return sp.csr_matrix(_indicators(features).T @ members)


def _add_tables(tables: list[Any]) -> sp.csr_matrix:
    first, *others = map(load, tables)
    return sum(others, first)


def labels_of_blocks(rows: SurveyedRows) -> Labels:
    """The labels of all rows: far less than the features."""
    codes = value(rows.labels)
    found = run([task(_label_codes, y, codes) for y in rows.rows.labels])
    if all(map(sp.issparse, found)):
        cells: Matrix = sp.vstack(found, format="csr")
    else:
        cells = np.concatenate([as_dense(block) for block in found])
    return replace(rows.labels.summary, codes=cells)


def _label_codes(y: Any, codes: LabelCodes) -> Matrix:
    return codes.read(y).codes


def label_tables(engine: Any) -> Iterator[Table]:
    """The table of each label's values, from the counts of pairs of an engine."""
    X, Y = engine.X, engine.Y
    joint = engine.joint()
    for label in range(Y.n_blocks):
        columns = Y.columns_of(label)
        named, sizes = joint[:, columns], Y.totals[columns]
        n_f, n_rows = X.totals, engine.n_samples
        if Y.unknown[label]:
            n_f, n_rows = n_f - named[:, -1], n_rows - int(sizes[-1])
            named, sizes = named[:, :-1], sizes[:-1]
        # The most frequent value has no column: it has the other rows.
        table = np.column_stack([named, n_f - named.sum(axis=1)]).astype(np.float64)
        classes = np.append(sizes, n_rows - sizes.sum()).astype(np.float64)
        margins = Margins(n_f.astype(np.float64), classes, float(n_rows))
        room = np.full(len(table), classes.size)
        yield Table(table.__getitem__, room, margins)


def score_table(table: Table, start: IntArray, by_chi2: bool) -> FloatArray:
    """Score of each coded column: the terms of all cells of its table, added.

    The lines of each coded column (a code but 0 each) begin at `start`. Terms are
    those of chi-square, or of mutual information.
    """
    margins = table.margins
    scores = np.zeros(start.size - 1)
    if np.count_nonzero(margins.classes) < 2:
        return scores  # nothing can tell one class apart
    tally = np.zeros(margins.classes.size)
    for columns, lines in _blocks(start, table.room):
        score_cells(
            start[columns.start : columns.stop + 1] - lines.start,
            Cells.of(table.weights(lines)),
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


# A cell that is zero adds what depends on its margins alone, and so does what code 0
# has of a class that no other code has: such terms are added up by the weights of all
# classes, and cells add the difference.


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
