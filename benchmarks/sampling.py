"""How far the ranking of a sample of rows is from that of all rows.

For GMBA, SPEC and MLRF on generated data with planted features: the share of the best
20 features that agree and the rank correlation, mean of several samples.
"""

from __future__ import annotations

import argparse
import time

import dask.array as da
import numpy as np
from scipy.stats import spearmanr

from labelsieve import GMBA, MLRF, SPEC
from labelsieve.datasets._sample import sample_rows

N_BEST = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000)
    parser.add_argument("--samples", type=int, default=5)
    options = parser.parse_args()
    X, Y = planted(options.rows)
    blocks = [da.from_array(t, chunks=(1_000, t.shape[1])) for t in (X, Y)]
    for selector in (GMBA(N_BEST), SPEC(N_BEST), MLRF(N_BEST)):
        name = type(selector).__name__
        began = time.process_time()
        full = selector.fit(X, Y).order_.copy()
        print(f"{name} on all {len(X):,} rows: {time.process_time() - began:.1f} s CPU")
        for n_rows in (500, 1_000, 2_000, 4_000):
            agree, correlation, seconds = [], [], 0.0
            for seed in range(options.samples):
                rows = sample_rows(*blocks, n_rows, random_state=seed)
                began = time.process_time()
                order = selector.fit(*rows).order_
                seconds += time.process_time() - began
                agree.append(np.isin(order[:N_BEST], full[:N_BEST]).mean())
                ranks = np.argsort(order), np.argsort(full)
                correlation.append(spearmanr(*ranks).statistic)
            print(
                f"  {n_rows:5,} rows: {np.mean(agree):.0%} of the best {N_BEST} (worst "
                f"{np.min(agree):.0%}), rank correlation {np.mean(correlation):.3f}, "
                f"{seconds / options.samples:.2f} s CPU",
                flush=True,
            )


def planted(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """60 features, of which 20 tell the 10 labels, less and less clearly."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n_rows, 6))
    Y = (hidden @ rng.normal(size=(6, 10)) > 1.5).astype(np.uint8)
    X = rng.normal(size=(n_rows, 60))
    clear = np.linspace(1.5, 0.3, 20)
    X[:, :20] += clear * (Y @ rng.normal(size=(10, 20)))
    return X, Y


if __name__ == "__main__":
    main()
