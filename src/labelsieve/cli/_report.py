"""``labelsieve report``: from results to a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from labelsieve.cli._data import STANDARD
from labelsieve.cli._options import new_parser
from labelsieve.cli._output import note, put, say, this_command
from labelsieve.cli._overwriting import refuse_same

EXAMPLES = """\
examples:
  labelsieve report results/compare
  labelsieve report results/pmu -o pmu.html
  labelsieve report results/pmu -o - > pmu.html
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "report",
        help="turn results into a page",
        description="Write one self-contained HTML page about the results of compare "
        "or reproduce. (select and demo write their own pages.)",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "results",
        metavar="RESULTS",
        help="the folder that compare or reproduce wrote, or its results.json",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="PAGE",
        help="the page (default: report.html in that folder); - for standard output",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Read results, write the page."""
    from labelsieve.experiments import read_results
    from labelsieve.report import comparison_page, render_page

    results = read_results(arguments.results)
    if arguments.output == STANDARD:
        content = comparison_page(
            results.content, results.costs, command=this_command(arguments)
        )
        put(render_page(content).encode("utf-8", "replace"))
        return
    folder = results.folder or Path()
    page = Path(arguments.output or folder / "report.html")
    refuse_same([page], [folder / "results.json", folder / "costs.json"])
    write_report(results, page, arguments)
    if not arguments.quiet:
        say(str(page))


def write_report(results: Any, page: Path, arguments: argparse.Namespace) -> None:
    """Write the page about an experiment."""
    from labelsieve.report import comparison_page, write_page

    content = comparison_page(
        results.content, results.costs, command=this_command(arguments)
    )
    note(arguments, f"page: {write_page(content, page)}")
