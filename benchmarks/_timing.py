"""How the benchmarks measure: best of several runs, in units taken in the same run."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from labelsieve.datasets import find_dataset, load

PAGE = 4096


def seconds(
    run: Callable[[], object],
    repeat: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The shortest of several runs; the first of them warms up and does not count."""
    run()
    best = float("inf")
    for _ in range(repeat):
        begin = clock()
        run()
        best = min(best, clock() - begin)
    return best


def product_unit(X: sp.csr_matrix, Y: sp.csc_matrix) -> float:
    """Seconds that SciPy takes for X.T @ Y, the joint counts of words and labels."""
    return seconds(lambda: X.T @ Y, repeat=9)


def sparse_data(name: str) -> tuple[sp.csr_matrix, sp.csc_matrix] | None:
    """A data set as CSR float64 and CSC, None where it is not on this machine."""
    try:
        X, Y = load(find_dataset(name))
    except FileNotFoundError:
        print(f"{name}: not found; set LABELSIEVE_DATA to a folder of data sets")
        return None
    return sp.csr_matrix(X, dtype=float), sp.csc_matrix(Y, dtype=float)


def label_forms(Y: sp.spmatrix | np.ndarray) -> dict[str, sp.csc_matrix | np.ndarray]:
    """The labels in the two forms that people pass them in."""
    dense = np.asarray(Y.todense() if sp.issparse(Y) else Y).astype(int)
    return {"sparse Y": sp.csc_matrix(Y, dtype=float), "dense Y": dense}


class PeakMemory:
    """The largest resident memory of this process inside a with block, less before."""

    def __enter__(self) -> "PeakMemory":
        self.before = self.peak = resident()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def gigabytes(self) -> float:
        return (self.peak - self.before) / 1e9

    def _watch(self) -> None:
        while not self._stop.wait(0.002):
            self.peak = max(self.peak, resident())


def resident() -> int:
    statm = Path(f"/proc/{os.getpid()}/statm")
    return int(statm.read_text().split()[1]) * PAGE if statm.exists() else 0
