"""MLQPFS: relevance and redundancy balanced by a quadratic program."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._utils.machine import refuse_larger_than_memory, run_in_threads
from labelsieve._utils.matrices import slices_of
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.discretization import CodedColumns
from labelsieve.engines import CORRECTIONS, Correction, Terms
from labelsieve.selectors._base import TIE, Ranking, rank_by_score
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._information import InformationSelector
from labelsieve.selectors._quadratic_program import minimize
from labelsieve.selectors._terms import Named, Rule, ScoreTerms

# Lines of Q that one task computes.
LINES_PER_TASK = 64
# All eigenvalues of larger matrices cost more than the rest of the fit.
CHEAP_EIGENVALUES = 500
# Eigenvalues below this are negative, not rounding.
NEGATIVE = -1e-10


class MLQPFS(InformationSelector):
    """Multi-label quadratic programming feature selection (MLQPFS).

    Features are ranked by the weights x that solve

    .. math::

        \\min_{x \\geq 0} \\tfrac12 x^T Q x - c^T x, \\quad
        Q_{ij} = I(f_i; f_j), \\quad c_i = \\sum_l I(f_i; l)

    with the entropy :math:`Q_{ii} = H(f_i)` on the diagonal: mRMR as a quadratic
    program. Relevant features of low redundancy get large weights.

    Parameters
    ----------
    psd : {"keep", "shift"}, default="keep"
        What to do where Q has a negative eigenvalue: keep Q and return the local
        minimum that coordinate descent reaches from 0, or add to the diagonal until
        the problem is convex.
    normalize : {"simplex"} or None, default=None
        With ``"simplex"`` the weights must sum to 1, as in the single-label method;
        this changes the ranking. The paper has no such constraint.

    Attributes
    ----------
    order_ : ndarray of shape (n_features,)
        All feature indices, best first: by weight, then those of weight 0 by the
        gradient of the objective, then constant ones.
    scores_ : ndarray of shape (n_features,)
        The weight x of each feature.
    kkt_residual_ : float
        Violation of the optimality conditions (KKT), relative to the largest c; 0 is
        perfect, and usual values are below 1e-12.
    min_eigenvalue_ : float or None
        The smallest eigenvalue of Q (equivalent features taken as one), negative where
        the problem is not convex. None where there are too many features to compute
        it cheaply.

    See Also
    --------
    PMU : Greedy search, for more features than Q can hold.
    GRRO : The same matrices in a linear system.

    Notes
    -----
    Mutual-information matrices of real data are often singular or slightly
    indefinite. Equivalent features (copies, complements) share one weight equally. Q
    takes 8 D^2 bytes: with more than some ten thousand features, select candidates
    with :class:`FIMF` first.

    References
    ----------
    H. Lim, J. Lee, D.-W. Kim: Multi-label learning using mathematical programming.
    IEICE Transactions on Information and Systems E98-D(1), 2015.

    Examples
    --------
    >>> from labelsieve import MLQPFS
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 0], [1, 0], [1, 1]]
    >>> MLQPFS(n_features_to_select=1).fit(X, Y).order_
    array([0, 1, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "psd": [StrOptions({"keep", "shift"})],
        "normalize": [None, StrOptions({"simplex"})],
        "correction": [None, StrOptions({*CORRECTIONS})],
    }

    _counts_feature_pairs: ClassVar[bool] = True

    psd: str = "keep"
    normalize: str | None = None
    correction: Correction | None = None

    def _nothing_to_rank(self, features: CodedColumns) -> Ranking:
        self.kkt_residual_ = 0.0
        self.min_eigenvalue_: float | None = None
        return super()._nothing_to_rank(features)

    def _rank_counts(self, counts: Terms, n_select: int) -> Ranking:
        self.min_eigenvalue_ = None
        Q, c = information_matrix(counts), counts.relevance()  # Eq. 3
        if self.correction is not None:
            # Corrected information below zero is none: it must not pay to choose two.
            np.maximum(0.0, Q, out=Q)
        twin = equivalent_features(Q)
        first = twin == np.arange(twin.size)
        if np.count_nonzero(first) <= CHEAP_EIGENVALUES or self.psd == "shift":
            smallest = float(np.linalg.eigvalsh(Q[np.ix_(first, first)])[0])
            self.min_eigenvalue_ = smallest
            if self.psd == "shift" and smallest < NEGATIVE:
                Q = Q + (-smallest - NEGATIVE) * np.eye(len(Q))
        solution = minimize(Q, c, first, simplex=self.normalize is not None)
        self.kkt_residual_ = solution.residual
        # Of features that determine each other only the summed weight is determined:
        # an equal split is the shortest of all solutions.
        x = solution.x[twin] / np.bincount(twin, minlength=twin.size)[twin]
        # Positive weights descending, then the others by ascending gradient.
        n_positive = int((x > 0).sum())
        others = rank_by_score(-solution.gradient[twin], last=x > 0)
        order = [
            rank_by_score(x, last=x <= 0)[:n_positive],
            others[: x.size - n_positive],
        ]
        return Ranking(x, np.concatenate(order))

    def _terms(self, explained: Explained) -> ScoreTerms:
        """What balances at the optimum; less than 0 for features of weight 0."""
        summed = explained.terms_of_all().corrected(self.correction)
        place = explained.places_in(summed)
        weights = self.scores_[summed.features.kept]
        c = summed.relevance()
        relevant, others, own = np.zeros((3, place.size))
        for row, feature in enumerate(place.tolist()):
            if feature < 0:
                continue
            line = np.maximum(0.0, summed.shared_with(feature))  # of Q
            own[row], line[feature] = line[feature], 0.0
            relevant[row], others[row] = c[feature], -line @ weights
        terms = {"relevance": relevant, "redundancy": others, "entropy": own}
        if self.normalize is None and self.psd == "keep":
            return ScoreTerms(terms, WEIGHT)
        terms["constraint"] = explained.scores * own - relevant - others
        return ScoreTerms(terms, CONSTRAINED)


def _weight(terms: Named) -> FloatArray:
    """The weight that makes the gradient 0; none where that would be negative."""
    weight = terms["relevance"] + terms["redundancy"]
    if "constraint" in terms:
        weight = weight + terms["constraint"]
    own = terms["entropy"]
    weight = np.divide(weight, own, out=np.zeros_like(weight), where=own > 0)
    return np.maximum(0.0, weight)


WEIGHT = Rule("(relevance + redundancy) / entropy", _weight)
CONSTRAINED = Rule("(relevance + redundancy + constraint) / entropy", _weight)


def information_matrix(terms: Terms) -> FloatArray:
    """Q: mutual information of all pairs of features, entropy on the diagonal."""
    size = terms.n_features
    refuse_information_matrix(size)
    Q = np.empty((size, size))

    def fill(lines: slice) -> None:
        Q[lines] = terms.feature_pairs(lines.start, lines.stop)

    run_in_threads(fill, slices_of(size, LINES_PER_TASK), terms.n_jobs)
    return Q


def refuse_information_matrix(n_features: int) -> None:
    """MemoryError before anything is done for a matrix that does not fit."""
    refuse_larger_than_memory(
        (n_features, n_features),
        "The matrix of mutual information between features",
        "Choose candidates first, for example with FIMF.",
        itemsize=8,
    )


def equivalent_features(Q: FloatArray) -> IntArray:
    """For each feature the first one that determines it and is determined by it."""
    needed = (1 - TIE) * np.diag(Q)
    found = [np.argmax(Q[i] >= np.maximum(needed, needed[i])) for i in range(len(Q))]
    return np.array(found, dtype=np.int64)
