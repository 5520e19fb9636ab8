"""MDMR: greedy selection by maximal dependency and minimal redundancy."""

from __future__ import annotations

from labelsieve._plumbing.typing import FloatArray
from labelsieve.information import Terms
from labelsieve.selectors._greedy import GreedySelector, LessMean


class MDMR(GreedySelector):
    """Max-dependency and min-redundancy, averaged over the chosen features.

    In each step MDMR adds the feature f with the largest

    .. math::

        J(f) = \\sum_l I(f; l) - \\frac{1}{|S|} \\sum_{s \\in S}
               \\Big( I(f; s) - \\sum_l I(f; l \\mid s) \\Big)

    over the labels l and the features S chosen so far.

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

    See Also
    --------
    D2F : The interactions with chosen features summed, not averaged.

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

    def _criterion(self, terms: Terms) -> LessMean:
        relevant = terms.relevance()

        def add_redundancy(total: FloatArray, pick: int) -> FloatArray:
            shared, interaction = terms.chosen(pick)
            # The sum over labels of I(f; l | s) is relevance less interaction.
            return total + shared - (relevant - interaction)

        return LessMean({"relevance": relevant}, add_redundancy)
