"""``labelsieve methods``: what --method can be."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve._plumbing.tables import Column, Table
from labelsieve.cli._options import new_parser
from labelsieve.cli._output import say, say_json

EXAMPLES = """\
examples:
  labelsieve methods                all methods, one line each
  labelsieve methods pmu            one method: reference and parameters
  labelsieve methods --json
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "methods",
        help="list the methods, with references",
        description="List the selection methods, or tell about some of them.",
        epilog=EXAMPLES,
    )
    parser.add_argument("names", nargs="*", metavar="METHOD", help="tell more of these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print the registry."""
    from labelsieve.registry import describe_selector, selector_names

    entries = [describe_selector(name) for name in arguments.names or selector_names()]
    if arguments.json:
        say_json({entry.name: _as_dict(entry) for entry in entries})
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


def _as_dict(entry: Any) -> dict[str, Any]:
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
