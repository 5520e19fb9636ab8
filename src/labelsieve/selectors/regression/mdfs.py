"""MDFS: sparse regression on labels that are made smooth over rows and labels."""

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
from labelsieve.selectors.regression.rfs import LENGTH
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


class MDFS(IndicatorSelector):
    """Manifold regularised discriminative feature selection.

    A linear model W predicts an embedding F of the rows, one column per label, that
    is near to the labels Y (1 and -1) and alike for near rows and for labels that go
    together. Both are found in turns; they minimise

    .. math::

        \\operatorname{tr}(F^T L F) + \\alpha \\|H X W - H F\\|^2
        + \\alpha \\|F - Y\\|^2 + \\beta \\operatorname{tr}(F L_0 F^T)
        + \\gamma \\|W\\|_{2,1}

    with the Laplacians L of the graph of nearest rows and L0 of that of nearest
    labels; H centres. Features are ranked by the lengths of their rows of W.

    Parameters
    ----------
    alpha, beta, gamma : float, default=1.0, 1.0, 100.0
        What the labels, the graph of labels and few features count; the defaults are
        those of the authors' program.
    n_neighbors : int, default=20
        Nearest rows that a row is joined with, and labels that a label is.
    max_iter : int, default=50
        The most turns.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The length of each feature's row of weights.
    n_iter_ : int
        How many turns were taken.

    Notes
    -----
    Features are made dense and standardised. The authors' program starts from random
    weights; a ridge regression of the labels is the start here.

    References
    ----------
    J. Zhang, Z. Luo, C. Li, C. Zhou, S. Li: Manifold regularized discriminative
    feature selection for multi-label learning. Pattern Recognition 95, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import MDFS
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(MDFS(2).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IndicatorSelector._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
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
        gamma: float = 100.0,
        n_neighbors: int = 20,
        max_iter: int = 50,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        found = self._turns(features, indicator)
        self.n_iter_ = len(found.objectives)
        return row_norms(found.weights)

    def _turns(self, features: Features, indicator: Matrix) -> Turns:
        X = standardized_table(features.values)
        Y = 2.0 * varying_labels(indicator)[0] - 1.0
        if not Y.shape[1]:
            return Turns(np.zeros((features.constant.size, 0)), [0.0])
        with one_thread_inside():
            rows = laplacian(balanced(X, features.groups), self.n_neighbors)
            labels = np.zeros((1, 1))
            if Y.shape[1] > 1:
                labels = laplacian(Y.T.copy(), self.n_neighbors).toarray()
            values, vectors = np.linalg.eigh(labels)

            def target_given(predicted: FloatArray) -> tuple[FloatArray, float]:
                # In the basis of the labels' graph each column is solved alone.
                right = self.alpha * (predicted + Y) @ vectors
                shifts = self.alpha + self.beta * values
                F = solve_smooth(rows, self.alpha, shifts, right) @ vectors.T
                smooth = (F * (rows @ F)).sum() + self.beta * (F * (F @ labels)).sum()
                others = smooth / self.alpha + ((F - Y) ** 2).sum()
                return F - F.mean(axis=0), float(others)

            gamma = self.gamma / self.alpha
            start = Y - Y.mean(axis=0)
            found = take_turns(X, start, gamma, self.max_iter, target_given)
        return replace(found, weights=features.groups.lengths(found.weights))

    def _terms(self, explained: Explained) -> ScoreTerms:
        found = self._turns(explained.numbers, explained.indicator).weights
        terms = {"length of the weights": row_norms(found)}
        _, varies = varying_labels(explained.indicator)
        weights = np.zeros((len(found), varies.size))
        weights[:, varies] = found
        return ScoreTerms(terms, ONLY, weights, LENGTH).at(explained.chosen)

    def _looks_again(self) -> bool:
        return True
