"""EMCFS density: label-specific features by the density of their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from labelsieve._utils.machine import one_thread_inside, run_in_threads
from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.messages import warn
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.reading import Features, Groups
from labelsieve.selectors._base import rank_by_score
from labelsieve.selectors._explain import Explained
from labelsieve.selectors._indicator import IndicatorSelector
from labelsieve.selectors._terms import ScoreTerms

Similarity = Callable[[FloatArray], FloatArray]

# Up to this many distinct values, adding up over pairs of values is faster.
EXACT_UP_TO = 700
# Sum of exponentials for 1 / (1 + d), 0 <= d <= 1: nine terms are within 1e-12.
N_TERMS = 9
WORST_ERROR = 1e-12
BLOCK_CELLS = 2**22


class EMCFSDensity(IndicatorSelector):
    """Label-specific feature selection by density, as in EMCFS.

    For every label the density of a feature is computed among the positive samples and
    among the negative samples. It is high where values lie close together, relative to
    the two that lie farthest apart. Every label selects its own features
    (`label_support_`); the global ranking counts how many labels select a feature.

    Parameters
    ----------
    ratio : float, default=0.1
        The r of m = ceil(r min(positives, negatives)), the number of features that a
        label selects by its positive and by its negative samples.
    mode : {"count", "threshold"}, default="count"
        ``"count"`` selects for each label the m features of highest positive and
        the m of highest negative density. ``"threshold"`` selects the features
        whose density is larger than m, as printed in the paper: since a density is at
        least the number of samples, that is every feature.
    similarity : "inverse" or callable, default="inverse"
        Similarity of two values as a function of their distance, for features scaled to
        [0, 1]: 1 / (1 + d), or a non-increasing function that maps an array of
        distances in [0, 1] to positive numbers.

    Attributes
    ----------
    label_support_ : ndarray of shape (n_labels, n_features)
        Which features each label selects; none for constant labels.
    positive_density_ : ndarray of shape (n_labels, n_features)
        Density among the positive samples of each label, 0 where there are none.
    negative_density_ : ndarray of shape (n_labels, n_features)
        Density among the negative samples of each label, 0 where there are none.
    scores_ : ndarray of shape (n_features,)
        Number of labels that select the feature plus, to break ties, a number below 1
        that grows with its mean density per sample; 0 for constant features.

    See Also
    --------
    labelsieve.classifiers.EMCFS : The classifier of the paper.

    Notes
    -----
    With ``similarity="inverse"`` the sum is exact for up to 700 distinct values, and
    beyond a sum of nine exponentials with a relative error below 1e-12, in time
    n log n. A function of your own is summed over all pairs of distinct values. One
    outlier nearly doubles the density of a feature: the measure is not continuous. Two
    different categories of a nominal feature are at distance 1.

    References
    ----------
    H. Liu, Z. Zheng, J. Zhao and R. Ye, "An Ensemble Method for High-Dimensional
    Multilabel Data", Mathematical Problems in Engineering, 2013, Eqs. 3 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> from labelsieve import EMCFSDensity
    >>> X = np.array([[0, 0.1], [0, 0.9], [0, 0.5], [1, 0.3], [0, 0.8], [0, 0.0]])
    >>> Y = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])
    >>> EMCFSDensity(1).fit(X, Y).label_support_.tolist()
    [[True, True], [True, True]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "mode": [StrOptions({"count", "threshold"})],
        "similarity": [StrOptions({"inverse"}), callable],
    }

    ratio: float = 0.1
    mode: str = "count"
    similarity: str | Similarity = "inverse"
    n_jobs: int | None = None

    def _score(self, features: Features, indicator: Matrix) -> FloatArray:
        similarity: Callable[[FloatArray], FloatArray] = inverse_distance
        if callable(self.similarity):
            similarity = self.similarity
            _check_similarity(similarity)
        if self.mode == "threshold":
            warn(
                'mode="threshold" selects every feature for every label, because a '
                'density is never smaller than the number of rows. mode="count" makes '
                "a choice."
            )
        found = densities(
            features.values, indicator, similarity, self.n_jobs, features.groups
        )
        self.positive_density_, self.negative_density_ = found.rho
        constant, labels = features.constant, range(found.n_rows.shape[1])
        support = [self._select(found, label, constant) for label in labels]
        self.label_support_ = np.array(support)
        scores = _made_of(self.label_support_, _tie_breaker(found)).score()
        scores[constant] = 0.0
        return scores

    def _terms(self, explained: Explained) -> ScoreTerms:
        chosen_by = self.label_support_[:, explained.chosen]
        density = explained.scores - chosen_by.sum(axis=0)
        return _made_of(chosen_by, density)

    def _select(self, found: Densities, label: int, constant: BoolArray) -> BoolArray:
        """The features that one label selects."""
        support = np.zeros(constant.size, dtype=bool)
        sizes = found.n_rows[:, label]
        wanted = self.ratio * min(sizes)  # Eq. 6
        if min(sizes) == 0:
            return support
        for size, density in zip(sizes, found.rho[:, label], strict=True):
            if size < 2:
                continue  # a single row has the same density in all features
            if self.mode == "threshold":
                support |= density > wanted
            else:
                # 0.1 times 30 is a little more than 3.
                n_best = max(1, int(np.ceil(wanted - 1e-9)))
                support[rank_by_score(density, last=constant)[:n_best]] = True
        return support


def _made_of(chosen_by: BoolArray, density: FloatArray) -> ScoreTerms:
    """The labels that choose a feature count, and density decides between equals."""
    n_labels = chosen_by.sum(axis=0).astype(np.float64)
    terms = {"labels that select it": n_labels, "density": density}
    per_label = chosen_by.T.astype(np.float64)
    return ScoreTerms(terms, labels=per_label, label_rule=CHOICES)


CHOICES = "1 for a label that selects it"


def _tie_breaker(found: Densities) -> FloatArray:
    """Mean density per row over all sides with at least two rows, brought below 1."""
    sides = found.n_rows.all(axis=0) & (found.n_rows > 1)
    per_row = found.rho[sides] / found.n_rows[sides][:, np.newaxis]
    mean = per_row.sum(axis=0) / max(1, len(per_row))
    return mean / (1.0 + mean)


def _check_similarity(similarity: Similarity) -> None:
    distances = np.linspace(0.0, 1.0, 11)
    found = np.asarray(similarity(distances))
    if (
        found.shape != distances.shape
        or not np.isfinite(found).all()
        or (found <= 0).any()
        or (np.diff(found) > 0).any()
    ):
        raise ValueError(
            "similarity must return a positive number for each distance, none larger "
            f"than for a smaller distance; for {distances} it returned {found}."
        )


class Densities(NamedTuple):
    """rho of Eq. 3 on both sides of every label, 0 where there is no row."""

    rho: FloatArray  # [2, L, D] among rows with, and among those without a label
    n_rows: IntArray  # [2, L] how many rows these are


def inverse_distance(distances: FloatArray) -> FloatArray:
    """1 / (1 + d): finite where two values are equal."""
    return 1.0 / (1.0 + distances)


def densities(
    values: Matrix,
    indicator: Matrix,
    similarity: Similarity,
    n_jobs: int | None,
    groups: Groups,
) -> Densities:
    """Densities of all features; values are scaled to [0, 1] over all rows.

    Two different categories of a nominal feature are at distance 1.
    """
    sides = Sides.of(indicator)
    table = values.tocsc() if sp.issparse(values) else values
    n_features = groups.sizes.size
    rho = np.empty((*sides.n_rows.shape, n_features))

    def measure(feature: int) -> None:
        columns = groups.columns(feature)
        if groups.single[feature]:
            column = read_column(table, columns.start)
        else:  # columns of 0 and 1: no two of the values 0, 1, ... are farther than 1
            block = table[:, columns]
            column = Levels(np.arange(float(block.shape[1])), block.argmax(axis=1))
        if similarity is inverse_distance and column.distinct.size > EXACT_UP_TO:
            sums, ranges = _sums_by_exponentials(column, sides)
        else:
            sums, ranges = _sums_by_values(column, sides, similarity)
        # Eq. 3: divide by the rows and by the smallest similarity among them.
        rho[:, :, feature] = sums / np.maximum(1, sides.n_rows) / similarity(ranges)

    with one_thread_inside():
        run_in_threads(measure, range(n_features), n_jobs)
    flipped, n_rows = sides.flipped, sides.n_rows
    rho[:, flipped], n_rows[:, flipped] = rho[::-1, flipped], n_rows[::-1, flipped]
    return Densities(rho, n_rows)


class Sides(NamedTuple):
    """Rows of the smaller side of each label; sums over the other side follow.

    Adding up over the smaller side is cheaper, and subtracting it loses no digits.
    """

    labels: sp.csr_matrix  # [rows, L] whether a row is on the smaller side
    n_rows: IntArray  # [2, L] how many there are on the smaller and the larger side
    flipped: BoolArray  # [L] whether the smaller side is that without the label

    @classmethod
    def of(cls, indicator: Matrix) -> Sides:
        """Find the smaller sides of a 0/1 matrix."""
        sizes = np.asarray(indicator.sum(axis=0, dtype=np.int64)).ravel()
        both = np.stack([sizes, indicator.shape[0] - sizes])
        flipped = both[0] > both[1]
        if flipped.any():
            indicator = as_dense(indicator) ^ flipped.astype(np.uint8)
        labels = sp.csr_matrix(indicator, dtype=np.float64)
        return cls(labels, np.sort(both, axis=0), flipped)


class Levels(NamedTuple):
    """One feature: distinct values scaled to [0, 1], and which row has which."""

    distinct: FloatArray  # ascending
    codes: IntArray  # [rows]


def read_column(table: Matrix, feature: int) -> Levels:
    """Read one column of an array or CSC matrix."""
    values = as_dense(table[:, [feature]]).ravel()
    distinct, codes = np.unique(values, return_inverse=True)
    half = distinct / 2.0  # the difference of two halves is always a number
    width = half[-1] - half[0]
    return Levels((half - half[0]) / (width if width > 0 else 1.0), codes)


# For both sides of each label [2, L]: similarities of all ordered pairs, and the range
# of values.
SideSums = tuple[FloatArray, FloatArray]


def _sums_by_values(column: Levels, sides: Sides, similarity: Similarity) -> SideSums:
    """Exact sums over pairs of distinct values.

    No two values are farther apart than 1, which is so by itself where they are scaled.
    """
    distinct, n_rows = column.distinct, column.codes.size
    cells = np.ones(n_rows), (column.codes, np.arange(n_rows))
    members = sp.csr_matrix(cells, (distinct.size, n_rows))
    counts = (members @ sides.labels).toarray()
    totals = np.bincount(column.codes, minlength=distinct.size).astype(np.float64)
    inside, across = np.zeros((2, counts.shape[1]))
    everything = 0.0
    for part in slices_of(distinct.size, max(1, BLOCK_CELLS // distinct.size)):
        distances = np.abs(distinct[part, None] - distinct)
        table = similarity(np.minimum(distances, 1.0))
        near = table @ counts
        inside += (counts[part] * near).sum(axis=0)
        across += totals[part] @ near
        everything += float(totals[part] @ (table @ totals))
    ranges = _ranges(distinct, counts > 0, totals[:, None] > counts)
    both = np.stack([inside, everything - 2.0 * across + inside])
    return both, np.minimum(ranges, 1.0)


def _ranges(ascending: FloatArray, *sides: BoolArray) -> FloatArray:
    """Largest minus smallest of the values that each side has, for each label."""
    present = np.stack(sides)
    first = present.argmax(axis=1)
    last = ascending.size - 1 - present[:, ::-1].argmax(axis=1)
    return np.where(present.any(axis=1), ascending[last] - ascending[first], 0.0)


def _sums_by_exponentials(column: Levels, sides: Sides) -> SideSums:
    """Sums of 1 / (1 + d), in which d may have too many different values.

    In ascending order exp(-t (x_u - x_v)) is a product of one factor for u and one
    for v, so that running sums replace the second row of every pair.
    """
    order = np.argsort(column.codes, kind="stable")
    values = column.distinct[column.codes[order]]
    nodes, weights = exponential_sum()
    up = np.exp(np.outer(values, nodes))  # [rows, nodes]
    down = weights / up
    from_below = (down * _before(up)).sum(axis=1)
    from_above = (up * _before(down[::-1])[::-1]).sum(axis=1)
    from_all = from_below + 1.0 + from_above
    present = sides.labels[order].toarray() > 0
    inside, across = np.zeros((2, sides.flipped.size))
    for label, is_member in enumerate(present.T):
        places = np.flatnonzero(is_member)
        pairs = (down[places] * _before(up[places])).sum()
        inside[label] = 2.0 * pairs + places.size
        across[label] = from_all[places].sum()
    both = np.stack([inside, from_all.sum() - 2.0 * across + inside])
    return both, _ranges(values, present, ~present)


def _before(factors: FloatArray) -> FloatArray:
    """For each line the sum of the lines before it."""
    sums = np.zeros_like(factors)
    np.cumsum(factors[:-1], axis=0, out=sums[1:])
    return sums


@lru_cache(maxsize=1)
def exponential_sum() -> tuple[FloatArray, FloatArray]:
    """Nodes t and weights w with 1 / (1 + d) = sum_k w_k exp(-t_k d) on [0, 1].

    Gauss-Laguerre quadrature of the integral of exp(-t (1 + d)), scaled so that it
    is best in the geometric middle of 1 + d = 1..2. The relative error is below
    `WORST_ERROR`; as all terms are positive, it is no larger for their sums.
    """
    nodes, weights = np.polynomial.laguerre.laggauss(N_TERMS)
    root = np.sqrt(2.0)
    weights = weights * np.exp(nodes * (1.0 - 1.0 / root)) / root
    return nodes / root, weights
