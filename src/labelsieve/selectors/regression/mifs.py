"""MIFS: sparse regression on a few factors that the labels are made of."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.typing import FloatArray, Matrix
from labelsieve.reading import Features
from labelsieve.selectors._decided import Which
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import ONLY, ScoreTerms
from labelsieve.selectors.regression.solvers import (
    Turns,
    balanced,
    laplacian,
    row_norms,
    solve_smooth,
    standardized_table,
    take_turns,
    varying_labels,
)

if TYPE_CHECKING:
    from labelsieve.selectors._explain import Explained


class MIFS(IndicatorSelector):
    """Multi-label informed feature selection.

    The labels Y are made of a few factors V, by weights B; a linear model W of the
    features predicts the factors, which are alike for near rows. All three are found
    in turns; they minimise

    .. math::

        \\|X W - V\\|^2 + \\alpha \\|Y - V B\\|^2
        + \\beta \\operatorname{tr}(V^T L V) + \\gamma \\|W\\|_{2,1}

    with the Laplacian L of the graph of nearest rows. Features are ranked by the
    lengths of their rows of W.

    Parameters
    ----------
    alpha, beta, gamma : float, default=1.0
        What the labels, near rows and few features count.
    n_factors : int or None, default=None
        How many factors; None means half as many as labels.
    n_neighbors : int, default=5
        Nearest rows that a row is joined with.
    max_iter : int, default=20
        The most turns.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The length of each feature's row of weights.
    n_iter_ : int
        How many turns were taken.

    Notes
    -----
    Features are made dense and standardised, labels centred. The paper takes steps
    along gradients from random matrices; here each of the three is solved exactly in
    its turn, from the singular vectors of the labels. Smaller V with larger B always
    lessens the objective, so that what is found depends on where the turns begin and
    end: when the objective changes by less than 0.1 %.

    References
    ----------
    L. Jian, J. Li, K. Shu, H. Liu: Multi-label informed feature selection. IJCAI
    2016.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MIFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MIFS(2, n_factors=2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "n_factors": [None, Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        include: Which = None,
        exclude: Which = None,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1.0,
        n_factors: int | None = None,
        n_neighbors: int = 5,
        max_iter: int = 20,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_factors = n_factors
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = self._turns(features, indicator)
        self.n_iter_ = len(found.objectives)
        return row_norms(found.weights)

    def _turns(self, features: Features, indicator: Matrix) -> Turns:
        X = standardized_table(features.values)
        Y, _ = varying_labels(indicator)
        Y -= Y.mean(axis=0)
        if not Y.shape[1]:
            return Turns(np.zeros((features.constant.size, 0)), [0.0])
        n_factors = min(self.n_factors or -(-Y.shape[1] // 2), *Y.shape)
        with one_thread_inside():
            rows = balanced(X, features.groups)
            graph = self.beta * laplacian(rows, self.n_neighbors, heat=True)
            V = _first_factors(Y, n_factors)

            def target_given(predicted: FloatArray) -> tuple[FloatArray, float]:
                nonlocal V
                B = np.linalg.pinv(V) @ Y
                values, vectors = np.linalg.eigh(B @ B.T)
                right = (predicted + self.alpha * Y @ B.T) @ vectors
                shifts = 1.0 + self.alpha * np.maximum(values, 0.0)
                V = solve_smooth(graph, 0.0, shifts, right) @ vectors.T
                apart = self.alpha * ((Y - V @ B) ** 2).sum()
                return V, float(apart + (V * (graph @ V)).sum())

            found = take_turns(X, V, self.gamma, self.max_iter, target_given)
        return replace(found, weights=features.groups.lengths(found.weights))

    def _terms(self, explained: Explained) -> ScoreTerms:
        weights = self._turns(explained.numbers, explained.indicator).weights
        terms = {"length of the weights": row_norms(weights)}
        return ScoreTerms(terms, ONLY).at(explained.chosen)

    def _looks_again(self) -> bool:
        return True


def _first_factors(Y: FloatArray, n_factors: int) -> FloatArray:
    """The columns that make Y best, by weights of length 1; signs are settled."""
    _, vectors = np.linalg.eigh(Y.T @ Y)
    leading = vectors[:, ::-1][:, :n_factors]
    largest = np.abs(leading).argmax(axis=0)
    return Y @ (leading * np.sign(leading[largest, np.arange(n_factors)]))
