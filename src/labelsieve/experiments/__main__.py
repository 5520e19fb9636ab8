"""Run a paper's experiment from the shell: ``python -m labelsieve.experiments``."""

from __future__ import annotations

import argparse
import sys

from labelsieve.experiments import compare, reproduce
from labelsieve.experiments.papers import PAPERS


def main() -> int:
    """Parse the command line, run, and print where the tables are."""
    options = _parser().parse_args()
    shared = {"data": options.data, "n_jobs": options.n_jobs, "verbose": True}
    if options.command == "reproduce":
        results = reproduce(
            options.paper,
            quick=options.quick,
            out=options.out,
            retry_failed=options.retry_failed,
            **shared,
        )
    else:
        results = compare(
            options.datasets.split(","),
            options.selectors.split(","),
            classifiers=options.classifiers.split(","),
            out=options.out or "results/compare",
            retry_failed=options.retry_failed,
            **shared,
        )
    sys.stdout.write(results.to_markdown())
    sys.stderr.write(f"written to {results.folder}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labelsieve.experiments")
    commands = parser.add_subparsers(dest="command", required=True)
    paper = commands.add_parser("reproduce", help="run a paper's experiment")
    paper.add_argument("paper", choices=sorted(PAPERS))
    paper.add_argument("--quick", action="store_true", help="two splits only")
    own = commands.add_parser("compare", help="compare selectors on data sets")
    own.add_argument("datasets", help="names or paths, separated by commas")
    own.add_argument("selectors", help="names, separated by commas")
    own.add_argument("--classifiers", default="mlnb")
    for command in (paper, own):
        command.add_argument("--data", help="folder of the data sets")
        command.add_argument("--n-jobs", type=int, default=None)
        command.add_argument("--out", help="folder for results")
        command.add_argument("--retry-failed", action="store_true")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; finished cells are kept\n")
        sys.exit(130)
