"""The rows of all splits of the leaderboard, for those who use other programs.

``LABELSIEVE_DATA=data python -m benchmarks.splits`` writes
`results/leaderboard/splits.json.xz`: for each data set a text for each of its splits,
with one character for each row: 1 in the training part, 0 in the test part, - in none.
The rows are checked against the checksums of the published pages.
"""

from __future__ import annotations

import json
import lzma
from typing import Any

import numpy as np

from benchmarks import field_pages
from labelsieve.experiments import split_rows

OUT = field_pages.BOARD.parent / "splits.json.xz"


def published() -> dict[str, dict[str, Any]]:
    """The page that has most splits of each data set."""
    found: dict[str, dict[str, Any]] = {}
    for page in filter(None, [field_pages.load(), field_pages.shares()]):
        for card in page["datasets"]:
            name = card["name"]
            if name not in found or _n_splits(found[name], name) < card["splits"]:
                found[name] = page
    return dict(sorted(found.items()))


def _n_splits(page: dict[str, Any], name: str) -> int:
    return next(d["splits"] for d in page["datasets"] if d["name"] == name)


def as_text(n_rows: int, train: Any, test: Any) -> str:
    """One character for each row."""
    marks = np.full(n_rows, "-")
    marks[train], marks[test] = "1", "0"
    return "".join(marks)


def main() -> None:
    """Write the file."""
    found: dict[str, list[str]] = {}
    for name, page in published().items():
        card = next(d for d in page["datasets"] if d["name"] == name)
        for index in range(card["splits"]):
            split = split_rows(name, index, published=page)
            text = as_text(card["rows"], split.train, split.test)
            found.setdefault(name, []).append(text)
    OUT.write_bytes(lzma.compress(json.dumps(found, indent=1).encode()))


if __name__ == "__main__":
    main()
