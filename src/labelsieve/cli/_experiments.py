"""Commands of experiments: compare, reproduce, leaderboard and report."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelsieve._utils.messages import unknown
from labelsieve.cli._data import STANDARD, read_data, refuse_overwriting, refuse_same
from labelsieve.cli._options import (
    note,
    put,
    say,
    say_json,
    shows_progress,
    this_command,
)
from labelsieve.registry import COMPARED, COMPARED_BY_NUMBERS, REPRODUCED

# Names of data that are in no file.
READ_HERE = ("builtin:", "openml:")
MORE = "All measures, tests and ranks: --full, or a page with --report PAGE."
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
COMPARE = f"""
compare: compare methods on data sets

Compare selection methods on data sets: curves over all numbers of features, all
measures, tests, time and memory.

data DATA
    files, folders, names
<data>
<text>
-m --methods METHODS
    with commas between (default: {",".join(COMPARED)}; where some targets are
    numbers {",".join(COMPARED_BY_NUMBERS)})
--classifiers CLASSIFIERS
    mlnb, mlknn, brknn, ccknn, lift, ..., or the full name of a class, such as
    sklearn.svm.LinearSVC (default: mlnb; ridge where some targets are numbers)
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
--data-folder FOLDER
    where data sets are found by name (default: $LABELSIEVE_DATA)
-o --output FOLDER = results/compare
    where results are kept (default: results/compare)
<results>
--full
    print all tables, as Markdown
<run>

{COMPARE_EXAMPLES}"""
REPRODUCE_EXAMPLES = """\
examples:
  labelsieve reproduce pmu --data-folder ~/mulan --jobs -1 --report pmu.html
  labelsieve reproduce gmba --quick

Data sets that are not at hand are named and left out. Finished cells are kept: the
same command after an interruption goes on where it was.
"""
REPRODUCE = f"""
reproduce: run a paper's experiment and compare its values with ours

Run a paper's experiment on the data sets at hand and print its published values next to
ours, with a verdict for each.

paper {{{",".join(REPRODUCED)}}}
    the paper, by its method
--quick
    two splits only, to try it
--without METHOD[@DATA]
    leave a method out, everywhere or on a data set; may be repeated
--data-folder FOLDER
    where data sets are found by name (default: $LABELSIEVE_DATA)
-o --output FOLDER
    where results are kept (default: results/PAPER)
<results>
--jobs N
    number of processes; -1 uses all processors (default: 1)

{REPRODUCE_EXAMPLES}"""
LEADERBOARD = """
leaderboard: all methods on all data sets at hand

Evaluate all methods on all data sets of a folder and rank them: regret, ranks, wins,
tests, times, pictures.

--protocol {counts,shares} = counts
    at 10 to 100 features, or at 5 to 50 %% of them (default: counts)
--data-folder FOLDER
    the data sets, a folder each (default: $LABELSIEVE_DATA)
-o --output FOLDER = results/leaderboard
    where results are kept (default: results/leaderboard)
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

examples:
  labelsieve leaderboard --data-folder ~/mulan --jobs -1
  labelsieve leaderboard --protocol shares  at 5 to 50 % of the features
  labelsieve leaderboard --again sieve      its formula changed

Finished cells are kept: the same command after an interruption goes on where it was, a
new method adds its own cells, and a command with nothing to add changes nothing.
"""
REPORT = """
report: turn results into a page

Write one self-contained HTML page about the results of compare or reproduce. (select
and demo write their own pages.)

results RESULTS
    the folder that compare or reproduce wrote, or its results.json
-o --output PAGE
    the page (default: report.html in that folder); - for standard output

examples:
  labelsieve report results/compare
  labelsieve report results/pmu -o pmu.html
  labelsieve report results/pmu -o - > pmu.html
"""


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
        out=arguments.output,
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
    for classifier in arguments.classifiers or ():
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
        if getattr(arguments, "full", True):
            say("\n" + results.to_markdown().rstrip())
        elif not arguments.quiet:
            say("\n" + MORE)
    note(arguments, f"all measures, tests and costs are in {results.folder}")


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


def run_leaderboard(arguments: argparse.Namespace) -> None:
    """Compute what is missing and print the page."""
    from labelsieve.experiments import leaderboard, named_function
    from labelsieve.registry import describe_selector

    # Functions of the folder where it starts take part, as with python -m.
    sys.path.append(os.getcwd())
    for method in arguments.methods or ():
        (named_function if ":" in method else describe_selector)(method)
    found = leaderboard(
        arguments.protocol,
        data=arguments.data_folder,
        methods=arguments.methods,
        entries=arguments.entries,
        compute=not arguments.no_run,
        n_splits=arguments.splits,
        again=arguments.again or (),
        n_jobs=arguments.jobs,
        out=arguments.output,
        verbose=shows_progress(arguments),
    )
    if arguments.report:
        write_report(found.find_results(), arguments.report, arguments)
    if arguments.json:
        say_json(found.content)
    else:
        say(found.to_markdown().rstrip())
    note(arguments, f"results are in {arguments.output}")


def run_report(arguments: argparse.Namespace) -> None:
    from labelsieve.experiments import read_results
    from labelsieve.report import render_page

    results = read_results(arguments.results)
    if str(arguments.output) == STANDARD:
        put(render_page(_page(results, arguments)).encode("utf-8", "replace"))
        return
    folder = results.folder or Path()
    page = arguments.output or folder / "report.html"
    refuse_same([page], [folder / "results.json", folder / "costs.json"])
    write_report(results, page, arguments)
    if not arguments.quiet:
        say(str(page))


def write_report(results: Any, page: Path, arguments: argparse.Namespace) -> None:
    from labelsieve.report import write_page

    note(arguments, f"page: {write_page(_page(results, arguments), page)}")


def _page(results: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    from labelsieve.report import comparison_page

    command = this_command(arguments)
    return comparison_page(results.content, results.costs, command=command)
