"""LRFS: greedy selection by what features tell once other labels are known."""

from __future__ import annotations

from labelsieve._plumbing.typing import FloatArray
from labelsieve.information import Terms
from labelsieve.selectors._greedy import GreedySelector, LessMean


class LRFS(GreedySelector):
    """Label redundancy: relevance given the other labels.

    In each step LRFS adds the feature f with the largest

    .. math::

        J(f) = \\sum_{a \\ne b} I(f; b \\mid a)
               - \\frac{1}{|S|} \\sum_{s \\in S} I(f; s)

    over the ordered pairs of labels a, b and the features S chosen so far.

    Parameters
    ----------
    n_features_to_select : int or float, default=0.1
        How many features to pick, or which fraction of them (at least one).
    include, exclude : list of str or int, default=None
        Names or indices of features that the search starts from, so that what repeats
        them is not chosen, and of features that are never selected.
    n_bins : int, default=2
        The number of codes for features with more distinct values than that.
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How values become codes; see :class:`~labelsieve.Discretizer`.
    missing : {"code", "error"}, default="code"
        Missing cells are a code of their own, or refused.
    correction : {"miller-madow", "chi2"} or None, default=None
        Take what chance shows off each term: on average, or where it is not
        significant at 5 percent altogether; see :mod:`labelsieve.information`. None
        is the method as published.
    n_jobs : int, default=None
        Number of threads; -1 uses all processors. The result does not depend on it.
    verbose : bool, default=False
        Show the progress of the picks on the standard error stream.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first: the picks in their order, then the others by
        their J after the last pick, then those that never vary.
    ranking_ : ndarray of shape (n_features,)
        The rank of each feature; 1 is best.
    scores_ : ndarray of shape (n_features,)
        J of each feature at the moment of its pick, or after the last pick.
    support_ : ndarray of shape (n_features,)
        Which features are kept.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has names that are all strings.
    label_names_in_ : ndarray of shape (n_labels,)
        The names of the labels, where y has names that are all strings.

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

    def _criterion(self, terms: Terms) -> LessMean:
        return LessMean(
            {"relevance given other labels": _conditional_relevance(terms)},
            lambda total, pick: total + terms.shared_with(pick),
        )


def _conditional_relevance(terms: Terms) -> FloatArray:
    """Sum over ordered pairs of labels of I(f; b | a) = I(f; b) - I({f, a, b})."""
    n_others = terms.counts.n_labels - 1
    if n_others == 0:
        return terms.relevance()
    return n_others * terms.relevance() - 2.0 * terms.label_pair_interaction()
