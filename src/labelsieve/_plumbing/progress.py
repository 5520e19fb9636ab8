"""One small way to show how far a long loop is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from labelsieve._plumbing.watching import in_notebook, show

# Redrawing more often than this only costs time.
SECONDS_BETWEEN_LINES = 0.1


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


def _start() -> str:
    """What begins a line that is redrawn, nothing where lines cannot be."""
    if sys.stderr.isatty():
        return "\r\x1b[K"
    return "\r" if in_notebook() else ""
