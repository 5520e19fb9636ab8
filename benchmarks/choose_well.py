"""Which selector serves classifiers best: ranks over data sets, classifiers, sizes.

Every selector of the library and what a user would run otherwise choose 100 features
on the same training rows; naive Bayes, nearest neighbours and ridge regression are
judged on the test rows by label-ranking average precision at 10, 20, 50 and 100
features. Results are kept in a file, so that an interrupted run goes on.

    python -m benchmarks.choose_well --out choose_well.json
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from benchmarks._competitors import COMPETITORS, standardized
from labelsieve.classifiers import MLNB, MLkNN, path_scores
from labelsieve.datasets import find_dataset, load
from labelsieve.experiments.statistics import compare_ranks, wilcoxon_test
from labelsieve.metrics import average_precision
from labelsieve.plots import CriticalDifferenceDisplay
from labelsieve.registry import make_selector, selector_names

SIZES = (10, 20, 50, 100)
# Rows of training and test; larger sets are sampled.
N_TRAIN, N_TEST = 1500, 700
SETS = (
    *("emotions", "birds", "yeast", "scene", "genbase", "medical", "enron"),
    *("mediamill-reduced", "mediamill-small", "corel16k001", "bibtex", "delicious"),
)
# Methods that would take hours, or gigabytes, with more labels than this.
MOST_LABELS = {
    "br+rf": 100,
    "lp+rf": 100,
    "ppt+rf": 100,
    "mlrf": 100,
    "ExtraTrees": 500,
}

# What a reader of the diagram knows them by.
TITLES = {
    "first try": "least information",
    "l1 rows": "lasso rows",
    "ExtraTrees": "extra trees",
    "RFE ridge": "elimination, ridge",
    "summed MI": "summed information",
    "chi2": "summed chi-squared",
}


def main() -> None:
    arguments = _read_arguments()
    warnings.simplefilter("ignore")
    results = Results(Path(arguments.out))
    sets = arguments.sets.split(",")
    methods = selectors()
    for split in range(arguments.splits):
        for name in sets:
            run_split(name, split, methods, results)
    report(results.values, sets, range(arguments.splits))
    if arguments.picture:
        draw(results.values, sets, range(arguments.splits), Path(arguments.picture))


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="choose_well.json")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument(
        "--picture", help="a .png or .svg file for the diagram of ranks"
    )
    return parser.parse_args()


class Results:
    """Scores by data set, split and method, saved after each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        if path.exists():
            self.values = json.loads(path.read_text())

    def add(self, key: str, value: Any) -> None:
        self.values[key] = value
        self.path.write_text(json.dumps(self.values))


def selectors() -> dict[str, Callable[[Any, Any], Any]]:
    """Functions of X and Y that return up to 100 features, best first."""

    def of_library(name: str) -> Callable[[Any, Any], Any]:
        def choose(X: Any, Y: Any) -> Any:
            n = min(max(SIZES), X.shape[1])
            return make_selector(name, n_features_to_select=n).fit(X, Y).order_[:n]

        return choose

    names = sorted(selector_names(), key=lambda name: name != "sieve")
    return {**{name: of_library(name) for name in names}, **COMPETITORS}


def run_split(name: str, split: int, methods: Any, results: Results) -> None:
    X, Y, X_test, Y_test = split_data(name, split)
    for method, choose in methods.items():
        key = f"{name}|{split}|{method}"
        slow = Y.shape[1] > MOST_LABELS.get(method, Y.shape[1])
        if key in results.values or slow:
            continue
        begin = time.process_time()
        try:
            order = np.asarray(choose(X, Y))
        except Exception as error:  # one method that fails must not end the others
            print(f"{key}: {error!r}"[:160], flush=True)
            continue
        seconds = time.process_time() - begin
        found = judge(order, X, Y, X_test, Y_test)
        results.add(key, found)
        mean = np.mean(list(found.values()))
        print(f"{key:40s} {mean:.4f} {seconds:8.2f} s", flush=True)


def split_data(name: str, split: int) -> tuple[Any, Any, Any, Any]:
    """70 and 30 percent of the rows, sampled where there are many."""
    X, Y = load(find_dataset(name))
    table = sp.csr_matrix(X) if sp.issparse(X) else np.asarray(X, dtype=float)
    labels = np.asarray(Y.todense() if sp.issparse(Y) else Y).astype(int)
    if name == "genbase":
        table = table[:, 1:]  # the protein's identifier
    rows = np.random.default_rng(split).permutation(len(labels))
    cut = int(0.7 * len(rows))
    train, test = rows[:cut][:N_TRAIN], rows[cut:][:N_TEST]
    varied = labels[train].any(axis=0) & ~labels[train].all(axis=0)
    labels = labels[:, varied]
    test = test[labels[test].any(axis=1)]
    return table[train], labels[train], table[test], labels[test]


def judge(order: Any, X: Any, Y: Any, X_test: Any, Y_test: Any) -> dict[str, Any]:
    """Average precision of each classifier at each size."""
    dense = [np.asarray(sp.csr_matrix(A)[:, order].todense()) for A in (X, X_test)]
    sizes = [min(size, len(order)) for size in SIZES]
    places = np.arange(len(order))
    found = {}
    for title, classifier in (("MLNB", MLNB()), ("MLkNN", MLkNN())):
        path = path_scores(classifier, dense[0], Y, dense[1], places, sizes)
        found[title] = [average_precision(Y_test, scores) for scores in path.scores]
    train, test = standardized(*dense)
    share = Y.mean(axis=0)
    found["ridge"] = [
        average_precision(Y_test, test[:, :k] @ _ridge(train[:, :k], Y - share) + share)
        for k in sizes
    ]
    return found


def _ridge(X: Any, Y: Any) -> Any:
    return np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ Y)


def report(values: dict[str, Any], sets: list[str], splits: range) -> None:
    """Print average ranks, means, and what differs significantly."""
    table, methods = collect(values, sets, splits)
    ranks = rankdata(-np.round(table, 6), axis=0)
    average = ranks.reshape(len(methods), -1).mean(axis=1)
    best = np.argsort(average)
    print(f"\n{len(methods)} methods, {len(sets)} data sets, {len(splits)} splits\n")
    print("| method | average rank | MLNB | MLkNN | ridge | " + " | ".join(sets) + " |")
    print("|---|" + "---|" * (4 + len(sets)))
    for place in best:
        per_classifier = ranks[place].mean(axis=(0, 2))
        cells = [average[place], *per_classifier]
        means = table[place].mean(axis=(1, 2))
        text = [f"{v:.2f}" for v in cells] + [f"{v:.3f}" for v in means]
        print(f"| {methods[place]} | " + " | ".join(text) + " |")
    if len(sets) < 2:
        return
    for title, blocks in (
        ("data sets", table.mean(axis=(2, 3))),
        ("data sets and classifiers", table.mean(axis=3).reshape(len(methods), -1)),
    ):
        print_differences(title, blocks.T, methods)


def collect(
    values: dict[str, Any], sets: list[str], splits: range
) -> tuple[Any, list[str]]:
    """(methods, sets, classifiers, sizes) of those with results for every set.

    A method that takes hours somewhere, and has no result there, counts as last.
    """
    methods = list(dict.fromkeys(key.split("|")[2] for key in values))
    shape = (len(methods), len(sets), 3, len(SIZES))
    table = np.zeros(shape)
    for i, method in enumerate(methods):
        for j, name in enumerate(sets):
            found = [values.get(f"{name}|{split}|{method}") for split in splits]
            cells = [list(f.values()) for f in found if f is not None]
            if cells:
                table[i, j] = np.mean(cells, axis=0)
    return table, methods


def print_differences(title: str, blocks: Any, methods: list[str]) -> None:
    found = compare_ranks(blocks, smaller_is_better=False)
    print(f"\nOver {title}: Friedman p = {found.p:.2g}, critical difference ", end="")
    print(f"{found.critical_difference:.2f} (Nemenyi, 5 %)")
    sieve = methods.index("sieve")
    order = np.argsort(found.average_ranks)
    print("  " + ", ".join(f"{methods[i]} {found.average_ranks[i]:.1f}" for i in order))
    gap = found.average_ranks - found.average_ranks[sieve]
    worse = [methods[i] for i in order if gap[i] > found.critical_difference]
    print(f"  significantly worse than sieve: {', '.join(worse) or 'none'}")
    rivals = ("pmu", "random", "first try", "l1 rows", "ExtraTrees")
    for rival in [name for name in rivals if name in methods]:
        test = wilcoxon_test(blocks[:, sieve], blocks[:, methods.index(rival)])
        print(f"  sieve and {rival}: Wilcoxon p = {test.p:.2g}")


def draw(values: dict[str, Any], sets: list[str], splits: range, picture: Path) -> None:
    """Write the critical-difference diagram over data sets and classifiers."""
    table, methods = collect(values, sets, splits)
    blocks = table.mean(axis=3).reshape(len(methods), -1).T
    found = compare_ranks(blocks, smaller_is_better=False)
    names = [TITLES.get(method, method) for method in methods]
    display = CriticalDifferenceDisplay(
        names, found.average_ranks, found.critical_difference
    )
    display.plot().figure_.savefig(picture, dpi=150)


if __name__ == "__main__":
    main()
