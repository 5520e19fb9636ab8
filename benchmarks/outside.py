"""Tables from outside the field's collections: which selector serves them best.

Medicine, surveys, molecules, genes and trees, with missing cells and unknown labels, in
CSV files. AUC (mean over labels) and, where all labels are known, label-ranking average
precision of ridge regression, 15 nearest neighbours and extremely random trees with 10,
20, 50 and 100 features, mean over ten random splits (70/30) of at most 2,500 samples.
What a method does not take is filled in: features by medians, labels by their means.
Regret is how far a method is below the best one of a case. Finished cells are kept.

    python -m benchmarks.outside --data-folder data [--again sieve] [--sets a,b]
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_selection import f_classif
from sklearn.metrics import label_ranking_average_precision_score, roc_auc_score
from sklearn.neighbors import NearestNeighbors

from benchmarks.entries import fastcan
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.registry import make_selector

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "results" / "outside" / "cells.json"
DATASETS = (
    *("mi-complications", "nhanes-0912", "hiv-pi-resistance", "cervical-risk"),
    *("masculinity-survey", "tox21-rdkit2d", "all-leukemia-expr", "swiss-trees"),
)
SIZES = (10, 20, 50, 100)
MOST_SAMPLES, N_SPLITS = 2500, 10
# Products of all pairs of 12,625 features: as good as random features, in regrets.
TOO_LONG = {("all-leukemia-expr", "grro")}
# Most of their features are numbers with many values.
DENSE = ("nhanes-0912", "tox21-rdkit2d", "all-leukemia-expr", "swiss-trees")


class Split(NamedTuple):
    """Training and test samples; NaN is a cell that is not known."""

    X: Any
    Y: Any
    X_test: Any
    Y_test: Any


def tables_of(name: str, folder: str) -> tuple[Any, Any]:
    """Features and labels of a data set; NaN is a cell that is not known."""
    frame = pd.read_csv(Path(folder) / name / f"{name}.csv.gz", low_memory=False)
    is_label = frame.columns.str.startswith("y_")
    parts = frame.loc[:, ~is_label], frame.loc[:, is_label]
    return parts[0].to_numpy(float), parts[1].to_numpy(float)


def splits(name: str, folder: str) -> list[Split]:
    """The splits of a data set; labels that do not vary in training are left out."""
    X, Y = tables_of(name, folder)
    found = []
    for seed in range(N_SPLITS):
        samples = np.random.default_rng(seed).permutation(len(Y))[:MOST_SAMPLES]
        train, test = np.split(samples, [int(0.7 * samples.size)])
        varies = np.nanmin(Y[train], axis=0) < np.nanmax(Y[train], axis=0)
        found.append(Split(X[train], Y[train][:, varies], X[test], Y[test][:, varies]))
    return found


def filled(table: Any, values: Any) -> Any:
    """With these values of columns where cells are not known."""
    return np.where(np.isnan(table), np.nan_to_num(values), table)


def medians(X: Any) -> Any:
    """Of columns; some may have no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nan_to_num(np.nanmedian(X, axis=0))


def by_library(name: str, X: Any, Y: Any, size: int) -> Any:
    """A selector of the library, with missing cells and unknown labels as they are."""
    return make_selector(name, n_features_to_select=size).fit(X, Y).order_[:size]


def by_filled(name: str, X: Any, Y: Any, size: int) -> Any:
    """The same with medians, and with the more frequent value of each label."""
    Y = filled(Y, np.nanmean(Y, axis=0) > 0.5)
    return by_library(name, filled(X, medians(X)), Y.astype(int), size)


def by_fastcan(X: Any, Y: Any, size: int) -> Any:
    """The package fastcan."""
    return fastcan(filled(X, medians(X)), filled(Y, np.nanmean(Y, axis=0)), size)


def by_f(aggregate: Callable[..., Any], X: Any, Y: Any, size: int) -> Any:
    """F of each label over the samples in which it is known, mean or largest."""
    X, known = filled(X, medians(X)), ~np.isnan(Y)
    pairs = [(X[rows], label[rows]) for label, rows in zip(Y.T, known.T, strict=True)]
    with np.errstate(all="ignore"):
        scores = np.nan_to_num([f_classif(x, y)[0] for x, y in pairs], posinf=1e9)
    return np.argsort(-aggregate(scores, axis=0), kind="stable")[:size]


def by_chance(X: Any, Y: Any, size: int) -> Any:
    """Random features."""
    return np.random.default_rng(0).permutation(X.shape[1])[:size]


METHODS: dict[str, Callable[[Any, Any, int], Any]] = {
    "sieve": partial(by_library, "sieve"),
    "fastcan": by_fastcan,
    "rfs": partial(by_filled, "rfs"),
    "grro": partial(by_library, "grro"),
    "scls": partial(by_library, "scls"),
    "trees": partial(by_filled, "trees"),
    "mean F": partial(by_f, np.mean),
    "largest F": partial(by_f, np.max),
    "fimf": partial(by_library, "fimf"),
    "random": by_chance,
}


def ridge(X: Any, Y: Any, X_test: Any) -> Any:
    """One regression for each label, over the samples in which it is known."""
    scores = []
    for label in Y.T:
        known = ~np.isnan(label)
        A, y = X[known], label[known]
        mean = A.mean(axis=0)
        gram = (A - mean).T @ (A - mean) + np.eye(A.shape[1])
        w = np.linalg.solve(gram, (A - mean).T @ (y - y.mean()))
        scores.append((X_test - mean) @ w + y.mean())
    return np.column_stack(scores)


def neighbors(X: Any, Y: Any, X_test: Any) -> Any:
    """The mean of the known labels of 15 neighbours, and one sample of the mean."""
    nearest = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(X_test)[1]
    sums, known = np.nan_to_num(Y)[nearest].sum(axis=1), ~np.isnan(Y)[nearest]
    return (sums + np.nanmean(Y, axis=0)) / (known.sum(axis=1) + 1)


def trees(X: Any, Y: Any, X_test: Any) -> Any:
    """Extremely random trees of all labels at once."""
    model = ExtraTreesRegressor(
        30, min_samples_leaf=3, max_features="sqrt", random_state=0
    )
    Y = filled(Y, np.nanmean(Y, axis=0))
    return model.fit(X, Y).predict(X_test).reshape(len(X_test), -1)


EVALUATORS = {"ridge": ridge, "15-NN": neighbors, "trees": trees}


def scores_of(scores: Any, Y: Any) -> dict[str, float]:
    """AUC, and label-ranking average precision where all labels are known."""
    areas = []
    for said, label in zip(scores.T, Y.T, strict=True):
        known = ~np.isnan(label)
        if known.any() and label[known].min() < label[known].max():
            areas.append(roc_auc_score(label[known], said[known]))
    found = {"AUC": float(np.mean(areas))}
    if not np.isnan(Y).any():
        some = Y.any(axis=1)
        found["LRAP"] = float(
            label_ranking_average_precision_score(Y[some] > 0, scores[some])
        )
    return found


def measure(parts: list[Split], method: str) -> dict[str, list[float]]:
    """Mean over splits of each measure and evaluator, a value for each size."""
    found: dict[str, list[list[float]]] = {}
    sizes = [size for size in SIZES if size < parts[0].X.shape[1]]
    for X, Y, X_test, Y_test in parts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of constant columns
            order = METHODS[method](X, Y, max(sizes))
        fill = medians(X)
        train, test = (filled(part, fill)[:, order] for part in (X, X_test))
        mean, deviation = train.mean(axis=0), train.std(axis=0)
        deviation[deviation == 0] = 1.0
        train, test = (train - mean) / deviation, (test - mean) / deviation
        for title, evaluate in EVALUATORS.items():
            values = [
                scores_of(evaluate(train[:, :k], Y, test[:, :k]), Y_test) for k in sizes
            ]
            for measured in values[0]:
                of_split = [value[measured] for value in values]
                found.setdefault(f"{measured}, {title}", []).append(of_split)
    return {case: np.mean(v, axis=0).round(5).tolist() for case, v in found.items()}


def regrets(of_methods: dict[str, Any], measured: str = "") -> dict[str, float]:
    """Of a data set: how far each method is below the best one, over its cases."""
    values = np.array(
        [
            np.concatenate([v for c, v in cases.items() if c.startswith(measured)])
            for cases in of_methods.values()
        ]
    )
    regret = (values.max(axis=0) - values).mean(axis=1)
    return dict(zip(of_methods, regret.tolist(), strict=True))


def table(cells: dict[str, Any]) -> str:
    """Regrets of methods by data set, their mean, by AUC, and on dense numbers."""
    found = {name: regrets(of_methods) for name, of_methods in cells.items()}
    by_auc = {name: regrets(of_methods, "AUC") for name, of_methods in cells.items()}
    rows = []
    for method in METHODS:
        row: dict[str, Any] = {"method": method}
        row.update({name: regret[method] for name, regret in found.items()})
        row["mean"] = np.mean([regret[method] for regret in found.values()])
        row["auc"] = np.mean([regret[method] for regret in by_auc.values()])
        dense = [found[name][method] for name in DENSE if name in found]
        row["dense"] = np.mean(dense) if dense else np.nan
        for name in ("cervical-risk", "mi-complications"):
            row[f"{name} auc"] = by_auc.get(name, {}).get(method, np.nan)
        rows.append(row)
    columns = [
        *(Column("method", "method"), numbers("mean regret", "mean", "z.4f")),
        *(numbers(name, name, "z.4f") for name in found),
        numbers("by AUC", "auc", "z.4f"),
        numbers("dense numbers", "dense", "z.4f"),
        numbers("cervical-risk, AUC", "cervical-risk auc", "z.4f"),
        numbers("mi-complications, AUC", "mi-complications auc", "z.4f"),
    ]
    return Table("", columns, rows).to_markdown(level=0)


def main() -> None:
    """Measure what is missing, and write and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-folder", default=os.environ.get("LABELSIEVE_DATA"))
    parser.add_argument("--sets", default=",".join(DATASETS))
    parser.add_argument("--again", default="", help="methods to compute anew")
    arguments = parser.parse_args()
    again = arguments.again.split(",")
    cells = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    FOUND.parent.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets.split(","):
        of_methods = cells.setdefault(name, {})
        missing = [m for m in METHODS if m in again or m not in of_methods]
        parts = splits(name, arguments.data_folder) if missing else []
        for method in missing:
            taken = "random" if (name, method) in TOO_LONG else method
            of_methods[method] = measure(parts, taken)
            ordered = {m: of_methods[m] for m in METHODS if m in of_methods}
            cells[name] = of_methods = ordered
            FOUND.write_text(json.dumps(cells) + "\n", "utf-8")
        print(name, flush=True)
    print(table(cells))
    FOUND.with_name("outside.md").write_text(table(cells) + "\n", "utf-8")


if __name__ == "__main__":
    main()
