"""Numbers that are names: columns of few values that tell more as categories."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.discretization import CodedColumns, ValueCounts
from labelsieve.selectors.sieve.unexplained import CHANCE

# So many times as much must values tell by themselves as by their ranks.
MUCH_MORE = 2.0
# And so many times as much as chance shows.
CLEAR = 2.0


def find_categories(
    counted: Iterable[ValueCounts], labels: CodedColumns
) -> dict[int, FloatArray]:
    """Columns that are categories, with the points after which they are cut.

    Numbers of shops, or of months, have an order that may tell nothing. They count as
    categories where these explain more than twice as much of the labels, beyond
    chance, as ranks do.
    """
    found = {}
    for cuts, counts in counted:
        codes = cuts.as_codes()
        for place in np.flatnonzero(codes.code_missing):
            counts[place, codes.n_codes[place] - 1] = 0
        names, ranks = _explained(counts, labels)
        for place in np.flatnonzero(names > MUCH_MORE * ranks):
            points = np.unique(cuts.points[place])
            some_above = counts[place, points.size, -1] > 0
            found[int(cuts.columns[place])] = points if some_above else points[:-1]
    return found


def _explained(counts: IntArray, labels: CodedColumns) -> tuple[FloatArray, FloatArray]:
    """(C,) what codes and what their ranks explain of all labels, beyond chance."""
    every = counts[:, :, -1]
    target, n = _where_known(counts, labels)
    joint, n_known = counts[:, :, target], n.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = joint.sum(axis=1, keepdims=True) / n_known
        variance = (share - share * share)[:, 0]
        beyond = joint - n * share
        of_names = np.where(n > 0, beyond**2 / n, 0.0).sum(axis=1)
        rank = (np.cumsum(every, axis=1) - every / 2)[:, :, np.newaxis]
        rank = rank - (n * rank).sum(axis=1, keepdims=True) / n_known
        of_ranks = (rank * beyond).sum(axis=1) ** 2 / (n * rank * rank).sum(axis=1)
        n_free = (n > 0).sum(axis=1) - 1
        beyond_chance = of_names - CLEAR * 2.0 * CHANCE * n_free * variance
    names, ranks = np.maximum(beyond_chance, 0.0), of_ranks
    return np.nan_to_num(names).sum(axis=1), np.nan_to_num(ranks).sum(axis=1)


def _where_known(counts: IntArray, labels: CodedColumns) -> tuple[BoolArray, IntArray]:
    """Which label indicators are targets, and (C, codes, T) the rows of their labels.

    That a label is not known is its last indicator.
    """
    label = np.repeat(np.arange(labels.n_codes.size), labels.n_codes - 1)
    target, n = np.ones(label.size + 1, dtype=bool), counts[:, :, -1:]
    target[-1] = False
    if labels.unknown is None:
        return target, np.broadcast_to(n, counts[:, :, :-1].shape)
    last = labels.start[1:] - 1
    target[last[labels.unknown]] = False
    n_unknown = np.where(labels.unknown, counts[:, :, last], 0)
    return target, n - n_unknown[:, :, label[target[:-1]]]
