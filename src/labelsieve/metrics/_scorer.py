"""Measures as scikit-learn scorers."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import BaseEstimator

from labelsieve.classifiers import label_scores
from labelsieve.metrics import _predictions
from labelsieve.metrics._better import SMALLER_IS_BETTER
from labelsieve.metrics._measures import (
    BY_PREDICTIONS,
    BY_SCORES,
    Undefined,
    by_scores,
    flag_pair,
)


def scorer(name: str, *, undefined: Undefined = "keep") -> MultilabelScorer:
    """Return a measure as a scikit-learn scorer: greater is better, losses negative.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from labelsieve.classifiers import MLkNN
    >>> from labelsieve.metrics import scorer
    >>> search = GridSearchCV(
    ...     MLkNN(), {"n_neighbors": [5, 10]}, scoring=scorer("ranking_loss")
    ... )
    """
    known = BY_PREDICTIONS + BY_SCORES
    if name not in known:
        raise ValueError(
            f"Unknown measure {name!r}; expected one of {', '.join(known)}."
        )
    return MultilabelScorer(name, undefined)


@dataclass(frozen=True)
class MultilabelScorer:
    """Callable ``(estimator, X, Y) -> float`` as scikit-learn's searches expect.

    Examples
    --------
    >>> from labelsieve.metrics import MultilabelScorer
    >>> MultilabelScorer("hamming_loss").sign
    -1.0
    """

    name: str
    undefined: Undefined = "keep"

    @property
    def sign(self) -> float:
        """Return -1 for losses, 1 for measures of which more is better."""
        return -1.0 if self.name in SMALLER_IS_BETTER else 1.0

    def __call__(self, estimator: BaseEstimator, X: object, Y: object) -> float:
        """Predict with the estimator and return the signed measure."""
        if self.name in BY_PREDICTIONS:
            pair = flag_pair(Y, estimator.predict(X))
            return self.sign * _predictions.MEASURES[self.name](*pair)
        scores = label_scores(estimator, X)
        return self.sign * by_scores(self.name, Y, scores, self.undefined)
