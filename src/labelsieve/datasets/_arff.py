"""Reads ARFF files, dense and sparse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import ArffHeader, read_header
from labelsieve.datasets._arff_rows import RowReader
from labelsieve.datasets._columns import Plan
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._fast import WORTHWHILE_BYTES, FastReader
from labelsieve.datasets._tables import DenseTable, SparseTable

# Says which columns are labels, given the declarations.
Chooser = Callable[[ArffHeader], NDArray[np.bool_]]


def read_arff(data: bytearray, path: str, name: str, choose: Chooser) -> Dataset:
    """Read an ARFF file whose labels `choose` points out."""
    header = read_header(data, path)
    first = _first_row(data, header.data_start)
    is_sparse = data[first : first + 1] == b"{"
    plan = Plan(header.columns, choose(header), path, is_sparse)
    reader = (_SparseRows if is_sparse else _DenseRows)(data, plan, header)
    reader.read(header.data_start, header.data_line)
    if reader.table.rows == 0:
        raise FormatError(path, header.data_line, None, "there is no row after @data")
    return reader.table.finish(header.relation if header.is_ours else name)


class _DenseRows:
    """Kernel for the usual rows, careful reader for the others."""

    def __init__(self, data: bytearray, plan: Plan, header: ArffHeader) -> None:
        self.data = data
        self.careful = RowReader(plan)
        self.table = self._new_table(plan, len(data) - header.data_start)
        unusual = any(column.is_text or column.parse_date for column in plan.columns)
        worthwhile = len(data) - header.data_start >= WORTHWHILE_BYTES
        self.fast = FastReader(plan, data) if worthwhile and not unusual else None

    def _new_table(self, plan: Plan, size: int) -> DenseTable:
        lines = self.data.count(b"\n", len(self.data) - size) + 1
        # A row takes a character and a comma for each value.
        return DenseTable(plan, min(lines, (size + 1) // (2 * len(plan.columns))))

    def read(self, start: int, number: int) -> None:
        """Read all rows from a byte offset, which is the start of line `number`."""
        data = self.data
        while start < len(data):
            if self.fast:
                stop = self._skip_usual(self.fast, start)
                number += data.count(b"\n", start, stop)
                start = stop
            end = data.find(b"\n", start) + 1 or len(data)
            line = data[start:end].decode().rstrip("\r\n")
            if line.strip(" \t") and line.lstrip(" \t")[0] != "%":
                self._add(line, number)
            start, number = end, number + 1

    def _skip_usual(self, fast: FastReader, start: int) -> int:
        return fast.dense(self.table, start, ",", "%", False)

    def _add(self, line: str, number: int) -> None:
        self.table.add(*self.careful.dense(line, number))


class _SparseRows(_DenseRows):
    """The same for rows in braces."""

    table: SparseTable  # type: ignore[assignment]

    def _new_table(self, plan: Plan, size: int) -> SparseTable:  # type: ignore[override]
        return SparseTable(plan)

    def _skip_usual(self, fast: FastReader, start: int) -> int:
        return fast.sparse(self.table, start)

    def _add(self, line: str, number: int) -> None:
        self.table.add(*self.careful.sparse(line, number))


def _first_row(data: bytearray, start: int) -> int:
    """Return the offset of the first character of the first row."""
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        line = data[start:end]
        if line.strip() and line.lstrip()[:1] != b"%":
            return start + len(line) - len(line.lstrip())
        start = end
    return start
