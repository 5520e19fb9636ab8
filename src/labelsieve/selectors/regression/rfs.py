"""RFS: regression of all labels with whole rows of weights at zero."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import ONLY, ScoreTerms
from labelsieve.selectors.regression.solvers import (
    RowWeights,
    row_norms,
    sparse_row_weights,
    standardized_table,
)

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained


class RFS(IndicatorSelector):
    """Robust feature selection: a linear model that few features enter.

    The weights W of standardised features (rows) for centred labels (columns)
    minimise

    .. math::

        \\|X W - Y\\|_{2,1} + \\gamma \\|W\\|_{2,1}

    where the norm adds up the lengths of rows. Features are ranked by the lengths of
    their rows of W, most of which shrink to zero.

    Parameters
    ----------
    strength : float in (0, 1], default=0.1
        Gamma as a share of the smallest value that leaves no feature in the model.
    loss : {"robust", "squared"}, default="robust"
        ``"robust"`` adds up the lengths of residuals, so that outlying rows count
        less; ``"squared"`` half of their squares: the multi-task lasso.
    max_iter : int or None, default=None
        The most ridge regressions to run, or sweeps over the features if the loss is
        squared. None means 50 and 10,000.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The length of each feature's row of weights.
    n_iter_ : int
        How many ridge regressions or sweeps were run.
    duality_gap_ : float
        How much smaller the best objective may be, relative to that of the weights.

    Notes
    -----
    Features are made dense. A ridge regression solves a system of as many equations
    as there are rows or features, whichever is less. The squared loss is solved to a
    duality gap of some 1e-12; with the robust loss 50 regressions leave a gap of some
    1e-3, and the objective is nearer to the best than that. More of them, by
    `max_iter`, lessen it.

    References
    ----------
    F. Nie, H. Huang, X. Cai, C. Ding: Efficient and robust feature selection via
    joint l2,1-norms minimization. NIPS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import RFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(RFS(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "strength": [Interval(Real, 0, 1, closed="right")],
        "loss": [StrOptions({"robust", "squared"})],
        "max_iter": [None, Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        strength: float = 0.1,
        loss: str = "robust",
        max_iter: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.strength = strength
        self.loss = loss
        self.max_iter = max_iter

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = self._weights(features, indicator)
        self.n_iter_, self.duality_gap_ = found.n_iter, found.gap
        return row_norms(found.weights)

    def _weights(self, features: Features, indicator: Matrix) -> RowWeights:
        labels = as_dense(indicator)
        Y = labels - labels.mean(axis=0)
        X = standardized_table(features.values)
        robust = self.loss == "robust"
        with one_thread_inside():
            found = sparse_row_weights(X, Y, self.strength, robust, self.max_iter)
        return replace(found, weights=features.groups.lengths(found.weights))

    def _terms(self, explained: Explained) -> ScoreTerms:
        weights = self._weights(explained.numbers, explained.indicator).weights
        terms = {"length of the weights": row_norms(weights)}
        return ScoreTerms(terms, ONLY, weights, LENGTH).at(explained.chosen)

    def _looks_again(self) -> bool:
        return True


LENGTH = "length of the weights of the labels"
