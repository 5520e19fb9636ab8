"""Speed and memory of the margin, graph, relief and density selectors.

Times are best of several, taken in turn with the product X @ X.T of the same data,
which is the unit: one thread against one thread, all against all.

    python -m benchmarks.margins [--quick]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numba import njit
from threadpoolctl import threadpool_limits

from benchmarks._timing import label_forms
from labelsieve.datasets import find_dataset, load
from labelsieve.registry import make_selector

REPEATS = 5
LIMITS = [
    # selector, data, most units
    ("gmba", "yeast", 20),
    ("gmba", "scene", 20),
    ("mlrf", "yeast", 60),
    ("mlrf", "scene", 60),
    ("lp+relieff", "scene", 15),
    ("spec", "bibtex", 4),
]
DENSITY_SECONDS, DENSITY_GAIN, MEMORY_GB = 30.0, 100.0, 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave large data out")
    quick = parser.parse_known_args()[0].quick
    try:
        print_units()
        print_competitors()
        print_densities(quick)
    except FileNotFoundError as error:
        print(error)
    if not quick:
        print_memory()


def print_units() -> None:
    print(f"{'':27s}{'one thread':>26s}{'two threads':>26s}{'at most':>12s}")
    for name, data, limit in LIMITS:
        X, read_Y = read(data)
        for form, Y in label_forms(read_Y).items():
            cells = [units(name, X, Y, n_jobs) for n_jobs in (1, 2)]
            text = "".join(
                f"{seconds:10.3f} s {ratio:7.1f} units" for seconds, ratio in cells
            )
            verdict = "ok" if max(ratio for _, ratio in cells) <= limit else "MISSED"
            title = f"{name:6s} on {data:7s} {form:9s}"
            print(f"{title}{text}{limit:6d} units  {verdict}", flush=True)


def units(name: str, X: object, Y: object, n_jobs: int) -> tuple[float, float]:
    """Seconds of a fit, and how many products X @ X.T take as long."""
    selector = make_selector(name, n_jobs=n_jobs)
    dense = X.toarray() if sp.issparse(X) else X
    selector.fit(X, Y)
    fits, products = [], []
    with threadpool_limits(n_jobs, user_api="blas"):
        for _ in range(REPEATS):
            fits.append(seconds_of(lambda: selector.fit(X, Y)))
            products.append(seconds_of(lambda: dense @ dense.T))
    return min(fits), min(fits) / min(products)


def print_competitors() -> None:
    """What other libraries need for one label at a time, on yeast."""
    from sklearn.feature_selection import mutual_info_classif

    X, Y = read("yeast")
    print("\nyeast, one label after the other:")
    ours = seconds_of(lambda: make_selector("br+relieff").fit(X, Y))
    print(f"  labelsieve br+relieff (10 neighbours) {ours:8.2f} s")
    ours_mi = seconds_of(lambda: make_selector("br+mi").fit(X, Y))
    print(f"  labelsieve br+mi (two codes)     {ours_mi:8.2f} s")
    theirs = seconds_of(lambda: [mutual_info_classif(X, y) for y in Y.T])
    print(f"  mutual_info_classif              {theirs:8.2f} s")
    try:
        from skrebate import ReliefF
    except ImportError:
        print("  skrebate is not installed")
        return
    relief = ReliefF(n_features_to_select=10, n_neighbors=10, n_jobs=1)
    one = seconds_of(lambda: relief.fit(X, Y[:, 0]))
    total = one * Y.shape[1]
    print(f"  skrebate ReliefF                 {total:8.2f} s (one label {one:.2f} s)")
    print(f"  that is {total / ours:.0f} times labelsieve's br+relieff")


def print_densities(quick: bool) -> None:
    random = np.random.default_rng(0)
    n_rows = 10_000 if quick else 100_000
    cases = {
        "corel16k001": read("corel16k001"),
        f"{n_rows} x 120, 100 labels": (
            random.normal(size=(n_rows, 120)),
            (random.random((n_rows, 100)) < 0.05).astype(np.uint8),
        ),
    }
    print("\nEMCFS density, two threads:")
    for name, (X, Y) in cases.items():
        selector = make_selector("emcfs", n_jobs=2)
        make_selector("emcfs").fit(
            random.normal(size=(1000, 2)), random.random(1000) < 0.5
        )
        ours = seconds_of(lambda: selector.fit(X, Y))  # noqa: B023
        gain = naive_seconds(X, Y) / ours
        ok = ours <= DENSITY_SECONDS and gain >= DENSITY_GAIN
        print(
            f"  {name:26s}{ours:8.2f} s, {gain:10.0f} times faster than a compiled "
            f"double loop (extrapolated)  {'ok' if ok else 'MISSED'}",
            flush=True,
        )


def naive_seconds(X: object, Y: object) -> float:
    """Time of adding every pair of rows on both sides of every label."""
    sample = np.ascontiguousarray(
        X[:4000, 0].toarray() if sp.issparse(X) else X[:4000, 0]
    )
    all_pairs(sample.ravel())
    rate = 4000**2 / min(
        seconds_of(lambda: all_pairs(sample.ravel())) for _ in range(5)
    )
    sizes = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel()
    n_pairs = (sizes**2 + (X.shape[0] - sizes) ** 2).sum() * X.shape[1]
    return n_pairs / rate


@njit
def all_pairs(values: np.ndarray) -> float:
    total = 0.0
    for a in values:
        for b in values:
            total += 1.0 / (1.0 + abs(a - b))
    return total


def print_memory() -> None:
    """GMBA on 50,000 x 120 in a process of its own."""
    code = (
        "import resource, time, numpy as np\n"
        "from labelsieve.registry import make_selector\n"
        "random = np.random.default_rng(0)\n"
        "X = random.normal(size=(50_000, 120))\n"
        "Y = (random.random((50_000, 10)) < 0.2).astype(np.uint8)\n"
        "start = time.perf_counter()\n"
        "make_selector('gmba', random_state=0, n_jobs=2).fit(X, Y)\n"
        "seconds = time.perf_counter() - start\n"
        "print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    seconds, kilobytes = map(float, found.stdout.split())
    gigabytes = kilobytes * 1024 / 1e9
    verdict = "ok" if gigabytes <= MEMORY_GB else "MISSED"
    print(
        f"\nGMBA on 50,000 x 120, 10 labels: {seconds:.0f} s on two threads, peak of "
        f"the whole process {gigabytes:.2f} GB (at most {MEMORY_GB:g})  {verdict}"
    )


def read(name: str) -> tuple[object, object]:
    data = load(find_dataset(name))
    return data.X, data.Y


def seconds_of(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
