"""Columns as a file declares them, and which of them are labels."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.machine import cached_property
from labelsieve.datasets._places import FormatError, fault, shorten

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


Labels = int | str | Sequence[str] | os.PathLike[str] | None


@dataclass(frozen=True)
class Source:
    """The content of a file, and what the caller says of it.

    `labels` are columns by name, prefix or number. With a `separator` these columns
    hold tags, or are targets of any type. `unknown` stands for a label that is not
    known, beside an empty cell, a question mark or null.
    """

    data: bytearray
    path: str
    name: str
    labels: Labels
    separator: str | None
    unknown: str | None
    max_bytes: int


# Instead of a separator: the columns are targets as they are.
AS_TARGETS = ""
# What stands for a label that is not known while a file is read.
UNKNOWN = 255
NOT_A_LABEL = (
    "not a label; expected 0 or 1, or an empty cell where it is not known; unknown= "
    "(--unknown) says what else stands for that, targets= (--targets) takes others"
)
# What the two values of a label may be called, in lower case.
SIGNED = {"-1": 0.0, "-1.0": 0.0, "1": 1.0, "+1": 1.0, "1.0": 1.0}
NO, YES = ("0", "0.0", "false", "no"), ("true", "yes")
LABEL_VALUES = SIGNED | dict.fromkeys(NO, 0.0) | dict.fromkeys(YES, 1.0)


@dataclass
class SourceColumn:
    """One declared column: numbers, categories, free text or dates."""

    name: str
    # The text of each value of a nominal column; None for all others.
    categories: tuple[str, ...] | None = None
    # Free text: its categories are found while reading, in order of appearance.
    is_text: bool = False
    # Text that stays as it is, also where all of it could be numbers or dates.
    holds_tags: bool = False
    # Turns a date into seconds since 1970; None where the column holds no dates.
    parse_date: Callable[[str], float] | None = None
    line: int | None = None


@dataclass
class ReadPlan:
    """How the columns of a file become features and labels.

    `decoders[c]` turns the text of one value of column c into a number or raises
    ValueError, of declared values KeyError. What a sparse row leaves out is 0, or the
    first declared value: a label that declares 1 first is decoded the other way round,
    and is `flipped` back when all rows are read. `unknown` is what stands for a label
    that is not known.
    """

    columns: list[SourceColumn]
    is_label: NDArray[np.bool_]
    path: str
    is_sparse: bool = False
    unknown: str | None = None
    decoders: list[Callable[[str], float]] = field(init=False)
    texts: dict[int, dict[str, int]] = field(init=False, default_factory=dict)
    flipped: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.decoders = [self._decoder(index) for index in range(len(self.columns))]
        if self.unknown is not None:
            for index in self.label_columns:
                self.decoders[index] = _unless(self.unknown, self.decoders[index])
        if self.is_sparse:
            self.flipped = [
                place
                for place, index in enumerate(self.label_columns)
                if self._declares_one_first(index)
            ]

    @cached_property
    def feature_columns(self) -> NDArray[np.intp]:
        return np.flatnonzero(~self.is_label)

    @cached_property
    def label_columns(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.is_label)

    def codes(self, index: int) -> dict[str, float]:
        """Return the number that stands for each category of a nominal column."""
        column = self.columns[index]
        values = column.categories or ()
        if not self.is_label[index]:
            return {text: float(code) for code, text in enumerate(values)}
        known = (text for text in values if text != self.unknown)
        named = column.name, self.path, column.line
        codes = {text: label_value(text, *named) for text in known}
        if self.is_sparse and self._declares_one_first(index):
            return {text: 1.0 - value for text, value in codes.items()}
        return codes

    def categories(self) -> dict[str, tuple[str, ...]]:
        """Return the categories of each nominal feature, by name."""
        found = {}
        for index in self.feature_columns:
            column = self.columns[index]
            if column.categories is not None:
                found[column.name] = column.categories
            elif self.texts.get(int(index)):
                found[column.name] = tuple(self.texts[int(index)])
        return found

    def _decoder(self, index: int) -> Callable[[str], float]:
        column = self.columns[index]
        if self.is_label[index] and (column.is_text or column.parse_date):
            kind = "text" if column.is_text else "dates"
            reason = f"label {shorten(column.name)} holds {kind}, expected 0 and 1"
            raise FormatError(self.path, column.line, None, reason)
        if column.categories is not None:
            return self.codes(index).__getitem__
        if column.is_text:
            # A sparse row that leaves out a text means the empty one.
            texts = self.texts[index] = {"": 0} if self.is_sparse else {}
            return lambda text: float(texts.setdefault(text, len(texts)))
        plain = parse_label if self.is_label[index] else parse_number
        return column.parse_date or plain

    def decode(self, index: int, text: str, line: int, at: int) -> float:
        """Return the number of a cell; FormatError names its place."""
        try:
            return self.decoders[index](text)
        except (KeyError, ValueError) as error:
            known = not isinstance(error, KeyError)
            told = error if known else "not among the declared values"
            name = shorten(self.columns[index].name)
            reason = f"{shorten(text)} in column {name}: {told}"
            raise FormatError(self.path, line, at, reason) from None

    def _declares_one_first(self, index: int) -> bool:
        column = self.columns[index]
        if not column.categories:
            return False
        first = column.categories[0]
        return label_value(first, column.name, self.path, column.line) == 1


def label_value(text: str, name: str, path: str, line: int | None = None) -> float:
    """0 or 1, by what the value of a label is called."""
    try:
        return LABEL_VALUES[text.lower()]
    except KeyError:
        reason = (
            f"label {shorten(name)} has the value {shorten(text)}; a label is 0 or 1 "
            "(or false and true, no and yes, -1 and 1); separator= (--separator) says "
            "what stands between tags, targets= (--targets) takes classes and numbers"
        )
        raise FormatError(path, line, None, reason) from None


def choose_labels(
    names: Sequence[str], labels: Labels, path: str, separator: str | None = None
) -> NDArray[np.bool_]:
    """Return which columns are labels, or targets if that stands for the separator.

    An integer n means the first n columns and -n the last n, as in MEKA; a string is
    a prefix; a sequence lists names. Without any, the file does not say it either.
    """
    what = "target" if separator == AS_TARGETS else "label"
    if labels is None:
        reason = (
            "the file does not say which columns are labels; pass labels= "
            "(--labels): their names, a prefix, or their number (6: the first six, "
            "-6: the last six)"
        )
        raise fault(path, reason)
    if isinstance(labels, os.PathLike):
        raise ValueError("an XML file names the labels of ARFF files only")
    if isinstance(labels, (bool, np.bool_)):
        raise TypeError(f"labels must be names, a prefix or a count, got {labels!r}")
    if isinstance(labels, (int, np.integer)):
        if labels == 0 or abs(labels) > len(names):
            raise fault(path, f"{labels} columns asked for among {len(names)} columns")
        mask = np.zeros(len(names), dtype=bool)
        mask[slice(labels) if labels > 0 else slice(labels, None)] = True
    elif isinstance(labels, str):
        mask = np.array([name.startswith(labels) for name in names], dtype=bool)
        if not mask.any():
            raise fault(path, f"no {what}: no column name starts with {labels!r}")
    else:
        listed = list(labels)
        wanted = set(listed)
        if not wanted or len(wanted) < len(listed):
            raise fault(path, "the list of names is empty or repeats")
        if absent := wanted.difference(names):
            raise fault(path, f"there is no column {shorten(min(absent))} for a {what}")
        mask = np.array([name in wanted for name in names], dtype=bool)
    if mask.all():
        raise fault(path, "all columns are taken, none is a feature")
    return mask


def _unless(unknown: str, decode: Callable[[str], float]) -> Callable[[str], float]:
    """NaN for the text that stands for what is not known, else what is decoded."""
    return lambda text: math.nan if is_same_cell(text, unknown) else decode(text)


def number_in(text: str) -> float | None:
    """The number that a text is, None where it is none."""
    try:
        return parse_number(text)
    except ValueError:
        return None


def is_same_cell(text: str, other: str) -> bool:
    """Whether two cells hold the same text, or the same number."""
    number = number_in(text)
    return text == other or (number is not None and number == number_in(other))


def parse_label(text: str) -> float:
    """Return 0 or 1 of a number, or raise ValueError."""
    value = parse_number(text)
    if value not in (0.0, 1.0):
        raise ValueError(NOT_A_LABEL)
    return math.fabs(value)
