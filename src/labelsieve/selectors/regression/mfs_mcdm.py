"""MFS-MCDM: features ranked like alternatives, with labels as criteria."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import Named, Rule, ScoreTerms
from labelsieve.selectors.regression.rfs import ridge_weights, standardized_table


class MFSMCDM(IndicatorSelector):
    """Multi-criteria decision making: how near a feature is to an ideal one.

    A ridge regression of the labels on the standardised features gives a table of
    absolute weights, features by labels. Its columns are scaled to length 1 and
    weighted by the entropies of the labels. The ideal feature has the largest value
    of every column, the worst one the smallest; features are ranked by

    .. math::

        \\frac{d^-}{d^+ + d^-}

    with the distances to the worst and to the ideal feature (TOPSIS).

    Parameters
    ----------
    alpha : float, default=10.0
        The penalty of the ridge regression.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The closeness of each feature to the ideal one, from 0 to 1.

    Notes
    -----
    Absolute weights are used because a feature that speaks against a label tells as
    much as one that speaks for it.

    References
    ----------
    A. Hashemi, M. B. Dowlatshahi, H. Nezamabadi-pour: MFS-MCDM: Multi-label feature
    selection using multi-criteria decision making. Knowledge-Based Systems 206, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MFSMCDM
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MFSMCDM(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _slow_terms: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
    }

    alpha: float = 10.0

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        return self._made_of(features, indicator).score()

    def _made_of(self, features: Features, indicator: Matrix) -> ScoreTerms:
        labels = as_dense(indicator)
        shares = labels.mean(axis=0)
        X = standardized_table(features.values)
        with one_thread_inside():
            W = ridge_weights(X, labels - shares, np.full(X.shape[1], self.alpha))
        W = features.groups.lengths(W)
        return distances_to_ends(np.abs(W), _entropy(shares))

    def _terms(self, explained: Explained) -> ScoreTerms:
        made_of = self._made_of(explained.numbers, explained.indicator)
        return made_of.at(explained.chosen)


def distances_to_ends(table: FloatArray, importance: FloatArray) -> ScoreTerms:
    """TOPSIS: the distance of each row to the worst and to the ideal one."""
    length = np.sqrt((table**2).sum(axis=0))
    weighted = table / np.where(length > 0, length, 1.0) * importance
    to_best = np.sqrt(((weighted - weighted.max(axis=0)) ** 2).sum(axis=1))
    to_worst = np.sqrt(((weighted - weighted.min(axis=0)) ** 2).sum(axis=1))
    terms = {"from the worst": to_worst, "from the ideal": to_best}
    return ScoreTerms(terms, CLOSENESS, weighted, COORDINATES)


def _closeness(terms: Named) -> FloatArray:
    to_worst = terms["from the worst"]
    total = to_worst + terms["from the ideal"]
    return np.divide(to_worst, total, out=np.zeros_like(total), where=total > 0)


CLOSENESS = Rule("from the worst / (from the worst + from the ideal)", _closeness)
COORDINATES = "coordinates of the feature"


def _entropy(shares: FloatArray) -> FloatArray:
    """Entropy of labels that a share of the rows has, as parts of their sum."""
    both = np.stack([shares, 1.0 - shares])
    entropy = -(both * np.log(np.where(both > 0, both, 1.0))).sum(axis=0)
    total = entropy.sum()
    return entropy / total if total > 0 else entropy
