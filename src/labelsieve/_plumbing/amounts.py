"""Numbers as people write them: 1,234.50 and 1.234,50, $ 5, 12 % and 170 cm."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Collection, Mapping
from typing import Any

from labelsieve._plumbing.nothing import says_nothing
from labelsieve._plumbing.warnings import warn

_PLAIN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*")
# A currency, a number, a unit.
_PARTS = re.compile(
    r"([$€£¥])?\s*([+-]?\d[\d.,' \u00a0\u202f]*?)\s*([^\d\s.,'+-][^\d]*)?"
)
# Longer texts are no amounts, and might be more than a float64 can hold.
_LONGEST = 60
# Thousands in groups, then a decimal sign: here a point, elsewhere a comma.
_WITH_POINT = re.compile(r"[+-]?([1-9]\d{0,2}([,' \u00a0\u202f]\d{3})+|\d+)(\.\d+)?")
_WITH_COMMA = re.compile(r"[+-]?([1-9]\d{0,2}([.' \u00a0\u202f]\d{3})+|\d+)(,\d+)?")
_GROUPING = re.compile(r"[' \u00a0\u202f]")


def is_plain_number(text: str) -> bool:
    """Whether a text is a number as Python writes it."""
    return _PLAIN.fullmatch(text) is not None


def amounts_in(texts: Collection[Any]) -> dict[str, float] | None:
    """The number of each text, None unless all are numbers and some not plainly so.

    Such as 1,234.50 or 1.234,50, by the decimal sign that explains all texts, and a
    point where both do; with the same currency and unit in all of them. A text that
    says nothing, such as a dash, is NaN beside numbers, which may then be plain ones.
    """
    said, plain = [], True
    for text in texts:
        if says_nothing(text):
            continue
        said.append(text)
        plain = plain and _is_plain(text)
        if not plain and not _may_be_amount(text):
            return None
    if plain and len(said) in (0, len(texts)):
        return None
    read = {text: float(text) for text in said} if plain else _read(said)
    if read is None:
        return None
    return {text: read.get(text, math.nan) for text in texts}


def _is_plain(cell: Any) -> bool:
    if isinstance(cell, str):
        return is_plain_number(cell)
    return isinstance(cell, numbers.Real)


def _may_be_amount(cell: Any) -> bool:
    return (
        isinstance(cell, str) and len(cell) <= _LONGEST and any(map(str.isdigit, cell))
    )


def _read(texts: Collection[Any]) -> dict[str, float] | None:
    """The number of each text, if all are written in the same way."""
    bodies, signs = {}, set()
    for text in texts:
        parts = _PARTS.fullmatch(text.strip()) if _may_be_amount(text) else None
        if parts is None:
            return None
        before, bodies[text], after = parts.groups()
        signs.add((before, after))
    if len(signs) != 1:
        return None
    for pattern, thousands in ((_WITH_POINT, ","), (_WITH_COMMA, ".")):
        if all(map(pattern.fullmatch, bodies.values())):
            return {text: _value(body, thousands) for text, body in bodies.items()}
    return None


def _value(body: str, thousands: str) -> float:
    digits = _GROUPING.sub("", body).replace(thousands, "")
    return float(digits.replace(",", "."))


def refuse_other_amounts(
    name: Any, amounts: Mapping[str, float], parts: Collection[Collection[str]]
) -> None:
    """Refuse a column that means something else in some blocks of its rows."""
    for texts in parts:
        said = [text for text in texts if not says_nothing(text)]
        alone = amounts_in(said) or {text: float(text) for text in said}
        for text, value in alone.items():
            if amounts[text] != value:
                raise ValueError(
                    f"column {name!r} holds numbers such as {text!r}, which is "
                    f"{value:.15g} by the texts beside it, and {amounts[text]:.15g} by "
                    "those of all rows. Write the numbers with a decimal point and "
                    "nothing else, for example with Series.str.replace."
                )


def warn_amounts(found: Mapping[Any, Mapping[str, float]]) -> None:
    """Tell which columns are read as numbers, by an example each."""
    if found:
        examples = [f"{name!r} ({_examples(read)})" for name, read in found.items()]
        warn(f"column(s) {', '.join(examples)} are read as numbers.")


def _examples(amounts: Mapping[str, float]) -> str:
    """How a text is read that is not plainly a number, and one that says nothing."""
    nothing = next(filter(says_nothing, amounts), None)
    others = (text for text in amounts if not (_is_plain(text) or says_nothing(text)))
    number = next(others, None)
    told = [] if number is None else [f"{number!r} is {amounts[number]:.15g}"]
    return ", ".join(told + ([] if nothing is None else [f"{nothing!r} is missing"]))
