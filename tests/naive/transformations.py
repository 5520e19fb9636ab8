"""Transformations by copying rows, scores by going over every cell of a table."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
from scipy.special import digamma


def label_powerset(Y):
    return [(i, tuple(y), 1.0) for i, y in enumerate(np.asarray(Y).tolist())]


def pruned(Y, tau):
    counts = Counter(tuple(y) for y in np.asarray(Y).tolist())
    return [copy for copy in label_powerset(Y) if counts[copy[1]] >= tau]


def entropy_assignment(Y):
    """One copy of a row for each of its labels, with weights that sum to one."""
    return [
        (i, label, 1 / sum(y))
        for i, y in enumerate(np.asarray(Y).tolist())
        for label, has in enumerate(y)
        if has
    ]


def binary(y):
    return [(i, value, 1.0) for i, value in enumerate(np.asarray(y).tolist())]


def table(codes, copies):
    cells, by_code, by_class = (
        defaultdict(float),
        defaultdict(float),
        defaultdict(float),
    )
    for row, kind, weight in copies:
        cells[codes[row], kind] += weight
        by_code[codes[row]] += weight
        by_class[kind] += weight
    return cells, by_code, by_class


def chi2(codes, copies):
    cells, by_code, by_class = table(codes, copies)
    total = sum(by_code.values())
    return sum(
        (cells[a, b] - by_code[a] * by_class[b] / total) ** 2
        / (by_code[a] * by_class[b] / total)
        for a in by_code
        for b in by_class
    )


def mutual_information(codes, copies):
    cells, by_code, by_class = table(codes, copies)
    total = sum(by_code.values())
    return sum(
        weight / total * math.log(weight * total / (by_code[a] * by_class[b]))
        for (a, b), weight in cells.items()
        if weight
    )


def class_information(rows, classes, k):
    """Nearest-neighbour estimate of the information of a vector about the class."""
    rows, classes = np.asarray(rows), np.asarray(classes)
    sizes = Counter(classes.tolist())
    kept = [i for i, c in enumerate(classes.tolist()) if sizes[c] > k]
    n, dims = len(kept), rows.shape[1]
    total = digamma(n) - sum(digamma(sizes[classes[i]]) for i in kept) / n
    for i in kept:
        distance = {j: np.linalg.norm(rows[i] - rows[j]) for j in kept if j != i}
        everywhere = sorted(distance.values())[k - 1]
        inside = sorted(d for j, d in distance.items() if classes[j] == classes[i])
        total += dims / n * math.log(max(everywhere, 1e-10) / max(inside[k - 1], 1e-10))
    return total
