"""Reads ARFF files, dense and sparse."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import (
    ArffHeader,
    read_header,
    read_word,
    skip_blanks,
)
from labelsieve.datasets._columns import Plan, parse_number
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError, shorten
from labelsieve.datasets._nominal import make_labels
from labelsieve.datasets._tables import (
    CellReader,
    DenseTable,
    Digits,
    SparseTable,
    plain_pairs,
    read_lines,
)

# What only the careful reader understands.
_QUOTES = re.compile(r"['\"{}]")
_ODD_BLANKS = re.compile(r"[^ \t,][ \t]+[^ \t,]|(?:^|,)[ \t]*(?:,|$)")

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
    careful, cells = RowReader(plan), CellReader(plan, [{"?"}] * len(plan.columns))

    def read_usual(lines: list[str]) -> bool:
        rows = _rows_in(lines)
        text = ",".join(rows)
        if _QUOTES.search(text):
            return False
        if (" " in text or "\t" in text) and _ODD_BLANKS.search(text):
            return False
        values = cells.read(rows, ",")
        if values is None:
            return False
        table.extend(values)
        return True

    def add(line: str, number: int) -> None:
        if _rows_in([line]):
            table.add(*careful.dense(line, number))

    read_lines(data, header.data_start, header.data_line, read_usual, add)
    return table


def _read_sparse(data: bytearray, plan: Plan, header: ArffHeader) -> SparseTable:
    table, careful = SparseTable(plan), RowReader(plan)
    digits = Digits(plan)

    def read_usual(lines: list[str]) -> bool:
        rows = [row.strip(" \t") for row in _rows_in(lines)]
        inner = [row[1:-1].strip(" \t") for row in rows]
        if any(row[0] + row[-1] != "{}" for row in rows):
            return False
        text = ",".join(filter(None, inner)).replace(", ", ",")
        try:
            columns, numbers, lengths = plain_pairs(text, " ")
            values = digits.decode(columns, numbers, lengths)
        except (IndexError, ValueError):
            return False
        counts = [row.count(",") + 1 if row else 0 for row in inner]
        return table.extend_columns(counts, columns, values)

    def add(line: str, number: int) -> None:
        if _rows_in([line]):
            table.add(*careful.sparse(line, number))

    read_lines(data, header.data_start, header.data_line, read_usual, add)
    return table


def _rows_in(lines: list[str]) -> list[str]:
    """The lines that are neither blank nor comments."""
    rows = (line.rstrip("\r") for line in lines)
    return [row for row in rows if row.lstrip(" \t")[:1] not in ("", "%")]


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


MISSING = float("nan")

# A weight in braces, after a comma or not. One blank can match in one place only.
_WEIGHT = re.compile(r"(?:,[ \t]*)?\{[ \t]*([^{} \t]*)[ \t]*\}[ \t]*")
_SPECIAL = frozenset("'\"{} \t")


class RowReader:
    """Reads one line at a time and names line and column of what is wrong."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def dense(self, line: str, number: int) -> tuple[list[float], float | None]:
        """Read ``a,b,c``, perhaps followed by ``,{weight}``."""
        width = len(self.plan.columns)
        if line.count(",") == width - 1 and _SPECIAL.isdisjoint(line):
            at = 0
            values = []
            for column, cell in enumerate(line.split(",")):
                values.append(self._decode(column, cell, False, number, at))
                at += len(cell) + 1
            return values, None
        return self._dense_quoted(line, number)

    def sparse(self, line: str, number: int) -> tuple[dict[int, float], float | None]:
        """Read ``{index value, index value}``, perhaps followed by ``,{weight}``."""
        at = skip_blanks(line, 0)
        if line[at] != "{":
            raise self._error(number, at, "a row without braces in a sparse file")
        values: dict[int, float] = {}
        at = skip_blanks(line, at + 1)
        if line[at : at + 1] == "}":
            return values, self._weight(line, at + 1, number)
        while True:
            at = self._entry(line, at, number, values)
            at = skip_blanks(line, at)
            mark = line[at : at + 1]
            if mark == "}":
                return values, self._weight(line, at + 1, number)
            if mark != ",":
                reason = f"expected a comma or a brace, got {_show(line, at)}"
                raise self._error(number, at, reason)
            at = skip_blanks(line, at + 1)

    def _dense_quoted(self, line: str, number: int) -> tuple[list[float], float | None]:
        values: list[float] = []
        width = len(self.plan.columns)
        at = skip_blanks(line, 0)
        while True:
            word, end, quoted = self._word(line, at, number, ", \t{}")
            if not (word or quoted):
                reason = f"expected a value, got {_show(line, at)}"
                raise self._error(number, at, reason)
            if len(values) == width:
                reason = f"the row has more than the {width} declared values"
                raise self._error(number, at, reason)
            values.append(self._decode(len(values), word, quoted, number, at))
            at = skip_blanks(line, end)
            if len(values) == width and (at == len(line) or "{" in line[at:]):
                return values, self._weight(line, at, number)
            at = self._next_value(line, end, at, number, len(values))

    def _next_value(self, line: str, end: int, at: int, number: int, count: int) -> int:
        """Step over a comma, or over blanks that hold a tab."""
        if at == len(line):
            reason = f"the row has {count} values, expected {len(self.plan.columns)}"
            raise self._error(number, at, reason)
        if line[at] == ",":
            return skip_blanks(line, at + 1)
        if "\t" in line[end:at]:
            return at
        raise self._error(number, at, f"expected a comma, got {_show(line, at)}")

    def _entry(self, line: str, at: int, number: int, values: dict[int, float]) -> int:
        """Read ``index value`` and return where it ends."""
        word, end, _ = self._word(line, at, number, ", \t{}")
        width = len(self.plan.columns)
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            reason = f"expected the index of an attribute, got {shorten(word)}"
            raise self._error(number, at, reason)
        index = int(word)
        if index >= width:
            reason = f"index {index}, but there are only {width} attributes from 0"
            raise self._error(number, at, reason)
        if index in values:
            raise self._error(number, at, f"index {index} occurs twice in the row")
        start = skip_blanks(line, end)
        word, end_of_value, quoted = self._word(line, start, number, ", \t{}")
        if start == end or not (word or quoted):
            reason = f"attribute {index} has no value"
            raise self._error(number, start, reason)
        values[index] = self._decode(index, word, quoted, number, start)
        return end_of_value

    def _weight(self, line: str, at: int, number: int) -> float | None:
        """Read the rest of a row: nothing, or the weight of the row in braces."""
        at = skip_blanks(line, at)
        if at == len(line):
            return None
        match = _WEIGHT.fullmatch(line, at)
        if match is None:
            reason = f"unexpected text after the row: {shorten(line[at:])}"
            raise self._error(number, at, reason)
        return self._number(match[1], number, match.start(1))

    def _number(self, text: str, number: int, at: int) -> float:
        try:
            return parse_number(text)
        except ValueError as error:
            reason = f"the weight {shorten(text)} is {error}"
            raise self._error(number, at, reason) from None

    def _decode(
        self, column: int, word: str, quoted: bool, number: int, at: int
    ) -> float:
        plan = self.plan
        if word == "?" and not quoted:
            return MISSING
        try:
            return plan.decoders[column](word)
        except ValueError as error:
            name = shorten(plan.columns[column].name)
            reason = f"{shorten(word)} in attribute {name}: {error}"
            raise self._error(number, at, reason) from None

    def _word(
        self, line: str, at: int, number: int, stops: str
    ) -> tuple[str, int, bool]:
        try:
            return read_word(line, at, stops)
        except ValueError as error:
            raise self._error(number, at, str(error)) from None

    def _error(self, number: int, at: int, reason: str) -> FormatError:
        return FormatError(self.plan.path, number, at + 1, reason)


def _show(line: str, at: int) -> str:
    return shorten(line[at : at + 10]) if at < len(line) else "the end of the line"
