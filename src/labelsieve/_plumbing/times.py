"""Dates, times of a day and durations of Python, and dates as text, in seconds."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

TIMES = (dt.date, dt.time, dt.timedelta)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


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
    """The seconds of each text, None unless all are dates such as 2024-02-28 12:30."""
    found = {}
    for text in texts:
        if not isinstance(text, str) or not _ISO.fullmatch(text):
            return None
        try:
            found[text] = seconds(dt.datetime.fromisoformat(text))
        except ValueError:
            return None
    return found or None
