"""``labelsieve leaderboard``: all methods on all data sets at hand."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from labelsieve.cli._compare import shows_progress
from labelsieve.cli._options import names, new_parser, whole_number
from labelsieve.cli._output import note, say, say_json

FOLDER = "results/leaderboard"
EXAMPLES = """\
examples:
  labelsieve leaderboard --data-folder ~/mulan --jobs -1
  labelsieve leaderboard --again sieve      its formula changed

Finished cells are kept: the same command after an interruption goes on where it was, a
new method adds its own cells, and a command with nothing to add changes nothing.
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "leaderboard",
        help="all methods on all data sets at hand",
        description="Judge all methods on all data sets of a folder and write where "
        "they stand: regret, ranks, wins, tests, times, pictures.",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--data-folder",
        type=Path,
        metavar="FOLDER",
        help="the data sets, a folder each (default: $LABELSIEVE_DATA)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(FOLDER),
        metavar="FOLDER",
        help=f"where results are kept (default: {FOLDER})",
    )
    parser.add_argument(
        "-m", "--methods", type=names, help="with commas between (default: all)"
    )
    parser.add_argument(
        "--again",
        type=names,
        default=[],
        metavar="METHODS",
        help="compute the cells of these anew",
    )
    parser.add_argument(
        "--splits",
        type=_splits,
        metavar="N[,M]",
        help="at most N, or N where rows are few and M otherwise (default: 20,3)",
    )
    parser.add_argument(
        "--jobs", type=whole_number, metavar="N", help="processes (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def _splits(text: str) -> list[int]:
    """One number for all data sets, or two."""
    numbers = [whole_number(part) for part in text.split(",")]
    return numbers * 2 if len(numbers) == 1 else numbers


def run(arguments: argparse.Namespace) -> None:
    """Compute what is missing and print the page."""
    from labelsieve.experiments import leaderboard, named_function
    from labelsieve.registry import describe_selector

    for method in (*(arguments.methods or ()), *arguments.again):
        (named_function if ":" in method else describe_selector)(method)
    found = leaderboard(
        data=arguments.data_folder,
        methods=arguments.methods,
        n_splits=arguments.splits,
        again=arguments.again,
        n_jobs=arguments.jobs,
        out=arguments.output,
        verbose=shows_progress(arguments),
    )
    if arguments.json:
        say_json(found.content)
    elif not arguments.quiet:
        say(found.to_markdown().rstrip())
    note(arguments, f"results are in {arguments.output}")
