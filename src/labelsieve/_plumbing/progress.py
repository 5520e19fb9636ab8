"""One small way to show how far a long loop is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from labelsieve._plumbing.watching import in_notebook, is_watched

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
            sys.stderr.write("\n" if start else "")
            raise
        now = time.monotonic()
        last = done == len(steps)
        if last or (start and now - shown > SECONDS_BETWEEN_LINES):
            shown = now
            remaining = (now - begin) / done * (len(steps) - done)
            text = f"{title}: {done} of {len(steps)}, {now - begin:.1f} s"
            text += "" if last else f", about {remaining:.0f} s to go"
            sys.stderr.write(f"{start}{text}")
            if last:
                sys.stderr.write("\n")
            sys.stderr.flush()


def step(text: str, verbose: bool) -> None:
    """Say what is being done, on a line that the next step or progress replaces."""
    if verbose and (start := _start()):
        sys.stderr.write(f"{start}{text}")
        sys.stderr.flush()


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

    def show() -> None:
        while not over.wait(PATIENCE):
            far = f"{_reached:.0%}, " if _reached else ""
            seconds = time.monotonic() - begin
            sys.stderr.write(f"{start}{text}: {far}{seconds:.0f} s")
            sys.stderr.flush()

    reached(0.0)
    clock = threading.Thread(target=show, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
        if time.monotonic() - begin >= PATIENCE:
            sys.stderr.write("\r\x1b[K" if sys.stderr.isatty() else "\n")
            sys.stderr.flush()


def _start() -> str:
    """What begins a line that is redrawn, nothing where lines cannot be."""
    if sys.stderr.isatty():
        return "\r\x1b[K"
    return "\r" if in_notebook() else ""
