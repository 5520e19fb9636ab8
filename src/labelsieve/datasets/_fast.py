"""Hands the usual rows of large files to the kernels."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from labelsieve.datasets._columns import Plan
from labelsieve.datasets._tables import DenseTable, SparseTable

if TYPE_CHECKING:
    from labelsieve.datasets._kernels import Books

# Below this size the careful readers are done before numba would be loaded.
WORTHWHILE_BYTES = 200_000

# How much text of a sparse file is read at once: scratch memory is bounded by it.
_CHUNK = 1 << 20

# Bytes that a word of a kernel's book may not hold: where they occur the careful
# reader decides.
_SPECIAL = frozenset(" \t\r\n,;{}'\"%\\?")


class FastReader:
    """The kernels, with the tables that one file's columns ask for."""

    def __init__(self, plan: Plan, data: bytearray) -> None:
        self.plan = plan
        self.text = np.frombuffer(data, dtype=np.uint8)
        self.data = data

    def dense(
        self, table: DenseTable, start: int, separator: str, comment: str, empty: bool
    ) -> int:
        """Read rows until one is not usual; return where that one starts."""
        from labelsieve.datasets._kernels import read_dense

        marks = [ord(separator), ord(comment or "\0"), empty]
        stop, table.rows = read_dense(
            self.text,
            start,
            table.rows,
            np.array(marks, dtype=np.uint8),
            self._books,
            table.X.view(np.uint64),
            table.Y,
        )
        return int(stop)

    def sparse(self, table: SparseTable, start: int) -> int:
        """Read rows until one is not usual; return where that one starts."""
        while start < len(self.data):
            end = self.data.find(b"\n", start + _CHUNK) + 1 or len(self.data)
            stop = self._sparse_chunk(table, start, end)
            if stop < end:
                return stop
            start = end
        return start

    def _sparse_chunk(self, table: SparseTable, start: int, end: int) -> int:
        from labelsieve.datasets._kernels import Entries, read_sparse

        max_rows = self.data.count(b"\n", start, end) + 1
        max_entries = self.data.count(b",", start, end) + max_rows
        entries = Entries(
            np.empty(max_rows, dtype=np.int64),
            np.empty(max_entries, dtype=np.int32),
            np.empty(max_entries, dtype=np.uint64),
            np.empty(max_rows, dtype=np.int64),
            np.empty(max_entries, dtype=np.int32),
        )
        stop, rows, x_total, y_total = read_sparse(
            self.text[:end], start, self._books, entries
        )
        table.extend(
            entries.x_counts[:rows],
            entries.x_columns[:x_total],
            entries.x_values[:x_total],
            entries.y_counts[:rows],
            entries.y_columns[:y_total],
        )
        return int(stop)

    @cached_property
    def _books(self) -> Books:
        return _write_books(self.plan)


def _write_books(plan: Plan) -> Books:
    """Lay out the categories of all columns; equal declarations share a book."""
    from labelsieve.datasets._kernels import Books, powers_of_five

    kinds = np.full(len(plan.columns), -1, dtype=np.int64)
    numbers: dict[tuple[tuple[str, ...], bool], int] = {}
    words: list[tuple[bytes, float]] = []
    books = [0]
    for index, column in enumerate(plan.columns):
        if column.categories is None:
            continue
        key = column.categories, bool(plan.is_label[index])
        if key not in numbers:
            numbers[key] = len(numbers)
            words += sorted(
                (text.encode(), value)
                for text, value in plan.codes(index).items()
                if text and _SPECIAL.isdisjoint(text)
            )
            books.append(len(words))
        kinds[index] = numbers[key]
    letters = b"".join(word for word, _ in words)
    starts = np.cumsum([0, *(len(word) for word, _ in words)])
    return Books(
        kinds,
        plan.targets,
        np.array(books, dtype=np.int64),
        starts.astype(np.int64),
        np.frombuffer(letters or b"\0", dtype=np.uint8),
        np.array([value for _, value in words], dtype=np.float64).view(np.uint64),
        powers_of_five(),
    )
