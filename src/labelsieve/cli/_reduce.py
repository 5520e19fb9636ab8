"""``labelsieve reduce``: the fewest features that a model needs."""

from __future__ import annotations

import argparse
import json
from inspect import signature
from typing import Any

from labelsieve._utils.messages import nearest
from labelsieve.cli._data import features_of
from labelsieve.cli._options import (
    add_data_options,
    add_run_options,
    add_text_options,
    new_parser,
    shows_progress,
)
from labelsieve.cli._select import OUTPUT_OPTIONS, read_samples, show_selection
from labelsieve.cli._selection import Selection

EXAMPLES = """\
examples:
  labelsieve reduce music.csv --labels tag_ --model RandomForestClassifier \\
      --model-params '{"n_estimators": 50, "min_samples_leaf": 3}' -o features.txt
"""
MODEL_OPTIONS = """
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
"""


def add_reduce(commands: Any) -> None:
    """Add the command."""
    parser = new_parser(
        commands,
        "reduce",
        run,
        help="the fewest features that a model needs",
        description="Recursive feature elimination with a model of scikit-learn: find "
        "the smallest set of features with which it is equivalent to all.",
        epilog=EXAMPLES,
    )
    parser.add_argument("data", metavar="DATA", help="the data set, as in select")
    parser.options(MODEL_OPTIONS, tolerance={"type": float})
    add_data_options(parser)
    add_text_options(parser)
    add_run_options(parser)
    parser.options(OUTPUT_OPTIONS)


def run(arguments: argparse.Namespace) -> None:
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
