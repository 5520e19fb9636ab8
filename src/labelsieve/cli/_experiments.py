"""Commands of experiments: compare, reproduce, leaderboard and report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelsieve._utils.messages import unknown
from labelsieve.cli._data import STANDARD, read_data, refuse_overwriting, refuse_same
from labelsieve.cli._options import (
    add_data_options,
    add_run_options,
    add_text_options,
    new_parser,
    note,
    put,
    say,
    say_json,
    shows_progress,
    this_command,
    whole_number,
)
from labelsieve.registry import COMPARED, COMPARED_BY_NUMBERS, REPRODUCED

# Names of data that are in no file.
READ_HERE = ("builtin:", "openml:")
MORE = "All measures, tests and ranks: --full, or a page with --report PAGE."
DEFAULT_FOLDER = "results/compare"
MOST_FEATURES = 1_000_000  # that are worth a list of all numbers up to there
COMPARE_EXAMPLES = """\
examples:
  labelsieve compare music.arff --methods sieve,fimf,lp+chi2
  labelsieve compare music.csv --labels tag_ --methods sieve,rfs
  labelsieve compare wine.csv --targets price,points --classifiers ridge,forest
  labelsieve compare data/emotions data/scene data/yeast --jobs -1 --report page.html
  labelsieve compare music.arff --protocol kfold --splits 5 --classifiers mlknn,mlnb

Finished cells are kept in the folder: the same command after an interruption goes on
where it was. The first method is tested against the others; random features and all
features are always there as controls.
"""
REPRODUCE_EXAMPLES = """\
examples:
  labelsieve reproduce pmu --data-folder ~/mulan --jobs -1 --report pmu.html
  labelsieve reproduce gmba --quick

Data sets that are not at hand are named and left out. Finished cells are kept: the
same command after an interruption goes on where it was.
"""
LEADERBOARD_FOLDER = "results/leaderboard"
LEADERBOARD_EXAMPLES = """\
examples:
  labelsieve leaderboard --data-folder ~/mulan --jobs -1
  labelsieve leaderboard --protocol shares  at 5 to 50 % of the features
  labelsieve leaderboard --again sieve      its formula changed

Finished cells are kept: the same command after an interruption goes on where it was, a
new method adds its own cells, and a command with nothing to add changes nothing.
"""
REPORT_EXAMPLES = """\
examples:
  labelsieve report results/compare
  labelsieve report results/pmu -o pmu.html
  labelsieve report results/pmu -o - > pmu.html
"""
COMPARE_OPTIONS = f"""
-m --methods METHODS
    with commas between (default: {",".join(COMPARED)}; where some targets are
    numbers {",".join(COMPARED_BY_NUMBERS)})
--classifiers CLASSIFIERS = mlnb
    mlnb, mlknn, brknn, ccknn, lift, ..., or the full name of a class, such as
    sklearn.svm.LinearSVC (default: mlnb)
--protocol {{holdout,kfold}} = holdout
    how rows are split (default: holdout, 30 %% for testing)
--stratified
    give every label its share of both parts
--splits N = 10
    (default: 10)
--repeats N = 1
    with --protocol kfold: how often to divide the rows (default: 1)
--groups COLUMN
    rows with the same value here, such as a patient, stay together
--sizes SIZES = 1-50
    numbers of features: 1-50 or 5,10,20 (default: 1-50)
--values {{quantile,uniform,none,standard,minmax,raw}} = quantile
    how values are prepared: as levels, scaled or raw (default: quantile)
"""
# Of all experiments
SHARED_OPTIONS = """
--data-folder FOLDER
    where data sets are found by name (default: $LABELSIEVE_DATA)
-o --output FOLDER
    where results are kept (default: FOLDER_OF_RESULTS)
--report PAGE
    write a page about the results
--retry-failed
    compute failed cells again
--json
    print the results as JSON
"""
REPRODUCE_OPTIONS = f"""
--quick
    two splits only, to try it
--without METHOD[@DATA]
    leave a method out, everywhere or on a data set; may be repeated
{SHARED_OPTIONS.strip().replace("FOLDER_OF_RESULTS", "results/PAPER")}
--jobs N
    number of processes; -1 uses all processors (default: 1)
"""
LEADERBOARD_OPTIONS = f"""
--protocol {{counts,shares}} = counts
    at 10 to 100 features, or at 5 to 50 %% of them (default: counts)
--data-folder FOLDER
    the data sets, a folder each (default: $LABELSIEVE_DATA)
-o --output FOLDER = {LEADERBOARD_FOLDER}
    where results are kept (default: {LEADERBOARD_FOLDER})
-m --methods METHODS
    with commas between (default: all)
--entries MODULE
    a module whose ENTRIES names functions of it that take part, too
--no-run
    make the page from the cells at hand
--again METHODS
    compute the cells of these again
--splits N[,M]
    at most N, or N where rows are few and M otherwise
--jobs N
    processes (default: 1)
--report PAGE
    write a page to choose methods, data sets and sizes on
--json
    print JSON
"""


def add_compare(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "compare",
        run_compare,
        help="compare methods on data sets",
        description="Compare selection methods on data sets: curves over all numbers "
        "of features, all measures, tests, time and memory.",
        epilog=COMPARE_EXAMPLES,
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="files, folders, names")
    add_data_options(parser)
    add_text_options(parser)
    parser.options(COMPARE_OPTIONS, sizes={"type": read_sizes})
    parser.options(SHARED_OPTIONS.replace("FOLDER_OF_RESULTS", DEFAULT_FOLDER))
    parser.options("--full\n print all tables, as Markdown")
    add_run_options(parser)


def run_compare(arguments: argparse.Namespace) -> None:
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
    if not (arguments.labels or arguments.targets or arguments.text):
        return name
    from labelsieve.experiments import locate

    source = locate(name, arguments.data_folder)
    return replace(read_data(source.path, arguments), name=source.name)


def _check_names(arguments: argparse.Namespace) -> None:
    """Refuse names that do not exist before hours of work, not after."""
    from labelsieve.experiments import CLASSIFIERS
    from labelsieve.registry import describe_selector

    for method in arguments.methods or ():
        describe_selector(method)
    for classifier in arguments.classifiers:
        if "." not in classifier and classifier not in CLASSIFIERS:
            raise ValueError(unknown("classifier", classifier, CLASSIFIERS))


def show_results(results: Any, arguments: argparse.Namespace) -> None:
    """Print the tables or JSON, and write the page that was asked for."""
    if arguments.report:
        write_report(results, arguments.report, arguments)
    if arguments.json:
        say_json(results.content)
    else:
        say(results.to_text())
        if arguments.full:
            say("\n" + results.to_markdown().rstrip())
        elif not arguments.quiet:
            say("\n" + MORE)
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


def add_reproduce(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "reproduce",
        run_reproduce,
        help="run a paper's experiment and compare its values with ours",
        description="Run a paper's experiment on the data sets at hand and print its "
        "published values next to ours, with a verdict for each.",
        epilog=REPRODUCE_EXAMPLES,
    )
    parser.add_argument("paper", choices=REPRODUCED, help="the paper, by its method")
    rules = {"action": "append", "default": []}
    parser.options(REPRODUCE_OPTIONS, without=rules)
    parser.set_defaults(full=True)


def run_reproduce(arguments: argparse.Namespace) -> None:
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


def add_leaderboard(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "leaderboard",
        run_leaderboard,
        help="all methods on all data sets at hand",
        description="Evaluate all methods on all data sets of a folder and rank them: "
        "regret, ranks, wins, tests, times, pictures.",
        epilog=LEADERBOARD_EXAMPLES,
    )
    parser.options(LEADERBOARD_OPTIONS, again={"default": []}, splits={"type": _splits})


def _splits(text: str) -> list[int]:
    """One number for all data sets, or two."""
    numbers = [whole_number(part) for part in text.split(",")]
    return numbers * 2 if len(numbers) == 1 else numbers


def run_leaderboard(arguments: argparse.Namespace) -> None:
    """Compute what is missing and print the page."""
    from labelsieve.experiments import leaderboard, named_function
    from labelsieve.registry import describe_selector

    for method in (*(arguments.methods or ()), *arguments.again):
        (named_function if ":" in method else describe_selector)(method)
    found = leaderboard(
        arguments.protocol,
        data=arguments.data_folder,
        methods=arguments.methods,
        entries=arguments.entries,
        compute=not arguments.no_run,
        n_splits=arguments.splits,
        again=arguments.again,
        n_jobs=arguments.jobs,
        out=arguments.output,
        verbose=shows_progress(arguments),
    )
    if arguments.report:
        write_report(found.find_results(), arguments.report, arguments)
    if arguments.json:
        say_json(found.content)
    elif not arguments.quiet:
        say(found.to_markdown().rstrip())
    note(arguments, f"results are in {arguments.output}")


def add_report(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "report",
        run_report,
        help="turn results into a page",
        description="Write one self-contained HTML page about the results of compare "
        "or reproduce. (select and demo write their own pages.)",
        epilog=REPORT_EXAMPLES,
    )
    parser.add_argument(
        "results",
        metavar="RESULTS",
        help="the folder that compare or reproduce wrote, or its results.json",
    )
    parser.options(
        """
        -o --output FILE
            the page (default: report.html in that folder); - for standard output
        """,
        output={"metavar": "PAGE"},
    )


def run_report(arguments: argparse.Namespace) -> None:
    """Read results, write the page."""
    from labelsieve.experiments import read_results
    from labelsieve.report import render_page

    results = read_results(arguments.results)
    if arguments.output == STANDARD:
        put(render_page(_page(results, arguments)).encode("utf-8", "replace"))
        return
    folder = results.folder or Path()
    page = Path(arguments.output or folder / "report.html")
    refuse_same([page], [folder / "results.json", folder / "costs.json"])
    write_report(results, page, arguments)
    if not arguments.quiet:
        say(str(page))


def write_report(results: Any, page: Path, arguments: argparse.Namespace) -> None:
    """Write the page about an experiment."""
    from labelsieve.report import write_page

    note(arguments, f"page: {write_page(_page(results, arguments), page)}")


def _page(results: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    from labelsieve.report import comparison_page

    command = this_command(arguments)
    return comparison_page(results.content, results.costs, command=command)
