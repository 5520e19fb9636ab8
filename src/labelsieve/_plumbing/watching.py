"""Whether somebody watches, what is being done for them, and words for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# What is being fitted, the innermost last; only words for people depend on it.
_doing: list[str] = []
_silent = False


def in_notebook() -> bool:
    """Whether the standard error stream is shown below a cell of a notebook."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def is_watched() -> bool:
    """Whether a person sees what is written on the standard error stream now."""
    return not _silent and (in_notebook() or sys.stderr.isatty())


def be_silent(wanted: bool) -> None:
    """Say nothing to anybody from now on, as ``--quiet`` wants it; or speak again."""
    global _silent
    _silent = wanted


def printable(text: str, keep: str = "") -> str:
    """Return text from outside without what could control the terminal."""
    return "".join(
        c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def show(text: str, start: str = "", end: str = "\n") -> None:
    """Write to the standard error stream: the one place that does, so all is clean."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        sys.stderr.write(start + printable(text, keep="\n") + end)
        sys.stderr.flush()


def tell(text: str) -> None:
    """Write a line for the person who watches, if there is one."""
    if is_watched():
        start = "" if in_notebook() else "\r\x1b[K"  # over a line of progress
        show(f"labelsieve: {text}", start)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Remember what is being done, for those who ask why it takes long."""
    _doing.append(what)
    try:
        yield
    finally:
        _doing.remove(what)


def what_is_done() -> str | None:
    """What is being done, None where nothing was said."""
    return _doing[-1] if _doing else None
