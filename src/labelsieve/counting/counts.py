"""The waist of the library: what every information-theoretic selector may ask.

Answers are cell sums S = sum over the cells of a contingency table of k log(k/n),
that is -n times the entropy in nats. They are functions of integer counts, added up
in a fixed order: the same bits come from any source and any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.slices import Lists, span
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting import joint
from labelsieve.counting.sources import Source, SparseSource, label_rows
from labelsieve.counting.triples import (
    BinaryTriples,
    CodedTriples,
    KnownLabels,
    LabelPairs,
)
from labelsieve.discretization import CodedColumns

# After a pick the labels are split into this many tasks: a fixed number, so that sums
# do not depend on the threads, and one task where there are few labels.
PICK_TASKS = 4
FEW_LABELS = 64
# Counts of at most this many cells are in memory for one task.
CELLS_PER_TASK = 2_000_000
# Where no counts are in memory, a call adds up about so many: Ctrl-C waits for its end.
CELLS_PER_CALL = 250_000
# Threads cost about a tenth of a millisecond: not for less work than this.
CELLS_WORTH_THREADS = 250_000
# Counting all features and labels is split by labels into this many tasks.
COUNTING_TASKS = 8


class Counts:
    """Joint counts of coded features and labels, asked as cell sums.

    Parameters
    ----------
    features, labels : CodedColumns
        Columns of codes over the same rows, without constant columns.
    source : Source
        Where the integers come from.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(
        self,
        features: CodedColumns,
        labels: CodedColumns,
        source: Source,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.labels = labels
        self.source = source
        self.n_jobs = n_jobs
        self.n_rows = features.n_rows
        self.n_features = features.n_codes.size
        self.n_labels = labels.n_codes.size
        self.x_start = features.start
        self.y_start = labels.start
        n_codes = np.concatenate([features.n_codes, labels.n_codes])
        self.binary = bool((n_codes == 2).all())
        self.table = log_table(self.n_rows)

    def with_labels(self, columns: IntArray) -> Counts:
        """The same counts for some of the labels, in the given order."""
        labels = self.labels.take(columns)
        source = self.source.with_labels(labels)
        counts = Counts(self.features, labels, source, self.n_jobs)
        if "feature_label_counts" in vars(self):
            table = self.feature_label_counts[self._label_lines(columns)]
            counts.feature_label_counts = table
        return counts

    def _label_lines(self, columns: IntArray) -> IntArray:
        """The indicators of some labels, in the given order."""
        lines = [np.arange(*self.y_start[[label, label + 1]]) for label in columns]
        return np.concatenate(lines)

    @cached_property
    def feature_counts(self) -> CountArray:
        """n(f) for each feature indicator."""
        known = self.features.counts
        return (
            self.source.count_features(self.source.rows()) if known is None else known
        )

    @cached_property
    def label_counts(self) -> CountArray:
        """n(l) for each label indicator."""
        if self.labels.counts is not None:
            return self.labels.counts
        return self.source.count_labels(self.source.rows())

    @cached_property
    def feature_label_counts(self) -> CountArray:
        """n(f, l), one line per label indicator, one column per feature indicator."""
        rows = self.source.rows()
        shape = (int(self.y_start[-1]), int(self.x_start[-1]))
        refuse_larger_than_memory(
            shape, "The counts of features and labels", "Select among fewer features."
        )
        out = np.empty(shape, dtype=np.uint32)
        edges = even_edges(self.label_counts, COUNTING_TASKS)

        def count(task: int) -> None:
            low, high = edges[task], edges[task + 1]
            self.source.count_both(rows, low, high, out[low:high])

        self._run(count, range(len(edges) - 1), out.size)
        return out

    @cached_property
    def label_pair_counts(self) -> CountArray:
        """n(l, m) for all pairs of label indicators."""
        return label_rows(self.source, self.labels).count_pairs()

    @cached_property
    def feature_sums(self) -> FloatArray:
        """S(f) for each feature."""
        return self._singles(self.feature_counts, self.x_start)

    @cached_property
    def label_sums(self) -> FloatArray:
        """S(l) for each label."""
        from labelsieve.counting import known_kernels

        if self.known is None:
            return self._singles(self.label_counts, self.y_start)
        out = np.empty(self.n_labels)
        known_kernels.known_label_sums(self.known, out)
        return out

    @cached_property
    def known(self) -> KnownLabels | None:
        """What to count labels with that are not known in every row, if any is.

        S(l) and S(f, l) are then such that H(l) and I(f; l) come out as those of the
        rows where the label is known.
        """
        return None if self.labels.unknown is None else KnownLabels.of(self)

    @cached_property
    def known_binary(self) -> bool:
        """Whether features have two codes, and labels where they are known."""
        n_codes = self.labels.n_codes
        if self.labels.unknown is not None:
            n_codes = n_codes - self.labels.unknown
        return bool((self.features.n_codes == 2).all() and (n_codes == 2).all())

    @property
    def n_label_values(self) -> int:
        """How many values all labels have, but one each: their known indicators."""
        unknown = self.labels.unknown
        return int(self.y_start[-1]) - (0 if unknown is None else int(unknown.sum()))

    def _known_information(self, known: KnownLabels) -> FloatArray:
        """n I(f; l) over the rows where each label is known, one line per label."""
        from labelsieve.counting import known_kernels

        out = np.empty((self.n_labels, self.n_features))
        n_tasks = min(self.n_labels, COUNTING_TASKS)
        edges = np.linspace(0, self.n_labels, n_tasks + 1).astype(int)

        def fill(task: int) -> None:
            low, high = edges[task], edges[task + 1]
            if self.known_binary:
                known_kernels.known_pairs_binary(low, high, known, out[low:high])
            else:
                told = np.empty((3, high - low, self.n_features))
                known_kernels.known_pairs_any(low, high, known, self.x_start, told)
                out[low:high] = told[0]

        self._run(fill, range(n_tasks), out.size)
        out *= (self.n_rows / known.n_k)[:, np.newaxis]
        return out

    @cached_property
    def feature_label_sums(self) -> FloatArray:
        """S(f, l), one line per label."""
        if self.known is not None:
            alone = self.feature_sums + self.label_sums[:, np.newaxis]
            return self._known_information(self.known) + alone
        n_fl, n_l, start = self.feature_label_counts, self.label_counts, self.y_start
        out = np.empty((self.n_labels, self.n_features))
        n_tasks = min(self.n_labels, COUNTING_TASKS)
        edges = np.linspace(0, self.n_labels, n_tasks + 1).astype(int)

        def fill(task: int) -> None:
            low, high = edges[task], edges[task + 1]
            lines = slice(start[low], start[high])
            block = start[low : high + 1] - start[low]
            self._pairs(n_fl[lines], n_l[lines], block, out[low:high])

        self._run(fill, range(n_tasks), out.size)
        return out

    @property
    def feature_totals(self) -> FloatArray:
        """S(f, l) summed over the labels, for each feature."""
        return self._totals[0]

    @property
    def shared_totals(self) -> FloatArray:
        """n I(f; l), that is S(f, l) - S(f) - S(l), summed over the labels."""
        return self._totals[1]

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        from labelsieve.counting import entropy_kernels

        if self.binary:
            return joint.totals(self)
        out = np.zeros((2, self.n_features))
        s_f, s_l = self.feature_sums, self.label_sums
        entropy_kernels.add_totals_any(self.feature_label_sums, s_f, s_l, out)
        return out[0], out[1]

    @cached_property
    def lists_cells(self) -> bool:
        """Whether n(f, l) is mostly zero: listed cells then take less than a table."""
        return joint.is_listed(self)

    @cached_property
    def joint_cells(self) -> list[joint.JointCells]:
        """The cells of n(f, l) that are not zero, for ranges of binary features."""
        return joint.list_cells(self)

    @cached_property
    def label_pair_sums(self) -> FloatArray:
        """S(l, m) for all pairs of labels."""
        n_l, start = self.label_counts, self.y_start
        return self._tables(self.label_pair_counts, n_l, n_l, start, start)

    def label_triple_sums(self) -> FloatArray:
        """For each feature, the sum of S(f, a, b) over all pairs of labels a < b."""
        parts = np.zeros((self.n_labels, self.n_features))
        # Each label has its line, whichever task fills it.
        n_later = np.arange(self.n_labels)[::-1]
        n_cells = int(n_later.sum()) * self.n_features
        edges = even_edges(n_later, 1 + n_cells // CELLS_PER_CALL)
        self._prepare_labels()

        def add(task: int) -> None:
            self._add_label_triples(edges[task], edges[task + 1], parts)

        self._run(add, range(len(edges) - 1), n_cells)
        return self._add_up(parts) + self.free_label_pair_sums()

    def chosen_sums(self, feature: int) -> tuple[FloatArray, FloatArray]:
        """For one feature g and all f: S(f, g), and S(f, g, l) summed over labels."""
        if self.lists_cells:
            return joint.chosen_sums(self, feature)
        given = self.given_feature(feature)
        edges = self._chosen_edges
        parts = np.zeros((self.n_chosen_tasks, self.n_features))

        def add(task: int) -> None:
            self.add_triples(given, edges[task], edges[task + 1], parts[task])

        self._run(add, range(len(parts)), self.n_labels * self.n_features)
        return self.given_sums(given), self._add_up(parts) + self.free_sums(given)

    def visit_given(self, given: Given, visit: GivenVisitor) -> None:
        """Call ``visit(task, labels, n_fgl)`` for blocks of label indicators.

        `labels` is a slice of label indicators, and `n_fgl` their joint counts with
        all feature indicators, one table for each indicator of the given column. The
        blocks of each of the `n_chosen_tasks` come in order, one after the other.
        """
        edges = self._chosen_edges

        def go(task: int) -> None:
            ends = edges[task], edges[task + 1]
            for left, right in self._label_blocks(*ends, len(given.rows)):
                b = slice(int(self.y_start[left]), int(self.y_start[right]))
                n_fgl = [self.source.count_both(r, b.start, b.stop) for r in given.rows]
                visit(task, b, n_fgl)

        self._run(go, range(self.n_chosen_tasks), self.n_labels * self.n_features)

    def given_sums(self, given: Given) -> FloatArray:
        """S(f, a) for the given column a and all f."""
        return self._pairs(given.n_fa, given.n_a, np.array([0, given.n_a.size]))[0]

    @property
    def n_chosen_tasks(self) -> int:
        """Into how many tasks the labels are split once a feature is chosen."""
        return PICK_TASKS if self.n_labels > FEW_LABELS else 1

    @cached_property
    def _chosen_edges(self) -> list[int]:
        """Where the labels of each of these tasks begin."""
        edges = np.linspace(0, self.n_labels, self.n_chosen_tasks + 1)
        return edges.astype(int).tolist()

    def feature_pair_sums(self, low: int, high: int) -> FloatArray:
        """S(f, g) for the features g in [low, high), one line each, and all f."""
        start = self.x_start[low : high + 1]
        counts = self.feature_pair_counts(int(start[0]), int(start[-1]))
        n_g = self.feature_counts[start[0] : start[-1]]
        return self._pairs(counts, n_g, start - start[0])

    def feature_pair_counts(self, low: int, high: int) -> CountArray:
        """n(f, g) for the feature indicators g in [low, high), one line each."""
        return self.source.count_pairs(low, high)

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
        _ = self.feature_label_counts, self.label_pair_counts

    def given_feature(self, feature: int) -> Given:
        """Joint counts of one feature with all others and with the labels."""
        indicators = range(self.x_start[feature], self.x_start[feature + 1])
        rows = [self.source.rows_with_feature(indicator) for indicator in indicators]
        n_fg = _lines([self.source.count_features(r) for r in rows])
        n_g = self.feature_counts[indicators.start : indicators.stop]
        n_gl = _lines([self.source.count_labels(r) for r in rows])
        return Given(rows, n_fg, n_g, n_gl)

    def add_triples(self, given: Given, low: int, high: int, out: FloatArray) -> None:
        """out[f] += S(f, a, b) over the labels b in [low, high), for a given.

        Free cells of columns with two codes are left out.
        """
        from labelsieve.counting import entropy_kernels

        if self.binary and isinstance(self.source, SparseSource):
            start, grouped = given.rows[0].by_label
            entropy_kernels.add_triples_sparse(
                Lists(start[low : high + 1], grouped),
                self.source.features.of_row,
                BinaryTriples.of(self, given, slice(low, high)),
                out,
            )
            return
        for left, right in self._label_blocks(low, high, len(given.rows)):
            b = slice(self.y_start[left], self.y_start[right])
            n_fab = [self.source.count_both(r, b.start, b.stop) for r in given.rows]
            if self.binary:
                triples = BinaryTriples.of(self, given, b)
                entropy_kernels.add_triples_binary(n_fab[0], triples, out)
            else:
                entropy_kernels.add_triples_any(
                    np.stack(n_fab), CodedTriples.of(self, given), left, right, out
                )

    def _add_label_triples(self, low: int, high: int, out: FloatArray) -> None:
        """Likewise out[a, f] over the labels b > a, for each label a in [low, high)."""
        from labelsieve.counting import entropy_kernels

        if self.binary and isinstance(self.source, SparseSource):
            # All labels in one call: for few features, asking costs more than working.
            x, y = self.source.features, self.source.labels
            entropy_kernels.add_label_triples_sparse(
                low, high, y.columns, y.of_row, x.of_row, LabelPairs.of(self), out
            )
            return
        for label in range(low, high):
            given = self.given_label(label)
            self.add_triples(given, label + 1, self.n_labels, out[label])

    def free_sums(self, given: Given) -> FloatArray:
        """The free cells of a given column a and all labels b that never meet it.

        Of S(f, a, b) these are all cells with a or b: with two codes each, they
        follow from the counts of pairs. Sums of triples leave them out.
        """
        out = np.zeros(self.n_features)
        if self.binary and not given.n_ab.all():
            apart = (given.n_ab[0] == 0).astype(np.int64)
            self._add_free(apart.sum(keepdims=True), given.n_fa, given.n_a, out)
            self._add_free(apart, self.feature_label_counts, self.label_counts, out)
        return out

    def free_label_pair_sums(self) -> FloatArray:
        """The free cells of all pairs of labels a < b that never meet."""
        out = np.zeros(self.n_features)
        if self.binary:
            n_apart = np.count_nonzero(self.label_pair_counts == 0, axis=1)
            self._add_free(n_apart, self.feature_label_counts, self.label_counts, out)
        return out

    def _add_free(
        self, times: IntArray, n_fa: CountArray, n_a: CountArray, out: FloatArray
    ) -> None:
        """out[f] += the cells of each column a, with f and without, so many times."""
        from labelsieve.counting import entropy_kernels

        entropy_kernels.add_free_cells(times, n_fa, n_a, self.table, out)

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
            refuse_larger_than_memory(
                (n_given, int(self.y_start[right] - self.y_start[left]), n_features),
                "A table of joint counts",
                "Bin the columns with many codes (binning='quantile') or drop them: "
                "identifiers tell nothing.",
            )
            yield left, right
            left = right

    def _singles(self, counts: CountArray, start: IntArray) -> FloatArray:
        from labelsieve.counting import entropy_kernels

        out = np.empty(start.size - 1)
        entropy_kernels.single_sums(counts, start, self.n_rows, self.table, out)
        return out

    def _pairs(
        self,
        n_xy: CountArray,
        n_y: CountArray,
        start: IntArray,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """S(f, y) from the counts of all features and of the columns y."""
        return self._tables(n_xy, self.feature_counts, n_y, self.x_start, start, out)

    def _tables(
        self,
        n_xy: CountArray,
        n_x: CountArray,
        n_y: CountArray,
        x_start: IntArray,
        y_start: IntArray,
        out: FloatArray | None = None,
    ) -> FloatArray:
        from labelsieve.counting import entropy_kernels

        if out is None:
            out = np.empty((y_start.size - 1, x_start.size - 1))
        if out.shape == n_xy.shape:
            entropy_kernels.pair_sums_binary(
                n_xy, n_x, n_y, self.n_rows, self.table, out
            )
        else:
            entropy_kernels.pair_sums_any(
                n_xy, n_x, n_y, x_start, y_start, self.n_rows, self.table, out
            )
        return out

    def _add_up(self, parts: FloatArray) -> FloatArray:
        from labelsieve.counting import entropy_kernels

        out = np.empty(parts.shape[1])
        entropy_kernels.add_up_lines(parts, out)
        return out

    def _run(
        self, function: Callable[[int], None], tasks: Sequence[int], n_cells: int
    ) -> None:
        if n_cells <= CELLS_WORTH_THREADS:
            # Asking how many threads there are would cost more than short tasks do.
            for task in tasks:
                function(task)
            return
        run_in_threads(function, tasks, self.n_jobs)


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


def even_edges(work: IntArray | CountArray, n_tasks: int) -> list[int]:
    """Where to split a list so that tasks, at most one per item, have as much work."""
    done = np.cumsum(work, dtype=np.int64)
    n_tasks = min(done.size, n_tasks)
    inner = np.arange(1, n_tasks) * done[-1] // n_tasks
    return [0, *np.searchsorted(done, inner).tolist(), done.size]


def _lines(counts: list[CountArray]) -> CountArray:
    """One line for each; the usual single one is not copied."""
    return counts[0][np.newaxis] if len(counts) == 1 else np.stack(counts)


GivenVisitor = Callable[[int, slice, list[CountArray]], None]


def log_table(n_rows: int) -> FloatArray:
    """Return k log(k/n) for k = 0 .. n, precise at both ends."""
    k = np.arange(n_rows + 1, dtype=np.float64)
    table = np.zeros(n_rows + 1)
    half = n_rows // 2 + 1
    table[1:half] = k[1:half] * np.log(k[1:half] / n_rows)
    table[half:] = k[half:] * np.log1p((k[half:] - n_rows) / n_rows)
    return table
