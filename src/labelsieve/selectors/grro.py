"""GRRO: global relevance and redundancy by one linear system."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval

from labelsieve._utils.machine import one_thread_inside
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray
from labelsieve.engines import Terms
from labelsieve.reading import Features, Labels
from labelsieve.selectors._base import Ranking, rank_by_score
from labelsieve.selectors._capabilities import Capabilities
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._terms import Rule, ScoreTerms, sum_of
from labelsieve.selectors.mlqpfs import information_matrix, refuse_information_matrix


class GRRO(InformationSelector):
    """Global relevance and redundancy optimisation (GRRO).

    The weights W of features (rows) for labels (columns) solve the Sylvester equation

    .. math::

        (E + \\alpha F) W + \\beta W C = R

    where R holds the mutual information of features and labels, F that of pairs of
    features (1 on the diagonal), C the cosine distances of pairs of labels, and E is
    the identity. A feature is ranked by the sum of its weights.

    Parameters
    ----------
    alpha : float, default=100.0
        Weight of the redundancy between features.
    beta : float, default=0.1
        Weight of the differences between labels.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The sum of the weights of each feature, 0 for a constant one.

    See Also
    --------
    MLQPFS : The same matrices in a quadratic program.

    Notes
    -----
    Mutual information is in nats; because E is added, another unit would change the
    ranking. Labels must be binary. F takes 8 D^2 bytes, and the time of its eigenvalue
    decomposition grows with D^3: with more than some thousand features, select
    candidates with :class:`FIMF` first.

    References
    ----------
    J. Zhang, Y. Lin, M. Jiang, S. Li, Y. Tang, K. C. Tan: Multi-label feature
    selection via global relevance and redundancy optimization. IJCAI 2020.

    Examples
    --------
    >>> from labelsieve import GRRO
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> GRRO(n_features_to_select=1).fit(X, Y).order_
    array([0, 1, 2])
    """

    _slow_terms: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
    }
    # The distances of the labels need all rows.
    _capabilities: ClassVar[Capabilities] = replace(
        InformationSelector._capabilities, row_blocks=False, takes_classes=False
    )

    _counts_feature_pairs: ClassVar[bool] = True

    alpha: float = 100.0
    beta: float = 0.1

    def _rank(self, features: Features, labels: Labels) -> Ranking:
        refuse_information_matrix(int(np.count_nonzero(~features.constant)))
        self._label_distance = label_distance(labels)
        try:
            return super()._rank(features, labels)
        finally:
            del self._label_distance

    def _rank_counts(self, counts: Terms, n_select: int) -> Ranking:
        *_, weights = self._solve(counts, self._label_distance)
        scores = weights.sum(axis=1)
        return Ranking(scores, rank_by_score(scores))

    def _solve(
        self, terms: Terms, label_distance: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """R, F, beta C and the W that solves (E + alpha F) W + W beta C = R."""
        redundancy = information_matrix(terms)
        np.fill_diagonal(redundancy, 1.0)
        apart = self.beta * label_distance
        relevance = terms.feature_label_information()
        with one_thread_inside():  # in the eigenvectors of both symmetric matrices
            a, U = np.linalg.eigh(self.alpha * redundancy)
            b, V = np.linalg.eigh(apart)
            ratio = (U.T @ relevance @ V) / (1.0 + a[:, np.newaxis] + b)
            weights = U @ ratio @ V.T
        return relevance, redundancy, apart, weights

    def _terms(self, explained: Explained) -> ScoreTerms:
        """The line of its equation, added up over labels; the weight of each label."""
        terms = explained.terms_of_all()
        varying = terms.labels.kept
        relevance, others, apart, weights = self._solve(
            terms, label_distance(explained.labels)
        )
        np.fill_diagonal(others, 0.0)
        place = explained.places_in(terms)
        per_label = np.zeros((place.size, explained.labels.n_values.size))
        per_label[:, varying] = weights[place]
        made_of = {
            "relevance": relevance.sum(axis=1)[place],
            "redundancy": -self.alpha * (others @ weights.sum(axis=1))[place],
            "label distance": -(weights @ apart.sum(axis=1))[place],
        }
        whole = 1.0 + self.alpha  # from the lines of the equation that it solves
        rule = Rule(BALANCE, lambda terms: sum_of(terms) / whole)
        return ScoreTerms(made_of, rule, per_label, WEIGHTS)


BALANCE = "(relevance + redundancy + label distance) / (1 + alpha)"
WEIGHTS = "sum of the weights of the labels"


def label_distance(labels: Labels) -> FloatArray:
    """1 - cosine of the angle between each pair of labels of 0 and 1 that vary.

    Two labels are compared in the rows where both are known.
    """
    columns = (labels.codes[:, ~labels.constant] == 1).astype(np.float64)
    weighted = columns
    if labels.weight is not None:
        weighted = sp.diags(labels.weight.astype(np.float64)) @ columns
    together = as_dense(columns.T @ weighted)
    if labels.n_unknown is None:
        length = np.sqrt(np.diag(together))
        return 1.0 - together / np.outer(length, length)
    known = 1.0 - as_dense(labels.unknown())[:, ~labels.constant]
    # Of the rows with one label, those where the other is known.
    size = np.asarray(weighted.T @ known)
    product = np.sqrt(size * size.T)
    cosine = np.zeros_like(product)
    return 1.0 - np.divide(together, product, out=cosine, where=product > 0)
