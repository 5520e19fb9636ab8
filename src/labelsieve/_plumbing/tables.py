"""One description of a table, shown as text, Markdown, HTML or a DataFrame."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from numbers import Real
from typing import Any

from labelsieve._plumbing.messages import printable

Row = Mapping[str, Any]

# In Markdown a pipe ends a cell, and a bracket before a letter begins HTML.
_MARKDOWN = re.compile(r"\||<(?=[A-Za-z/!?])")
BEST = "best"
# A notebook shows a screen; the whole table is in `to_frame`.
MOST_ROWS = 30


@dataclass(frozen=True)
class Cell:
    """A value and how it is shown."""

    value: Any  # None where there is nothing
    text: str
    tone: str = ""  # what is to be seen at a glance: "best" is bold, "good", "bad"
    mark: str = ""  # a sign behind the text on a page
    meaning: str = ""  # what the mark says

    @property
    def sort(self) -> float | None:
        """The number by which a column is sorted, None where it is none."""
        if isinstance(self.value, Real) and math.isfinite(self.value):
            return float(self.value)
        return None


@dataclass(frozen=True)
class Column:
    """What a column shows of each row."""

    heading: str
    # Which entries of a row are shown; the first is the value of the cell.
    key: str | tuple[str, ...]
    # The format of the value, such as ".4f", or a function of all entries.
    show: str | Callable[..., str] = ""
    number: bool = False  # numbers stand at the right
    style: str = ""  # on a page: "name" must not break, "words" need room
    tones: Mapping[Any, str] = field(default_factory=dict)  # of some values

    @property
    def keys(self) -> tuple[str, ...]:
        """The entries of a row that are shown."""
        return (self.key,) if isinstance(self.key, str) else self.key

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row; an entry that is a cell already stays as it is."""
        values = [row.get(key) for key in self.keys]
        value = values[0]
        if isinstance(value, Cell):
            return value
        if value is None:
            return Cell(None, "")
        show = self.show
        text = format(value, show) if isinstance(show, str) else show(*values)
        return Cell(value, text, self.tones.get(value, "") if self.tones else "")


def numbers(heading: str, key: str | tuple[str, ...], show: Any = "z.4g") -> Column:
    """Return a column of numbers; the format shows -0 as 0."""
    return Column(heading, key, show, number=True)


@dataclass(frozen=True)
class Table:
    """What is in a table; how it looks is for those who show it.

    Rows are mappings, which may lack entries; notes are sentences below the title.

    Examples
    --------
    >>> from labelsieve._plumbing.tables import Column, Table, numbers
    >>> columns = [Column("method", "name"), numbers("loss", "loss", ".2f")]
    >>> rows = [{"name": "sieve", "loss": 0.125}, {"name": "pmu"}]
    >>> print(Table("", columns, rows).to_text())
    method  loss
    sieve   0.12
    pmu
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    def cells(self) -> list[list[Cell]]:
        """Return the cells, row by row."""
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    def without(self, *keys: str) -> Table:
        """Return the table without some columns, by their first key."""
        kept = [column for column in self.columns if column.keys[0] not in keys]
        return replace(self, columns=kept)

    def telling(self, *keys: str) -> Table:
        """Return it without those of the columns that say the same in all rows."""
        same = [key for key in keys if len({row.get(key) for row in self.rows}) < 2]
        return self.without(*same)

    def to_text(self) -> str:
        """Return it for a terminal: the numbers at the right, the words at the left."""
        lines = [[column.heading for column in self.columns]]
        lines += [[cell.text for cell in row] for row in self.cells()]
        lines = [[printable(text) for text in line] for line in lines]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

        def laid(line: list[str]) -> str:
            cells = zip(line, widths, self.columns, strict=True)
            return "  ".join(
                text.rjust(width) if column.number else text.ljust(width)
                for text, width, column in cells
            ).rstrip()

        head = [printable(text) for text in (self.title, *self.notes) if text]
        return "\n\n".join([*head, "\n".join(map(laid, lines))])

    def to_markdown(self, level: int = 2) -> str:
        """Return it with the title as a heading of some level, 0 for no heading."""
        title = [f"{'#' * level} {self.title}"] if level else []
        lines = [[_escaped(column.heading) for column in self.columns]]
        lines.append(["---"] * len(self.columns))
        lines += [[_in_markdown(cell) for cell in row] for row in self.cells()]
        drawn = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return "\n\n".join([*title, *self.notes, drawn])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one plain dictionary of values per row."""
        keys = [key for column in self.columns for key in column.keys]
        rows = [{key: row.get(key) for key in keys} for row in self.rows]
        return [
            {k: v.value if isinstance(v, Cell) else v for k, v in row.items()}
            for row in rows
        ]


def _in_markdown(cell: Cell) -> str:
    text = _escaped(cell.text)
    return f"**{text}**" if cell.tone == BEST else text


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.splitlines()))


def paragraphs(sentences: Iterable[str]) -> str:
    """One paragraph per sentence."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def table(shown: Table) -> str:
    """The first rows of a table, the title above and what is left out below."""
    head = "".join(f"<th>{escape(column.heading)}</th>" for column in shown.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell.text)}</td>" for cell in row) + "</tr>"
        for row in shown.cells()[:MOST_ROWS]
    )
    title = f"<caption>{escape(shown.title)}</caption>" if shown.title else ""
    left = len(shown.rows) - MOST_ROWS
    more = f"<p>… and {left:,} more rows: see to_frame()</p>" if left > 0 else ""
    return (
        f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        + more
    )


def frame_of(columns: Mapping[str, Any]) -> Any:
    """A DataFrame of the columns: polars where only polars is loaded, else pandas."""
    if "polars" in sys.modules and "pandas" not in sys.modules:
        return sys.modules["polars"].DataFrame(columns)
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a table of the answer needs pandas or polars, and neither is installed: "
            "pip install 'labelsieve[tables]'"
        ) from error
    return pandas.DataFrame(columns)
