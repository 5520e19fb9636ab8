"""Where words go: results to the standard output, notes to the standard error."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any


def say(text: str) -> None:
    """Write a line of the result; what the terminal cannot show becomes a mark."""
    encoding = sys.stdout.encoding or "utf-8"
    put(f"{text}\n".encode(encoding, "replace"))


def put(content: bytes) -> None:
    """Write bytes to the standard output, now: what fails is said, not lost."""
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
    say(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False))


def note(arguments: argparse.Namespace, text: str) -> None:
    """Write a line for the person at the terminal, unless they want quiet."""
    if not arguments.quiet and sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")


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
