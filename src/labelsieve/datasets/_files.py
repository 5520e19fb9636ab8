"""What file names say, and where the files of a data set lie."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path, PurePosixPath

from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._places import Folder, Place

DATA_SUFFIXES = (
    ".arff",
    ".csv",
    ".tsv",
    ".parquet",
    ".libsvm",
    ".svm",
    ".svmlight",
    ".jsonl",
    ".ndjson",
)

# The extreme classification repository's names of what LibSVM with a line of counts is.
_EXTREME = re.compile(r"(?:.+[-_])?(?:data|train|test)\.txt(?:\.gz)?", re.IGNORECASE)
_SPLIT = re.compile(r"(?:(.+)[-_])?(train|test)[0-9]*", re.IGNORECASE)
_PACKED = (".gz", ".zip")


def suffix_of(name: str) -> str:
    """Return the suffix that tells the format, in lower case, compression aside."""
    path = PurePosixPath(name)
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path.suffix.lower()


def stem_of(name: str) -> str:
    """Return the name of the data set that a file holds."""
    path = PurePosixPath(name)
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    known = path.suffix.lower() in DATA_SUFFIXES or _EXTREME.fullmatch(path.name)
    return path.stem if known else path.name


def split_of(stem: str) -> tuple[str, str | None]:
    """Return the data set's name and which part of its split a stem names."""
    match = _SPLIT.fullmatch(stem)
    return (match[1] or "", match[2].lower()) if match else (stem, None)


def sibling(place: Place, name: str, suffix: str) -> str | None:
    """Return the file beside a data file that bears its name and another suffix."""
    folder = PurePosixPath(name).parent
    stem = stem_of(name)
    for candidate in (stem, split_of(stem)[0]):
        for packed in ("", ".gz"):
            path = str(folder / f"{candidate}{suffix}{packed}")
            if place.has(path):
                return path
    return None


def choose_files(place: Place) -> list[str]:
    """Return the file that is a folder's data set, or the parts that make it up."""
    listed = place.names()
    names = [name for name in listed if suffix_of(name) in DATA_SUFFIXES] or [
        name for name in listed if _EXTREME.fullmatch(PurePosixPath(name).name)
    ]
    whole = [name for name in names if split_of(stem_of(name))[1] is None]
    titled = [name for name in whole if stem_of(name) == place.title]
    for candidates in (whole, titled, [] if whole else names):
        if len(candidates) == 1:
            return candidates
    parts = {split_of(stem_of(name)): name for name in names}
    bases = {base for base, _ in parts}
    if not whole and len(bases) == 1 and len(parts) == len(names) == 2:
        base = bases.pop()
        return [parts[base, "train"], parts[base, "test"]]
    reason = (
        f"no data set here; expected a file that ends in {', '.join(DATA_SUFFIXES)}"
    )
    if names:
        reason = f"several data sets here, name one of them: {', '.join(names)}"
    raise FormatError(place.path_of(""), None, None, reason)


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
