"""What texts in cells mean: numbers, dates, times, durations, or nothing."""

from __future__ import annotations

import datetime as dt
import math
import numbers
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from labelsieve._utils.messages import warn

_SIGNS = ("", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?")
_WORDS = ("n/a", "#n/a", "n.a.", "na", "<na>", "nan", "null")
_NOTHING = frozenset((*_SIGNS, *_WORDS, "missing", "unknown"))
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
TIMES = (dt.date, dt.time, dt.timedelta)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

_CLOCK = r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"
_ISO = re.compile(r"\d{4}-\d\d-\d\d" + _CLOCK)
# Year, month and day with other signs between them, where their order is beyond doubt.
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d\d)[/.](\d\d)(?=$|[T ])")
_DAY_FIRST = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})(?=$|[T ])")
# The same where day and month have to be told apart by the other dates of a column.
_SLASHED = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?=$|[T ])")
_SINGLE = re.compile(r"(?<!\d)(\d)(?=[/:-])")
# A time of a day, or a duration as Python and pandas write it: 3 days, 04:05:06.5
_SPAN = re.compile(
    r"(?=.*\d)(?:([+-]?\d+) days?)?,? ?(?:([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?)?"
)


def refuse_constant(constant: str) -> Any:
    """ValueError for NaN and infinity, which Python reads and JSON does not know."""
    raise ValueError(f"{constant} is not a number")


def says_nothing(cell: Any) -> bool:
    """Whether a text means that there is no number or date."""
    return isinstance(cell, str) and cell.strip().casefold() in _NOTHING


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
    return read and {text: read.get(text, math.nan) for text in texts}


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
            digits = {text: _GROUPING.sub("", body) for text, body in bodies.items()}
            return {
                text: float(body.replace(thousands, "").replace(",", "."))
                for text, body in digits.items()
            }
    return None


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
                    f"{value:.15g} by its own texts, and {amounts[text]:.15g} by "
                    "those of all rows. Write the numbers with a decimal point and "
                    "nothing else, for example with Series.str.replace."
                )


def warn_amounts(found: Mapping[Any, Mapping[str, float]]) -> None:
    """Warn which columns are read as numbers, by an example each."""
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


def seconds(time: Any) -> float:
    """Seconds since 1970 in UTC, since midnight, or of a duration."""
    if isinstance(time, dt.timedelta):
        return time.total_seconds()
    if isinstance(time, dt.time):
        minutes = 60 * time.hour + time.minute
        return float(60 * minutes + time.second + time.microsecond / 1e6)
    if not isinstance(time, dt.datetime):
        time = dt.datetime.combine(time, dt.time())
    if time.tzinfo is None:
        time = time.replace(tzinfo=dt.UTC)
    return float((time - EPOCH).total_seconds())


def dates_in(texts: Collection[Any]) -> dict[str, float] | None:
    """The seconds of each text, None unless all are dates, or all times or durations.

    Such as 2024-02-28 12:30, 2024/02/28 or 28.02.2024, and such as 12:30 or 3 days.
    Also such as 2/28/2024 or 28/2/2024, if all texts are dates in one of the two
    orders of day and month, and not in the other. A text that says nothing, such as a
    dash, is NaN beside dates.
    """
    found = _all_by(_date, texts) or _all_by(_span, texts)
    if found is not None:
        return found
    orders = _orders(texts)
    return orders[0] if len(orders) == 1 else None


def doubtful_date(texts: Collection[Any]) -> str | None:
    """A text, if all are dates and day and month cannot be told apart, else None."""
    orders = _orders(texts)
    if len(orders) < 2:
        return None
    one, other = orders
    return next(
        text for text in one if one[text] != other[text] and not says_nothing(text)
    )


def warn_doubtful(name: Any, texts: Collection[Any]) -> None:
    """Warn of dates in which day and month cannot be told apart."""
    example = doubtful_date(texts)
    if example is not None:
        warn(
            f"column {name!r} holds dates such as {example!r}, in which day and month "
            "cannot be told apart, and stays a column of categories. Write the dates "
            "as 2024-02-28, for example with pandas.to_datetime(column, dayfirst=True)."
        )


def _orders(texts: Collection[Any]) -> list[dict[str, float]]:
    """What texts mean with the month first and with the day first, where all do."""
    # Month, day and year of the text, in the order of 2024-02-28.
    parsers = (partial(_slashed, order=order) for order in (r"\3-\1-\2", r"\3-\2-\1"))
    found = [order for parse in parsers if (order := _all_by(parse, texts))]
    return found[:1] if len(found) == 2 and found[0] == found[1] else found


def _all_by(
    parse: Callable[[str], float | None], texts: Collection[Any]
) -> dict[str, float] | None:
    """The seconds of each text, None if one is something else, or all say nothing."""
    found, n_times = {}, 0
    for text in texts:
        seen = parse(text) if isinstance(text, str) else None
        if seen is not None:
            n_times += 1
        elif not says_nothing(text):
            return None
        found[text] = math.nan if seen is None else seen
    return found if n_times else None


def _slashed(text: str, order: str) -> float | None:
    """Seconds of a date such as 2/28/2024 8:30, with its parts in the given order."""
    if not _SLASHED.match(text):
        return None
    padded = _SINGLE.sub(r"0\1", text)
    return _date(_SLASHED.sub(order, padded, count=1))


def _date(text: str) -> float | None:
    text = _YEAR_FIRST.sub(r"\1-\2-\3", text, count=1)
    text = _DAY_FIRST.sub(r"\3-\2-\1", text, count=1)
    if not _ISO.fullmatch(text):
        return None
    try:
        return seconds(dt.datetime.fromisoformat(text))
    except ValueError:
        return None


def _span(text: str) -> float | None:
    found = _SPAN.fullmatch(text)
    if found is None:
        return None
    days, sign, hours, minutes, rest = found.groups()
    clock = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(rest or 0)
    return 86_400 * float(days or 0) + (-clock if sign == "-" else clock)
