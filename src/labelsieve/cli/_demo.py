"""``labelsieve demo``: see it work without any data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from labelsieve.cli._options import add_run_options, new_parser
from labelsieve.cli._output import say, this_command

EXAMPLES = """\
examples:
  labelsieve demo
  labelsieve demo --output /tmp/digits.html
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "demo",
        help="see it work on handwritten digits",
        description="Select 12 of 64 pixels of handwritten digits, say why, measure "
        "what they are worth and write a page about it. Nothing is downloaded.",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("demo") / "index.html",
        metavar="PAGE",
        help="where the page goes (default: demo/index.html)",
    )
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Run the demonstration, print it and write its page."""
    from labelsieve.cli._demo_page import run_demo
    from labelsieve.report import write_page

    demo = run_demo(arguments.jobs, arguments.seed)
    page = write_page(demo.page(this_command(arguments)), arguments.output)
    say(str(demo))
    say(f"\nThe page with pictures: {page}")
