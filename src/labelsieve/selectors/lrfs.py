"""LRFS: greedy selection by what features tell once other labels are known."""

from __future__ import annotations

from labelsieve._plumbing.typing import FloatArray
from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks, over_picks


class LRFS(GreedySelector):
    """Label redundancy: relevance given the other labels.

    In each step LRFS adds the feature f with the largest

    .. math::

        J(f) = \\sum_{a \\ne b} I(f; b \\mid a)
               - \\frac{1}{|S|} \\sum_{s \\in S} I(f; s)

    over the ordered pairs of labels a, b and the features S chosen so far.

    Notes
    -----
    With a single label there are no pairs, and I(f; l) takes the place of the first
    sum. That sum grows with the square of the number of labels and the redundancy
    does not, so that with many labels hardly anything but relevance counts.

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
        return LessPicks(own, over_picks(terms.shared_with, mean=True))


def _conditional_relevance(terms: Terms) -> FloatArray:
    """Sum over ordered pairs of labels of I(f; b | a) = I(f; b) - I({f, a, b})."""
    n_others = terms.n_labels - 1
    if n_others == 0:
        return terms.relevance()
    pairs = terms.label_pair_interaction()  # first what needs most memory
    return n_others * terms.relevance() - 2.0 * pairs
