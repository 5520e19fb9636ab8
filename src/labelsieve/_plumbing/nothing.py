"""What people write into a cell of numbers or dates where there is nothing."""

from __future__ import annotations

from typing import Any

_SIGNS = ("", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?")
_WORDS = ("n/a", "#n/a", "n.a.", "na", "<na>", "nan", "null")
_NOTHING = frozenset((*_SIGNS, *_WORDS, "missing", "unknown"))


def says_nothing(cell: Any) -> bool:
    """Whether a text means that there is no number or date."""
    return isinstance(cell, str) and cell.strip().casefold() in _NOTHING
