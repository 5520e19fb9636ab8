"""One small way to show how far a long loop is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from labelsieve._plumbing.watching import in_notebook, is_watched, show

# Redrawing more often than this only costs time.
SECONDS_BETWEEN_LINES = 0.1
# What takes less is not worth a line.
PATIENCE = 1.0

# How far what is waited for is, from 0 to 1.
_reached = 0.0


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
