"""What cells cost that are not there: unknown labels in Y, missing cells in X.

Processor times of fits with 5 percent of the cells taken out over those with none, in
turns. Of a sparse table these are 5 percent of all cells, most of which were zero and
not stored: a table of words then stores more than twice as many cells. Or they are 5
percent of the stored cells, as where some counts of words were lost.
"""

import time
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks._timing import sparse_data
from labelsieve import FIMF, PMU, Sieve
from labelsieve.selectors import LabelSelector

SHARE = 0.05
SELECTORS = {"FIMF": FIMF(), "PMU, 50 picks": PMU(50), "Sieve, 50 picks": Sieve(50)}
TURNS = 5


def main() -> None:
    for name in ("bibtex", "delicious"):
        data = sparse_data(name)
        if data is None:
            continue
        X, Y = data[0], sp.csr_matrix(data[1])
        print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels")
        holes = punched(Y)
        report("unknown labels, sparse Y", (X, Y), (X, holes))
        report("unknown labels, dense Y", (X, Y.toarray()), (X, holes.toarray()))
        report("missing words, of all cells of X", (X, Y), (punched(X), Y))
        report("missing words, of stored cells", (X, Y), (punched_stored(X), Y))
    random = np.random.default_rng(0)
    Y = (random.random((20_000, 20)) < 0.2).astype(float)
    X = random.normal(size=(20_000, 200)) + 0.3 * np.resize(Y.T, (200, 20_000)).T
    print("\nnumbers: 20,000 x 200, 20 labels")
    report("unknown labels", (X, Y), (X, punched(Y)))
    report("missing numbers", (X, Y), (punched(X), Y))


def punched(table: sp.csr_matrix | np.ndarray) -> sp.csr_matrix | np.ndarray:
    """The table with NaN in some of its cells."""
    random = np.random.default_rng(0)
    cells = table.toarray() if sp.issparse(table) else table.copy()
    cells[random.random(cells.shape) < SHARE] = np.nan
    return sp.csr_matrix(cells) if sp.issparse(table) else cells


def punched_stored(table: sp.csr_matrix) -> sp.csr_matrix:
    """The table with NaN in some of its stored cells."""
    random = np.random.default_rng(0)
    holes = table.astype(np.float64)
    holes.data[random.random(holes.nnz) < SHARE] = np.nan
    return holes


def report(title: str, whole: tuple, holed: tuple) -> None:
    print(f" {title}")
    for name, selector in SELECTORS.items():
        for data in (whole, holed):
            fit(selector, data)
        turns = [[fit(selector, data) for data in (whole, holed)] for _ in range(TURNS)]
        before, after = np.min(turns, axis=0)
        print(
            f"  {name:<18}{1e3 * before:8.1f} ms {1e3 * after:8.1f} ms, "
            f"{after / before:.2f} times",
            flush=True,
        )


def fit(selector: LabelSelector, data: tuple) -> float:
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that are constant where known
        selector.fit(*data)
    return time.process_time() - begin


if __name__ == "__main__":
    main()
