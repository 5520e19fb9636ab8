"""What features tell only together with a chosen one, where that is possible at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import Lists, slices_of
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import BoolArray, CountArray, FloatArray, IntArray
from labelsieve.counting import (
    BinaryTriples,
    BitSource,
    Counts,
    Given,
    SparseSource,
)

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.coded_synergy import Beside, Frequent, Whole
    from labelsieve.selectors.sieve.given_kernels import Synergy

# Features are counted so many at a time where they are counted together.
FEATURES_AT_ONCE = 512
# So many rows of single features cost as much as one where all are counted together.
ROWS_BY_LISTS = 6
# Threads share features in ranges of so many.
FEATURES_PER_TASK = 64
# Fewer are counted before it is found out which of them are needed.
BITS_WORTH_A_LOOK = 20_000_000


class Together:
    """The variance of labels that products with a chosen feature explain.

    Only products of indicators are counted that have rows enough to explain a label.
    The bits are those of a look at all of them.

    Parameters
    ----------
    counts : of all features and labels, from lists or bits
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._known_blocks: dict[int, Lists] = {}
        self._known_frequent: dict[float, Frequent] = {}

    @staticmethod
    def serves(counts: Counts) -> bool:
        """Whether counts come from lists, or from so many bits that few are needed."""
        if isinstance(counts.source, SparseSource):
            return True
        n_bits = counts.n_rows * int(counts.x_start[-1]) * int(counts.y_start[-1])
        return isinstance(counts.source, BitSource) and n_bits >= BITS_WORTH_A_LOOK

    @cached_property
    def whole(self) -> Whole:
        """The counts as kernels take them."""
        from labelsieve.selectors.sieve.coded_synergy import Whole

        counts, known = self.counts, self.counts.known
        y_end = counts.y_start[1:] if known is None else known.y_end
        n_k = np.full(counts.n_labels, counts.n_rows) if known is None else known.n_k
        return Whole(
            counts.feature_counts,
            np.ascontiguousarray(counts.feature_label_counts.T),
            counts.label_counts,
            *(n_k, counts.x_start, counts.y_start, y_end),
            *(counts.n_rows, counts.table),
        )

    def find(self, given: Given, what: Synergy) -> FloatArray:
        """(D,) what features tell only together with the given one."""
        from labelsieve.selectors.sieve import coded_synergy as kernels

        beside = kernels.Beside(given.n_fa, given.n_a, given.n_ab)
        possible = np.empty(given.n_fa.shape, dtype=bool)
        frequent = self._frequent(what)
        kernels.mark_possible(self.whole, beside, frequent, possible)
        if not possible.any():
            return np.zeros(self.counts.n_features)
        if self._counts_by_lists(given, possible):
            return self._by_lists(given, beside, what, frequent, possible)
        return self._by_tables(given, what, frequent, possible)

    def _counts_by_lists(self, given: Given, possible: BoolArray) -> bool:
        """Whether that costs less than to count all features together."""
        if not isinstance(self.counts.source, SparseSource):
            return False
        n_steps = -(-possible.shape[1] // FEATURES_AT_ONCE)
        together = n_steps * given.n_a[possible.any(axis=1)].sum(dtype=np.int64)
        single = given.n_fa[possible].sum(dtype=np.int64)
        return bool(single < ROWS_BY_LISTS * together)

    def _by_tables(
        self, given: Given, what: Synergy, frequent: Frequent, possible: BoolArray
    ) -> FloatArray:
        counts = self.counts
        parts = np.zeros((counts.n_chosen_tasks, counts.n_features))
        tables = [
            self._tables(given, g, frequent, of_g)
            for g, of_g in enumerate(possible)
            if of_g.any()
        ]

        def add(task: int) -> None:
            for lines in counts.given_blocks(task, len(given.rows)):
                for table in tables:
                    table.add(lines, what, parts[task])

        run_in_threads(add, range(len(parts)), counts.n_jobs)
        return parts[0] if len(parts) == 1 else parts.sum(axis=0)

    def _tables(
        self, given: Given, g: int, frequent: Frequent, possible: BoolArray
    ) -> _ByGroups | _ByBits:
        """Tables of counts with an indicator of the given feature."""
        from labelsieve.selectors.sieve import coded_synergy as kernels

        counts, source = self.counts, self.counts.source
        if isinstance(source, BitSource):
            return _ByBits(counts, given, g, np.flatnonzero(possible))
        assert isinstance(source, SparseSource)
        most = _most_in_smallest(counts, given, g)
        n_wanted = int(np.searchsorted(frequent.enough, most, side="right"))
        wanted = np.zeros(int(counts.y_start[-1]), dtype=bool)
        wanted[frequent.line[:n_wanted]] = True
        if counts.known is not None:
            ends = counts.known.y_end[frequent.label[:n_wanted]]
            wanted[ends[ends < counts.y_start[1:][frequent.label[:n_wanted]]]] = True
        start = np.zeros(wanted.size + 1, dtype=np.int64)
        np.cumsum(np.where(wanted, given.n_ab[g], 0), out=start[1:])
        groups = Lists(start, np.empty(start[-1], dtype=np.uint32))
        kernels.group_wanted(
            *(given.rows[g].index, source.labels.of_row, wanted),
            *(start[:-1].copy(), groups.entries),
        )
        return _ByGroups(counts, given, g, groups)

    def _by_lists(
        self,
        given: Given,
        beside: Beside,
        what: Synergy,
        frequent: Frequent,
        possible: BoolArray,
    ) -> FloatArray:
        from labelsieve.selectors.sieve import coded_synergy as kernels

        counts, source = self.counts, self.counts.source
        assert isinstance(source, SparseSource)
        own = self._rows_of(given, possible, source.features.columns)
        blocks, out = self._blocks(len(given.rows)), np.zeros(counts.n_features)
        of_feature = np.logical_or.reduceat(possible.any(axis=0), counts.x_start[:-1])
        features = np.flatnonzero(of_feature)

        def add(some: slice) -> None:
            kernels.add_synergy(
                *(features[some], possible, own, source.labels_of_row, self.whole),
                *(beside, frequent, what, blocks, out),
            )

        tasks = slices_of(features.size, FEATURES_PER_TASK)
        run_in_threads(add, tasks, counts.n_jobs)
        return out

    def _rows_of(self, given: Given, possible: BoolArray, columns: Lists) -> Lists:
        """The rows of each product that is possible."""
        from labelsieve.selectors.sieve import coded_synergy as kernels

        start = np.zeros(possible.size + 1, dtype=np.int64)
        np.cumsum(np.where(possible, given.n_fa, 0).ravel(), out=start[1:])
        own = Lists(start, np.empty(start[-1], dtype=np.uint32))
        places = start[:-1].reshape(possible.shape)
        for rows, wanted, place in zip(given.rows, possible, places, strict=True):
            has_g = np.zeros(self.counts.n_rows, dtype=bool)
            has_g[rows.index] = True
            kernels.list_rows(has_g, columns, wanted, place, own.entries)
        return own

    def _blocks(self, n_given: int) -> Lists:
        """Where blocks of label indicators begin and end that are added up together."""
        if n_given in self._known_blocks:
            return self._known_blocks[n_given]
        parts: list[list[int]] = []
        for task in range(self.counts.n_chosen_tasks):
            ranges = [*self.counts.given_blocks(task, n_given)]
            parts.append([ranges[0].start, *(lines.stop for lines in ranges)])
        sizes = [len(part) for part in parts]
        entries = np.concatenate(parts).astype(np.uint32)
        blocks = Lists(np.append(0, np.cumsum(sizes)), entries)
        self._known_blocks[n_given] = blocks
        return blocks

    def _frequent(self, what: Synergy) -> Frequent:
        """Values of labels, of which the variance is to be explained."""
        from labelsieve.selectors.sieve.coded_synergy import Frequent
        from labelsieve.selectors.sieve.given_kernels import STRONG

        if what.limit not in self._known_frequent:
            limit = max(what.limit, STRONG * float(self.whole.n_k.min()))
            found = Frequent(limit, *self._by_variance)
            self._known_frequent[what.limit] = found
        return self._known_frequent[what.limit]

    @cached_property
    def _by_variance(self) -> tuple[Any, ...]:
        """Indicators, labels, rows that are needed in a cell, variances, counts."""
        from labelsieve.selectors.sieve.given_kernels import FEWEST_EXPECTED

        start, end, n_k = self.whole.y_start[:-1], self.whole.y_end, self.whole.n_k
        label = np.repeat(np.arange(n_k.size), end - start)
        within = np.arange(label.size) - np.searchsorted(label, label)
        line = start[label] + within
        share = self.whole.n_l[line] / n_k[label]
        rare = np.minimum(share, 1.0 - share)
        order = np.argsort(-rare, kind="stable")
        enough, noise = FEWEST_EXPECTED / rare, share * (1.0 - share)
        line, label = line[order], label[order]
        n_l = self.whole.n_l[line].astype(np.float64)
        n_lf = np.take(self.whole.n_lf, line, axis=1)
        return line, label, enough[order], noise[order], n_l, n_lf


@dataclass(frozen=True)
class _ByGroups:
    """Counts from the rows with an indicator by their labels, as far as needed."""

    counts: Counts
    given: Given
    indicator: int
    groups: Lists

    def add(self, lines: slice, what: Synergy, out: FloatArray) -> None:
        """Add what products explain of a block of label indicators."""
        source, (start, rows) = self.counts.source, self.groups
        assert isinstance(source, SparseSource)
        some = Lists(start[lines.start : lines.stop + 1], rows)
        n_fgl = source.features.count_groups(some, of_row=source.of_row)
        add_synergy(self.counts, self.given, self.indicator, lines, n_fgl, what, out)


@dataclass(frozen=True)
class _ByBits:
    """Counts of some feature indicators from bits."""

    counts: Counts
    given: Given
    indicator: int
    some: IntArray

    def add(self, lines: slice, what: Synergy, out: FloatArray) -> None:
        """Add what products explain of a block of label indicators."""
        from labelsieve.selectors.sieve import given_kernels, known_kernels

        counts, some, source = self.counts, self.some, self.counts.source
        assert isinstance(source, BitSource)
        rows = self.given.rows[self.indicator]
        n_fgl = source.count_some(rows, some, lines.start, lines.stop)
        own = what._replace(owner=what.owner[some])
        if counts.known is None:
            triples = BinaryTriples.of(counts, self.given, lines, self.indicator)
            few = triples._replace(
                n_f=triples.n_f[some],
                n_fa=triples.n_fa[some],
                n_fb=triples.n_fb[:, some],
            )
            given_kernels.add_interactions(n_fgl, few, lines.start, own, out)
            return
        n_f, n_fk, n_fl = counts.known[:3]
        known = counts.known._replace(
            n_f=n_f[some], n_fk=n_fk[:, some], n_fl=n_fl[:, some]
        )
        n_fg, n_g, n_gl = _given_indicator(self.given, self.indicator)
        of_g = known_kernels.GivenIndicator(n_fg[some], n_g, n_gl)
        low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
        known_kernels.add_known_synergy(
            n_fgl, of_g, known, int(low), int(high), own, out
        )


def _most_in_smallest(counts: Counts, given: Given, g: int) -> float:
    """Of the smallest cells of an indicator and all others, the most rows."""
    both, n_g = given.n_fa[g].astype(np.float64), float(given.n_a[g])
    f_only, g_only = counts.feature_counts - both, n_g - both
    smallest = np.minimum(np.minimum(both, f_only), g_only)
    return float(np.minimum(smallest, counts.n_rows - f_only - n_g).max())


def add_synergy(
    counts: Counts,
    given: Given,
    indicator: int,
    lines: slice,
    n_fgl: CountArray,
    what: Synergy,
    out: Any,
) -> None:
    """Add what products with an indicator explain of a block of label indicators.

    `n_fgl` are its joint counts with these and with all feature indicators.
    """
    if counts.known is None:
        from labelsieve.selectors.sieve import given_kernels

        triples = BinaryTriples.of(counts, given, lines, indicator)
        given_kernels.add_interactions(n_fgl, triples, lines.start, what, out)
        return
    from labelsieve.selectors.sieve import known_kernels

    low, high = np.searchsorted(counts.y_start, [lines.start, lines.stop])
    of_g = known_kernels.GivenIndicator(*_given_indicator(given, indicator))
    known_kernels.add_known_synergy(
        n_fgl, of_g, counts.known, int(low), int(high), what, out
    )


def _given_indicator(given: Given, indicator: int) -> tuple[Any, int, Any]:
    """Its joint counts with features, its own, and those with labels."""
    n_g = int(given.n_a[indicator])
    return given.n_fa[indicator], n_g, given.n_ab[indicator]
