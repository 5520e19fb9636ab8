"""Makes the golden values from the naive versions, or compares them.

``python -m tests.golden.make toy`` writes toy.json again, ``real`` real.json (some
minutes; the data sets must be where LABELSIEVE_DATA says); ``--check`` writes nothing
and tells where the values in the file are others by more than 1e-12.

What is not made here is copied from the file as it is:

- the toy data itself (``X_continuous``, ``Y``, ``degenerate_labels/Y``, the scores of
  ``metrics``) and all texts, which were written by hand;
- ``gmba/paper_fig1_example/Y``: Figure 1 of the paper of GMBA;
- ``metrics/sklearn``: scikit-learn of the version that stands there;
- of real.json the names, the gaps between neighbours in a ranking, and how a first
  solver fared (``iterations``, ``max_abs_difference_to_scipy_nnls``): from the brute
  force that made the values first;
- datacard.json: the data card of the data folder, by ``tests.datasets.make_datacard``;
- persist/: selectors written by released versions, which are never made again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.real import real
from tests.golden.toy import toy

FOLDER = Path(__file__).parent
CLOSE = 1e-12
MAKERS = {"toy": toy, "real": real}


def main(arguments: list[str] | None = None) -> int:
    """Write the files again, or say where they differ; 1 if they do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=sorted(MAKERS))
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    n_others = 0
    for name in given.names:
        path = FOLDER / f"{name}.json"
        kept = json.loads(path.read_text())
        made = plain(MAKERS[name](kept))
        for place in differences(made, kept):
            print(f"{path.name}: {place}", file=sys.stderr)
            n_others += 1
        if not given.check:
            path.write_text(json.dumps(merged(kept, made), indent=1) + "\n")
    return int(given.check and n_others > 0)


def plain(value: Any) -> Any:
    """The same of Python's own kinds."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def differences(made: Any, kept: Any, place: str = "") -> Iterator[str]:
    """Where and how much values are not those of the file."""
    if isinstance(made, dict) and isinstance(kept, dict):
        for key in made:
            yield from differences(made[key], kept.get(key), f"{place}/{key}")
    elif isinstance(made, list) and isinstance(kept, list) and len(made) == len(kept):
        for i, (one, other) in enumerate(zip(made, kept, strict=True)):
            yield from differences(one, other, f"{place}/{i}")
    elif isinstance(made, float) and isinstance(kept, float | int):
        if not abs(made - kept) <= CLOSE * max(1.0, abs(kept)):
            yield f"{place}: {kept!r} is now {made!r}"
    elif made != kept:
        yield f"{place}: {kept!r} is now {made!r}"


def merged(kept: Any, made: Any) -> Any:
    """What was made, in the order of the file, with what is only copied."""
    if isinstance(kept, dict) and isinstance(made, dict):
        keys = [*kept, *(key for key in made if key not in kept)]
        return {
            key: merged(kept.get(key), made[key]) if key in made else kept[key]
            for key in keys
        }
    if isinstance(kept, list) and isinstance(made, list) and len(kept) == len(made):
        return [merged(one, other) for one, other in zip(kept, made, strict=True)]
    return made


if __name__ == "__main__":
    sys.exit(main())
