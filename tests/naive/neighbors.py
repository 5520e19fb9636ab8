"""Nearest neighbours by sorting every distance."""

from __future__ import annotations

import numpy as np


def all_distances(queries, references, metric="sqeuclidean"):
    """Distances summed feature by feature, as the package defines them."""
    total = np.zeros((len(queries), len(references)))
    for one, other in zip(np.transpose(queries), np.transpose(references), strict=True):
        difference = one[:, None] - other[None, :]
        total += abs(difference) if metric == "manhattan" else difference * difference
    return total


def nearest(queries, references=None, *, k, allowed=None, metric="sqeuclidean"):
    """Sort candidates by (distance, index); -1 and infinity where there is none."""
    same = references is None
    references = queries if same else references
    distances = all_distances(queries, references, metric)
    indices = np.full((len(queries), k), -1)
    kept = np.full((len(queries), k), np.inf)
    for i, row in enumerate(distances):
        candidates = [
            (distance, j)
            for j, distance in enumerate(row)
            if not (same and i == j) and (allowed is None or allowed[i, j])
        ]
        for place, (distance, j) in enumerate(sorted(candidates)[:k]):
            indices[i, place], kept[i, place] = j, distance
    return indices, kept
