"""Judge feature sets on rows that did not choose them, within a budget."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from labelsieve._plumbing.compile import working_seconds
from labelsieve._plumbing.messages import progress
from labelsieve._plumbing.messages import step as say_step
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.classifiers import Judge
from labelsieve.metrics import evaluate

CHOSEN, RANDOM, SIMPLER, EVERYTHING = "chosen", "random", "simpler", "all"
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
# By judge, feature set and measure: the value at each size.
Judged = dict[tuple[str, str], dict[str, FloatArray]]


@dataclass(frozen=True)
class Panel:
    """Everything that a split is judged with."""

    selector: Any
    simpler: Any
    X: Any  # what selectors are fitted on
    Y: Any
    labels: Any  # 0/1 array of the labels that are judged
    judges: Mapping[str, Judge]  # the first at all sizes, the others at `n_chosen`
    n_features: int
    n_chosen: int
    sizes: IntArray | None  # None: as many as the selector keeps in each split

    def of_labels(self, many: int, seed: int) -> Panel:
        """The same panel for some of its labels, drawn at random."""
        drawn = np.random.default_rng(seed).permutation(self.labels.shape[1])
        columns = np.sort(drawn[:many])
        judges = {name: one.of_labels(columns) for name, one in self.judges.items()}
        return replace(self, labels=self.labels[:, columns], judges=judges)

    def judge(self, split: Split, random: np.random.Generator) -> Judged:
        """All measures of all judges with all feature sets on the test rows."""
        train = split[0]
        rows = _safe_indexing(self.X, train), _safe_indexing(self.Y, train)
        with warnings.catch_warnings():
            # A label that training rows lack is no news: the whole data was seen.
            warnings.simplefilter("ignore", UserWarning)
            sets = self._sets(rows, random)
            return {
                (name, which): self._measured(
                    judge,
                    split,
                    np.atleast_2d(order),
                    sizes if place == 0 else np.array([k]),
                    k,
                )
                for which, (order, sizes, k) in sets.items()
                for place, (name, judge) in enumerate(self.judges.items())
            }

    def _sets(
        self, rows: Any, random: np.random.Generator
    ) -> dict[str, tuple[IntArray, IntArray, int]]:
        """Each feature set: an order, the sizes of a curve along it, and its own.

        Orders in several lines are draws: the mean counts at the set's own size.
        """
        order, sizes, k = self._choose(rows)
        drawn = [random.permutation(self.n_features)[: sizes[-1]] for _ in range(DRAWS)]
        sets = {CHOSEN: (order, sizes, k), RANDOM: (np.array(drawn), sizes, k)}
        if self.n_chosen == self.n_features:
            return {CHOSEN: sets[CHOSEN]}
        if self.simpler is not None:
            simple = clone(self.simpler).set_params(n_features_to_select=k)
            sets[SIMPLER] = (simple.fit(*rows).order_[:k], np.array([k]), k)
        n = self.n_features
        sets[EVERYTHING] = (np.arange(n), np.array([n]), n)
        return sets

    def _choose(self, rows: Any) -> tuple[IntArray, IntArray, int]:
        selector = clone(self.selector)
        if self.sizes is None:
            fitted = selector.fit(*rows)
            kept = fitted.order_[fitted.support_[fitted.order_]]
            return kept, np.array([kept.size]), int(kept.size)
        largest = int(self.sizes[-1])
        selector.set_params(n_features_to_select=largest).fit(*rows)
        return selector.order_[:largest], self.sizes, self.n_chosen

    def _measured(
        self, judge: Judge, split: Split, orders: IntArray, sizes: IntArray, k: int
    ) -> dict[str, FloatArray]:
        """The measures along the first order; at size k the mean over all orders."""
        found = self._along(judge, split, orders[0], sizes)
        own = np.array([k])
        more = [self._along(judge, split, order, own) for order in orders[1:]]
        place = int(np.searchsorted(sizes, k))
        for name, values in found.items():
            values[place] = np.mean([values[place], *(one[name][0] for one in more)])
        return found

    def _along(
        self, judge: Judge, split: Split, order: IntArray, sizes: IntArray
    ) -> dict[str, FloatArray]:
        path = judge.path(*split, order, sizes)
        truth = self.labels[split[1]]
        found = [
            {**evaluate(truth, said, scores), **_right_and_found(truth, said)}
            for said, scores in zip(path.predictions, path.scores, strict=True)
        ]
        return {name: np.array([row[name] for row in found]) for name in found[0]}


@dataclass(frozen=True)
class Run:
    """What was judged, of how many splits, and its seconds of computing."""

    splits: list[Judged]
    n_rows: int
    n_labels: int
    n_all_splits: int
    test_to_train: float
    estimate: float
    seconds: float


def run_within(
    panel: Panel,
    make_splits: Callable[[IntArray], list[Split]],
    n_rows: int,
    budget: float,
    seed: int,
    verbose: bool,
    begin: float | None = None,
) -> Run:
    """Judge as many rows as the budget allows, all of them if it can be.

    All splits are judged at any number of rows: fewer splits would make intervals
    wider, the more rows there are. Trials with ever more rows tell what a split costs;
    where all rows cannot be afforded, fewer labels are judged before fewer rows are:
    with few rows, what many features could tell is not learnt. Where splits take
    longer than was to be expected, those that are done count, if they are enough.
    Times are those of the processor, from `begin`: what else runs on the machine
    changes nothing, nor that kernels must be compiled.
    """
    start = working_seconds() if begin is None else begin
    drawn = np.random.default_rng(seed).permutation(n_rows)
    took: dict[int, float] = {}  # seconds of a split, by the rows of each trial
    first: dict[int, Judged] = {}  # what it said

    def spent() -> float:
        return working_seconds() - start

    def splits_of(size: int) -> list[Split]:
        return make_splits(np.sort(drawn[:size]))

    def judge(splits: list[Split], number: int) -> Judged:
        return panel.judge(splits[number], np.random.default_rng([seed, number, 1]))

    def growth() -> float:
        """With which power of the rows time grows."""
        if len(took) < 2:
            return GROWTH
        (few, short), (more, long) = sorted(took.items())[-2:]
        return min(max(math.log(long / short) / math.log(more / few), 1.0), 2.0)

    def try_split(size: int) -> int:
        """Judge a split; return the most rows of which all splits can be afforded."""
        trial = f"a trial with {size:,} of {n_rows:,} rows"
        say_step(f"judging quality: {trial}", verbose)
        splits, before = splits_of(size), working_seconds()
        first[size] = judge(splits, 0)
        took[size] = max(working_seconds() - before, 1e-9)
        left = SAFE * max(budget - spent(), 0.0)
        most = size * (left / (len(splits) * took[size])) ** (1 / growth())
        return n_rows if most >= n_rows else int(most) // ROUND * ROUND

    size = least = n_rows if budget == math.inf else min(FEWEST_ROWS, n_rows)
    if budget < math.inf:
        # The first call of anything reads code from disk: it tells nothing about time.
        judge(splits_of(least), 0)
    while True:
        most = try_split(size)
        if most < n_rows and panel.labels.shape[1] > FEWEST_LABELS:
            panel = panel.of_labels(FEWEST_LABELS, seed)
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
    title = f"judging {size:,} of {n_rows:,} rows, about {estimate:.0f} s in all"
    needed = min(FEWEST_SPLITS, len(splits))
    for number in progress(range(len(found), len(splits)), title, verbose):
        if number >= needed and spent() + predicted > budget:
            break
        found.append(judge(splits, number))
    ratio = float(np.mean([test.size / train.size for train, test in splits]))
    n_labels = panel.labels.shape[1]
    return Run(found, size, n_labels, len(splits), ratio, estimate, spent())


def _right_and_found(truth: Any, predicted: Any) -> dict[str, float]:
    """The share of predicted labels that are right, and of true ones predicted."""
    both = float((truth * predicted).sum())
    said, there = float(predicted.sum()), float(truth.sum())
    return {
        "precision": both / said if said else math.nan,
        "recall": both / there if there else math.nan,
    }
