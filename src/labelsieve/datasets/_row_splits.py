"""Reads the split files of the extreme classification repository."""

from __future__ import annotations

import os

import numpy as np

from labelsieve._plumbing.typing import IntArray
from labelsieve.datasets._errors import FormatError
from labelsieve.datasets._places import decode_text, locate

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
        raise FormatError(str(test), None, None, reason)
    pairs = list(zip(trained.T - 1, tested.T - 1, strict=True))
    for number, pair in enumerate(pairs, start=1):
        rows = np.concatenate(pair)
        if rows.min(initial=0) < 0 or np.unique(rows).size < rows.size:
            reason = f"in split {number} a row is below 1 or occurs twice"
            raise FormatError(str(test), None, None, reason)
    return pairs


def _columns(path: str | os.PathLike[str]) -> IntArray:
    place, name = locate(path)
    text = decode_text(place.read(name or "", MOST_BYTES), str(path))
    lines = [line.split() for line in bytes(text).splitlines() if line.strip()]
    for number, line in enumerate(lines, start=1):
        if len(line) != len(lines[0]) or not all(cell.isdigit() for cell in line):
            reason = f"expected {len(lines[0])} row numbers"
            raise FormatError(str(path), number, None, reason)
    if not lines:
        raise FormatError(str(path), None, None, "the file is empty")
    return np.array(lines, dtype=np.int64)
