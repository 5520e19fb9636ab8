"""Extreme sizes: what selectors cost beside SciPy's X.T @ Y on the same data.

    python -m benchmarks.extreme [folder] [--parts table growth threads dense real]
        [--shapes small wide amazoncat] [--methods fimf sieve] [--picks 50]
        [--along rows features labels] [--data folder]

Words and labels are drawn by Zipf's law. Each measurement has a process of its own:
processor time of the best run on one thread, and peak memory. Where a folder is given,
extreme.json and extreme.md are written into it, and pictures into docs/_static.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks._runtime import RuntimeDisplay
from benchmarks._timing import sparse_data
from labelsieve.experiments.cells import measure
from labelsieve.registry import make_selector

PARTS = ["table", "growth", "threads", "dense", "real"]
UNIT = "X.T @ Y"
MEDIAN = "np.median"
ROWS_AT_ONCE = 100_000
# Runs go on until this many seconds are over, but there are at least two of them.
MOST_SECONDS = 4.0
MOST_RUNS = 7
DENSE = (200_000, 200, 10)
DENSE_PICKS = 10
REAL = ["enron", "bibtex", "delicious"]
PICTURES = Path(__file__).parents[1] / "docs" / "_static"


class Shape(NamedTuple):
    """How large data is: words and labels are those of each row."""

    rows: int
    features: int
    labels: int
    words: int = 60
    tags: int = 5

    def __str__(self) -> str:
        return f"{self.rows:,} x {self.features:,} x {self.labels:,}"


SHAPES = {
    "small": Shape(50_000, 20_000, 2_000),
    "wide": Shape(20_000, 100_000, 10_000),
    "amazoncat": Shape(1_190_000, 204_000, 13_300, 71),
}
GROWTH = {
    "rows": [25_000, 50_000, 100_000, 200_000],
    "features": [20_000, 40_000, 80_000, 160_000],
    "labels": [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--shapes", nargs="+", choices=[*SHAPES], default=[*SHAPES])
    parser.add_argument("--methods", nargs="+", default=["fimf", "sieve"])
    parser.add_argument("--along", nargs="+", choices=[*GROWTH], default=[*GROWTH])
    parser.add_argument("--picks", type=int, default=50)
    parser.add_argument("--data", type=Path, help="keep what is drawn in this folder")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_one(**json.loads(options.one))))
        return
    found: dict[str, Any] = {}
    for part in options.parts:
        found[part] = globals()[f"measure_{part}"](options)
        print(describe(part, found[part]), flush=True)
    if options.folder is not None:
        write(options.folder, found)


def zipf(n_rows: int, n_columns: int, per_row: int, seed: int) -> sp.csr_matrix:
    """Ones in distinct columns of each row; the k-th column is drawn 1/k as often."""
    random = np.random.default_rng(seed)
    share = np.cumsum(1.0 / np.arange(1, n_columns + 1))
    parts = []
    for low in range(0, n_rows, ROWS_AT_ONCE):
        n = min(ROWS_AT_ONCE, n_rows - low)
        drawn = np.searchsorted(share, random.random(n * per_row) * share[-1])
        start = np.arange(0, drawn.size + 1, per_row)
        ones = np.ones(drawn.size)
        part = sp.csr_matrix((ones, drawn, start), shape=(n, n_columns))
        part.sum_duplicates()
        part.data[:] = 1.0
        parts.append(part)
    return sp.vstack(parts, format="csr")


def save(shape: Shape, folder: str) -> str:
    """Draw data of a shape and put it where other processes find it."""
    Path(folder).mkdir(exist_ok=True)
    path = Path(folder) / f"{'-'.join(map(str, shape))}.npz"
    if not path.exists():
        X = zipf(shape.rows, shape.features, shape.words, seed=0)
        Y = zipf(shape.rows, shape.labels, shape.tags, seed=1)
        lists = [
            part.astype(np.int32) for t in (X, Y) for part in (t.indptr, t.indices)
        ]
        np.savez(path, *lists, shape=np.array(shape))
    return str(path)


def read(path: str) -> tuple[Any, Any]:
    """The data that another process drew, or a data set in sparse form."""
    if not path.endswith(".npz"):
        found = sparse_data(path)
        if found is None:
            raise SystemExit(f"{path} is not on this machine.")
        return found
    with np.load(path) as file:
        rows, *widths = file["shape"][:3].tolist()
        lists = [file[f"arr_{k}"] for k in range(4)]
    X, Y = (
        sp.csr_matrix((np.ones(index.size), index, start), shape=(rows, width))
        for start, index, width in zip(lists[::2], lists[1::2], widths, strict=True)
    )
    return X, Y


def dense_numbers() -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and labels that some of them are relevant for."""
    n_rows, n_features, n_labels = DENSE
    random = np.random.default_rng(0)
    X = random.standard_normal((n_rows, n_features), dtype=np.float32)
    noise = random.standard_normal((n_rows, n_labels), dtype=np.float32)
    return X, (X[:, :n_labels] + noise > 1).astype(np.uint8)


def run_one(
    what: str, data: str, picks: int = 0, n_jobs: int = 1, dense_labels: bool = False
) -> dict[str, float | None]:
    """What a task costs in this process; the first run loads what it needs."""
    X, Y = dense_numbers() if data == "dense" else read(data)
    if dense_labels:
        Y = np.asarray(Y.todense()).astype(int)
    task = task_of(what, X, Y, picks, n_jobs)
    costs, busier, begin = [], [], time.perf_counter()
    while len(costs) < 2 or (
        len(costs) < MOST_RUNS and time.perf_counter() - begin < MOST_SECONDS
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = time.thread_time()
            costs.append(measure(task, "fit")[1])
            own = time.thread_time() - own
            busier.append(max(own, costs[-1]["fit_cpu_seconds"] - own))
    peaks = [cost["fit_peak_bytes"] for cost in costs]
    peaks = [peak for peak in peaks if peak is not None]
    return {
        "cpu": min(cost["fit_cpu_seconds"] for cost in costs),
        "wall": min(cost["fit_seconds"] for cost in costs),
        "busier": min(busier),
        "extra_gb": max(peaks) / 1e9 if peaks else None,
        "all_gb": peak_of_process(),
    }


def task_of(what: str, X: Any, Y: Any, picks: int, n_jobs: int) -> Callable[[], Any]:
    if what == UNIT:
        columns = sp.csc_matrix(Y)
        return lambda: X.T @ columns
    if what == MEDIAN:
        return lambda: np.median(X, axis=0)
    return lambda: make_selector(what, n_features_to_select=picks, n_jobs=n_jobs).fit(
        X, Y
    )


def peak_of_process() -> float | None:
    """The largest resident memory of this process since the last look, in GB."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024 / 1e9


def ask(**what: Any) -> dict[str, float]:
    """Run a task in a process of its own, with one thread in other libraries."""
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    command = [sys.executable, "-m", "benchmarks.extreme", "--one", json.dumps(what)]
    done = subprocess.run(
        command,
        env={**os.environ, **dict.fromkeys(variables, "1")},
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    if done.returncode:
        return {}
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def drawn(shapes: dict[Any, Shape], options: Any) -> Iterator[tuple[Any, str]]:
    """The data of each shape in turn; it is kept only in a folder of the user."""
    for name, shape in shapes.items():
        with tempfile.TemporaryDirectory() as folder:
            yield name, save(shape, str(options.data or folder))


def beside_unit(data: str, options: Any) -> dict[str, dict[str, float]]:
    """The unit, all methods, and the unit again: its better time counts."""
    costs = {UNIT: ask(what=UNIT, data=data)}
    for name in options.methods:
        costs[name] = ask(what=name, data=data, picks=options.picks)
    again = ask(what=UNIT, data=data)
    costs[UNIT]["cpu"] = min(costs[UNIT]["cpu"], again["cpu"])
    for cost in costs.values():
        if cost:
            cost["units"] = cost["cpu"] / costs[UNIT]["cpu"]
    return costs


def measure_table(options: Any) -> dict[str, Any]:
    """All methods on data of each shape."""
    shapes = {name: SHAPES[name] for name in options.shapes}
    return {
        str(shapes[name]): beside_unit(data, options)
        for name, data in drawn(shapes, options)
    }


def measure_growth(options: Any) -> dict[str, Any]:
    """All methods while one of rows, features and labels grows."""
    base = SHAPES["small"]._asdict()
    found = {}
    for along in options.along:
        sizes = GROWTH[along]
        shapes = {size: Shape(**{**base, along: size}) for size in sizes}
        costs = [beside_unit(data, options) for _, data in drawn(shapes, options)]
        seconds = {
            name: [cost[name].get("cpu", float("nan")) for cost in costs]
            for name in costs[0]
        }
        slopes = RuntimeDisplay(sizes, seconds, along).slopes
        found[along] = {"sizes": sizes, "seconds": seconds, "slopes": slopes}
    return found


def measure_threads(options: Any) -> dict[str, Any]:
    """One thread against two: on the clock, and by the work of the busier thread.

    What the second thread takes off the first does not depend on what else the
    machine does; the clock does.
    """
    found = {}
    shapes = {"amazoncat": SHAPES["amazoncat"]}
    dense = [("dense numbers", "dense")]
    for name, data in chain(drawn(shapes, options), dense):
        picks = options.picks if name in SHAPES else DENSE_PICKS
        for method in options.methods:
            one, two = (
                ask(what=method, data=data, picks=picks, n_jobs=n) for n in (1, 2)
            )
            if one and two:
                found[f"{method}, {name}"] = {
                    "one": one["wall"],
                    "two": two["wall"],
                    "times": one["wall"] / two["wall"],
                    "busier": two["busier"],
                    "work": one["cpu"] / two["busier"],
                }
    return found


def measure_dense(options: Any) -> dict[str, Any]:
    """Dense numbers, beside np.median of all columns."""
    costs = {
        name: ask(what=name, data="dense", picks=DENSE_PICKS)
        for name in (MEDIAN, *options.methods, MEDIAN)
    }
    for cost in costs.values():
        if cost:
            cost["units"] = cost["cpu"] / costs[MEDIAN]["cpu"]
    return {" x ".join(f"{n:,}" for n in DENSE) + " float32": costs}


def measure_real(options: Any) -> dict[str, Any]:
    """Data sets with labels in both forms that people pass them in."""
    found = {}
    for name in REAL:
        unit = ask(what=UNIT, data=name)
        if not unit:
            continue
        unit["units"] = 1.0
        costs = {UNIT: unit}
        for method in [*options.methods, "pmu"]:
            for form, dense in (("sparse Y", False), ("dense Y", True)):
                cost = ask(
                    what=method, data=name, picks=options.picks, dense_labels=dense
                )
                if cost:
                    cost["units"] = cost["cpu"] / unit["cpu"]
                costs[f"{method}, {form}"] = cost
        found[name] = costs
    return found


def describe(part: str, found: dict[str, Any]) -> str:
    """What was measured, as Markdown."""
    if part == "threads":
        lines = [
            "| | one thread | two threads | times as fast | busier of two | "
            "times less than one |",
            "|---" * 6 + "|",
        ]
        lines += [
            f"| {name} | {cost['one']:.2f} s | {cost['two']:.2f} s | "
            f"{cost['times']:.2f} | {cost['busier']:.2f} s | {cost['work']:.2f} |"
            for name, cost in found.items()
        ]
    elif part == "growth":
        lines = []
        for along, growth in found.items():
            lines += [
                "| "
                + " | ".join([along, *map("{:,}".format, growth["sizes"])])
                + " | slope |",
                "|---" * (len(growth["sizes"]) + 2) + "|",
            ]
            for name, seconds in growth["seconds"].items():
                shown = " | ".join(f"{s:.3f} s" for s in seconds)
                lines.append(f"| {name} | {shown} | {growth['slopes'][name]:.2f} |")
            lines.append("")
    else:
        lines = [
            "| data | method | CPU time | units | extra memory | memory in all |",
            "|---|---|---|---|---|---|",
        ]
        for data, costs in found.items():
            lines += [f"| {data} | {name} | {_shown(c)} |" for name, c in costs.items()]
    return "\n".join([f"\n## {part.capitalize()}\n", *lines, ""])


def merged(before: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Both, one inside the other where both have something; else the new."""
    both = dict(before)
    for name, content in new.items():
        inside = isinstance(content, dict) and isinstance(before.get(name), dict)
        both[name] = merged(before[name], content) if inside else content
    return both


def _shown(cost: dict[str, float]) -> str:
    if not cost:
        return "failed | | | "
    memory = f"{cost['extra_gb']:.2f} GB | {cost['all_gb']:.2f} GB"
    return f"{cost['cpu']:.3f} s | {cost['units']:.2f} | {memory}"


def write(folder: Path, found: dict[str, Any]) -> None:
    """The figures, their tables, and pictures of the growth."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "extreme.json"
    # What was measured before and not now stays.
    before = json.loads(kept.read_text()) if kept.exists() else {}
    found = merged(before, found)
    kept.write_text(json.dumps(found, indent=1) + "\n")
    head = (
        "# Extreme sizes\n\nProcessor time of the best run on one thread, each "
        "measurement in a process of its own. The unit is the time of SciPy's "
        "`X.T @ Y` on the same data, of dense numbers that of `np.median(X, axis=0)`. "
        "Words and labels are drawn by Zipf's law. Seconds of threads are those of the "
        "clock, which other work on the machine disturbs; what the busier of two "
        "threads has to do does not depend on that.\n"
    )
    parts = [describe(part, costs) for part, costs in found.items()]
    (folder / "extreme.md").write_text(head + "".join(parts))
    for along, growth in found.get("growth", {}).items():
        draw(along, growth).savefig(
            PICTURES / f"extreme-{along}.svg",
            metadata={"Date": None},
            bbox_inches="tight",
        )


def draw(along: str, growth: dict[str, Any]) -> Any:
    """Seconds against size, over whole powers of ten."""
    axes = RuntimeDisplay(growth["sizes"], growth["seconds"], along).plot().ax_
    spent = np.log10(np.concatenate([*growth["seconds"].values()]))
    ends = np.floor(np.nanmin(spent)), np.ceil(np.nanmax(spent))
    axes.set_ylim(*(10.0**end for end in ends))
    axes.set_xticks(growth["sizes"], [f"{size:,}" for size in growth["sizes"]])
    axes.minorticks_off()
    axes.set_title("processor seconds, one thread", loc="left")
    axes.figure.set_size_inches(6, 3.5)
    return axes.figure


if __name__ == "__main__":
    main()
