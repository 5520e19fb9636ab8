"""FIMF: fast ranking by mutual information with labels and pairs of labels."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.typing import IntArray
from labelsieve.discretization import CodedColumns
from labelsieve.engines import CORRECTIONS, Correction, Terms
from labelsieve.selectors._base import Ranking, rank_by_score
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import ScoreTerms


class FIMF(InformationSelector):
    """Fast information-theoretic feature ranking for multi-label data (FIMF).

    Each feature has the score

    .. math::

        M(f) = \\sum_{l \\in L} I(f; l) - \\sum_{a < b \\in Q} I(\\{f, a, b\\})

    over all labels L and over pairs of the labels Q with the highest entropy: labels of
    low entropy cannot contribute much. Redundancy between features is ignored.

    Parameters
    ----------
    n_labels : int, default=10
        The size of Q; all labels if there are fewer. With 0 or 1 the score is the sum
        of mutual information (MIM).
    n_candidates : int, default=None
        Score only that many features, those with the highest entropy; the others get
        the score minus infinity. None scores all.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        M of each feature, 0 for a constant one.
    promising_labels_ : ndarray
        The labels Q, highest entropy first.

    See Also
    --------
    PMU : The same terms for all labels, minus redundancy with selected features.

    References
    ----------
    J. Lee, D.-W. Kim: Fast multi-label feature selection based on
    information-theoretic feature ranking. Pattern Recognition 48(9), 2015.

    Examples
    --------
    >>> from labelsieve import FIMF
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> FIMF(n_features_to_select=1).fit(X, Y).order_
    array([0, 1, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "correction": [None, StrOptions({*CORRECTIONS})],
        "n_labels": [Interval(Integral, 0, None, closed="left")],
        "n_candidates": [None, Interval(Integral, 1, None, closed="left")],
    }

    n_labels: int = 10
    n_candidates: int | None = None
    correction: Correction | None = None

    def _nothing_to_rank(self, features: CodedColumns) -> Ranking:
        self.promising_labels_ = np.empty(0, dtype=np.int64)
        return super()._nothing_to_rank(features)

    def _rank_counts(self, counts: Terms, n_select: int) -> Ranking:
        promising = rank_by_score(counts.label_entropy)[: self.n_labels]
        self.promising_labels_ = counts.labels.kept[promising]
        # The order of the labels decides nothing but the last bits: keep theirs.
        scores = self._made_of(counts, np.sort(promising)).score()
        if self.n_candidates is not None:
            candidates = rank_by_score(counts.feature_entropy)[: self.n_candidates]
            must_be_in = ForcedFeatures.of(self).among(counts.features.kept).forced_in
            others = np.setdiff1d(np.arange(scores.size), [*candidates, *must_be_in])
            scores[others] = -np.inf
        return Ranking(scores, rank_by_score(scores))

    def _made_of(self, terms: Terms, promising: IntArray) -> ScoreTerms:
        """Relevance, minus the interaction of pairs of promising labels."""
        made_of = {"relevance": terms.relevance()}
        if promising.size > 1:
            among = terms.with_labels(promising)
            made_of["label interaction"] = -among.label_pair_interaction()
        return ScoreTerms(made_of)

    def _terms(self, explained: Explained) -> ScoreTerms:
        terms = explained.terms_of_chosen.corrected(self.correction)
        promising = np.isin(terms.labels.kept, self.promising_labels_)
        made_of = self._made_of(terms, np.flatnonzero(promising))
        return explained.of_counted(made_of.terms)
