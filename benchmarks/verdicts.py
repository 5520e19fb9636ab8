"""Are verdicts right as often as they say? Simulated data whose truth is known.

Equal: two sets of features that follow the same law are compared, so that on average
neither is better; "better" or "worse" should be said in at most 5 % of the repetitions.
Loss: features are left out that are worth twice the tolerance for the classifier who
loses least; "worse" should be said in at least 80 %.

Equal sets are evaluated by every measure, with labels of a third and of a sixteenth of
the rows, and with as many splits as are the default, as few as a budget may leave, and
fewer. A loss is looked for where labels are frequent: with rare ones, classifiers that
predict hardly anything have nothing to lose.

More rows: nine of thirty features make the labels, each with about half the effect of
the one before, and are chosen. Nine at random are worth little unless the strongest is
among them, so that their value changes much from draw to draw: with one draw in each of
five splits, .5 against .15 is often not called better. A second design has effects so
weak that some verdicts stay open. With the same budget "better" should be said no more
seldom the more rows there are, whether all are judged or a sample.

    python -m benchmarks.verdicts [REPETITIONS]
    python -m benchmarks.verdicts rows [REPETITIONS]

write results/verdicts/calibration.json and results/verdicts/rows.json.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve import Sieve, sentences
from labelsieve.choosing import (
    CHOSEN,
    EVERYTHING,
    RANDOM,
    Finding,
    Quality,
    _evaluation,
    evaluate_selection,
)
from labelsieve.choosing._evaluation import EvaluationSetup, run_within
from labelsieve.choosing.quality import _classifiers, _split_maker, gathered
from labelsieve.experiments import HoldOut
from labelsieve.reading import Features

REPETITIONS = 400
# More rows than can be judged within the budget, and fewer; seconds for each.
ROWS, BUDGET, ROWS_REPETITIONS = (500, 2000, 20_000, 80_000), 3.0, 20
# The effect of the strongest feature, in standard deviations of the noise.
EFFECTS = {"uneven": 1.2, "weak": 0.75}
# Draws in a split, and splits, that were too few at many rows.
FEW_DRAWS, FEW_SPLITS, FEW_AT = 1, 5, 20_000
TOLERANCE = 0.05
N_ROWS, N_LABELS, N_HALF = 1000, 4, 6
# What features are, and what a label's mood must exceed: rare labels have a high mark.
KINDS = {
    "numbers": ("numbers", 0.6),
    "words": ("words", 0.6),
    "numbers, rare labels": ("numbers", 2.2),
    "words, rare labels": ("words", 2.2),
}
WITH_LOSS = ("numbers", "words")
N_SPLITS, FEWER_SPLITS = 10, (5, 3)
FOLDER = Path("results/verdicts")


class Sets(EvaluationSetup):
    """Judges two given sets of features instead of choosing."""

    def _sets(self, train: Any, random: np.random.Generator) -> Any:
        first, second = np.arange(N_HALF), self.other
        return {
            CHOSEN: (first, np.array([first.size]), first.size),
            EVERYTHING: (second, np.array([second.size]), second.size),
        }


def main() -> None:
    if sys.argv[1:2] == ["rows"]:
        more_rows(int(sys.argv[2]) if len(sys.argv) > 2 else ROWS_REPETITIONS)
        return
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    found = {kind: {"equal": equal(kind, repetitions)} for kind in KINDS}
    for kind in WITH_LOSS:
        found[kind]["loss"] = loss(kind, repetitions)
    content = {
        "repetitions": repetitions,
        "tolerance": TOLERANCE,
        "rows": N_ROWS,
        "splits": N_SPLITS,
        "kinds": found,
    }
    write("calibration.json", content)


def write(name: str, content: dict[str, Any]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / name).write_text(json.dumps(content, indent=1) + "\n")


def more_rows(repetitions: int) -> None:
    """How often nine true features are better than nine at random, by the rows."""
    content: dict[str, Any] = {"repetitions": repetitions, "budget": BUDGET}
    for name, effect in EFFECTS.items():
        content[name] = [better(effect, many, repetitions) for many in ROWS]
    usual, _evaluation.DRAWS = _evaluation.DRAWS, FEW_DRAWS
    few = better(EFFECTS["uneven"], FEW_AT, repetitions, FEW_SPLITS)
    _evaluation.DRAWS = usual
    content["uneven, one draw in each of five splits"] = [few]
    write("rows.json", content)


def better(
    effect: float, n_rows: int, repetitions: int, n_splits: int = N_SPLITS
) -> dict[str, Any]:
    """How often each classifier says "better", and the lower ends of the intervals."""
    found: dict[str, list[Finding]] = {}
    judged_rows, seconds = [], []
    for repetition in range(repetitions):
        X, Y = nine_of_thirty(n_rows, effect, np.random.default_rng(repetition))
        quality = evaluate_selection(
            Sieve(9), X, Y, budget=BUDGET, seed=repetition, n_splits=n_splits
        )
        judged_rows.append(quality.n_rows)
        seconds.append(quality.seconds)
        for one in quality.about(sentences.MAIN, RANDOM):
            found.setdefault(one.classifier, []).append(one)
    row = {
        "rows": n_rows,
        "judged_rows": int(np.mean(judged_rows)),
        "most_seconds": round(max(seconds), 1),
        "classifiers": {
            classifier: averages(findings) for classifier, findings in found.items()
        },
    }
    print(effect, row, flush=True)
    return row


def averages(findings: list[Finding]) -> dict[str, float]:
    """Over the repetitions; `low_error` is the standard error of `low`."""
    low = np.array([one.low for one in findings])
    said = [one.verdict == sentences.BETTER for one in findings]
    figures = {
        "chosen": np.mean([one.chosen for one in findings]),
        "random": np.mean([one.other for one in findings]),
        "better": np.mean(said),
        "low": low.mean(),
        "low_error": low.std(ddof=1) / len(low) ** 0.5,
    }
    return {name: round(float(value), 4) for name, value in figures.items()}


def nine_of_thirty(
    n_rows: int, effect: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Nine features of falling effect make six labels; 21 are noise."""
    X = random.normal(size=(n_rows, 30))
    weights = np.zeros((30, 6))
    falling = effect * 0.55 ** np.arange(9)
    weights[:9] = falling[:, np.newaxis] * random.choice([-1, 1], (9, 6))
    Y = X @ weights + random.normal(size=(n_rows, 6)) > 1.2
    return X, Y.astype(np.uint8)


def equal(kind: str, repetitions: int) -> dict[str, Any]:
    """How often a difference is said between two sets of the same law."""
    said = {many: Counter() for many in (N_SPLITS, *FEWER_SPLITS)}
    for repetition in range(repetitions):
        quality = judged(kind, 1.0, np.arange(N_HALF, 2 * N_HALF), repetition)
        for many, counts in said.items():
            counts.update(differing(first_splits(quality, many)))
    shares = {
        many: {measure: counts[measure] / repetitions for measure in quality.measures}
        for many, counts in said.items()
    }
    for many, by_measure in shares.items():
        print(f"{kind}, equal, {many} splits: {shown(by_measure)}", flush=True)
    return {f"{many} splits": by_measure for many, by_measure in shares.items()}


def differing(quality: Quality) -> list[str]:
    """The measures by which some classifier says better or worse."""
    clear = (sentences.BETTER, sentences.WORSE)
    return [
        measure
        for measure in quality.measures
        if any(one.verdict in clear for one in quality.about(measure, EVERYTHING))
    ]


def loss(kind: str, repetitions: int) -> dict[str, Any]:
    """How often a loss of twice the tolerance is found, and what was lost."""
    strength = strength_of_loss(kind)
    everything = np.arange(2 * N_HALF)
    lost: dict[str, list[float]] = {}
    worse: Counter[str] = Counter()
    for repetition in range(repetitions):
        quality = judged(kind, strength, everything, repetition)
        for one in quality.about(sentences.MAIN, EVERYTHING):
            lost.setdefault(one.classifier, []).append(
                (one.other - one.chosen) / one.other
            )
            worse[one.classifier] += one.verdict == sentences.WORSE
    found = {
        classifier: {
            "mean_loss": round(float(np.mean(values)), 4),
            "found": worse[classifier] / repetitions,
        }
        for classifier, values in lost.items()
    }
    print(f"{kind}, loss (strength {strength:.3f}): {found}", flush=True)
    return found


def strength_of_loss(kind: str) -> float:
    """The strength of the left-out features at which twice the tolerance is lost."""
    low, high = 0.0, 2.0
    for _ in range(7):
        middle = (low + high) / 2
        lost = []
        for repetition in range(24):
            seed = 10_000 + repetition
            quality = judged(kind, middle, np.arange(2 * N_HALF), seed, n_splits=3)
            lost.append(
                [
                    (one.other - one.chosen) / one.other
                    for one in quality.about(sentences.MAIN, EVERYTHING)
                ]
            )
        enough = np.mean(lost, axis=0).min() > 2 * TOLERANCE
        low, high = (low, middle) if enough else (middle, high)
    return high


def judged(
    kind: str, strength: float, other: np.ndarray, seed: int, n_splits: int = N_SPLITS
) -> Quality:
    """The first half of the features against others, by the library's classifiers."""
    X, Y = draw(kind, strength, np.random.default_rng(seed))
    setup = Sets(
        *(None, None, None, Y, np.arange(Y.shape[1])),
        _classifiers(
            *(Features(X), Y, ["label"] * Y.shape[1], (), None, np.arange(X.shape[1]))
        ),
        *(N_HALF, None),
    )
    object.__setattr__(setup, "other", other)
    splits_of = _split_maker(Y, HoldOut(n_splits, False, 0.3), seed, None, None)
    run = run_within(setup, splits_of, len(Y), np.inf, seed, False)
    values, _ = gathered(run, setup)
    return Quality(
        *(
            list(setup.classifiers),
            values,
            np.empty(0, np.int64),
            {},
            N_HALF,
            X.shape[1],
        ),
        *(len(Y), len(Y), N_LABELS, N_LABELS, n_splits, run.test_to_train, TOLERANCE),
        *(np.inf, run.estimate, run.seconds),
    )


def first_splits(quality: Quality, many: int) -> Quality:
    """What the first splits alone would have said."""
    from dataclasses import replace

    values = {
        key: {name: found[:many] for name, found in by_measure.items()}
        for key, by_measure in quality.values.items()
    }
    return replace(quality, values=values)


def draw(
    kind: str, strength: float, random: np.random.Generator
) -> tuple[Any, np.ndarray]:
    """Labels, and two halves of features relevant for them; `strength` of the
    second, in units of the first."""
    features, mark = KINDS[kind]
    mood = random.normal(size=(N_ROWS, 1))
    Y = (mood + random.normal(size=(N_ROWS, N_LABELS)) > mark).astype(np.uint8)
    halves = []
    for scale in (1.0, strength):
        means = np.repeat(Y, 2, axis=1)[:, :N_HALF].astype(float)
        if features == "numbers":
            halves.append(1.3 * scale * means + random.normal(size=means.shape))
        else:
            likely = 0.1 + 0.4 * min(scale, 2.0) * means
            halves.append((random.random(means.shape) < likely).astype(float))
    X = np.hstack(halves)
    return (sp.csr_array(X) if features == "words" else X), Y


def shown(shares: dict[str, float]) -> str:
    worst = max(shares, key=lambda measure: shares[measure])
    names = dict.fromkeys(("micro_f1", "macro_f1", "average_precision", worst))
    return ", ".join(f"{name} {100 * shares[name]:.1f} %" for name in names)


if __name__ == "__main__":
    main()
