"""Run benchmarks one after the other: python -m benchmarks [name ...].

Without names, those that take minutes.
"""

import importlib
import sys
from pathlib import Path

MINUTES = ["selectors", "readers", "margins", "classifiers"]


def main() -> None:
    wanted = sys.argv[1:] or MINUTES
    known = benchmarks()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}.")
    # What they take for themselves stands behind `python -m benchmarks.<name>`.
    del sys.argv[1:]
    for name in wanted:
        print(f"\n== {name} ==", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


def benchmarks() -> list[str]:
    """All programs in this folder, by name."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    return [name for name in modules if not name.startswith("_")]


if __name__ == "__main__":
    main()
