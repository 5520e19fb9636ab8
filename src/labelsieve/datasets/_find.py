"""Finds data sets by name on this machine; nothing is ever downloaded."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

from labelsieve.datasets._files import DATA_SUFFIXES, split_of, stem_of


def find_dataset(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """Return where a data set lies: its folder, or its file.

    Looks for ``name/`` and ``name.arff`` (or another known suffix, also compressed).
    ``name-train`` and ``name-test`` find the parts of a published split.

    Parameters
    ----------
    name : str
        The name of a data set, such as ``"emotions"`` or ``"emotions-train"``.
    folder : path, optional
        Where to look; by default in each folder of the environment variable
        ``LABELSIEVE_DATA`` and then in ``labelsieve_data`` in the home folder of the
        user.

    Returns
    -------
    pathlib.Path
        A path for :func:`load`.

    Examples
    --------
    >>> from labelsieve.datasets import find_dataset
    >>> find_dataset("no such data")
    Traceback (most recent call last):
        ...
    FileNotFoundError: no data set 'no such data' in ...
    """
    if not name or re.search(r"[/\\:\0]", name) or name in (".", ".."):
        raise ValueError(f"{name!r} is not the name of a data set; load() takes paths")
    homes = _homes() if folder is None else [Path(folder)]
    for home in homes:
        found = _look_in(home, name)
        if found is not None:
            return found
    places = ", ".join(str(home) for home in homes)
    raise FileNotFoundError(
        f"no data set {name!r} in {places}; {_hint(homes, name)}"
        + ("set LABELSIEVE_DATA to" if folder is None else "give")
        + " the folder that holds your data sets"
    )


def _homes() -> list[Path]:
    listed = os.environ.get("LABELSIEVE_DATA", "").split(os.pathsep)
    return [*(Path(path) for path in listed if path), Path.home() / "labelsieve_data"]


def _look_in(home: Path, name: str) -> Path | None:
    folder = home / name
    if folder.is_dir():
        return folder
    base, _ = split_of(name)
    for parent in (home, home / base):
        for suffix in DATA_SUFFIXES:
            for packed in ("", ".gz", ".zip"):
                file = parent / f"{name}{suffix}{packed}"
                if file.is_file():
                    return file
    archive = home / f"{name}.zip"
    return archive if archive.is_file() else None


def _hint(homes: list[Path], name: str) -> str:
    known = {
        stem_of(entry.name)
        for home in homes
        if home.is_dir()
        for entry in home.iterdir()
    }
    close = difflib.get_close_matches(name, known)
    return f"did you mean {' or '.join(map(repr, close))}? " if close else ""
