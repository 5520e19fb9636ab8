"""Turns the table of a data card (README.md of the data folder) into golden numbers.

python -m tests.datasets.make_datacard path/to/README.md
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden" / "datacard.json"

_ROW = re.compile(
    r"\| (\S+) \| [^|]+ \| (\d+) \| (\d+) \((\d+) / (\d+)\) \| (\d+) \| ([\d.]+) "
    r"\| ([\d.]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\w+), .*\|"
)
_FILE = re.compile(r"\| (\S+/\S+\.arff(?:\.gz)?) \| (\d+) \| \d+ \|.*\|")
_FIELDS = (
    "instances features nominal_features numeric_features labels cardinality density "
    "distinct_label_sets samples_without_label samples_of_rarest_label "
    "constant_features"
)


def main() -> None:
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sets, files = {}, {}
    for line in lines:
        if match := _ROW.fullmatch(line):
            name, *numbers, layout = match.groups()
            values = [float(n) if "." in n else int(n) for n in numbers]
            pairs = zip(_FIELDS.split(), values, strict=True)
            sets[name] = {**dict(pairs), "layout": layout}
        elif match := _FILE.fullmatch(line):
            files[match[1]] = int(match[2])
    content = {"sets": sets, "rows_of_files": files}
    GOLDEN.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
