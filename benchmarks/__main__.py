"""Run the benchmarks that take minutes, one after the other: python -m benchmarks."""

import importlib
import sys

BENCHMARKS = ["selectors", "counting", "readers", "margins", "classifiers"]

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n== {name} ==", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
