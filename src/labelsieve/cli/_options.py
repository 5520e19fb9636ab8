"""Options that several commands share, how they are read, and where words go."""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
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
MOST_FEATURES = 1_000_000  # that are worth a list of all numbers up to there


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

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not sys.stdout:
            show(message, end="")
        elif code := flushed(OK, message):
            self.exit(code)

    def error(self, message: str) -> NoReturn:
        line = " ".join(f"{message} (see {self.prog} --help)".split())
        self.exit(BAD_INPUT, f"{self.prog}: error: {line}\n")


def add_command(
    commands: Any, run: Callable[[Any], None], text: str, **rules: dict[str, Any]
) -> None:
    """Add a command as a text describes it, with the options that all commands have.

    The text has the name and what it does in short, the same at length, arguments and
    options as the help shows them, with their meaning in the lines below, and examples.
    What follows the names says what is expected (see `TYPES`, or {one,of,these}), and
    what follows " = " the default; <data> stands for options of `SHARED`. `rules` tell
    argparse more, by option.
    """
    for place, shared in SHARED.items():
        text = text.replace(f"{place}\n", shared)
    head, long, rest = text.strip().split("\n\n", 2)
    name, _, short = head.partition(": ")
    described, _, examples = rest.partition("\n\nexamples:\n")
    parser = commands.add_parser(
        name,
        formatter_class=Formatter,
        help=short,
        description=" ".join(long.split()),
        epilog=f"examples:\n{examples}",
    )
    everywhere = parser.add_argument_group("in every command")
    for flag, meaning in EVERYWHERE.items():
        everywhere.add_argument(flag, action="store_true", help=meaning)
    parser.set_defaults(run=run)
    for entry in re.split(r"\n(?=\S)", described):
        usage, *words = entry.split("\n")
        meaning = " ".join(" ".join(words).split())
        usage, _, default = usage.partition(" = ")
        *flags, last = usage.split()
        more: dict[str, Any] = {"default": default or None}
        if last.startswith("-"):
            flags.append(last)
            more = {"action": "store_true"}
        elif last.startswith("{"):
            more["choices"] = last[1:-1].split(",")
        else:
            kind = TYPES.get(flags[-1]) or TYPES.get(last, str)
            more |= {"metavar": last, "type": kind}
        if "may be repeated" in meaning:
            more |= {"action": "append", "default": []}
        more |= rules.get(flags[-1].lstrip("-").replace("-", "_"), {})
        parser.add_argument(*flags, help=meaning, **more)


# What several commands share, by where it stands in their texts.
SHARED = {
    "<data>": """\
--labels WHICH
    which columns are labels, where the file does not say: 7 (the first 7), -7 (the
    last 7), a beginning of names (tag_), names with commas (a,b,c) or a Mulan XML file
--targets WHICH
    instead of --labels: which columns are targets of any type, also classes (text, or a
    few whole numbers) and numbers
--target-type NAME=TYPE
    what a target is, if not what its values look like: label, class or number; may be
    repeated
--separator TEXT
    what stands between two labels in a cell, where the columns of --labels hold text
    such as "red;green"; lists in Parquet and JSON files need none
--unknown VALUE
    what stands for a label that is not known, for example --unknown=-1, in addition to
    empty cells, ? and NA
--min-rows N = 1
    leave out labels with fewer rows (default: 1)
""",
    "<text>": """\
--text COLUMN
    turn the text of this column into one feature per word, present or not; may be
    repeated
--min-df N = 2
    leave out words in fewer rows, or in a smaller share of them (default: 2)
--ngrams N = 1
    maximum n-gram length (default: 1)
""",
    "<run>": """\
--jobs N
    number of threads or processes; -1 uses all processors (default: 1)
--seed N = 0
    seed of everything random (default: 0)
""",
    "<results>": """\
--report PAGE
    write a page about the results
--retry-failed
    compute failed cells again
--json
    print the results as JSON
""",
    "<output>": """\
-o --output FILE
    write the ranking: .csv, .json or .txt (names only); - for CSV on the standard
    output
--raw
    in CSV: names as they are; by default a ' stands before those that a spreadsheet
    would run (= + - @)
--reduced FILE
    write the data with the kept features only
--report PAGE
    measure quality, write a page
--open
    open the page in the browser; without --report it is a temporary file
--splits N = 10
    random splits for measuring quality (default: 10)
--budget SECONDS
    computing time for measuring quality, on a page also for substitutes; where all rows
    would take more, a sample of them (default: 10 selections, at least 10; inf: all)
--json
    print one JSON object
""",
}


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
        what = "a number of features (20), a share of them (0.1), auto, cv or cv-1se"
        raise _expected(what, repr(text)) from None
    if number <= 0 or (isinstance(number, float) and not number <= 1):
        raise _expected("at least 1, or a share between 0 and 1", text)
    return number


def whole_number(text: str) -> int:
    """Return an int, with an error that says what was expected."""
    try:
        return int(text)
    except ValueError:
        raise _expected("a whole number", repr(text)) from None


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the numbers of ``1-50`` or ``5,10,20``."""
    try:
        first, dash, last = text.partition("-")
        if dash:
            sizes: Sequence[int] = range(int(first), int(last) + 1)
        else:
            sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = ()
    if not sizes or sizes[0] < 1 or sizes[-1] > MOST_FEATURES:
        what = f"numbers of features such as 1-50 or 5,10,20, up to {MOST_FEATURES:,}"
        raise _expected(what, repr(text))
    return tuple(sizes)


def read_rounds(text: str) -> int:
    """Return a number of rounds, 2 or more."""
    try:
        rounds = int(text)
    except ValueError:
        way_out = "; a data set goes before the options"
        raise _expected("a number of rounds", repr(text) + way_out) from None
    if rounds < 2:
        raise _expected("at least 2 rounds", text)
    return rounds


def names(text: str) -> list[str]:
    """Return what commas separate; quotes are those of CSV, for names with commas."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if '"' in text:
        found = next(csv.reader([text], skipinitialspace=True))
    if not found:
        raise argparse.ArgumentTypeError("expected names with commas between")
    return found


def read_setting(text: str) -> tuple[str, Any]:
    """Return the name and value of ``name=value``."""
    import ast

    name, separator, value = text.partition("=")
    if not separator or not name:
        raise _expected("name=value", repr(text))
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def _expected(what: str, got: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"expected {what}, got {got}")


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


def methods_that(*needed: str) -> list[str]:
    """The methods that have capabilities, such as ``takes_weights``."""
    from labelsieve.registry import make_selector, selector_names
    from labelsieve.selectors import can

    return [name for name in selector_names() if can(make_selector(name), *needed)]


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


# What is expected where an option shows this, or of an option.
TYPES: dict[str, Callable[[str], Any]] = {
    "WHICH": read_labels_option,
    "N": whole_number,
    "N[,M]": lambda text: [whole_number(part) for part in text.split(",")],
    "SIZES": read_sizes,
    "ROUNDS": read_rounds,
    "NAMES": names,
    "METHODS": names,
    "CLASSIFIERS": names,
    "NAME=VALUE": read_setting,
    "NAME=TYPE": read_setting,
    "PAGE": Path,
    "FOLDER": Path,
    "SECONDS": float,
    "LEVEL": float,
    "SHARE": float,
    "-k": read_size,
    "--min-df": read_size,
}
