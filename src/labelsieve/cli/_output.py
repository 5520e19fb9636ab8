"""Where words go: results to the standard output, notes to the standard error."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

from labelsieve._plumbing.watching import printable, show


def say(text: str) -> None:
    """Write a line of the result; what the terminal cannot show becomes a mark."""
    text = printable(text, keep="\n")
    put(f"{text}\n".encode(sys.stdout.encoding or "utf-8", "replace"))


def put(content: bytes) -> None:
    """Write bytes to the standard output, now: what fails is said, not lost.

    A file gets them as they are, a terminal without what could control it.
    """
    if sys.stdout.isatty():
        content = printable(content.decode(errors="replace"), keep="\n").encode(
            sys.stdout.encoding or "utf-8", "replace"
        )
    try:
        sys.stdout.flush()
        if (stream := getattr(sys.stdout, "buffer", None)) is None:
            # A notebook's output, or one that was redirected, takes text only.
            sys.stdout.write(content.decode(sys.stdout.encoding or "utf-8", "replace"))
        else:
            stream.write(content)
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def say_json(value: Any) -> None:
    """Write one JSON document; NaN and infinity become null, as JSON has neither."""
    text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    if not text.isprintable():  # escapes lose nothing
        text = json.dumps(_finite(value), allow_nan=False)
    say(text)


def note(arguments: argparse.Namespace, text: str) -> None:
    """Write a line for the person at the terminal, unless they want quiet."""
    if not arguments.quiet and sys.stderr.isatty():
        show(text)


def complain(text: str) -> None:
    """Write a warning or an error, as one line."""
    show("labelsieve: " + " ".join(text.split()))


def this_command(arguments: argparse.Namespace) -> str:
    """Return the command line that was typed, ready to be typed again."""
    import shlex

    return shlex.join(["labelsieve", *arguments.words])


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
