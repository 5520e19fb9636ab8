"""Words for people: warnings, names that were meant, progress, tables.

One description of a table is shown as text, Markdown, HTML or a DataFrame.
"""

from __future__ import annotations

import importlib
import math
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from html import escape
from numbers import Real
from types import FrameType
from typing import Any

# What has been said since `warnings_once` began, None outside of it.
_said: ContextVar[set[str] | None] = ContextVar("said", default=None)

# Who stands between a user's line and ours: pipelines, searches, wrappers of `fit`,
# the compiler, and imports at first use.
BETWEEN = frozenset(
    {
        "_frozen_importlib",
        "_frozen_importlib_external",
        "contextlib",
        "dask",
        "distributed",
        "importlib",
        "joblib",
        "labelsieve",
        "numba",
        "sklearn",
        "threadpoolctl",
    }
)
# What is being fitted, the innermost last, and whether its user asked to be told;
# only words for people depend on it.
_doing: list[tuple[str, bool]] = []
_silent = False
# Redrawing more often than this only costs time.
SECONDS_BETWEEN_LINES = 0.1
# What takes less is not worth a line.
PATIENCE = 1.0

# How far what is waited for is, from 0 to 1, and what ends the line that shows it.
_reached = 0.0
_line_ends: threading.Event | None = None
Row = Mapping[str, Any]

# In Markdown a pipe ends a cell, and a bracket before a letter begins HTML.
_MARKDOWN = re.compile(r"\||<(?=[A-Za-z/!?])")
BEST = "best"
# A notebook shows a screen; the whole table is in `to_frame`.
MOST_ROWS = 30


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into the library, as if it stood there."""
    said = _said.get()
    if said is not None:
        if message in said:
            return
        said.add(message)
    frame = _user_frame()
    names = frame.f_globals
    warnings.warn_explicit(
        message,
        category,
        filename=frame.f_code.co_filename,
        lineno=frame.f_lineno,
        module=names.get("__name__", "<unknown>"),
        registry=names.setdefault("__warningregistry__", {}),
    )


@contextmanager
def warnings_once() -> Iterator[None]:
    """Give each warning once in here, or in a function that this decorates.

    What fits a selector several times would say the same each time.
    """
    if _said.get() is not None:
        yield
        return
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


def _user_frame() -> FrameType:
    """The innermost frame of other code; in a thread of a pool, the outermost."""
    frame = sys._getframe()
    while frame.f_back is not None:
        package, _, _ = frame.f_globals.get("__name__", "").partition(".")
        if package not in BETWEEN:
            break
        frame = frame.f_back
    return frame


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """Say that there is no such name, which one comes near, and which there are."""
    known = list(known)
    listed = f"xpected one of {', '.join(known)}."
    near = nearest(str(name), known)
    if near is None:
        return f"unknown {kind} {name!r}; e{listed}"
    return f"unknown {kind} {name!r}; did you mean {near!r}? E{listed}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one in any case, if any does."""
    from difflib import get_close_matches

    spelled = {word.lower(): word for word in known}
    found = get_close_matches(name.lower(), spelled, n=1)
    return spelled[found[0]] if found else None


def need(module: str, use: str, extra: str) -> Any:
    """Import a module that `use` needs, or say which extra installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"{use} needs {package}: pip install 'labelsieve[{extra}]'", name=error.name
        ) from error


def in_notebook() -> bool:
    """Whether the standard error stream is shown below a cell of a notebook."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def is_watched() -> bool:
    """Whether a person sees what is written on the standard error stream now.

    At a terminal, in a notebook, at the prompt of Python wherever that is shown, and
    who asked for it by ``verbose=True``.
    """
    if _silent:
        return False
    asked = any(wanted for _, wanted in _doing)
    return asked or in_notebook() or sys.stderr.isatty() or hasattr(sys, "ps1")


def be_silent(wanted: bool) -> None:
    """Say nothing to anybody from now on, as ``--quiet`` wants it; or speak again."""
    global _silent
    _silent = wanted


def printable(text: str, keep: str = "") -> str:
    """Return text from outside without what could control the terminal."""
    return "".join(
        c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}"
        for c in text.replace("\N{NO-BREAK SPACE}", " ")
    )


def show(text: str, start: str = "", end: str = "\n") -> None:
    """Write to the standard error stream: the one place that does, so all is clean."""
    if _line_ends is not None and not start and sys.stderr.isatty():
        start = "\r\x1b[K"  # over a line of `waiting`
    with suppress(OSError):  # nobody can be told that nobody can be told
        sys.stderr.write(start + printable(text, keep="\n") + end)
        sys.stderr.flush()


def notify(text: str) -> None:
    """Write a line for the person who watches, if there is one."""
    if is_watched():
        start = "\r\x1b[K" if sys.stderr.isatty() else ""  # over a line of progress
        show(f"labelsieve: {text}", start)


@contextmanager
def status(what: str, verbose: bool = False) -> Iterator[None]:
    """Remember what is being done; show that it goes on if its user asked for it."""
    entry = what, bool(verbose)
    _doing.append(entry)
    try:
        with waiting(what) if verbose else nullcontext():
            yield
    finally:
        _doing.remove(entry)


def current_status() -> str | None:
    """What is being done, None where nothing was said."""
    return _doing[-1][0] if _doing else None


def progress(steps: range, title: str, verbose: bool) -> Iterator[int]:
    """Go through `steps`, showing them on the standard error stream if `verbose`.

    On a terminal and in a notebook one line is redrawn; elsewhere only the end is
    reported. It takes the place of a line of `waiting`.
    """
    if not verbose:
        yield from steps
        return
    if _line_ends is not None:
        _line_ends.set()
    begin = shown = time.monotonic()
    start = _start()
    for done, step in enumerate(steps, start=1):
        try:
            yield step
        except GeneratorExit:  # the caller has enough
            show("", end="\n" if start else "")
            raise
        now = time.monotonic()
        last = done == len(steps)
        if last or (start and now - shown > SECONDS_BETWEEN_LINES):
            shown = now
            remaining = (now - begin) / done * (len(steps) - done)
            text = f"{title}: {done} of {len(steps)}, {now - begin:.1f} s"
            text += "" if last else f", about {remaining:.0f} s to go"
            show(text, start, end="\n" if last else "")


def step(text: str, verbose: bool) -> None:
    """Say what is being done, on a line that the next step or progress replaces."""
    if verbose and (start := _start()):
        show(text, start, end="")


def reached(share: float) -> None:
    """Say how far the work is that `waiting` shows."""
    global _reached
    _reached = share


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show what is waited for, for how long and how far it is, if somebody watches.

    The line is there after a second, and gone at the end. Inside of another one
    there is none.
    """
    global _line_ends
    start = _start() if is_watched() and _line_ends is None else ""
    if not start:
        yield
        return
    begin, over = time.monotonic(), threading.Event()

    def tick() -> None:
        while not over.wait(PATIENCE):
            far = f"{_reached:.0%}, " if _reached else ""
            show(f"{text}: {far}{time.monotonic() - begin:.0f} s", start, end="")

    reached(0.0)
    _line_ends = over
    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        _line_ends, replaced = None, over.is_set()
        over.set()
        clock.join()
        if time.monotonic() - begin >= PATIENCE and not replaced:
            show("", "\r\x1b[K" if sys.stderr.isatty() else "\n", end="")


def _start() -> str:
    """What begins a line that is redrawn, nothing where lines cannot be."""
    if sys.stderr.isatty():
        return "\r\x1b[K"
    return "\r" if in_notebook() else ""


@dataclass(frozen=True)
class TableCell:
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
        return (self.key,) if isinstance(self.key, str) else self.key

    def cell(self, row: Row) -> TableCell:
        """Return the cell of a row; an entry that is a cell already stays as it is."""
        values = [row.get(key) for key in self.keys]
        value = values[0]
        if isinstance(value, TableCell):
            return value
        if value is None:
            return TableCell(None, "")
        show = self.show
        text = format(value, show) if isinstance(show, str) else show(*values)
        return TableCell(value, text, self.tones.get(value, "") if self.tones else "")


def numbers(heading: str, key: str | tuple[str, ...], show: Any = "z.4g") -> Column:
    """Return a column of numbers; the format shows -0 as 0."""
    return Column(heading, key, show, number=True)


@dataclass(frozen=True)
class Table:
    """What is in a table; how it looks is for those who show it.

    Rows are mappings, which may lack entries; notes are sentences below the title.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    def cells(self) -> list[list[TableCell]]:
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    def without(self, *keys: str) -> Table:
        """Return the table without some columns, by their first key."""
        kept = [column for column in self.columns if column.keys[0] not in keys]
        return replace(self, columns=kept)

    def without_constant(self, *keys: str) -> Table:
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
        for row in self.cells():
            texts = [(_escaped(cell.text), cell.tone == BEST) for cell in row]
            lines.append([f"**{text}**" if best else text for text, best in texts])
        drawn = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return "\n\n".join([*title, *self.notes, drawn])

    def to_dicts(self) -> list[dict[str, Any]]:
        keys = [key for column in self.columns for key in column.keys]
        rows = [{key: row.get(key) for key in keys} for row in self.rows]
        return [
            {k: v.value if isinstance(v, TableCell) else v for k, v in row.items()}
            for row in rows
        ]


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.splitlines()))


def paragraphs(sentences: Iterable[str]) -> str:
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


def with_page(static: str, shown: Any) -> str:
    """The live page in a frame, and a table for where scripts may not run."""
    if shown.source is None:
        return static
    try:
        page = need("labelsieve.report", "a page", "report").notebook_page(shown)
    except ModuleNotFoundError:
        return static
    return (
        '<iframe title="labelsieve" sandbox="allow-scripts" allow="clipboard-write" '
        f'style="width:100%;height:46rem;border:0" srcdoc="{escape(page)}"></iframe>'
        f"<details><summary>As a table</summary>{static}</details>"
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
