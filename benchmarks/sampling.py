"""How far rankings from some rows are from those of all rows.

For GMBA, SPEC and MLRF on real data: ``anchors`` are some rows compared with all,
``sample`` is a fit on some rows alone. Rank correlation with the ranking of all rows,
and the share of the best 10 and 50 features that agree, mean of several draws.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import clone

from labelsieve import GMBA, MLRF, SPEC
from labelsieve.datasets import find_dataset, load

SELECTORS = {
    "GMBA": GMBA(random_state=0),
    "GMBA batch": GMBA(solver="batch"),
    "SPEC": SPEC(),
    "MLRF": MLRF(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=["scene", "yeast", "enron"])
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 300, 1_000])
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    # Labels without a row in a sample are expected here.
    warnings.simplefilter("ignore", UserWarning)
    for data in options.data:
        X, Y = load(find_dataset(data))
        for name, selector in SELECTORS.items():
            began = time.process_time()
            full = clone(selector).fit(X, Y).order_
            seconds = time.process_time() - began
            print(f"{data}, {X.shape[0]} rows, {name}: all {seconds:.2f} s CPU")
            for n_rows in options.rows:
                for way in (by_anchors, by_sample):
                    line = errors(way, selector, X, Y, n_rows, full, options.draws)
                    print(f"  {n_rows:5} {way.__name__:10} {line}", flush=True)


def by_anchors(selector, X, Y, n_rows, seed):
    """Some rows, compared with all."""
    return selector.set_params(n_anchors=n_rows, random_state=seed).fit(X, Y)


def by_sample(selector, X, Y, n_rows, seed):
    """Some rows, compared with each other."""
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(X.shape[0], n_rows, replace=False))
    return selector.fit(X[rows], Y[rows])


def errors(way, selector, X, Y, n_rows, full, n_draws) -> str:
    """Agreement with the ranking of all rows, as text."""
    correlation, ten, fifty, seconds = [], [], [], 0.0
    for seed in range(n_draws):
        began = time.process_time()
        order = way(clone(selector), X, Y, n_rows, seed).order_
        seconds += time.process_time() - began
        ranks = np.argsort(order), np.argsort(full)
        correlation.append(spearmanr(*ranks).statistic)
        ten.append(np.isin(order[:10], full[:10]).mean())
        fifty.append(np.isin(order[:50], full[:50]).mean())
    return (
        f"rank correlation {np.mean(correlation):.3f}, best 10 {np.mean(ten):4.0%}, "
        f"best 50 {np.mean(fifty):4.0%}, {seconds / n_draws:.2f} s CPU"
    )


if __name__ == "__main__":
    main()
