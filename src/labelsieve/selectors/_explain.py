"""Relevance and redundancy of the selected features, and the terms of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.discretization import (
    CodedColumns,
    code_features,
    code_labels,
    indicator_columns,
)
from labelsieve.engines import Terms, choose_engine, terms_of
from labelsieve.reading import MISSING, Features, Labels
from labelsieve.selectors._explanation import Explanation
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._terms import ONLY, ScoreTerms

if TYPE_CHECKING:
    from labelsieve.selectors._base import LabelSelector

# The relevance of all features is found for so many pairs with labels at a time.
PAIRS_AT_ONCE = 2**24


@dataclass(frozen=True, eq=False)
class Explained:
    """A fitted selector with the data that its choice is explained on."""

    selector: LabelSelector
    features: Features
    labels: Labels
    chosen: IntArray  # the selected features, best first

    @property
    def scores(self) -> FloatArray:
        return self.selector.scores_[self.chosen]

    @cached_property
    def indicator(self) -> Matrix:
        return self.labels.indicator(type(self.selector).__name__)

    @cached_property
    def coded_labels(self) -> CodedColumns:
        return code_labels(self.labels)

    @cached_property
    def chosen_features(self) -> Features:
        return self.features.take_columns(self.chosen)

    @cached_property
    def numbers(self) -> Features:
        """All features, for a method that takes numbers."""
        return self.features.as_numbers()

    @cached_property
    def chosen_numbers(self) -> Features:
        """The selected features, for such a method."""
        return self.chosen_features.as_numbers()

    @cached_property
    def n_missing(self) -> IntArray:
        """How many cells of each selected feature are missing."""
        n_missing = self.chosen_features.n_missing
        return np.zeros_like(self.chosen) if n_missing is None else n_missing

    def missing_information(self) -> FloatArray:
        """Relevance of the missingness of the selected features for each label."""
        information = np.zeros((self.chosen.size, self.labels.n_values.size))
        (some,) = np.nonzero(self.n_missing)
        if some.size:
            values = self.chosen_features.values[:, some]
            is_missing = (values == MISSING).astype(np.float64)
            if sp.issparse(is_missing):
                is_missing = is_missing.tocsr()
                is_missing.sort_indices()
            weight = self.features.weight
            terms = self._terms_of(Features(is_missing, weight=weight))
            if terms is not None:
                place = np.ix_(some[terms.features.kept], terms.labels.kept)
                information[place] = terms.feature_label_information()
        return information

    @cached_property
    def terms(self) -> Terms | None:
        """Terms of the selected features and the labels that vary, None if no such."""
        return self._terms_of(self.chosen_features)

    @property
    def terms_of_chosen(self) -> Terms:
        """The same for a method that is asked for its terms: there are such."""
        return cast(Terms, self.terms)

    def terms_of_all(self) -> Terms:
        """Terms of all features that vary, for such a method."""
        return cast(Terms, self._terms_of(self.features))

    @cached_property
    def largest_information(self) -> FloatArray:
        """(n_labels,) the largest mutual information of any feature with each label."""
        n_labels = self.labels.n_values.size
        largest = np.zeros(n_labels)
        columns = np.arange(self.selector.n_features_in_)
        for block in slices_of(columns.size, max(1, PAIRS_AT_ONCE // n_labels)):
            terms = self._terms_of(self.features.take_columns(columns[block]))
            if terms is not None:
                told = terms.feature_label_information().max(axis=0)
                kept = terms.labels.kept
                largest[kept] = np.maximum(largest[kept], told)
        return largest

    @cached_property
    def n_varying(self) -> int:
        return int(np.count_nonzero(~self.features.constant))

    def code(self, features: Features) -> CodedColumns:
        known = self.coded_labels, self.n_varying
        return code_features(features, self.selector._cut_for(features, *known))

    def _terms_of(self, features: Features) -> Terms | None:
        coded, labels = self.code(features), self.coded_labels
        if not coded.kept.size or not labels.kept.size:
            return None
        n_jobs = getattr(self.selector, "n_jobs", None)
        X, Y = indicator_columns(coded), indicator_columns(labels)
        return terms_of(choose_engine(X, Y, n_jobs))

    def columns(self) -> tuple[Features, Labels]:
        return self.chosen_features, self.labels

    def find_terms(self) -> ScoreTerms:
        """What the scores are made of; nothing, for a feature that never varies."""
        if self.terms is None:
            return self.only_term()
        found = self.selector._terms(self)
        return found.where(~self.chosen_features.constant)

    def places_in(self, terms: Terms) -> IntArray:
        """Where each selected feature is among counted ones; -1 if it never varies."""
        place = np.full(self.selector.n_features_in_, -1)
        place[terms.features.kept] = np.arange(terms.n_features)
        return place[self.chosen]

    def only_term(self, name: str = "score") -> ScoreTerms:
        """A score that is a single term."""
        return ScoreTerms({name: self.scores}, ONLY)

    def of_counted(self, found: dict[str, FloatArray]) -> ScoreTerms:
        """Terms of the counted features as terms of all selected ones."""
        spread = {name: np.zeros(self.chosen.size) for name in found}
        for name, values in found.items():
            spread[name][self.terms_of_chosen.features.kept] = values
        return ScoreTerms(spread) if len(spread) > 1 else ScoreTerms(spread, ONLY)


def explain(
    selector: LabelSelector,
    X: Any,
    y: Any,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    sample_weight: Any = None,
    features: IntArray | None = None,
) -> Explanation:
    """Count the selected features, or others, with the labels and with each other."""
    read = selector._read_both(X, y, sample_weight, reset=False)
    first_columns = np.arange(selector.n_features_in_)
    if selector._has_groups:
        first_columns = np.unique(selector.column_groups_, return_index=True)[1]
        selector, feature_names = selector._by_group(), None
    names: dict[str, Any] = {"feature_names": feature_names, "label_names": label_names}
    if sample_weight is not None:
        names["sample_weight"] = sample_weight
    chosen = selector.order_[: int(selector.support_.sum())]
    chosen = chosen if features is None else features
    explained = Explained(selector, *read, chosen)
    terms = explained.terms
    size, n_labels = chosen.size, explained.labels.n_values.size
    information = np.zeros((size, n_labels))
    entropies, redundancy = np.zeros(n_labels), np.zeros((size, size))
    if terms is not None:
        rows, columns = terms.features.kept, terms.labels.kept
        information[np.ix_(rows, columns)] = terms.feature_label_information()
        entropies[columns] = terms.label_entropy
        pairs = terms.feature_pairs(0, terms.n_features)
        redundancy[np.ix_(rows, rows)] = pairs
    return Explanation(
        features=chosen,
        feature_names=_feature_names(selector, chosen, feature_names),
        label_names=_label_names(selector, explained.labels.names, label_names),
        noun=explained.labels.noun,
        included=np.isin(chosen, ForcedFeatures.of(selector).forced_in),
        scores=explained.scores,
        significance=selector._significance(chosen),
        find_terms=explained.find_terms,
        find_largest=partial(getattr, explained, "largest_information"),
        find_columns=explained.columns,
        n_candidates=selector.n_features_in_,
        looks_again=selector._looks_again(),
        information=information,
        label_entropies=entropies,
        redundancy=redundancy,
        n_missing=explained.n_missing,
        missing_information=explained.missing_information(),
        columns=first_columns[chosen],
        source=(selector, X, y, names),
    )


def _feature_names(
    selector: LabelSelector, chosen: IntArray, given: Sequence[str] | None
) -> list[str]:
    if given is None:
        given = getattr(selector, "feature_names_in_", None)
    if given is None:
        return [f"x{feature}" for feature in chosen]
    if len(given) != selector.n_features_in_:
        raise ValueError(
            f"got {len(given)} feature names for {selector.n_features_in_} features."
        )
    return [str(given[feature]) for feature in chosen]


def _label_names(
    selector: LabelSelector, found: Sequence[Any], given: Sequence[str] | None
) -> list[str]:
    if given is None:
        has_names = any(isinstance(name, str) for name in found)
        given = found if has_names else getattr(selector, "label_names_in_", found)
    if len(given) != len(found):
        raise ValueError(f"got {len(given)} label names for {len(found)} labels.")
    return [str(name) for name in given]
