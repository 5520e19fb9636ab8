"""MDMR: greedy selection by maximal dependency and minimal redundancy."""

from __future__ import annotations

from labelsieve._utils.typing import FloatArray
from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks


class MDMR(GreedySelector):
    """Max-dependency, min-redundancy (MDMR): mRMR for many labels.

    Each step adds the feature f that maximises

    .. math::

        J(f) = \\sum_l I(f; l) - \\frac{1}{|S|} \\sum_{s \\in S}
               \\Bigl( I(f; s) - \\sum_l I(f; l \\mid s) \\Bigr)

    over the labels l and the selected features S. With a single label this is the sum
    of the criteria of mRMR and JMI.

    See Also
    --------
    D2F : Interaction with the selected features, summed and not averaged.
    LRFS : mRMR with relevance conditional on the other labels.

    References
    ----------
    Y. Lin, Q. Hu, J. Liu, J. Duan: Multi-label feature selection based on
    max-dependency and min-redundancy. Neurocomputing 168, 2015.

    Examples
    --------
    >>> from labelsieve import MDMR
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> MDMR(n_features_to_select=1).fit(X, Y).get_support(indices=True)
    array([0])
    """

    def _criterion(self, terms: Terms) -> LessPicks:
        relevance = terms.relevance()

        def redundancy(pick: int) -> FloatArray:
            # The sum over labels of I(f; l | s) is relevance less interaction.
            conditional = relevance - terms.interaction_with(pick)
            return terms.shared_with(pick) - conditional

        own = {"relevance": relevance}
        return LessPicks(own, redundancy, mean=True)
