"""Nothing that is read is written over, and no file is written twice."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from labelsieve.cli._data import STANDARD


def refuse_overwriting(
    data: Iterable[Any], *, outputs: Iterable[Any], reduced: Any = None, to: Any = None
) -> None:
    """Refuse outputs that are files of the data sets, before any work is done.

    `reduced` is an output that is a data set in the format `to`, with what is written
    beside it.
    """
    from labelsieve.datasets import files_read, files_written

    wanted = [Path(name) for name in outputs if name is not None]
    if reduced is not None and str(reduced) != STANDARD:
        wanted += files_written(reduced, to)
    read = [file for name in data for file in files_read(name)]
    refuse_same(wanted, read)


def refuse_same(outputs: list[Path], inputs: list[Path]) -> None:
    """Refuse outputs that are inputs, or one another."""
    seen: set[str] = set()
    for output in outputs:
        if any(_is_same(output, file) for file in inputs):
            raise ValueError(
                f"{output} is also read from; choose another name for the output"
            )
        place = os.path.realpath(output)
        if place in seen and (os.path.isfile(place) or not os.path.exists(place)):
            raise ValueError(f"{output} would be written twice; choose two names")
        seen.add(place)


def _is_same(output: Path, file: Path) -> bool:
    return output.exists() and file.exists() and output.samefile(file)
