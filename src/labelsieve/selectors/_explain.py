"""Why these features: what each selected one tells, repeats and is scored by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.frames import frame_of
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.counting import Counts, choose_source
from labelsieve.discretization import (
    CodedColumns,
    code_features,
    code_labels,
    find_cuts,
)
from labelsieve.information import (
    feature_label_information,
    feature_pair_information,
    label_entropy,
)
from labelsieve.reading import MISSING, Features, Labels
from labelsieve.selectors._base import LabelSelector
from labelsieve.selectors._decided import Decided
from labelsieve.selectors._terms import ONLY, ScoreTerms

# Selectors that do not code features are explained by the default median split.
DEFAULT_BINNING = (2, "quantile")
# How many labels and repeated features are told about each selected feature.
TOLD = 3


@dataclass(frozen=True, eq=False)
class Explanation:
    """What the selected features tell about the labels and about each other.

    All values are estimates from frequencies of codes, in nats; features that the
    method does not code itself are split at the median.

    Attributes
    ----------
    features : ndarray of shape (k,)
        The selected features, best first.
    feature_names : list of str
        Their names.
    label_names : list of str
        The names of all labels.
    included : ndarray of shape (k,)
        Which of them had to be in.
    scores : ndarray of shape (k,)
        The method's own scores.
    terms : dict of str to ndarray of shape (k,)
        What the scores are made of; 0 for a feature that never varies.
    rule : str
        How the terms make the score: "sum of the terms", or a formula of their names.
    label_terms : ndarray of shape (k, n_labels) or None
        The part of each label, where the score is made of such.
    label_rule : str or None
        How these parts make the score.
    looks_again : bool
        Whether asking for the terms takes about as long as `fit`: the method looks at
        all rows and features again.
    information : ndarray of shape (k, n_labels)
        Mutual information of each selected feature with each label.
    label_entropies : ndarray of shape (n_labels,)
        How much there is to know about each label.
    redundancy : ndarray of shape (k, k)
        Mutual information among the selected features; entropies on the diagonal.
    n_missing : ndarray of shape (k,)
        How many cells of each selected feature are missing.
    missing_information : ndarray of shape (k, n_labels)
        What it tells about each label alone whether a cell is missing.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> print(PMU(n_features_to_select=1).fit(X, Y).explain(X, Y))
    1. x0, score 0.693: tells 100 % of label 0, 38 % of label 1
    """

    features: IntArray
    feature_names: list[str]
    label_names: list[str]
    included: BoolArray
    scores: FloatArray
    find_terms: Callable[[], ScoreTerms]
    looks_again: bool
    information: FloatArray
    label_entropies: FloatArray
    redundancy: FloatArray
    n_missing: IntArray
    missing_information: FloatArray

    @cached_property
    def _made_of(self) -> ScoreTerms:
        return self.find_terms()

    @property
    def terms(self) -> dict[str, FloatArray]:
        """What the scores are made of."""
        return self._made_of.terms

    @property
    def shown_terms(self) -> dict[str, FloatArray]:
        """The terms that are not 0 for all features; none where only one is left."""
        found = {name: term for name, term in self.terms.items() if term.any()}
        return found if len(found) > 1 else {}

    @property
    def rule(self) -> str:
        """How the terms make the score."""
        return self._made_of.rule.text

    @property
    def label_terms(self) -> FloatArray | None:
        """The part of each label, where the score is made of such."""
        return self._made_of.labels

    @property
    def label_rule(self) -> str | None:
        """How the parts of the labels make the score."""
        rule = self._made_of.label_rule
        return None if rule is None else rule.text

    @cached_property
    def label_shares(self) -> FloatArray:
        """The share of each label's entropy that each feature tells, (k, n_labels)."""
        return _shares(self.information, self.label_entropies)

    @cached_property
    def repeated_shares(self) -> FloatArray:
        """The share of each feature's entropy that each other one tells, (k, k)."""
        own = np.diag(self.redundancy)
        shares = _shares(self.redundancy.T, own).T
        np.fill_diagonal(shares, 0.0)
        return shares

    @cached_property
    def missing_shares(self) -> FloatArray:
        """The share of each label's entropy that missing cells tell, (k, n_labels)."""
        return _shares(self.missing_information, self.label_entropies)

    def to_dict(self, n_told: int = TOLD) -> list[dict[str, Any]]:
        """One plain dictionary per selected feature, best first.

        Parameters
        ----------
        n_told : int
            How many labels, and how many repeated features, are named for each.

        Returns
        -------
        features : list of dict
            With the keys ``index``, ``name``, ``score``, ``terms``, ``labels`` and
            ``repeats``; with ``label_terms``, the largest, where the score is made of
            such; with ``missing``, where cells are missing: how many, and what their
            being missing tells about labels; with ``included``, where it had to be in.
        """
        found = self.reasons(n_told)
        for place, feature in enumerate(found):
            feature["terms"] = {
                name: float(term[place]) for name, term in self.terms.items()
            }
            if self.label_terms is not None:
                feature["label_terms"] = [
                    {"label": self.label_names[label], "value": float(value)}
                    for label, value in _farthest(self.label_terms[place], n_told)
                ]
        return found

    def to_frame(self) -> Any:
        """The selected features as a table, best first.

        Returns
        -------
        frame : DataFrame
            Of pandas, or of polars where only polars is loaded: name, index and score
            of each feature, and what share of each label it tells, by the names of
            the labels.
        """
        of_features: dict[str, Any] = {
            "feature": self.feature_names,
            "index": self.features,
            "score": self.scores,
        }
        shares = zip(self.label_names, self.label_shares.T, strict=True)
        return frame_of({**of_features, **{f"tells {n}": s for n, s in shares}})

    def reasons(self, n_told: int = TOLD) -> list[dict[str, Any]]:
        """The same without the terms of the scores, which may take long to find.

        Parameters
        ----------
        n_told : int
            How many labels, and how many repeated features, are named for each.

        Returns
        -------
        features : list of dict
            With the keys ``index``, ``name``, ``score``, ``labels`` and ``repeats``.
        """
        return [self._reason(place, n_told) for place in range(self.features.size)]

    def _reason(self, place: int, n_told: int) -> dict[str, Any]:
        information, shares = self.information[place], self.label_shares[place]
        reason = {
            "index": int(self.features[place]),
            "name": self.feature_names[place],
            "score": float(self.scores[place]),
            "labels": self._told(information, shares, n_told),
            "repeats": [
                {
                    "feature": self.feature_names[other],
                    "information": float(self.redundancy[place, other]),
                    "share": float(self.repeated_shares[place, other]),
                }
                for other in _largest(self.repeated_shares[place], n_told)
            ],
        }
        if self.included[place]:
            reason["included"] = True
        if self.n_missing[place]:
            information, shares = (
                self.missing_information[place],
                self.missing_shares[place],
            )
            reason["missing"] = {
                "cells": int(self.n_missing[place]),
                "labels": self._told(information, shares, n_told),
            }
        return reason

    def _told(
        self, information: FloatArray, shares: FloatArray, n_told: int
    ) -> list[dict[str, Any]]:
        """The labels that something tells most about."""
        return [
            {
                "label": self.label_names[label],
                "information": float(information[label]),
                "share": float(shares[label]),
            }
            for label in _largest(shares, n_told)
        ]

    def __str__(self) -> str:
        return "\n".join(
            f"{rank}. {_sentence(feature)}"
            for rank, feature in enumerate(self.reasons(), start=1)
        )


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
        return self.features.take_columns(self.chosen)

    @cached_property
    def n_missing(self) -> IntArray:
        """How many cells of each selected feature are missing."""
        n_missing = self.chosen_features.n_missing
        return np.zeros_like(self.chosen) if n_missing is None else n_missing

    def missing_information(self) -> FloatArray:
        """What missing cells of the selected features tell about each label."""
        information = np.zeros((self.chosen.size, self.labels.n_values.size))
        (some,) = np.nonzero(self.n_missing)
        if some.size:
            values = self.chosen_features.values[:, some]
            is_missing = (values == MISSING).astype(np.float64)
            if sp.issparse(is_missing):
                is_missing = is_missing.tocsr()
                is_missing.sort_indices()
            counts = self._count(Features(is_missing))
            if counts is not None:
                place = np.ix_(some[counts.features.kept], counts.labels.kept)
                information[place] = feature_label_information(counts).T
        return information

    @cached_property
    def counts(self) -> Counts | None:
        """Counts of the selected features and the labels that vary, None if no such."""
        return self._count(self.chosen_features)

    @property
    def counts_of_chosen(self) -> Counts:
        """The same for a method that is asked for its terms: there are such."""
        assert self.counts is not None
        return self.counts

    def count_all(self) -> Counts:
        """Counts of all features that vary, for such a method."""
        counts = self._count(self.features)
        assert counts is not None
        return counts

    def code(self, features: Features) -> CodedColumns:
        """Features as the selector codes them."""
        binning = self.selector._binning() or DEFAULT_BINNING
        return code_features(features, find_cuts(features, *binning))

    def _count(self, features: Features) -> Counts | None:
        coded, labels = self.code(features), self.coded_labels
        if not coded.kept.size or not labels.kept.size:
            return None
        source = choose_source(coded, labels, labels)
        return Counts(coded, labels, source, getattr(self.selector, "n_jobs", None))

    def find_terms(self) -> ScoreTerms:
        """What the scores are made of; nothing, for a feature that never varies."""
        if self.counts is None:
            return self.only_term()
        found = self.selector._terms(self)
        return found.where(~self.chosen_features.constant)

    def places_in(self, counts: Counts) -> IntArray:
        """Where each selected feature is among counted ones; -1 if it never varies."""
        place = np.full(self.selector.n_features_in_, -1)
        place[counts.features.kept] = np.arange(counts.n_features)
        return place[self.chosen]

    def only_term(self, name: str = "score") -> ScoreTerms:
        """A score that is a single term."""
        return ScoreTerms({name: self.scores}, ONLY)

    def of_counted(self, found: dict[str, FloatArray]) -> ScoreTerms:
        """Terms of the counted features as terms of all selected ones."""
        spread = {name: np.zeros(self.chosen.size) for name in found}
        for name, values in found.items():
            spread[name][self.counts_of_chosen.features.kept] = values
        return ScoreTerms(spread)


def explain(
    selector: LabelSelector,
    X: Any,
    y: Any,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
) -> Explanation:
    """Count the selected features with the labels and with each other."""
    explained = Explained(selector, *selector._read_both(X, y, reset=False))
    counts, chosen = explained.counts, explained.chosen
    size, n_labels = chosen.size, explained.labels.n_values.size
    information = np.zeros((size, n_labels))
    entropies, redundancy = np.zeros(n_labels), np.zeros((size, size))
    if counts is not None:
        rows, columns = counts.features.kept, counts.labels.kept
        information[np.ix_(rows, columns)] = feature_label_information(counts).T
        entropies[columns] = label_entropy(counts)
        pairs = feature_pair_information(counts, 0, counts.n_features)
        redundancy[np.ix_(rows, rows)] = pairs
    return Explanation(
        features=chosen,
        feature_names=_feature_names(selector, chosen, feature_names),
        label_names=_label_names(selector, explained.labels.names, label_names),
        included=np.isin(chosen, Decided.of(selector).first),
        scores=explained.scores,
        find_terms=explained.find_terms,
        looks_again=selector._looks_again(),
        information=information,
        label_entropies=entropies,
        redundancy=redundancy,
        n_missing=explained.n_missing,
        missing_information=explained.missing_information(),
    )


def _shares(information: FloatArray, entropies: FloatArray) -> FloatArray:
    shares = np.zeros(information.shape)
    np.divide(information, entropies, out=shares, where=entropies > 0)
    return np.minimum(shares, 1.0)


def _largest(shares: FloatArray, n_told: int) -> list[int]:
    order = np.argsort(-shares, kind="stable")[:n_told]
    return [int(column) for column in order if shares[column] > 0]


def _farthest(values: FloatArray, n_told: int) -> list[tuple[int, float]]:
    order = np.argsort(-np.abs(values), kind="stable")[:n_told]
    return [(int(column), values[column]) for column in order if values[column] != 0]


def _sentence(feature: dict[str, Any]) -> str:
    told = _labels_told(feature["labels"])
    repeated = ", ".join(
        f"{other['share']:.0%} by {other['feature']}".replace("%", " %", 1)
        for other in feature["repeats"]
    )
    text = f"{with_mark(feature['name'], feature.get('included'))}, "
    text += f"score {feature['score']:.3g}: "
    text += f"tells {told}" if told else "tells nothing about any label alone"
    if repeated:
        text += f"; repeated {repeated}"
    if missing := feature.get("missing"):
        of_missing = _labels_told(missing["labels"]) or "nothing about any label"
        text += f"; {missing['cells']} cells missing, which tells {of_missing}"
    return text


def with_mark(name: str, included: bool | None) -> str:
    """The name of a feature, with a word where it had to be in."""
    return f"{name} (included)" if included else name


def _labels_told(labels: list[dict[str, Any]]) -> str:
    return ", ".join(
        f"{told['share']:.0%} of label {told['label']}".replace("%", " %")
        for told in labels
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
