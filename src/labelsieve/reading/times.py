"""Dates, times of a day and durations as seconds, however they are written."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from labelsieve._plumbing.typing import FloatArray
from labelsieve.reading.missing import is_missing

# What Python calls moments, also those of pandas, in object columns.
TIMES = (dt.date, dt.time, dt.timedelta)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")


def seconds_of(series: Any) -> FloatArray:
    """A column of times as seconds, see `seconds`; missing cells are NaN.

    The column is a narwhals Series.
    """
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Time:
        return np.array([seconds(time) for time in series.to_list()], dtype=np.float64)
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    is_duration = series.dtype == nw.Duration
    times = series.dt
    found = times.total_microseconds() if is_duration else times.timestamp("us")
    numbers = found.cast(nw.Float64).to_numpy() / 1e6
    return np.where(series.is_null().to_numpy(), np.nan, numbers)


def seconds(time: Any) -> float:
    """Seconds since 1970 in UTC, since midnight, or of a duration."""
    if is_missing(time):
        return np.nan
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
