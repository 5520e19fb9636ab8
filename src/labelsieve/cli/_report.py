"""``labelsieve report``: from results to a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from labelsieve.cli._data import STANDARD
from labelsieve.cli._options import new_parser
from labelsieve.cli._output import note, say, this_command

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
    from labelsieve.report import comparison_page, render_page

    results = _read(arguments.results)
    if arguments.output == STANDARD:
        content = comparison_page(
            results.content, results.costs, command=this_command(arguments)
        )
        sys.stdout.write(render_page(content))
        return
    folder = results.folder or Path()
    write_report(results, Path(arguments.output or folder / "report.html"), arguments)
    if not arguments.quiet:
        say(str(arguments.output or folder / "report.html"))


def _read(path: str) -> Any:
    """Read results; say of a broken file which one it is."""
    from labelsieve.experiments import read_results

    try:
        results = read_results(path)
    except ValueError as error:
        raise ValueError(f"{path}: results.json is damaged: {error}") from error
    if not isinstance(results.content, dict) or "curves" not in results.content:
        raise ValueError(f"{path}: results.json was not written by an experiment")
    return results


def write_report(results: Any, page: Path, arguments: argparse.Namespace) -> None:
    """Write the page about an experiment."""
    from labelsieve.report import comparison_page, write_page

    content = comparison_page(
        results.content, results.costs, command=this_command(arguments)
    )
    note(arguments, f"page: {write_page(content, page)}")
