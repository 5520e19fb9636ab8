"""The declarations at the top of an ARFF file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from labelsieve._plumbing.texts import seconds
from labelsieve.datasets._columns import Column
from labelsieve.datasets._errors import FormatError, shorten

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
_BLANKS = " \t"


def skip_blanks(text: str, start: int) -> int:
    """Return the position of the next character that is no blank."""
    while start < len(text) and text[start] in _BLANKS:
        start += 1
    return start


def read_word(text: str, start: int, stops: str) -> tuple[str, int, bool]:
    """Read one word: its text, where it ends, and whether it was quoted.

    An unquoted word ends before the first character of `stops`.
    """
    if start < len(text) and text[start] in _QUOTED:
        end = _closing_quote(text, start)
        return unescape(text[start + 1 : end]), end + 1, True
    end = len(text)
    if stops:
        match = _stop_at(stops).search(text, start)
        end = match.start() if match else end
    return text[start:end], end, False


def unescape(text: str) -> str:
    """Undo the backslashes of a quoted word."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(_unescape_one, text)


def quote(text: str) -> str:
    """Write a word so that it is read back as it is."""
    if _PLAIN.fullmatch(text) and not text.startswith("@"):
        return text
    return "'" + _MUST_ESCAPE.sub(_escape_one, text) + "'"


@cache
def _stop_at(stops: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(stops)}]")


def _closing_quote(text: str, start: int) -> int:
    match = _QUOTED[text[start]].match(text, start)
    if match is None:
        raise ValueError("the quote is not closed")
    return match.end() - 1


def _unescape_one(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)


def _escape_one(match: re.Match[str]) -> str:
    character = match[0]
    if character in "\\'\"%":
        return "\\" + character
    return f"\\u{ord(character):04x}"


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
    pieces, at = [], 0
    while at < len(pattern):
        match = _PIECE.match(pattern, at)
        if match is None:
            raise ValueError(f"the date format {pattern!r} has an open quote")
        pieces.append(_directive(match, pattern))
        at = match.end()
    if len(set(pieces) & set(_DIRECTIVES.values())) < sum(
        piece in _DIRECTIVES.values() for piece in pieces
    ):
        raise ValueError(f"the date format {pattern!r} names a field twice")
    return "".join(pieces)


def _directive(match: re.Match[str], pattern: str) -> str:
    if match[0] == "''":
        return "'"
    if match[2]:
        return match[2].replace("%", "%%")
    if match[1] is None:
        return match[0].replace("%", "%%")
    if match[0] not in _DIRECTIVES:
        raise ValueError(f"the date format {pattern!r} has the unknown {match[0]!r}")
    return _DIRECTIVES[match[0]]


# Files written by labelsieve start with this comment and are called as their relation
# says; all others are called like the file, because relations bear names of filters.
SIGNATURE = "% labelsieve"

_KEYWORD = re.compile(r"@[A-Za-z]+")
_NUMERIC = ("numeric", "real", "integer")


@dataclass
class ArffHeader:
    """What an ARFF file declares, and where its rows begin."""

    relation: str
    columns: list[Column]
    data_start: int
    data_line: int
    is_ours: bool


def read_header(data: bytearray, path: str) -> ArffHeader:
    """Read the declarations up to ``@data``."""
    relation: str | None = None
    columns: list[Column] = []
    declare = _Declarations(path)
    for number, end, line in _lines(data):
        start = skip_blanks(line, 0)
        if start == len(line) or line[start] == "%":
            continue
        keyword = _KEYWORD.match(line, start)
        word = keyword[0].lower() if keyword else ""
        if word == "@data" and keyword and not line[keyword.end() :].strip(" \t"):
            _check_header(relation, columns, path, number)
            ours = data.startswith(SIGNATURE.encode())
            return ArffHeader(relation or "", columns, end, number + 1, ours)
        if word == "@relation" and keyword and relation is None:
            relation = declare.relation(line, keyword.end(), number)
        elif word == "@attribute" and keyword:
            columns.append(declare.attribute(line, keyword.end(), number))
        else:
            reason = f"expected @relation, @attribute or @data, got {shorten(line)}"
            raise FormatError(path, number, start + 1, reason)
    raise FormatError(path, None, None, "the file has no @data section")


class _Declarations:
    """Reads one declaration at a time and remembers names and types seen before."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: set[str] = set()
        self.nominal: dict[str, tuple[str, ...]] = {}

    def relation(self, line: str, start: int, number: int) -> str:
        start = skip_blanks(line, start)
        try:
            word, end, quoted = read_word(line, start, "")
        except ValueError as error:
            raise FormatError(self.path, number, start + 1, str(error)) from None
        if quoted and line[end:].strip(" \t"):
            reason = f"unexpected text after the name: {shorten(line[end:])}"
            raise FormatError(self.path, number, end + 1, reason)
        return word if quoted else word.strip(" \t")

    def attribute(self, line: str, start: int, number: int) -> Column:
        first = skip_blanks(line, start)
        try:
            name, end, quoted = read_word(line, first, " \t{")
        except ValueError as error:
            raise FormatError(self.path, number, first + 1, str(error)) from None
        if first == start or not (name or quoted):
            raise FormatError(self.path, number, first + 1, "the attribute has no name")
        if name in self.names:
            reason = f"the attribute {shorten(name)} is declared twice"
            raise FormatError(self.path, number, first + 1, reason)
        self.names.add(name)
        end = skip_blanks(line, end)
        try:
            return self._typed(name, line[end:].rstrip(" \t"), number)
        except _Misplaced as error:
            column = end + error.offset + 1
            raise FormatError(self.path, number, column, error.reason) from None

    def _typed(self, name: str, kind: str, number: int) -> Column:
        if kind.startswith("{"):
            if kind not in self.nominal:
                self.nominal[kind] = _read_categories(kind)
            return Column(name, self.nominal[kind], line=number)
        word, _, rest = kind.replace("\t", " ", 1).partition(" ")
        word, rest = word.lower(), rest.strip(" \t")
        if word in _NUMERIC and not rest:
            return Column(name, line=number)
        if word == "string" and not rest:
            return Column(name, is_text=True, line=number)
        if word == "date":
            return Column(
                name, parse_date=_read_date(rest, len(kind) - len(rest)), line=number
            )
        raise _Misplaced(
            0,
            f"unknown type {shorten(kind)}; expected numeric, real, integer, string, "
            "date or the values of a nominal attribute in braces",
        )


class _Misplaced(Exception):
    """A fault at an offset of a piece of text, before the line is known."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(offset, reason)
        self.offset = offset
        self.reason = reason


def _lines(data: bytearray) -> Iterator[tuple[int, int, str]]:
    """Yield the number, the end and the text of each line."""
    start, number = 0, 1
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield number, end, data[start:end].decode().rstrip("\r\n")
        start, number = end, number + 1


def _check_header(
    relation: str | None, columns: list[Column], path: str, number: int
) -> None:
    if relation is None:
        raise FormatError(path, number, 1, "@data comes before @relation")
    if not columns:
        raise FormatError(path, number, 1, "no @attribute is declared before @data")


def _read_categories(kind: str) -> tuple[str, ...]:
    """Read ``{a, 'b c', d}``."""
    values: dict[str, None] = {}
    at = 0
    while at == 0 or kind[at] == ",":
        start = skip_blanks(kind, at + 1)
        try:
            word, end, quoted = read_word(kind, start, ", \t}")
        except ValueError as error:
            raise _Misplaced(start, str(error)) from None
        if not (word or quoted):
            raise _Misplaced(start, "a nominal value is empty or the brace is open")
        if word in values:
            raise _Misplaced(start, f"the value {shorten(word)} is declared twice")
        values[word] = None
        at = skip_blanks(kind, end)
        if at == len(kind):
            raise _Misplaced(at, "the brace of the nominal values is not closed")
    if kind[at] != "}":
        raise _Misplaced(at, f"expected a comma or a brace, got {kind[at]!r}")
    if kind[at + 1 :].strip(" \t"):
        rest = shorten(kind[at + 1 :].strip(" \t"))
        raise _Misplaced(at + 1, f"unexpected text after the values: {rest}")
    return tuple(values)


def _read_date(rest: str, offset: int) -> Callable[[str], float]:
    try:
        pattern, end, _ = read_word(rest, 0, "")
        if rest[end:].strip(" \t"):
            raise ValueError(f"unexpected text after the format: {shorten(rest[end:])}")
        return date_parser(pattern)
    except ValueError as error:
        raise _Misplaced(offset, str(error)) from None
