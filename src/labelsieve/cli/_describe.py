"""``labelsieve describe``: what is in a file."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve.cli._data import read_data
from labelsieve.cli._options import add_data_options, new_parser
from labelsieve.cli._output import printable, say, say_json, table

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
        help="tell what is in a file",
        description="Print what papers print about a data set: rows, features, labels, "
        "labels per row, label sets, imbalance.",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="DATA",
        help="a file, folder, archive, openml:NAME or - for the standard input",
    )
    add_data_options(parser)
    parser.add_argument(
        "--json", action="store_true", help="print a JSON list with one object per file"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Describe every file."""
    from labelsieve.datasets import describe

    found = [
        describe(read_data(file, arguments.labels))._asdict()
        for file in arguments.files
    ]
    if arguments.json:
        say_json(found)
        return
    header = ["", *(printable(row["name"]) for row in found)]
    rows = [
        [key.replace("_", " "), *(_shown(row[key]) for row in found)]
        for key in found[0]
        if key != "name"
    ]
    say(table(header, rows))


def _shown(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"
