"""Columns of text, categories or objects: what they hold decides what they become."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from labelsieve._utils.messages import warn
from labelsieve._utils.texts import (
    TIMES,
    amounts_in,
    dates_in,
    is_plain_number,
    seconds,
    warn_doubtful,
)
from labelsieve._utils.typing import FloatArray
from labelsieve.reading.missing import is_missing, listed_names
from labelsieve.reading.whole import refuse_huge

# What may stand beside text in a nominal column.
TEXT_LIKE = (str, int, np.integer, np.bool_)
NUMBERS = (numbers.Real, Decimal, np.bool_)
# A nominal column has at most so many codes; the rarest categories share the last.
MOST_CATEGORIES = 100
RARE = "(rare)"
# A column with more distinct values than this share of its cells names the rows.
NAMES_SHARE = 0.9
# Fewer cells do not show whether values repeat.
FEWEST_CELLS = 10


@dataclass(frozen=True)
class Words:
    """The distinct values of a column, or of some of its rows, and how often each.

    Attributes
    ----------
    counts : how many cells hold each value; none for missing cells
    declared : the categories in the order of the column, None where it has none
    """

    counts: dict[Any, int]
    declared: NDArray[Any] | None = None


def count_words(
    name: Any, cells: Sequence[Any], declared: NDArray[Any] | None = None
) -> Words:
    """Count what a column holds; TypeError that names it for lists and the like."""
    try:
        counts = Counter(cells)
    except TypeError:  # cells that cannot be told apart: lists, dictionaries, arrays
        raise _refused(name, map(type, cells)) from None
    return Words(
        {value: times for value, times in counts.items() if not is_missing(value)},
        declared,
    )


def merge_words(parts: Sequence[Words]) -> Words:
    """What several blocks of rows hold together."""
    counts: Counter[Any] = Counter()
    for part in parts:
        counts.update(part.counts)
    orders = [part.declared for part in parts if part.declared is not None]
    same = len(orders) == len(parts) and all(
        np.array_equal(order, orders[0]) for order in orders
    )
    return Words(dict(counts), orders[0] if same else None)


def resolve_categories(
    name: Any, words: Words, *, warns: bool = False
) -> NDArray[Any] | None:
    """The categories of a column, None where it holds numbers or times after all.

    With `warns`, numbers that are text give a warning.

    Categories that occur come in the declared order, or sorted. Where they are very
    many, the rarest are one category, `RARE`; where nearly every cell is distinct, all
    of them are, so that the column is constant.
    """
    counts, declared = words.counts, words.declared
    if declared is None:
        if _all_of(counts, NUMBERS) or _all_of(counts, TIMES) or dates_in(counts):
            return None
        if all(map(_is_number, counts)):
            if warns:
                warn(
                    f"column {name!r} holds numbers as text; they are converted to "
                    "float64. A column of categories stays as it is.",
                    DataConversionWarning,
                )
            return None
        if amounts_in(counts):
            return None
        if not _all_of(counts, TEXT_LIKE):
            raise _refused(name, map(type, counts))
        if warns:
            warn_doubtful(name, counts)
    by_text: Counter[str] = Counter()
    for value, times in counts.items():
        by_text[str(value)] += times
    order = sorted(by_text) if declared is None else declared
    used = [value for value in order if str(value) in by_text]
    n_cells = sum(counts.values())
    if names_rows(len(used), n_cells):
        return np.array([RARE], dtype=object)
    if len(used) > MOST_CATEGORIES:
        frequent = sorted(used, key=lambda value: -by_text[str(value)])
        kept = {str(value) for value in frequent[: MOST_CATEGORIES - 1]}
        used = [*(value for value in used if str(value) in kept), RARE]
    return np.array(used, dtype=object)


def names_rows(n_values: int, n_cells: int) -> bool:
    """Whether a column without numbers has a value of its own in nearly every cell.

    What is true of such a value is true of one row, and says nothing about others.
    """
    return n_cells >= FEWEST_CELLS and n_values > NAMES_SHARE * n_cells


def is_identifier(categories: NDArray[Any]) -> bool:
    """Whether a column has a value of its own in nearly every row."""
    return categories.size == 1 and groups_rare(categories)


def positions(cells: Sequence[Any], categories: NDArray[Any]) -> FloatArray:
    """Where each cell is among the categories; missing and unseen ones are NaN.

    Unseen ones are rare ones where these share a category.
    """
    if is_identifier(categories):
        return np.zeros(len(cells))
    place = {str(value): float(rank) for rank, value in enumerate(categories)}
    unseen = place[RARE] if groups_rare(categories) else np.nan
    number = {
        value: np.nan if is_missing(value) else place.get(str(value), unseen)
        for value in set(cells)
    }
    return np.fromiter(map(number.__getitem__, cells), np.float64, len(cells))


def plain_numbers(name: Any, cells: Sequence[Any]) -> FloatArray:
    """Numbers or times, of Python or as text, as float64; NaN where missing."""
    kinds = {type(cell) for cell in cells if not is_missing(cell)}
    if all(issubclass(kind, NUMBERS) for kind in kinds):
        refuse_huge(cells, name)
        return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
    distinct = {cell for cell in set(cells) if not is_missing(cell)}
    if all(map(_is_number, distinct)):
        number = {cell: float(cell) for cell in distinct}
        return np.array([number.get(cell, np.nan) for cell in cells])
    found = dates_in(distinct) or amounts_in(distinct)
    found = found or {cell: seconds(cell) for cell in distinct}
    return np.array([found.get(cell, np.nan) for cell in cells])


def warn_nominal(names: Sequence[Any], categories: dict[int, NDArray[Any]]) -> None:
    """Warn which columns name the rows, and which have rare categories together."""
    rare = [j for j, found in categories.items() if groups_rare(found)]
    identifiers = [names[j] for j in rare if is_identifier(categories[j])]
    grouped = [names[j] for j in rare if not is_identifier(categories[j])]
    if identifiers:
        warn(
            f"column(s) {listed_names(identifiers)} have a value of their own in "
            "nearly every row, like identifiers, which say nothing about other rows: "
            "they are ranked last. Leave them out, or make words of free text "
            "(sklearn.feature_extraction.text.CountVectorizer)."
        )
    if grouped:
        warn(
            f"column(s) {listed_names(grouped)} have more than {MOST_CATEGORIES} "
            f"categories: the {MOST_CATEGORIES - 1} most frequent of each are kept, "
            "and the others are merged into one."
        )


def groups_rare(categories: NDArray[Any]) -> bool:
    """Whether the rarest categories of a column are taken together."""
    return categories.size > 0 and str(categories[-1]) == RARE


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number, or text that is one."""
    if isinstance(cell, str):
        return is_plain_number(cell)
    return isinstance(cell, NUMBERS)


def _all_of(values: Iterable[Any], kinds: Any) -> bool:
    return all(isinstance(value, kinds) for value in values)


def _refused(name: Any, kinds: Iterable[type]) -> TypeError:
    found = sorted({kind.__name__ for kind in kinds} - {"NoneType", "NAType"})
    return TypeError(
        f"column {name!r} holds {' and '.join(found)} values: argument must be a "
        "string or a number. Turn the column into numbers, dates or text first, a list "
        "into one column per item, or leave it out."
    )
