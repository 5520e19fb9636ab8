"""Options that several commands share, and how they are read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

# Sizes that cross-validation chooses, and by which rule of SizeCV.
CV_RULES = {"cv": "best", "cv-1se": "one_standard_error"}
# Options that say how a file is read.
READING = ("labels", "separator", "unknown", "min_rows")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help with examples as they were written and room for the options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=88)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


def new_parser(commands: Any, name: str, **texts: str) -> argparse.ArgumentParser:
    """Add a command with the options that all commands have."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, formatter_class=Formatter, **texts
    )
    everywhere = parser.add_argument_group("in every command")
    everywhere.add_argument(
        "--quiet", action="store_true", help="results only: no notes, no progress"
    )
    everywhere.add_argument(
        "--debug", action="store_true", help="show the traceback of an error"
    )
    return parser


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that says which columns are labels."""
    parser.add_argument(
        "--labels",
        type=read_labels_option,
        metavar="WHICH",
        help="which columns are labels, where the file does not say: 7 (the first 7), "
        "-7 (the last 7), a beginning of names (tag_), names with commas (a,b,c) or a "
        "Mulan XML file",
    )
    parser.add_argument(
        "--separator",
        metavar="TEXT",
        help="what stands between two labels in a cell, where the columns of --labels "
        'hold text such as "red;green"; lists in Parquet and JSON files need none',
    )
    parser.add_argument(
        "--unknown",
        metavar="VALUE",
        help="what stands for a label that is not known, for example --unknown=-1, "
        "beside empty cells, ? and NA",
    )
    parser.add_argument(
        "--min-rows",
        type=whole_number,
        default=1,
        metavar="N",
        help="leave out labels of fewer rows (default: 1)",
    )


def reading_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `labelsieve.datasets.load` is told of these options."""
    return {name: getattr(arguments, name) for name in READING}


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that make words of texts."""
    parser.add_argument(
        "--text",
        action="append",
        metavar="COLUMN",
        help="make words of the text of this column, each a feature that is there or "
        "not; may be repeated",
    )
    parser.add_argument(
        "--min-df",
        type=read_size,
        default=2,
        metavar="N",
        help="leave out words of fewer rows, or of a smaller share of them "
        "(default: 2)",
    )
    parser.add_argument(
        "--ngrams",
        type=whole_number,
        default=1,
        metavar="N",
        help="up to so many words after each other are a feature, too (default: 1)",
    )


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for threads and random numbers."""
    parser.add_argument(
        "--jobs",
        type=whole_number,
        metavar="N",
        help="number of threads or processes; -1 uses all processors (default: 1)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="N",
        help="seed of everything random (default: 0)",
    )


def read_labels_option(text: str) -> int | str | list[str] | Path:
    """Return what `labelsieve.datasets.load` takes as `labels`."""
    try:
        return int(text)
    except ValueError:
        pass
    if text.lower().endswith(".xml"):
        return Path(text)
    return [name for name in text.split(",") if name] if "," in text else text


def read_size(text: str) -> int | float | str:
    """Return a count (20) or a share (0.1) of features, or a word that finds it."""
    if text == "auto" or text in CV_RULES:
        return text
    try:
        number = float(text) if "." in text or "e" in text else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a number of features (20), a share of them (0.1), auto, cv or "
            f"cv-1se, got {text!r}"
        ) from None
    if number <= 0 or (isinstance(number, float) and not number <= 1):
        raise argparse.ArgumentTypeError(
            f"expected at least 1, or a share between 0 and 1, got {text}"
        )
    return number


def whole_number(text: str) -> int:
    """Return an int, with an error that says what was expected."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a whole number, got {text!r}"
        ) from None


def names(text: str) -> list[str]:
    """Return the names between commas."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError("expected names with commas between")
    return found


def read_setting(text: str) -> tuple[str, Any]:
    """Return the name and value of ``name=value``."""
    import ast

    name, separator, value = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"expected name=value, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value
