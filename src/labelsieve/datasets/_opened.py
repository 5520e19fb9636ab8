"""Which files a data set is read from, so that nothing is written over them."""

from __future__ import annotations

import os
from pathlib import Path

from labelsieve.datasets._files import sibling, suffix_of
from labelsieve.datasets._places import Folder


def files_read(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that `load` opens; all of a folder, where it is one."""
    place = Path(path)
    if place.is_dir():
        return [entry for entry in place.iterdir() if entry.is_file()]
    if not place.exists():  # perhaps a member of an archive
        return [parent for parent in place.parents if parent.is_file()]
    description = ".xml" if suffix_of(place.name) == ".arff" else ".json"
    beside = sibling(Folder(place.parent), place.name, description)
    return [place] if beside is None else [place, place.parent / beside]
