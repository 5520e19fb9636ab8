"""LRFS: greedy selection by relevance conditional on the other labels."""

from __future__ import annotations

from labelsieve._utils.typing import FloatArray
from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks


class LRFS(GreedySelector):
    """LRFS: mRMR with relevance conditional on the other labels (label redundancy).

    Each step adds the feature f that maximises

    .. math::

        J(f) = \\sum_{a \\ne b} I(f; b \\mid a)
               - \\frac{1}{|S|} \\sum_{s \\in S} I(f; s)

    over the ordered pairs of labels a, b and the selected features S.

    See Also
    --------
    MDMR : mRMR with redundancy conditional on the labels.

    Notes
    -----
    With a single label there are no pairs, and I(f; l) replaces the first sum: this is
    mRMR. The first sum grows with the square of the number of labels and redundancy
    does not, so that redundancy hardly counts with many labels.

    References
    ----------
    P. Zhang, G. Liu, W. Gao: Distinguishing two types of labels for multi-label
    feature selection. Pattern Recognition 95, 2019.

    Examples
    --------
    >>> from labelsieve import LRFS
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> LRFS(n_features_to_select=1).fit(X, Y).get_support(indices=True)
    array([0])
    """

    def _criterion(self, terms: Terms) -> LessPicks:
        own = {"relevance given other labels": _conditional_relevance(terms)}
        return LessPicks(own, terms.shared_with, mean=True)


def _conditional_relevance(terms: Terms) -> FloatArray:
    """Sum over ordered pairs of labels of I(f; b | a) = I(f; b) - I({f, a, b})."""
    n_others = terms.n_labels - 1
    if n_others == 0:
        return terms.relevance()
    pairs = terms.label_pair_interaction()  # first what needs most memory
    return n_others * terms.relevance() - 2.0 * pairs
