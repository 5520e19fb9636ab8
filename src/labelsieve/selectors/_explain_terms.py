"""What the scores of the methods that count are made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.information import (
    Terms,
    feature_entropy,
    feature_label_information,
)
from labelsieve.selectors._explain_base import (
    Explained,
    ScoreTerms,
    looks_again,
    made_of,
    of_counted,
)
from labelsieve.selectors._explain_sieve import sieve_terms
from labelsieve.selectors.d2f import D2F
from labelsieve.selectors.fimf import FIMF
from labelsieve.selectors.grro import (
    GRRO,
    cosine_distance,
    solve_symmetric_sylvester,
)
from labelsieve.selectors.lrfs import LRFS, _conditional_relevance
from labelsieve.selectors.mdmr import MDMR
from labelsieve.selectors.mlqpfs.mlqpfs import MLQPFS, information_matrix
from labelsieve.selectors.pmu import PMU
from labelsieve.selectors.scls import SCLS
from labelsieve.selectors.sieve.sieve import Sieve

WEIGHT = "(relevance + other features) / entropy"
CONSTRAINED = "(relevance + other features + constraint) / entropy"
BALANCE = "(relevance + other features + other labels) / (1 + alpha)"


@made_of.register
def _(selector: Sieve, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    return of_counted(explained, sieve_terms(explained, counts))


@made_of.register
def _(selector: PMU, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    terms = Terms.of(counts, selector.correction)
    times = 2.0 if selector.label_pairs == "ordered" else 1.0
    return of_counted(
        explained,
        {
            "relevance": terms.relevance(),
            "earlier picks": -_sum_of_earlier(counts, lambda s: terms.chosen(s)[1]),
            "label pairs": -times * terms.label_pair_interaction(),
        },
    )


@made_of.register
def _(selector: D2F, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    terms = Terms.of(counts, selector.correction)
    return of_counted(
        explained,
        {
            "relevance": terms.relevance(),
            "earlier picks": -_sum_of_earlier(counts, lambda s: terms.chosen(s)[1]),
        },
    )


@made_of.register
def _(selector: MDMR, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    terms = Terms.of(counts, selector.correction)
    relevant = terms.relevance()

    def redundancy(chosen: int) -> FloatArray:
        shared, interaction = terms.chosen(chosen)
        return shared - (relevant - interaction)

    repeated = _sum_of_earlier(counts, redundancy)
    return of_counted(
        explained,
        {
            "relevance": relevant,
            "earlier picks": -repeated / _n_earlier(counts),
        },
    )


@made_of.register
def _(selector: SCLS, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    terms = Terms.of(counts, selector.correction)
    relevant, entropy = terms.relevance(), feature_entropy(counts)
    repeated = _sum_of_earlier(counts, lambda s: terms.shared_with(s) / entropy)
    return of_counted(
        explained, {"relevance": relevant, "earlier picks": -relevant * repeated}
    )


@made_of.register
def _(selector: LRFS, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    terms = Terms.of(counts, selector.correction)
    shared = _sum_of_earlier(counts, terms.shared_with)
    return of_counted(
        explained,
        {
            "relevance given other labels": _conditional_relevance(terms),
            "earlier picks": -shared / _n_earlier(counts),
        },
    )


@made_of.register
def _(selector: FIMF, explained: Explained) -> ScoreTerms:
    counts = _counts(explained)
    found = {"relevance": Terms.of(counts, selector.correction).relevance()}
    promising = np.flatnonzero(np.isin(counts.labels.kept, selector.promising_labels_))
    if promising.size > 1:
        among = Terms.of(counts.with_labels(promising), selector.correction)
        found["label pairs"] = -among.label_pair_interaction()
    return of_counted(explained, found)


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


@made_of.register
def _(selector: MLQPFS, explained: Explained) -> ScoreTerms:
    """At the optimum; (relevance + other features) <= 0 for features of weight 0."""
    counts = explained.count_all()
    assert counts is not None  # there are counts of the selected ones
    place = _place(explained, counts)
    weights = selector.scores_[counts.features.kept]
    names = ("relevance", "other features", "entropy")
    terms = {name: np.zeros(place.size) for name in names}
    summed = Terms.of(counts, selector.correction)
    all_relevance = summed.relevance()
    for row, feature in enumerate(place.tolist()):
        if feature < 0:
            continue
        line = np.maximum(0.0, summed.shared_with(feature))
        entropy, line[feature] = line[feature], 0.0
        values = (all_relevance[feature], -line @ weights, entropy)
        for name, value in zip(names, values, strict=True):
            terms[name][row] = value
    if selector.normalize is None and selector.psd == "keep":
        return ScoreTerms(terms, WEIGHT)
    relevant, others, own = terms.values()
    terms["constraint"] = explained.scores * own - relevant - others
    return ScoreTerms(terms, CONSTRAINED)


@made_of.register
def _(selector: GRRO, explained: Explained) -> ScoreTerms:
    """The line of its equation, added up over labels; and the weight of each label."""
    counts = explained.count_all()
    assert counts is not None  # there are counts of the selected ones
    varying = counts.labels.kept
    redundancy = information_matrix(Terms(counts))
    np.fill_diagonal(redundancy, 1.0)
    apart = selector.beta * cosine_distance(explained.indicator[:, varying])
    informs = feature_label_information(counts).T
    weights = solve_symmetric_sylvester(selector.alpha * redundancy, apart, informs)
    np.fill_diagonal(redundancy, 0.0)
    place = _place(explained, counts)
    per_label = np.zeros((place.size, explained.labels.n_values.size))
    per_label[:, varying] = weights[place]
    terms = {
        "relevance": informs.sum(axis=1)[place],
        "other features": -selector.alpha * (redundancy @ weights.sum(axis=1))[place],
        "other labels": -(weights @ apart.sum(axis=1))[place],
    }
    return ScoreTerms(terms, BALANCE, per_label, "sum of the weights of the labels")


@looks_again.register
def _(selector: GRRO) -> bool:
    return True


def _place(explained: Explained, counts: Counts) -> IntArray:
    """Where each selected feature is among the counted ones; -1 if it never varies."""
    place = np.full(explained.selector.n_features_in_, -1)
    place[counts.features.kept] = np.arange(counts.n_features)
    return place[explained.chosen]


def _counts(explained: Explained) -> Counts:
    assert explained.counts is not None  # `decompose` has looked
    return explained.counts
