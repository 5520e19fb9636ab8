"""What the first fit costs on a machine that has compiled nothing yet.

Prints for each table and method how many kernels are compiled and the processor
seconds of the first fit, importing left out. Each runs in a process of its own with an
empty folder of compiled code. Bibtex is there where LABELSIEVE_DATA says so.

    python -m benchmarks.cold [table ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

METHODS = ["Sieve", "FIMF", "PMU"]


def digits() -> tuple[Any, Any]:
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def frame() -> tuple[Any, Any]:
    """800 rows of numbers with gaps and of categories."""
    import pandas as pd

    X, Y = _numbers()
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    table = pd.DataFrame(X).rename(columns="x{}".format)
    names = np.array(["red", "green", "blue"])
    table["colour"] = names[(np.nan_to_num(X[:, 0]) > 0).astype(int) + Y[:, 1]]
    return table, Y


def unknown() -> tuple[Any, Any]:
    """The same numbers, where a fifth of the labels is not known."""
    X, Y = _numbers()
    hidden = np.random.default_rng(2).random(Y.shape) < 0.2
    return X, np.where(hidden, np.nan, Y)


def text() -> tuple[Any, Any]:
    """2,000 texts of about 60 of 3,000 words, with weights."""
    random = np.random.default_rng(3)
    X = sp.random(2000, 3000, 0.02, "csr", random_state=3)
    Y = (X[:, :10] @ random.random((10, 8)) > 0.1).astype(int)
    return X, Y


def bibtex() -> tuple[Any, Any]:
    from labelsieve.datasets import load

    data = load(os.path.join(os.environ["LABELSIEVE_DATA"], "bibtex"))
    return data.X, data.Y


def _numbers() -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(800, 30))
    return X, (X[:, :5] + random.normal(size=(800, 5)) > 0).astype(int)


TABLES = {table.__name__: table for table in (digits, frame, unknown, text, bibtex)}


def measure(table: str, method: str) -> None:
    """Fit once, and say what that took."""
    import labelsieve

    X, y = TABLES[table]()
    selector = getattr(labelsieve, method)(10)
    warnings.simplefilter("ignore")
    selector.__sklearn_tags__()  # imports
    begin = time.process_time()
    selector.fit(X, y)
    seconds, n_compiled = time.process_time() - begin, 0
    if "numba" in sys.modules:
        from numba.core.dispatcher import Dispatcher

        kernels = {
            id(thing): thing
            for name, module in list(sys.modules.items())
            if name.startswith("labelsieve")
            for thing in vars(module).values()
            if isinstance(thing, Dispatcher)
        }
        n_compiled = sum(len(kernel.signatures) for kernel in kernels.values())
    print(f"{table:8} {method:6} {n_compiled:4d} kernels {seconds:7.2f} s", flush=True)


def main(tables: list[str]) -> None:
    """Start a process for each table and method."""
    for table in tables or TABLES:
        if table == "bibtex" and "LABELSIEVE_DATA" not in os.environ:
            continue
        for method in METHODS:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    [
                        sys.executable,
                        "-m",
                        "benchmarks.cold",
                        "--measure",
                        table,
                        method,
                    ],
                    env={**os.environ, "NUMBA_CACHE_DIR": folder},
                    check=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        main(sys.argv[1:])
