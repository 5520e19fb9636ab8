"""What counts as a number in a text file, for the careful readers."""

from __future__ import annotations

import math
import re

# Plain decimal numbers only: Python's float also takes "1_0", "nan" and other digits
# than 0 to 9. No quantifier here can match one character in two ways.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def parse_number(text: str) -> float:
    """Return the nearest float64 of a decimal number, or raise ValueError."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("not a number")
    value = float(text)
    if math.isinf(value):
        raise ValueError("too large for a 64-bit number")
    return value
