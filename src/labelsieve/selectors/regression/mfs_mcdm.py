"""MFS-MCDM: multi-criteria decision making with labels as criteria."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr
from sklearn.utils._param_validation import Interval

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import Named, Rule, ScoreTerms
from labelsieve.selectors.regression.rfs import ridge_weights, standardized_table


class MFSMCDM(IndicatorSelector):
    """MFS-MCDM: TOPSIS over the coefficients of a ridge regression.

    A ridge regression of the labels on the standardised features gives a matrix of
    absolute coefficients, features by labels. Its columns are scaled to length 1 and
    weighted by the entropies of the labels. The ideal feature has the maximum of every
    column, the worst one the minimum; features are ranked by

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

    See Also
    --------
    RFS : A sparse regression of all labels.

    Notes
    -----
    Coefficients are taken absolutely, because a negative effect is as informative as a
    positive one.

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
        entropy = entr(shares) + entr(1.0 - shares)
        return distances_to_ends(np.abs(W), entropy / (entropy.sum() or 1.0))

    def _terms(self, explained: Explained) -> ScoreTerms:
        made_of = self._made_of(explained.numbers, explained.indicator)
        return made_of.at(explained.chosen)


def distances_to_ends(table: FloatArray, importance: FloatArray) -> ScoreTerms:
    """TOPSIS: the distance of each row to the worst and to the ideal one."""
    length = np.sqrt((table**2).sum(axis=0))
    weighted = table / np.where(length > 0, length, 1.0) * importance
    to_best = np.sqrt(((weighted - weighted.max(axis=0)) ** 2).sum(axis=1))
    to_worst = np.sqrt(((weighted - weighted.min(axis=0)) ** 2).sum(axis=1))
    terms = {"distance to worst": to_worst, "distance to ideal": to_best}
    return ScoreTerms(terms, CLOSENESS, weighted, COORDINATES)


def _closeness(terms: Named) -> FloatArray:
    to_worst = terms["distance to worst"]
    total = to_worst + terms["distance to ideal"]
    return np.divide(to_worst, total, out=np.zeros_like(total), where=total > 0)


CLOSENESS = Rule(
    "distance to worst / (distance to worst + distance to ideal)", _closeness
)
COORDINATES = "coordinates of the feature"
