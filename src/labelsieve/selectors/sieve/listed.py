"""Sieve on words: only the pairs of words and labels that tell something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import span
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import BinaryTriples, Counts, JointCells, SparseSource
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.least import sums_of
from labelsieve.selectors.sieve.unexplained import Projected

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy
    from labelsieve.selectors.sieve.listed_kernels import Frequent, ListedPairs


class Listed(Projected):
    """Both views of words, feature by feature, without any table by labels.

    A pair that tells nothing alone never does later, so that it is not listed; what a
    label shares with chosen features is remembered for each of them. The bits are
    those of the tables.

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
        self._pairs: list[ListedPairs] = [None] * len(self._cells)  # type: ignore[list-item]
        self._run(self._list, range(len(self._cells)))
        self._along = np.empty((len(self._A), n_labels))

    @staticmethod
    def serves(counts: Counts) -> bool:
        """Whether most words and labels never meet: tables would hold zeros."""
        words = isinstance(counts.source, SparseSource) and counts.ranks is None
        return words and counts.known is None and counts.lists_cells

    @property
    def linear(self) -> Listed:
        """What the chosen features leave unexplained: itself."""
        return self

    def _list(self, task: int) -> None:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        counts, cells = self.counts, self._cells[task]
        known = (counts.feature_counts, counts.label_counts, self.chance, self._order)
        n_pairs = np.empty(cells.start.size - 1, dtype=np.int64)
        kernels.count_listed(cells, *known, counts.table, n_pairs)
        start = np.append(0, np.cumsum(n_pairs))
        labels, met = np.empty((2, start[-1]), dtype=np.uint32)
        pairs = kernels.ListedPairs(
            cells.low, start, labels, met, *np.empty((3, start[-1]))
        )
        kernels.fill_listed(cells, *known, counts.table, pairs)
        self._pairs[task] = pairs

    def sums_alone(self, scale: FloatArray) -> FloatArray:
        """(D,) what features tell alone, each label times its scale."""
        parts = [sums_of(p.start, p.alone * scale[p.labels]) for p in self._pairs]
        return np.concatenate(parts)

    def gains(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell beyond the chosen ones and beyond chance."""
        return self._add_up([p.least for p in self._pairs], self.level, scale)

    def leftovers(self, scale: FloatArray) -> FloatArray:
        """The same with what is told alone, and chance not taken off the share."""
        nothing = np.zeros_like(self.level)
        return self._add_up([p.alone for p in self._pairs], nothing, scale)

    def _add_up(
        self, values: list[FloatArray], level: FloatArray, scale: FloatArray
    ) -> FloatArray:
        from labelsieve.selectors.sieve import listed_kernels as kernels

        total = np.zeros(self.counts.n_features)
        linear = self._v, self._tiny, 0.5 / self.variance, level

        def add(task: int) -> None:
            pairs = self._pairs[task]
            kernels.add_listed_gains(pairs, values[task], *linear, scale, total)

        self._run(add, range(len(self._pairs)))
        return total

    def choose(self, feature: int, what: Synergy) -> None:
        """Look at all pairs beside one more chosen feature."""
        from labelsieve.selectors.sieve import listed_kernels as kernels

        counts, source = self.counts, self.counts.source
        assert isinstance(source, SparseSource)
        given = counts.given_feature(feature)
        s_fg, rows = (
            counts.given_sums(given),
            source.features.group(given.rows[0].index),
        )
        triples = BinaryTriples.without_pairs(counts, given)
        together = np.zeros(counts.n_features)
        strict, frequent = 2.0 * self.chance, self._frequent
        of_row = source.labels.of_row

        def lower(task: int) -> None:
            pairs, cells = self._pairs[task], self._cells[task]
            kernels.lower_listed(
                pairs,
                cells,
                rows,
                of_row,
                triples,
                s_fg,
                strict,
                frequent,
                what,
                together,
            )

        self._run(lower, range(len(self._pairs)))
        np.maximum(self.synergy, together, out=self.synergy)
        self.project(feature, given.n_fa)

    @cached_property
    def _frequent(self) -> Frequent:
        from labelsieve.selectors.sieve import given_kernels
        from labelsieve.selectors.sieve.listed_kernels import Frequent

        counts = self.counts
        share = counts.label_counts / counts.n_rows
        enough = given_kernels.FEWEST_EXPECTED / np.minimum(share, 1.0 - share)
        # In the smallest of four cells are at most half of a feature's rows.
        most = counts.feature_counts.max(initial=0)
        edges = np.asarray(counts.chosen_edges)
        return Frequent(self._order, np.flatnonzero(enough <= most), enough, edges)

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
