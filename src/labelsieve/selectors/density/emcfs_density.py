"""EMCFS density: features whose values crowd together on one side of a label."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._plumbing.messages import warn
from labelsieve._plumbing.typing import BoolArray, FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._base import rank_by_score
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import ScoreTerms
from labelsieve.selectors.density.sums import (
    Densities,
    Similarity,
    densities,
    inverse_distance,
)

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained


class EMCFSDensity(IndicatorSelector):
    """Selection by density, label by label, as in EMCFS.

    For every label the values of a feature are compared within the rows that have
    the label, and within those that lack it. Features whose values lie close
    together, relative to the two that lie farthest apart, have a high density.
    Every label selects its own features (`label_support_`); the global ranking
    counts how many labels select a feature.

    Parameters
    ----------
    ratio : float, default=0.1
        Share r of the smaller side of a label that makes the number m of features
        that the label selects on each side: m = ceil(r min(positives, negatives)).
    mode : {"count", "threshold"}, default="count"
        ``"count"`` selects for each label the m features of highest positive and
        the m of highest negative density. ``"threshold"`` selects the features
        whose density is larger than m, as the paper reads: as densities are at
        least the number of rows, that is every feature.
    similarity : "inverse" or callable, default="inverse"
        Similarity of two values as a function of their distance, for features
        scaled to [0, 1]: 1 / (1 + d), or a function that takes an array of
        distances between 0 and 1 and returns as many positive numbers that do not
        increase with distance.

    Attributes
    ----------
    label_support_ : ndarray of shape (n_labels, n_features)
        Which features each label selects; none for labels that are constant.
    positive_density_ : ndarray of shape (n_labels, n_features)
        Density within the rows that have the label, 0 where there is none.
    negative_density_ : ndarray of shape (n_labels, n_features)
        Density within the rows that lack the label, 0 where there is none.
    scores_ : ndarray of shape (n_features,)
        Number of labels that select the feature plus, to break ties, a number
        below 1 that grows with its mean density per row; 0 for constant features.

    Notes
    -----
    With ``similarity="inverse"`` features with up to 700 distinct values are added
    up exactly; others by a sum of nine exponentials whose relative error is below
    1e-12, in time n log n. A function of your own is added up over all pairs of
    distinct values. A feature with one outlier has nearly twice the density that it
    has without: the measure is not continuous. Two different categories of a nominal
    feature are at distance 1.

    References
    ----------
    H. Liu, Z. Zheng, J. Zhao and R. Ye, "An Ensemble Method for High-Dimensional
    Multilabel Data", Mathematical Problems in Engineering, 2013, Eqs. 3 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import EMCFSDensity
    >>> X = np.array([[0, 0.1], [0, 0.9], [0, 0.5], [1, 0.3], [0, 0.8], [0, 0.0]])
    >>> Y = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])
    >>> EMCFSDensity(1).fit(X, Y).label_support_.tolist()
    [[True, True], [True, True]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"count", "threshold"})],
        "similarity": [StrOptions({"inverse"}), callable],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        ratio: float = 0.1,
        mode: str = "count",
        similarity: str | Similarity = "inverse",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.ratio = ratio
        self.mode = mode
        self.similarity = similarity
        self.n_jobs = n_jobs

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = densities(
            features.values,
            indicator,
            self._checked_similarity(),
            self.n_jobs,
            features.groups,
        )
        return self._score_densities(found, features.constant)

    def _checked_similarity(self) -> Similarity:
        if not callable(self.similarity):
            return inverse_distance
        _check_similarity(self.similarity)
        return self.similarity

    def _score_densities(self, found: Densities, constant: BoolArray) -> FloatArray:
        self.positive_density_, self.negative_density_ = found.positive, found.negative
        if self.mode == "threshold":
            _warn_vacuous()
        self.label_support_ = np.array(
            [
                self._select(found, label, constant)
                for label in range(found.n_positive.size)
            ]
        )
        scores = _made_of(self.label_support_, _tie_breaker(found)).score()
        scores[constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        chosen_by = self.label_support_[:, explained.chosen]
        density = explained.scores - chosen_by.sum(axis=0)
        return _made_of(chosen_by, density)

    def _select(self, found: Densities, label: int, constant: BoolArray) -> BoolArray:
        """The features that one label selects."""
        support = np.zeros(constant.size, dtype=bool)
        sizes = found.n_positive[label], found.n_negative[label]
        wanted = self.ratio * min(sizes)  # Eq. 6
        if min(sizes) == 0:
            return support
        for size, density in zip(
            sizes, (found.positive[label], found.negative[label]), strict=True
        ):
            if size < 2:
                continue  # a single row has the same density in all features
            if self.mode == "threshold":
                support |= density > wanted
            else:
                # 0.1 times 30 is a little more than 3.
                n_best = max(1, int(np.ceil(wanted - 1e-9)))
                support[rank_by_score(density, last=constant)[:n_best]] = True
        return support


def _made_of(chosen_by: BoolArray, density: FloatArray) -> ScoreTerms:
    """The labels that choose a feature count, and density decides between equals."""
    n_labels = chosen_by.sum(axis=0).astype(np.float64)
    terms = {"labels that choose it": n_labels, "density": density}
    per_label = chosen_by.T.astype(np.float64)
    return ScoreTerms(terms, labels=per_label, label_rule=CHOICES)


CHOICES = "1 for a label that chooses it"


def _tie_breaker(found: Densities) -> FloatArray:
    """Mean density per row over all sides with at least two rows, brought below 1."""
    informative = (found.n_positive > 0) & (found.n_negative > 0)
    sides = [(found.positive, found.n_positive), (found.negative, found.n_negative)]
    per_row = [
        density[informative & (size > 1)] / size[informative & (size > 1), None]
        for density, size in sides
    ]
    n_sides = sum(map(len, per_row))
    mean = np.sum([part.sum(axis=0) for part in per_row], axis=0) / max(1, n_sides)
    return mean / (1.0 + mean)


def _check_similarity(similarity: Similarity) -> None:
    distances = np.linspace(0.0, 1.0, 11)
    found = np.asarray(similarity(distances))
    if (
        found.shape != distances.shape
        or not np.isfinite(found).all()
        or (found <= 0).any()
        or (np.diff(found) > 0).any()
    ):
        raise ValueError(
            "similarity must return a positive number for each distance, none larger "
            f"than for a smaller distance; for {distances} it returned {found}."
        )


def _warn_vacuous() -> None:
    warn(
        'mode="threshold" selects every feature for every label, because a density is '
        'never smaller than the number of rows. mode="count" makes a choice.'
    )
