"""``labelsieve describe``: what is in a file."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve._plumbing.tables import Column, Table, numbers
from labelsieve.cli._data import read_data
from labelsieve.cli._options import add_data_options, new_parser
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

    found = [describe(read_data(file, arguments))._asdict() for file in arguments.files]
    if arguments.json:
        say_json(found)
        return
    # A column for each file; two may have one name.
    files = {str(place): row for place, row in enumerate(found)}
    columns = [numbers(row["name"], key, _shown) for key, row in files.items()]
    rows = [
        {"what": name.replace("_", " "), **{key: files[key][name] for key in files}}
        for name in found[0]
        if name != "name"
    ]
    say(Table("", [Column("", "what"), *columns], rows).to_text())


def _shown(value: Any) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}"
