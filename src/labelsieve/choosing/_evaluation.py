"""Evaluate feature sets on held-out samples, within a budget."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelsieve._utils.compile import working_seconds
from labelsieve._utils.messages import progress
from labelsieve._utils.messages import step as say_step
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.choosing.size_cv import Rows, sized
from labelsieve.classifiers import PathPredictor, PathScores
from labelsieve.metrics import BY_PREDICTIONS, BY_SCORES, evaluate, evaluate_targets
from labelsieve.reading import LABEL

CHOSEN, RANDOM, SIMPLER, EVERYTHING = "chosen", "random", "simpler", "all"
# What has a value for each label.
LABEL_F1 = "label_f1"
# What a random choice reaches depends on the draw: the mean of so many in each split.
DRAWS = 5
# However short the budget is; and what a sample of the rows is a multiple of.
FEWEST_ROWS, FEWEST_SPLITS = 500, 5
ROUND = 100
# More rows are worth more than more labels than these.
FEWEST_LABELS = 30
# The part of the budget that is planned for: some splits take longer than others.
SAFE = 0.85
# Few rows hide what many cost: the next trial has at most so many times the rows. It is
# worth its time for this many more, and rows are too many if so few can be afforded.
STEP, WORTH, TOO_MANY = 4, 1.25, 0.8
# With which power of the rows time grows, as long as one trial is known.
GROWTH = 1.5

Split = tuple[IntArray, IntArray]
# By classifier, feature set and measure: the value at each size.
Evaluated = dict[tuple[str, str], dict[str, FloatArray]]


@dataclass(frozen=True)
class EvaluationSetup:
    """Everything that a split is evaluated with."""

    selector: Any
    simpler: Any
    rows: Rows  # what selectors are fitted on
    labels: Any  # array of the targets that are evaluated
    columns: IntArray  # which of all targets these are
    # The first is evaluated at all sizes, the others at `n_chosen`.
    classifiers: Mapping[str, PathPredictor]
    n_chosen: int
    sizes: IntArray | None  # None: as many as the selector keeps in each split

    def of_labels(self, many: int, seed: int) -> EvaluationSetup:
        """The same setup for some of its labels, drawn at random."""
        drawn = np.random.default_rng(seed).permutation(self.labels.shape[1])
        columns = np.sort(drawn[:many])
        classifiers = {
            name: one.of_targets(columns) for name, one in self.classifiers.items()
        }
        labels, taken = self.labels[:, columns], self.columns[columns]
        return replace(self, labels=labels, columns=taken, classifiers=classifiers)

    def evaluate_split(self, split: Split, random: np.random.Generator) -> Evaluated:
        """All measures of all classifiers with all feature sets on the test rows."""
        found: Evaluated = {}
        with warnings.catch_warnings():
            # A label that training rows lack is no news: the whole data was seen.
            warnings.simplefilter("ignore", UserWarning)
            for which, (orders, sizes, k) in self._sets(split[0], random).items():
                (first, *others), own = np.atleast_2d(orders), np.array([k])
                for number, (name, predictor) in enumerate(self.classifiers.items()):
                    asked = own if number else sizes
                    measured = self._along(predictor, split, first, asked)
                    more = [self._along(predictor, split, one, own) for one in others]
                    place = int(np.searchsorted(asked, k))
                    for measure, values in measured.items():
                        draws = [values[place], *(one[measure][0] for one in more)]
                        values[place] = np.mean(draws, axis=0)
                    found[name, which] = measured
        return found

    def _sets(
        self, train: IntArray, random: np.random.Generator
    ) -> dict[str, tuple[IntArray, IntArray, int]]:
        """Each feature set: an order, the sizes of a curve along it, and its own.

        Orders in several lines are draws: the mean counts at the set's own size.
        """
        order, sizes, k = self._choose(train)
        n, largest = self.rows.feature_groups.names.size, int(sizes[-1])
        drawn = [random.permutation(n)[:largest] for _ in range(DRAWS)]
        sets = {CHOSEN: (order, sizes, k), RANDOM: (np.array(drawn), sizes, k)}
        if self.n_chosen == n:
            return {CHOSEN: sets[CHOSEN]}
        if self.simpler is not None:
            sets[SIMPLER] = (self._ranked(self.simpler, train, largest), sizes, k)
        sets[EVERYTHING] = (np.arange(n), np.array([n]), n)
        return sets

    def _choose(self, train: IntArray) -> tuple[IntArray, IntArray, int]:
        if self.sizes is not None:
            ranked = self._ranked(self.selector, train, int(self.sizes[-1]))
            return ranked, self.sizes, self.n_chosen
        fitted = self.rows.fit(self.selector, train)
        kept = fitted.order_[fitted.support_[fitted.order_]]
        kept = self.rows.feature_groups.groups_of(kept)
        return kept, np.array([kept.size]), int(kept.size)

    def _ranked(self, selector: Any, train: IntArray, n: int) -> IntArray:
        order = self.rows.fit(sized(selector, n), train).order_
        return self.rows.feature_groups.groups_of(order)[:n]

    def _along(
        self, predictor: PathPredictor, split: Split, order: IntArray, sizes: IntArray
    ) -> dict[str, FloatArray]:
        path = predictor.path(*split, order, sizes)
        found = [
            measures_of(predictor, split[1], path, place) for place in range(sizes.size)
        ]
        return {name: np.array([row[name] for row in found]) for name in found[0]}


@dataclass(frozen=True)
class Run:
    """What was evaluated, in how many splits, and its seconds of computing."""

    splits: list[Evaluated]
    n_rows: int
    labels: IntArray  # which were evaluated
    n_all_splits: int
    test_to_train: float
    estimate: float
    seconds: float

    @property
    def n_labels(self) -> int:
        return self.labels.size


def run_within(
    setup: EvaluationSetup,
    make_splits: Callable[[IntArray], list[Split]],
    n_rows: int,
    budget: float,
    seed: int,
    verbose: bool,
    begin: float | None = None,
) -> Run:
    """Evaluate as many rows as the budget allows, all of them if it can be.

    All splits are evaluated at any number of rows: fewer splits would make intervals
    wider, the more rows there are. Trials with ever more rows show what a split costs;
    where all rows cannot be afforded, fewer labels are evaluated before fewer rows are:
    with few rows, what many features could contribute is not learnt. Where splits take
    longer than was to be expected, those that are done count, if they are enough.
    Times are those of the processor, from `begin`: what else runs on the machine
    changes nothing, nor that kernels must be compiled.
    """
    start = working_seconds() if begin is None else begin
    drawn = np.random.default_rng(seed).permutation(n_rows)
    took: dict[int, float] = {}  # seconds of a split, by the rows of each trial
    first: dict[int, Evaluated] = {}  # what it said

    def spent() -> float:
        return working_seconds() - start

    def splits_of(size: int) -> list[Split]:
        return make_splits(np.sort(drawn[:size]))

    def evaluate_split(splits: list[Split], number: int) -> Evaluated:
        random = np.random.default_rng([seed, number, 1])
        return setup.evaluate_split(splits[number], random)

    def growth() -> float:
        """With which power of the rows time grows."""
        if len(took) < 2:
            return GROWTH
        (few, short), (more, long) = sorted(took.items())[-2:]
        return min(max(math.log(long / short) / math.log(more / few), 1.0), 2.0)

    def try_split(size: int) -> int:
        """Evaluate a split; return the most rows with which all splits fit."""
        trial = f"a trial with {size:,} of {n_rows:,} samples"
        say_step(f"evaluating: {trial}", verbose)
        splits, before = splits_of(size), working_seconds()
        first[size] = evaluate_split(splits, 0)
        took[size] = max(working_seconds() - before, 1e-9)
        left = SAFE * max(budget - spent(), 0.0)
        most = size * (left / (len(splits) * took[size])) ** (1 / growth())
        return n_rows if most >= n_rows else int(most) // ROUND * ROUND

    size = least = n_rows if budget == math.inf else min(FEWEST_ROWS, n_rows)
    if budget < math.inf:
        # The first call of anything reads code from disk: it says nothing about time.
        evaluate_split(splits_of(least), 0)
    while True:
        most = try_split(size)
        if most < n_rows and setup.labels.shape[1] > FEWEST_LABELS:
            setup = setup.of_labels(FEWEST_LABELS, seed)
            took.clear()
            first.clear()
            most = try_split(size)
        if most < TOO_MANY * size:  # more than was to be expected
            size = max(most, least)
            break
        if size == n_rows or most < min(WORTH * size, n_rows):
            break
        size = min(most, STEP * size)
    splits = splits_of(size)
    found = [first[size]] if size in first else []
    tried, seconds = max(took.items())
    predicted = float(seconds * (size / tried) ** growth())
    estimate = spent() + (len(splits) - len(found)) * predicted
    title = f"evaluating {size:,} of {n_rows:,} samples, about {estimate:.0f} s in all"
    needed = min(FEWEST_SPLITS, len(splits))
    for number in progress(range(len(found), len(splits)), title, verbose):
        if number >= needed and spent() + predicted > budget:
            break
        found.append(evaluate_split(splits, number))
    ratio = float(np.mean([test.size / train.size for train, test in splits]))
    return Run(found, size, setup.columns, len(splits), ratio, estimate, spent())


def measures_of(
    predictor: PathPredictor, test: IntArray, path: PathScores, place: int
) -> dict[str, Any]:
    """All measures of the test rows at one size, over the cells that are known."""
    found = evaluate_targets(predictor, test, path, place, _of_labels)
    if LABEL_F1 in found:
        f1 = np.full(predictor.kinds.size, math.nan)
        f1[predictor.which(LABEL)] = found[LABEL_F1]
        found[LABEL_F1] = f1
    return found


def _of_labels(truth: Any, predicted: Any, scores: Any) -> dict[str, Any]:
    """All measures of labels; NaN where none of them is known."""
    unknown = truth != truth
    if unknown.all():
        names = (*BY_PREDICTIONS, *BY_SCORES, "precision", "recall")
        nowhere = np.full(truth.shape[1], math.nan)
        return {**dict.fromkeys(names, math.nan), LABEL_F1: nowhere}
    found = evaluate(truth, predicted, scores)
    truth, predicted = (np.where(unknown, 0, cells) for cells in (truth, predicted))
    tables = truth * predicted, truth, predicted
    both, there, said = (cells.sum(axis=0, dtype=np.float64) for cells in tables)
    found["precision"] = float(both.sum() / said.sum()) if said.any() else math.nan
    found["recall"] = float(both.sum() / there.sum()) if there.any() else math.nan
    # NaN where a label is neither true nor predicted
    either, nowhere = there + said, np.full(both.size, math.nan)
    label_f1 = np.divide(2 * both, either, out=nowhere, where=either > 0)
    return {**found, LABEL_F1: label_f1}
