"""One call that reads a data set, whatever its format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.messages import waiting
from labelsieve.datasets._arff import read_arff
from labelsieve.datasets._columns import (
    AS_TARGETS,
    Labels,
    Source,
    choose_labels,
    label_value,
)
from labelsieve.datasets._csv import DELIMITERS, read_csv
from labelsieve.datasets._dataset import Dataset, join_parts, read_schema
from labelsieve.datasets._libsvm import read_libsvm
from labelsieve.datasets._nominal import to_frames, type_targets, without_rare_labels
from labelsieve.datasets._parquet import read_json_lines, read_parquet
from labelsieve.datasets._places import (
    DEFAULT_MAX_BYTES,
    FORMATS,
    STREAM,
    FormatError,
    Place,
    Stream,
    choose_files,
    decode_text,
    fault,
    first_row,
    locate,
    read_stream,
    sibling,
    stem_of,
    suffix_of,
)

PATHS = (str, os.PathLike)
PREFIX = "openml:"


def load(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    labels: Labels = None,
    targets: Labels = None,
    target_types: str | Mapping[str, str] = "auto",
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
    targets : as `labels`
        Which columns are targets of any type, instead of labels alone: classes may be
        text, numbers have fractions or many values.
    target_types : str or dict, default="auto"
        What the targets are, ``"label"``, ``"class"`` or ``"number"``: all of them, or
        some by name; by default what their values look like.
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
    Dataset('fruit', 2 samples, 1 features, 2 labels, dense)
    """
    if separator is not None and (not separator or labels is None):
        raise ValueError("separator= needs a text, and labels= that name its columns")
    if targets is not None:
        if labels is not None or separator is not None:
            raise ValueError("targets= stands instead of labels= and separator=")
        labels, separator = targets, AS_TARGETS
    elif target_types != "auto":
        raise ValueError("target_types= needs targets= that name their columns")
    mark = None if unknown is None else str(unknown)
    if isinstance(path, str) and path.startswith(PREFIX):
        if targets is not None:
            raise ValueError("targets= is for files, and openml: for labels")
        if unknown is not None:
            raise ValueError("unknown= is for files; use with_unknown on what is read")
        dataset = read_openml(path, labels)
    else:
        if isinstance(path, PATHS):
            place, name = locate(path)
        else:
            place = read_stream(path, max_bytes)
            name = place.title if isinstance(place, Stream) else None
        names = [name] if name is not None else choose_files(place)
        title = Path(path).name if isinstance(path, PATHS) else STREAM
        rule = labels, separator, mark, max_bytes
        with waiting(f"reading {title}"):
            parts = [_read(place, part, *rule) for part in names]
        dataset = parts[0] if len(parts) == 1 else join_parts(parts, place.path_of(""))
    if targets is not None:
        dataset = type_targets(dataset, target_types, mark)
    if min_rows > 1:
        named = os.fspath(path) if isinstance(path, PATHS) else STREAM
        dataset = without_rare_labels(dataset, min_rows, named)
    return to_frames(dataset) if as_frame else dataset


def _read(
    place: Place,
    name: str,
    labels: Labels,
    separator: str | None,
    unknown: str | None,
    max_bytes: int,
) -> Dataset:
    path, data = place.path_of(name), place.read(name, max_bytes)
    rule = labels, separator, unknown, max_bytes
    source = Source(data, path, stem_of(name), *rule)
    if data[:4] == b"PAR1":
        return read_parquet(source)
    decode_text(data, path)
    kind = sniff(data, suffix_of(name), path)
    if kind == "json":
        return read_json_lines(source)
    if kind == "arff":
        return read_arff(source, place, name)
    schema, sidecar = None, sibling(place, name, ".json")
    if labels is None and sidecar is not None:
        schema = read_schema(place.read(sidecar, max_bytes), place.path_of(sidecar))
    if kind in ("csv", "tsv"):
        return read_csv(source, schema)
    if separator is not None:
        what = "separator= is for text" if separator else "targets= is for columns"
        raise ValueError(f"{what}, and labels of LibSVM are numbers")
    if unknown is not None:
        raise ValueError("unknown= is for columns of labels, and LibSVM has none")
    if labels is not None and not isinstance(labels, (int, np.integer)):
        raise ValueError(f"labels= of a LibSVM file is their number, got {labels!r}")
    return read_libsvm(data, path, source.name, labels, schema)


_ARFF_LINE = re.compile(rb"@(?:relation|attribute|data)\s", re.IGNORECASE)
# One entry of a LibSVM row, the labels before it or not.
_LIBSVM_LINE = re.compile(
    rb"[ \t]*(?:[0-9+-][0-9,+-]*[ \t]+)?[0-9]+:[-+.0-9a-zA-Z]+[ \t\r\n#]"
)
_LIBSVM_HEADER = re.compile(rb"[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t\r]*\n")


def sniff(data: bytearray, suffix: str, path: str) -> str:
    """Return the format of a text: arff, csv, tsv, json or libsvm."""
    first = first_row(data)
    if not first:
        raise FormatError(path, 1, 1, "the file is empty")
    if _ARFF_LINE.match(first):
        return "arff"
    if FORMATS.get(suffix, "parquet") != "parquet":
        return FORMATS[suffix]
    if _LIBSVM_LINE.match(first) or _LIBSVM_HEADER.match(first):
        return "libsvm"
    if first[:1] != b"<" and any(mark.encode() in first for mark in DELIMITERS):
        return "csv"
    reason = "neither ARFF, LibSVM, CSV nor Parquet; a label file is not data"
    raise FormatError(path, 1, 1, reason)


def read_openml(path: str, labels: Labels) -> Dataset:
    """Read ``openml:name`` or ``openml:id``; labels default to the targets there."""
    from http.client import HTTPException
    from urllib.error import URLError

    from sklearn.datasets import fetch_openml

    wanted = path.removeprefix(PREFIX)
    by = {"data_id": int(wanted)} if wanted.isdigit() else {"name": wanted}
    try:
        bunch = fetch_openml(**by, as_frame=False, parser="liac-arff")
    except (URLError, HTTPException, ConnectionError, TimeoutError) as error:
        raise ConnectionError(
            f"{path} needs the network, and OpenML cannot be reached ({error}); "
            "load() also takes a file that was downloaded elsewhere"
        ) from error
    data, names = bunch.data, [*bunch.feature_names]
    target, targets = bunch.target, [*(bunch.target_names or [])]
    if labels is not None:
        is_label = choose_labels(names, labels, path)
        data, target = data[:, ~is_label], data[:, is_label]
        targets = [names[index] for index in np.flatnonzero(is_label)]
        names = [names[index] for index in np.flatnonzero(~is_label)]
    elif not targets:
        raise fault(path, "OpenML names no target for this data set; pass labels=")
    categories = {
        name: tuple(map(str, values))
        for name, values in (bunch.categories or {}).items()
        if name in names
    }
    X = data if sparse.issparse(data) else np.asarray(data, dtype=np.float64)
    name = str((bunch.details or {}).get("name", wanted))
    Y = _as_binary(target, targets, path)
    return Dataset(X, Y, names, targets, name, categories)


def _as_binary(target: Any, labels: list[str], path: str) -> NDArray[np.uint8]:
    target = np.asarray(as_dense(target)).reshape(target.shape[0], -1)
    Y = np.empty(target.shape, dtype=np.uint8)
    for column, label in enumerate(labels):
        for value in np.unique(target[:, column]):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            Y[target[:, column] == value, column] = label_value(text, label, path)
    return Y
