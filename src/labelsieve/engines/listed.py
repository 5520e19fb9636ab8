"""The terms of sparse data, and which engine and terms serve which data."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelsieve._plumbing.machine import cached_property, run_in_threads
from labelsieve._plumbing.matrices import Lists, even_blocks
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.engines.columns import Columns, is_dense
from labelsieve.engines.dense import DenseEngine
from labelsieve.engines.sparse import Listed, SparseEngine
from labelsieve.engines.terms import Correction, Terms, refuse_table

# Where fewer features and labels meet, pairs of labels are taken from lists.
LISTED_SHARE = 1 / 8
# Tables of features and labels with more cells are not made where lists do.
MOST_CELLS = 1 << 26


class ListedTerms(Terms):
    """Plug-in terms whose cost grows with the cells that are not zero."""

    def __init__(self, engine: Any, correction: None = None) -> None:
        super().__init__(engine, correction)
        self.T = engine.T
        self._known = engine.targets.n_known
        self._is_binary = bool(
            (self.features.width == 1).all() and (self.labels.width == 1).all()
        )

    def with_labels(self, labels: IntArray) -> Terms:
        """The same for some of the labels, in the given order."""
        terms, columns = super().with_labels(labels), self.labels.columns_of_all(labels)
        lists, n_x, n_y, n = self._all
        lists = lists._replace(begin=lists.begin[columns], end=lists.end[columns])
        vars(terms)["_all"] = Listed(lists, n_x, n_y[columns], n)
        return terms

    def relevance(self) -> FloatArray:
        """(D,) the sum over labels of I(f; l)."""
        return self._relevance

    @cached_property
    def _relevance(self) -> FloatArray:
        return self._add_up(self._all, None, 1 / self._known)

    def interaction_with(self, chosen: int) -> FloatArray:
        """(D,) the sum over labels l of I({f, s, l}) for the chosen feature s."""
        low, high = self.features.start[chosen : chosen + 2].tolist()
        if self._in_table:
            samples = Lists(self.engine.features.begin, self.engine.features.samples)
            return self._in_strata(samples, low, high, high - low, 0)
        weight = 1 / self._known
        # I({f, s, l}) = I(f; l) - I(f; l | s), where s has its reference level or not
        others = self.engine.listed_given(low, high)
        found = self._relevance - self._add_up(self._all, others, weight)
        for s in range(low, high):
            stratum = others if high - low == 1 else self.engine.listed_given(s, s + 1)
            found -= self._add_up(stratum, None, weight)
        return found

    def label_pair_interaction(self) -> FloatArray:
        """(D,) the sum over pairs of labels a < b of I({f, a, b})."""
        if self.n_labels < 2:
            return np.zeros(self.n_features)
        if self._is_binary and self.engine.in_memory and not self._is_thin:
            return self._binary_label_pairs()
        n_known = None if self._in_table else self._label_pairs_known()
        total = np.zeros(self.n_features)
        for a in range(self.n_labels - 1):
            if n_known is None:
                low, high = self.labels.start[a : a + 2].tolist()
                n_levels = high - low - int(self.labels.unknown[a])
                of_label = self.engine.by_target, low, high, n_levels, a + 1
                total += self._in_strata(*of_label)
                continue
            weight = np.zeros(self.n_labels)
            known = n_known[a, a + 1 :]
            weight[a + 1 :] = np.divide(1.0, known, where=known > 0, out=0.0 * known)
            total += self._interaction_of(a, weight)
        return total

    @property
    def _is_thin(self) -> bool:
        """Whether so few features and labels meet that no table of them is made."""
        lists = self._all.lists
        n_met = int((lists.end - lists.begin).sum())
        return n_met < LISTED_SHARE * self.n_features * self.n_labels

    @property
    def _in_table(self) -> bool:
        """Whether counts of features and labels, not all of two levels, are a table."""
        two_levels = bool((self.labels.width - self.labels.unknown == 1).all())
        n_cells = self.features.totals.size * self.labels.totals.size
        is_small = self.engine.in_memory and n_cells <= MOST_CELLS
        return is_small and two_levels and not self._is_binary

    def _in_strata(
        self, samples: Lists, low: int, high: int, n_levels: int, first: int
    ) -> FloatArray:
        """(D,) the sum over labels b from `first` on of I({f, a, b}).

        The levels of a are columns from `low` to `high`, of which the samples are
        given; those from the n_levels-th on mark unknown cells.
        """
        from labelsieve.engines import count_kernels as kernels

        engine, n_x = self.engine, self.features.totals
        given = n_levels, engine.strata(samples, low, high), engine.x_lists
        columns = engine.targets, self.features.start, n_x, self._table, self.T

        def add(labels: slice) -> FloatArray:
            out = np.zeros(self.n_features)
            ends = first + labels.start, first + labels.stop
            kernels.add_interactions(*(*ends, *given, *columns, out))
            return out

        work = np.arange(self.n_labels - first + 1) * n_x.size
        parts = run_in_threads(add, even_blocks(work), engine.n_jobs)
        return sum(parts[1:], parts[0])

    @cached_property
    def _table(self) -> CountArray:
        """(Q, P) samples with a column of a label and one of a feature."""
        shape, lists = (
            (self.labels.totals.size, self.features.totals.size),
            self._all.lists,
        )
        refuse_table(shape, itemsize=4)
        table = np.zeros(shape, dtype=np.uint32)
        for column, line in enumerate(table):
            met = slice(lists.begin[column], lists.end[column])
            line[lists.columns[met]] = lists.counts[met]
        return table

    def _interaction_of(self, a: int, weight: FloatArray) -> FloatArray:
        """(D,) the weighted sum over labels b of N I({f, a, b})."""
        start, end = self.labels.start[a : a + 2].tolist()
        given, unknown, first = self.engine.listed_given_target, None, end
        found = -self._add_up(self._all, given(start, end, first), weight, a + 1)
        if self.labels.unknown[a]:
            end -= 1
            unknown = given(end, end + 1, first)
        found += self._add_up(self._all, unknown, weight, a + 1)
        for t in range(start, end):
            found -= self._add_up(given(t, t + 1, first), None, weight, a + 1)
        return found

    def _label_pairs_known(self) -> FloatArray:
        """(L, L) samples in which two labels are known."""
        n_known = np.full((self.n_labels, self.n_labels), float(self.n_samples))
        partly = np.flatnonzero(self.labels.unknown)
        if partly.size:
            marks = self.labels.start[partly + 1] - 1
            n_known[partly] -= self.labels.totals[marks][:, np.newaxis]
            n_known[:, partly] -= self.labels.totals[marks]
            both = self.engine.target_gram()[np.ix_(marks, marks)]
            n_known[np.ix_(partly, partly)] += both
        return n_known

    @cached_property
    def _all(self) -> Listed:
        listed: Listed = self.engine.listed()
        return listed

    def _add_up(
        self, counted: Listed, less: Listed | None, weight: FloatArray, first: int = 0
    ) -> FloatArray:
        """(D,) the weighted sum over labels of N I(f; l), in samples less others.

        Labels from `first` on count; where all have two levels and are known, they have
        the same weight.
        """
        from labelsieve.engines import count_kernels as kernels

        lists, n_x, n_y, n = counted
        no = np.zeros(n_y.size, dtype=np.int64)
        off = kernels.JointLists(no, no, lists.columns[:0], lists.counts[:0])
        if less is not None:
            off, n_x, n_y = less.lists, n_x - less.n_x, n_y - less.n_y
            n -= less.n
        n_f = n_x
        if not self._is_binary:
            n_f = np.add.reduceat(n_x, self.features.start[:-1])
        n_met = np.append(0, np.cumsum(lists.end - lists.begin))
        tasks = even_blocks(n_met[self.labels.start])
        met = kernels.Meetings(lists, off, n_x, n_f, n_y, n)

        def add(labels: slice) -> FloatArray:
            ends, out = (max(labels.start, first), labels.stop), np.zeros(n_f.size)
            counts = np.zeros(int(self.labels.width.max()) * n_x.size, dtype=np.uint32)
            if self._is_binary:
                kernels.add_met_binary(*ends, met, self.T, self.T[n_x], counts, out)
                return out * weight[-1]
            blocks = self.features.start, self.features.owner
            known = self.engine.targets, weight, self.T
            scratch = counts.reshape(-1, n_x.size)
            kernels.add_met_any(*(*ends, *blocks, met, *known, scratch, out))
            return out

        found = self._add_unmet(n_f, n_y, n, weight, first)
        for part in run_in_threads(add, tasks, self.engine.n_jobs):
            found += part
        return found

    def _add_unmet(
        self, n_f: IntArray, n_y: IntArray, n: int, weight: FloatArray, first: int
    ) -> FloatArray:
        """(D,) the same as if no feature met any label."""
        from labelsieve.engines import count_kernels as kernels

        if self._is_binary:
            n_l, times = np.unique(n_y[first:], return_counts=True)
            n_known, weight = np.full(n_l.size, n), times * weight[-1]
        else:
            start, end = self.labels.start[:-1], self.engine.targets.end
            unknown = np.append(n_y, 0)[end] * self.labels.unknown
            n_l, n_known = np.add.reduceat(n_y, start) - unknown, n - unknown
        # Once for each number of samples that features have
        distinct = np.flatnonzero(np.bincount(n_f))
        found = np.zeros(distinct.size)
        kernels.add_unmet(distinct, n_l, n_known, weight, self.T, found)
        sums = np.zeros(self.n_samples + 1)
        sums[distinct] = found
        return sums[n_f]

    def _binary_label_pairs(self) -> FloatArray:
        """I({f, a, b}) = I(f; a) + I(f; b) - I(f; a, b), added up over pairs."""
        from labelsieve.engines import count_kernels as kernels

        engine, T, n_y = self.engine, self.T, self.labels.totals
        n_labels, n_x = self.n_labels, self.features.totals.astype(np.uint32)
        n_fl = self._table

        def add(a: slice) -> tuple[IntArray, FloatArray]:
            out = np.zeros(n_labels, dtype=np.int64), np.zeros(n_x.size)
            lists = engine.x_lists, engine.targets, engine.by_target
            kernels.add_label_pairs(a.start, a.stop, *lists, n_x, n_fl, T, *out)
            return out

        n_later = np.arange(n_labels)[::-1]
        work = np.append(0, np.cumsum(n_later * n_x.size))
        parts = run_in_threads(add, even_blocks(work), engine.n_jobs)
        n_apart, both = (sum(part[1:], part[0]) for part in zip(*parts, strict=True))
        for a in np.flatnonzero(n_apart).tolist():
            # The cells of a with f and without, in each pair with a label apart from it
            apart = (T[n_fl[a]] - T[n_y[a]]) + T[n_y[a] - n_fl[a]]
            both += n_apart[a] * apart
        return (n_labels - 1) * self._relevance - both / self.n_samples


def choose_engine(
    X: Columns, Y: Columns, n_jobs: int | None = None, dense: bool | None = None
) -> Any:
    """The engine for features and targets; `dense` says so for blocks of samples."""
    if is_dense(X) if dense is None else dense:
        return DenseEngine(X, Y, n_jobs)
    return SparseEngine(X, Y, n_jobs)


def terms_of(engine: Any, correction: Correction | None = None) -> Terms:
    """The terms from what an engine counts, in their quickest form."""
    if correction is None and not engine.is_dense:
        return ListedTerms(engine)
    return Terms(engine, correction)
