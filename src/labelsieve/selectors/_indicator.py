"""What the selectors share that need labels with two values."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from labelsieve._utils.typing import FloatArray
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import (
    LabelSelector,
    NumericTargets,
    Ranking,
    WeightedSelector,
    rank_by_score,
)
from labelsieve.selectors._capabilities import Capabilities


class IndicatorSelector(LabelSelector):
    """Base of the selectors that score features by a 0/1 matrix of labels.

    Subclasses implement `_score`. Constant features come last; if all labels are
    constant, all scores are 0.
    """

    _capabilities: ClassVar[Capabilities] = Capabilities(takes_classes=False)
    _takes_numbers: ClassVar[bool] = True

    @abstractmethod
    def _score(self, features: Features, indicator: Any) -> FloatArray:
        """The score of each feature."""

    def _asked(self, labels: Labels) -> Any:
        """What scores are made of."""
        return labels.indicator(type(self).__name__)

    def _goodness(self, scores: FloatArray) -> FloatArray:
        """Numbers that are large for good features."""
        return scores

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        constant = features.constant
        scores = self._score(features, self._asked(labels))
        if labels.constant.all() or constant.all():
            scores = np.zeros_like(scores)
        return Ranking(scores, rank_by_score(self._goodness(scores), last=constant))


class RegressionSelector(NumericTargets, IndicatorSelector):
    """Base of those whose formula is one of least squares: numbers are targets too."""

    _capabilities: ClassVar[Capabilities] = replace(
        IndicatorSelector._capabilities, takes_numbers=True
    )


class WeightedRegressionSelector(WeightedSelector, RegressionSelector):
    """Those of them that take weights of samples, and groups of features."""

    _capabilities: ClassVar[Capabilities] = replace(
        RegressionSelector._capabilities, takes_weights=True, takes_groups=True
    )
