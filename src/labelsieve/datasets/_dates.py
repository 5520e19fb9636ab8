"""Dates of ARFF files, whose formats are written as Java writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from labelsieve._plumbing.texts import seconds

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
