"""One call that reads a data set, whatever its format."""

from __future__ import annotations

import os
import re
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelsieve.datasets._arff import read_arff
from labelsieve.datasets._arff_header import ArffHeader
from labelsieve.datasets._columns import Labels, ask_for_labels, choose_labels
from labelsieve.datasets._csv import DELIMITERS, read_csv
from labelsieve.datasets._dataset import Dataset
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._files import (
    choose_files,
    sibling,
    split_of,
    stem_of,
    suffix_of,
)
from labelsieve.datasets._frames import to_frames
from labelsieve.datasets._libsvm import read_libsvm
from labelsieve.datasets._meka import labels_by_relation
from labelsieve.datasets._mulan import read_label_names
from labelsieve.datasets._openml import PREFIX, read_openml
from labelsieve.datasets._parquet import read_parquet
from labelsieve.datasets._places import (
    DEFAULT_MAX_BYTES,
    Place,
    decode_text,
    locate,
)
from labelsieve.datasets._schema import Schema, read_schema


def load(
    path: str | os.PathLike[str],
    *,
    labels: Labels = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    as_frame: bool = False,
) -> Dataset:
    """Read a data set: Mulan, MEKA, LibSVM, CSV, TSV, Parquet or OpenML.

    The content decides which reader is used; names only where it leaves a choice.
    Nothing is unpacked to disk, nothing is unpickled, and nothing is downloaded
    unless `path` says ``openml:``.

    Parameters
    ----------
    path : str or path
        A file (also ``.gz``), a zip archive or ``archive.zip/member``, a folder or
        archive that holds one data set, or ``"openml:name"`` or ``"openml:id"``. A
        data set that comes only in two parts, ``-train`` and ``-test``, is joined in
        this order.
    labels : int, str, sequence of str or path, optional
        Which columns are labels: n for the first n, -n for the last n, a string for
        all names that start with it, a sequence for these names, a path
        (``pathlib.Path``) for a Mulan XML file. By default the files say it: the XML
        file of the same name, ``-C n`` of MEKA, the description that :func:`save`
        writes. For LibSVM files an integer is the number of labels.
    max_bytes : int, default=4 GiB
        Files that are larger, once unpacked, are refused.
    as_frame : bool, default=False
        Return DataFrames, with nominal columns as categories; needs pandas.

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
    if isinstance(path, str) and path.startswith(PREFIX):
        dataset = read_openml(path, _plain(labels))
    else:
        place, name = locate(path)
        names = [name] if name is not None else choose_files(place)
        parts = [_read(place, part, labels, max_bytes) for part in names]
        dataset = parts[0] if len(parts) == 1 else _join(parts, place.path_of(""))
    return to_frames(dataset) if as_frame else dataset


_ARFF_LINE = re.compile(rb"@(?:relation|attribute|data)\s", re.IGNORECASE)
# One entry of a LibSVM row, the labels before it or not.
_LIBSVM_LINE = re.compile(
    rb"[ \t]*(?:[0-9+-][0-9,+-]*[ \t]+)?[0-9]+:[-+.0-9a-zA-Z]+[ \t\r\n#]"
)
_LIBSVM_HEADER = re.compile(rb"[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t\r]*\n")


def _read(place: Place, name: str, labels: Labels, max_bytes: int) -> Dataset:
    path = place.path_of(name)
    data = place.read(name, max_bytes)
    stem = stem_of(name)
    if data[:4] == b"PAR1":
        return read_parquet(data, path, stem, _plain(labels), max_bytes)
    data = decode_text(data, path)
    kind = _sniff(data, suffix_of(name), path)
    if kind == "arff":
        choose = partial(_arff_labels, place, name, labels, max_bytes)
        return read_arff(data, path, stem, choose)
    schema = None
    if labels is None:
        schema = _schema_beside(place, name, max_bytes)
    if kind == "csv":
        return read_csv(data, path, stem, _plain(labels), schema)
    if labels is not None and not isinstance(labels, (int, np.integer)):
        raise TypeError(f"labels= of a LibSVM file is their number, got {labels!r}")
    return read_libsvm(data, path, stem, labels, schema)


def _sniff(data: bytearray, suffix: str, path: str) -> str:
    """Return the format of a text: arff, csv or libsvm."""
    first = _first_line(data)
    if _ARFF_LINE.match(first):
        return "arff"
    if suffix in (".csv", ".tsv"):
        return "csv"
    if suffix in (".libsvm", ".svm", ".svmlight"):
        return "libsvm"
    if _LIBSVM_LINE.match(first) or _LIBSVM_HEADER.match(first):
        return "libsvm"
    if first[:1] != b"<" and any(mark.encode() in first for mark in DELIMITERS):
        return "csv"
    reason = "the file is empty"
    if first:
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
        raise TypeError("an XML file names the labels of ARFF files only")
    if labels is None or isinstance(labels, (int, np.integer, str)):
        return labels
    return list(labels)


def _join(parts: list[Dataset], path: str) -> Dataset:
    """Return the rows of both parts, one below the other."""
    train, test = parts
    for part in ("feature_names", "label_names", "categories"):
        if getattr(train, part) != getattr(test, part):
            reason = f"the {part.replace('_', ' ')} of -train and -test differ"
            raise FormatError(path, None, None, reason)
    stack = sparse.vstack if sparse.issparse(train.X) else np.vstack
    if sparse.issparse(test.X) != sparse.issparse(train.X):
        reason = "one of -train and -test is dense, the other sparse"
        raise FormatError(path, None, None, reason)
    weights = None
    if train.weights is not None or test.weights is not None:
        weights = np.concatenate([_weights(train), _weights(test)])
    return Dataset(
        stack([train.X, test.X]),
        stack([train.Y, test.Y]),
        train.feature_names,
        train.label_names,
        split_of(train.name)[0],
        train.categories,
        weights,
    )


def _weights(dataset: Dataset) -> NDArray[np.float64]:
    if dataset.weights is None:
        return np.ones(dataset.X.shape[0])
    return dataset.weights
