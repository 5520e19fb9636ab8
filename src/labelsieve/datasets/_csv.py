"""Reads CSV and TSV files: a line of names, then rows."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterable, Iterator

import numpy as np

from labelsieve._utils.messages import reached
from labelsieve.datasets._columns import (
    AS_TARGETS,
    SIGNED,
    ReadPlan,
    Source,
    SourceColumn,
    choose_labels,
    is_same_cell,
    number_in,
)
from labelsieve.datasets._dataset import Dataset, Schema, first_repeated, with_features
from labelsieve.datasets._nominal import make_labels
from labelsieve.datasets._places import FormatError, shorten
from labelsieve.datasets._tables import CellReader, DenseTable, read_lines

DELIMITERS = ",\t;"

_QUOTED = re.compile(r'"[^"]*"?')
_BEGINNING = 1 << 16
# As pandas reads them, and what Weka writes.
_MISSING = frozenset(
    ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
)
# A label takes few values; what takes more is none.
_MAX_LABEL_VALUES = 8


def read_csv(source: Source, schema: Schema | None) -> Dataset:
    """Read a file with labels as the caller or its schema says."""
    path, separator = source.path, source.separator
    rows = _Rows(source)
    if source.labels is None and schema is not None:
        if rows.names != [*schema.features, *schema.labels]:
            raise FormatError(path, 1, None, "the names are not those of the schema")
        known, split = schema.categories, len(schema.features)
        columns = [SourceColumn(name, known.get(name)) for name in rows.names]
        is_label = np.arange(len(columns)) >= split
        is_label &= not schema.target_types  # which are read as features are
        words = {word for values in known.values() for word in values}
        plan = ReadPlan(columns, is_label, path, unknown=rows.unknown)
        table = _read_rows(rows, plan, (_MISSING - words) | {schema.missing})
        Y = table.X[:, split:] if schema.target_types else table.Y
        return schema.apply(table.X[:, :split], Y, path)
    # A frame writes its index before all other columns, without a name.
    first = int(rows.names[0] == "" and len(rows.names) > 1)
    chosen = choose_labels(rows.names[first:], source.labels, path, source.separator)
    is_label = np.concatenate([np.zeros(first, dtype=bool), chosen])
    chosen, is_tags = is_label, np.zeros_like(is_label)
    if separator is not None:
        is_label, is_tags = is_tags, is_tags if separator == AS_TARGETS else is_label
    numbers: DenseTable | None = None
    if not is_tags.any() and source.unknown is None:  # perhaps nothing but numbers
        plan = ReadPlan(list(map(SourceColumn, rows.names)), is_label, path)
        with contextlib.suppress(FormatError):  # which the other way finds, too
            numbers = _read_rows(rows, plan, _MISSING)
    dataset = (numbers or _read_mixed(rows, is_label, is_tags)).finish(source.name)
    if first:
        dataset = with_features(dataset, range(1, dataset.X.shape[1]))
    if separator is None:
        return dataset
    tags = [rows.names[index] for index in np.flatnonzero(chosen)]
    return make_labels(dataset, dict.fromkeys(tags, separator), path)


class _Rows:
    """The records of a file, with their lines."""

    def __init__(self, source: Source) -> None:
        self.data, self.path = data, path = source.data, source.path
        self.unknown = source.unknown
        # What occurs most often in the first record.
        beginning = data[:_BEGINNING].decode("utf-8", "ignore")
        first = _QUOTED.sub("", beginning).partition("\n")[0]
        self.delimiter = max(DELIMITERS, key=first.count)
        self.start, self.first_line, self.names = 0, 1, []
        self.part = (0.0, 1.0)  # of all the reading, what one look at the rows is
        for line, cells in self:
            self.names = cells
            self.first_line = line + 1
            break
        for _ in range(self.first_line - 1):
            self.start = data.find(b"\n", self.start) + 1 or len(data)
        repeated = first_repeated(self.names)
        if not self.names or repeated is not None:
            reason = "the file is empty"
            if repeated is not None:
                reason = f"the column name {shorten(repeated)} occurs twice"
            raise FormatError(path, 1, None, reason)

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line on which each record ends, and its cells."""
        return self.records(self._lines(), self.first_line)

    def records(
        self, lines: Iterable[str], first: int
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield the records of some lines, with the line on which each ends."""
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            for cells in reader:
                if any(cell.strip(" \t") for cell in cells) or len(cells) > 1:
                    yield first + reader.line_num - 1, cells
        except csv.Error as error:
            line = first + reader.line_num - 1
            raise FormatError(self.path, line, None, str(error)) from None

    def check_width(self, line: int, cells: list[str]) -> None:
        if len(cells) != len(self.names):
            reason = f"the row has {len(cells)} cells, expected {len(self.names)}"
            raise FormatError(self.path, line, None, reason)

    def _lines(self) -> Iterator[str]:
        start = self.start
        from_share, to_share = self.part
        per_byte = (to_share - from_share) / max(1, len(self.data))
        while start < len(self.data):
            end = self.data.find(b"\n", start) + 1 or len(self.data)
            yield self.data[start:end].decode()
            start = end
            reached(from_share + per_byte * end)


def _read_mixed(rows: _Rows, is_label: np.ndarray, is_tags: np.ndarray) -> DenseTable:
    """Look once to see which columns hold numbers, and read then."""
    numeric = (~is_tags).tolist()
    values: list[dict[str, None]] = [{} for _ in rows.names]
    rows.part = (0.0, 0.5)
    for line, cells in rows:
        rows.check_width(line, cells)
        for index, cell in enumerate(cells):
            cell = cell.strip(" \t")
            is_unknown = rows.unknown is not None and is_same_cell(cell, rows.unknown)
            if is_label[index] and is_unknown:
                continue
            if is_label[index] and len(values[index]) <= _MAX_LABEL_VALUES:
                values[index][cell] = None
            if numeric[index] and cell not in _MISSING:
                numeric[index] = number_in(cell) is not None
    columns = []
    for index, name in enumerate(rows.names):
        column = SourceColumn(name, is_text=not numeric[index])
        column.holds_tags = bool(is_tags[index])
        known = values[index].keys() - _MISSING
        signed = bool(known) and known <= SIGNED.keys()
        if is_label[index] and (column.is_text or signed):
            column = SourceColumn(name, tuple(sorted(known)))
        columns.append(column)
    plan = ReadPlan(columns, is_label, rows.path, unknown=rows.unknown)
    rows.part = (0.5, 1.0)
    return _read_rows(rows, plan, _MISSING)


def _read_rows(rows: _Rows, plan: ReadPlan, missing: frozenset[str]) -> DenseTable:
    table = DenseTable(plan, rows.data, rows.start)
    # No tags at all are not missing.
    missing_in = [missing - {""} if c.holds_tags else missing for c in plan.columns]
    known = [frozenset(column.categories or ()) for column in plan.columns]
    # Blanks around a cell count only where a category has them.
    has_blanks = any(word != word.strip(" \t") for words in known for word in words)
    blanks = " \t\r".replace(rows.delimiter, "")
    reader = CellReader(plan, missing_in)

    def read_usual(lines: list[str]) -> bool:
        usual = [line.removesuffix("\r") for line in lines if line.strip(blanks)]
        if has_blanks or any("\r" in line for line in usual):
            return False
        values = reader.read(usual, rows.delimiter)
        if values is None:
            return False
        table.extend(values)
        return True

    def add(records: Iterable[tuple[int, list[str]]]) -> None:
        for line, cells in records:
            rows.check_width(line, cells)
            values = []
            for index, cell in enumerate(cells):
                cell = cell if cell in known[index] else cell.strip(" \t")
                is_missing = cell in missing_in[index]
                values.append(
                    np.nan if is_missing else plan.decode(index, cell, line, index + 1)
                )
            table.add(values, None)

    if b'"' in rows.data:  # a record may go on in the next line
        add(rows)
    else:
        read_lines(
            *(rows.data, rows.start, rows.first_line, read_usual),
            lambda text, number: add(rows.records([text], number)),
            rows.part,
        )
    if table.rows == 0:
        raise FormatError(rows.path, rows.first_line, None, "there is no row")
    table.trim()
    return table
