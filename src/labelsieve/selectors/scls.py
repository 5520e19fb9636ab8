"""SCLS: greedy selection by relevance, scaled by redundancy."""

from __future__ import annotations

from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks


class SCLS(GreedySelector):
    """SCLS: a scalable criterion for large label sets.

    Each step adds the feature f that maximises

    .. math::

        J(f) = \\Bigl( 1 - \\sum_{s \\in S} \\frac{I(f; s)}{H(f)} \\Bigr)
               \\sum_l I(f; l)

    over the labels l and the selected features S. It measures redundancy between
    features only, as mRMR does, so many labels cost little.

    See Also
    --------
    MDMR : Redundancy that takes the labels into account.

    Notes
    -----
    The bracket becomes negative when several selected features share information with
    f. J is then negative too, and relevant but redundant features rank last.

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
        return LessPicks(
            {"relevance": relevance},
            lambda pick: terms.shared_with(pick) / entropy,
            times=relevance,
        )
