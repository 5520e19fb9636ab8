"""``labelsieve compare``: selectors against each other, on data of one's own."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelsieve._plumbing.names import unknown
from labelsieve.cli._data import read_data
from labelsieve.cli._options import (
    add_data_options,
    add_run_options,
    add_text_options,
    names,
    new_parser,
    whole_number,
)
from labelsieve.cli._output import note, say, say_json
from labelsieve.cli._overwriting import refuse_overwriting
from labelsieve.registry import COMPARED

# Names of data that are in no file.
READ_HERE = ("builtin:", "openml:")
MORE = "All measures, tests and ranks: --full, or a page with --report PAGE."
DEFAULT_FOLDER = "results/compare"
MOST_FEATURES = 1_000_000  # that are worth a list of all numbers up to there
EXAMPLES = """\
examples:
  labelsieve compare music.arff --methods sieve,fimf,lp+chi
  labelsieve compare music.csv --labels tag_ --methods sieve,rfs
  labelsieve compare data/emotions data/scene data/yeast --jobs -1 --report page.html
  labelsieve compare music.arff --protocol kfold --splits 5 --classifiers mlknn,mlnb

Finished cells are kept in the folder: the same command after an interruption goes on
where it was. The first method is tested against the others; random features and all
features are always there as controls.
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "compare",
        help="compare methods on data sets",
        description="Compare selection methods on data sets: curves over all numbers "
        "of features, all measures, tests, time and memory.",
        epilog=EXAMPLES,
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="files, folders, names")
    add_data_options(parser)
    add_text_options(parser)
    parser.add_argument(
        "-m",
        "--methods",
        type=names,
        default=[*COMPARED],
        help=f"with commas between (default: {','.join(COMPARED)})",
    )
    parser.add_argument(
        "--classifiers",
        type=names,
        default=["mlnb"],
        help="mlnb, mlknn, brknn, ccknn, lift, ..., or the full name of a class, such "
        "as sklearn.svm.LinearSVC (default: mlnb)",
    )
    _add_split_options(parser)
    parser.add_argument(
        "--sizes",
        type=read_sizes,
        default=tuple(range(1, 51)),
        help="numbers of features: 1-50 or 5,10,20 (default: 1-50)",
    )
    parser.add_argument(
        "--values",
        choices=("quantile", "uniform", "none", "standard", "minmax", "raw"),
        default="quantile",
        help="how values are shown to all: as codes, scaled, raw (default: quantile)",
    )
    add_experiment_options(parser, DEFAULT_FOLDER)
    parser.add_argument(
        "--full", action="store_true", help="print all tables, as Markdown"
    )
    add_run_options(parser)
    parser.set_defaults(run=run)


def _add_split_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--protocol",
        choices=("holdout", "kfold"),
        default="holdout",
        help="how rows are split (default: holdout, 30 %% for testing)",
    )
    parser.add_argument(
        "--stratified",
        action="store_true",
        help="give every label its share of both parts",
    )
    parser.add_argument(
        "--splits", type=whole_number, default=10, metavar="N", help="(default: 10)"
    )
    parser.add_argument(
        "--repeats",
        type=whole_number,
        default=1,
        metavar="N",
        help="with --protocol kfold: divide the rows so often (default: 1)",
    )
    parser.add_argument(
        "--groups",
        metavar="COLUMN",
        help="rows with the same value here, such as a patient, stay together",
    )


def add_experiment_options(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options that all experiments share."""
    parser.add_argument(
        "--data-folder",
        type=Path,
        metavar="FOLDER",
        help="where data sets are found by name (default: $LABELSIEVE_DATA)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help=f"where results are kept (default: {folder})",
    )
    parser.add_argument(
        "--report", type=Path, metavar="PAGE", help="write a page about the results"
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="compute failed cells again"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Compute what is missing and print the tables."""
    from labelsieve.experiments import HoldOut, KFold, Sizes, compare

    _check_names(arguments)
    refuse_overwriting(arguments.data, outputs=[arguments.report])
    n, stratified = arguments.splits, arguments.stratified
    protocol: HoldOut | KFold = HoldOut(n, stratified)
    if arguments.protocol == "kfold":
        protocol = KFold(n * max(1, arguments.repeats), stratified, n_folds=n)
    results = compare(
        [_data(name, arguments) for name in arguments.data],
        arguments.methods,
        classifiers=arguments.classifiers,
        protocol=protocol,
        sizes=Sizes(counts=arguments.sizes),
        view=arguments.values,
        seed=arguments.seed,
        groups=arguments.groups,
        data=arguments.data_folder,
        n_jobs=arguments.jobs,
        out=arguments.output or DEFAULT_FOLDER,
        verbose=shows_progress(arguments),
        retry_failed=arguments.retry_failed,
    )
    show_results(results, arguments)


def _data(name: str, arguments: argparse.Namespace) -> Any:
    """A data set to be found by its name, or read here as the options say."""
    if name.startswith(READ_HERE):
        return read_data(name, arguments)
    if arguments.labels is None and not arguments.text:
        return name
    from labelsieve.experiments import locate

    source = locate(name, arguments.data_folder)
    return replace(read_data(source.path, arguments), name=source.name)


def _check_names(arguments: argparse.Namespace) -> None:
    """Refuse names that do not exist before hours of work, not after."""
    from labelsieve.experiments import CLASSIFIERS
    from labelsieve.registry import describe_selector

    for method in arguments.methods:
        describe_selector(method)
    for classifier in arguments.classifiers:
        if "." not in classifier and classifier not in CLASSIFIERS:
            raise ValueError(unknown("classifier", classifier, CLASSIFIERS))


def shows_progress(arguments: argparse.Namespace) -> bool:
    """Whether someone is there to watch."""
    return not arguments.quiet and sys.stderr.isatty()


def show_results(results: Any, arguments: argparse.Namespace) -> None:
    """Print the tables or JSON, and write the page that was asked for."""
    from labelsieve.cli._report import write_report

    if arguments.report:
        write_report(results, arguments.report, arguments)
    if arguments.json:
        say_json(results.content)
    elif not arguments.quiet:
        say(results.to_text())
        say("\n" + (results.to_markdown().rstrip() if arguments.full else MORE))
    note(arguments, f"all measures, tests and costs are in {results.folder}")


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the numbers of ``1-50`` or ``5,10,20``."""
    try:
        first, dash, last = text.partition("-")
        if dash:
            sizes: Sequence[int] = range(int(first), int(last) + 1)
        else:
            sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = ()
    if not sizes or sizes[0] < 1 or sizes[-1] > MOST_FEATURES:
        raise argparse.ArgumentTypeError(
            "expected numbers of features such as 1-50 or 5,10,20, up to "
            f"{MOST_FEATURES:,}, got {text!r}"
        )
    return tuple(sizes)
