"""Sieve on words: only the pairs of words and labels that tell something."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import Lists, span
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import (
    FloatArray,
    IntArray,
)
from labelsieve.counting import BinaryTriples, Counts, Given, JointCells, SparseSource
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.settling import Settling
from labelsieve.selectors.sieve.unexplained import CHANCE, Projected

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy
    from labelsieve.selectors.sieve.listed_kernels import (
        Basis,
        Chosen,
        LinearView,
        ListedPairs,
    )
    from labelsieve.selectors.sieve.listed_synergy import Frequent
    from labelsieve.selectors.sieve.view_kernels import Near

# Below this size tables cost nothing worth lists.
LISTED_FROM = 200_000
# So many meetings of words and labels in a cell of the table cost more than the table.
MOST_MEETINGS = 3
# Threads share features with so many rows, in about so many tasks.
ROWS_WORTH_THREADS = 1_000_000
TASKS_OF_THREADS = 8


class Listed(Projected, Settling):
    """Both views of words, feature by feature, without any table by labels.

    A pair that tells nothing alone never does later, so that it is not listed. The
    bits are those of the tables.

    Attributes
    ----------
    synergy : (D,) see `Conditional`
    """

    def __init__(self, counts: Counts, columns: Columns) -> None:
        n_labels, n_features = counts.n_labels, counts.n_features
        targets = counts.label_counts, np.arange(n_labels), np.ones(n_labels)
        super().__init__(counts, columns, targets)
        self.synergy = np.zeros(n_features)
        self._cells = counts.joint_cells
        self._pairs: list[ListedPairs] = run_in_threads(
            self._list, self._cells, counts.n_jobs
        )
        self._low = np.array([cells.low for cells in self._cells])
        self._half = 0.5 / self.variance
        self._along = np.empty((n_labels, len(self._A)))
        self._projected, self._seen = np.zeros((2, n_features), dtype=np.int64)
        self._most = self._squared = np.empty(0)
        self._n_chosen = 0
        self._marks = np.zeros((1, counts.n_rows), dtype=np.uint64)
        self._n_g = np.zeros(64, dtype=np.int64)
        self._n_gl = np.zeros((64, n_labels), dtype=np.uint32)
        self._n_fg = np.zeros((64, n_features), dtype=np.uint32)

    @staticmethod
    def serves(counts: Counts) -> bool:
        """Whether words and labels meet so rarely that tables cost more than lists."""
        source, n_cells = counts.source, counts.n_features * counts.n_labels
        if not isinstance(source, SparseSource) or n_cells < LISTED_FROM:
            return False
        words = counts.binary and counts.known is None and counts.ranks is None
        return words and source.n_meetings() < MOST_MEETINGS * n_cells

    @property
    def linear(self) -> Listed:
        """What the chosen features leave unexplained: itself."""
        return self

    def _list(self, cells: JointCells) -> ListedPairs:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        counts = self.counts
        order = np.argsort(-counts.label_counts.astype(np.int64), kind="stable")
        known = (counts.feature_counts, counts.label_counts, CHANCE, order)
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
        """What each feature would tell at most; `settle` finds out more."""
        from labelsieve.selectors.sieve import listed_kernels as kernels

        if not self._most.size:
            self._most = most = np.zeros(self.counts.n_features)
            self._squared = scale * self._half

            def add(pairs: ListedPairs) -> None:
                kernels.add_listed_bounds(pairs, scale, most)

            self._run(add, self._pairs)
        most = np.minimum(self._most, self._near.gain)
        return np.where(self._v > self._tiny, most, 0.0)

    def gains_alone(self, scale: FloatArray) -> FloatArray:
        """The same with what is told alone instead of beside single chosen ones."""
        from labelsieve.selectors.sieve import listed_kernels as kernels

        total = np.zeros(self.counts.n_features)
        self._project(np.arange(total.size), total, scale)

        def add(pairs: ListedPairs) -> None:
            linear = self._linear_view
            kernels.add_listed_gains(pairs, pairs.alone, linear, scale, total)

        self._run(add, self._pairs)
        return total

    @cached_property
    def _linear_view(self) -> LinearView:
        from labelsieve.selectors.sieve.listed_kernels import LinearView

        return LinearView(self._v, self._tiny, self._half, self.level)

    def _look_at(
        self,
        features: IntArray,
        J: FloatArray,
        scale: FloatArray,
        enough: FloatArray | None = None,
    ) -> None:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        linear, strict, chosen = self._linear_view, 2.0 * CHANCE, self._chosen

        def look(some: IntArray, task: int) -> None:
            kernels.lower_features(
                *(some, self._seen, self._pairs[task], chosen, strict),
                *(linear, scale, J, self._most),
            )

        self._visit(features, look)

    def _project(self, features: IntArray, J: FloatArray, scale: FloatArray) -> None:
        """Bring the linear view of some features up to date: J is at most that."""
        from labelsieve.selectors.sieve import listed_kernels as kernels

        linear, basis, near = self._linear_view, self._basis, self._near

        def project(some: IntArray, task: int) -> None:
            kernels.project_features(
                *(some, self._projected, self._pairs[task], basis),
                *(linear, scale, near, J),
            )

        self._visit(features, project)

    def _visit(
        self, features: IntArray, visit: Callable[[IntArray, int], None]
    ) -> None:
        """Call ``visit(features, range)`` for those of each range, a few at a time."""
        edges = [*np.searchsorted(features, self._low).tolist(), features.size]
        n_rows = self.counts.feature_counts[features].sum()
        many = n_rows >= ROWS_WORTH_THREADS
        step = max(1, -(-features.size // (TASKS_OF_THREADS if many else 1)))
        tasks = [
            (slice(first, min(first + step, high)), k)
            for k, (low, high) in enumerate(pairwise(edges))
            for first in range(low, high, step)
        ]
        run_in_threads(
            lambda task: visit(features[task[0]], task[1]),
            tasks,
            self.counts.n_jobs if many else 1,
        )

    @cached_property
    def _near(self) -> Near:
        from labelsieve.selectors.sieve.view_kernels import Near

        n_features = self.counts.n_features
        return Near(np.full(n_features, np.inf), np.zeros(n_features))

    @property
    def _basis(self) -> Basis:
        from labelsieve.selectors.sieve.listed_kernels import Basis

        return Basis(self.n_basis, self._A, self._along)

    @property
    def _chosen(self) -> Chosen:
        from labelsieve.selectors.sieve.listed_kernels import Chosen

        counts, source = self.counts, self._source
        return Chosen(
            *(self._n_chosen, self._marks, self._n_g, self._n_gl, self._n_fg),
            *(counts.label_counts, source.features.columns, source.labels.of_row),
            counts.table,
        )

    @property
    def _source(self) -> SparseSource:
        assert isinstance(self.counts.source, SparseSource)
        return self.counts.source

    def choose(self, feature: int, what: Synergy) -> None:
        """Remember one more chosen feature, and what others tell together with it."""
        source, n_g = self._source, self.counts.feature_counts[[feature]]
        rows = source.features.rows_with(feature)
        n_fg, n_gl = source.features.count(rows), source.labels.count(rows)
        given = Given([rows], n_fg[np.newaxis], n_g, n_gl[np.newaxis])
        self._find_synergy(given, what)
        self._remember(given)
        self.project(feature, self.covariances_with(feature, given.n_fa))

    def _remember(self, given: Given) -> None:
        k = self._n_chosen
        if k == self._n_g.size:
            self._n_g = np.concatenate([self._n_g, self._n_g])
            self._n_gl = np.concatenate([self._n_gl, self._n_gl])
            self._n_fg = np.concatenate([self._n_fg, self._n_fg])
            self._marks = np.concatenate([self._marks, np.zeros_like(self._marks)])
        self._n_g[k] = given.n_a[0]
        self._n_gl[k], self._n_fg[k] = given.n_ab[0], given.n_fa[0]
        self._marks[k // 64, given.rows[0]] |= np.uint64(1 << (k % 64))
        self._n_chosen += 1

    def _find_synergy(self, given: Given, what: Synergy) -> None:
        from labelsieve.selectors.sieve import listed_synergy as kernels

        triples = BinaryTriples.without_pairs(self.counts, given)
        source, frequent = self._source, self._frequent
        possible = np.empty(self.counts.n_features, dtype=bool)
        kernels.find_possible(triples, frequent, what, possible)

        def drop(some: IntArray, task: int) -> None:
            cells = self._cells[task]
            kernels.drop_unlikely(some, cells, triples, frequent, what, possible)

        self._visit(np.flatnonzero(possible), drop)
        if not possible.any():
            return
        start = np.zeros(possible.size + 1, dtype=np.int64)
        np.cumsum(np.where(possible, triples.n_fa, 0), out=start[1:])
        own = Lists(start, np.empty(start[-1], dtype=np.uint32))
        kernels.list_rows(
            *(given.rows[0], source.features.of_row, possible),
            *(start[:-1].copy(), own.entries),
        )
        together, of_label = np.zeros(possible.size), source.labels.group(given.rows[0])

        def find(some: IntArray, task: int) -> None:
            kernels.find_synergy(
                *(some, self._cells[task], own, of_label),
                *(triples, frequent, what, together),
            )

        self._visit(np.flatnonzero(possible), find)
        np.maximum(self.synergy, together, out=self.synergy)

    @cached_property
    def _frequent(self) -> Frequent:
        from labelsieve.selectors.sieve.given_kernels import FEWEST_EXPECTED
        from labelsieve.selectors.sieve.listed_synergy import Frequent

        share = self.counts.label_counts / self.counts.n_rows
        order = np.argsort(-np.minimum(share, 1.0 - share), kind="stable")
        share, n_l = share[order], self.counts.label_counts[order].astype(np.float64)
        enough = FEWEST_EXPECTED / np.minimum(share, 1.0 - share)
        edges, noise = np.asarray(self.counts.chosen_edges), share * (1.0 - share)
        return Frequent(order, n_l, enough, noise, edges)

    def sums_of(self, column: int) -> IntArray:
        """(T,) the sum of a column over the rows of each target."""
        sums = np.zeros(self.n_y.size, dtype=np.int64)
        cells, place = self._cells_of(column)
        sums[cells.labels[place]] = cells.counts[place]
        return sums

    def _cells_of(self, feature: int) -> tuple[JointCells, slice]:
        task = int(np.searchsorted(self._low, feature, side="right")) - 1
        cells = self._cells[task]
        return cells, span(cells.start, feature - cells.low)

    def contrasts(self, feature: int) -> FloatArray:
        """(T, width) parts of the sums of squares that a feature explains."""
        if self._v[feature] <= self._tiny[feature]:
            return np.zeros((self.n_y.size, 1))
        part = self._line(feature) / np.sqrt(self._v[feature])
        return (part * part)[:, np.newaxis]

    def _line(self, column: int) -> FloatArray:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        share = self.n_y / self.counts.n_rows
        line: Any = self.sums_of(column) - self.columns.totals[column] * share
        kernels.project_line(line, column, self._basis)
        return line

    def _explain(self, along: FloatArray, basis: FloatArray) -> None:
        from labelsieve.selectors.sieve import view_kernels as views

        if self.n_basis == self._along.shape[1]:
            self._along = np.concatenate([self._along, self._along], axis=1)
        self._along[:, self.n_basis] = along
        length = float(np.sqrt(self._squared @ (along * along)))
        views.loosen(basis, length, self._blocks, self._near)

    def clear(self, scale: FloatArray, enough: FloatArray) -> FloatArray:
        """(D,) what features tell alone, if of some label enough; otherwise 0."""
        from labelsieve.selectors.sieve.kernels import add_clear

        out = np.zeros(self.counts.n_features)

        def add(pairs: ListedPairs) -> None:
            own = out[pairs.low : pairs.low + pairs.start.size - 1]
            add_clear(pairs.start, pairs.labels, pairs.alone, scale, enough, own)

        self._run(add, self._pairs)
        return out

    @property
    def tells(self) -> IntArray:
        """The features with any listed pair."""
        return np.flatnonzero(np.concatenate([np.diff(p.start) for p in self._pairs]))
