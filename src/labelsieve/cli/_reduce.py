"""``labelsieve reduce``: the fewest features that a model needs."""

from __future__ import annotations

import argparse
import json
from typing import Any

from labelsieve._utils.messages import nearest, unknown
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
  labelsieve reduce music.arff --model LogisticRegression --report music.html
  labelsieve reduce music.csv --labels tag_ --model RandomForestClassifier \\
      --model-params '{"n_estimators": 50, "min_samples_leaf": 3}' -o features.txt
"""
MODEL_OPTIONS = """
--model NAME = RandomForestClassifier
    a classifier of scikit-learn (default: RandomForestClassifier)
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
    dataset, groups = read_samples(arguments)
    from labelsieve.choosing import smallest_equivalent

    X = features_of(dataset)
    try:
        search = smallest_equivalent(
            *(model, X, dataset.Y, groups, arguments.splits, arguments.budget),
            arguments.seed,
            importance=arguments.importance,
            tolerance=arguments.tolerance,
            n_jobs=arguments.jobs,
            verbose=shows_progress(arguments),
        )
    except TypeError as error:
        if isinstance(error, ValueError):  # a parameter of the model
            raise
        raise ValueError(f"{error} Here: --importance permutation.") from error
    arguments.method = f"model+{arguments.model}"
    found = Selection(search.selector_, dataset, search, quality=search.quality_)
    show_selection(found, X, arguments, groups)


def named_estimator(arguments: argparse.Namespace) -> Any:
    """Return the model of scikit-learn that the command line names."""
    from sklearn.utils import all_estimators

    kinds = dict(all_estimators(type_filter="classifier"))
    name, text = arguments.model, arguments.model_params
    if name not in kinds:
        near = nearest(name, kinds)
        question = "" if near is None else f" did you mean {near!r}?"
        raise ValueError(
            f"unknown model {name!r};{question} Expected a classifier of scikit-learn, "
            "such as RandomForestClassifier."
        )
    try:
        given = json.loads(text)
    except json.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise ValueError(
            f"--model-params is {text!r}; expected a JSON object, such as "
            "'{\"max_depth\": 5}'."
        )
    try:
        model = kinds[name]()
    except TypeError:
        raise ValueError(
            f"{name} is made of another model: name that one. Where it predicts one "
            "target only, each gets its own."
        ) from None
    known = model.get_params()
    if missing := sorted(given.keys() - known.keys()):
        raise ValueError(f"{name}: {unknown('parameter', missing[0], known)}")
    if "random_state" in known:
        given = {"random_state": arguments.seed, **given}
    return model.set_params(**given)
