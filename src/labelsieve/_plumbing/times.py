"""Dates, times of a day and durations of Python, and dates as text, in seconds."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

TIMES = (dt.date, dt.time, dt.timedelta)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

_CLOCK = r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"
_ISO = re.compile(r"\d{4}-\d\d-\d\d" + _CLOCK)
# Year, month and day with other signs between them, where their order is beyond doubt.
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d\d)[/.](\d\d)(?=$|[T ])")
_DAY_FIRST = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})(?=$|[T ])")
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


def dates_in(texts: Iterable[Any]) -> dict[str, float] | None:
    """The seconds of each text, None unless all are dates, or all times or durations.

    Such as 2024-02-28 12:30, 2024/02/28 or 28.02.2024, and such as 12:30 or 3 days.
    """
    for parse in (_date, _span):
        found = {}
        for text in texts:
            seen = parse(text) if isinstance(text, str) else None
            if seen is None:
                break
            found[text] = seen
        else:
            return found or None
    return None


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
