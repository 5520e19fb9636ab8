"""Nearest neighbours by sorting every distance."""

from __future__ import annotations

import itertools

import numpy as np

TIE = 1e-12


def nearest_first(distances):
    """Indices by distance; those that rounding alone tells apart by index."""
    order = np.argsort(distances, kind="stable").tolist()
    ranks = dict.fromkeys(order, 0)
    for one, other in itertools.pairwise(order):
        tied = distances[other] <= distances[one] * (1 + TIE)
        ranks[other] = ranks[one] + (not tied)
    return sorted(order, key=lambda j: (ranks[j], j))


def all_distances(queries, references, metric="sqeuclidean"):
    """Distances summed feature by feature, as the package defines them."""
    total = np.zeros((len(queries), len(references)))
    for one, other in zip(np.transpose(queries), np.transpose(references), strict=True):
        difference = one[:, None] - other[None, :]
        total += abs(difference) if metric == "manhattan" else difference * difference
    return total


def nearest(queries, references=None, *, k, allowed=None, metric="sqeuclidean"):
    """Candidates by distance, then index; -1 and infinity where there is none."""
    same = references is None
    references = queries if same else references
    distances = all_distances(queries, references, metric)
    indices = np.full((len(queries), k), -1)
    kept = np.full((len(queries), k), np.inf)
    for i, row in enumerate(distances):
        candidates = [
            j
            for j in nearest_first(row)
            if not (same and i == j) and (allowed is None or allowed[i, j])
        ]
        for place, j in enumerate(candidates[:k]):
            indices[i, place], kept[i, place] = j, row[j]
    return indices, kept
