"""Whether somebody watches, what is being done for them, and words for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# What is being fitted, the innermost last, and whether its user asked to be told;
# only words for people depend on it.
_doing: list[tuple[str, bool]] = []
_silent = False


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
        start = "\r\x1b[K" if sys.stderr.isatty() else ""  # over a line of progress
        show(f"labelsieve: {text}", start)


@contextmanager
def doing(what: str, verbose: bool = False) -> Iterator[None]:
    """Remember what is being done, for those who ask why it takes long."""
    entry = what, bool(verbose)
    _doing.append(entry)
    try:
        yield
    finally:
        _doing.remove(entry)


def what_is_done() -> str | None:
    """What is being done, None where nothing was said."""
    return _doing[-1][0] if _doing else None
