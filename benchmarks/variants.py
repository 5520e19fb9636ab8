"""Variants of Sieve's formula for correlated numbers and rare outcomes, by halves.

A variant is looked at on one half of the data sets, and then once on the other: AUC
(mean over labels) and, where all labels are known, label-ranking average precision of
ridge regression, 15 nearest neighbours and extremely random trees with 5 to 50 features
(swaps: to 20), mean over three splits (70/30) of at most 1,500 samples. A gain is that
over the formula as it is.

    python -m benchmarks.variants --data-folder data
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import field_pages
from benchmarks._formula import Formula, order
from benchmarks.outside import EVALUATORS, Split, filled, medians, scores_of, tables_of
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.datasets import find_dataset, load
from labelsieve.experiments.statistics import bootstrap_interval

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "results" / "variants" / "cells.json"
PAGE = ROOT / "docs" / "methods" / "sieve.md"
DATASETS = (
    *("birds", "cervical-risk", "chd49", "emotions", "flags", "foodtruck"),
    *("gnegative-go", "hiv-pi-resistance", "masculinity-survey", "mediamill-small"),
    *("mi-complications", "nhanes-0912", "scene", "swiss-trees", "tox21-rdkit2d"),
    *("virus-go", "yeast"),
)
HALVES = {"first": DATASETS[::2], "second": DATASETS[1::2]}
SIZES, SIZES_OF_SWAPS = (5, 10, 20, 50), (5, 10, 20)
MOST_SAMPLES, N_SPLITS = 1500, 3
NOW, SWAPS = "as it is", "a pass of swaps"
VARIANTS = {
    NOW: Formula(),
    "values that explain more": Formula(values=True),
    "ridge of 0.05": Formula(ridge=0.05),
    "ridge of 0.2": Formula(ridge=0.2),
    "shrunk below 5 positives": Formula(shrink=5.0),
    "shrunk below 20 positives": Formula(shrink=20.0),
    SWAPS: Formula(),
}


def splits(name: str, folder: str) -> list[Split]:
    """The splits of a data set; labels that do not vary in training are left out."""
    if (Path(folder) / name / f"{name}.csv.gz").exists():
        X, Y = tables_of(name, folder)
    else:
        found = load(find_dataset(name, folder))
        X, Y = (as_dense(part).astype(np.float64) for part in (found.X, found.Y))
    parts = []
    for seed in range(N_SPLITS):
        samples = np.random.default_rng(seed).permutation(len(Y))[:MOST_SAMPLES]
        train, test = np.split(samples, [int(0.7 * samples.size)])
        fill = medians(X[train])
        known = filled(Y[train], np.nanmean(Y[train], axis=0) > 0.5)
        varies = known.min(axis=0) < known.max(axis=0)
        sides = [(filled(X[s], fill), Y[s][:, varies]) for s in (train, test)]
        parts.append(Split(*sides[0], *sides[1]))
    return parts


def measure(parts: list[Split], variant: str) -> dict[str, float]:
    """Mean over splits of each measure, evaluator and size."""
    values: dict[str, list[float]] = {}
    formula, swaps = VARIANTS[variant], variant == SWAPS
    for X, Y, X_test, Y_test in parts:
        labels = filled(Y, np.nanmean(Y, axis=0) > 0.5)
        deviation = X.std(axis=0)
        deviation[deviation == 0] = 1.0
        train, test = ((part - X.mean(axis=0)) / deviation for part in (X, X_test))
        sizes = [k for k in (SIZES_OF_SWAPS if swaps else SIZES) if k < X.shape[1]]
        longest = order(X, labels, max(sizes), formula)
        for k in sizes:
            picks = order(X, labels, k, formula, swaps=True) if swaps else longest[:k]
            for title, evaluate in EVALUATORS.items():
                scores = evaluate(train[:, picks], Y, test[:, picks])
                for measured, value in scores_of(scores, Y_test).items():
                    values.setdefault(f"{measured}, {title}, {k}", []).append(value)
    return {case: round(float(np.mean(v)), 5) for case, v in values.items()}


def gains(of_variants: dict[str, Any], variant: str) -> float:
    """Of a data set: mean over the cases of a variant, less the formula as it is."""
    now = of_variants[NOW]
    return float(np.mean([v - now[case] for case, v in of_variants[variant].items()]))


def table(cells: dict[str, Any]) -> str:
    """Mean gains by half, with intervals over data sets."""
    rows = []
    for variant in [*VARIANTS][1:]:
        row: dict[str, Any] = {"variant": variant}
        for half, names in HALVES.items():
            found = np.array([gains(cells[name], variant) for name in names])
            low, high = bootstrap_interval(found)
            row[half] = f"{found.mean():+.4f} ({low:+.4f} to {high:+.4f})"
        rows.append(row)
    columns = [Column("variant", "variant"), *(numbers(h, h, str) for h in HALVES)]
    return Table("", columns, rows).to_markdown(level=0)


def main() -> None:
    """Measure what is missing, and write and print the table."""
    warnings.simplefilter("ignore")  # of labels with one value in a test part
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-folder", default=os.environ.get("LABELSIEVE_DATA"))
    folder = parser.parse_args().data_folder
    cells = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    for name in DATASETS:
        of_variants = cells.setdefault(name, {})
        missing = [variant for variant in VARIANTS if variant not in of_variants]
        parts = splits(name, folder) if missing else []
        for variant in missing:
            of_variants[variant] = measure(parts, variant)
        FOUND.write_text(json.dumps(cells) + "\n", "utf-8")
        print(name, flush=True)
    print(table(cells))
    page = field_pages.filled(PAGE.read_text("utf-8"), {"variants": table(cells)})
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
