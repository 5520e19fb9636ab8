"""Commands that choose features: select (which, why, how good) and reduce."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelsieve._utils.messages import nearest, unknown, waiting
from labelsieve.cli._data import (
    STANDARD,
    features_of,
    force_features,
    open_blocks,
    read_data,
    refuse_overwriting,
    take_column,
    without,
    workers,
    write_data,
)
from labelsieve.cli._options import (
    CV_RULES,
    methods_that,
    note,
    refuse_options,
    say,
    say_json,
    shows_progress,
    this_command,
)
from labelsieve.cli._selection import (
    Selection,
    fit_selection,
    quality_as_text,
    ranking_as_dict,
    ranking_table,
    selection_as_dict,
    selection_as_text,
    settings_of,
    title_of,
    types_in,
    write_ranking,
)
from labelsieve.sentences import target_types

if TYPE_CHECKING:
    from labelsieve.datasets import LazyDataset

# Rounds where none are given.
ROUNDS = {
    "stability": {"nargs": "?", "const": 100},
    "p_values": {"nargs": "?", "const": 200},
}
# Options of select that look at all rows in memory, as the parser names them.
NEED_MEMORY = {"reduced", "report", "quality", "text", "targets", "weight", "groups"}
NEED_MEMORY |= {"stability", "p_values", "label_specific", "feature_groups"}
SELECT_EXAMPLES = """\
examples:
  labelsieve select music.arff -k 20
  labelsieve select music.arff -k auto --stability --p-values
  labelsieve select music.arff -k cv --report music.html
  labelsieve select visits.csv --labels diag_ -k auto --groups patient
  labelsieve select survey.csv --targets income,votes,smokes --target-type votes=class
  labelsieve select music.arff -k 10 --label-specific 3
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
SELECT = f"""
select: rank features and keep the best, with reasons

Rank the features of a data set by their relevance to its labels, explain the ranking,
and write it, the smaller data set or a page.

data DATA
    the data set
-m --method METHOD = sieve
    see labelsieve methods (default: sieve)
-k N = 0.1
    how many features to keep, or which share of them (default: 0.1); auto: the
    significant ones (sieve); cv: the best cross-validated number; cv-1se: the smallest
    within one standard error of it
--binning {{rank,quantile,uniform,none}}
    how values become levels, for methods based on counts; rank: numbers by their ranks
    (sieve)
--bins N
    the number of levels
--label-weight {{variance,balanced,information}}
    how much each label counts: by its variance (default), rare labels about as much as
    frequent ones, or by its entropy (sieve)
--error-rate {{fwer,fdr}}
    what -k auto controls: the family-wise error rate (default), or the false discovery
    rate (sieve)
--alpha LEVEL
    the level of that error rate (default: 0.05 for fwer, 0.1 for fdr)
--set NAME=VALUE
    any other parameter of the method; may be repeated
--label-specific N
    also choose for each label at most N features beyond those of all
--stability ROUNDS
    stability selection: how often each feature is selected on random halves of the
    rows (default: 100 halves)
--p-values ROUNDS
    how often permuted labels give such a score (default: 200 permutations)
--groups COLUMN
    rows with the same value here, such as a patient, belong together for -k auto, -k
    cv, --stability, --p-values and --quality; the column is no feature
--weight COLUMN
    how much each row counts in the selection, such as the weights of a survey; the
    column is no feature
<data>
<text>
--drop NAMES
    features to leave out of the data, with commas between; names may be patterns, such
    as tag_*
--include NAMES
    features that are forced in, or patterns: they come first, and features that are
    redundant with them are not chosen
--exclude NAMES
    features that are never chosen, or patterns; they stay in the data
--feature-groups HOW
    select columns as a whole that are one feature: prefix= (or prefix_) for columns of
    0 and 1 such as color=red, color=green (sieve and others)
<run>
--engine {{memory,dask}} = memory
    dask: stream a folder of Parquet or LibSVM files, or a zarr group, that may be
    larger than memory (default: memory)
--scheduler ADDRESS
    with --engine dask: the scheduler of a running Dask cluster, such as
    tcp://10.0.0.1:8786 (default: threads of this process)
--quality
    measure the quality against all features and against random ones
<output>

{SELECT_EXAMPLES}"""

REDUCE = """
reduce: the fewest features that a model needs

Recursive feature elimination with a model of scikit-learn: find the smallest set of
features with which it is equivalent to all.

data DATA
    the data set, as in select
--model NAME = RandomForestClassifier
    a classifier of scikit-learn, or a regressor where --targets are numbers (default:
    RandomForestClassifier)
--model-params JSON = {}
    its parameters, such as '{"max_depth": 5}'
--importance {auto,permutation} = auto
    what is asked of the model: its own importances (default), or permutation
--tolerance SHARE = 0.05
    a loss below this share of what all features reach does not matter (default: 0.05)
--groups COLUMN
    rows with the same value here, such as a patient, belong together
--drop NAMES
    features to leave out of the data, with commas between, or patterns
<data>
<text>
<run>
<output>

examples:
  labelsieve reduce music.csv --labels tag_ --model RandomForestClassifier \\
      --model-params '{"n_estimators": 50, "min_samples_leaf": 3}' -o features.txt
"""


def run_select(arguments: argparse.Namespace) -> None:
    """Read, select, explain, write."""
    selector = make_configured(arguments)
    if _uses_dask(arguments):
        _refuse_overwriting(arguments)
        return _select_on_dask(selector, arguments)
    dataset, rows = read_samples(arguments)
    _tell_types(selector, dataset, arguments)
    force_features(selector, dataset, arguments)
    named = arguments.feature_groups or getattr(selector, "feature_costs", None)
    X = features_of(dataset, bool(named))
    found = fit_selection(selector, X, dataset, arguments, rows)
    show_selection(found, X, arguments, rows)


def run_reduce(arguments: argparse.Namespace) -> None:
    """Read, eliminate, evaluate, write."""
    model = named_estimator(arguments)
    arguments.weight = None
    dataset, rows = read_samples(arguments)
    groups = rows.get("groups")
    from labelsieve.choosing import smallest_equivalent

    X = features_of(dataset)
    try:
        search = smallest_equivalent(
            *(model, X, dataset.Y, groups, arguments.splits, arguments.budget),
            arguments.seed,
            importance=arguments.importance,
            tolerance=arguments.tolerance,
            target_types=list(dataset.target_types) or "auto",
            n_jobs=arguments.jobs,
            verbose=shows_progress(arguments),
        )
    except TypeError as error:
        if isinstance(error, ValueError):  # a parameter of the model
            raise
        raise ValueError(f"{error} Here: --importance permutation.") from error
    arguments.method = f"model+{arguments.model}"
    found = Selection(search.selector_, dataset, search, quality=search.quality_)
    show_selection(found, X, arguments, rows)


def named_estimator(arguments: argparse.Namespace) -> Any:
    """Return the model of scikit-learn that the command line names."""
    from sklearn.utils import all_estimators

    found = dict(all_estimators(["classifier", "regressor"]))
    taken = {name: signature(kind).parameters for name, kind in found.items()}
    kinds = {
        name: list(parameters)
        for name, parameters in taken.items()
        if not any(one.default is one.empty for one in parameters.values())
    }
    name, text = arguments.model, arguments.model_params
    if name not in kinds:
        near = nearest(name, kinds)
        question = "." if near is None else f"; did you mean {near!r}?"
        raise ValueError(
            f"unknown model {name!r}{question} Expected a model of scikit-learn that "
            "is made of no other, such as RandomForestClassifier."
        )
    seed = {"random_state": arguments.seed} if "random_state" in kinds[name] else {}
    try:
        return found[name](**{**seed, **json.loads(text)})
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"--model-params {text} makes no {name}: {error}. Expected a JSON object "
            f"of some of these: {', '.join(kinds[name])}."
        ) from error


def read_samples(arguments: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """Return the data without what is no feature here, and groups and weights."""
    if arguments.open and arguments.report is None:
        import tempfile

        folder = tempfile.mkdtemp(prefix="labelsieve-")
        arguments.report = str(Path(folder) / "selection.html")
    _refuse_overwriting(arguments)
    dataset = read_data(arguments.data, arguments)
    rows = {"groups": arguments.groups, "sample_weight": arguments.weight}
    rows = {name: column for name, column in rows.items() if column}
    no_numbers = {*dataset.categories, *dataset.dates}
    if len(set(rows.values())) < len(rows):
        raise ValueError(
            f"--groups and --weight both name {arguments.weight}: a column is one or "
            "the other; copy it under another name if it is both"
        )
    for name, column in rows.items():
        dataset, rows[name] = take_column(dataset, column, name.removeprefix("sample_"))
    weight = rows.get("sample_weight")
    if weight is not None and (
        arguments.weight in no_numbers or not (weight >= 0).all() or not weight.any()
    ):
        raise ValueError(
            f"--weight {arguments.weight} holds text, dates, missing cells, negative "
            "numbers or nothing but 0; expected 0 or more in each row"
        )
    if arguments.drop:
        dataset = without(dataset, arguments.drop)
    return dataset, rows


def show_selection(
    found: Selection, X: Any, arguments: argparse.Namespace, rows: dict[str, Any]
) -> None:
    """Write, explain, measure."""
    from labelsieve.datasets import with_features

    selector, dataset = found.selector, found.dataset
    known = found.quality is not None
    measured = known or arguments.quality or arguments.report
    if arguments.output:
        write_ranking(found, arguments)
    if arguments.reduced:
        kept = (found.label_specific or selector).get_support(indices=True).tolist()
        write_data(with_features(dataset, kept), arguments.reduced, None)
    if _says_nothing(arguments) and not measured:
        return
    names = {"feature_names": dataset.feature_names, "label_names": dataset.label_names}
    names |= {name: weight for name, weight in rows.items() if name != "groups"}
    spoken = not (arguments.json or _says_nothing(arguments))
    with waiting("explaining the selection"):
        found = replace(found, explanation=selector.explain(X, dataset.Y, **names))
        text = selection_as_text(found) if spoken else ""
    if spoken:
        say(text)
    failed, refits, budget = None, None, arguments.budget
    if arguments.report:
        from labelsieve.report import refit

        with waiting("looking for substitutes"):
            refits = refit(selector, X, dataset.Y, budget, **names)
            budget = refits.budget
    if measured and not known:
        from sklearn.base import clone

        from labelsieve.choosing import evaluate_selection

        try:
            kept = int(selector._by_group().support_.sum())
            quality = evaluate_selection(
                clone(selector).set_params(n_features_to_select=kept),
                X,
                dataset.Y,
                n_splits=arguments.splits,
                **rows,
                budget=budget,
                seed=arguments.seed,
                verbose=shows_progress(arguments),
            )
            found = replace(found, quality=quality)
        except Exception as error:  # the selection is known, and not lost with it
            failed = error
    if arguments.report:
        with waiting("writing the page"):
            _write_page(found, arguments, X, failed, refits)
    if arguments.json:
        say_json(selection_as_dict(arguments, found))
    elif spoken and found.quality is not None:
        say("\n" + quality_as_text(found.quality))
    if failed is not None:
        raise failed


def _refuse_overwriting(arguments: argparse.Namespace) -> None:
    listed = arguments.output if arguments.output != STANDARD else None
    refuse_overwriting(
        [arguments.data], outputs=[listed, arguments.report], reduced=arguments.reduced
    )


def _says_nothing(arguments: argparse.Namespace) -> bool:
    """Whether the ranking goes elsewhere, and nobody wants to read it here."""
    silent = arguments.quiet and not arguments.json
    return arguments.output == STANDARD or bool(arguments.output and silent)


def _write_page(
    found: Selection, arguments: argparse.Namespace, X: Any, failed: Any, refits: Any
) -> None:
    from labelsieve.datasets import describe
    from labelsieve.report import selection_page, specific_section, write_page

    data = found.dataset
    content = selection_page(
        found.explanation,
        found.quality,
        method=arguments.method.lower(),
        description=describe(data)._asdict() | target_types(types_in(found)),
        settings=settings_of(found.selector, data),
        command=this_command(arguments),
        search=found.search,
        stability=found.stability,
        p_values=found.p_values,
        refits=refits,
        not_measured=None if failed is None else str(failed),
    )
    if found.label_specific is not None:
        called = data.feature_names, data.label_names
        section = specific_section(found.label_specific, X, data.Y, *called)
        content["sections"].insert(-1, section)
    page = write_page(content, arguments.report)
    note(arguments, f"page: {page}")
    if arguments.open:
        import webbrowser

        if not webbrowser.open(page.resolve().as_uri()):
            note(arguments, "no browser was found: open the page by hand")


def make_configured(arguments: argparse.Namespace) -> Any:
    """Return the method of the command line with the parameters given there."""
    from labelsieve.registry import make_selector

    size = 1 if arguments.k in CV_RULES else arguments.k
    selector = make_selector(arguments.method, n_features_to_select=size)
    allowed = selector._parameter_constraints["n_features_to_select"]
    if arguments.k == "auto" and not any(
        "auto" in getattr(option, "options", ()) for option in allowed
    ):
        raise ValueError(
            f"{arguments.method} has no -k auto: use it with sieve, or -k cv, which "
            "finds the number by cross-validation, with any method"
        )
    known = selector.get_params()
    asked = {"binning": arguments.binning, "n_bins": arguments.bins}
    asked |= {n: vars(arguments)[n] for n in ("label_weight", "error_rate", "alpha")}
    settings = {name: value for name, value in asked.items() if value is not None}
    if "feature_groups" in known:
        settings["feature_groups"] = arguments.feature_groups
    _refuse_of_sieve(settings, known, arguments)
    offered = {
        "n_jobs": arguments.jobs,
        "random_state": arguments.seed,
        "verbose": shows_progress(arguments),
    }
    settings |= {name: value for name, value in offered.items() if name in known}
    settings |= dict(arguments.set)
    if missing := sorted(settings.keys() - known.keys()):
        problem = unknown("parameter", missing[0], sorted(known))
        raise ValueError(f"{arguments.method}: {problem}")
    return selector.set_params(**settings)


def _tell_types(selector: Any, dataset: Any, arguments: argparse.Namespace) -> None:
    """Tell the method what the targets are; one that cannot take them is refused."""
    from labelsieve.selectors import OF_TYPE, can, needed_for

    types, known = dataset.target_types, selector.get_params()
    if types and "target_types" in known:
        selector.set_params(target_types=list(types))
    binned = {"number"} if known.get("n_target_bins") is not None else set()
    asked = [kind for kind in OF_TYPE if kind in {*types} - binned]
    for kind in (kind for kind in asked if not can(selector, OF_TYPE[kind])):
        name = dataset.label_names[types.index(kind)]
        takers = methods_that(*needed_for(types, (dataset.Y != dataset.Y).any()))
        if kind == "number" and "n_target_bins" in known:
            n_bins = 2 if selector._wants_two_values() else 4
            takers.append(f"or {arguments.method} --set n_target_bins={n_bins}")
        raise ValueError(
            f"{arguments.method} takes no {OF_TYPE[kind][6:]}, and the target {name!r} "
            f"is a {kind}: use {', '.join(takers)}"
        )


def _refuse_of_sieve(
    settings: dict[str, Any], known: dict[str, Any], arguments: argparse.Namespace
) -> None:
    """Say in one line that a method has not what Sieve has."""
    of_sieve = settings.keys() & {"label_weight", "error_rate", "alpha"}
    lacks = sorted(of_sieve - known.keys())
    if settings.get("binning") == "rank" and "label_weight" not in known:
        lacks.append("binning rank")
    if lacks:
        option = lacks[0].replace("_", "-")
        raise ValueError(
            f"{arguments.method} has no --{option}: only sieve has. Leave it out, or "
            "use --method sieve"
        )
    if settings.keys() & {"error_rate", "alpha"} and arguments.k != "auto":
        raise ValueError(
            "--error-rate and --alpha apply to -k auto only: use them with it, or "
            "leave them out"
        )


def _uses_dask(arguments: argparse.Namespace) -> bool:
    """Whether Dask is asked for; refuse what does not go together."""
    if arguments.engine != "dask":
        if arguments.scheduler is not None:
            raise ValueError("--scheduler needs --engine dask")
        return False
    if arguments.min_rows > 1:
        raise ValueError("--min-rows needs all rows in memory: leave --engine dask out")
    asked: dict[str, Any] = {f"-k {arguments.k}": arguments.k in CV_RULES}
    for name in sorted(NEED_MEMORY):
        asked[f"--{name.replace('_', '-')}"] = vars(arguments)[name]
    why = "needs all rows in memory, so it does not work with --engine dask: leave one "
    refuse_options(asked, f"{why}of the two out")
    return True


def _select_on_dask(selector: Any, arguments: argparse.Namespace) -> None:
    """Open, select, write: what `select` does, with rows in blocks."""
    from labelsieve.selectors import refuse_blocks

    try:
        refuse_blocks(selector)
    except TypeError as error:
        raise ValueError(f"{error} Or leave --engine dask out.") from error
    with workers(arguments):
        data = open_blocks(arguments)
        force_features(selector, data, arguments)
        selector.fit(*data)
        described = _description(data)
    found = Selection(selector, data)
    if arguments.output:
        write_ranking(found, arguments)
    if arguments.json:
        say_json(ranking_as_dict(arguments, found, described))
    elif arguments.output is None or not (
        arguments.quiet or arguments.output == STANDARD
    ):
        title = title_of(found, described["instances"])
        say(replace(ranking_table(found).without("column"), title=title).to_text())


def _description(data: LazyDataset) -> dict[str, Any]:
    """What is known of the data without reading the rows again."""
    n_rows = data.X.shape[0]
    if hasattr(n_rows, "compute"):
        from labelsieve.blocks import run

        (n_rows,) = run([n_rows])  # Parquet files say it in their last bytes
    return {
        "name": data.name,
        "instances": None if n_rows != n_rows else int(n_rows),
        "features": len(data.feature_names),
        "labels": len(data.label_names),
    }
