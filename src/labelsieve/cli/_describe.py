"""Commands that tell and convert: describe, methods and convert."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve._plumbing.messages import printable
from labelsieve._plumbing.tables import Column, Table
from labelsieve.cli._data import STANDARD, read_data, refuse_overwriting, write_data
from labelsieve.cli._options import (
    add_data_options,
    add_text_options,
    new_parser,
    note,
    say,
    say_json,
)

DESCRIBE_EXAMPLES = """\
examples:
  labelsieve describe music.arff
  labelsieve describe data/emotions data/scene data/yeast
  cat music.csv | labelsieve describe - --labels tag_ --json
"""
FORMATS = ("mulan", "meka", "csv", "tsv", "libsvm", "parquet")
CONVERT_EXAMPLES = """\
examples:
  labelsieve convert music.arff music.parquet
  labelsieve convert music.csv music.arff.gz --labels tag_
  labelsieve convert music.arff - --to csv | head
"""
METHODS_EXAMPLES = """\
examples:
  labelsieve methods                all methods, one line each
  labelsieve methods pmu            one method: reference and parameters
  labelsieve methods --json
"""


def add_describe(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "describe",
        run_describe,
        help="tell what is in a file, and what to notice",
        description="Print what papers print about a data set (rows, features, labels, "
        "labels per row, label sets, imbalance), and what a careful colleague would "
        "notice: missing cells, copies, identifiers, features that contain a label, "
        "rare, equal and nested labels, equal rows with different labels; what "
        "labelsieve does about each, and which methods suit.",
        epilog=DESCRIBE_EXAMPLES,
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="DATA",
        help="a file, folder, archive, openml:NAME or - for the standard input",
    )
    add_data_options(parser)
    add_text_options(parser)
    parser.option("--json", "print a JSON list with one object per file")


def run_describe(arguments: argparse.Namespace) -> None:
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


def add_convert(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "convert",
        run_convert,
        help="write a data set in another format",
        description="Read a data set and write it in another format. What a format "
        "cannot say (which columns are labels, categories) goes to a small file "
        "beside it, so that nothing is lost.",
        epilog=CONVERT_EXAMPLES,
    )
    parser.add_argument("source", metavar="FROM", help="the data, - for standard input")
    parser.add_argument(
        "target",
        metavar="TO",
        help="the new file; its suffix tells the format (.arff, .csv, .tsv, .libsvm, "
        ".parquet, also with .gz); - for standard output",
    )
    parser.option(
        "--to", "the format, where the suffix does not tell it", choices=FORMATS
    )
    add_data_options(parser)


def run_convert(arguments: argparse.Namespace) -> None:
    """Read and write."""
    refuse_overwriting(
        [arguments.source], outputs=[], reduced=arguments.target, to=arguments.to
    )
    dataset = read_data(arguments.source, arguments)
    write_data(dataset, arguments.target, arguments.to)
    if arguments.target != STANDARD:
        note(arguments, f"{arguments.target}: {dataset!r}")


def add_methods(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "methods",
        run_methods,
        help="list the methods, with references",
        description="List the selection methods, or tell about some of them.",
        epilog=METHODS_EXAMPLES,
    )
    parser.add_argument("names", nargs="*", metavar="METHOD", help="tell more of these")
    parser.option("--json", "print JSON")


def run_methods(arguments: argparse.Namespace) -> None:
    """Print the registry."""
    from labelsieve.registry import describe_selector, selector_names

    entries = [describe_selector(name) for name in arguments.names or selector_names()]
    if arguments.json:
        say_json({entry.name: _method_as_dict(entry) for entry in entries})
    elif arguments.names:
        say("\n\n".join(map(_details, entries)))
    else:
        columns = [Column("method", "name"), Column("what it does", "description")]
        say(Table("", columns, [vars(entry) for entry in entries]).to_text())
        if not arguments.quiet:
            say("\nlabelsieve methods NAME tells the reference and the parameters.")


def _details(entry: Any) -> str:
    lines = [
        f"{entry.name}: {entry.description}",
        f"  class       {entry.class_name}",
        f"  reference   {entry.reference}",
        "  parameters",
    ]
    parameters = _parameters(entry.name)
    width = max(map(len, parameters))
    lines += [f"    {name:{width}}  {value!r}" for name, value in parameters.items()]
    return "\n".join(lines)


def _method_as_dict(entry: Any) -> dict[str, Any]:
    return {
        "class": entry.class_name,
        "description": entry.description,
        "reference": entry.reference,
        "parameters": plain(_parameters(entry.name)),
    }


def _parameters(name: str) -> dict[str, Any]:
    from labelsieve.registry import make_selector

    return make_selector(name).get_params(deep=True)


def plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them: objects by what they print."""
    simple = (str, int, float, bool, type(None))
    return {
        name: value if isinstance(value, simple) else repr(value)
        for name, value in parameters.items()
    }
