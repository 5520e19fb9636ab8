"""What the scores of the methods are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

import numpy as np

from labelsieve._typing import FloatArray
from labelsieve.counting import Counts
from labelsieve.information import (
    Terms,
    feature_entropy,
    feature_pair_information,
    relevance,
)
from labelsieve.selectors._base import LabelSelector
from labelsieve.selectors.d2f import D2F
from labelsieve.selectors.fimf import FIMF
from labelsieve.selectors.lrfs import LRFS, _conditional_relevance
from labelsieve.selectors.mdmr import MDMR
from labelsieve.selectors.mlqpfs import MLQPFS
from labelsieve.selectors.pmu import PMU
from labelsieve.selectors.scls import SCLS


@singledispatch
def score_terms(selector: LabelSelector, counts: Counts) -> dict[str, FloatArray]:
    """What the score of the counted features is made of; empty where unknown.

    `counts` holds the selected features, best first. Methods register their own.
    """
    return {}


@score_terms.register
def _(selector: PMU, counts: Counts) -> dict[str, FloatArray]:
    terms = Terms.of(counts, selector.correction)
    times = 2.0 if selector.label_pairs == "ordered" else 1.0
    return {
        "relevance": terms.relevance(),
        "earlier picks": -_sum_of_earlier(counts, lambda s: terms.chosen(s)[1]),
        "label pairs": -times * terms.label_pair_interaction(),
    }


@score_terms.register
def _(selector: D2F, counts: Counts) -> dict[str, FloatArray]:
    terms = Terms.of(counts, selector.correction)
    return {
        "relevance": terms.relevance(),
        "earlier picks": -_sum_of_earlier(counts, lambda s: terms.chosen(s)[1]),
    }


@score_terms.register
def _(selector: MDMR, counts: Counts) -> dict[str, FloatArray]:
    terms = Terms.of(counts, selector.correction)
    relevant = terms.relevance()

    def redundancy(chosen: int) -> FloatArray:
        shared, interaction = terms.chosen(chosen)
        return shared - (relevant - interaction)

    repeated = _sum_of_earlier(counts, redundancy)
    return {
        "relevance": relevant,
        "earlier picks": -repeated / _n_earlier(counts),
    }


@score_terms.register
def _(selector: SCLS, counts: Counts) -> dict[str, FloatArray]:
    terms = Terms.of(counts, selector.correction)
    relevant, entropy = terms.relevance(), feature_entropy(counts)
    repeated = _sum_of_earlier(counts, lambda s: terms.shared_with(s) / entropy)
    return {"relevance": relevant, "earlier picks": -relevant * repeated}


@score_terms.register
def _(selector: LRFS, counts: Counts) -> dict[str, FloatArray]:
    terms = Terms.of(counts, selector.correction)
    shared = _sum_of_earlier(counts, terms.shared_with)
    return {
        "relevance given other labels": _conditional_relevance(terms),
        "earlier picks": -shared / _n_earlier(counts),
    }


@score_terms.register
def _(selector: FIMF, counts: Counts) -> dict[str, FloatArray]:
    found = {"relevance": Terms.of(counts, selector.correction).relevance()}
    promising = np.flatnonzero(np.isin(counts.labels.kept, selector.promising_labels_))
    if promising.size > 1:
        among = Terms.of(counts.with_labels(promising), selector.correction)
        found["label pairs"] = -among.label_pair_interaction()
    return found


def _sum_of_earlier(
    counts: Counts, of_chosen: Callable[[int], FloatArray]
) -> FloatArray:
    """For each feature the sum over those picked before it."""
    found = np.zeros(counts.n_features)
    total = np.zeros(counts.n_features)
    for pick in range(counts.n_features):
        found[pick] = total[pick]
        total += of_chosen(pick)
    return found


def _n_earlier(counts: Counts) -> FloatArray:
    """How many features were picked before each; 1 for the first, which has none."""
    return np.maximum(np.arange(counts.n_features, dtype=np.float64), 1.0)


def weight_terms(selector: MLQPFS, counts: Counts) -> dict[str, FloatArray]:
    """weight = (relevance + other features) / entropy, at the optimum."""
    chosen = selector.order_[: int(selector.support_.sum())]
    place = np.full(selector.n_features_in_, -1)
    place[counts.features.kept] = np.arange(counts.n_features)
    weights = selector.scores_[counts.features.kept]
    names = ("relevance", "other features", "entropy")
    terms = {name: np.zeros(chosen.size) for name in names}
    all_relevance, all_entropy = relevance(counts), feature_entropy(counts)
    for row, feature in enumerate(place[chosen].tolist()):
        if feature < 0:
            continue
        line = feature_pair_information(counts, feature, feature + 1)[0]
        line[feature] = 0.0
        values = (all_relevance[feature], -line @ weights, all_entropy[feature])
        for name, value in zip(names, values, strict=True):
            terms[name][row] = value
    return terms
