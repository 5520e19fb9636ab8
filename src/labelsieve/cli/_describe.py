"""``labelsieve describe``: what is in a file."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve._plumbing.watching import printable
from labelsieve.cli._data import read_data
from labelsieve.cli._options import add_data_options, add_text_options, new_parser
from labelsieve.cli._output import say, say_json

EXAMPLES = """\
examples:
  labelsieve describe music.arff
  labelsieve describe data/emotions data/scene data/yeast
  cat music.csv | labelsieve describe - --labels tag_ --json
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "describe",
        help="tell what is in a file, and what to notice",
        description="Print what papers print about a data set (rows, features, labels, "
        "labels per row, label sets, imbalance), and what a careful colleague would "
        "notice: missing cells, copies, identifiers, features that contain a label, "
        "rare, equal and nested labels, equal rows with different labels; what "
        "labelsieve does about each, and which methods suit.",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="DATA",
        help="a file, folder, archive, openml:NAME or - for the standard input",
    )
    add_data_options(parser)
    add_text_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print a JSON list with one object per file"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Describe every file."""
    from labelsieve.describing import describe, numbers_table

    found = [describe(read_data(file, arguments)) for file in arguments.files]
    if arguments.json:
        say_json([one.to_dict() for one in found])
        return
    if len(found) == 1:
        say(str(found[0]))
        return
    say(numbers_table([one.numbers for one in found]).to_text())
    for one in found:
        notes = [f"- {note}" for note in one.notes()]
        say("\n".join(["", *map(printable, [one.numbers.name, *notes])]))
