"""Why these features: relevance, redundancy and score terms of the selected ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import TextWrapper
from typing import Any

import numpy as np

from labelsieve import sentences
from labelsieve._utils.machine import cached_property
from labelsieve._utils.messages import (
    Column,
    Table,
    frame_of,
    need,
    numbers,
    table,
    unknown,
    with_page,
)
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.reading import Features, Labels
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.sentences import label_name, with_mark

# How many labels and redundant features are named for each selected feature.
TOLD = 3
# A screen shows so many features.
MOST_LINES = 15
FOLD = TextWrapper(88, subsequent_indent="   ", break_on_hyphens=False)
SIGNIFICANCE = Column("significance", "significance")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Relevance per label, redundancy and score terms of the selected features.

    All values are plug-in estimates from frequencies, in nats; features that the method
    does not discretise itself are split at the median.

    Attributes
    ----------
    features : ndarray of shape (k,)
        The selected features, best first.
    feature_names : list of str
        Their names.
    label_names : list of str
        The names of all labels.
    noun : str
        What one of these is called: "label", or "target" where others are among them.
    included : ndarray of shape (k,)
        Which of them were forced in.
    scores : ndarray of shape (k,)
        The method's own scores.
    significance : list of str or None
        Where the method tests them (Sieve): "significant" for some label, "redundant"
        (significant, but nothing beyond those before) or "not significant".
    terms : dict of str to ndarray of shape (k,)
        The terms of the scores; 0 for a constant feature.
    rule : str
        How the terms make up the score: "sum of the terms", or a formula.
    label_terms : ndarray of shape (k, n_labels) or None
        The contribution of each label, where the score has such.
    label_rule : str or None
        How the contributions of the labels make up the score.
    n_candidates : int
        How many features there were to choose from.
    information : ndarray of shape (k, n_labels)
        Mutual information of each selected feature with each label.
    label_entropies : ndarray of shape (n_labels,)
        The entropy of each label.
    redundancy : ndarray of shape (k, k)
        Mutual information among the selected features; entropies on the diagonal.
    n_missing : ndarray of shape (k,)
        The number of missing values of each selected feature.
    missing_information : ndarray of shape (k, n_labels)
        Mutual information of missingness with each label.
    label_coverage : ndarray of shape (n_labels,)
        The largest mutual information of a selected feature with each label, as a
        fraction of the largest of any feature; 1 where all are 0. Computed on first
        access, from all features and labels.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> print(PMU(n_features_to_select=1).fit(X, Y).explain(X, Y))
    1. x0, score 0.693: relevant for label 0 (100 %), label 1 (38 %)
    """

    features: IntArray
    feature_names: list[str]
    label_names: list[str]
    noun: str
    included: BoolArray
    scores: FloatArray
    significance: list[str] | None
    find_terms: Callable[[], ScoreTerms]
    find_largest: Callable[[], FloatArray]
    find_columns: Callable[[], tuple[Features, Labels]]
    n_candidates: int
    looks_again: bool
    information: FloatArray
    label_entropies: FloatArray
    redundancy: FloatArray
    n_missing: IntArray
    missing_information: FloatArray
    # The column of each feature; of a group of columns, the first.
    columns: IntArray
    # Selector, data and given names: a notebook shows a page about them.
    source: tuple[Any, Any, Any, dict[str, Any]] | None = None

    @cached_property
    def _made_of(self) -> ScoreTerms:
        return self.find_terms()

    @property
    def terms(self) -> dict[str, FloatArray]:
        """The terms of the scores."""
        return self._made_of.terms

    @property
    def shown_terms(self) -> dict[str, FloatArray]:
        """The terms that are not 0 for all features; none where only one is left."""
        found = {name: term for name, term in self.terms.items() if term.any()}
        return found if len(found) > 1 else {}

    @property
    def rule(self) -> str:
        """How the terms make up the score."""
        return self._made_of.rule.text

    @property
    def label_terms(self) -> FloatArray | None:
        """The contribution of each label, where the score has such."""
        return self._made_of.labels

    @property
    def label_rule(self) -> str | None:
        """How the contributions of the labels make up the score."""
        return self._made_of.label_rule

    @cached_property
    def label_shares(self) -> FloatArray:
        """Mutual information as a fraction of the label's entropy, (k, n_labels)."""
        return _shares(self.information, self.label_entropies)

    @cached_property
    def label_coverage(self) -> FloatArray:
        """Largest mutual information of a selected feature, relative to any feature."""
        return coverage(self.information.max(axis=0, initial=0.0), self.find_largest())

    def least_covered(self, n_shown: int = TOLD) -> list[dict[str, Any]]:
        """The labels with the lowest coverage, worst first.

        Parameters
        ----------
        n_shown : int
            How many labels at most; fully covered ones are not among them.

        Returns
        -------
        labels : list of dict
            With the keys ``label`` and ``coverage``, as in `label_coverage`.
        """
        order = np.argsort(self.label_coverage, kind="stable")[:n_shown]
        return [
            {
                "label": self.label_names[label],
                "coverage": float(self.label_coverage[label]),
            }
            for label in order
            if self.label_coverage[label] < 1.0
        ]

    @cached_property
    def redundancy_shares(self) -> FloatArray:
        """Redundancy as a fraction of each feature's entropy, (k, k)."""
        own = np.diag(self.redundancy)
        shares = _shares(self.redundancy.T, own).T
        np.fill_diagonal(shares, 0.0)
        return shares

    @cached_property
    def missing_shares(self) -> FloatArray:
        """Relevance of missingness, as a fraction of label entropy, (k, n_labels)."""
        return _shares(self.missing_information, self.label_entropies)

    def to_dict(self, n_shown: int = TOLD) -> list[dict[str, Any]]:
        """One plain dictionary per selected feature, best first.

        Parameters
        ----------
        n_shown : int
            How many labels, and how many redundant features, are named for each.

        Returns
        -------
        features : list of dict
            With the keys ``index``, ``name``, ``score``, ``terms``, ``labels`` and
            ``redundant_with``; with ``label_terms``, the largest, where the score has
            such; with ``missing``, where values are missing: how many, and how relevant
            missingness is; with ``included``, where the feature was forced in.
        """
        found = self.reasons(n_shown)
        for place, feature in enumerate(found):
            feature["terms"] = {
                name: float(term[place]) for name, term in self.terms.items()
            }
            if self.label_terms is not None:
                values = self.label_terms[place]
                farthest = np.argsort(-np.abs(values), kind="stable")[:n_shown]
                feature["label_terms"] = [
                    {"label": self.label_names[label], "value": float(values[label])}
                    for label in farthest.tolist()
                    if values[label] != 0
                ]
        return found

    def to_frame(self) -> Any:
        """The selected features as a table, best first.

        Returns
        -------
        frame : DataFrame
            Of pandas, or of polars where only polars is loaded: name, index and score
            of each feature, and its relevance for each label.
        """
        of_features: dict[str, Any] = {
            "feature": self.feature_names,
            "index": self.features,
            "score": self.scores,
        }
        shares = zip(self.label_names, self.label_shares.T, strict=True)
        return frame_of({**of_features, **{f"relevance: {n}": s for n, s in shares}})

    def reasons(self, n_shown: int = TOLD) -> list[dict[str, Any]]:
        """As `to_dict`, without the terms of the scores, which may take long."""
        return [self._reason(place, n_shown) for place in range(self.features.size)]

    def _reason(self, place: int, n_shown: int) -> dict[str, Any]:
        def listed(
            key: str, names: list[str], values: FloatArray, shares: FloatArray
        ) -> list[dict[str, Any]]:
            """The names with the largest shares."""
            order = np.argsort(-shares[place], kind="stable")[:n_shown]
            return [
                {
                    key: names[column],
                    "information": float(values[place, column]),
                    "share": float(shares[place, column]),
                }
                for column in order
                if shares[place, column] > 0
            ]

        labels, features = self.label_names, self.feature_names
        reason: dict[str, Any] = {
            "index": int(self.features[place]),
            "name": features[place],
            "score": float(self.scores[place]),
            "labels": listed("label", labels, self.information, self.label_shares),
            "redundant_with": listed(
                "feature", features, self.redundancy, self.redundancy_shares
            ),
        }
        if self.significance is not None:
            reason["significance"] = self.significance[place]
        if self.included[place]:
            reason["included"] = True
        if self.n_missing[place]:
            missing = self.missing_information, self.missing_shares
            reason["missing"] = {
                "cells": int(self.n_missing[place]),
                "labels": listed("label", labels, *missing),
            }
        return reason

    def plot(self, what: str = "labels", ax: Any = None) -> Any:
        """Plot relevance, scores or redundancy, and return the display.

        Parameters
        ----------
        what : {"labels", "scores", "redundancy"}, default="labels"
            The relevance of each feature for each label, the scores, or the redundancy
            among the features.
        ax : matplotlib Axes, optional
            Where to draw; by default into a new figure.

        Returns
        -------
        display : InformationDisplay, RankingDisplay or RedundancyDisplay
            With `ax_` and `figure_`.
        """
        names = {
            "labels": "InformationDisplay",
            "scores": "RankingDisplay",
            "redundancy": "RedundancyDisplay",
        }
        if what not in names:
            raise ValueError(unknown("picture", what, names))
        displays = need("labelsieve.plots", "a picture", "plots")
        return getattr(displays, names[what]).from_explanation(self).plot(ax)

    def __str__(self) -> str:
        return "\n".join(self._lines(self.features.size))

    def __repr__(self) -> str:
        size = self.features.size
        targets = sentences.many(len(self.label_names), self.noun)
        lines = [f"<Explanation of {sentences.many(size, 'feature')} and {targets}>"]
        lines += self._lines(MOST_LINES)
        if size > MOST_LINES:
            lines.append(f"... and {size - MOST_LINES:,} more: print() shows all")
        return "\n".join(lines)

    def _lines(self, most: int) -> list[str]:
        places = range(min(most, self.features.size))
        reasons = [self._reason(place, TOLD) for place in places]
        said = [sentences.reason(one, self.noun) for one in reasons]
        return [FOLD.fill(f"{n}. {one}") for n, one in enumerate(said, 1)]

    def _repr_html_(self) -> str:
        static = table(feature_table(self, {}, terms=not self.looks_again))
        return with_page(static, self)


def feature_table(
    explanation: Explanation,
    extra_columns: Mapping[str, Any],
    *,
    terms: bool = True,
    n_repeats: int = TOLD,
) -> Table:
    """Return one row per selected feature, best first.

    `extra_columns` are further numbers of each feature, shown next to its score.
    """
    shown_terms = explanation.shown_terms if terms else {}
    columns: dict[str, Any] = {**extra_columns, **shown_terms}
    nothing = {"missing": {"cells": 0, "labels": []}}
    rows = [
        {
            **feature,
            "rank": place + 1,
            "relevance_share": _first_share(feature["labels"]),
            "redundancy_share": _first_share(feature["redundant_with"]),
            "redundant_with": feature["redundant_with"][:n_repeats],
            "missing_cells": feature["missing"]["cells"],
            "missing_labels": feature["missing"]["labels"],
            "missing_share": _first_share(feature["missing"]["labels"]),
            **{name: values[place] for name, values in columns.items()},
        }
        for place, feature in enumerate(
            {**nothing, **reason} for reason in explanation.reasons()
        )
    ]
    listed = [
        numbers("rank", "rank", ""),
        Column("feature", ("name", "included"), with_mark),
        numbers("score", "score"),
        *([] if explanation.significance is None else [SIGNIFICANCE]),
        *(numbers(name.replace("_", " "), name, "z.3g") for name in columns),
        _shares_column("relevant for", "relevance_share", "labels", explanation.noun),
        _shares_column("most redundant with", "redundancy_share", "redundant_with"),
    ]
    if explanation.n_missing.any():
        listed += [
            numbers("missing cells", "missing_cells", ""),
            _shares_column(
                *("missingness relevant for", "missing_share", "missing_labels"),
                explanation.noun,
            ),
        ]
    return Table("The chosen features", listed, rows)


def _shares_column(title: str, share: str, parts: str, noun: str = "") -> Column:
    return Column(title, (share, parts), partial(_listed_shares, noun), style="words")


def _first_share(parts: Sequence[Mapping[str, Any]]) -> float:
    return parts[0]["share"] if parts else 0.0


def _listed_shares(noun: str, _: float, parts: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{label_name(part['label'], noun) if 'label' in part else part['feature']} "
        + ("< 1 %" if part["share"] < 0.01 else f"{100 * part['share']:.0f} %")
        for part in parts
    )


def coverage(information: FloatArray, largest: FloatArray) -> FloatArray:
    """Information as a share of the largest about each label; 1 of nothing."""
    found = np.ones(information.shape)
    np.divide(information, largest, out=found, where=largest > 0)
    return np.minimum(found, 1.0)


def _shares(information: FloatArray, entropies: FloatArray) -> FloatArray:
    shares = np.zeros(information.shape)
    np.divide(information, entropies, out=shares, where=entropies > 0)
    return np.minimum(shares, 1.0)
