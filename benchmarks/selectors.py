"""PMU, FIMF and MLQPFS in units of SciPy's X.T @ Y, beside what one would run today."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import chi2, mutual_info_classif

from benchmarks._timing import (
    PeakMemory,
    label_forms,
    product_unit,
    seconds,
    sparse_data,
)
from labelsieve import FIMF, MLQPFS, PMU
from labelsieve.datasets import make_multilabel
from labelsieve.selectors import LabelSelector

# The slower ones are measured on a part of the work and extrapolated in proportion.
SAMPLED_FEATURES = 40
SAMPLED_PICKS = 2


def main() -> None:
    for name in ("enron", "bibtex", "delicious"):
        data = sparse_data(name)
        if data is not None:
            real(name, *data)
    generated()


def real(name: str, X: sp.csr_matrix, Y: sp.csc_matrix) -> None:
    unit = product_unit(X, Y)
    n, d = X.shape
    print(f"\n{name}: {n} x {d}, {Y.shape[1]} labels; 1 unit = {1e3 * unit:.2f} ms")
    for form, labels in label_forms(Y).items():
        print(f" {form}")
        for title, selector in (
            ("PMU, 50 picks", PMU(50)),
            ("FIMF, 10 labels", FIMF()),
            ("MLQPFS", MLQPFS(50)),
        ):
            report(title, unit, partial(fit, selector, X, labels))
    others(X, Y, unit)


def fit(selector: LabelSelector, X: object, Y: object, n_jobs: int) -> None:
    selector.set_params(n_jobs=n_jobs).fit(X, Y)


def report(title: str, unit: float, run: Callable[[int], object]) -> None:
    one = seconds(lambda: run(1))
    line = f"  {title:<22}{one / unit:8.1f} units {1e3 * one:9.1f} ms"
    if one > 0.1:
        # In turns: what else the machine does changes within seconds.
        turns = [
            [seconds(partial(run, jobs), repeat=1) for jobs in (1, 2)] for _ in range(6)
        ]
        one, two = np.min(turns, axis=0)
        line += f", two threads {one / two:.2f} times faster"
    print(line, flush=True)


def others(X: sp.csr_matrix, Y: sp.csc_matrix, unit: float) -> None:
    """What a user would run today on the same data."""
    dense_Y = Y.toarray().astype(int)
    report("sklearn chi2", unit, lambda _: chi2(X, dense_Y))

    few = X[:, :SAMPLED_FEATURES]
    once = seconds(
        lambda: mutual_info_classif(few, dense_Y[:, 0], discrete_features=True), 1
    )
    estimated(
        "mutual_info_classif", unit, once * Y.shape[1] * X.shape[1] / few.shape[1]
    )
    if find_spec("fastcan"):
        from fastcan import FastCan

        dense_X = X.toarray()
        select = FastCan(SAMPLED_PICKS, verbose=0)
        once = seconds(lambda: select.fit(dense_X, dense_Y), repeat=1)
        estimated("fastcan, 50 picks", unit, once * 50 / SAMPLED_PICKS)


def estimated(title: str, unit: float, taken: float) -> None:
    print(
        f"  {title:<22}{taken / unit:8.0f} units {taken:9.1f} s, extrapolated",
        flush=True,
    )


def generated() -> None:
    """A text-like set: 200,000 rows, 47,000 words, 103 labels, 75 words per row."""
    X, labels, _ = make_multilabel(
        200_000,
        103,
        n_relevant=2060,
        n_redundant=0,
        n_interacting=0,
        n_noise=47_000 - 2060,
        labels_per_row=3,
        label_dependency=0.1,
        sparse=True,
        noise_words_per_row=34.5,
        random_state=0,
    )
    Y = sp.csc_matrix(labels.astype(np.float64))
    unit = product_unit(X, Y)
    print(
        f"\ngenerated: {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, "
        f"{X.nnz / X.shape[0]:.0f} words and {Y.nnz / X.shape[0]:.1f} labels per row; "
        f"1 unit = {1e3 * unit:.0f} ms"
    )
    for form, given in label_forms(Y).items():
        print(f" {form}")
        for title, selector in (
            ("FIMF, 10 labels", FIMF(20)),
            ("PMU, 20 picks", PMU(20)),
        ):
            report(title, unit, partial(fit, selector, X, given))
            with PeakMemory() as memory:
                fit(selector, X, given, 1)
            print(f"  {'':<22}peak memory {memory.gigabytes:.2f} GB above the input")


if __name__ == "__main__":
    main()
