"""``labelsieve convert``: from one format to another."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve.cli._data import STANDARD, read_data, write_data
from labelsieve.cli._options import add_data_options, new_parser
from labelsieve.cli._output import note
from labelsieve.cli._overwriting import refuse_overwriting

FORMATS = ("mulan", "meka", "csv", "tsv", "libsvm", "parquet")
EXAMPLES = """\
examples:
  labelsieve convert music.arff music.parquet
  labelsieve convert music.csv music.arff.gz --labels tag_
  labelsieve convert music.arff - --to csv | head
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "convert",
        help="write a data set in another format",
        description="Read a data set and write it in another format. What a format "
        "cannot say (which columns are labels, categories) goes to a small file "
        "beside it, so that nothing is lost.",
        epilog=EXAMPLES,
    )
    parser.add_argument("source", metavar="FROM", help="the data, - for standard input")
    parser.add_argument(
        "target",
        metavar="TO",
        help="the new file; its suffix tells the format (.arff, .csv, .tsv, .libsvm, "
        ".parquet, also with .gz); - for standard output",
    )
    parser.add_argument(
        "--to", choices=FORMATS, help="the format, where the suffix does not tell it"
    )
    add_data_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Read and write."""
    refuse_overwriting(
        [arguments.source], outputs=[], reduced=arguments.target, to=arguments.to
    )
    dataset = read_data(arguments.source, arguments)
    write_data(dataset, arguments.target, arguments.to)
    if arguments.target != STANDARD:
        note(arguments, f"{arguments.target}: {dataset!r}")
