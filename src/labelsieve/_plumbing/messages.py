"""Words for people: warnings, names that were meant, progress, and who watches."""

from __future__ import annotations

import importlib
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import Any

# What has been said since `told_once` began, None outside of it.
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

# How far what is waited for is, from 0 to 1.
_reached = 0.0


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
def told_once() -> Iterator[None]:
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
    while _package(frame) in BETWEEN and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _package(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


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


def progress(steps: range, title: str, verbose: bool) -> Iterator[int]:
    """Go through `steps`, showing them on the standard error stream if `verbose`.

    On a terminal and in a notebook one line is redrawn; elsewhere only the end is
    reported.
    """
    if not verbose:
        yield from steps
        return
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

    The line is there after a second, and gone at the end.
    """
    start = _start() if is_watched() else ""
    if not start:
        yield
        return
    begin, over = time.monotonic(), threading.Event()

    def tick() -> None:
        while not over.wait(PATIENCE):
            far = f"{_reached:.0%}, " if _reached else ""
            show(f"{text}: {far}{time.monotonic() - begin:.0f} s", start, end="")

    reached(0.0)
    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
        if time.monotonic() - begin >= PATIENCE:
            show("", "\r\x1b[K" if sys.stderr.isatty() else "\n", end="")


def _start() -> str:
    """What begins a line that is redrawn, nothing where lines cannot be."""
    if sys.stderr.isatty():
        return "\r\x1b[K"
    return "\r" if in_notebook() else ""
