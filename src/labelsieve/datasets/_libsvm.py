"""Reads multi-label LibSVM files: ``1,4 3:0.5 7:1``.

Features count from 1 unless a 0 occurs. A first line of three numbers (rows, features,
labels) is understood; then features and labels count from 0. Without it the labels
are the numbers that occur, and are called by them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelsieve._utils.typing import IntArray
from labelsieve.datasets._columns import parse_number
from labelsieve.datasets._dataset import Dataset, NumberedNames, Schema
from labelsieve.datasets._places import (
    FormatError,
    fault,
    read_text,
    refuse_implausible,
    shorten,
)
from labelsieve.datasets._tables import SparseRows, in_order, plain_pairs, read_lines

_TOKEN = re.compile(r"[^ \t]+")
_LABEL = re.compile(r"[+-]?[0-9]{1,9}")
_LABELS = re.compile(r"(?:,[+-]?[0-9]{1,9})*")
_INDEX = re.compile(r"[0-9]{1,9}")
# Numbers of rows, features and labels in the first line.
HEADER = re.compile(
    rb"[ \t]*([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t]+([0-9]{1,9})[ \t\r]*\n"
)


def read_libsvm(
    data: bytearray, path: str, name: str, labels: int | None, schema: Schema | None
) -> Dataset:
    """Read a file; `labels` is the number of labels, counted from 0, where given."""
    rows = LibsvmRows(data, path)
    if rows.header is not None:
        n_rows, n_features, n_labels = rows.header
        if n_rows != len(rows.X.counts) or n_features < 1 or n_labels < 1:
            reason = (
                f"the first line says {n_rows} rows, {n_features} features and "
                f"{n_labels} labels; there are {len(rows.X.counts)} rows"
            )
            raise FormatError(path, 1, 1, reason)
        X, Y = rows.numbered(0, n_features, n_labels)
        return _named(X, Y, 0, range(n_labels), name)
    if labels is None and schema is not None:
        X, Y = rows.numbered(1, len(schema.features), len(schema.labels))
        return schema.apply(X, Y, path)
    first = 0 if rows.has_zero else 1
    n_features = rows.largest + 1 - first
    found: Sequence[int] = range(labels or 0)
    if not labels:  # those that occur, numbered from 0
        ids = np.frombuffer(rows.Y.columns, dtype=np.int32)
        occurring, ids[:] = np.unique(ids, return_inverse=True)
        found = occurring.tolist()
    if n_features < 1 or not found:
        raise fault(path, "no row has a feature, or no row carries a label")
    X, Y = rows.numbered(first, n_features, len(found))
    return _named(X, Y, first, found, name)


class LibsvmRows:
    """Features and labels with the numbers that the file writes."""

    def __init__(self, data: bytearray, path: str) -> None:
        self.data = data
        self.path = path
        self.X, self.Y = SparseRows(), SparseRows()
        self.largest = -1
        self.has_zero = False
        match = HEADER.match(data)
        self.header = tuple(map(int, match.groups())) if match else None
        start = (match.end(), 2) if match else (0, 1)
        read_lines(data, *start, self._read_usual, self._add)

    def numbered(self, first: int, n_features: int, n_labels: int) -> tuple[Any, Any]:
        """Return X and Y, features counted from `first` and labels from 0."""
        ids = np.frombuffer(self.Y.columns, dtype=np.int32)
        if self.largest - first >= n_features or (self.has_zero and first):
            reason = f"feature {self.largest}, but there are {n_features} features"
            raise fault(self.path, reason)
        if len(ids) and (ids.max() >= n_labels or ids.min() < 0):
            reason = f"labels {ids.min()} to {ids.max()}, but there are {n_labels}"
            raise fault(self.path, reason)
        refuse_implausible(n_features, "features", len(self.data), self.path)
        refuse_implausible(n_labels, "labels", len(self.data), self.path)
        columns = np.frombuffer(self.X.columns, dtype=np.int32)
        columns -= np.int32(first)
        return self.X.matrix(n_features), self.Y.matrix(n_labels)

    def _read_usual(self, lines: list[str]) -> bool:
        """Read rows of labels, a blank and ``feature:value`` between single blanks."""
        rows = (line.rstrip(" \t\r") for line in lines)
        parts = [row.partition(" ") for row in rows if row]
        marked = [f",{labels}" if labels else "" for labels, _, _ in parts]
        text = " ".join(entries for _, _, entries in parts if entries)
        if "," in text or not _LABELS.fullmatch("".join(marked)):
            return False
        labels = np.array("".join(marked).split(",")[1:], dtype=np.int64)
        everyone = np.arange(len(parts))
        x_rows = np.repeat(everyone, [entries.count(":") for _, _, entries in parts])
        y_rows = np.repeat(everyone, [mark.count(",") for mark in marked])
        try:
            columns, values = plain_pairs(text.replace(" ", ","), ":")
            x = in_order(x_rows, columns, values)
            y = in_order(y_rows, labels, np.ones(labels.size))
        except ValueError:
            return False
        self.largest = max(self.largest, int(columns.max(initial=-1)))
        self.has_zero |= bool((columns == 0).any())
        self.X.extend(len(parts), *x)
        self.Y.extend(len(parts), *y)
        return True

    def _add(self, line: str, number: int) -> None:
        line = line.partition("#")[0]
        if not line.strip(" \t"):
            return
        labels: list[int] = []
        features: dict[int, float] = {}
        for position, token in enumerate(_TOKEN.finditer(line)):
            at = token.start() + 1
            if position == 0 and ":" not in token[0]:
                labels = self._labels(token[0], number)
                continue
            index, value = self._entry(token[0], number, at)
            if index in features:
                reason = f"feature {index} occurs twice in the row"
                raise FormatError(self.path, number, at, reason)
            features[index] = value
            self.largest = max(self.largest, index)
            self.has_zero |= index == 0
        self.X.append(features)
        self.Y.append(dict.fromkeys(labels, 1.0))

    def _labels(self, token: str, number: int) -> list[int]:
        labels = set()
        for text in token.split(","):
            if _LABEL.fullmatch(text) is None or int(text) in labels:
                reason = f"the label {shorten(text)} is no integer or occurs twice"
                raise FormatError(self.path, number, None, reason)
            labels.add(int(text))
        return list(labels)

    def _entry(self, token: str, number: int, at: int) -> tuple[int, float]:
        index, colon, value = token.partition(":")
        if not colon or _INDEX.fullmatch(index) is None:
            reason = f"expected feature:value, got {shorten(token)}"
            raise FormatError(self.path, number, at, reason)
        if value.lower() == "nan":
            return int(index), np.nan
        try:
            return int(index), parse_number(value)
        except ValueError as error:
            reason = f"{shorten(value)} is {error}"
            raise FormatError(self.path, number, at, reason) from None


def _named(X: Any, Y: Any, first: int, labels: Sequence[int], name: str) -> Dataset:
    features = NumberedNames("f", first, X.shape[1])
    names: Sequence[str] = NumberedNames("label", 0, len(labels))
    if not isinstance(labels, range):
        names = [f"label{label}" for label in labels]
    return Dataset(X, Y, features, names, name)


MOST_BYTES = 2**30


def load_splits(
    train: str | os.PathLike[str], test: str | os.PathLike[str]
) -> list[tuple[IntArray, IntArray]]:
    """Read which rows train and which test, from a pair of split files.

    Each column of such a file is one split, each line holds the number of a row,
    counted from 1: ``bibtex_trSplit.txt`` and ``bibtex_tstSplit.txt``.

    Parameters
    ----------
    train, test : str or path
        The two files.

    Returns
    -------
    list of (ndarray, ndarray)
        Rows for training and for testing, counted from 0, of each split: what
        scikit-learn takes as ``cv``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelsieve.datasets import load_splits
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = pathlib.Path(folder, "tr.txt"), pathlib.Path(folder, "ts.txt")
    ...     _ = train.write_text("1 3\\n2 4\\n"), test.write_text("3 1\\n")
    ...     load_splits(train, test)
    [(array([0, 1]), array([2])), (array([2, 3]), array([0]))]
    """
    trained, tested = _columns(train), _columns(test)
    if trained.shape[1] != tested.shape[1]:
        reason = f"{tested.shape[1]} splits, but {trained.shape[1]} in {train}"
        raise fault(str(test), reason)
    pairs = list(zip(trained.T - 1, tested.T - 1, strict=True))
    for number, pair in enumerate(pairs, start=1):
        rows = np.concatenate(pair)
        if rows.min(initial=0) < 0 or np.unique(rows).size < rows.size:
            reason = f"in split {number} a row is below 1 or occurs twice"
            raise fault(str(test), reason)
    return pairs


def _columns(path: str | os.PathLike[str]) -> IntArray:
    text = read_text(path, MOST_BYTES)
    lines = [line.split() for line in bytes(text).splitlines() if line.strip()]
    for number, line in enumerate(lines, start=1):
        if len(line) != len(lines[0]) or not all(cell.isdigit() for cell in line):
            reason = f"expected {len(lines[0])} row numbers"
            raise FormatError(str(path), number, None, reason)
    if not lines:
        raise fault(str(path), "the file is empty")
    return np.array(lines, dtype=np.int64)
