"""What a person waits for: help, the demo, and a ranking from a file.

``python -m benchmarks.cli`` writes results/cli/times.json, the table of the README.
Both clocks are shown, because processor seconds stay the same on a busy machine.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from labelsieve.datasets import find_dataset

REPEAT = 5
FILE = Path("results/cli/times.json")


def main() -> None:
    nothing = measure([sys.executable, "-c", "pass"])
    print(f"{'':38s}{'seconds':>9s}{'processor seconds':>19s}")
    show("python -c pass", nothing)
    help_ = measure(labelsieve("--help"))
    show("labelsieve --help", help_)
    show("  more than python -c pass (goal 0.3)", subtract(help_, nothing))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        show("labelsieve demo", measure(labelsieve("demo", "-o", out), repeat=2))
        try:
            times = selections(out)
        except FileNotFoundError as missing:
            sys.exit(f"{missing}; set LABELSIEVE_DATA")
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(times, indent=1) + "\n")


def selections(out: Path) -> dict[str, dict[str, float]]:
    """Processor seconds of a ranking, by data set and method."""
    times: dict[str, dict[str, float]] = {}
    for name in ("emotions", "bibtex", "delicious"):
        data = find_dataset(name)
        for method in ("sieve", "fimf", "pmu"):
            words = ("select", data, "-m", method, "-o", out, "--quiet")
            measured = measure(labelsieve(*words))
            show(f"select {name}, {method}", measured)
            times.setdefault(name, {})[method] = round(measured[1], 2)
    return times


def labelsieve(*words: object) -> list[str]:
    return [sys.executable, "-m", "labelsieve", *map(str, words)]


def measure(command: list[str], repeat: int = REPEAT) -> tuple[float, float]:
    """The shortest of several runs by each clock; the first warms up."""
    runs = [once(command) for _ in range(repeat + 1)][1:]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def once(command: list[str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def subtract(
    first: tuple[float, float], second: tuple[float, float]
) -> tuple[float, float]:
    return first[0] - second[0], first[1] - second[1]


def show(what: str, measured: tuple[float, float]) -> None:
    print(f"{what:38s}{measured[0]:9.3f}{measured[1]:19.3f}", flush=True)


if __name__ == "__main__":
    main()
