"""Tells the format of a text by its first line."""

from __future__ import annotations

import re

from labelsieve.datasets._csv import DELIMITERS
from labelsieve.datasets._errors import FormatError

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
