"""Which selector serves classifiers best: Sieve, its rivals, what others offer.

The leaderboard with its protocol and cells, for fewer methods, those of other libraries
among them, by label-ranking average precision alone. Cells are kept, so that an
interrupted run goes on; those that the leaderboard has are not computed again.

    python -m benchmarks.choose_well --data-folder data
"""

from __future__ import annotations

import argparse
from pathlib import Path

from labelsieve.experiments import Method, leaderboard

ELSEWHERE = ("summed_mi", "least_information", "chi2_summed", "chi2_largest", "fastcan")
METHODS = (
    *(Method(name) for name in ("sieve", "rfs", "scls", "fimf", "mlqpfs", "pmu")),
    Method("br+f", {"aggregate": "max"}),
    Method("trees"),
    *(Method(f"benchmarks._competitors:{name}") for name in ELSEWHERE),
)
FOLDER = "results/choose_well"
CELLS = "results/leaderboard/cells.jsonl"
COMMAND = "python -m benchmarks.choose_well"


def main() -> None:
    """Compute what is missing, and write and print the page."""
    arguments = _read_arguments()
    left_out = arguments.without.split(",")
    found = leaderboard(
        data=arguments.data_folder,
        methods=[method for method in METHODS if method.label not in left_out],
        datasets=arguments.sets.split(",") if arguments.sets else None,
        measures=("average_precision",),
        n_splits=arguments.splits and [int(n) for n in arguments.splits.split(",")],
        again=arguments.again.split(","),
        n_jobs=arguments.jobs,
        out=arguments.out,
        cells=arguments.cells,
        title="Choose well",
        command=COMMAND,
        verbose=True,
    )
    print(found.to_markdown())


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-folder", help="default: $LABELSIEVE_DATA")
    parser.add_argument("--sets", help="names of data sets (default: all)")
    parser.add_argument("--without", default="", help="methods to leave out")
    parser.add_argument("--again", default="", help="methods to compute anew")
    parser.add_argument(
        "--splits", help="where rows are few, and otherwise (default: 20,3)"
    )
    parser.add_argument("--jobs", type=int, help="processes (default: 1)")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--cells", type=Path, default=CELLS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
