"""What a page costs: substitutes and judging within the budget, and what is beyond.

    python -m benchmarks.reporting [NAME ...]

writes results/verdicts/reports.json. Seconds are those of the processor.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from labelsieve import Sieve, write_report
from labelsieve.datasets import find_dataset, load
from labelsieve.report import selection as writing
from labelsieve.selectors._substitutes import Substitutes

NAMES = ("emotions", "yeast", "enron", "bibtex", "delicious")
FILE = Path("results/verdicts/reports.json")


def main() -> None:
    rows = [report(name) for name in sys.argv[1:] or NAMES]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(rows, indent=1) + "\n")


def report(name: str) -> dict[str, Any]:
    """Write a page twice, since the first time compiles, and measure the second."""
    data = load(find_dataset(name))
    size = min(50, data.X.shape[1] // 2)
    judged: list[Any] = []
    measure, look, searched = writing.evaluate_selection, Substitutes.look, [0.0]

    def timed(*arguments: Any) -> None:
        begin = time.process_time()
        look(*arguments)
        searched[0] += time.process_time() - begin

    def watched(*arguments: Any, **settings: Any) -> Any:
        begin = time.process_time()
        judged.append(measure(*arguments, **settings))
        judged.append(time.process_time() - begin)
        return judged[-2]

    writing.evaluate_selection, Substitutes.look = watched, timed
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            searched[0] = 0.0
            begin = time.process_time()
            Sieve(size).fit(data.X, data.Y)
            middle = time.process_time()
            page = write_report(Sieve(size), data.X, data.Y, f"{folder}/{name}.html")
            end = time.process_time()
        n_bytes = page.stat().st_size
        text = page.read_text("utf-8")
    writing.evaluate_selection, Substitutes.look = measure, look
    quality, judging = judged[-2:]
    live = text[text.index(">", text.index('id="explore-data"')) + 1 :]
    known = json.loads(live[: live.index("</script>")])["substitutes"]
    found = {
        "data": name,
        "select": round(middle - begin, 2),
        "page": round(end - middle, 2),
        "beyond": round(end - middle - judging - searched[0], 2),
        "substitutes": f"{len(known)} of {size} in {searched[0]:.2f}",
        "budget": round(quality.budget, 2),
        "judging_said": round(quality.estimate, 2),
        "judging_took": round(quality.seconds, 2),
        "rows": f"{quality.n_rows} of {quality.n_all_rows}",
        "labels": f"{quality.n_labels} of {quality.n_all_labels}",
        "splits": quality.n_splits,
        "bytes": n_bytes,
    }
    print(", ".join(f"{key} {value}" for key, value in found.items()), flush=True)
    return found


if __name__ == "__main__":
    main()
