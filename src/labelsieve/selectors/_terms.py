"""What a score is made of: its terms, and the rule that makes the score of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from labelsieve._utils.typing import BoolArray, FloatArray, IntArray

Named = Mapping[str, FloatArray]


@dataclass(frozen=True)
class Rule:
    """How terms make a score: in words, and as the function that `fit` uses."""

    text: str
    of: Callable[[Named], FloatArray]


def sum_of(terms: Named) -> FloatArray:
    """The terms added up, one after the other."""
    return reduce(np.add, terms.values())


SUM = Rule("sum of the terms", sum_of)
ONLY = Rule("the term itself", sum_of)


@dataclass(frozen=True, eq=False)
class ScoreTerms:
    """What the scores of features are made of."""

    terms: dict[str, FloatArray]  # for each term its value for each feature
    rule: Rule = SUM  # how the terms make the score
    labels: FloatArray | None = None  # (k, n_labels) the part of each label, if any
    label_rule: str | None = None  # how the labels make the score, in words

    def score(self) -> FloatArray:
        return self.rule.of(self.terms)

    def at(self, features: IntArray) -> ScoreTerms:
        terms = {name: term[features] for name, term in self.terms.items()}
        labels = None if self.labels is None else self.labels[features]
        return ScoreTerms(terms, self.rule, labels, self.label_rule)

    def where(self, varies: BoolArray) -> ScoreTerms:
        """The same, with nothing but zeros for the other features."""
        terms = {name: np.where(varies, term, 0.0) for name, term in self.terms.items()}
        labels = None if self.labels is None else self.labels * varies[:, np.newaxis]
        return ScoreTerms(terms, self.rule, labels, self.label_rule)
