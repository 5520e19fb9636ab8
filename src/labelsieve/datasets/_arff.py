"""Reads ARFF files, dense and sparse, whose labels Mulan's XML or MEKA's -C names."""

from __future__ import annotations

import os
import re
from typing import NoReturn
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from labelsieve.datasets._arff_header import VALUE, ArffHeader, Cursor, read_header
from labelsieve.datasets._columns import (
    AS_TARGETS,
    ReadPlan,
    Source,
    choose_labels,
    parse_label,
    parse_number,
)
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._nominal import make_labels
from labelsieve.datasets._places import (
    FormatError,
    Place,
    fault,
    first_row,
    locate,
    refuse_unfinished,
    shorten,
    sibling,
)
from labelsieve.datasets._tables import (
    CellReader,
    Decoded,
    DenseTable,
    SparseTable,
    in_order,
    plain_pairs,
    read_lines,
)

# What only the careful reader understands.
_QUOTES = re.compile(r"['\"{}]")
_ODD_BLANKS = re.compile(r"[^ \t,][ \t]+[^ \t,]|(?:^|,)[ \t]*(?:,|$)")


def read_arff(source: Source, place: Place, name: str) -> Dataset:
    """Read the ARFF file of this name, which may have others beside it."""
    data, path, separator = source.data, source.path, source.separator
    header = read_header(data, path)
    is_sparse = first_row(data, header.data_start).startswith(b"{")
    chosen = _choose_labels(place, name, source, header)
    is_label = chosen if separator is None else np.zeros_like(chosen)
    for index in np.flatnonzero(chosen & ~is_label):
        header.columns[index].holds_tags = separator != AS_TARGETS
    plan = ReadPlan(header.columns, is_label, path, is_sparse, source.unknown)
    table = (_read_sparse if is_sparse else _read_dense)(data, plan, header)
    if table.rows == 0:
        raise FormatError(path, header.data_line, None, "there is no row after @data")
    dataset = table.finish(header.relation if header.is_ours else source.name)
    if separator is None:
        return dataset
    tags = [header.columns[index].name for index in np.flatnonzero(chosen)]
    return make_labels(dataset, dict.fromkeys(tags, separator), path)


def _read_dense(data: bytearray, plan: ReadPlan, header: ArffHeader) -> DenseTable:
    table = DenseTable(plan, data, header.data_start)
    cells = CellReader(plan, [{"?"}] * len(plan.columns))

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
            table.add(*_dense_row(Cursor(line, number, plan.path), plan))

    read_lines(data, header.data_start, header.data_line, read_usual, add)
    return table


def _read_sparse(data: bytearray, plan: ReadPlan, header: ArffHeader) -> SparseTable:
    table = SparseTable(plan)
    plain = (parse_number, parse_label)
    is_number = np.array([decode in plain for decode in plan.decoders])

    def decode(entry: str) -> float:
        index, _, word = entry.partition(" ")
        return plan.decoders[int(index)](word)

    decoded = Decoded(decode, ())

    def read_usual(lines: list[str]) -> bool:
        rows = [row.strip(" \t") for row in _rows_in(lines)]
        inner = [row[1:-1].strip(" \t") for row in rows]
        if any(row[0] + row[-1] != "{}" for row in rows):
            return False
        text = ",".join(filter(None, inner)).replace(", ", ",")
        try:
            columns, values = plain_pairs(text, " ")
            nominal, entries = np.flatnonzero(~is_number[columns]), text.split(",")
            values[nominal] = [decoded[entries[at]] for at in nominal.tolist()]
            labels = values[plan.is_label[columns]]
            if not np.isin(labels, (0, 1)).all():
                return False
            counts = [row.count(",") + 1 if row else 0 for row in inner]
            rows_of = np.repeat(np.arange(len(inner)), counts)
            table.extend(len(inner), *in_order(rows_of, columns, values))
        except (LookupError, ValueError):
            return False
        return True

    def add(line: str, number: int) -> None:
        if _rows_in([line]):
            table.add(*_sparse_row(Cursor(line, number, plan.path), plan))

    read_lines(data, header.data_start, header.data_line, read_usual, add)
    return table


def _rows_in(lines: list[str]) -> list[str]:
    """The lines that are neither blank nor comments."""
    rows = (line.rstrip("\r") for line in lines)
    return [row for row in rows if row.lstrip(" \t")[:1] not in ("", "%")]


# A weight in braces, after a comma or not. One blank can match in one place only.
_WEIGHT = re.compile(r"(?:,[ \t]*)?\{[ \t]*([^{} \t]*)[ \t]*\}[ \t]*")


def _dense_row(cursor: Cursor, plan: ReadPlan) -> tuple[list[float], float | None]:
    """Read ``a,b,c``, perhaps followed by ``,{weight}``."""
    values: list[float] = []
    width = len(plan.columns)
    cursor.skip()
    while True:
        if len(values) == width:
            raise cursor.error(f"the row has more than the {width} declared values")
        values.append(_read_value(cursor, plan, len(values)))
        end = cursor.at
        mark = cursor.skip()
        if len(values) == width and (not mark or "{" in cursor.line[cursor.at :]):
            return values, _read_weight(cursor)
        if not mark:
            raise cursor.error(f"the row has {len(values)} values, expected {width}")
        if mark == ",":
            cursor.at += 1
            cursor.skip()
        elif "\t" not in cursor.line[end : cursor.at]:  # which separates, too
            raise cursor.error(f"expected a comma, got {cursor.shown()}")


def _sparse_row(
    cursor: Cursor, plan: ReadPlan
) -> tuple[dict[int, float], float | None]:
    """Read ``{index value, index value}``, perhaps followed by ``,{weight}``."""
    if cursor.skip() != "{":
        raise cursor.error("a row without braces in a sparse file")
    values: dict[int, float] = {}
    cursor.at += 1
    mark = cursor.skip()
    while mark != "}":
        index = _read_index(cursor, len(plan.columns), values)
        values[index] = _read_value(cursor, plan, index)
        mark = cursor.skip()
        if mark == ",":
            cursor.at += 1
            cursor.skip()
        elif mark != "}":
            raise cursor.error(f"expected a comma or a brace, got {cursor.shown()}")
    cursor.at += 1
    return values, _read_weight(cursor)


def _read_index(cursor: Cursor, width: int, values: dict[int, float]) -> int:
    """Read the index of an attribute and the blanks behind it."""
    start = cursor.at
    word, _ = cursor.word(VALUE)
    if not (word.isascii() and word.isdigit() and len(word) < 19):
        reason = f"expected the index of an attribute, got {shorten(word)}"
        raise cursor.error(reason, start)
    index, end = int(word), cursor.at
    if index >= width:
        reason = f"index {index}, but there are only {width} attributes from 0"
        raise cursor.error(reason, start)
    if index in values:
        raise cursor.error(f"index {index} occurs twice in the row", start)
    if cursor.skip() in (",", "}", "") or cursor.at == end:
        raise cursor.error(f"attribute {index} has no value")
    return index


def _read_value(cursor: Cursor, plan: ReadPlan, column: int) -> float:
    start = cursor.at
    word, quoted = cursor.word(VALUE)
    if not (word or quoted):
        raise cursor.error(f"expected a value, got {cursor.shown()}")
    if word == "?" and not quoted:
        return np.nan
    return plan.decode(column, word, cursor.number, start + 1)


def _read_weight(cursor: Cursor) -> float | None:
    """Read the rest of a row: nothing, or the weight of the row in braces."""
    if not cursor.skip():
        return None
    match = _WEIGHT.fullmatch(cursor.line, cursor.at)
    if match is None:
        cursor.refuse_rest("row")
        return None
    try:
        return parse_number(match[1])
    except ValueError as error:
        reason = f"the weight {shorten(match[1])} is {error}"
        raise cursor.error(reason, match.start(1)) from None


def _choose_labels(
    place: Place, name: str, source: Source, header: ArffHeader
) -> NDArray[np.bool_]:
    """Labels as the caller, the XML file or the relation says, in this order."""
    path, labels = source.path, source.labels
    names = [column.name for column in header.columns]
    xml = None
    if isinstance(labels, os.PathLike):
        place, xml = locate(labels)
        if xml is None:
            raise fault(place.path_of(""), "expected an XML file")
    elif labels is not None:
        return choose_labels(names, labels, path, source.separator)
    else:
        xml = sibling(place, name, ".xml")
    if xml is not None:
        path = place.path_of(xml)
        wanted = read_label_names(place.read(xml, source.max_bytes), path)
        return choose_labels(names, wanted, path)
    # MEKA: the first n, the last n where n is negative.
    match = (_OUR_COUNT if header.is_ours else _COUNT).search(header.relation)
    if match is not None and header.is_ours:
        header.relation = header.relation[: match.start()]
    return choose_labels(names, None if match is None else int(match[1]), path)


_COUNT = re.compile(r"(?:^|[\s:])-C\s+(-?[0-9]{1,18})(?![0-9])")
# What our own writer appends to the name of the data set, which may hold anything.
_OUR_COUNT = re.compile(r": -C (-?[0-9]{1,18})\Z")
# Deeper nesting is hostile: label hierarchies have a handful of levels.
_MAX_DEPTH = 64


def read_label_names(data: bytearray, path: str) -> list[str]:
    """Return the names of all ``<label name="...">`` elements, nested ones included.

    Document types and entities are refused, so a file of a few bytes can neither grow
    nor make the reader open other files.
    """
    refuse_unfinished(data, path)
    names: dict[str, None] = {}
    depth = 0
    parser = expat.ParserCreate()

    def wrong(reason: str) -> FormatError:
        column = parser.CurrentColumnNumber + 1
        return FormatError(path, parser.CurrentLineNumber, column, reason)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise wrong(f"elements are nested more than {_MAX_DEPTH} deep")
        expected = "labels" if depth == 1 else "label"
        if tag.rpartition(":")[2] != expected:
            raise wrong(f"expected the element {expected}, got {shorten(tag)}")
        if depth == 1:
            return
        name = attributes.get("name")
        if name is None:
            raise wrong("a label has no name")
        if name in names:
            raise wrong(f"the label {shorten(name)} is named twice")
        names[name] = None

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> NoReturn:
        raise wrong("DOCTYPE and entities are refused")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(bytes(data), True)
    except expat.ExpatError as error:
        reason = f"damaged XML: {expat.ErrorString(error.code)}"
        raise FormatError(path, error.lineno, error.offset + 1, reason) from None
    except FormatError:
        raise
    except (LookupError, ValueError) as error:
        raise FormatError(path, 1, None, f"unknown encoding: {error}") from None
    if not names:
        raise fault(path, "the XML file names no label")
    return list(names)
