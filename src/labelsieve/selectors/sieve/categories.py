"""Nominal features coded as integers: few values, more relevant as categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.discretization import CodedColumns, Cuts, RankCuts, ValueCounts
from labelsieve.selectors.sieve.residuals import BIAS

# So many times as relevant must values be by themselves as by their ranks.
MUCH_MORE = 2.0
# How likely any of many columns without meaning may count as categories, about.
ERROR_RATE = 0.05


def take_categories(
    cuts: Cuts,
    rank_cuts: RankCuts,
    labels: CodedColumns,
    count: Callable[[RankCuts], Iterable[ValueCounts]],
    n_features: int | None = None,
) -> tuple[Cuts, RankCuts]:
    """Cuts that keep the values of categories apart, and cuts of the others into ranks.

    ``count(cuts)`` counts columns of few values with the labels.
    """
    few = rank_cuts.with_few_values()
    if not few.columns.size or not labels.kept.size:
        return cuts, rank_cuts
    n_features = n_features or int(np.count_nonzero(cuts.n_codes > 1))
    found = find_categories(count(few), labels, n_features)
    return cuts.with_points(found), rank_cuts.without(found)


def find_categories(
    counted: Iterable[ValueCounts], labels: CodedColumns, n_features: int
) -> dict[int, FloatArray]:
    """Columns that are categories, with the points after which they are cut.

    Those of few values that explain more than twice as much of the labels as ranks do,
    and more of some label than chance among all pairs of so many features and labels.
    """
    clear = np.log(n_features * labels.n_codes.size / ERROR_RATE)
    found = {}
    for cuts, counts in counted:
        codes = cuts.as_codes()
        for place in np.flatnonzero(codes.code_missing):
            counts[place, codes.n_codes[place] - 1] = 0
        names, ranks, variance = _explained(counts, labels)
        is_clear = (names > variance * clear).any(axis=1)
        names, ranks = np.maximum(names, 0.0).sum(axis=1), ranks.sum(axis=1)
        for place in np.flatnonzero(is_clear & (names > MUCH_MORE * ranks)):
            points = np.unique(cuts.points[place])
            some_above = counts[place, points.size, -1] > 0
            found[int(cuts.columns[place])] = points if some_above else points[:-1]
    return found


def _explained(
    counts: IntArray, labels: CodedColumns
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(C, T) half of what codes explain of each target, and ranks; its variance."""
    every = counts[:, :, -1]
    target, n = _where_known(counts, labels)
    joint, n_known = counts[:, :, :-1][:, :, target], n.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = joint.sum(axis=1, keepdims=True) / n_known
        variance = (share - share * share)[:, 0]
        beyond = joint - n * share
        names = np.where(n > 0, beyond**2 / n, 0.0).sum(axis=1) / 2
        names -= BIAS * ((n > 0).sum(axis=1) - 1) * variance
        rank = (np.cumsum(every, axis=1) - every / 2)[:, :, np.newaxis]
        rank = rank - (n * rank).sum(axis=1, keepdims=True) / n_known
        ranks = (rank * beyond).sum(axis=1) ** 2 / (n * rank * rank).sum(axis=1) / 2
    return np.nan_to_num(names), np.nan_to_num(ranks), np.nan_to_num(variance)


def _where_known(counts: IntArray, labels: CodedColumns) -> tuple[BoolArray, IntArray]:
    """Which label indicators are targets, and (C, codes, T) the rows of their labels.

    That a label is not known is its last indicator.
    """
    label = np.repeat(np.arange(labels.n_codes.size), labels.n_codes - 1)
    target, last = np.ones(label.size, dtype=bool), labels.start[1:] - 1
    unknown = last < 0 if labels.unknown is None else labels.unknown
    target[last[unknown]] = False
    n_unknown = np.where(unknown, counts[:, :, last], 0)
    return target, counts[:, :, -1:] - n_unknown[:, :, label[target]]
