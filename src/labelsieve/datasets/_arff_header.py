"""The declarations at the top of an ARFF file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from labelsieve._utils.texts import seconds
from labelsieve.datasets._columns import SourceColumn
from labelsieve.datasets._places import FormatError, fault, shorten

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPED = re.compile(r"\\(u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[ntr\\'\"%])")
# Characters that a word may hold without being quoted, in names and values alike.
_PLAIN = re.compile(r"[A-Za-z0-9_.+:/*#~^&|()\[\]<>=;!$@-]+")
_MUST_ESCAPE = re.compile(r"[\\'\"%\x00-\x1f\x7f\x85\u2028\u2029]")
# Possessive, so that ten megabytes of backslashes take neither time nor memory.
_QUOTED = {
    mark: re.compile(rf"{mark}[^{mark}\\]*+(?:\\.[^{mark}\\]*+)*+{mark}", re.DOTALL)
    for mark in "'\""
}
# How far words go that are not quoted.
REST = re.compile(r".*", re.DOTALL)
NAME = re.compile(r"[^ \t{]*")
CATEGORY = re.compile(r"[^, \t}]*")
VALUE = re.compile(r"[^, \t{}]*")


class Cursor:
    """A line of a file and how far it is read; errors name line and column."""

    def __init__(self, line: str, number: int, path: str) -> None:
        self.line, self.number, self.path = line, number, path
        self.at = 0

    def skip(self) -> str:
        """Step over blanks and return the next character, nothing at the end."""
        while self.line[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        return self.line[self.at : self.at + 1]

    def word(self, plain: re.Pattern[str]) -> tuple[str, bool]:
        """Read what `plain` matches, or a word in quotes, and return which it was."""
        quoted = _QUOTED.get(self.line[self.at : self.at + 1])
        match = (quoted or plain).match(self.line, self.at)
        if match is None:
            raise self.error("the quote is not closed")
        self.at = match.end()
        if quoted is None:
            return match[0], False
        return _ESCAPED.sub(_unescape, match[0][1:-1]), True

    def refuse_rest(self, what: str) -> None:
        """FormatError if there is more in the line."""
        if self.skip():
            rest = shorten(self.line[self.at :])
            raise self.error(f"unexpected text after the {what}: {rest}")

    def shown(self) -> str:
        """What comes next, for a message."""
        rest = self.line[self.at : self.at + 10]
        return shorten(rest) if rest else "the end of the line"

    def error(self, reason: str, at: int | None = None) -> FormatError:
        """What is wrong here, or at another place of the line."""
        place = self.at if at is None else at
        return FormatError(self.path, self.number, place + 1, reason)


def quote(text: str) -> str:
    """Write a word so that it is read back as it is."""
    if _PLAIN.fullmatch(text) and not text.startswith("@"):
        return text
    return "'" + _MUST_ESCAPE.sub(_escape, text) + "'"


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in "\\'\"%" else f"\\u{ord(character):04x}"


ISO = "yyyy-MM-dd'T'HH:mm:ss"
_DIRECTIVES = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "a": "%p",
    "EEE": "%a",
    "EEEE": "%A",
    "Z": "%z",
}
# A run of one letter, quoted text, two quotes for one, or anything else.
_PIECE = re.compile(r"([A-Za-z])\1*|'([^']+)'|''|[^A-Za-z']")


def date_parser(pattern: str) -> Callable[[str], float]:
    """Return a function from text to seconds since 1970-01-01 in UTC.

    Raises ValueError for a pattern that has no meaning here.
    """
    directives = _translate(pattern or ISO)

    def parse(text: str) -> float:
        try:
            moment = datetime.strptime(text, directives)
        except (ValueError, OverflowError, re.error):
            raise ValueError(f"not a date of the form {pattern or ISO!r}") from None
        return seconds(moment)

    return parse


def _translate(pattern: str) -> str:
    """Turn ``yyyy-MM-dd`` into ``%Y-%m-%d``."""
    if _PIECE.sub("", pattern):
        raise ValueError(f"the date format {pattern!r} has an open quote")
    pieces: list[str] = []
    for match in _PIECE.finditer(pattern):
        if match[1] is None:
            literal = "'" if match[0] == "''" else match[2] or match[0]
            pieces.append(literal.replace("%", "%%"))
        elif match[0] not in _DIRECTIVES:
            reason = f"the date format {pattern!r} has the unknown {match[0]!r}"
            raise ValueError(reason)
        elif _DIRECTIVES[match[0]] in pieces:
            raise ValueError(f"the date format {pattern!r} names a field twice")
        else:
            pieces.append(_DIRECTIVES[match[0]])
    return "".join(pieces)


# Files written by labelsieve start with this comment and are called as their relation
# says; all others are called like the file, because relations bear names of filters.
SIGNATURE = "% labelsieve"

_KEYWORD = re.compile(r"@[A-Za-z]+")
_NUMERIC = ("numeric", "real", "integer")


@dataclass
class ArffHeader:
    """What an ARFF file declares, and where its rows begin."""

    relation: str
    columns: list[SourceColumn]
    data_start: int
    data_line: int
    is_ours: bool


def read_header(data: bytearray, path: str) -> ArffHeader:
    """Read the declarations up to ``@data``."""
    relation: str | None = None
    columns: dict[str, SourceColumn] = {}
    nominal: dict[str, tuple[str, ...]] = {}
    for number, end, line in _lines(data):
        cursor = Cursor(line, number, path)
        if cursor.skip() in ("", "%"):
            continue
        start, keyword = cursor.at, _KEYWORD.match(line, cursor.at)
        word = keyword[0].lower() if keyword else ""
        cursor.at += len(word)
        if word == "@data" and not line[cursor.at :].strip(" \t"):
            if relation is None or not columns:
                missing = "@relation" if relation is None else "@attribute"
                reason = f"there is no {missing} before @data"
                raise FormatError(path, number, 1, reason)
            ours = data.startswith(SIGNATURE.encode())
            return ArffHeader(relation, [*columns.values()], end, number + 1, ours)
        if word == "@relation" and relation is None:
            cursor.skip()
            relation, _ = cursor.word(REST)
            cursor.refuse_rest("name")
        elif word == "@attribute":
            column = _read_attribute(cursor, columns, nominal)
            columns[column.name] = column
        else:
            reason = f"expected @relation, @attribute or @data, got {shorten(line)}"
            raise cursor.error(reason, start)
    raise fault(path, "the file has no @data section")


def _lines(data: bytearray) -> Iterator[tuple[int, int, str]]:
    """Yield the number, the end and the text of each line, without blanks behind."""
    start, number = 0, 1
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield number, end, data[start:end].decode().rstrip("\r\n").rstrip(" \t")
        start, number = end, number + 1


def _read_attribute(
    cursor: Cursor,
    columns: dict[str, SourceColumn],
    nominal: dict[str, tuple[str, ...]],
) -> SourceColumn:
    """Read name and type; equal lists of values, `nominal`, are read once."""
    keyword_end = cursor.at
    cursor.skip()
    start = cursor.at
    name, quoted = cursor.word(NAME)
    if start == keyword_end or not (name or quoted):
        raise cursor.error("the attribute has no name", start)
    if name in columns:
        raise cursor.error(f"the attribute {shorten(name)} is declared twice", start)
    is_nominal = cursor.skip() == "{"
    kind = cursor.line[cursor.at :]
    if is_nominal:
        if kind not in nominal:
            nominal[kind] = _read_categories(cursor)
        return SourceColumn(name, nominal[kind], line=cursor.number)
    word, *rest = re.split(r"[ \t]+", kind, maxsplit=1)
    if word.lower() in _NUMERIC and not rest:
        return SourceColumn(name, line=cursor.number)
    if word.lower() == "string" and not rest:
        return SourceColumn(name, is_text=True, line=cursor.number)
    if word.lower() == "date":
        cursor.at += len(word)
        cursor.skip()
        start = cursor.at
        pattern, _ = cursor.word(REST)
        cursor.refuse_rest("format")
        try:
            parse = date_parser(pattern)
        except ValueError as error:
            raise cursor.error(str(error), start) from None
        return SourceColumn(name, parse_date=parse, line=cursor.number)
    raise cursor.error(
        f"unknown type {shorten(kind)}; expected numeric, real, integer, string, "
        "date or the values of a nominal attribute in braces"
    )


def _read_categories(cursor: Cursor) -> tuple[str, ...]:
    """Read ``{a, 'b c', d}``."""
    values: dict[str, None] = {}
    mark = ","
    while mark == ",":
        cursor.at += 1  # over the brace or the comma
        cursor.skip()
        start = cursor.at
        word, quoted = cursor.word(CATEGORY)
        if not (word or quoted):
            raise cursor.error("a nominal value is empty or the brace is open")
        if word in values:
            raise cursor.error(f"the value {shorten(word)} is declared twice", start)
        values[word] = None
        mark = cursor.skip()
    if mark != "}":
        shown = f"expected a comma or a brace, got {mark!r}"
        open_brace = "the brace of the nominal values is not closed"
        raise cursor.error(shown if mark else open_brace)
    cursor.at += 1
    cursor.refuse_rest("values")
    return tuple(values)
