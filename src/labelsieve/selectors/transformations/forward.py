"""Forward selection by the mutual information of a feature subset and the class."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma

from labelsieve._utils.compile import njit
from labelsieve._utils.machine import refuse_larger_than_memory, run_in_threads
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.reading import Features, Groups
from labelsieve.selectors._base import Ranking, best_of, rank_by_score
from labelsieve.selectors._forced import ForcedFeatures
from labelsieve.selectors._rows.scaled_rows import standardized

BLOCK_BYTES = 2**24
MOST_ROWS = 128
# Distances below this count as this: equal rows would have an infinite logarithm.
SMALLEST_SQUARE = 1e-20


class ClassInformation:
    """Nearest-neighbour estimate of I(X_S; class) (Kozachenko-Leonenko type).

    I = psi(n) - mean psi(n_c) + (|S| / n) sum_i log(eps_i / eps_i in its class),
    where eps is the distance to the k-th neighbour among all samples, or among those
    of the same class. Classes with at most k samples are left out.
    """

    def __init__(
        self,
        rows: FloatArray,
        groups: Groups,
        classes: IntArray,
        k: int,
        n_jobs: int | None,
    ) -> None:
        self.groups = groups
        sizes = np.bincount(classes)
        kept = np.flatnonzero(sizes[classes] > k)
        kept = kept[np.argsort(classes[kept], kind="stable")]
        # Rows of a class are neighbours in memory, features are contiguous.
        self.columns = np.ascontiguousarray(rows[kept].T)
        _, self.class_of, sizes = np.unique(
            classes[kept], return_inverse=True, return_counts=True
        )
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.k, self.n_jobs, self.n_rows = k, n_jobs, kept.size
        self.n_classes = sizes.size
        if sizes.size:
            mean = sizes @ digamma(sizes) / kept.size
            self.constant = float(digamma(kept.size) - mean)

    def with_each(self, chosen: list[int], candidates: IntArray) -> FloatArray:
        """The estimate for the chosen features and one candidate, for each."""
        known = [c for feature in chosen for c in self._columns_of(feature)]
        single = self.groups.single[candidates]
        sums = np.empty(candidates.size)
        if single.any():
            tried = self.groups.starts[candidates[single]]
            sums[single] = self._log_ratios(known, tried)
        for place in np.flatnonzero(~single).tolist():
            *others, last = self._columns_of(int(candidates[place]))
            sums[place] = self._log_ratios([*known, *others], np.array([last]))[0]
        return self.constant + (len(chosen) + 1) / self.n_rows * sums

    def _columns_of(self, feature: int) -> range:
        columns = self.groups.columns(feature)
        return range(columns.start, columns.stop)

    def _log_ratios(self, known: list[int], candidates: IntArray) -> FloatArray:
        """Sums of log(eps / eps in its class) for known columns and each of others."""
        tried = np.ascontiguousarray(self.columns[candidates])
        step = min(MOST_ROWS, max(1, BLOCK_BYTES // (8 * self.n_rows)))

        def add_block(first: int) -> FloatArray:
            n_block = min(step, self.n_rows - first)
            distances = np.zeros((n_block, self.n_rows))
            for column in self.columns[known]:
                distances += (column[first : first + n_block, np.newaxis] - column) ** 2
            sums = np.empty(candidates.size)
            log_ratio_sums(
                tried, distances, first, self.starts, self.class_of, self.k, sums
            )
            return sums

        starts = range(0, self.n_rows, step)
        return np.sum(run_in_threads(add_block, starts, self.n_jobs), axis=0)


def forward_selection(
    features: Features,
    which: IntArray,
    classes: IntArray,
    n_select: int,
    forced: ForcedFeatures,
    k: int,
    n_jobs: int | None,
) -> Ranking:
    """Pick the feature that adds most information, again and again."""
    constant = features.constant
    scores = np.zeros(constant.size)
    rows = standardized(features)[which]
    if sp.issparse(rows):
        refuse_larger_than_memory(
            rows.shape, "The dense copy of X", 'search="rank" needs none.', itemsize=8
        )
        rows = rows.toarray()
    information = ClassInformation(rows, features.groups, classes, k, n_jobs)
    open_ = ~constant
    if information.n_classes < 2 or not open_.any():
        return Ranking(scores, rank_by_score(scores, last=constant))
    first = forced.forced_in[open_[forced.forced_in]].tolist()
    n_select -= forced.forced_in.size - len(first)
    n_open = int(open_.sum() - open_[forced.forced_out].sum())
    chosen: list[int] = []
    for step in range(min(n_select, n_open)):
        candidates = np.flatnonzero(open_)
        found = information.with_each(chosen, candidates)
        scores[candidates] = found
        found[np.isin(candidates, forced.forced_out)] = -np.inf
        best = int(candidates[best_of(found)])
        chosen.append(first[step] if step < len(first) else best)
        open_[chosen[-1]] = False
    # Features that were not picked follow by what they would have added last.
    behind = rank_by_score(np.where(open_, scores, -np.inf), last=~open_)
    others = behind[np.isin(behind, chosen, invert=True)]
    order = np.concatenate([chosen, others]).astype(np.int64)
    return Ranking(scores, order, n_exact=len(chosen))


@njit
def log_ratio_sums(
    columns: FloatArray,
    distances: FloatArray,
    first: int,
    starts: IntArray,
    class_of: IntArray,
    k: int,
    sums: FloatArray,
) -> None:
    """Sum log(eps_i / eps_i in its class) over a block, for each candidate feature.

    columns: float64[candidates, n]
    distances: float64[rows, n], squared, over the features chosen so far
    starts: int64[classes + 1], where the rows of each class begin
    class_of: int64[n], ascending
    sums: float64[candidates], overwritten
    """
    n = distances.shape[1]
    row = np.empty(n)
    for candidate in range(columns.shape[0]):
        column = columns[candidate]
        total = 0.0
        for i in range(distances.shape[0]):
            value = column[first + i]
            for j in range(n):
                difference = value - column[j]
                row[j] = distances[i, j] + difference * difference
            row[first + i] = np.inf
            own = class_of[first + i]
            inside = _kth_smallest(row[starts[own] : starts[own + 1]], k)
            everywhere = _kth_smallest(row, k)
            total += 0.5 * np.log(
                max(everywhere, SMALLEST_SQUARE) / max(inside, SMALLEST_SQUARE)
            )
        sums[candidate] = total


@njit
def _kth_smallest(values: FloatArray, k: int) -> float:
    """The k-th smallest value, infinite if there are fewer.

    values: float64[any number]
    """
    smallest = np.full(k, np.inf)  # ascending
    for value in values:
        if value < smallest[k - 1]:
            place = k - 1
            while place > 0 and smallest[place - 1] > value:
                smallest[place] = smallest[place - 1]
                place -= 1
            smallest[place] = value
    return smallest[k - 1]
