"""Judge feature sets on rows that did not choose them, within a budget."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from labelsieve._plumbing.compile import working_seconds
from labelsieve._plumbing.progress import progress, step
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.classifiers import Judge
from labelsieve.metrics import evaluate

CHOSEN, RANDOM, SIMPLER, EVERYTHING = "chosen", "random", "simpler", "all"
# Rows of the first trial; each further one has twice as many.
FEWEST_ROWS = 500
# More rows are worth more than more splits than these: with few rows, what many
# features could tell is not learnt.
FEWEST_SPLITS = 3

Split = tuple[IntArray, IntArray]
# By judge, feature set and measure: the value at each size.
Judged = dict[tuple[str, str], dict[str, FloatArray]]


@dataclass(frozen=True)
class Panel:
    """Everything that a split is judged with.

    Attributes
    ----------
    X, Y : what selectors are fitted on
    labels : 0/1 array of the labels that are judged
    judges : by name; the first is asked at all sizes, the others at `n_chosen`
    sizes : numbers of features; None: as many as the selector keeps in each split
    """

    selector: Any
    simpler: Any
    X: Any
    Y: Any
    labels: Any
    judges: Mapping[str, Judge]
    n_features: int
    n_chosen: int
    sizes: IntArray | None

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
                    judge, split, order, sizes if place == 0 else np.array([k])
                )
                for which, (order, sizes, k) in sets.items()
                for place, (name, judge) in enumerate(self.judges.items())
            }

    def _sets(
        self, rows: Any, random: np.random.Generator
    ) -> dict[str, tuple[IntArray, IntArray, int]]:
        """Each feature set: an order, the sizes of a curve along it, and its own."""
        order, sizes, k = self._choose(rows)
        drawn = random.permutation(self.n_features)[: sizes[-1]]
        sets = {CHOSEN: (order, sizes, k), RANDOM: (drawn, sizes, k)}
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
    """What was judged, on how many rows, and what it took in seconds of computing."""

    splits: list[Judged]
    n_rows: int
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
) -> Run:
    """Judge as many rows as the budget allows: all, or 500, 1,000, 2,000, ...

    Trials with more and more rows tell what a split costs; the last is the first
    split of the result. Times are those of the processor: what else runs on the
    machine changes nothing, nor that kernels must be compiled.
    """
    begin = working_seconds()
    drawn = np.random.default_rng(seed).permutation(n_rows)
    size, last, took = min(FEWEST_ROWS, n_rows), math.nan, 0.0

    def judged(splits: list[Split], number: int) -> Judged:
        return panel.judge(splits[number], np.random.default_rng([seed, number, 1]))

    # The first call of anything reads code from disk: it tells nothing about time.
    judged(make_splits(np.sort(drawn[:size])), 0)
    while True:
        step(f"judging quality: a trial with {size:,} of {n_rows:,} rows", verbose)
        rows = np.arange(n_rows) if size == n_rows else np.sort(drawn[:size])
        splits = make_splits(rows)
        start = working_seconds()
        first = judged(splits, 0)
        took, last = working_seconds() - start, took
        doubling = max(took / last, 1.0) if last else 2.0
        wider = min(2 * size, n_rows)
        needed = min(FEWEST_SPLITS, len(splits))
        ahead = needed * took * doubling ** math.log2(wider / size)
        if size == n_rows or working_seconds() - begin + ahead > budget:
            break
        size = wider
    left = budget - (working_seconds() - begin)
    n_splits = max(FEWEST_SPLITS, int(min(len(splits) - 1, left / max(took, 1e-9))) + 1)
    n_splits = min(n_splits, len(splits))
    estimate = working_seconds() - begin + (n_splits - 1) * took
    title = f"judging {size:,} of {n_rows:,} rows, about {estimate:.0f} s in all"
    others = [judged(splits, i) for i in progress(range(1, n_splits), title, verbose)]
    ratio = float(np.mean([test.size / train.size for train, test in splits]))
    seconds = working_seconds() - begin
    return Run([first, *others], size, ratio, estimate, seconds)


def _right_and_found(truth: Any, predicted: Any) -> dict[str, float]:
    """The share of predicted labels that are right, and of true ones predicted."""
    both = float((truth * predicted).sum())
    said, there = float(predicted.sum()), float(truth.sum())
    return {
        "precision": both / said if said else math.nan,
        "recall": both / there if there else math.nan,
    }
