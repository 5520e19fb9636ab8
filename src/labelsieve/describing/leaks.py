"""What is equal in every cell, and what comes with a label in every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.matrices import span
from labelsieve._utils.typing import FloatArray, IntArray, Matrix

# Labels with fewer rows on either side are predicted by some feature by chance.
FEWEST_ROWS = 10
# A column with more values is asked for a threshold: each value has rows of its own.
FEW_VALUES = 100
# Values that differ mostly differ among the first.
PROBED_CELLS = 1_000


def equal_rows(table: Matrix, rows: Sequence[int]) -> list[list[int]]:
    """Those of some rows that are equal, group by group, in the order of the table.

    A sparse table is canonical CSR without stored zeros.
    """
    groups: dict[bytes, list[int]] = {}
    for row, cells in zip(rows, cells_of(table, rows), strict=True):
        groups.setdefault(blake2b(cells).digest(), []).append(row)
    return [group for group in groups.values() if len(group) > 1]


def cells_of(table: Any, rows: Sequence[int]) -> Iterator[bytes]:
    """The cells of some rows, as bytes that are the same where all cells are."""
    if not sp.issparse(table):
        for row in rows:
            yield (table[row] + 0).tobytes()  # without the sign of a zero
        return
    start, index, data = table.indptr.tolist(), table.indices, table.data
    for row in rows:
        cells = slice(start[row], start[row + 1])
        yield index[cells].tobytes() + data[cells].tobytes()


def columns_as_rows(table: Matrix) -> Matrix:
    """The columns of a table as rows that are quickly at hand."""
    make = sp.csr_matrix if sp.issparse(table) else np.ascontiguousarray
    return make(table.T)


# The rows and values of a column, without those of a value that most rows have: it
# cannot determine a label that at most half of the rows have.
Cells = tuple[IntArray, FloatArray]


class LabelLists:
    """Which labels each row has, and which rows each label, of what is stored."""

    def __init__(self, table: Any, unknown: Any = None) -> None:
        self.shape = table.shape
        self.unknown = sp.csr_array(table.shape, dtype=bool)
        possible = table
        if unknown is not None:
            self.unknown, possible = unknown, sp.csr_array(table + unknown)
        self._labels, self._starts = possible.indices, possible.indptr
        self._n_labels = np.diff(possible.indptr)
        self._by_label, self._unknown_by_label = table.tocsc(), self.unknown.tocsc()
        self.n_rows = np.diff(self._by_label.indptr)
        self.n_known = self.shape[0] - np.diff(self._unknown_by_label.indptr)

    def rows(self, label: int) -> IntArray:
        """The rows that have a label."""
        found: IntArray = self._by_label.indices[span(self._by_label.indptr, label)]
        return found

    def unknown_rows(self, label: int) -> IntArray:
        """The rows in which a label is not known."""
        cells = span(self._unknown_by_label.indptr, label)
        found: IntArray = self._unknown_by_label.indices[cells]
        return found

    def possible_rows(self, label: int) -> IntArray:
        """The rows that have a label, or in which it is not known."""
        return np.union1d(self.rows(label), self.unknown_rows(label))

    def count(self, rows: IntArray, label: int) -> int:
        """How many of these rows, all of which may have a label, have it."""
        if not self.unknown.nnz:
            return int(rows.size)
        return int(np.isin(rows, self.rows(label)).sum())

    def common(self, rows: IntArray, besides: int = -1) -> set[int]:
        """The labels that all of these rows have or may have, besides one."""
        # Begun with the row that has fewest, mostly nothing is left after a few.
        found = self._of_row(rows[np.argmin(self._n_labels[rows])]) - {besides}
        for row in rows:
            if not found:
                break
            found &= self._of_row(row)
        return found

    def _of_row(self, row: int) -> set[int]:
        return set(self._labels[span(self._starts, row)].tolist())


def find_leaks(
    columns: Matrix, wanted: Iterable[int], nominal: Container[int], labels: LabelLists
) -> list[tuple[int, int]]:
    """Pairs of a column and of a label that it determines, among the wanted columns.

    `columns` are the lines of a table; a threshold cuts those that are not nominal.
    """
    targets, of_target = _rarer_sides(labels)
    found = []
    for column in wanted:
        cells = _cells(columns, column)
        if cells[0].size < FEWEST_ROWS:
            continue
        if _has_few_values(cells[1], labels.shape[0]):
            predicted = _predicted_by_value(cells, targets)
        elif column not in nominal:
            predicted = _cut_off(cells, targets)
        else:
            continue
        found += [(column, int(of_target[target])) for target in predicted]
    return sorted(found)


def find_nested(labels: LabelLists) -> list[tuple[int, int]]:
    """Pairs of labels of which the first never comes without the second, but not
    the other way round; without rare ones, and without those of all rows.

    Only rows count in which both are known.
    """
    return [
        (label, other)
        for label in np.flatnonzero(labels.n_rows >= FEWEST_ROWS).tolist()
        for other in sorted(labels.common(labels.rows(label), label))
        if labels.n_rows[other] < labels.n_known[other]
        and labels.count(labels.rows(label), other) >= FEWEST_ROWS
        # And the second is in some row in which the first is known not to be.
        and not np.isin(labels.rows(other), labels.possible_rows(label)).all()
    ]


def _rarer_sides(labels: LabelLists) -> tuple[LabelLists, IntArray]:
    """The rows with or without each label, whichever are fewer.

    Who knows one side knows the other. And which labels they are: not the rare ones,
    and none that may be on the rarer side of more than half of the rows.
    """
    n_all, everything = labels.shape[0], np.arange(labels.shape[0])
    rarer = np.minimum(labels.n_rows, labels.n_known - labels.n_rows)
    may_be = rarer + n_all - labels.n_known
    of_target = np.flatnonzero((rarer >= FEWEST_ROWS) & (2 * may_be <= n_all))
    sides = [np.empty(0, dtype=np.int64)]
    for label in of_target.tolist():
        rows = labels.rows(label)
        if 2 * rows.size > labels.n_known[label]:
            rows = np.setdiff1d(everything, labels.possible_rows(label))
        sides.append(rows)
    start, index = np.cumsum([rows.size for rows in sides]), np.concatenate(sides)
    cells = np.ones(index.size, dtype=bool), index, start
    table = sp.csc_array(cells, shape=(n_all, of_target.size)).tocsr()
    return LabelLists(table, labels.unknown[:, of_target]), of_target


def _cells(columns: Matrix, column: int) -> Cells:
    n_rows = columns.shape[1]
    if not sp.issparse(columns):
        return np.arange(n_rows), columns[column]
    stored = slice(columns.indptr[column], columns.indptr[column + 1])
    rows, cells = columns.indices[stored], columns.data[stored]
    if 2 * rows.size < n_rows:  # most are zero
        return rows, cells
    dense = np.zeros(n_rows)
    dense[rows] = cells
    return np.arange(n_rows), dense


def _has_few_values(values: FloatArray, n_rows: int) -> bool:
    most = min(FEW_VALUES, n_rows // FEWEST_ROWS)
    return all(
        (part == part[0]).all() or np.unique(part).size <= most
        for part in (values[:PROBED_CELLS], values)
    )


def _predicted_by_value(cells: Cells, targets: LabelLists) -> Iterator[int]:
    """Targets of which each value has all its rows, or none."""
    n_predicted: Counter[int] = Counter()
    for rows in _by_value(*cells):
        if 2 * rows.size <= targets.shape[0]:
            common = targets.common(rows)
            n_predicted.update({t: targets.count(rows, t) for t in common})
    return (target for target, n in n_predicted.items() if n == targets.n_rows[target])


def _by_value(rows: IntArray, values: FloatArray) -> list[IntArray]:
    """The rows of each value."""
    if (values == values[0]).all():
        return [rows]
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    steps = np.flatnonzero(sorted_values[1:] != sorted_values[:-1])
    return np.split(rows[order], steps + 1)


def _cut_off(cells: Cells, targets: LabelLists) -> Iterator[int]:
    """Targets whose rows are exactly those above, or below, a threshold."""
    for sign in (1.0, -1.0):
        rows, values = cells[0], sign * cells[1]
        if rows.size < targets.shape[0]:  # zero, which most have, is the other side
            rows, values = rows[values > 0], values[values > 0]
        if values.size < FEWEST_ROWS:
            continue
        farthest = np.argpartition(values, -FEWEST_ROWS)[-FEWEST_ROWS:]
        for target in targets.common(rows[farthest]):
            inside = np.isin(rows, targets.rows(target))
            outside = ~inside & ~np.isin(rows, targets.unknown_rows(target))
            nearest = values[outside].max(initial=-np.inf)
            is_whole = inside.sum() == targets.n_rows[target]
            if is_whole and values[inside].min() > nearest:
                yield target
