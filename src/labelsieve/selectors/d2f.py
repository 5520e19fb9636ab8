"""D2F: greedy selection by relevance less interaction with what is chosen."""

from __future__ import annotations

from labelsieve.information import Terms
from labelsieve.selectors._greedy import GreedySelector, LessSum


class D2F(GreedySelector):
    """Distinct dependency: PMU without the interaction of label pairs.

    In each step D2F adds the feature f with the largest

    .. math::

        J(f) = \\sum_l I(f; l) - \\sum_{s \\in S} \\sum_l I(\\{f, s, l\\})

    over the labels l and the features S chosen so far: what f tells about the labels,
    less what the chosen features tell already.

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
    PMU : The same with the interactions of label pairs.
    MDMR : Redundancy averaged over the chosen features.

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

    def _criterion(self, terms: Terms) -> LessSum:
        return LessSum(
            {"relevance": terms.relevance()},
            lambda pick: terms.chosen(pick)[1],
        )
