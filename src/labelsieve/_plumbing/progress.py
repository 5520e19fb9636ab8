"""One small way to show how far a long loop is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

# Redrawing more often than this only costs time.
SECONDS_BETWEEN_LINES = 0.1


def progress(steps: range, title: str, verbose: bool) -> Iterator[int]:
    """Go through `steps`, showing them on the standard error stream if `verbose`.

    On a terminal one line is redrawn; elsewhere only the end is reported.
    """
    if not verbose:
        yield from steps
        return
    begin = shown = time.monotonic()
    terminal = sys.stderr.isatty()
    for done, step in enumerate(steps, start=1):
        yield step
        now = time.monotonic()
        last = done == len(steps)
        if last or (terminal and now - shown > SECONDS_BETWEEN_LINES):
            shown = now
            remaining = (now - begin) / done * (len(steps) - done)
            text = f"{title}: {done} of {len(steps)}, {now - begin:.1f} s"
            text += "" if last else f", about {remaining:.0f} s to go"
            sys.stderr.write(f"\r\x1b[K{text}" if terminal else text)
            if last:
                sys.stderr.write("\n")
            sys.stderr.flush()
