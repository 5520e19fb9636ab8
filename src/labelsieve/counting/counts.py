"""The waist of the library: what every information-theoretic selector may ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.slices import Lists, span
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting import joint, label_pairs
from labelsieve.counting.pairs import PairCounts, even_edges, refuse_table
from labelsieve.counting.sources import SparseSource
from labelsieve.counting.triples import (
    TAKEN_AT_ONCE,
    BinaryTriples,
    CodedTriples,
    LabelPairs,
)

# After a pick the labels are split into this many tasks: a fixed number, so that sums
# do not depend on the threads, and one task where there are few labels.
PICK_TASKS = 4
FEW_LABELS = 64
# What is counted of features alone, whichever labels there are.
OF_FEATURES = {"feature_counts", "feature_sums", "table"}
# Some columns of so few cells are taken by looking at all of them.
FEW_CELLS = 100_000
# Counts of at most this many cells are in memory for one task.
CELLS_PER_TASK = 2_000_000
# Where no counts are in memory, a call adds up about so many: Ctrl-C waits for its end.
CELLS_PER_CALL = 250_000


class Counts(PairCounts):
    """Joint counts of coded features and labels, asked as cell sums.

    To what `PairCounts` answers, this adds sums over three columns.
    """

    def with_labels(self, columns: IntArray) -> Counts:
        """The same counts for some of the labels, in the given order."""
        if isinstance(self.source, SparseSource) and self.labels.n_entries > FEW_CELLS:
            labels = self.source.labels.take_columns(self.labels, columns)
        else:
            labels = self.labels.take(columns)
        source = self.source.with_labels(labels)
        counts = Counts(self.features, labels, source, self.n_jobs)
        known = vars(self)
        vars(counts).update({name: known[name] for name in OF_FEATURES & known.keys()})
        if "feature_label_counts" in vars(self):
            table = self.feature_label_counts[self._label_lines(columns)]
            counts.feature_label_counts = table
        return counts

    def told_of_label_pairs(self) -> FloatArray:
        """For each feature, n I(f; a, b) summed over all pairs of labels a < b."""
        if self.lists_label_pairs:
            return label_pairs.told_of_pairs(self)
        refuse_table((self.n_labels, self.n_features), itemsize=12)
        parts = np.zeros((self.n_labels, self.n_features))
        # Each label has its line, whichever task fills it.
        n_later = np.arange(self.n_labels)[::-1]
        n_cells = int(n_later.sum()) * self.n_features
        edges = even_edges(n_later, 1 + n_cells // CELLS_PER_CALL)
        self._prepare_labels()

        def add(task: int) -> None:
            self._add_label_triples(edges[task], edges[task + 1], parts)

        self._run(add, range(len(edges) - 1), n_cells)
        return self._add_up(parts) + self._free_told_of_pairs()

    @cached_property
    def lists_label_pairs(self) -> bool:
        """Whether most pairs of labels never meet: those that do are listed then."""
        return label_pairs.is_listed(self)

    def n_pair_meetings(self) -> IntArray | None:
        """See `label_pairs.count_meetings`; None where these are no lists."""
        source = self.source
        if not isinstance(source, SparseSource):
            return None
        return label_pairs.count_meetings(source)

    @cached_property
    def label_cells(self) -> joint.JointCells:
        """The cells of n(l, m) that are not zero, labels binary."""
        assert isinstance(self.source, SparseSource)
        return label_pairs.list_label_cells(self.source)

    def sum_pair_cells(self, listed: label_pairs.Listed) -> FloatArray:
        """What labels and pairs of labels that each feature meets add to that."""
        return label_pairs.sum_pair_cells(self, listed)

    def chosen_sums(self, feature: int) -> tuple[FloatArray, FloatArray]:
        """For one feature g and all f: n I(f; g), and n I(f; l | g) over labels."""
        if self.has_cells:
            return joint.chosen_sums(self, feature)
        given = self.given_feature(feature)
        own = self.given_sums(given) - self.feature_sums[feature]
        edges = self.chosen_edges
        parts = np.zeros((self.n_chosen_tasks, self.n_features))

        def add(task: int) -> None:
            self.add_triples(given, own, edges[task], edges[task + 1], parts[task])

        self._run(add, range(len(parts)), self.n_labels * self.n_features)
        shared = own - self.feature_sums
        return shared, self._add_up(parts) + self.free_sums(given)

    @property
    def has_cells(self) -> bool:
        """Whether cells are listed, or were because pairs of labels needed them."""
        return "joint_cells" in vars(self) or self.lists_cells

    def sum_chosen_cells(self, feature: int, triples: BinaryTriples) -> FloatArray:
        """What listed cells add to n I(f; l | g), summed over labels."""
        return joint.sum_chosen_cells(self, feature, triples)

    def visit_given(self, given: Given, visit: GivenVisitor) -> None:
        """Call ``visit(task, labels, n_fgl)`` for blocks of label indicators.

        `labels` is a slice of label indicators, and `n_fgl` their joint counts with
        all feature indicators, one table for each indicator of the given column. The
        blocks of each of the `n_chosen_tasks` come in order, one after the other.
        """

        def go(task: int) -> None:
            for b in self.given_blocks(task, len(given.rows)):
                n_fgl = [self.source.count_both(r, b.start, b.stop) for r in given.rows]
                visit(task, b, n_fgl)

        self._run(go, range(self.n_chosen_tasks), self.n_labels * self.n_features)

    def given_blocks(self, task: int, n_given: int) -> Iterator[slice]:
        """The blocks of label indicators of one task beside so many indicators."""
        edges = self.chosen_edges
        for left, right in self._label_blocks(edges[task], edges[task + 1], n_given):
            yield slice(int(self.y_start[left]), int(self.y_start[right]))

    def given_sums(self, given: Given) -> FloatArray:
        """S(f, a) for the given column a and all f."""
        return self._pairs(given.n_fa, given.n_a, np.array([0, given.n_a.size]))[0]

    @property
    def n_chosen_tasks(self) -> int:
        """Into how many tasks the labels are split once a feature is chosen."""
        return PICK_TASKS if self.n_labels > FEW_LABELS else 1

    @cached_property
    def chosen_edges(self) -> list[int]:
        """Where the labels of each of these tasks begin."""
        edges = np.linspace(0, self.n_labels, self.n_chosen_tasks + 1)
        return edges.astype(int).tolist()

    def given_label(self, label: int) -> Given:
        """Joint counts of one label with all features and with the labels."""
        lines = span(self.y_start, label)
        rows = [
            self.source.rows_with_label(indicator)
            for indicator in range(lines.start, lines.stop)
        ]
        return Given(
            rows,
            self.feature_label_counts[lines],
            self.label_counts[lines],
            self.label_pair_counts[lines],
            label,
        )

    def _prepare_labels(self) -> None:
        """Count once, before threads ask, what `given_label` needs."""
        _ = self.feature_label_counts, self.label_pair_counts, self.feature_sums

    def given_feature(self, feature: int) -> Given:
        """Joint counts of one feature with all others and with the labels."""
        indicators = range(self.x_start[feature], self.x_start[feature + 1])
        rows = [self.source.rows_with_feature(indicator) for indicator in indicators]
        n_fg = _lines([self.source.count_features(r) for r in rows])
        n_g = self.feature_counts[indicators.start : indicators.stop]
        n_gl = _lines([self.source.count_labels(r) for r in rows])
        return Given(rows, n_fg, n_g, n_gl)

    def add_triples(
        self, given: Given, own: FloatArray, low: int, high: int, out: FloatArray
    ) -> None:
        """out[f] += S(f, a, b) - S(a, b) - own[f] over labels b in [low, high).

        With S(f) as `own` this is n I(f; a, b), with S(f, a) - S(a) n I(f; b | a).
        Free cells of columns with two codes are left out.
        """
        from labelsieve.counting import coded_triple_kernels, triple_kernels

        if self.binary and isinstance(self.source, SparseSource):
            start, grouped = given.rows[0].by_label
            triple_kernels.add_triples_sparse(
                low,
                Lists(start[low : high + 1], grouped),
                given.rows[0].of_row,
                BinaryTriples.of(self, given, slice(low, high)),
                own,
                out,
            )
            return
        for left, right in self._label_blocks(low, high, len(given.rows)):
            b = slice(self.y_start[left], self.y_start[right])
            n_fab = [self.source.count_both(r, b.start, b.stop) for r in given.rows]
            if self.binary:
                triples = BinaryTriples.of(self, given, b)
                triple_kernels.add_triples_binary(left, n_fab[0], triples, own, out)
            else:
                coded = CodedTriples.of(self, given)
                coded_triple_kernels.add_triples_any(
                    np.stack(n_fab), coded, own, left, right, out
                )

    def _add_label_triples(self, low: int, high: int, out: FloatArray) -> None:
        """Likewise out[a, f] over the labels b > a, for each label a in [low, high)."""
        from labelsieve.counting import coded_triple_kernels, triple_kernels

        if isinstance(self.source, SparseSource) and (self.labels.n_codes == 2).all():
            # All labels in one call: for few features, asking costs more than working.
            x, y = self.source.of_row, self.source.labels
            lists = y.columns, y.of_row, x
            pairs = LabelPairs.of(self), self.feature_sums
            if self.binary:
                triple_kernels.add_label_triples_sparse(low, high, *lists, *pairs, out)
            else:
                coded_triple_kernels.add_label_triples_sparse_any(
                    low, high, *lists, *pairs, self.x_start, out
                )
            return
        for label in range(low, high):
            given = self.given_label(label)
            own = self.feature_sums
            self.add_triples(given, own, label + 1, self.n_labels, out[label])

    def free_sums(self, given: Given) -> FloatArray:
        """The free cells of a given column a and all labels b that never meet it.

        Of S(f, a, b) - S(a, b) these are all cells with a or b: with two codes each,
        they follow from the counts of pairs. Sums of triples leave them out.
        """
        out = np.zeros(self.n_features)
        if self.binary and not given.n_ab.all():
            apart = (given.n_ab[0] == 0).astype(np.int64)
            self._add_free(apart.sum(keepdims=True), given.n_fa, given.n_a, out)
            self._add_free(apart, self.feature_label_counts, self.label_counts, out)
        return out

    def _free_told_of_pairs(self) -> FloatArray:
        """The free cells of all pairs of labels a < b that never meet.

        And what rounding took off S(f), which is in every pair.
        """
        n_pairs = self.n_labels * (self.n_labels - 1) // 2
        out = np.zeros(self.n_features)
        if self.binary:
            here = self.table[self.feature_counts]
            there = self.table[self.n_rows - self.feature_counts]
            # S(f) is the rounded sum of two numbers: what it lacks is exact.
            less = self.feature_sums - there
            lost = (here - less) + (there - (self.feature_sums - less))
            out -= n_pairs * lost
            n_apart = np.count_nonzero(self.label_pair_counts == 0, axis=1)
            self._add_free(n_apart, self.feature_label_counts, self.label_counts, out)
        return out

    def _add_free(
        self, times: IntArray, n_fa: CountArray, n_a: CountArray, out: FloatArray
    ) -> None:
        """out[f] += the cells of each column a, with f and without, so many times."""
        from labelsieve.counting import triple_kernels

        triple_kernels.add_free_cells(times, n_fa, n_a, self.table, out)

    def _label_blocks(
        self, low: int, high: int, n_given: int = 1
    ) -> Iterator[tuple[int, int]]:
        """Ranges of labels whose counts stay within the memory of one task."""
        n_features = int(self.x_start[-1])
        cells = n_given * n_features * int(self.y_start[high] - self.y_start[low])
        if 0 < cells <= CELLS_PER_TASK:
            yield low, high
            return
        n_lines = max(1, CELLS_PER_TASK // (n_given * n_features))
        left = low
        while left < high:
            limit = self.y_start[left] + n_lines
            right = int(np.searchsorted(self.y_start, limit, side="right")) - 1
            right = min(max(right, left + 1), high)
            if self.binary:
                after = max(right, left - left % TAKEN_AT_ONCE + TAKEN_AT_ONCE)
                right = min(high, after - after % TAKEN_AT_ONCE)
            refuse_larger_than_memory(
                (n_given, int(self.y_start[right] - self.y_start[left]), n_features),
                "A table of joint counts",
                "Bin the columns with many codes (binning='quantile') or drop them: "
                "identifiers tell nothing.",
            )
            yield left, right
            left = right

    def _add_up(self, parts: FloatArray) -> FloatArray:
        from labelsieve.counting import entropy_kernels

        out = np.empty(parts.shape[1])
        entropy_kernels.add_up_lines(parts, out)
        return out


@dataclass(frozen=True)
class Given:
    """A column (label or feature) that is counted together with all others.

    Attributes
    ----------
    rows : for each of its indicators, the rows that have it
    n_fa : its joint counts with the feature indicators, one line per indicator
    n_a : its own counts
    n_ab : its joint counts with the label indicators, one line per indicator
    label : which label it is, None for a feature
    """

    rows: list[Any]
    n_fa: CountArray
    n_a: CountArray
    n_ab: CountArray
    label: int | None = None


def _lines(counts: list[CountArray]) -> CountArray:
    """One line for each; the usual single one is not copied."""
    return counts[0][np.newaxis] if len(counts) == 1 else np.stack(counts)


GivenVisitor = Callable[[int, slice, list[CountArray]], None]
