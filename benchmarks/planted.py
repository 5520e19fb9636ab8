"""Which selector finds which kind of planted feature, as a table in Markdown.

Features of `make_multilabel` are relevant by themselves, redundant copies of relevant
ones, interacting in pairs that say nothing alone, or noise.

    python -m benchmarks.planted
"""

from __future__ import annotations

import warnings

import numpy as np

from labelsieve.datasets import make_multilabel
from labelsieve.registry import make_selector, selector_names

SEEDS = range(5)
SIZES = {"n_relevant": 12, "n_redundant": 6, "n_interacting": 4, "n_noise": 78}
FORWARD = "ppt+mi forward"
KINDS = ("relevant", "redundant", "interacting", "noise")


def main() -> None:
    # Label sets are many in these data, and selectors say so every time.
    warnings.simplefilter("ignore", UserWarning)
    print_table("numeric", sparse=False)
    print_table("binary", sparse=True)


def print_table(title: str, *, sparse: bool) -> None:
    rows = " + ".join(f"{size} {kind[2:]}" for kind, size in SIZES.items())
    print(f"\n1,000 samples, 6 labels, {rows} features ({title}); mean of 5 draws.")
    print("Fraction of all features of a kind among the first 22 ranks,")
    print("and of redundant ones among the first 12 (copies early).\n")
    print("| selector | relevant | redundant | interacting | noise | copies early |")
    print("|---|---|---|---|---|---|")
    for name in [*selector_names(), FORWARD]:
        found = np.mean([shares(name, seed, sparse) for seed in SEEDS], axis=0)
        cells = " | ".join(f"{share:.2f}" for share in found)
        print(f"| {name} | {cells} |", flush=True)
    print(f"| (random ranking) | {' | '.join(['0.22'] * 4)} | 0.12 |")


def shares(name: str, seed: int, sparse: bool) -> list[float]:
    """Shares of each kind in the first 22 places, and of copies in the first 12."""
    X, Y, truth = make_multilabel(1000, 6, sparse=sparse, random_state=seed, **SIZES)
    n_planted = sum(size for kind, size in SIZES.items() if kind != "n_noise")
    parameters: dict[str, object] = {"n_features_to_select": n_planted}
    if name == "gmba":
        parameters["random_state"] = 0
    if name == FORWARD:
        parameters |= {"search": "forward", "n_jobs": -1}
    order = make_selector(name.split()[0], **parameters).fit(X, Y).order_
    places = truth.kind[order]
    found = [
        float((places[:n_planted] == kind).sum() / (places == kind).sum())
        for kind in KINDS
    ]
    early = places[: SIZES["n_relevant"]] == "redundant"
    return [*found, float(early.sum() / SIZES["n_redundant"])]


if __name__ == "__main__":
    main()
