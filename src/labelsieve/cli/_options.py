"""Options that several commands share, how they are read, and where words go."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any, NoReturn

from labelsieve._utils.messages import printable, show
from labelsieve.cli._interrupts import drop_output

OK, BAD_INPUT = 0, 2
EVERYWHERE = {
    "--quiet": "results only: no notes, no progress",
    "--debug": "show the traceback of an error",
}
# Sizes that cross-validation chooses, and by which rule of SizeCV.
CV_RULES = {"cv": "best", "cv-1se": "one_standard_error"}


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help with examples as they were written and room for the options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=88)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, also that its help cannot be written."""

    def options(self, described: str, **rules: dict[str, Any]) -> None:
        """Add options as their help shows them, what they do in the lines below.

        What follows the names says what is expected (see `TYPES`, or {one,of,these}),
        and what follows " = " the default. `rules` tell argparse more, by option.
        """
        for entry in re.split(r"\n(?=-)", dedent(described).strip()):
            usage, _, help = entry.partition("\n")
            usage, _, default = usage.partition(" = ")
            *flags, last = usage.split()
            more: dict[str, Any] = {"default": default or None}
            if last.startswith("-"):
                flags.append(last)
                more = {"action": "store_true"}
            elif last.startswith("{"):
                more["choices"] = last[1:-1].split(",")
            else:
                more |= {"metavar": last, "type": TYPES.get(last, str)}
            name = flags[-1].lstrip("-").replace("-", "_")
            more |= rules.get(name, {})
            self.add_argument(*flags, help=" ".join(help.split()), **more)

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not sys.stdout:
            show(message, end="")
        elif code := flushed(OK, message):
            self.exit(code)

    def error(self, message: str) -> NoReturn:
        line = " ".join(f"{message} (see {self.prog} --help)".split())
        self.exit(BAD_INPUT, f"{self.prog}: error: {line}\n")


def new_parser(
    commands: Any, name: str, run: Callable[[Any], None], **texts: str
) -> Parser:
    """Add a command with the options that all commands have."""
    parser: Parser = commands.add_parser(name, formatter_class=Formatter, **texts)
    everywhere = parser.add_argument_group("in every command")
    for flag, text in EVERYWHERE.items():
        everywhere.add_argument(flag, action="store_true", help=text)
    parser.set_defaults(run=run)
    return parser


def add_data_options(parser: Parser) -> None:
    """Add the options that say which columns are labels."""
    parser.options(
        """
        --labels WHICH
            which columns are labels, where the file does not say: 7 (the first 7),
            -7 (the last 7), a beginning of names (tag_), names with commas (a,b,c) or a
            Mulan XML file
        --targets WHICH
            instead of --labels: which columns are targets of any type, also classes
            (text, or a few whole numbers) and numbers
        --target-type NAME=TYPE
            what a target is, if not what its values look like: label, class or number;
            may be repeated
        --separator TEXT
            what stands between two labels in a cell, where the columns of --labels
            hold text such as "red;green"; lists in Parquet and JSON files need none
        --unknown VALUE
            what stands for a label that is not known, for example --unknown=-1,
            in addition to empty cells, ? and NA
        --min-rows N = 1
            leave out labels with fewer rows (default: 1)
        """,
        target_type={"type": read_setting, "action": "append"},
    )


def add_text_options(parser: Parser) -> None:
    """Add the options that make words of texts."""
    parser.options(
        """
        --text COLUMN
            turn the text of this column into one feature per word, present or not;
            may be repeated
        --min-df N = 2
            leave out words in fewer rows, or in a smaller share of them (default: 2)
        --ngrams N = 1
            maximum n-gram length (default: 1)
        """,
        text={"action": "append"},
        min_df={"type": read_size},
    )


def add_run_options(parser: Parser) -> None:
    """Add the options for threads and random numbers."""
    parser.options(
        """
        --jobs N
            number of threads or processes; -1 uses all processors (default: 1)
        --seed N = 0
            seed of everything random (default: 0)
        """
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


def refuse_options(asked: dict[str, Any], why: str) -> None:
    """ValueError that names the first option that is asked for."""
    for option in (option for option, wanted in asked.items() if wanted):
        raise ValueError(f"{option} {why}")


def shows_progress(arguments: argparse.Namespace) -> bool:
    """Whether someone is there to watch."""
    return not arguments.quiet and sys.stderr.isatty()


def note(arguments: argparse.Namespace, text: str) -> None:
    """Write a line for the person at the terminal, unless they want quiet."""
    if shows_progress(arguments):
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


def flushed(code: int, text: str = "") -> int:
    """Write what is not written yet; a disk that is full is an error of its own."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        drop_output()
        return code
    except OSError as error:
        drop_output()
        complain(f"error: standard output: {error.strerror}")
        return BAD_INPUT


# What is expected where an option shows this.
TYPES: dict[str, Callable[[str], Any]] = {
    "WHICH": read_labels_option,
    "N": whole_number,
    "NAMES": names,
    "METHODS": names,
    "CLASSIFIERS": names,
    "PAGE": Path,
    "FOLDER": Path,
    "SECONDS": float,
    "LEVEL": float,
}
