"""Where words go: results to the standard output, notes to the standard error."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Sequence
from typing import Any


def say(text: str) -> None:
    """Write a line of the result; what the terminal cannot show becomes a mark."""
    encoding = sys.stdout.encoding or "utf-8"
    put(f"{text}\n".encode(encoding, "replace"))


def put(content: bytes) -> None:
    """Write bytes to the standard output, now: what fails is said, not lost."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
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


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns: the numbers right, the words left."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    numeric = [
        bool(rows) and all(_is_number(row[place]) for row in rows)
        for place in range(len(header))
    ]

    def line(cells: Sequence[str]) -> str:
        laid = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(laid).rstrip()

    return "\n".join(map(line, [header, *rows]))


def printable(text: str) -> str:
    """Return a name from a file without what could control the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _is_number(cell: str) -> bool:
    # Thousands have commas; "6,2" is a name.
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", cell)
    try:
        float(plain.removesuffix(" %"))
    except ValueError:
        return cell in ("", "-")
    return True


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
