"""Processor time of fits by two checkouts, in turns: is the new one as fast?

    git worktree add ../before v0.1.0
    python -m benchmarks.old_and_new ../before [--new .] [--turns 15]

Each checkout has a process of its own, which keeps the data and waits; the two are
asked in turns, so that whatever else the machine does meets both. One thread; a ratio
above 1 means that the new checkout takes longer. Orders that differ are printed.
"""

import argparse
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

METHODS = ("fimf", "pmu", "sieve", "mlqpfs")
N_FEATURES = 50
DATA = ("enron", "bibtex", "delicious", "emotions", "yeast", "scene")
# A turn fits as often as fills so many seconds.
SECONDS_OF_TURN = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.old_and_new")
    parser.add_argument("old", type=Path, nargs="?", help="a checkout of before")
    parser.add_argument("--new", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--method", action="append", choices=METHODS)
    parser.add_argument("--data", action="append")
    arguments = parser.parse_args()
    if arguments.old is None:
        print("give a checkout to compare with: git worktree add ../before COMMIT")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.data or DATA:
            for form, tables in forms(name).items():
                path = Path(folder) / "data.pickle"
                path.write_bytes(pickle.dumps(tables))
                sides = [Side(root, path) for root in (arguments.old, arguments.new)]
                for method in arguments.method or METHODS:
                    told = compared(sides, method, arguments.turns)
                    print(f"{name}, {form}: {method} {told}", flush=True)
                for side in sides:
                    side.end()


def forms(name: str) -> dict[str, tuple[Any, Any]]:
    """A data set with its labels as they are, and as a plain array."""
    from benchmarks._timing import label_forms
    from labelsieve.datasets import find_dataset, load

    try:
        X, Y = load(find_dataset(name))
    except FileNotFoundError:
        print(f"{name}: not found; set LABELSIEVE_DATA to a folder of data sets")
        return {}
    return {form: (X, labels) for form, labels in label_forms(Y).items()}


def compared(sides: list["Side"], method: str, turns: int) -> str:
    """The best turn of each side, and the ratio of the turns side by side."""
    first = [side.fit(method, 1) for side in sides]
    alone = min(side.fit(method, 1)[0] for side in sides)
    n_fits = max(1, round(SECONDS_OF_TURN / alone))
    found: list[list[float]] = [[], []]
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            found[which].append(sides[which].fit(method, n_fits)[0])
    old, new = map(min, found)
    middle = statistics.median(b / a for a, b in zip(*found, strict=True))
    differs = "" if first[0][1] == first[1][1] else "; the orders differ"
    return (
        f"{1e3 * old:.2f} ms -> {1e3 * new:.2f} ms, ratio of the best {new / old:.3f}, "
        f"median of the turns {middle:.3f}{differs}"
    )


class Side:
    """A checkout, in a process of its own."""

    def __init__(self, root: Path, data: Path) -> None:
        source = str(root.resolve() / "src")
        # -P: modules of this folder would stand before those of Python.
        command = [sys.executable, "-P", __file__, "--answer", str(data)]
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fit(self, method: str, times: int) -> tuple[float, str]:
        """Seconds of processor time of one fit, and the order it gave."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{method} {times}\n")
        self._process.stdin.flush()
        seconds, order = self._process.stdout.readline().split()
        return float(seconds), order

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate()


def answer(data: Path) -> None:
    """Fit what the other process asks for; runs with the checkout on its path."""
    import hashlib
    import warnings

    from labelsieve.registry import make_selector

    warnings.simplefilter("ignore")
    X, Y = pickle.loads(data.read_bytes())  # written by the other process
    n_features = min(N_FEATURES, X.shape[1])
    for line in sys.stdin:
        method, times = line.split()
        begin = time.process_time()
        for _ in range(int(times)):
            fitted = make_selector(method, n_features_to_select=n_features).fit(X, Y)
        seconds = (time.process_time() - begin) / int(times)
        order = hashlib.sha256(fitted.order_.tobytes()).hexdigest()[:12]
        print(f"{seconds} {order}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(Path(sys.argv[2]))
    else:
        main()
