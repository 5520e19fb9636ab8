"""The only module that knows tables: columns of text or categories become numbers."""

from __future__ import annotations

import sys
from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.typing import FloatArray
from labelsieve.reading.missing import is_missing
from labelsieve.reading.whole import refuse_huge, rounds

# What may stand beside text in a nominal column.
TEXT_LIKE = (str, int, np.integer, np.bool_)


def is_frame(X: Any) -> bool:
    """Whether X is a pandas or polars DataFrame, without importing either."""
    return any(
        isinstance(X, sys.modules[library].DataFrame)
        for library in ("pandas", "polars")
        if library in sys.modules and hasattr(sys.modules[library], "DataFrame")
    )


def frame_to_numbers(
    frame: Any, categories: dict[int, NDArray[Any]] | None = None
) -> tuple[FloatArray, dict[int, NDArray[Any]]]:
    """Return the frame as float64 and the categories of its nominal columns.

    A column of text, of categories or of Python objects that are not numbers is
    nominal: its cells become positions in the sorted (or declared) categories.
    Dates, times and durations become seconds. A missing cell becomes NaN. With
    `categories` given, the same positions are used again, and a category that was
    not there becomes NaN.
    """
    n_rows, n_columns = frame.shape
    numbers = np.empty((n_rows, n_columns), dtype=np.float64, order="F")
    found: dict[int, NDArray[Any]] = {}
    for position in range(n_columns):
        column = _column(frame, position)
        known = None if categories is None else categories.get(position)
        declared = _declared_categories(column) if known is None else known
        if declared is None:
            numbers[:, position] = _as_float(column, frame, position)
        else:
            numbers[:, position] = _positions(column, declared)
            found[position] = declared
    return numbers, found


def rounded_names(frame: Any, nominal: Container[int] = ()) -> list[Any]:
    """Columns of numbers in which float64 makes different whole numbers the same."""
    return [
        name
        for position, name in enumerate(frame.columns)
        if position not in nominal and rounds(_whole_cells(_column(frame, position)))
    ]


def _whole_cells(column: Any) -> NDArray[Any]:
    """The cells of a column that may hold large whole numbers, else none."""
    kind = str(column.dtype).lower()
    if "int64" in kind:
        present = column.dropna() if hasattr(column, "dropna") else column.drop_nulls()
        return np.asarray(present)
    if kind.startswith(("object", "int128")):
        return np.array(column.to_list(), dtype=object)
    return np.empty(0)


def categories_of(frame: Any, positions: list[int]) -> list[NDArray[Any] | None]:
    """The categories of some columns, None for a column of numbers."""
    return [_declared_categories(_column(frame, position)) for position in positions]


def _column(frame: Any, position: int) -> Any:
    """One column of a pandas frame (a Series) or of a polars frame (a Series)."""
    if hasattr(frame, "iloc"):
        return frame.iloc[:, position]
    return frame.to_series(position)


def _declared_categories(column: Any) -> NDArray[Any] | None:
    """The categories of a nominal column, None for a column of numbers."""
    kind = str(column.dtype)
    if kind == "category":
        return np.asarray(column.cat.categories)
    if kind.startswith("Enum"):
        return np.asarray(column.dtype.categories)
    if kind.startswith(("object", "Object", "str", "String", "Categorical")):
        return _distinct_text(column)
    return None


def _distinct_text(column: Any) -> NDArray[Any] | None:
    """The sorted distinct values, None if all of them are numbers after all."""
    present = [value for value in column.to_list() if not is_missing(value)]
    if all(isinstance(value, int | float | np.number | np.bool_) for value in present):
        return None
    if not all(isinstance(value, TEXT_LIKE) for value in present):
        kinds = sorted({type(value).__name__ for value in present})
        raise TypeError(
            f"column {column.name!r} holds {' and '.join(kinds)} values: argument must "
            "be a string or a number. Turn the column into numbers or into text first."
        )
    return np.array(sorted({str(value) for value in present}), dtype=object)


def _positions(column: Any, categories: NDArray[Any]) -> FloatArray:
    place = {str(value): float(rank) for rank, value in enumerate(categories)}
    return np.array(
        [
            np.nan if is_missing(value) else place.get(str(value), np.nan)
            for value in column.to_list()
        ]
    )


def _as_float(column: Any, frame: Any, position: int) -> FloatArray:
    kind = str(column.dtype).lower()
    if kind.startswith(("date", "time", "duration")):
        return _seconds(column)
    if kind.startswith("complex"):
        raise _unreadable(column, frame.columns[position])
    if hasattr(column, "isna"):
        refuse_huge(column if kind.startswith("object") else (), column.name)
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if column.null_count() == len(column):
        return np.full(len(column), np.nan)
    if not (column.dtype.is_numeric() or kind == "boolean"):
        raise _unreadable(column, frame.columns[position])
    number = sys.modules["polars"].Float64
    return np.asarray(column.cast(number).fill_null(np.nan).to_numpy())


def _seconds(column: Any) -> FloatArray:
    """Dates since 1970 (in UTC), times since midnight and durations, in seconds."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(column, series_only=True)
    if series.dtype == nw.Time:
        return np.array([_since_midnight(time) for time in series.to_list()])
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    is_duration = series.dtype == nw.Duration
    times = series.dt
    found = times.total_microseconds() if is_duration else times.timestamp("us")
    seconds = found.cast(nw.Float64).to_numpy() / 1e6
    return np.where(series.is_null().to_numpy(), np.nan, seconds)


def _since_midnight(time: Any) -> float:
    if is_missing(time):
        return np.nan
    minutes = 60 * time.hour + time.minute
    return float(60 * minutes + time.second + time.microsecond / 1e6)


def _unreadable(column: Any, name: Any) -> ValueError:
    return ValueError(
        f"column {name!r} has dtype {column.dtype}: expected numbers, booleans, "
        "dates, categories or text. Convert the column first, for example a list to "
        "one column per item, or leave it out."
    )
