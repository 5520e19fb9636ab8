"""PMU: greedy selection by pairwise multi-label utility."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from labelsieve.engines import Terms
from labelsieve.selectors._greedy import GreedySelector, LessPicks


class PMU(GreedySelector):
    """Pairwise multi-label utility (PMU): greedy multi-label feature selection.

    Each step adds the feature f that maximises

    .. math::

        J(f) = \\sum_l I(f; l) - \\sum_{s \\in S} \\sum_l I(\\{f, s, l\\})
               - \\sum_{a < b} I(\\{f, a, b\\})

    where S is the set of selected features, l, a and b are labels, and
    :math:`I(\\{x, y, z\\}) = I(x; y) - I(x; y | z)` is interaction information: the
    relevance of f, minus its redundancy with the selected features, minus the
    interaction of pairs of labels. With a single label this is CIFE.

    Parameters
    ----------
    binning : {"quantile", "uniform", "none"}, default="quantile"
        How numeric features are discretised; see :class:`~labelsieve.Discretizer`.
        The paper's text names equal widths (``"uniform"``).
    label_pairs : {"unordered", "ordered"}, default="unordered"
        Whether each pair of labels counts once, as in the derivation and in the
        authors' code, or twice, as the printed double sum can be read.

    See Also
    --------
    FIMF : Ranks without search: much faster, ignores redundancy.
    D2F : PMU without the interaction of label pairs.
    MLQPFS : Balances relevance and redundancy by a quadratic program.

    Notes
    -----
    J can rise from one step to the next (synergy), so its sign is no stopping rule.
    Cost: one pass over the label pairs that co-occur in each sample, then one pass over
    the samples per selected feature.

    References
    ----------
    J. Lee, D.-W. Kim: Feature selection for multi-label classification using
    multivariate mutual information. Pattern Recognition Letters 34(3), 2013.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> PMU(n_features_to_select=1).fit(X, Y).get_support(indices=True)
    array([0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "label_pairs": [StrOptions({"unordered", "ordered"})],
    }

    label_pairs: str = "unordered"

    def _criterion(self, terms: Terms) -> LessPicks:
        times = 2.0 if self.label_pairs == "ordered" else 1.0
        # First what needs most memory.
        pairs = -times * terms.label_pair_interaction()
        own = {"relevance": terms.relevance(), "label interaction": pairs}
        return LessPicks(own, terms.interaction_with)  # Eq. 15
