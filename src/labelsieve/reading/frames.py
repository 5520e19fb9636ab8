"""The only module that knows tables: one rule says what becomes of each column."""

from __future__ import annotations

import sys
from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.messages import warn
from labelsieve._utils.texts import (
    amounts_in,
    doubtful_date,
    says_nothing,
    seconds,
    warn_amounts,
)
from labelsieve._utils.typing import FloatArray
from labelsieve.reading.missing import is_missing
from labelsieve.reading.nominal import (
    Words,
    count_words,
    plain_numbers,
    positions,
    resolve_categories,
)
from labelsieve.reading.whole import rounds

# Eager tables, by the library and the name that they have in it.
TABLES = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"))


def is_frame(X: Any) -> bool:
    """Whether X is a table of pandas, polars or pyarrow, without importing any."""
    return any(
        isinstance(X, getattr(sys.modules[library], name))
        for library, name in TABLES
        if hasattr(sys.modules.get(library), name)
    )


def without_index(table: Any) -> Any:
    """A pyarrow table without what was the index of a DataFrame of pandas.

    Anything else comes back as it is.
    """
    kind = getattr(sys.modules.get("pyarrow"), "Table", None)
    if kind is None or not isinstance(table, kind):
        return table
    stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if name in table.column_names]
    return table.drop_columns(index) if index else table


def warn_other_order(X: Any, y: Any) -> None:
    """Whether the rows of two tables of pandas are named alike, in another order."""
    names: Any = getattr(X, "index", None)
    others: Any = getattr(y, "index", None)
    if not (hasattr(names, "equals") and hasattr(others, "equals")):
        return  # of a list, index is a method
    if len(names) != len(others) or names.equals(others):
        return
    if names.is_unique and others.is_unique and names.isin(others).all():
        warn(
            "X and y have the same index in another order, and rows are matched by "
            "their place: if the names of the rows say which belong together, pass "
            "y.loc[X.index]."
        )


def names_of(frame: Any) -> list[Any]:
    """The names of the columns of a table."""
    return list(getattr(frame, "column_names", frame.columns))


def first_column(frame: Any) -> Any:
    """The first column of a table, as its library has it."""
    return _open(frame)[:, 0].to_native()


def frame_to_numbers(
    frame: Any, categories: dict[int, NDArray[Any]] | None = None
) -> tuple[FloatArray, dict[int, NDArray[Any]]]:
    """Return the frame as float64 and the categories of its nominal columns.

    Numbers and booleans are numbers; dates, times and durations become seconds. A
    column of text, of categories or of Python objects that are neither is nominal: its
    cells become positions in its categories, see `resolve_categories`. A missing cell
    becomes NaN. With `categories` given, the same positions are used again.
    """
    import narwhals.stable.v2 as nw

    table = _open(frame)
    numbers = np.empty(table.shape, dtype=np.float64, order="F")
    found: dict[int, NDArray[Any]] = {}
    plain, amounts = [], {}
    for place, (name, kind) in enumerate(table.schema.items()):
        if kind.is_numeric() or kind == nw.Boolean:
            plain.append(place)
            continue
        series = table[:, place]
        if kind.is_temporal():
            numbers[:, place] = seconds_of(series)
        elif kind not in (nw.String, nw.Categorical, nw.Enum, nw.Object):
            numbers[:, place] = _unknown_type(series, name)
        else:
            nominal = None if categories is None else categories.get(place)
            cells = series.to_list()
            if nominal is None:
                words = _words(name, series)
                nominal = resolve_categories(name, words, warns=categories is None)
                if nominal is not None and categories is not None:
                    if not all(map(says_nothing, words.counts)):
                        raise _changed(name, words)
                    numbers[:, place] = np.nan  # as beside numbers in other rows
                    continue
            if nominal is None:
                numbers[:, place] = plain_numbers(name, cells)
                amounts[name] = amounts_in(words.counts)
            else:
                numbers[:, place] = positions(cells, nominal)
                found[place] = nominal
    if plain:
        chosen = table[:, plain]
        if set(chosen.schema.values()) != {nw.Float64}:
            chosen = chosen.with_columns(nw.all().cast(nw.Float64))
        numbers[:, plain] = chosen.to_numpy()
    if categories is None:
        warn_amounts({name: read for name, read in amounts.items() if read})
    return numbers, found


def _changed(name: Any, words: Words) -> ValueError:
    example = doubtful_date(words.counts)
    if example is not None:
        return ValueError(
            f"column {name!r} holds dates such as {example!r}, in which day and month "
            "cannot be told apart here as they could in all rows of fit. Write the "
            "dates as 2024-02-28."
        )
    return ValueError(
        f"column {name!r} holds text or categories, and held numbers or dates in fit. "
        "Turn it into what it was."
    )


def seconds_of(series: Any) -> FloatArray:
    """A column of times, a narwhals Series, as seconds; missing cells are NaN."""
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Time:
        times = series.to_list()
        return np.array([np.nan if is_missing(t) else seconds(t) for t in times])
    if series.dtype == nw.Date:
        series = series.cast(nw.Datetime("us"))
    is_duration = series.dtype == nw.Duration
    parts = series.dt
    found = parts.total_microseconds() if is_duration else parts.timestamp("us")
    numbers = found.cast(nw.Float64).to_numpy() / 1e6
    return np.where(series.is_null().to_numpy(), np.nan, numbers)


def words_in(frame: Any, places: list[int]) -> list[Words]:
    """What some columns hold, for blocks of rows to agree on categories."""
    table = _open(frame)
    return [_words(table.columns[j], table[:, j]) for j in places]


def rounded_names(frame: Any, nominal: Container[int] = ()) -> list[Any]:
    """Columns of numbers in which float64 makes different whole numbers the same."""
    table = _open(frame)
    return [
        name
        for place, (name, kind) in enumerate(table.schema.items())
        if place not in nominal and rounds(_whole_cells(table, place, kind))
    ]


def _open(frame: Any) -> Any:
    import narwhals.stable.v2 as nw

    return nw.from_native(frame, eager_only=True)


def _words(name: Any, series: Any) -> Words:
    """The distinct cells of a column, with the categories that it declares."""
    import narwhals.stable.v2 as nw

    declares = series.dtype == nw.Enum or (
        # Those of polars are text in a short form: their order means nothing.
        series.dtype == nw.Categorical and not series.implementation.is_polars()
    )
    declared = None
    if declares:
        declared = np.array(series.cat.get_categories().to_list(), dtype=object)
    return count_words(name, series.to_list(), declared)


def _unknown_type(series: Any, name: Any) -> FloatArray:
    """Columns without any cell, and sparse ones of pandas; others are refused."""
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    native = series.to_native()
    if hasattr(native, "sparse"):
        return np.asarray(native.sparse.to_dense(), dtype=np.float64)
    kind = getattr(native, "type", getattr(native, "dtype", series.dtype))
    raise ValueError(
        f"column {name!r} has dtype {kind}: expected "
        "numbers, booleans, dates, categories or text. Convert the column first, for "
        "example a list to one column per item, or leave it out."
    )


def _whole_cells(table: Any, place: int, kind: Any) -> NDArray[Any]:
    """The cells of a column that may hold large whole numbers, else none."""
    import narwhals.stable.v2 as nw

    if kind in (nw.Int64, nw.UInt64):
        return np.asarray(table[:, place].drop_nulls().to_numpy())
    if kind in (nw.Object, nw.Int128, nw.UInt128):
        return np.array(table[:, place].to_list(), dtype=object)
    return np.empty(0)
