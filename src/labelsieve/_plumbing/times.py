"""Dates, times of a day and durations of Python, and dates as text, in seconds."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Collection
from typing import Any

from labelsieve._plumbing.nothing import says_nothing
from labelsieve._plumbing.warnings import warn

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
    for parse in (_date, _span):
        found = _all_by(parse, texts)
        if found:
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
    """Tell of dates in which day and month cannot be told apart."""
    example = doubtful_date(texts)
    if example is not None:
        warn(
            f"column {name!r} holds dates such as {example!r}, in which day and month "
            "cannot be told apart, and stays a column of categories. Write the dates "
            "as 2024-02-28, for example with pandas.to_datetime(column, dayfirst=True)."
        )


def _orders(texts: Collection[Any]) -> list[dict[str, float]]:
    """What texts mean with the month first and with the day first, where all do."""
    orders = [_all_by(parse, texts) for parse in (_month_first, _day_first)]
    found = [order for order in orders if order]
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


def _month_first(text: str) -> float | None:
    return _slashed(text, r"\3-\1-\2")


def _day_first(text: str) -> float | None:
    return _slashed(text, r"\3-\2-\1")


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
