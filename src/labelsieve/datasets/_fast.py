"""Hands the usual rows of large files to the kernels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.typing import ByteArray
from labelsieve.datasets._columns import Plan
from labelsieve.datasets._tables import DenseTable, SparseRows, SparseTable

if TYPE_CHECKING:
    from labelsieve.datasets._kernels import Books, Entries

# Where a kernel stopped; how many rows, feature and label entries it read.
Stop = tuple[int, int, int, int]

# Below this size the careful readers are done before numba would be loaded.
WORTHWHILE_BYTES = 200_000

# How much text of a sparse file is read at once: scratch memory is bounded by it.
_CHUNK = 1 << 17

# ByteArray that a word of a kernel's book may not hold: where they occur the careful
# reader decides.
_SPECIAL = frozenset(" \t\r\n,;{}'\"%\\?")


class FastReader:
    """The kernels, with the tables that one file's columns ask for."""

    def __init__(self, plan: Plan, data: bytearray) -> None:
        self.plan = plan
        self.text = np.frombuffer(data, dtype=np.uint8)
        self.data = data

    def dense(self, table: DenseTable, start: int, marks: str, empty: bool) -> int:
        """Read rows until one is not usual; return where that one starts.

        `marks` are the separator and what starts a comment line, if anything; `empty`
        says whether an empty cell is a missing value.
        """
        from labelsieve.datasets._kernels import read_dense

        separator, comment = ord(marks[0]), ord(marks[1:] or "\0")
        stop, table.rows = read_dense(
            self.text,
            start,
            table.rows,
            np.array([separator, comment, empty], dtype=np.uint8),
            self._books,
            table.X,
            table.Y,
        )
        return int(stop)

    def sparse(self, table: SparseTable, start: int) -> int:
        """Read rows until one is not usual; return where that one starts."""
        from labelsieve.datasets._kernels import read_sparse

        def kernel(text: ByteArray, start: int, end: int, entries: Entries) -> Stop:
            return read_sparse(text, start, end, self._books, entries)

        return read_chunks(self.data, start, table, kernel)

    @cached_property
    def _books(self) -> Books:
        return _write_books(self.plan)


def read_chunks(
    data: bytearray,
    start: int,
    table: SparseRows,
    kernel: Callable[[ByteArray, int, int, Entries], Stop],
) -> int:
    """Hand some lines at a time to a kernel of sparse rows; return where it stopped."""
    text = np.frombuffer(data, dtype=np.uint8)
    entries = _room_for(_CHUNK)
    while start < len(data):
        end = data.find(b"\n", start + _CHUNK) + 1 or len(data)
        if end - start > 2 * _CHUNK:
            entries = _room_for(end - start)
        stop, *counts = kernel(text, start, end, entries)
        table.extend(entries, *counts)
        if stop < end:
            return int(stop)
        start = end
    return start


def _room_for(size: int) -> Entries:
    """Return room for twice as many bytes: no row or entry takes less than two."""
    from labelsieve.datasets._kernels import Entries

    rows = entries = size + 1
    return Entries(
        np.empty(rows, dtype=np.int64),
        np.empty(entries, dtype=np.int32),
        np.empty(entries, dtype=np.float64),
        np.empty(rows, dtype=np.int64),
        np.empty(entries, dtype=np.int32),
    )


def _write_books(plan: Plan) -> Books:
    """Lay out the categories of all columns; equal declarations share a book."""
    from labelsieve.datasets._kernels import Books

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
    digits = np.full(10 * len(numbers), -1.0)
    for book, (first, last) in enumerate(pairwise(books)):
        for word, value in words[first:last]:
            if len(word) == 1 and word.isdigit():
                digits[10 * book + int(word)] = value
    letters = b"".join(word for word, _ in words)
    starts = np.cumsum([0, *(len(word) for word, _ in words)])
    return Books(
        kinds,
        plan.targets,
        digits,
        np.array(books, dtype=np.int64),
        starts.astype(np.int64),
        np.frombuffer(letters or b"\0", dtype=np.uint8),
        np.array([value for _, value in words], dtype=np.float64),
    )
