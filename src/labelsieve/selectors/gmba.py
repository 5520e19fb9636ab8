"""GMBA: feature weights that separate samples of different label sets by a margin."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import cached_property, one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.neighbors import Distances, block_size, smallest
from labelsieve.reading import Features, Groups
from labelsieve.selectors._base import TIE
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._rows import LabelGraph, draw_anchors
from labelsieve.selectors._rows.scaled_rows import standardized
from labelsieve.selectors._terms import ScoreTerms

# Blocks whose gradients wait in memory for the descent.
BLOCKS_AT_ONCE = 16


Nearest = Callable[[FloatArray, int], tuple[IntArray, FloatArray]]


class GMBA(IndicatorSelector):
    """Graph-margin based multi-label feature selection (Yan and Li, 2016).

    A graph connects samples by the similarity of their label sets. Gradient descent
    learns feature weights such that every sample is closer to its nearest similar
    samples than to dissimilar ones, by a margin. Features are ranked by weight.

    Parameters
    ----------
    n_neighbors : int, default=3
        How many nearest similar samples each sample is compared with.
    similarity_threshold : float, default=1.0
        From which similarity on samples are similar; 1 means equal label sets.
    trade_off : float, default=1.0
        Weight of pushing dissimilar samples away (lambda in the paper).
    learning_rate : float, default=0.9
        Length of the first step (beta in the paper).
    n_iterations : int or None, default=None
        How many samples to visit; None visits each sample once.
    step : {"invsqrt", "constant"}, default="invsqrt"
        Divide the length of the t-th step by the square root of t, or not. Constant
        steps oscillate: the ranking then depends on the order of the visits.
    solver : {"sequential", "batch"}, default="sequential"
        ``"batch"`` does not descend: it ranks by the gradient of the whole loss at
        equal weights, whatever the order of the samples. `step`, `learning_rate`,
        `n_iterations` and `shuffle` have no effect then.
    variant : {"paper", "authors"}, default="paper"
        ``"authors"`` reproduces the published program, which looks similarities up
        at a wrong position, counts near hits several times and skips samples with
        fewer than `n_neighbors` similar or dissimilar samples.
    weighted_distances : bool, default=False
        Whether neighbours and margins use the current weights, as in Eqs. 13 and 14.
        Much slower, and sparse X becomes dense.
    shuffle : bool, default=True
        Whether to visit the samples in random order, or in the order of X.
    n_anchors : int or None, default=None
        Visit only so many random samples; each is compared with all samples.
    random_state : int, RandomState instance or None, default=None
        The seed of the random order and of the anchors.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weights, or minus the gradient for ``solver="batch"``; 0 for constant
        features.
    n_updates_ : int
        How many visited samples had a similar sample and changed the weights.

    See Also
    --------
    SPEC : Ranks features by their smoothness on the same graph.
    MLRF : ReliefF, which learns no weights.

    Notes
    -----
    Features are divided by their standard deviation. A nominal feature is one-hot
    encoded, with one scale and one weight. A dissimilar sample that lies exactly on the
    margin counts as outside; distances that differ by rounding are equal.

    References
    ----------
    P. Yan and Y. Li, "Graph-Margin Based Multi-label Feature Selection",
    ECML PKDD 2016, pp. 540-555.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import GMBA
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, (60, 2))
    >>> X = np.hstack([rng.normal(size=(60, 3)), Y + 0.3 * rng.normal(size=(60, 2))])
    >>> sorted(GMBA(2, random_state=0).fit(X, Y).order_[:2].tolist())
    [3, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "similarity_threshold": [Interval(Real, 0, 1, closed="right")],
        "trade_off": [Interval(Real, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_iterations": [None, Interval(Integral, 1, None, closed="left")],
        "step": [StrOptions({"invsqrt", "constant"})],
        "solver": [StrOptions({"sequential", "batch"})],
        "variant": [StrOptions({"paper", "authors"})],
        "weighted_distances": ["boolean"],
        "shuffle": ["boolean"],
    }

    n_neighbors: int = 3
    similarity_threshold: float = 1.0
    trade_off: float = 1.0
    learning_rate: float = 0.9
    n_iterations: int | None = None
    step: str = "invsqrt"
    solver: str = "sequential"
    variant: str = "paper"
    weighted_distances: bool = False
    shuffle: bool = True
    n_anchors: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        graph = LabelGraph.of(indicator)
        rows = standardized(features)
        if self.weighted_distances and sp.issparse(rows):
            rows = rows.toarray()
        scores = self._learn(MarginLoss(rows, features.groups, graph, self))
        varied = graph.sets.shape[0] > 1 and not features.constant.all()
        if self.n_updates_ == 0 and varied:
            warn(
                "nothing could be learned, because no row differs from a similar row "
                f"(similarity_threshold={self.similarity_threshold:g}): features are "
                "ranked by their column index. A smaller similarity_threshold makes "
                "more rows similar."
            )
        scores[features.constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        scores = explained.scores
        if self.solver == "sequential":
            start = np.ones(scores.size)
            return ScoreTerms({"initial weight": start, "learned": scores - start})
        if self.n_anchors is not None:
            return explained.only_term("slope")
        # The loss is a sum of two, and the trade-off a factor of the second.
        first = clone(self).set_params(trade_off=0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fit has said it
            pull = first._score(explained.numbers, explained.indicator)
        pull = pull[explained.chosen]
        return ScoreTerms({"pull of similar samples": pull, "margin": scores - pull})

    def _looks_again(self) -> bool:
        return self.solver == "batch"

    def _learn(self, loss: MarginLoss) -> FloatArray:
        n_rows, weights = loss.rows.shape[0], np.ones(loss.groups.sizes.size)
        random = check_random_state(self.random_state)
        anchors = draw_anchors(n_rows, self.n_anchors, random)
        if self.solver == "batch":
            # Minus half the gradient of the whole loss at equal weights.
            total, self.n_updates_ = np.zeros(weights.size), 0
            for slopes in loss.slopes(anchors, self.n_jobs):
                total -= slopes.sum(axis=0)
                self.n_updates_ += int(slopes.any(axis=1).sum())
            return total * (n_rows / anchors.size)
        visits = anchors[self._visits(anchors.size, random)]
        if self.weighted_distances:
            blocks = (loss.weighted_slope(row, weights) for row in visits.tolist())
            return self._descend(blocks, weights)
        return self._descend(loss.slopes(visits, self.n_jobs), weights)

    def _visits(self, n_rows: int, random: np.random.RandomState) -> IntArray:
        """The rows in the order of their visits, each as often as the others."""
        wanted = n_rows if self.n_iterations is None else self.n_iterations
        rounds = range(-(-wanted // n_rows))
        visit = random.permutation if self.shuffle else np.arange
        return np.concatenate([visit(n_rows) for _ in rounds])[:wanted]

    def _descend(self, slopes: Iterable[FloatArray], weights: FloatArray) -> FloatArray:
        """Weights after one step (f) of the algorithm for each visited row."""
        self.n_updates_ = 0
        for slope in (slope for block in slopes for slope in block):
            gradient = weights * slope
            length = np.sqrt(gradient @ gradient)
            if length == 0.0:
                continue
            self.n_updates_ += 1
            step = self.learning_rate / length
            if self.step == "invsqrt":
                step /= np.sqrt(self.n_updates_)
            weights -= step * gradient
        return weights


@dataclass(frozen=True)
class MarginLoss:
    """The loss of Eqs. 8 to 14, whose gradient is wanted.

    The gradient of row i is 2 w_d times its slope sum_j c_ij (x_id - x_jd)^2. With
    unweighted distances the coefficients c do not depend on the weights w, and
    slopes can be found for whole blocks of rows.
    """

    rows: Matrix  # (n, C) the columns of the features on one scale
    groups: Groups  # which columns are one feature, with one weight
    graph: LabelGraph  # similarity of the rows' labels
    settings: GMBA  # whose parameters hold

    def slopes(self, visits: IntArray, n_jobs: int | None) -> Iterator[FloatArray]:
        """Slopes of the visited rows, block after block, zero for skipped rows."""
        search = Distances(self.rows[visits], self.rows)

        def slopes_of(part: slice) -> FloatArray:
            nearest = partial(search.nearest, part)
            return self._slopes(visits[part], search.block(part), nearest)

        parts = slices_of(visits.size, block_size(self.rows.shape))
        for first in range(0, len(parts), BLOCKS_AT_ONCE):
            with one_thread_inside():
                some = parts[first : first + BLOCKS_AT_ONCE]
                ready = run_in_threads(slopes_of, some, n_jobs)
            yield from ready

    def weighted_slope(self, row: int, weights: FloatArray) -> FloatArray:
        """Slope of one row where distances use the weights (Eqs. 13 and 14)."""
        # Squared norms of Eq. 13, with the weights of this moment.
        squares = (self.rows - self.rows[row]) ** 2
        distances = (squares @ self.groups.spread(weights**2))[np.newaxis]
        return self._slopes(np.array([row]), distances, smallest)

    def _slopes(
        self, own: IntArray, distances: FloatArray, nearest: Nearest
    ) -> FloatArray:
        """Slopes of some rows by their squared distances to all rows."""
        coefficients = self._coefficients(own, distances, nearest)
        magnitude = np.asarray(abs(coefficients).sum(axis=1)).ravel()
        slopes = self.groups.sums(self._sums(own, coefficients))
        # What rounding leaves of zero would otherwise become a whole step.
        slopes[np.abs(slopes).max(axis=1) <= self._rounding * magnitude] = 0.0
        return slopes

    def _coefficients(
        self, own: IntArray, distances: FloatArray, nearest: Nearest
    ) -> sp.csr_array:
        """Find c such that half the gradient of row i is w sum_j c_ij (x_i - x_j)^2.

        They are 0 for rows that have not enough neighbours.
        """
        codes, lines = self.graph.codes, np.arange(own.size)
        k, authors = self.settings.n_neighbors, self.settings.variant == "authors"
        similarity = self.graph.similarity(codes[own])  # [own, label sets]
        similar = (similarity >= self.settings.similarity_threshold - TIE)[
            :, codes
        ]  # Eqs. 6 and 7
        different = ~similar
        similar[lines, own] = different[lines, own] = False
        hits, near = nearest(np.where(similar, distances, np.inf), k)
        n_misses = k if authors else 1
        misses, near_miss = nearest(np.where(different, distances, np.inf), n_misses)
        usable = hits >= 0
        if authors:
            usable &= (hits[:, -1:] >= 0) & (misses[:, -1:] >= 0)
        to_hits = np.where(usable, similarity[lines[:, None], codes[hits]], 0.0)
        pulls, weights = to_hits.copy(), np.full(k, self.settings.trade_off)
        if authors:
            # Their code looks the pull up by the hit's position in the list of
            # similar rows, and counts earlier hits again for later ones. In its
            # graph a row is not similar to itself.
            times = np.arange(k, 0, -1)
            place = np.take_along_axis(similar.cumsum(axis=1), hits, axis=1) - 1
            pulls = times * similarity[lines[:, None], codes[place]]
            pulls[(place == own[:, None]) | ~usable] = 0.0
            weights *= times
        with np.errstate(invalid="ignore"):  # without neighbours, inf - inf
            margin = np.abs(near[:, :1] - near_miss[:, :1])  # Eq. 10
        margin[misses[:, :1] < 0] = 0.0
        reach = np.where(usable, margin + near - self._rounding, -np.inf)
        # Second term of Eq. 13: different rows within reach of a hit are pushed away.
        farthest = reach.max(axis=1, keepdims=True)
        line, column = np.nonzero(different & (distances < farthest))
        push = np.zeros(line.size)
        for hit in range(k):
            within = distances[line, column] < reach[line, hit]  # Eq. 15
            apart = to_hits[line, hit] - similarity[line, codes[column]]
            term = np.where(within, weights[hit] * apart, 0.0)  # Eq. 16
            push -= term
            pulls[:, hit] += np.bincount(line, term, minlength=own.size)
        cells = np.append(push, pulls[usable])
        hit_line, _ = np.nonzero(usable)
        where = np.append(line, hit_line), np.append(column, hits[usable])
        return sp.csr_array((cells, where), shape=distances.shape)

    def _sums(self, own: IntArray, coefficients: sp.csr_array) -> FloatArray:
        # sum c (a - b)^2 = a^2 sum c - 2 a sum c b + sum c b^2
        # Sparse: a product of dense matrices rounds by where a column stands.
        (rows, squares), c = self._numbers, coefficients
        mass = np.asarray(c.sum(axis=1)).reshape(-1, 1)
        a = as_dense(rows[own])
        return as_dense(c @ squares) - 2.0 * a * as_dense(c @ rows) + a * a * mass

    @cached_property
    def _numbers(self) -> tuple[Matrix, Matrix]:
        """The rows, centred where they are dense, and their squares."""
        if sp.issparse(self.rows):
            return self.rows, self.rows.multiply(self.rows).tocsr()
        centred = self.rows - self.rows.mean(axis=0)
        return centred, centred**2

    @cached_property
    def _rounding(self) -> float:
        """Squared distances that differ by less are equal."""
        rows, squares = self._numbers
        norms = np.asarray(squares.sum(axis=1)).ravel()
        if sp.issparse(rows):
            mean = np.asarray(rows.mean(axis=0)).ravel()
            norms += mean @ mean - 2.0 * (rows @ mean)
        return float(TIE * norms.max())
