"""D2F: greedy selection by relevance minus interaction with selected features."""

from __future__ import annotations

from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks


class D2F(GreedySelector):
    """D2F: PMU without the interaction of label pairs.

    Each step adds the feature f that maximises

    .. math::

        J(f) = \\sum_l I(f; l) - \\sum_{s \\in S} \\sum_l I(\\{f, s, l\\})

    over the labels l and the selected features S: relevance minus the interaction
    information with every selected feature. With a single label this is CIFE.

    See Also
    --------
    PMU : The same with the interaction of label pairs.
    MDMR : Redundancy averaged over the selected features.

    References
    ----------
    J. Lee, D.-W. Kim: Mutual information-based multi-label feature selection using
    interaction information. Expert Systems with Applications 42(4), 2015.

    Examples
    --------
    >>> from labelsieve import D2F
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> D2F(n_features_to_select=1).fit(X, Y).get_support(indices=True)
    array([0])
    """

    def _criterion(self, terms: Terms) -> LessPicks:
        return LessPicks({"relevance": terms.relevance()}, terms.interaction_with)
