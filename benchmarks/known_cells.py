"""Is quality the same when half of the cells are known? Simulated data, many draws.

In each draw labels, or numbers, are made from a few of the features. The quality of
these features is estimated from all cells of the targets, and again with half of them
hidden at random: what they reach, and what they gain over all features. An estimate
agrees if the value from all cells lies within the 95 % interval of the one from half of
them; at least 93 % of the gains should, which verdicts are about. Models also learn
from half of the cells and so reach less: that is in the figures of what is reached.

    python -m benchmarks.known_cells [DRAWS] [labels|numbers]

writes results/known_cells/KIND.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from labelsieve.choosing import CHOSEN, EVERYTHING
from labelsieve.choosing._evaluation import EvaluationSetup, run_within
from labelsieve.choosing.quality import _classifiers, _split_maker, gathered
from labelsieve.experiments import HoldOut, corrected_interval
from labelsieve.reading import Features

DRAWS = 200
N_ROWS, N_FEATURES, N_TRUE, N_TARGETS = 400, 10, 4, 3
HIDDEN, N_SPLITS = 0.5, 10
FOLDER = Path("results/known_cells")


class TrueFeatures(EvaluationSetup):
    """Evaluates the features that make the targets, and all, instead of choosing."""

    def _sets(self, rows: Any, random: np.random.Generator) -> Any:
        return {
            CHOSEN: (np.arange(N_TRUE), np.array([N_TRUE]), N_TRUE),
            EVERYTHING: (np.arange(N_FEATURES), np.array([N_FEATURES]), N_FEATURES),
        }


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    kind = sys.argv[2] if len(sys.argv) > 2 else "labels"
    agreed: dict[str, list[bool]] = {}
    for seed in range(draws):
        for name, agrees in one_draw(kind, seed).items():
            agreed.setdefault(name, []).append(agrees)
        if seed % 10 == 9:
            print(seed + 1, shares(agreed), flush=True)
    content = {
        "draws": draws,
        "rows": N_ROWS,
        "known": 1 - HIDDEN,
        "splits": N_SPLITS,
        "agreed": shares(agreed),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{kind}.json").write_text(json.dumps(content, indent=1) + "\n")


def shares(agreed: dict[str, list[bool]]) -> dict[str, float]:
    return {name: round(float(np.mean(found)), 3) for name, found in agreed.items()}


def one_draw(kind: str, seed: int) -> dict[str, bool]:
    """By classifier and quantity, whether both estimates agree."""
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
    whole, part = (values_of(X, cells, kinds, seed) for cells in (Y, holes))
    agrees = {}
    for name, which in part:
        if which == EVERYTHING:
            continue
        estimates = [
            {
                "reached": table[name, CHOSEN][measure],
                "gain": table[name, CHOSEN][measure] - table[name, EVERYTHING][measure],
            }
            for table in (whole, part)
        ]
        for quantity, half in estimates[1].items():
            all_cells = estimates[0][quantity]
            # Splits share half of the variance or more, as verdicts have it.
            interval = corrected_interval(half, 1.0)
            inside = interval.low <= all_cells.mean() <= interval.high
            agrees[f"{name}, {quantity}"] = bool(inside)
    return agrees


def values_of(X: Any, Y: Any, kinds: list[str], seed: int) -> Any:
    """What the library's classifiers reach in each split, by features and measure."""
    setup = TrueFeatures(
        *(None, None, X, Y, Y, np.arange(N_TARGETS)),
        _classifiers(Features(X), Y, kinds, (), None),
        *(N_FEATURES, N_TRUE, None),
    )
    splits_of = _split_maker(Y, HoldOut(N_SPLITS, False, 0.3), seed, None, None)
    run = run_within(setup, splits_of, N_ROWS, np.inf, seed, verbose=False)
    return gathered(run, setup)[0]


if __name__ == "__main__":
    main()
