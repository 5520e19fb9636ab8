"""Sieve on words: only the pairs of words and labels that tell something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import span
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.counting import BinaryTriples, Counts, Given, JointCells, SparseSource
from labelsieve.selectors._base import TIE
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.unexplained import Projected

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy
    from labelsieve.selectors.sieve.listed_kernels import (
        Chosen,
        Frequent,
        LinearView,
        ListedPairs,
    )

# Below this size tables cost nothing worth lists.
LISTED_FROM = 1_000_000
# So many features at a time are looked at beside all chosen ones.
LOOKED_AT_ONCE = 32


class Listed(Projected):
    """Both views of words, feature by feature, without any table by labels.

    A pair that tells nothing alone never does later, so that it is not listed; what a
    label shares with chosen features is remembered for each of them. Features are
    looked at beside chosen ones only where they might be the best. The bits are those
    of the tables.

    Attributes
    ----------
    synergy : (D,) see `Conditional`
    """

    def __init__(self, counts: Counts, columns: Columns, chance: float) -> None:
        n_labels = counts.n_labels
        targets = counts.label_counts, np.arange(n_labels), np.ones(n_labels)
        super().__init__(counts, columns, chance, targets)
        self.synergy = np.zeros(counts.n_features)
        self._cells = counts.joint_cells
        self._order = np.argsort(-counts.label_counts.astype(np.int64), kind="stable")
        self._pairs: list[ListedPairs] = run_in_threads(
            self._list, self._cells, counts.n_jobs
        )
        self._along = np.empty((len(self._A), n_labels))
        self._seen = np.zeros(counts.n_features, dtype=np.int64)
        self._n_chosen = 0
        self._marks = np.zeros((1, counts.n_rows), dtype=np.uint64)
        self._n_g = np.zeros(64, dtype=np.int64)
        self._n_gl = np.zeros((64, n_labels), dtype=np.uint32)

    @staticmethod
    def serves(counts: Counts) -> bool:
        """Whether words and labels meet so rarely that tables cost more than lists."""
        source, n_cells = counts.source, counts.n_features * counts.n_labels
        if not isinstance(source, SparseSource) or n_cells < LISTED_FROM:
            return False
        words = counts.binary and counts.known is None and counts.ranks is None
        return words and source.n_meetings() < n_cells

    @property
    def linear(self) -> Listed:
        """What the chosen features leave unexplained: itself."""
        return self

    def _list(self, cells: JointCells) -> ListedPairs:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        counts = self.counts
        known = (counts.feature_counts, counts.label_counts, self.chance, self._order)
        n_pairs = np.empty(cells.start.size - 1, dtype=np.int64)
        kernels.count_listed(cells, *known, counts.table, n_pairs)
        start = np.append(0, np.cumsum(n_pairs))
        labels, met = np.empty((2, start[-1]), dtype=np.uint32)
        pairs = kernels.ListedPairs(
            cells.low, start, labels, met, *np.empty((3, start[-1]))
        )
        kernels.fill_listed(cells, *known, counts.table, pairs)
        return pairs

    def gains(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell at most: not all have seen all chosen ones."""
        return self._add_up([p.least for p in self._pairs], scale)

    def gains_alone(self, scale: FloatArray) -> FloatArray:
        """The same with what is told alone."""
        return self._add_up([p.alone for p in self._pairs], scale)

    def _add_up(self, values: list[FloatArray], scale: FloatArray) -> FloatArray:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        total, linear = np.zeros(self.counts.n_features), self._linear_view

        def add(task: int) -> None:
            kernels.add_listed_gains(
                self._pairs[task], values[task], linear, scale, total
            )

        self._run(add, range(len(self._pairs)))
        return total

    @property
    def _linear_view(self) -> LinearView:
        from labelsieve.selectors.sieve.listed_kernels import LinearView

        return LinearView(self._v, self._tiny, 0.5 / self.variance, self.level)

    def settle(
        self, J: FloatArray, others: FloatArray, closed: BoolArray, scale: FloatArray
    ) -> None:
        """Look at features beside all chosen ones, until it is certain which is best.

        `J` holds what they tell at most, with `others` that are added to it, and is put
        right for those that were looked at. What tells less at most than the best does
        for certain need not be looked at.
        """
        while True:
            possible = np.where(closed, -np.inf, J)
            best = possible.max()
            if best <= 0.0:
                return
            equal = possible >= best - TIE * max(1.0, best)
            if (self._seen[equal] == self._n_chosen).all():
                return
            stale = np.where(self._seen < self._n_chosen, possible, -np.inf)
            n_first = min(LOOKED_AT_ONCE, stale.size)
            first = np.argpartition(-stale, n_first - 1)[:n_first]
            self._look_at(np.sort(first[stale[first] > 0.0]), J, scale)
            J[first] += np.where(stale[first] > 0.0, others[first], 0.0)

    def look_at_all(self, scale: FloatArray) -> None:
        """Look at all features beside all chosen ones."""
        unused = np.empty(self.counts.n_features)
        self._look_at(np.arange(self.counts.n_features), unused, scale)

    def _look_at(self, features: IntArray, J: FloatArray, scale: FloatArray) -> None:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        linear, strict = self._linear_view, 2.0 * self.chance
        first = [cells.low for cells in self._cells]
        edges = np.append(np.searchsorted(features, first), features.size)
        (tasks,) = np.nonzero(np.diff(edges))

        def look(task: int) -> None:
            some = features[edges[task] : edges[task + 1]]
            kernels.lower_features(
                *(some, self._seen, self._pairs[task], self._chosen),
                *(strict, linear, scale, J),
            )

        self._run(look, tasks.tolist())

    @property
    def _chosen(self) -> Chosen:
        from labelsieve.selectors.sieve.listed_kernels import Chosen

        counts, source = self.counts, self._source
        return Chosen(
            *(self._n_chosen, self._marks, self._n_g, self._n_gl),
            *(counts.label_counts, source.features.columns, source.labels.of_row),
            counts.table,
        )

    @property
    def _source(self) -> SparseSource:
        assert isinstance(self.counts.source, SparseSource)
        return self.counts.source

    def choose(self, feature: int, what: Synergy) -> None:
        """Remember one more chosen feature, and what others tell together with it."""
        given = self.counts.given_feature(feature)
        self._find_synergy(given, what)
        self._remember(given)
        self.project(feature, given.n_fa)

    def _remember(self, given: Given) -> None:
        k = self._n_chosen
        if k == self._n_g.size:
            self._n_g = np.concatenate([self._n_g, self._n_g])
            self._n_gl = np.concatenate([self._n_gl, self._n_gl])
            self._marks = np.concatenate([self._marks, np.zeros_like(self._marks)])
        self._n_g[k], self._n_gl[k] = given.n_a[0], given.n_ab[0]
        self._marks[k // 64, given.rows[0].index] |= np.uint64(1 << (k % 64))
        self._n_chosen += 1

    def _find_synergy(self, given: Given, what: Synergy) -> None:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        counts, source, frequent = self.counts, self._source, self._frequent
        rows = source.features.group(given.rows[0].index)
        triples = BinaryTriples.without_pairs(counts, given)
        together = np.zeros(counts.n_features)

        def find(task: int) -> None:
            cells, of_row = self._cells[task], source.labels.of_row
            kernels.find_synergy(cells, rows, of_row, triples, frequent, what, together)

        self._run(find, range(len(self._cells)))
        np.maximum(self.synergy, together, out=self.synergy)

    @cached_property
    def _frequent(self) -> Frequent:
        from labelsieve.selectors.sieve import given_kernels
        from labelsieve.selectors.sieve.listed_kernels import Frequent

        counts = self.counts
        share = counts.label_counts / counts.n_rows
        enough = given_kernels.FEWEST_EXPECTED / np.minimum(share, 1.0 - share)
        edges = np.asarray(counts.chosen_edges)
        return Frequent(self._order, enough, share * (1.0 - share), edges)

    def sums_of(self, column: int) -> IntArray:
        """(T,) the sum of a column over the rows of each target."""
        sums = np.zeros(self.n_y.size, dtype=np.int64)
        cells, place = self._cells_of(column)
        sums[cells.labels[place]] = cells.counts[place]
        return sums

    def _cells_of(self, feature: int) -> tuple[JointCells, slice]:
        first = [cells.low for cells in self._cells]
        cells = self._cells[int(np.searchsorted(first, feature, side="right")) - 1]
        return cells, span(cells.start, feature - cells.low)

    def contrasts(self, feature: int) -> FloatArray:
        """(T, width) parts of the sums of squares that a feature explains."""
        if self._v[feature] <= self._tiny[feature]:
            return np.zeros((self.n_y.size, 1))
        part = self._line(feature) / np.sqrt(self._v[feature])
        return (part * part)[:, np.newaxis]

    def _line(self, column: int) -> FloatArray:
        share = self.n_y / self.counts.n_rows
        line: Any = self.sums_of(column) - self.columns.totals[column] * share
        for k in range(self.n_basis):
            if self._A[k, column] != 0.0:
                line -= self._A[k, column] * self._along[k]
        return line

    def _explain(self, along: FloatArray, basis: FloatArray) -> None:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        def explain(task: int) -> None:
            kernels.explain_listed(self._pairs[task], along, basis)

        self._run(explain, range(len(self._pairs)))
        if self.n_basis == len(self._along):
            self._along = np.concatenate([self._along, np.empty_like(self._along)])
        self._along[self.n_basis] = along

    @property
    def tells(self) -> IntArray:
        """The features with any listed pair."""
        return np.flatnonzero(np.concatenate([np.diff(p.start) for p in self._pairs]))
