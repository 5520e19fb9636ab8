"""What Dask's threads cost for data that fits in memory: FIMF, side by side.

Prints the time of the in-memory fit and of the fit on a Dask array of the same CSR
matrix, best of several runs in turn, and the ratio (aim: at most 1.5).
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp

from labelsieve import FIMF


def words(n_rows: int, n_columns: int, per_row: int, seed: int = 0) -> sp.csr_matrix:
    """Rows of words: frequencies fall like 1 / rank, each row has distinct words."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, n_columns + 1) ** 0.8
    drawn = rng.choice(n_columns, n_rows * per_row, p=share / share.sum())
    rows = np.repeat(np.arange(n_rows), per_row)
    ones = np.ones(drawn.size)
    table = sp.coo_matrix((ones, (rows, drawn)), shape=(n_rows, n_columns)).tocsr()
    table.data[:] = 1.0
    return table


def in_blocks(table: sp.csr_matrix | np.ndarray, n_blocks: int) -> Any:
    """A Dask array whose blocks are row slices of the matrix."""
    edges = np.linspace(0, table.shape[0], n_blocks + 1).astype(int)
    blocks = [
        da.from_delayed(
            dask.delayed(table[low:high], traverse=False),
            shape=(high - low, table.shape[1]),
            meta=table[:0, :0],
        )
        for low, high in itertools.pairwise(edges)
    ]
    return da.concatenate(blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=47_000)
    parser.add_argument("--labels", type=int, default=103)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    X = words(options.rows, options.features, 73)
    Y = words(options.rows, options.labels, 3, seed=1).astype(np.uint8)
    print(f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} per row")
    X_lazy = in_blocks(X, options.blocks)
    for form, labels in (("sparse Y", Y), ("dense Y", Y.toarray())):
        print(f" {form}")
        compare(
            (X, labels), (X_lazy, in_blocks(labels, options.blocks)), options.repeat
        )


def compare(given: tuple[Any, Any], given_lazily: tuple[Any, Any], repeat: int) -> None:
    """Fit both in turns and print the least times."""
    memory, lazy = FIMF(100, n_jobs=2), FIMF(100, n_jobs=2)
    wall: dict[str, list[float]] = {"memory": [], "dask": []}
    cpu: dict[str, list[float]] = {"memory": [], "dask": []}
    for run in range(repeat + 1):
        for name, fit in (
            ("memory", lambda: memory.fit(*given)),
            ("dask", lambda: lazy.fit(*given_lazily)),
        ):
            began, began_cpu = time.perf_counter(), time.process_time()
            fit()
            if run:  # the first run compiles
                wall[name].append(time.perf_counter() - began)
                cpu[name].append(time.process_time() - began_cpu)
    assert (memory.order_ == lazy.order_).all()
    assert (memory.scores_ == lazy.scores_).all()
    for name in ("memory", "dask"):
        print(f"{name:>8}: wall {min(wall[name]):.2f} s, CPU {min(cpu[name]):.2f} s")
    print(
        f"ratio of wall times {min(wall['dask']) / min(wall['memory']):.2f}, "
        f"of CPU times {min(cpu['dask']) / min(cpu['memory']):.2f}"
    )


if __name__ == "__main__":
    main()
