"""SCLS: greedy selection by relevance scaled by what is new."""

from __future__ import annotations

from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks, over_picks


class SCLS(GreedySelector):
    """Scalable criterion for large label sets.

    In each step SCLS adds the feature f with the largest

    .. math::

        J(f) = \\Bigl( 1 - \\sum_{s \\in S} \\frac{I(f; s)}{H(f)} \\Bigr)
               \\sum_l I(f; l)

    over the labels l and the features S chosen so far. It never counts features and
    labels three at a time, so many labels cost little.

    Notes
    -----
    The share of f that is new can fall below zero when several chosen features
    repeat it; J is then negative, and relevant repetitions come last.

    References
    ----------
    J. Lee, D.-W. Kim: SCLS: Multi-label feature selection based on scalable
    criterion for large label set. Pattern Recognition 66, 2017.

    Examples
    --------
    >>> from labelsieve import SCLS
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> SCLS(n_features_to_select=1).fit(X, Y).get_support(indices=True)
    array([0])
    """

    def _criterion(self, terms: Terms) -> LessPicks:
        relevance, entropy = terms.relevance(), terms.feature_entropy
        redundant = over_picks(lambda pick: terms.shared_with(pick) / entropy)
        return LessPicks(
            {"relevance": relevance}, lambda pick: relevance * redundant(pick)
        )
