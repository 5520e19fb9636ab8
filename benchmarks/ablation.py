"""What every part of Sieve's formula is worth: each is left out in turn.

Ten data sets, naive Bayes, ML-kNN and ridge regression, 10 to 100 features,
label-ranking average precision. Data sets that are in the result file are not computed
again.

    python -m benchmarks.ablation --data-folder data
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._formula import Formula, order
from benchmarks.field_pages import filled
from labelsieve._utils.messages import Column, Table, numbers
from labelsieve.classifiers import MLNB, MLkNN, path_scores
from labelsieve.datasets import find_dataset, load
from labelsieve.experiments.statistics import bootstrap_interval
from labelsieve.metrics import average_precision

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "results" / "ablation" / "ablation.json"
PAGE = ROOT / "docs" / "methods" / "sieve.md"
DATASETS = (
    *("emotions", "yeast", "medical", "enron", "bibtex", "virus-go", "foodtruck"),
    *("slashdot", "corel16k001", "mediamill-small"),
)
SIZES = (10, 20, 50, 100)
MOST_ROWS, FEW_ROWS, SPLITS_OF_FEW, SPLITS = 2500, 1000, 5, 2


VARIANTS = {
    "the whole formula": Formula(),
    "without I(f; l)": Formula(alone=False),
    "without I(f; l | s)": Formula(one=False),
    "without E(f | S)": Formula(together=False),
    "chance not taken off": Formula(strict=0.0),
    "chance taken off twice": Formula(strict=2.0),
    "numbers split at the median": Formula(ranks=False),
    "without squares of scores": Formula(squares=False),
    "all by gain, significant or not": Formula(defers=False),
    "tail by what is unique": Formula(tail="what is unique"),
    "tail by what repeats": Formula(tail="what repeats"),
    "tail by index": Formula(tail="index"),
    "equal weights": Formula(weight="balanced"),
    "weights by information": Formula(weight="information"),
}


def splits(name: str, folder: str | None) -> Iterator[tuple[Any, ...]]:
    """Training and test rows of a data set, 70 to 30."""
    X, Y = load(find_dataset(name, folder))
    values = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    labels = np.asarray(Y.todense() if sp.issparse(Y) else Y).astype(np.int64)
    for seed in range(SPLITS_OF_FEW if len(labels) < FEW_ROWS else SPLITS):
        rows = np.random.default_rng(seed).permutation(len(labels))[:MOST_ROWS]
        cut = int(0.7 * rows.size)
        train, test = rows[:cut], rows[cut:]
        chosen = labels[:, labels[train].any(axis=0) & ~labels[train].all(axis=0)]
        test = test[chosen[test].any(axis=1)]
        yield values[train], chosen[train], values[test], chosen[test]


def judge(picks: list[int], X: Any, Y: Any, X_test: Any, Y_test: Any) -> dict[str, Any]:
    """Label-ranking average precision of each judge at each size."""
    train, test = (
        np.asarray(part.todense() if sp.issparse(part) else part)
        for part in (X[:, picks], X_test[:, picks])
    )
    sizes = [size for size in SIZES if size < X.shape[1]]
    found = {}
    for title, classifier in (("mlnb", MLNB()), ("mlknn", MLkNN())):
        path = path_scores(classifier, train, Y, test, np.arange(len(picks)), sizes)
        found[title] = [float(average_precision(Y_test, s)) for s in path.scores]
    found["ridge"] = [
        float(average_precision(Y_test, _ridge(train[:, :k], Y, test[:, :k])))
        for k in sizes
    ]
    return found


def _ridge(train: Any, Y: Any, test: Any) -> Any:
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    A, B, share = (train - mean) / scale, (test - mean) / scale, Y.mean(axis=0)
    return B @ np.linalg.solve(A.T @ A + np.eye(A.shape[1]), A.T @ (Y - share)) + share


def measure(name: str, folder: str | None) -> dict[str, Any]:
    """Of each variant the mean over splits of each judge at each size."""
    values: dict[str, dict[str, list[Any]]] = {}
    for X, Y, X_test, Y_test in splits(name, folder):
        for title, formula in VARIANTS.items():
            picks = order(X, Y, max(SIZES), formula)
            for judged, found in judge(picks, X, Y, X_test, Y_test).items():
                values.setdefault(title, {}).setdefault(judged, []).append(found)
    return {
        title: {j: np.mean(v, axis=0).round(6).tolist() for j, v in of_judges.items()}
        for title, of_judges in values.items()
    }


def summary(cells: dict[str, Any]) -> list[dict[str, Any]]:
    """Mean regret of each variant, and what it loses against the whole formula."""
    means = np.array([_regrets(of_variants) for of_variants in cells.values()])
    rows = []
    for place, title in enumerate(VARIANTS):
        loss = means[:, place] - means[:, 0] + 0.0
        worst = int(loss.argmax())
        rows.append(
            {
                "formula": title,
                "regret": means[:, place].mean(),
                "loss": loss.mean(),
                "interval": bootstrap_interval(loss) if place else None,
                "most": (loss[worst], [*cells][worst]) if place else None,
            }
        )
    return rows


def _regrets(of_variants: dict[str, Any]) -> Any:
    """Mean over classifiers and sizes of a data set: how far below the best variant."""
    values = np.array([np.ravel([*of_variants[title].values()]) for title in VARIANTS])
    return (values.max(axis=0) - values).mean(axis=1)


def table(cells: dict[str, Any]) -> str:
    """The table of Sieve's page."""
    columns = [
        Column("formula", "formula"),
        numbers("mean regret", "regret", "z.4f"),
        numbers("loss against the whole", "loss", "z.4f"),
        numbers("95 % interval", "interval", _interval),
        numbers("most", "most", _most),
    ]
    return Table("", columns, summary(cells)).to_markdown(level=0)


def _interval(found: tuple[float, float] | None) -> str:
    return "" if found is None else f"{found[0]:z.4f} to {found[1]:z.4f}"


def _most(found: tuple[float, str] | None) -> str:
    return "" if found is None else f"{found[0]:.4f} ({found[1]})"


def main() -> None:
    """Measure what is missing, and write the result and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-folder", default=os.environ.get("LABELSIEVE_DATA"))
    folder = parser.parse_args().data_folder
    cells = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    for name in DATASETS:
        if name not in cells:
            cells[name] = measure(name, folder)
            FOUND.parent.mkdir(parents=True, exist_ok=True)
            FOUND.write_text(json.dumps(cells, indent=1) + "\n", "utf-8")
            print(name, flush=True)
    print(table(cells))
    FOUND.with_suffix(".md").write_text(table(cells) + "\n", "utf-8")
    page = filled(PAGE.read_text("utf-8"), {"ablation": table(cells)})
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
