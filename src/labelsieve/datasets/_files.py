"""What file names say: format, name of the data set, part of a split."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._places import Place

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
