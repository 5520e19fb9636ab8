r"""Words of an ARFF file: quotes, escapes and where a word ends.

Inside quotes a backslash escapes (``'Swainson\'s Thrush'``); outside it is a
character like any other (``TAG_m\'usica``).
"""

from __future__ import annotations

import re
from functools import cache

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
