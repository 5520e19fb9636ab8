"""``labelsieve reproduce``: the papers' experiments."""

from __future__ import annotations

import argparse
from typing import Any

from labelsieve.cli._compare import (
    add_experiment_options,
    show_results,
    shows_progress,
)
from labelsieve.cli._options import new_parser, whole_number
from labelsieve.registry import REPRODUCED

EXAMPLES = """\
examples:
  labelsieve reproduce pmu --data-folder ~/mulan --jobs -1 --report pmu.html
  labelsieve reproduce gmba --quick

Data sets that are not at hand are named and left out. Finished cells are kept: the
same command after an interruption goes on where it was.
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "reproduce",
        help="run a paper's experiment, printed values beside ours",
        description="Run a paper's experiment on the data sets at hand and print its "
        "published values beside ours, with a verdict for each.",
        epilog=EXAMPLES,
    )
    parser.add_argument("paper", choices=REPRODUCED, help="the paper, by its method")
    parser.add_argument(
        "--quick", action="store_true", help="two splits only, to try it"
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="METHOD[@DATA]",
        help="leave a method out, everywhere or on a data set; may be repeated",
    )
    add_experiment_options(parser, "results/PAPER")
    parser.add_argument(
        "--jobs",
        type=whole_number,
        metavar="N",
        help="number of processes; -1 uses all processors (default: 1)",
    )
    parser.set_defaults(run=run, full=True)


def run(arguments: argparse.Namespace) -> None:
    """Compute what is missing and print the tables."""
    from labelsieve.experiments import reproduce

    results = reproduce(
        arguments.paper,
        data=arguments.data_folder,
        quick=arguments.quick,
        without=arguments.without,
        n_jobs=arguments.jobs,
        out=arguments.output,
        verbose=shows_progress(arguments),
        retry_failed=arguments.retry_failed,
    )
    show_results(results, arguments)
