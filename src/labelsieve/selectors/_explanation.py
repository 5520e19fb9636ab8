"""Why these features: what each selected one tells, repeats and is scored by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelsieve import sentences
from labelsieve._plumbing.machine import cached_property
from labelsieve._plumbing.messages import (
    Column,
    Table,
    frame_of,
    need,
    numbers,
    table,
    unknown,
)
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.sentences import label_name, with_mark

# How many labels and repeated features are told about each selected feature.
TOLD = 3
# A screen shows so many features.
MOST_LINES = 15


@dataclass(frozen=True, eq=False, repr=False)
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
    label_kept : ndarray of shape (n_labels,)
        The most that a selected feature tells about each label alone, as a share of
        the most that any feature tells; 1 where none tells anything. Found when asked
        for: all features are counted with all labels.

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
    find_largest: Callable[[], FloatArray]
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
        return self._made_of.label_rule

    @cached_property
    def label_shares(self) -> FloatArray:
        """The share of each label's entropy that each feature tells, (k, n_labels)."""
        return _shares(self.information, self.label_entropies)

    @cached_property
    def label_kept(self) -> FloatArray:
        """The share that is kept of the most that a feature tells about each label."""
        largest = self.find_largest()
        kept = np.ones(largest.size)
        best = self.information.max(axis=0, initial=0.0)
        np.divide(best, largest, out=kept, where=largest > 0)
        return np.minimum(kept, 1.0)

    def least_kept(self, n_told: int = TOLD) -> list[dict[str, Any]]:
        """The labels that the selection keeps least of, worst first.

        Parameters
        ----------
        n_told : int
            How many labels at most; those of which all is kept are not among them.

        Returns
        -------
        labels : list of dict
            With the keys ``label`` and ``kept``, the share of `label_kept`.
        """
        order = np.argsort(self.label_kept, kind="stable")[:n_told]
        return [
            {"label": self.label_names[label], "kept": float(self.label_kept[label])}
            for label in order
            if self.label_kept[label] < 1.0
        ]

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
        def listed(
            key: str, names: list[str], values: FloatArray, shares: FloatArray
        ) -> list[dict[str, Any]]:
            """The names with the largest shares."""
            order = np.argsort(-shares[place], kind="stable")[:n_told]
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
            "repeats": listed(
                "feature", features, self.redundancy, self.repeated_shares
            ),
        }
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
        """Draw what the features tell, and return the display.

        Parameters
        ----------
        what : {"labels", "scores", "repeats"}, default="labels"
            What each feature tells about each label; the scores; or what the
            features repeat of each other.
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
            "repeats": "RedundancyDisplay",
        }
        if what not in names:
            raise ValueError(unknown("picture", what, names))
        displays = need("labelsieve.plots", "a picture", "plots")
        return getattr(displays, names[what]).from_explanation(self).plot(ax)

    def __str__(self) -> str:
        return "\n".join(self._lines(self.features.size))

    def __repr__(self) -> str:
        size, n_labels = self.features.size, len(self.label_names)
        lines = [f"<Explanation of {size:,} features and {n_labels:,} labels>"]
        lines += self._lines(MOST_LINES)
        if size > MOST_LINES:
            lines.append(f"... and {size - MOST_LINES:,} more: print() shows all")
        return "\n".join(lines)

    def _lines(self, most: int) -> list[str]:
        places = range(min(most, self.features.size))
        reasons = (self._reason(place, TOLD) for place in places)
        return [f"{n}. {sentences.reason(one)}" for n, one in enumerate(reasons, 1)]

    def _repr_html_(self) -> str:
        return table(feature_table(self, {}, terms=not self.looks_again))


def feature_table(
    explanation: Explanation,
    beside: Mapping[str, Any],
    *,
    terms: bool = True,
    n_repeats: int = TOLD,
) -> Table:
    """Return one row per selected feature, best first.

    Numbers of each feature that are known from elsewhere stand `beside` its score.
    """
    columns: dict[str, Any] = {**beside, **(explanation.shown_terms if terms else {})}
    nothing = {"missing": {"cells": 0, "labels": []}}
    rows = [
        {
            **feature,
            "rank": place + 1,
            "told": _first_share(feature["labels"]),
            "repeated": _first_share(feature["repeats"]),
            "repeats": feature["repeats"][:n_repeats],
            "missing_cells": feature["missing"]["cells"],
            "missing_labels": feature["missing"]["labels"],
            "missing_told": _first_share(feature["missing"]["labels"]),
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
        *(numbers(name.replace("_", " "), name, "z.3g") for name in columns),
        _shares_column("tells most about", "told", "labels"),
        _shares_column("repeated most by", "repeated", "repeats"),
    ]
    if explanation.n_missing.any():
        listed += [
            numbers("missing cells", "missing_cells", ""),
            _shares_column("missing tells", "missing_told", "missing_labels"),
        ]
    return Table("The chosen features", listed, rows)


def _shares_column(title: str, *keys: str) -> Column:
    return Column(title, keys, _listed_shares, style="words")


def _first_share(parts: Sequence[Mapping[str, Any]]) -> float:
    return parts[0]["share"] if parts else 0.0


def _listed_shares(_: float, parts: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{label_name(part['label']) if 'label' in part else part['feature']} "
        + ("< 1 %" if part["share"] < 0.01 else f"{100 * part['share']:.0f} %")
        for part in parts
    )


def _shares(information: FloatArray, entropies: FloatArray) -> FloatArray:
    shares = np.zeros(information.shape)
    np.divide(information, entropies, out=shares, where=entropies > 0)
    return np.minimum(shares, 1.0)


def _farthest(values: FloatArray, n_told: int) -> list[tuple[int, float]]:
    order = np.argsort(-np.abs(values), kind="stable")[:n_told]
    return [(int(column), values[column]) for column in order if values[column] != 0]
