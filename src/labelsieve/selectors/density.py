"""EMCFS density: label-specific features by the density of their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from numbers import Integral, Real
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
        "n_jobs": [None, Integral],
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
        self.positive_density_, self.negative_density_ = found.positive, found.negative
        constant, labels = features.constant, range(found.n_positive.size)
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
        sizes = found.n_positive[label], found.n_negative[label]
        wanted = self.ratio * min(sizes)  # Eq. 6
        if min(sizes) == 0:
            return support
        for size, density in zip(
            sizes, (found.positive[label], found.negative[label]), strict=True
        ):
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
    informative = (found.n_positive > 0) & (found.n_negative > 0)
    sides = [(found.positive, found.n_positive), (found.negative, found.n_negative)]
    per_row = [
        density[informative & (size > 1)] / size[informative & (size > 1), None]
        for density, size in sides
    ]
    n_sides = sum(map(len, per_row))
    mean = np.sum([part.sum(axis=0) for part in per_row], axis=0) / max(1, n_sides)
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

    positive: FloatArray  # [L, D]
    negative: FloatArray  # [L, D]
    n_positive: IntArray  # [L] how many rows there are
    n_negative: IntArray  # [L]


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
    small = np.empty((n_features, sides.sizes.size))
    large = np.empty_like(small)

    def measure(feature: int) -> None:
        columns = groups.columns(feature)
        if groups.single[feature]:
            column = read_column(table, columns.start)
        else:
            column = read_categories(table[:, columns])
        if similarity is inverse_distance and column.distinct.size > EXACT_UP_TO:
            sums = _sums_by_exponentials(column, sides)
        else:
            sums = _sums_by_values(column, sides, similarity)
        # Eq. 3: divide by the rows and by the smallest similarity among them.
        small[feature] = sums.small / np.maximum(1, sides.sizes)
        small[feature] /= similarity(sums.small_range)
        large[feature] = sums.large / (sides.n_rows - sides.sizes)
        large[feature] /= similarity(sums.large_range)

    with one_thread_inside():
        run_in_threads(measure, range(n_features), n_jobs)
    n_large, flipped = sides.n_rows - sides.sizes, sides.flipped
    return Densities(
        positive=np.where(flipped, large, small).T,
        negative=np.where(flipped, small, large).T,
        n_positive=np.where(flipped, n_large, sides.sizes),
        n_negative=np.where(flipped, sides.sizes, n_large),
    )


class Sides(NamedTuple):
    """Rows of the smaller side of each label; sums over the other side follow.

    Adding up over the smaller side is cheaper, and subtracting it loses no digits.
    """

    labels: sp.csr_matrix  # [rows, L] whether a row is on the smaller side
    members: list[IntArray]  # [L] the rows of the smaller side
    sizes: IntArray  # [L] how many there are
    flipped: BoolArray  # [L] whether the smaller side is that without the label
    n_rows: int

    @classmethod
    def of(cls, indicator: Matrix) -> Sides:
        """Find the smaller sides of a 0/1 matrix."""
        n_rows = indicator.shape[0]
        sizes = np.asarray(indicator.sum(axis=0, dtype=np.int64)).ravel()
        flipped = 2 * sizes > n_rows
        if flipped.any():
            indicator = as_dense(indicator) ^ flipped.astype(np.uint8)
        labels = sp.csr_matrix(indicator, dtype=np.float64)
        by_label = labels.tocsc()
        members = np.split(by_label.indices, by_label.indptr[1:-1])
        sizes = np.where(flipped, n_rows - sizes, sizes)
        return cls(labels, members, sizes, flipped, n_rows)


class Levels(NamedTuple):
    """One feature: distinct values scaled to [0, 1], and which row has which."""

    distinct: FloatArray  # ascending
    codes: IntArray  # [rows]


def read_categories(block: FloatArray) -> Levels:
    """Read a nominal feature from its columns of 0 and 1: any two values are 1 apart.

    Its values are 0, 1, 2, ...; no distance is counted as more than 1.
    """
    return Levels(np.arange(float(block.shape[1])), block.argmax(axis=1))


def read_column(table: Matrix, feature: int) -> Levels:
    """Read one column of an array or CSC matrix."""
    values = as_dense(table[:, [feature]]).ravel()
    distinct, codes = np.unique(values, return_inverse=True)
    half = distinct / 2.0  # the difference of two halves is always a number
    width = half[-1] - half[0]
    return Levels((half - half[0]) / (width if width > 0 else 1.0), codes)


class SideSums(NamedTuple):
    """For each label: similarities of all ordered pairs, and the range of values."""

    small: FloatArray
    large: FloatArray
    small_range: FloatArray
    large_range: FloatArray


def _sums_by_values(column: Levels, sides: Sides, similarity: Similarity) -> SideSums:
    """Exact sums over pairs of distinct values.

    No two values are farther apart than 1, which is so by itself where they are scaled.
    """
    distinct = column.distinct
    cells = np.ones(sides.n_rows), (column.codes, np.arange(sides.n_rows))
    members = sp.csr_matrix(cells, (distinct.size, sides.n_rows))
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
    ranges = (
        np.minimum(_range_where(distinct, present), 1.0)
        for present in (counts > 0, totals[:, None] > counts)
    )
    return SideSums(inside, everything - 2.0 * across + inside, *ranges)


def _range_where(distinct: FloatArray, present: BoolArray) -> FloatArray:
    """Largest minus smallest of the values that are present, for each label."""
    first = present.argmax(axis=0)
    last = distinct.size - 1 - present[::-1].argmax(axis=0)
    return np.where(present.any(axis=0), distinct[last] - distinct[first], 0.0)


def _sums_by_exponentials(column: Levels, sides: Sides) -> SideSums:
    """Sums of 1 / (1 + d), in which d may have too many different values.

    In ascending order exp(-t (x_u - x_v)) is a product of one factor for u and one
    for v, so that running sums replace the second row of every pair.
    """
    order = np.argsort(column.codes, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    values = column.distinct[column.codes[order]]
    nodes, weights = exponential_sum()
    up = np.exp(np.outer(values, nodes))  # [rows, nodes]
    down = weights / up
    from_below = (down * _before(up)).sum(axis=1)
    from_above = (up * _before(down[::-1])[::-1]).sum(axis=1)
    from_all = from_below + 1.0 + from_above
    inside, across, small_range, large_range = np.zeros((4, sides.sizes.size))
    for label, rows in enumerate(sides.members):
        places = np.sort(position[rows])
        pairs = (down[places] * _before(up[places])).sum()
        inside[label] = 2.0 * pairs + places.size
        across[label] = from_all[places].sum()
        if places.size:
            small_range[label] = values[places[-1]] - values[places[0]]
        # The other side begins and ends where the first places are not all taken.
        counted = np.arange(places.size)
        first = np.append(places == counted, False).argmin()
        last = np.append(places[::-1] == order.size - 1 - counted, False).argmin()
        large_range[label] = values[order.size - 1 - last] - values[first]
    large = from_all.sum() - 2.0 * across + inside
    return SideSums(inside, large, small_range, large_range)


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
