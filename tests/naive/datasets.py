"""Slow and obvious readers of unquoted files, to compare the real ones with."""

from __future__ import annotations

import re

import numpy as np

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\S+)\s+(.*)", re.IGNORECASE)


def read_arff(text: str) -> tuple[list[str], np.ndarray]:
    """Return the names and the full matrix, nominal values as positions.

    For files without quotes in values, strings, dates and weights.
    """
    names, kinds, rows = [], [], []
    in_data = False
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            rows.append(_row(line, kinds))
        elif line.lower() == "@data":
            in_data = True
        elif match := _ATTRIBUTE.fullmatch(line):
            name, kind = match[1], match[2].strip()
            if name.startswith("'"):
                name = name[1:-1].replace("\\'", "'")
            names.append(name)
            kinds.append(_values(kind))
    return names, np.array(rows)


def describe(Y: np.ndarray) -> tuple[float, float, int, int, int]:
    """Return cardinality, density, label sets, samples without label, rarest label."""
    sets = {tuple(row) for row in Y.tolist()}
    cardinality = sum(map(sum, Y.tolist())) / len(Y)
    empty = sum(not any(row) for row in Y.tolist())
    return cardinality, cardinality / Y.shape[1], len(sets), empty, Y.sum(axis=0).min()


def _values(kind: str) -> list[str] | None:
    if not kind.startswith("{"):
        return None
    return [value.strip() for value in kind[1:-1].split(",")]


def _row(line: str, kinds: list[list[str] | None]) -> list[float]:
    if not line.startswith("{"):
        cells = [cell.strip() for cell in line.split(",")]
        return [_number(c, kind) for c, kind in zip(cells, kinds, strict=True)]
    row = [0.0] * len(kinds)
    for entry in filter(None, line[1:-1].split(",")):
        index, value = entry.split()
        row[int(index)] = _number(value, kinds[int(index)])
    return row


def _number(cell: str, kind: list[str] | None) -> float:
    if cell == "?":
        return float("nan")
    return float(cell) if kind is None else float(kind.index(cell))
