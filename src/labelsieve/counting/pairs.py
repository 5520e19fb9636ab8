"""Counts of one and of two columns, asked as cell sums.

Answers are cell sums S = sum over the cells of a contingency table of k log(k/n),
that is -n times the entropy in nats. They are functions of integer counts, added up
in a fixed order: the same bits come from any source and any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting import joint
from labelsieve.counting.sources import Source, SparseSource, label_rows
from labelsieve.counting.triples import KnownLabels
from labelsieve.discretization import CodedColumns

if TYPE_CHECKING:
    from labelsieve.counting.rank_sums import RankSums

# Threads cost about a tenth of a millisecond: not for less work than this.
CELLS_WORTH_THREADS = 250_000
# Counting all features and labels is split by labels into this many tasks.
COUNTING_TASKS = 8


class PairCounts:
    """Counts of features, of labels, and of pairs of them.

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
        self.ranks: RankSums | None = None
        self.n_rows = features.n_rows
        self.n_features = features.n_codes.size
        self.n_labels = labels.n_codes.size
        self.x_start = features.start
        self.y_start = labels.start
        n_codes = np.concatenate([features.n_codes, labels.n_codes])
        self.binary = bool((n_codes == 2).all())

    @cached_property
    def table(self) -> FloatArray:
        """k log(k/n) for k = 0 .. n."""
        return log_table(self.n_rows)

    def _label_lines(self, columns: IntArray) -> IntArray:
        """The indicators of some labels, in the given order."""
        if self.binary:
            return columns
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
        refuse_table(shape)
        out = np.empty(shape, dtype=np.uint32)
        edges = even_edges(self.label_counts, self.n_tasks(out.size))

        def count(task: int) -> None:
            low, high = edges[task], edges[task + 1]
            self.source.count_both(rows, low, high, out[low:high])

        self._run(count, range(len(edges) - 1), out.size)
        return out

    @cached_property
    def label_pair_counts(self) -> CountArray:
        """n(l, m) for all pairs of label indicators."""
        n_labels = int(self.y_start[-1])
        refuse_table((n_labels, n_labels), what="The counts of pairs of labels")
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
        n_tasks = min(self.n_labels, self.n_tasks(out.size))
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

    def _known_totals(self, known: KnownLabels) -> tuple[FloatArray, FloatArray]:
        """The same added up over the labels, without a table of all."""
        from labelsieve.counting import known_kernels

        out = np.zeros((2, self.n_features))
        sums = self.feature_sums, self.label_sums
        n_tasks = self.n_tasks(known.n_fk.size)
        edges = np.linspace(0, self.n_features, n_tasks + 1).astype(int).tolist()

        def add(task: int) -> None:
            low, high = edges[task : task + 2]
            known_kernels.add_known_totals(low, high, known, *sums, out)

        self._run(add, range(n_tasks), known.n_fk.size)
        return out[0], out[1]

    @cached_property
    def feature_label_sums(self) -> FloatArray:
        """S(f, l), one line per label."""
        refuse_table((self.n_labels, self.n_features), itemsize=12)
        if self.known is not None:
            alone = self.feature_sums + self.label_sums[:, np.newaxis]
            return self._known_information(self.known) + alone
        n_fl, n_l, start = self.feature_label_counts, self.label_counts, self.y_start
        out = np.empty((self.n_labels, self.n_features))
        n_tasks = min(self.n_labels, self.n_tasks(out.size))
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

    def chi2_totals(self) -> FloatArray:
        """Chi-square of each feature and label, summed over labels; binary columns."""
        return joint.chi2_totals(self)

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        from labelsieve.counting import entropy_kernels

        if self.binary:
            return joint.totals(self)
        if self.known is not None and self.known_binary:
            return self._known_totals(self.known)
        out = np.zeros((2, self.n_features))
        s_f, s_l = self.feature_sums, self.label_sums
        entropy_kernels.add_totals_any(self.feature_label_sums, s_f, s_l, out)
        return out[0], out[1]

    @cached_property
    def lists_cells(self) -> bool:
        """Whether n(f, l) is mostly zero: listed cells then take less than a table."""
        return joint.is_listed(self)

    def n_meetings(self) -> int | None:
        """Labels of all features of all rows; None where these are no lists."""
        source = self.source
        return source.n_meetings() if isinstance(source, SparseSource) else None

    @cached_property
    def joint_cells(self) -> list[joint.JointCells]:
        """The cells of n(f, l) that are not zero, for ranges of binary features."""
        return joint.list_cells(self)

    def sum_cells(self, by_chi2: bool) -> FloatArray:
        """What listed cells add to the sums of each feature over labels."""
        return joint.sum_cells(self, by_chi2)

    def feature_pair_sums(self, low: int, high: int) -> FloatArray:
        """S(f, g) for the features g in [low, high), one line each, and all f."""
        start = self.x_start[low : high + 1]
        counts = self.feature_pair_counts(int(start[0]), int(start[-1]))
        n_g = self.feature_counts[start[0] : start[-1]]
        return self._pairs(counts, n_g, start - start[0])

    def feature_pair_counts(self, low: int, high: int) -> CountArray:
        """n(f, g) for the feature indicators g in [low, high), one line each."""
        return self.source.count_pairs(low, high)

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

    def n_tasks(self, n_cells: int) -> int:
        """Into how many tasks so many cells are split: kernels take time to call."""
        return COUNTING_TASKS if n_cells > CELLS_WORTH_THREADS else 1

    def _run(
        self, function: Callable[[int], None], tasks: Sequence[int], n_cells: int
    ) -> None:
        if n_cells <= CELLS_WORTH_THREADS:
            # Asking how many threads there are would cost more than short tasks do.
            for task in tasks:
                function(task)
            return
        run_in_threads(function, tasks, self.n_jobs)


def refuse_table(
    shape: tuple[int, int],
    what: str = "A table of features and labels",
    itemsize: int = 4,
) -> None:
    """MemoryError before tables of features and labels are made that do not fit.

    `itemsize` is that of all tables of this shape that the caller needs.
    """
    refuse_larger_than_memory(
        shape,
        what,
        "FIMF needs none where features and labels have two values; or take fewer "
        "labels (those that most rows have tell most), or choose candidates among the "
        "features with FIMF first.",
        itemsize,
    )


def even_edges(work: IntArray | CountArray, n_tasks: int) -> list[int]:
    """Where to split a list so that tasks, at most one per item, have as much work."""
    done = np.cumsum(work, dtype=np.int64)
    n_tasks = min(done.size, n_tasks)
    inner = np.arange(1, n_tasks) * done[-1] // n_tasks
    return [0, *np.searchsorted(done, inner).tolist(), done.size]


def log_table(n_rows: int) -> FloatArray:
    """Return k log(k/n) for k = 0 .. n, precise at both ends."""
    k = np.arange(n_rows + 1, dtype=np.float64)
    table = np.zeros(n_rows + 1)
    half = n_rows // 2 + 1
    table[1:half] = k[1:half] * np.log(k[1:half] / n_rows)
    table[half:] = k[half:] * np.log1p((k[half:] - n_rows) / n_rows)
    return table
