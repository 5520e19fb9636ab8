"""Reads ARFF files, dense and sparse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import ArffHeader, read_header
from labelsieve.datasets._arff_rows import RowReader
from labelsieve.datasets._columns import Plan
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._fast import WORTHWHILE_BYTES, FastReader
from labelsieve.datasets._lines import read_lines
from labelsieve.datasets._tables import DenseTable, SparseTable
from labelsieve.datasets._tags import make_labels

# Says which columns are labels, given the declarations.
Chooser = Callable[[ArffHeader], NDArray[np.bool_]]


def read_arff(
    data: bytearray,
    path: str,
    name: str,
    choose: Chooser,
    separator: str | None = None,
    unknown: str | None = None,
) -> Dataset:
    """Read an ARFF file whose labels, or columns of tags, `choose` points out.

    `unknown` stands for a label that is not known, beside a question mark.
    """
    header = read_header(data, path)
    first = _first_row(data, header.data_start)
    is_sparse = data[first : first + 1] == b"{"
    chosen = choose(header)
    is_label = chosen if separator is None else np.zeros_like(chosen)
    for index in np.flatnonzero(chosen & ~is_label):
        header.columns[index].holds_tags = True
    plan = Plan(header.columns, is_label, path, is_sparse, unknown)
    table = (_read_sparse if is_sparse else _read_dense)(data, plan, header)
    if table.rows == 0:
        raise FormatError(path, header.data_line, None, "there is no row after @data")
    dataset = table.finish(header.relation if header.is_ours else name)
    if separator is None:
        return dataset
    tags = [header.columns[index].name for index in np.flatnonzero(chosen)]
    return make_labels(dataset, dict.fromkeys(tags, separator), path)


def _read_dense(data: bytearray, plan: Plan, header: ArffHeader) -> DenseTable:
    table = DenseTable(plan, _most_rows(data, plan, header.data_start))
    careful, fast = RowReader(plan), _fast_reader(data, plan, header.data_start)
    read_usual = partial(fast.dense, table, marks=",%", empty=False) if fast else None

    def add(line: str, number: int) -> None:
        table.add(*careful.dense(line, number))

    _walk(data, header, read_usual, add)
    return table


def _read_sparse(data: bytearray, plan: Plan, header: ArffHeader) -> SparseTable:
    table = SparseTable(plan)
    careful, fast = RowReader(plan), _fast_reader(data, plan, header.data_start)
    read_usual = partial(fast.sparse, table) if fast else None

    def add(line: str, number: int) -> None:
        table.add(*careful.sparse(line, number))

    _walk(data, header, read_usual, add)
    return table


def _walk(
    data: bytearray,
    header: ArffHeader,
    read_usual: Callable[[int], int] | None,
    add: Callable[[str, int], None],
) -> None:
    """Read all rows; `add` takes those that the kernel does not, without comments."""

    def add_row(line: str, number: int) -> None:
        row = line.lstrip(" \t")
        if row and row[0] != "%":
            add(line, number)

    read_lines(data, header.data_start, header.data_line, read_usual, add_row)


def _fast_reader(data: bytearray, plan: Plan, start: int) -> FastReader | None:
    if len(data) - start < WORTHWHILE_BYTES or plan.unknown is not None:
        return None
    if any(column.is_text or column.parse_date for column in plan.columns):
        return None
    return FastReader(plan, data)


def _most_rows(data: bytearray, plan: Plan, start: int) -> int:
    lines = data.count(b"\n", start) + 1
    # A row takes a character and a comma for each value.
    return min(lines, (len(data) - start + 1) // (2 * len(plan.columns)))


def _first_row(data: bytearray, start: int) -> int:
    """Return the offset of the first character of the first row."""
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        line = data[start:end]
        if line.strip() and line.lstrip()[:1] != b"%":
            return start + len(line) - len(line.lstrip())
        start = end
    return start
