"""Sieve on lists, with tables: features are looked at when they might be the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import slices_of
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.counting import Counts, Given, SparseSource
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.conditional import told_alone
from labelsieve.selectors.sieve.least import Least
from labelsieve.selectors.sieve.listed import LISTED_FROM
from labelsieve.selectors.sieve.settling import Settling
from labelsieve.selectors.sieve.together import Together
from labelsieve.selectors.sieve.unexplained import CHANCE, Unexplained

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy
    from labelsieve.selectors.sieve.postponed_kernels import Chosen

# Fewer features are not worth threads.
FEATURES_PER_TASK = 64


class Postponed(Settling):
    """What `Tables` answers, where there are many pairs or more than two codes.

    Missing cells and unknown labels are such codes. The bits are those of the tables.

    Attributes
    ----------
    linear : what the chosen features leave unexplained
    synergy : (D,) see `Conditional`
    """

    def __init__(self, counts: Counts, columns: Columns) -> None:
        self.counts = counts
        self.linear = Unexplained(counts, columns)
        self.synergy = np.zeros(counts.n_features)
        self._together = Together(counts)
        self._least = Least.of(told_alone(counts, self.linear))
        self._alone = self._least.copy()
        self._most = np.empty(0)
        self._seen = np.zeros(counts.n_features, dtype=np.int64)
        room = 64
        self._start = [0]
        self._marks = np.zeros((1, counts.n_rows), dtype=np.uint64)
        self._n_g = np.zeros(room, dtype=np.uint32)
        self._n_gl = np.zeros((room, int(counts.y_start[-1])), dtype=np.uint32)
        self._n_fg = np.zeros((room, int(counts.x_start[-1])), dtype=np.uint32)
        self._own = np.zeros((room, counts.n_labels))

    @staticmethod
    def serves(counts: Counts) -> bool:
        """Whether rows are lists, and to look at a feature beside a pick is dear."""
        lists = isinstance(counts.source, SparseSource) and counts.ranks is None
        many = counts.n_features * counts.n_labels >= LISTED_FROM
        return lists and (many or not counts.binary)

    @property
    def tells(self) -> IntArray:
        """The features that tell something alone, beyond chance."""
        return np.flatnonzero(np.diff(self._alone.pairs.start))

    def clear(self, scale: FloatArray, enough: FloatArray) -> FloatArray:
        """(D,) what features tell alone, if of some label enough; otherwise 0."""
        return self._alone.clear(scale, enough)

    def gains(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell at most; `settle` finds out more."""
        from labelsieve.selectors.sieve import postponed_kernels as kernels

        if not self._most.size:
            self._most = np.zeros(self.counts.n_features)
            every = np.arange(self._most.size)
            kernels.fill_bounds(every, self._least.pairs, scale, self._most)
            self.linear.watch(scale)
        return np.minimum(self._most, self.linear.near.gain)

    def gains_alone(self, scale: FloatArray) -> FloatArray:
        """The same with what is told alone instead of beside single chosen ones."""
        return self.linear.gains(self._alone, scale)

    def _project(self, features: IntArray, J: FloatArray, scale: FloatArray) -> None:
        def project(some: IntArray) -> None:
            self.linear.gain(some, self._least, scale, J)

        self._visit(features, project)

    def _look_at(
        self,
        features: IntArray,
        J: FloatArray,
        scale: FloatArray,
        enough: FloatArray | None = None,
    ) -> None:
        from labelsieve.selectors.sieve import postponed_kernels as kernels

        chosen, view = self._chosen, self.linear.view_of_all
        wanted = np.zeros(J.size) if enough is None else enough
        gains = kernels.Gains(wanted, J, self._most)

        def look(some: IntArray) -> None:
            kernels.look_beside(
                *(some, self._seen, chosen, self._together.whole, self._kind),
                *(2.0 * CHANCE, view, scale, gains, self._least.pairs),
            )

        self._visit(features, look)

    def _visit(self, features: IntArray, visit: Callable[[IntArray], None]) -> None:
        """Call ``visit(features)`` for some at a time."""
        if features.size <= FEATURES_PER_TASK:
            visit(features)
            return
        tasks = slices_of(features.size, FEATURES_PER_TASK)
        run_in_threads(lambda some: visit(features[some]), tasks, self.counts.n_jobs)

    @cached_property
    def _kind(self) -> int:
        from labelsieve.selectors.sieve import postponed_kernels as kernels

        if self.counts.known is None:
            return kernels.BINARY if self.counts.binary else kernels.ANY
        return kernels.KNOWN_BINARY if self.counts.known_binary else kernels.KNOWN_ANY

    @property
    def _source(self) -> SparseSource:
        assert isinstance(self.counts.source, SparseSource)
        return self.counts.source

    @property
    def _chosen(self) -> Chosen:
        from labelsieve.selectors.sieve.postponed_kernels import Chosen

        source = self._source
        return Chosen(
            *(np.array(self._start), self._marks, self._n_g, self._n_gl, self._n_fg),
            *(self._own, source.features.columns, source.labels_of_row),
        )

    def choose(self, feature: int, what: Synergy) -> None:
        """Remember one more chosen feature, and what others tell together with it."""
        given = self.counts.given_feature(feature)
        np.maximum(self.synergy, self._together.find(given, what), out=self.synergy)
        self._remember(given)
        linear = self.linear
        linear.project(feature, linear.covariances_with(feature, given.n_fa))

    def _remember(self, given: Given) -> None:
        from labelsieve.selectors.sieve import postponed_kernels as kernels

        k, first = len(self._start) - 1, self._start[-1]
        last = first + len(given.rows)
        while last > self._n_g.size:
            self._n_g, self._n_gl, self._n_fg, self._own = (
                np.concatenate([lines, lines])
                for lines in (self._n_g, self._n_gl, self._n_fg, self._own)
            )
        while last > 64 * len(self._marks):
            more = np.zeros_like(self._marks[:1])
            self._marks = np.concatenate([self._marks, more])
        self._n_g[first:last] = given.n_a
        self._n_fg[first:last], self._n_gl[first:last] = given.n_fa, given.n_ab
        for indicator, rows in enumerate(given.rows, first):
            bit = np.uint64(1 << (indicator % 64))
            self._marks[indicator // 64, rows.index] |= bit
        own = self._own[k]
        kernels.fill_own(given.n_a, given.n_ab, self._together.whole, self._kind, own)
        self._start.append(last)
