"""The terms of sparse data, and which engine and terms serve which data."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve._utils.machine import cached_property, run_in_threads
from labelsieve._utils.matrices import IndexLists, even_blocks
from labelsieve._utils.typing import CountArray, FloatArray, IntArray
from labelsieve.engines.columns import Columns, is_dense
from labelsieve.engines.dense import CsrEngine, DenseEngine
from labelsieve.engines.sparse import SparseCounts, SparseEngine, listed_table, stacked
from labelsieve.engines.terms import Correction, Terms, refuse_table

# Where fewer features and labels meet, pairs of labels are taken from lists.
LISTED_SHARE = 1 / 8


class SparseTerms(Terms):
    """Plug-in terms of features of any levels, and labels of two known everywhere.

    Their cost grows with the cells that are not zero.
    """

    def __init__(self, engine: Any, correction: None = None) -> None:
        super().__init__(engine, correction)
        self.T = engine.T

    def with_labels(self, labels: IntArray) -> Terms:
        """The same for some of the labels, in the given order."""
        terms, (lists, n_x, n_y, n) = super().with_labels(labels), self._all
        lists = lists._replace(begin=lists.begin[labels], end=lists.end[labels])
        vars(terms)["_all"] = SparseCounts(lists, n_x, n_y[labels], n)
        return terms

    def relevance(self) -> FloatArray:
        """(D,) the sum over labels of I(f; l)."""
        return self._relevance

    @cached_property
    def _relevance(self) -> FloatArray:
        return self._add_up([])

    def interaction_with(self, chosen: int) -> FloatArray:
        """(D,) the sum over labels l of I({f, s, l}) for the chosen feature s."""
        # I({f, s, l}) = I(f; l) - I(f; l | s)
        levels = self.features.columns_of(chosen)
        strata = [self.engine.listed_given(p) for p in levels]
        return self._relevance - self._add_up(strata)

    def label_pair_interaction(self) -> FloatArray:
        """(D,) the sum over pairs of labels a < b of I({f, a, b})."""
        if self.n_labels < 2:
            return np.zeros(self.n_features)
        if self.engine.in_memory and not self._is_thin:
            return self._pairs_in_table()
        total = np.zeros(self.n_features)
        for a in range(self.n_labels - 1):
            total += self._add_up([], a + 1)
            total -= self._add_up([self.engine.listed_given_target(a)], a + 1)
        return total

    @property
    def _is_thin(self) -> bool:
        """Whether so few features and labels meet that no table of them is made."""
        lists = self._all.lists
        n_met = int((lists.end - lists.begin).sum())
        return n_met < LISTED_SHARE * self.features.totals.size * self.n_labels

    @cached_property
    def _all(self) -> SparseCounts:
        listed: SparseCounts = self.engine.listed()
        return listed

    def _pairs_in_table(self) -> FloatArray:
        """I({f, a, b}) = I(f; a) + I(f; b) - I(f; a, b), added up over pairs."""
        from labelsieve.engines import count_kernels as kernels

        engine, X, T, n_y = self.engine, self.features, self.T, self.labels.totals
        shape = self.n_labels, X.totals.size
        refuse_table(shape, itemsize=8)
        n_fl = listed_table(self._all.lists, shape).toarray().astype(np.uint32)
        given = X.several, X.totals.astype(np.uint32), n_fl
        S = self._over_levels(X.totals, self.n_samples)

        def add(a: slice) -> tuple[IntArray, FloatArray]:
            out = np.zeros(self.n_labels, dtype=np.int64), np.zeros(S.size)
            lists = engine.x_lists, engine.targets, engine.by_target
            kernels.add_label_pairs(a.start, a.stop, *lists, *given, S, T, *out)
            return out

        n_later = np.arange(self.n_labels)[::-1]
        work = np.append(0, np.cumsum(n_later * X.totals.size))
        parts = run_in_threads(add, even_blocks(work), engine.n_jobs)
        n_apart, both = (sum(part[1:], part[0]) for part in zip(*parts, strict=True))
        for a in np.flatnonzero(n_apart).tolist():
            # The cells of a label in each pair with one that it never meets
            both += n_apart[a] * (self._over_levels(n_fl[a], n_y[a]) - T[n_y[a]])
        return (self.n_labels - 1) * self._relevance - both / self.n_samples

    def _over_levels(self, counts: IntArray, n: Any) -> FloatArray:
        """(D,) the sum of T over the levels of each feature, counted in n samples."""
        start = self.features.start[:-1]
        sums: FloatArray = np.add.reduceat(self.T[counts], start)
        return sums + self.T[n - np.add.reduceat(counts, start, dtype=np.int64)]

    def _add_up(self, strata: list[SparseCounts], first: int = 0) -> FloatArray:
        """(D,) the sum of I(f; l | s) over labels from `first` on.

        The levels of s are given strata, and what is in none of them.
        """
        from labelsieve.engines import count_kernels as kernels

        lists, n_x, n_y, n = self._all
        some = stacked(strata, self._all)
        rest = SparseCounts(
            *(lists, n_x - some.n_x.sum(axis=0), n_y - some.n_y.sum(axis=0)),
            n - int(some.n.sum()),
        )
        X = self.features
        each: list[Any] = [*zip(*some[1:], strict=True), rest[1:]]
        n_f = np.stack([np.add.reduceat(n_x, X.start[:-1]) for n_x, _, _ in each])
        n_ref = np.array([[n] for _, _, n in each]) - n_f
        T_x = self.T[np.stack([n_x for n_x, _, _ in each])]

        def add(labels: slice) -> FloatArray:
            ends, out = (max(labels.start, first), labels.stop), np.zeros(X.n_blocks)
            tally = np.zeros(n_x.size, dtype=np.uint32)
            owner = None if X.several is None else X.owner
            T = self.T
            kernels.add_cooccurring(*ends, some, rest, owner, n_ref, T_x, T, tally, out)
            return out

        tasks = even_blocks(np.append(0, np.cumsum(lists.end - lists.begin)))
        parts = run_in_threads(add, tasks, self.engine.n_jobs)
        for n_of_features, (_, n_l, n_some) in zip(n_f, each, strict=True):
            # As if no feature met any label: once for each number of samples
            labels, times, _ = _distinct(n_l[first:])
            features, _, place = _distinct(n_of_features)
            unmet = np.zeros(features.size)
            kernels.add_not_cooccurring(features, labels, n_some, times, self.T, unmet)
            parts.append(unmet[place])
        return sum(parts[1:], parts[0]) / self.n_samples


class StrataTerms(Terms):
    """The same where labels are known in some samples only.

    Counts of features and labels are in a table, those within a level of a feature or
    label are added up as they are needed.
    """

    def interaction_with(self, chosen: int) -> FloatArray:
        """(D,) the sum over labels l of I({f, s, l}) for the chosen feature s."""
        low, high = self.features.start[chosen : chosen + 2].tolist()
        samples = IndexLists(self.engine.features.begin, self.engine.features.samples)
        return self._in_strata(samples, low, high, high - low, 0)

    def _interaction_with(self, a: int) -> FloatArray:
        """(D,) the sum over the labels b > a of I({f, a, b})."""
        low, high = self.labels.start[a : a + 2].tolist()
        return self._in_strata(self.engine.by_target, low, high, 1, a + 1)

    def _in_strata(
        self, samples: IndexLists, low: int, high: int, n_levels: int, first: int
    ) -> FloatArray:
        """(D,) the sum over labels b from `first` on of I({f, a, b}).

        The levels of a are columns from `low` to `high`, of which the samples are
        given; those from the n_levels-th on mark unknown cells.
        """
        from labelsieve.engines import count_kernels as kernels

        engine, n_x = self.engine, self.features.totals
        given = n_levels, engine.strata(samples, low, high), engine.x_lists
        columns = engine.targets, self.features.several, n_x, self._counts_by_label

        def add(labels: slice) -> FloatArray:
            out = np.zeros(self.n_features)
            ends = first + labels.start, first + labels.stop
            kernels.add_interactions(*(*ends, *given, *columns, self.T, out))
            return out

        work = np.arange(self.n_labels - first + 1) * n_x.size
        parts = run_in_threads(add, even_blocks(work), engine.n_jobs)
        return sum(parts[1:], parts[0])

    @cached_property
    def _counts_by_label(self) -> CountArray:
        """(Q, P) samples with a column of a label and one of a feature."""
        return np.ascontiguousarray(self._whole.joint.T, dtype=np.uint32)


def _distinct(counts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Which counts there are, how often, and the place of each; without sorting."""
    times = np.bincount(counts)
    (found,) = np.nonzero(times)
    return found, times[found], (np.cumsum(times > 0) - 1)[counts]


def choose_engine(
    X: Columns, Y: Columns, n_jobs: int | None = None, dense: bool | None = None
) -> Any:
    """The engine for features and targets; `dense` says so for blocks of samples."""
    if is_dense(X) if dense is None else dense:
        return DenseEngine(X, Y, n_jobs)
    return SparseEngine(X, Y, n_jobs) if X.weight is None else CsrEngine(X, Y)


def terms_of(engine: Any, correction: Correction | None = None) -> Terms:
    """The terms from what an engine counts, in their quickest form."""
    if correction is None and not engine.is_dense:
        Y = engine.Y
        if (Y.width == 1).all():
            return SparseTerms(engine)
        if engine.in_memory and (Y.width - Y.unknown == 1).all():
            return StrataTerms(engine)
    return Terms(engine, correction)
