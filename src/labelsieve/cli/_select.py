"""``labelsieve select``: which features, in what order, why, and how good."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelsieve._plumbing.names import unknown
from labelsieve.cli._certainty import (
    add_certainty_options,
    fit_and_judge,
    refuse_on_dask,
)
from labelsieve.cli._data import (
    STANDARD,
    decide,
    features_of,
    read_data,
    without,
    write_data,
)
from labelsieve.cli._engine import add_engine_options, select_on_dask, uses_dask
from labelsieve.cli._options import (
    CV_RULES,
    add_data_options,
    add_run_options,
    add_text_options,
    names,
    new_parser,
    read_setting,
    read_size,
    whole_number,
)
from labelsieve.cli._output import note, say, say_json, this_command
from labelsieve.cli._overwriting import refuse_overwriting
from labelsieve.cli._own import add_own_option, fit_own, own_as_dict, own_as_text
from labelsieve.cli._selection import (
    Selection,
    quality_as_text,
    selection_as_dict,
    selection_as_text,
    settings_of,
    write_ranking,
)

if TYPE_CHECKING:
    from labelsieve.datasets import Dataset

EXAMPLES = """\
examples:
  labelsieve select music.arff -k 20
  labelsieve select music.arff -k auto --stability --p-values
  labelsieve select music.arff -k cv --report music.html
  labelsieve select music.arff -k 10 --own 3
  labelsieve select music.csv --labels tag_ --method fimf -o ranking.csv
  labelsieve select posts.csv --text body --labels tags --separator ";" -k 100
  labelsieve select music.arff --include tempo --exclude 'mfcc_*,loudness'
  labelsieve select music.arff -k 50 --reduced small.arff
  labelsieve select music.arff --method gmba --set n_neighbors=5 --json
  zcat music.arff.gz | labelsieve select - --quiet -o - | cut -d, -f3

The data may be a Mulan or MEKA file, LibSVM, CSV, TSV, Parquet, a folder or archive
that holds one of these, openml:NAME, - for the standard input, or
builtin:segments (the handwritten digits of labelsieve demo).
"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "select",
        help="rank features and keep the best, with reasons",
        description="Rank the features of a data set by what they tell about its "
        "labels, say why, and write the ranking, the smaller data set or a page.",
        epilog=EXAMPLES,
    )
    parser.add_argument("data", metavar="DATA", help="the data set")
    _add_method_options(parser)
    add_own_option(parser)
    add_certainty_options(parser)
    add_data_options(parser)
    add_text_options(parser)
    parser.add_argument(
        "--drop",
        type=names,
        metavar="NAMES",
        help="features to leave out of the data, with commas between; names may be "
        "patterns, such as tag_*",
    )
    parser.add_argument(
        "--include",
        type=names,
        metavar="NAMES",
        help="features that must be in, or patterns: they come first, and what repeats "
        "them is not chosen",
    )
    parser.add_argument(
        "--exclude",
        type=names,
        metavar="NAMES",
        help="features that are never chosen, or patterns; they stay in the data",
    )
    add_run_options(parser)
    add_engine_options(parser)
    _add_output_options(parser)
    parser.set_defaults(run=run)


def _add_method_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--method",
        default="sieve",
        help="see labelsieve methods (default: sieve)",
    )
    parser.add_argument(
        "-k",
        type=read_size,
        default=0.1,
        metavar="N",
        help="how many features to keep, or which share of them (default: 0.1); auto: "
        "those that are significant, where the method can tell (sieve); cv: the number "
        "that is best in cross-validation; cv-1se: the smallest that is not clearly "
        "worse",
    )
    parser.add_argument(
        "--binning",
        choices=("rank", "quantile", "uniform", "none"),
        help="how values become codes, for methods that count; rank: numbers count by "
        "their ranks (sieve)",
    )
    parser.add_argument(
        "--bins", type=whole_number, metavar="N", help="the number of codes"
    )
    parser.add_argument(
        "--label-weight",
        choices=("variance", "equal", "information"),
        help="how much each label counts: by how many rows it can change (default), "
        "the same however rare, or by its entropy (sieve)",
    )
    parser.add_argument(
        "--error",
        choices=("family", "fdr"),
        help="what -k auto promises: a false feature in at most 5 of 100 selections "
        "(family, default), or at most 10 false ones of 100 selected (sieve)",
    )
    parser.add_argument(
        "--set",
        type=read_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other parameter of the method; may be repeated",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the ranking: .csv, .json or .txt (names only); - for CSV on the "
        "standard output",
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="in CSV: names as they are; by default a ' stands before those that a "
        "spreadsheet would run (= + - @)",
    )
    parser.add_argument(
        "--reduced", metavar="FILE", help="write the data with the kept features only"
    )
    parser.add_argument(
        "--report", type=Path, metavar="PAGE", help="measure quality, write a page"
    )
    parser.add_argument(
        "--quality",
        action="store_true",
        help="measure the quality against all features and against random ones",
    )
    parser.add_argument(
        "--splits",
        type=whole_number,
        default=10,
        metavar="N",
        help="random splits for measuring quality (default: 10)",
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help="computing time for measuring quality; where all rows would take more, a "
        "sample of them is judged (default: 10 times the selection, at least 10; inf: "
        "all rows)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> None:
    """Read, select, explain, write."""
    selector = make_configured(arguments)
    on_dask = uses_dask(arguments)
    _refuse_overwriting(arguments)
    if on_dask:
        refuse_on_dask(arguments)
        return select_on_dask(selector, arguments)
    dataset = read_data(arguments.data, arguments)
    from sklearn.utils import get_tags

    from labelsieve.datasets import with_features

    if arguments.drop:
        dataset = without(dataset, arguments.drop)
    decide(selector, dataset, arguments)
    X = features_of(dataset, get_tags(selector).input_tags.allow_nan)
    measured = arguments.quality or arguments.report
    if measured:
        _refuse_unknown(dataset)
    selector, certainty = fit_and_judge(selector, X, dataset.Y, arguments)
    own = fit_own(selector, X, dataset.Y, arguments)
    if arguments.output:
        write_ranking(selector, dataset, arguments, certainty)
    if arguments.reduced:
        kept = (own or selector).get_support(indices=True).tolist()
        write_data(with_features(dataset, kept), arguments.reduced, None)
    if _says_nothing(arguments) and not measured:
        return
    explanation = selector.explain(
        X,
        dataset.Y,
        feature_names=dataset.feature_names,
        label_names=dataset.label_names,
    )
    found = Selection(selector, dataset, explanation, None, certainty)
    spoken = not (arguments.json or _says_nothing(arguments))
    if spoken:
        say(selection_as_text(found))
        if own is not None:
            say("\n" + own_as_text(own, dataset))
    failed = None
    if measured:
        try:
            quality = _measure(selector, X, dataset.Y, arguments)
            found = replace(found, quality=quality)
        except Exception as error:  # the selection is known, and not lost with it
            failed = error
    if arguments.report:
        _write_page(found, arguments, own, X)
    if arguments.json:
        say_json(selection_as_dict(arguments, found) | own_as_dict(own, dataset))
    elif spoken and found.quality is not None:
        say("\n" + quality_as_text(found.quality))
    if failed is not None:
        raise failed


def _refuse_overwriting(arguments: argparse.Namespace) -> None:
    listed = arguments.output if arguments.output != STANDARD else None
    refuse_overwriting(
        [arguments.data],
        outputs=[listed, arguments.report],
        reduced=arguments.reduced,
    )


def _refuse_unknown(dataset: Dataset) -> None:
    """ValueError that names labels which are not known: no measure could be taken."""
    from labelsieve.reading import read_labels, unknown_cells

    if unknown_cells(dataset.Y) is not None:
        labels = replace(read_labels(dataset.Y, dataset.X), names=dataset.label_names)
        way_out = ", or leave out --report and --quality: selecting needs no more"
        labels.refuse_unknown("a measure of quality", way_out)


def _says_nothing(arguments: argparse.Namespace) -> bool:
    """Whether the ranking goes elsewhere, and nobody wants to read it here."""
    silent = arguments.quiet and not arguments.json
    return arguments.output == STANDARD or bool(arguments.output and silent)


def _measure(selector: Any, X: Any, Y: Any, arguments: argparse.Namespace) -> Any:
    from sklearn.base import clone

    from labelsieve.choosing import measure_quality

    kept = int(selector.support_.sum())
    return measure_quality(
        clone(selector).set_params(n_features_to_select=kept),
        X,
        Y,
        n_splits=arguments.splits,
        budget=arguments.budget,
        seed=arguments.seed,
        verbose=not arguments.quiet and sys.stderr.isatty(),
    )


def _write_page(
    found: Selection, arguments: argparse.Namespace, own: Any, X: Any
) -> None:
    from labelsieve.datasets import describe
    from labelsieve.report import own_section, selection_page, write_page

    content = selection_page(
        found.explanation,
        found.quality,
        method=arguments.method.lower(),
        description=describe(found.dataset)._asdict(),
        settings=settings_of(found.selector, found.dataset),
        command=this_command(arguments),
        search=found.certainty.search,
        stability=found.certainty.stability,
        p_values=found.certainty.p_values,
    )
    if own is not None:
        data = found.dataset
        section = own_section(own, X, data.Y, data.feature_names, data.label_names)
        content["sections"].insert(-1, section)
    note(arguments, f"page: {write_page(content, arguments.report)}")


def make_configured(arguments: argparse.Namespace) -> Any:
    """Return the method of the command line with the parameters given there."""
    from labelsieve.registry import make_selector

    size = 1 if arguments.k in CV_RULES else arguments.k
    selector = make_selector(arguments.method, n_features_to_select=size)
    _refuse_auto(selector, arguments)
    known = selector.get_params()
    asked = {
        "binning": arguments.binning,
        "n_bins": arguments.bins,
        "label_weight": arguments.label_weight,
        "error": arguments.error,
    }
    settings = {name: value for name, value in asked.items() if value is not None}
    _refuse_of_sieve(settings, known, arguments)
    offered = {
        "n_jobs": arguments.jobs,
        "random_state": arguments.seed,
        "verbose": not arguments.quiet and sys.stderr.isatty(),
    }
    settings |= {name: value for name, value in offered.items() if name in known}
    settings |= dict(arguments.set)
    if missing := sorted(settings.keys() - known.keys()):
        problem = unknown("parameter", missing[0], sorted(known))
        raise ValueError(f"{arguments.method}: {problem}")
    return selector.set_params(**settings)


def _refuse_of_sieve(
    settings: dict[str, Any], known: dict[str, Any], arguments: argparse.Namespace
) -> None:
    """Say in one line that a method has not what Sieve has."""
    of_sieve = settings.keys() & {"label_weight", "error"}
    lacks = sorted(of_sieve - known.keys())
    if settings.get("binning") == "rank" and "label_weight" not in known:
        lacks.append("binning rank")
    if lacks:
        option = lacks[0].replace("_", "-")
        raise ValueError(
            f"{arguments.method} has no --{option}: only sieve has. Leave it out, or "
            "use --method sieve"
        )
    if "error" in settings and arguments.k != "auto":
        raise ValueError(
            "--error says what -k auto promises: use it with -k auto, or leave it out"
        )


def _refuse_auto(selector: Any, arguments: argparse.Namespace) -> None:
    """Say in one line that a method cannot tell how many features it wants."""
    allowed = selector._parameter_constraints["n_features_to_select"]
    if arguments.k == "auto" and not any(
        "auto" in getattr(option, "options", ()) for option in allowed
    ):
        raise ValueError(
            f"{arguments.method} cannot tell how many features to keep: use -k auto "
            "with sieve, or -k cv, which asks a classifier, with any method"
        )
