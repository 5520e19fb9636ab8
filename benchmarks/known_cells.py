"""Is quality the same when half of the cells are known? Simulated data, many draws.

In each draw labels, or numbers, are made from a few of the features. Their quality is
estimated with half of the cells of the targets hidden at random: what the features
reach, and what they gain over all features. Two questions are asked of the 95 %
interval of this estimate:

- Measures: does it hold what the same models reach on all cells of the held-out
  samples? This is what an interval from known cells is about, as hidden cells take part
  in neither learning nor measuring.
- Learning as well: does it hold what models reach that learnt from all cells? These
  know twice as much, so they reach more, and the bias is in the figures. It is the same
  for both sets of features as far as a gain is concerned, which verdicts are about.

    python -m benchmarks.known_cells [DRAWS] [labels|numbers]

writes results/known_cells/KIND.json.
"""

from __future__ import annotations

import json
import sys
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labelsieve.choosing import CHOSEN, EVERYTHING
from labelsieve.choosing._evaluation import EvaluationSetup, measures_of, run_within
from labelsieve.choosing.quality import _classifiers, _split_maker, gathered
from labelsieve.experiments import HoldOut, corrected_interval
from labelsieve.reading import Features

DRAWS = 200
N_ROWS, N_FEATURES, N_TRUE, N_TARGETS = 400, 10, 4, 3
HIDDEN, N_SPLITS = 0.5, 10
FOLDER = Path("results/known_cells")


@dataclass(frozen=True)
class TrueFeatures(EvaluationSetup):
    """Evaluates the features that make the targets, and all, instead of choosing."""

    measured: Any = None
    """The cells of held-out samples that are measured, where not the known ones."""

    def _sets(self, train: Any, random: np.random.Generator) -> Any:
        return {
            CHOSEN: (np.arange(N_TRUE), np.array([N_TRUE]), N_TRUE),
            EVERYTHING: (np.arange(N_FEATURES), np.array([N_FEATURES]), N_FEATURES),
        }

    def _along(self, predictor: Any, split: Any, order: Any, sizes: Any) -> Any:
        path = predictor.path(*split, order, sizes)
        judge = copy(predictor)
        judge.targets = predictor.targets if self.measured is None else self.measured
        found = measures_of(judge, split[1], path, 0)
        return {name: np.array([value]) for name, value in found.items()}


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    kind = sys.argv[2] if len(sys.argv) > 2 else "labels"
    found: dict[str, list[Any]] = {}
    for seed in range(draws):
        for name, values in one_draw(kind, seed).items():
            found.setdefault(name, []).append(values)
        if seed % 10 == 9:
            print(seed + 1, json.dumps(summary(found)), flush=True)
    content = {
        "draws": draws,
        "rows": N_ROWS,
        "known": 1 - HIDDEN,
        "splits": N_SPLITS,
        "found": summary(found),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{kind}.json").write_text(json.dumps(content, indent=1) + "\n")


def summary(found: dict[str, list[Any]]) -> dict[str, Any]:
    """The shares of intervals that hold the other estimate, and all means."""
    table = {}
    for name, rows in found.items():
        low, high, *means = np.array(rows).T
        inside = [float(((low <= m) & (m <= high)).mean()) for m in means[1:]]
        titles = ("estimate", "same models, all cells", "models of all cells")
        table[name] = {
            "agrees on all held-out cells": round(inside[0], 3),
            "agrees with models of all cells": round(inside[1], 3),
            "width": round(float((high - low).mean()), 4),
            "means": {
                title: round(float(values.mean()), 4)
                for title, values in zip(titles, means, strict=True)
            },
        }
    return table


def one_draw(kind: str, seed: int) -> dict[str, tuple[float, ...]]:
    """By classifier and quantity: the interval, its mean, and the two it may hold."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, N_FEATURES))
    weights = np.zeros((N_FEATURES, N_TARGETS))
    weights[:N_TRUE] = random.normal(size=(N_TRUE, N_TARGETS))
    Y = X @ weights + random.normal(size=(N_ROWS, N_TARGETS))
    if kind == "labels":
        Y = (Y > 0.5).astype(np.float64)
    holes = np.where(random.random(Y.shape) < HIDDEN, np.nan, Y)
    measure = "micro_f1" if kind == "labels" else "r2"
    kinds = [kind.removesuffix("s")] * N_TARGETS
    tables = [
        values_of(X, cells, measured, kinds, seed)
        for cells, measured in ((holes, None), (holes, Y), (Y, None))
    ]
    found = {}
    for name in dict.fromkeys(name for name, _ in tables[0]):
        reached = [table[name, CHOSEN][measure] for table in tables]
        others = [table[name, EVERYTHING][measure] for table in tables]
        gains = [ours - theirs for ours, theirs in zip(reached, others, strict=True)]
        for quantity, values in (("reached", reached), ("gain", gains)):
            # Splits share half of the variance or more, as verdicts have it.
            interval = corrected_interval(values[0], 1.0)
            means = [float(one.mean()) for one in values]
            found[f"{name}, {quantity}"] = (interval.low, interval.high, *means)
    return found


def values_of(X: Any, Y: Any, measured: Any, kinds: list[str], seed: int) -> Any:
    """What the library's classifiers reach in each split, by features and measure."""
    setup = TrueFeatures(
        *(None, None, None, Y, np.arange(N_TARGETS)),
        _classifiers(Features(X), Y, kinds, (), None, np.arange(N_FEATURES)),
        *(N_TRUE, None),
        measured=measured,
    )
    splits_of = _split_maker(Y, HoldOut(N_SPLITS, False, 0.3), seed, None, None)
    run = run_within(setup, splits_of, N_ROWS, np.inf, seed, verbose=False)
    return gathered(run, setup)[0]


if __name__ == "__main__":
    main()
