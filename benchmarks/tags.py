"""Reading tags beside scikit-learn's MultiLabelBinarizer with sparse output.

Times are processor seconds, the best of several runs. Rows are lists of text, as from
a file, or text with a separator, which scikit-learn does not split itself.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.preprocessing import MultiLabelBinarizer

from labelsieve import split_tags
from labelsieve.reading import read_tags


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--tags", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rows = draw_tags(options.rows, options.tags)
    text = [";".join(row) for row in rows]
    theirs = MultiLabelBinarizer(sparse_output=True)
    table, base = best(lambda: theirs.fit_transform(rows), options.runs)
    print(f"{'MultiLabelBinarizer':<24}{base:>8.2f} s")
    pandas, polars = pd.Series(rows), pl.Series(rows)
    ways: dict[str, Callable[[], Any]] = {
        "lists": lambda: read_tags(rows),
        "pandas": lambda: read_tags(pandas),
        "polars": lambda: read_tags(polars),
        "text, split": lambda: read_tags(split_tags(text)),
    }
    for name, read in ways.items():
        found, seconds = best(read, options.runs)
        assert (found.table != table).nnz == 0
        print(f"{name:<24}{seconds:>8.2f} s{seconds / base:>8.2f} times")


def draw_tags(n_rows: int, n_tags: int) -> list[list[str]]:
    """Up to five tags for each row, some much more often than others."""
    random = np.random.default_rng(0)
    lengths = random.integers(0, 6, n_rows)
    drawn = (n_tags * random.random(lengths.sum()) ** 3).astype(np.int64)
    names = np.array([f"tag{number}" for number in range(n_tags)], dtype=object)
    cells = names[drawn].tolist()
    ends = np.cumsum(lengths).tolist()
    return [cells[end - n : end] for end, n in zip(ends, lengths.tolist(), strict=True)]


def best(run: Callable[[], Any], n_runs: int) -> tuple[Any, float]:
    """The result, and the processor time of the fastest run."""
    seconds = []
    for _ in range(n_runs):
        began = time.process_time()
        found = run()
        seconds.append(time.process_time() - began)
    return found, min(seconds)


if __name__ == "__main__":
    main()
