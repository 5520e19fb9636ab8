"""Wide tables: how many of 40 true features are among the first 40.

200 rows and 8 labels. Gaussian features, where each label is the sign of a noisy sum of
five of them; or words of 2 to 40 percent of the rows, where a label has the 40 percent
of the rows with the largest noisy sum of five words, some of which count twice.

    python -m benchmarks.wide [number of features ...]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from labelsieve.registry import make_selector

N_ROWS, N_LABELS, N_OWN = 200, 8, 5
N_TRUE = N_LABELS * N_OWN
SEEDS = range(10)
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "largest F": ("br+f", {"aggregate": "max"}),
    "Sieve": ("sieve", {}),
    "RFS": ("rfs", {}),
}


def draw(n_features: int, seed: int) -> tuple[Any, Any, Any]:
    """Features, labels, and which features are true."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, n_features))
    truth = rng.permutation(n_features)[:N_TRUE].reshape(N_LABELS, N_OWN)
    signs = rng.choice([-1.0, 1.0], size=(N_LABELS, N_OWN))
    sums = np.einsum("nlo,lo->nl", X[:, truth], signs)
    return X, sums + rng.normal(size=sums.shape) > 0, truth.ravel()


def draw_words(n_features: int, seed: int) -> tuple[Any, Any, Any]:
    """The same for words."""
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.02, 0.4, n_features)
    X = (rng.random((N_ROWS, n_features)) < shares).astype(np.float64)
    truth = rng.permutation(n_features)[:N_TRUE].reshape(N_LABELS, N_OWN)
    weights = rng.choice([1.0, 2.0], size=(N_LABELS, N_OWN))
    sums = np.einsum("nlo,lo->nl", X[:, truth], weights)
    sums += 0.7 * rng.normal(size=sums.shape)
    return X, sums > np.quantile(sums, 0.6, axis=0), truth.ravel()


KINDS = {"numbers": draw, "words": draw_words}


def found(method: str, kind: str, n_features: int, seed: int) -> int:
    """How many true features are among the first."""
    X, Y, truth = KINDS[kind](n_features, seed)
    name, parameters = METHODS[method]
    selector = make_selector(name, n_features_to_select=N_TRUE, **parameters)
    return int(np.isin(selector.fit(X, Y).order_[:N_TRUE], truth).sum())


def main() -> None:
    """Print a table in Markdown."""
    print("| method | features | true ones of 40, ten draws | mean |")
    print("|---|---|---|---|")
    for kind in KINDS:
        for n_features in [int(n) for n in sys.argv[1:]] or (5000, 20000):
            for method in METHODS:
                counts = [found(method, kind, n_features, seed) for seed in SEEDS]
                shown = ", ".join(map(str, counts))
                mean = f"{np.mean(counts):.1f}"
                size = f"{n_features:,} {kind}"
                print(f"| {method} | {size} | {shown} | {mean} |", flush=True)


if __name__ == "__main__":
    main()
