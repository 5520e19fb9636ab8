"""One call that reads a data set, whatever its format."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.messages import waiting
from labelsieve.datasets._arff import read_arff
from labelsieve.datasets._arff_header import ArffHeader
from labelsieve.datasets._columns import Labels, ask_for_labels, choose_labels
from labelsieve.datasets._csv import DELIMITERS, read_csv
from labelsieve.datasets._dataset import Dataset, join_parts
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._files import (
    choose_files,
    sibling,
    stem_of,
    suffix_of,
)
from labelsieve.datasets._libsvm import read_libsvm
from labelsieve.datasets._mulan import labels_by_relation, read_label_names
from labelsieve.datasets._nominal import to_frames, without_rare_labels
from labelsieve.datasets._openml import PREFIX, read_openml
from labelsieve.datasets._parquet import read_json_lines, read_parquet
from labelsieve.datasets._places import (
    DEFAULT_MAX_BYTES,
    STREAM,
    Place,
    Stream,
    decode_text,
    locate,
    read_stream,
)
from labelsieve.datasets._schema import Schema, read_schema

PATHS = (str, os.PathLike)


def load(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    labels: Labels = None,
    separator: str | None = None,
    unknown: str | float | None = None,
    min_rows: int = 1,
    max_bytes: int = DEFAULT_MAX_BYTES,
    as_frame: bool = False,
) -> Dataset:
    """Read a data set: Mulan, MEKA, LibSVM, CSV, TSV, Parquet, JSON lines or OpenML.

    The content decides which reader is used; names only where it leaves a choice.
    Nothing is unpacked to disk, nothing is unpickled, and nothing is downloaded
    unless `path` says ``openml:``.

    Parameters
    ----------
    path : str, path or binary stream
        A file (also ``.gz``), a zip archive or ``archive.zip/member``, a folder or
        archive that holds one data set, or ``"openml:name"`` or ``"openml:id"``. A
        data set that comes only in two parts, ``-train`` and ``-test``, is joined in
        this order. Or such a file as a stream, for example ``sys.stdin.buffer``.
    labels : int, str, sequence of str or path, optional
        Which columns are labels: n for the first n, -n for the last n, a string for
        all names that start with it, a sequence for these names, a path
        (``pathlib.Path``) for a Mulan XML file. By default the files say it: the XML
        file of the same name, ``-C n`` of MEKA, the description that :func:`save`
        writes. For LibSVM files an integer is the number of labels.
    separator : str, optional
        What stands between two tags, where the columns of `labels` hold text such as
        ``"red;green"``: each tag becomes a label. An empty cell is a row without
        labels. Columns of lists in Parquet files and JSON lines need no separator.
    unknown : str or number, optional
        What stands for a label that is not known, for example -1, beside what always
        does: an empty cell, ``?``, ``NA``, null.
    min_rows : int, default=1
        Labels of fewer rows are left out.
    max_bytes : int, default=4 GiB
        Files that are larger, once unpacked, are refused.
    as_frame : bool, default=False
        Return DataFrames, with nominal columns as categories; needs pandas. Without
        it such columns are positions, which selectors take as numbers.

    Returns
    -------
    Dataset
        ``X, Y = load(path)`` works too.

    Raises
    ------
    FormatError
        With file, line, column and reason, where a file is not what it should be.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelsieve.datasets import load
    >>> text = "size,tag_red,tag_green\\n1.5,0,1\\n2.5,1,1\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "fruit.csv"
    ...     _ = file.write_text(text)
    ...     load(file, labels="tag_")
    Dataset('fruit', 2 rows, 1 features, 2 labels, dense)
    """
    if separator is not None and (not separator or labels is None):
        raise ValueError("separator= needs a text, and labels= that name its columns")
    if isinstance(path, str) and path.startswith(PREFIX):
        if unknown is not None:
            raise ValueError("unknown= is for files; use with_unknown on what is read")
        dataset = read_openml(path, _plain(labels))
    else:
        place, name = _place_of(path, max_bytes)
        names = [name] if name is not None else choose_files(place)
        rule = labels, separator, None if unknown is None else str(unknown)
        title = Path(path).name if isinstance(path, PATHS) else STREAM
        with waiting(f"reading {title}"):
            parts = [_read(place, part, *rule, max_bytes) for part in names]
        dataset = parts[0] if len(parts) == 1 else join_parts(parts, place.path_of(""))
    if min_rows > 1:
        named = os.fspath(path) if isinstance(path, PATHS) else STREAM
        dataset = without_rare_labels(dataset, min_rows, named)
    return to_frames(dataset) if as_frame else dataset


def _place_of(
    path: str | os.PathLike[str] | IO[bytes], max_bytes: int
) -> tuple[Place, str | None]:
    if isinstance(path, PATHS):
        return locate(path)
    place = read_stream(path, max_bytes)
    return place, place.title if isinstance(place, Stream) else None


def _read(
    place: Place,
    name: str,
    labels: Labels,
    separator: str | None,
    unknown: str | None,
    max_bytes: int,
) -> Dataset:
    path = place.path_of(name)
    data = place.read(name, max_bytes)
    stem = stem_of(name)
    if data[:4] == b"PAR1":
        rule = _plain(labels), separator
        return read_parquet(data, path, stem, *rule, max_bytes, unknown)
    data = decode_text(data, path)
    kind = sniff(data, suffix_of(name), path)
    if kind == "json":
        return read_json_lines(data, path, stem, _plain(labels), separator, unknown)
    if kind == "arff":
        choose = partial(_arff_labels, place, name, labels, max_bytes)
        return read_arff(data, path, stem, choose, separator, unknown)
    schema = None
    if labels is None:
        schema = _schema_beside(place, name, max_bytes)
    if kind == "csv":
        names = _plain(labels)
        return read_csv(data, path, stem, names, schema, separator, unknown)
    if separator is not None:
        raise ValueError("separator= is for text, and labels of LibSVM are numbers")
    if unknown is not None:
        raise ValueError("unknown= is for columns of labels, and LibSVM has none")
    if labels is not None and not isinstance(labels, (int, np.integer)):
        raise ValueError(f"labels= of a LibSVM file is their number, got {labels!r}")
    return read_libsvm(data, path, stem, labels, schema)


def _arff_labels(
    place: Place, name: str, labels: Labels, max_bytes: int, header: ArffHeader
) -> NDArray[np.bool_]:
    """Labels as the caller, the XML file or the relation says, in this order."""
    path = place.path_of(name)
    names = [column.name for column in header.columns]
    if isinstance(labels, os.PathLike):
        return _labels_by_xml(*locate(labels), names, max_bytes)
    if labels is not None:
        return choose_labels(names, labels, path)
    xml = sibling(place, name, ".xml")
    if xml is not None:
        return _labels_by_xml(place, xml, names, max_bytes)
    mask = labels_by_relation(header, path)
    if mask is None:
        raise ask_for_labels(path)
    return mask


def _labels_by_xml(
    place: Place, xml: str | None, names: list[str], max_bytes: int
) -> NDArray[np.bool_]:
    if xml is None:
        raise FormatError(place.path_of(""), None, None, "expected an XML file")
    path = place.path_of(xml)
    wanted = read_label_names(place.read(xml, max_bytes), path)
    return choose_labels(names, wanted, path)


def _schema_beside(place: Place, name: str, max_bytes: int) -> Schema | None:
    beside = sibling(place, name, ".json")
    if beside is None:
        return None
    return read_schema(place.read(beside, max_bytes), place.path_of(beside))


def _plain(labels: Labels) -> int | str | list[str] | None:
    if isinstance(labels, os.PathLike):
        raise ValueError("an XML file names the labels of ARFF files only")
    if labels is None or isinstance(labels, (int, np.integer, str)):
        return labels
    return list(labels)


_ARFF_LINE = re.compile(rb"@(?:relation|attribute|data)\s", re.IGNORECASE)
# One entry of a LibSVM row, the labels before it or not.
_LIBSVM_LINE = re.compile(
    rb"[ \t]*(?:[0-9+-][0-9,+-]*[ \t]+)?[0-9]+:[-+.0-9a-zA-Z]+[ \t\r\n#]"
)
_LIBSVM_HEADER = re.compile(rb"[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t\r]*\n")

_BY_SUFFIX = {
    ".arff": "arff",
    ".csv": "csv",
    ".tsv": "csv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".jsonl": "json",
    ".ndjson": "json",
}


def sniff(data: bytearray, suffix: str, path: str) -> str:
    """Return the format of a text: arff, csv, json or libsvm."""
    first = _first_line(data)
    if not first:
        raise FormatError(path, 1, 1, "the file is empty")
    if _ARFF_LINE.match(first):
        return "arff"
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if _LIBSVM_LINE.match(first) or _LIBSVM_HEADER.match(first):
        return "libsvm"
    if first[:1] != b"<" and any(mark.encode() in first for mark in DELIMITERS):
        return "csv"
    reason = "neither ARFF, LibSVM, CSV nor Parquet; a label file is not data"
    raise FormatError(path, 1, 1, reason)


def _first_line(data: bytearray) -> bytearray:
    """Return the first line that is neither blank nor a comment of ARFF files."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        line = data[start:end].lstrip(b" \t\r\n")
        if line and line[:1] != b"%":
            return line + b"\n"
        start = end
    return bytearray()
