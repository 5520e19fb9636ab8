"""From the words of a command line to an exit code."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from labelsieve import __version__
from labelsieve._utils.messages import be_silent, need, show
from labelsieve.cli import _describe, _experiments, _select
from labelsieve.cli._data import DECIDED, READING
from labelsieve.cli._interrupts import Interrupts, drop_errors, drop_output
from labelsieve.cli._options import (
    BAD_INPUT,
    OK,
    Formatter,
    Parser,
    add_command,
    complain,
    flushed,
)

INTERNAL_ERROR = 1
WRITE_PAGES = ("demo", "report")
# Parameters of Python that are options of the same name.
PARAMETERS = (*READING, *DECIDED, "groups", "feature_groups")

EXAMPLES = """\
examples:
  labelsieve demo                           see it work on handwritten digits
  labelsieve describe music.arff            what is in this file?
  labelsieve select music.arff -k 20        which 20 features, and why?
  labelsieve select music.arff --report music.html
  labelsieve methods                        what can --method be?
"""


def run_command(argv: Sequence[str] | None, interrupts: Interrupts) -> int:
    """Run what the words ask for and return the exit code."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:  # argparse has written help or one line of error
        code = flushed(int(end.code or 0))
    else:
        arguments.words = list(sys.argv[1:] if argv is None else argv)
        with warnings.catch_warnings():
            be_silent(arguments.quiet)
            _warn_in_one_line(arguments)
            code = _guarded(arguments, interrupts)
    try:
        sys.stderr.flush()
    except OSError:
        drop_errors()  # Python would flush again, and end with a code of its own
    return code


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="labelsieve",
        description="Multi-label feature selection: which few predict all labels?",
        epilog=EXAMPLES,
        formatter_class=Formatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"labelsieve {__version__}"
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True
    )
    add_command(commands, _describe.show_demo, _describe.DEMO)
    add_command(commands, _select.run_select, _select.SELECT, **_select.ROUNDS)
    add_command(commands, _select.run_reduce, _select.REDUCE)
    several, any_number = {"nargs": "+"}, {"nargs": "*"}
    add_command(commands, _describe.run_describe, _describe.DESCRIBE, files=several)
    add_command(commands, _describe.run_convert, _describe.CONVERT)
    add_command(commands, _describe.run_methods, _describe.METHODS, names=any_number)
    add_command(commands, _experiments.run_compare, _experiments.COMPARE, data=several)
    add_command(commands, _experiments.run_report, _experiments.REPORT)
    add_command(commands, _experiments.run_reproduce, _experiments.REPRODUCE)
    add_command(commands, _experiments.run_leaderboard, _experiments.LEADERBOARD)
    return parser


def _guarded(arguments: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run a command; what goes wrong becomes one line and an exit code."""
    try:
        # That a page cannot be written is said before anything is computed.
        if getattr(arguments, "report", None) or arguments.command in WRITE_PAGES:
            for module in ("jinja2", "matplotlib"):
                need(module, "a page", "report")
        arguments.run(arguments)
        return flushed(OK)
    except BrokenPipeError:
        # The reader has what it wanted (labelsieve ... | head): nothing went wrong.
        drop_output()
        return OK
    except Exception as error:
        interrupts.reveal(error)
        if arguments.debug:
            import traceback

            show(traceback.format_exc(), end="")
        try:
            sys.stdout.flush()
        except OSError:
            drop_output()
        return _explain_error(error, arguments)


def _explain_error(error: Exception, arguments: argparse.Namespace) -> int:
    text = _with_options(str(error), arguments) or type(error).__name__
    if isinstance(error, (OSError, ValueError, ImportError, MemoryError)):
        if isinstance(error, OSError) and error.filename and error.strerror:
            text = f"{error.filename}: {error.strerror}"
        complain(f"error: {text}")
        return BAD_INPUT
    complain(
        f"internal error: {type(error).__name__}: {text} (--debug shows where; please "
        "report it)"
    )
    return INTERNAL_ERROR


def _with_options(text: str, arguments: argparse.Namespace) -> str:
    """The same, with options of this command for the parameters of Python.

    ``labels=``, ``labels= (--labels)`` and ``labels='x'`` become ``--labels``.
    """
    options = {name: f"--{name.replace('_', '-')}" for name in PARAMETERS}
    options = {name: options[name] for name in options if hasattr(arguments, name)}
    if "targets" in options:
        # No word but a name, also where nothing is passed.
        text = re.sub(r"\btarget_types\b=?", "--target-type", text)
    for name, option in options.items():
        passed = rf"(?<![\w.-]){name}=(?!False)(?: \({option}\))?"
        text = re.sub(rf"{passed}(?=[^\s,;:)])", f"{option} ", text)
        text = re.sub(passed, option, text)
    return text


def _warn_in_one_line(arguments: argparse.Namespace) -> None:
    if arguments.quiet:
        warnings.simplefilter("ignore")
        return

    told = set()

    def warn_once(message: Warning | str, *_: Any, **__: Any) -> None:
        text = _with_options(str(message), arguments)
        if text not in told:  # what is read again is not told again
            told.add(text)
            complain(f"warning: {text}")

    warnings.simplefilter("default", UserWarning)
    warnings.showwarning = warn_once
