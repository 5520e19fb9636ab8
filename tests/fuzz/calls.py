"""Calls whatever is public with whatever comes up, and sees that it answers.

    python -m tests.fuzz.calls --cases 5000 [--seed 0] [--only NUMBER]

Each call must give a valid result (finite scores, an order of all features,
predictions among the given codes) or a ValueError or TypeError that this library or
scikit-learn raises on purpose. Anything else, a warning about arithmetic, or a call
that does not come back within two minutes of processor time is a failure.
"""

from __future__ import annotations

import argparse
import faulthandler
import linecache
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn

import labelsieve
from labelsieve import metrics
from tests.fuzz import parameters, tables

SECONDS = 120
OURS = str(Path(labelsieve.__file__).parent)
THEIRS = str(Path(sklearn.__file__).parent)
# Selectors whose documented scores are infinite for some features.
INFINITE = ("FIMF", "FStatistic", "MLFS", "SPEC")
# What a method may have to say; anything else is a failure.
SAID = (UserWarning, FutureWarning, sklearn.exceptions.EfficiencyWarning)


@dataclass
class Case:
    """A call and what it was made of."""

    number: int
    told: list[str] = field(default_factory=list)
    given: list[tuple[Any, list[bytes]]] = field(default_factory=list)

    def tell(self, *parts: Any) -> None:
        """Remember something about the call, for the one who reads of its failure."""
        self.told += [
            p if isinstance(p, str) else tables.told(p) if _is_table(p) else repr(p)
            for p in parts
        ]
        self.given += [(p, tables.stored(p)) for p in parts if _is_table(p)]

    def changed(self) -> bool:
        """Whether a call has written into what it was given."""
        return any(tables.stored(table) != before for table, before in self.given)


def _is_table(value: Any) -> bool:
    return hasattr(value, "shape") or isinstance(value, list | tuple)


def call_selector(rng: random.Random, case: Case) -> None:
    """Fit a selector, then do something with it."""
    selector = parameters.selector(rng)
    X, y = tables.table_and_labels(rng)
    case.tell(selector, X, y)
    if rng.random() < 0.03:
        selector.transform(X)
    selector.fit(X, y)
    check_ranking(selector, selector.scores_)
    use_selector(rng, case, selector, X, y)


def use_selector(rng: random.Random, case: Case, fitted: Any, X: Any, y: Any) -> None:
    """Do what users do with a fitted selector."""
    n_features = fitted.n_features_in_
    what = rng.randrange(8)
    case.tell(f"then {what}")
    if what == 0:
        found = fitted.transform(X)
        assert found.shape[1] == fitted.support_.sum()
    elif what == 1:
        other = tables.features(rng, rng.choice((0, 1, 4)), rng.choice((n_features, 3)))
        case.tell(other)
        fitted.transform(other)
    elif what == 2:
        some = tables.features(rng, 3, int(fitted.support_.sum()))
        case.tell(some)
        fitted.inverse_transform(some)
    elif what == 3 and hasattr(fitted, "at"):
        size = rng.choice((0, 1, n_features, n_features + 1, -1, 1.5, "2", None))
        case.tell(size)
        assert fitted.at(size).support_.sum() == size
    elif what == 4 and hasattr(fitted, "to_json"):
        again = labelsieve.FIMF.from_json(fitted.to_json())
        np.testing.assert_array_equal(again.order_, fitted.order_)
    elif what == 5 and hasattr(fitted, "explain"):
        found = fitted.explain(X, y)
        assert str(found)
        assert found.to_dict()
    elif what == 6:
        fitted.get_feature_names_out()
    elif what == 7 and hasattr(fitted, "explain"):
        others = tables.table_and_labels(rng)
        case.tell(*others)
        fitted.explain(*others)


def call_choosing(rng: random.Random, case: Case) -> None:
    """Fit an estimator around a selector."""
    X, y = tables.table_and_labels(rng)
    which = rng.choice(
        (
            "SizeCV",
            "StabilitySelection",
            "permutation_p_values",
            "LabelSpecificSelector",
        )
    )
    if which == "permutation_p_values":
        selector = parameters.selector(rng)
        rounds = rng.choice((1, 2, 3, 3, 0, 1.5, "2"))
        case.tell(which, selector, rounds, X, y)
        found = labelsieve.permutation_p_values(
            selector, X, y, n_permutations=rounds, random_state=0
        )
        assert ((found.p > 0) & (found.p <= 1)).all()
        assert (found.p_family >= found.p - 1e-12).all()
        return
    made = getattr(labelsieve, which)(parameters.selector(rng))
    quick = {"SizeCV": {"cv": 2}, "StabilitySelection": {"n_subsamples": 3}}
    made.set_params(**quick.get(which, {}))
    chooser = parameters.with_parameters(rng, made)
    case.tell(chooser, X, y)
    chooser.fit(X, y)
    stable = which == "StabilitySelection"
    check_ranking(chooser, chooser.frequencies_ if stable else chooser.scores_)
    use_selector(rng, case, chooser, X, y)


def check_ranking(fitted: Any, scores: Any) -> None:
    """See that all features are ranked by finite scores."""
    n_features = fitted.n_features_in_
    assert scores.shape == (n_features,)
    assert not np.isnan(scores).any(), "a score is NaN"
    name = type(getattr(fitted, "selector_", fitted)).__name__
    assert np.isfinite(scores).all() or name in INFINITE, "a score is infinite"
    assert sorted(fitted.order_) == list(range(n_features)), "no permutation"
    assert (fitted.ranking_[fitted.order_] == np.arange(1, n_features + 1)).all()
    assert 1 <= fitted.support_.sum() <= n_features


def call_classifier(rng: random.Random, case: Case) -> None:
    """Fit a classifier and predict."""
    classifier = parameters.classifier(rng)
    X, y = tables.table_and_labels(rng)
    case.tell(classifier, X, y)
    if rng.random() < 0.03:
        classifier.predict(X)
    classifier.fit(X, y)
    given = X
    if rng.random() < 0.4:
        width = rng.choice((classifier.n_features_in_, 3))
        given = tables.features(rng, rng.choice((0, 1, 4)), width)
        case.tell(given)
    predicted = classifier.predict(given)
    strange = set(np.unique(predicted).tolist()) - codes_of(y)
    assert not strange, f"predicts {strange}"
    scores = classifier.label_scores(given)
    assert not np.isnan(scores).any(), "a score is NaN"
    for name in ("predict_proba", "decision_function"):
        if hasattr(classifier, name):
            assert not np.isnan(getattr(classifier, name)(given)).any()


def codes_of(y: Any) -> set[Any]:
    """The distinct values of labels; text that holds numbers, as text; tags 0 or 1."""
    if isinstance(y, list) and any(isinstance(row, list | set) for row in y):
        cells = [cell for row in y for cell in row]
        return {0, 1, *cells, *map(str, cells)}
    cells = np.asarray(y.toarray() if sp.issparse(y) else y)
    if cells.dtype == object and any(cell is None for cell in cells.ravel()):
        return {0, 1, *cells.ravel().tolist()}  # where a label is known nowhere
    return {*cells.ravel().tolist(), *cells.astype(str).ravel().tolist()}


def call_discretizer(rng: random.Random, case: Case) -> None:
    """Fit a discretizer and code something."""
    discretizer = parameters.with_parameters(rng, labelsieve.Discretizer())
    X, _ = tables.table_and_labels(rng)
    case.tell(discretizer, X)
    coded = discretizer.fit_transform(X)
    assert (coded.data if sp.issparse(coded) else coded).min(initial=0) >= 0
    other = tables.features(rng, 3, discretizer.n_features_in_)
    case.tell(other)
    discretizer.transform(other)


def call_path(rng: random.Random, case: Case) -> None:
    """Go down a path of features."""
    classifier = parameters._inner(rng, "classifier")
    X, y = tables.table_and_labels(rng)
    test = tables.features(rng, rng.choice((0, 1, 4)), rng.choice(tables.WIDTHS))
    order = rng.choice(([0], [1, 0], [0, 0], [-1], [7], [], [0.5], "x", [0, 1, 2]))
    sizes = rng.choice(([1], [2, 1], [1, 1], [0], [], [9], ["a"], 3))
    case.tell(classifier, X, y, test, repr(order), repr(sizes))
    test = X if rng.random() < 0.7 else test
    found = labelsieve.path_scores(classifier, X, y, test, order, sizes)
    assert len(found.scores) == len(found.predictions) == len(sizes)
    assert not np.isnan(found.scores).any(), "a score is NaN"


def call_measure(rng: random.Random, case: Case) -> None:
    """Measure predictions or scores."""
    height, width = rng.choice(tables.HEIGHTS), rng.choice((0, 1, 2, 3))
    truth = tables.labels(rng, height, width)
    name = rng.choice((*metrics.BY_PREDICTIONS, *metrics.BY_SCORES, "evaluate"))
    of_scores = name in metrics.BY_SCORES
    make = tables.features if of_scores else tables.labels
    answer = make(rng, height if rng.random() < 0.9 else 3, width)
    options = {}
    if of_scores and name != "macro_auc" and rng.random() < 0.4:
        options["undefined"] = rng.choice(("keep", "skip", "skip", "other", None))
    if "_at_" in name:  # how many are on top is a parameter
        name, _, k = name.rpartition("_")
        options["k"] = int(k)
    case.tell(name, truth, answer, repr(options))
    found = getattr(metrics, name)(truth, answer, **options)
    for value in found.values() if isinstance(found, dict) else [found]:
        skipped = options.get("undefined") == "skip"
        assert np.isfinite(value) or skipped, f"the measure is {value}"


def call_information(rng: random.Random, case: Case) -> None:
    """Ask for the information of columns."""
    height = rng.choice(tables.HEIGHTS)
    several = ("interaction_information", "conditional_mutual_information")
    name = rng.choice(("entropy", "mutual_information", *several))
    n_columns = {"entropy": 1, "mutual_information": 2}.get(name, 3)
    columns = []
    for _ in range(n_columns):
        made = tables.labels(rng, height, 1)
        flat = isinstance(made, np.ndarray) and made.ndim == 2 and made.shape[1]
        columns.append(made[:, 0] if flat else made)
    base = rng.choice((None, None, 2, 0, 1, -1, 0.5))
    correction = rng.choice((None, None, "miller-madow", "chi2", "other", 3))
    case.tell(name, *columns, repr(base), repr(correction))
    found = getattr(labelsieve, name)(*columns, base=base, correction=correction)
    assert np.isfinite(found)


def call_quality(rng: random.Random, case: Case) -> None:
    """Measure what a selection is worth, in a split or two."""
    selector = parameters.selector(rng)
    X, y = tables.table_and_labels(rng)
    options = {
        "n_splits": rng.choice((2, 2, 3, 1, 0, "2")),
        "tolerance": rng.choice((0.05, 0.05, 0.0, -1.0, np.nan)),
        "stratified": rng.random() < 0.5,
        "budget": rng.choice((0.1, 0.1, 1.0, 0.0, -1.0)),
    }
    case.tell("evaluate_selection", selector, X, y, repr(options))
    found = labelsieve.evaluate_selection(selector, X, y, **options)
    assert str(found)


def call_folds(rng: random.Random, case: Case) -> None:
    """Split rows, by labels and perhaps by groups."""
    X, y = tables.table_and_labels(rng)
    folds = labelsieve.LabelFolds(
        rng.choice((2, 2, 3, 5, 1, 0, "2")),
        stratified=rng.random() < 0.7,
        n_repeats=rng.choice((1, 1, 2, 0)),
        random_state=0,
    )
    listed = len(y) if isinstance(y, list | tuple) else 0
    height = y.shape[0] if getattr(y, "shape", ()) else listed
    groups = rng.choice((None, None, [i % 3 for i in range(height)], [1, 2]))
    case.tell("LabelFolds", repr(vars(folds)), X, y, repr(groups))
    seen = [test for _, test in folds.split(X, y, groups)]
    assert sorted(np.concatenate(seen)) == sorted([*range(height)] * folds.n_repeats)


def call_table(rng: random.Random, case: Case) -> None:
    """Describe a table, mark labels as unknown, split tags."""
    X, y = tables.table_and_labels(rng)
    which = rng.choice(("describe", "with_unknown", "split_tags"))
    case.tell(which, X, y)
    if which == "describe":
        assert str(labelsieve.describe(X, y))
    elif which == "with_unknown":
        unknown = rng.choice((-1, 0, 1, "x", None, np.nan, [1]))
        case.tell(repr(unknown))
        labelsieve.FIMF(1).fit(X, labelsieve.with_unknown(y, unknown))
    else:
        cells = ["a;b", "", "b", None, 3, np.nan, ["a"], "a; b", " "]
        column = rng.choices(cells[:3] if rng.random() < 0.6 else cells, k=5)
        separator = rng.choice((";", ";", ", ", "", None, 3))
        case.tell(repr(column), repr(separator))
        found = labelsieve.split_tags(column, separator, missing="none")
        assert len(found) == len(column)


def call_stability(rng: random.Random, case: Case) -> None:
    """Ask for the stability of selections, right or wrong ones."""
    choices: list[Any] = [[0, 1], [1], [2, 0], [], [9], [-1], [0.5], "x", None, [True]]
    selections = rng.choices(choices[:3] if rng.random() < 0.5 else choices, k=3)
    selections = selections[: rng.choice((0, 1, 2, 3, 3))]
    n_features = rng.choice((3, 3, 4, 0, -1, 2.5, "3"))
    case.tell("stability", repr(selections), repr(n_features))
    found = metrics.stability(selections, n_features)
    assert np.isfinite([found.value, found.low, found.high]).all()


CALLS: list[tuple[Callable[[random.Random, Case], None], int]] = [
    (call_selector, 45),
    (call_choosing, 12),
    (call_classifier, 22),
    (call_discretizer, 5),
    (call_path, 5),
    (call_measure, 6),
    (call_information, 3),
    (call_stability, 2),
    (call_quality, 2),
    (call_folds, 2),
    (call_table, 4),
]


def answer(number: int, seed: int = 0) -> tuple[str, str]:
    """Make one call; return what came of it and, for a failure, all about it."""
    rng = random.Random(f"{seed} {number}")
    functions, weights = zip(*CALLS, strict=True)
    (function,) = rng.choices(functions, weights)
    case = Case(number)
    np.random.seed(number)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            function(rng, case)
            outcome, reason = "result", ""
        except (ValueError, TypeError) as error:
            outcome = type(error).__name__
            reason = "" if is_meant(error) else traceback.format_exc()
        except RuntimeWarning as error:
            outcome = "arithmetic in scikit-learn"
            frames = traceback.extract_tb(error.__traceback__)
            reason = "" if is_theirs(frames) else traceback.format_exc()
        except Exception:
            outcome, reason = "", traceback.format_exc()
    wrong = [w for w in caught if not issubclass(w.category, SAID)]
    if case.changed() and not reason:
        reason = "the call changed what it was given"
    if wrong and not reason:
        reason = f"{wrong[0].filename}:{wrong[0].lineno}: {wrong[0].message}"
    if not reason:
        return outcome, ""
    return "FAILURE", f"case {number}: {' | '.join(case.told)}\n{reason}"


def is_meant(error: BaseException) -> bool:
    """Whether we or scikit-learn raise it on purpose, with something to say."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if len(str(error)) < 15:
        return False
    if is_theirs(frames):
        return True
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    return last.filename.startswith(OURS) and line.startswith("raise")


def is_theirs(frames: traceback.StackSummary) -> bool:
    """Whether scikit-learn was at work, and not this library."""
    inner = [f.filename for f in frames if f.filename.startswith((OURS, THEIRS))]
    return bool(inner) and inner[-1].startswith(THEIRS)


def run(numbers: range, seed: int = 0) -> tuple[Counter[str], list[str]]:
    """Make many calls; return how often each answer came, and the failures."""
    outcomes: Counter[str] = Counter()
    failures = []
    for number in numbers:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome, reason = answer(number, seed)
        signal.setitimer(signal.ITIMER_PROF, 0)
        outcomes[outcome] += 1
        if reason:
            failures.append(reason)
            print(reason, end="\n\n", flush=True)
    return outcomes, failures


def main() -> int:
    """Make many calls and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    numbers = range(options.cases)
    if options.only is not None:
        numbers = range(options.only, options.only + 1)
    # The default of the signal ends the process, also in a loop of compiled code.
    faulthandler.register(signal.SIGPROF, chain=True)
    start = time.monotonic()
    outcomes, failures = run(numbers, options.seed)
    print(f"{len(numbers)} calls, {time.monotonic() - start:.0f} s: {dict(outcomes)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
