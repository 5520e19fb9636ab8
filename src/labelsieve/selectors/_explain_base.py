"""What a score is made of: the terms, how they make it, and the data behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.counting import Counts, choose_source
from labelsieve.discretization import (
    CodedColumns,
    code_features,
    code_labels,
    find_cuts,
)
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import LabelSelector

# Selectors without binning parameters are explained by the default median split.
DEFAULT_BINS, DEFAULT_BINNING = 2, "quantile"
SUM, ONLY = "sum of the terms", "the term itself"


@dataclass(frozen=True, eq=False)
class ScoreTerms:
    """What the scores of the selected features are made of.

    Attributes
    ----------
    terms : for each term its value for each selected feature, best first
    rule : how the terms make the score
    labels : (k, n_labels) the part of each label, where the score is made of such
    label_rule : how the labels make the score
    """

    terms: dict[str, FloatArray]
    rule: str = SUM
    labels: FloatArray | None = None
    label_rule: str | None = None


@dataclass(frozen=True, eq=False)
class Explained:
    """A fitted selector with the data that its choice is explained on."""

    selector: LabelSelector
    features: Features
    labels: Labels

    @cached_property
    def chosen(self) -> IntArray:
        """The selected features, best first."""
        return self.selector.order_[: int(self.selector.support_.sum())]

    @property
    def scores(self) -> FloatArray:
        """Their scores."""
        return self.selector.scores_[self.chosen]

    @cached_property
    def indicator(self) -> Matrix:
        """Labels as 0 and 1."""
        return self.labels.indicator(type(self.selector).__name__)

    @cached_property
    def coded_labels(self) -> CodedColumns:
        """Labels as codes."""
        return code_labels(self.labels)

    @cached_property
    def chosen_features(self) -> Features:
        """The columns of the selected features."""
        known = self.features.categories
        categories = {
            place: known[int(column)]
            for place, column in enumerate(self.chosen)
            if int(column) in known
        }
        values = self.features.values[:, self.chosen]
        if sp.issparse(values):
            values.sort_indices()  # taking columns leaves rows unsorted
        return Features(values, categories)

    @cached_property
    def counts(self) -> Counts | None:
        """Counts of the selected features and the labels that vary, None if no such."""
        return self._count(self.chosen_features)

    def count_all(self) -> Counts | None:
        """Counts of all features that vary."""
        return self._count(self.features)

    def code(self, features: Features) -> CodedColumns:
        """Features as the selector codes them."""
        n_bins = getattr(self.selector, "n_bins", DEFAULT_BINS)
        binning = getattr(self.selector, "binning", DEFAULT_BINNING)
        return code_features(features, find_cuts(features, n_bins, binning))

    def _count(self, features: Features) -> Counts | None:
        coded, labels = self.code(features), self.coded_labels
        if not coded.kept.size or not labels.kept.size:
            return None
        source = choose_source(coded, labels, labels)
        return Counts(coded, labels, source, getattr(self.selector, "n_jobs", None))


def decompose(explained: Explained) -> ScoreTerms:
    """What the scores are made of; nothing, for a feature that never varies."""
    if explained.counts is None:
        return only_term(explained.selector, explained)
    found = made_of(explained.selector, explained)
    varies = ~explained.chosen_features.constant
    terms = {name: np.where(varies, term, 0.0) for name, term in found.terms.items()}
    labels = None if found.labels is None else found.labels * varies[:, np.newaxis]
    return ScoreTerms(terms, found.rule, labels, found.label_rule)


def only_term(
    selector: LabelSelector, explained: Explained, name: str = "score"
) -> ScoreTerms:
    """A score that is a single term."""
    return ScoreTerms({name: explained.scores}, ONLY)


@singledispatch
def made_of(selector: LabelSelector, explained: Explained) -> ScoreTerms:
    """What the scores of a method are made of; each method registers its own."""
    return only_term(selector, explained)


@singledispatch
def looks_again(selector: LabelSelector) -> bool:
    """Whether finding the terms of a method takes about as long as its fit."""
    return False


def of_counted(explained: Explained, found: dict[str, FloatArray]) -> ScoreTerms:
    """Terms of the counted features as terms of all selected ones."""
    counts = explained.counts
    assert counts is not None  # `decompose` has looked
    spread = {name: np.zeros(explained.chosen.size) for name in found}
    for name, values in found.items():
        spread[name][counts.features.kept] = values
    return ScoreTerms(spread)
