"""Counts over row blocks somewhere else: asked in bulk, added up, same bits.

Integers are added over all blocks before any logarithm is taken. Tables of label
pairs are asked for in groups of bounded size; a group is added up in a tree, and its
entropies are taken where it was added up, so that only sums per feature travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.blocks import keep, run, task, value
from labelsieve.counting import joint, label_pairs
from labelsieve.counting.block_cells import CellBlocks
from labelsieve.counting.block_counts import (
    Question,
    add_up_blocks,
    build_block,
    count_feature_pairs,
    count_label_pairs,
    count_labels_range,
    count_named,
    count_with_feature,
    count_with_labels,
)
from labelsieve.counting.block_sums import (
    Asked,
    feature_triples,
    label_triples,
    summed_counts,
    take_lines,
)
from labelsieve.counting.counts import (
    CELLS_PER_TASK,
    FEW_LABELS,
    PICK_TASKS,
    Counts,
    Given,
)
from labelsieve.counting.pairs import refuse_table
from labelsieve.counting.sources import source_kind
from labelsieve.counting.triples import BinaryTriples
from labelsieve.discretization import CodedBlocks, CodedColumns

# Partial tables of a round, over all blocks, have at most this many cells (1 GiB)
# unless a single group, of CELLS_PER_TASK, has more.
CELLS_IN_FLIGHT = 2**28


class DaskCounts(Counts):
    """Joint counts of rows in blocks; the rows never come here.

    Parameters
    ----------
    blocks : tasks that return a `CountedBlock`, or where it was spilled
    features, labels : what is known of the columns without the rows
    chosen : which labels of the blocks are counted, None for all
    """

    def __init__(
        self,
        blocks: list[Any],
        features: CodedColumns,
        labels: CodedColumns,
        n_jobs: int | None = None,
        chosen: IntArray | None = None,
    ) -> None:
        source = BlockSource(blocks, chosen)
        super().__init__(features, labels, source, n_jobs)
        self.blocks = blocks
        self.chosen = chosen
        self._cells = CellBlocks(blocks, chosen)
        self._pair_lock = Lock()
        self._pair_lines: tuple[range, CountArray] | None = None

    @classmethod
    def of(
        cls,
        coded: CodedBlocks,
        count_feature_pairs: bool,
        pick_features: bool,
        n_jobs: int | None,
    ) -> DaskCounts:
        """Counts of coded rows; pairs of features, rows of features: if asked for."""
        features, labels = coded.features, coded.labels
        kind = source_kind(features, features if count_feature_pairs else labels)
        # Lists by column go to files too: they would be made again in every task.
        by_feature = pick_features or features.kept.size * labels.kept.size >= (
            joint.LISTED_FROM
        )
        listed = ["labels", "features"][: 1 + by_feature] if coded.folder else []
        return cls(coded.keep(build_block, kind, listed), features, labels, n_jobs)

    def with_labels(self, columns: IntArray) -> DaskCounts:
        """The same counts for some of the labels, in the given order."""
        taken = self.labels.about(columns)
        chosen = columns if self.chosen is None else self.chosen[columns]
        counts = DaskCounts(self.blocks, self.features, taken, self.n_jobs, chosen)
        lines = self._label_lines(columns)
        counts.label_counts = self.label_counts[lines]
        if "feature_label_counts" in vars(self):
            counts.feature_label_counts = self.feature_label_counts[lines]
            shared = value(lines)
            tables = keep([task(take_lines, self._feature_label_parts, shared)])
            counts._feature_label_parts = tables
        return counts

    def n_meetings(self) -> int | None:
        """Labels of all features of all rows; None where these are no lists."""
        return self._cells.n_meetings()

    @cached_property
    def joint_cells(self) -> list[joint.JointCells]:
        """The cells of n(f, l) that are not zero, for ranges of binary features."""
        return self._cells.of_all()

    def n_pair_meetings(self) -> IntArray | None:
        """See `label_pairs.count_meetings`; None where these are no lists."""
        return self._cells.n_pair_meetings()

    @cached_property
    def label_cells(self) -> joint.JointCells:
        """The cells of n(l, m) that are not zero, labels binary."""
        return self._cells.of_labels()

    def sum_pair_cells(self, listed: label_pairs.Listed) -> FloatArray:
        """What labels and pairs of labels that each feature meets add to that."""
        return self._cells.summed_pairs(self.joint_cells, listed)

    def sum_cells(self, by_chi2: bool) -> FloatArray:
        """What listed cells add to the sums of each feature over labels."""
        if "joint_cells" in vars(self):
            return super().sum_cells(by_chi2)
        known = self.feature_counts, self.label_counts, self.n_rows
        return self._cells.summed(*known, by_chi2)

    def sum_chosen_cells(self, feature: int, triples: BinaryTriples) -> FloatArray:
        """What listed cells add to n I(f; l | g), summed over labels."""
        from labelsieve.counting import joint_kernels

        with_chosen = self._cells.with_feature(feature, self.n_features)
        out = np.zeros(self.n_features)
        tally = np.zeros(self.n_labels, dtype=np.uint32)
        for part in self.joint_cells:
            joint_kernels.add_chosen_cells(part, with_chosen, triples, tally, out)
        return out

    @cached_property
    def feature_label_counts(self) -> CountArray:
        """n(f, l), one line per label indicator, one column per feature indicator."""
        shape = (int(self.y_start[-1]), int(self.x_start[-1]))
        refuse_table(shape)
        return np.concatenate(run(self._feature_label_parts))

    @cached_property
    def label_pair_counts(self) -> CountArray:
        """n(l, m) for all pairs of label indicators."""
        (counts,) = run([self._label_pairs])
        return counts

    @cached_property
    def _feature_label_parts(self) -> list[Any]:
        """n(f, l) on the workers, in blocks of labels."""
        ranges = list(self._label_blocks(0, self.n_labels))
        edges = [(self.y_start[left], self.y_start[right]) for left, right in ranges]
        return [
            part
            for group in rounds(edges, self._n_blocks)
            for part in keep([self._sum(count_labels_range, edge) for edge in group])
        ]

    @cached_property
    def _label_pairs(self) -> Any:
        (kept,) = keep([self._sum(count_label_pairs)])
        return kept

    @cached_property
    def _summed(self) -> Any:
        """These counts where the entropies are taken, without any rows."""
        features, labels = value(self.features), value(self.labels)
        tables = [self.feature_counts, self.label_counts, self._label_pairs]
        arguments = (features, labels, *tables, self._feature_label_parts)
        (kept,) = keep([task(summed_counts, *arguments)])
        return kept

    def told_of_label_pairs(self) -> FloatArray:
        """For each feature, n I(f; a, b) summed over all pairs of labels a < b."""
        if self.lists_label_pairs:
            return label_pairs.told_of_pairs(self)
        refuse_table((self.n_labels, self.n_features), itemsize=12)
        questions = [
            Question(label, left, right)
            for label in range(self.n_labels)
            for left, right in self._label_blocks(
                label + 1, self.n_labels, int(self.labels.n_codes[label]) - 1
            )
        ]
        parts = np.zeros((self.n_labels, self.n_features))
        self._ask(questions, count_with_labels, label_triples, parts)
        return self._add_up(parts) + self._free_told_of_pairs()

    def chosen_sums(self, feature: int) -> tuple[FloatArray, FloatArray]:
        """For one feature g and all f: n I(f; g), and n I(f; l | g) over labels."""
        if self.has_cells:
            return joint.chosen_sums(self, feature)
        n_tasks = PICK_TASKS if self.n_labels > FEW_LABELS else 1
        edges = np.linspace(0, self.n_labels, n_tasks + 1).astype(int).tolist()
        n_given = int(self.features.n_codes[feature]) - 1
        questions = [
            Question(line, left, right)
            for line in range(n_tasks)
            for left, right in self._label_blocks(edges[line], edges[line + 1], n_given)
        ]
        parts = np.zeros((n_tasks, self.n_features))
        low, high = self.x_start[feature : feature + 2]
        n_fg = self._ask(
            questions, count_with_feature, feature_triples, parts, (low, high)
        )
        n_gl = np.ascontiguousarray(self.feature_label_counts[:, low:high].T)
        given = Given([], n_fg, self.feature_counts[low:high], n_gl)
        shared = (
            self.given_sums(given) - self.feature_sums[feature]
        ) - self.feature_sums
        return shared, self._add_up(parts) + self.free_sums(given)

    def feature_pair_counts(self, low: int, high: int) -> CountArray:
        """n(f, g) for indicators g; more are asked at once than are wanted now."""
        with self._pair_lock:
            known = self._pair_lines
            if known is None or low not in known[0] or high > known[0].stop:
                width = int(self.x_start[-1])
                n_lines = max(high - low, CELLS_PER_TASK // width)
                n_groups = max(1, CELLS_IN_FLIGHT // (n_lines * width * self._n_blocks))
                edges = [
                    (left, min(left + n_lines, width))
                    for left in range(low, width, n_lines)[:n_groups]
                ]
                counts = run([self._sum(count_feature_pairs, e) for e in edges])
                lines = range(low, edges[-1][1])
                known = self._pair_lines = (lines, np.concatenate(counts))
            first = known[0].start
            return known[1][low - first : high - first]

    @property
    def _n_blocks(self) -> int:
        return len(self.blocks)

    def _sum(self, count: Callable[..., Any], *arguments: Any) -> Any:
        """A task: what is counted in each block, added up."""
        return add_up_blocks(self.blocks, count, arguments, self.chosen)

    def _ask(
        self,
        questions: list[Question],
        count: Callable[..., Any],
        consume: Callable[..., Any],
        parts: FloatArray,
        *arguments: tuple[int, int],
    ) -> Any:
        """Count, add up, take entropies where that was; add these to `parts`."""
        last: Any = None
        aside = None
        for groups in rounds(self._groups(questions), self._n_blocks):
            answers = []
            for group in groups:
                # Sums go on in the order of the labels, whatever the groups are.
                goes_on = last is not None and last[0] == group[0].line
                summed = self._sum(count, group, *arguments)
                before = last[1] if goes_on else None
                asked = value(Asked(group, *arguments))
                answer = task(consume, self._summed, summed, before, asked)
                last = (group[-1].line, answer)
                answers.append(answer)
            kept = keep(answers)
            last = (last[0], kept[-1])
            for found in run(kept):
                aside, lines = found
                for line, sums in lines.items():
                    parts[line] = sums
        return aside

    def _groups(self, questions: list[Question]) -> Iterator[list[Question]]:
        """Questions in groups whose tables together have a bounded size."""
        group: list[Question] = []
        n_cells = 0
        for question in questions:
            left, right = self.y_start[[question.left, question.right]]
            cells = int(right - left) * int(self.x_start[-1])
            if group and n_cells + cells > CELLS_PER_TASK:
                yield group
                group, n_cells = [], 0
            group.append(question)
            n_cells += cells
        if group:
            yield group


def rounds(groups: Iterable[Any], n_blocks: int) -> Iterator[list[Any]]:
    """Groups of CELLS_PER_TASK that may be in flight at the same time."""
    n_at_once = max(1, CELLS_IN_FLIGHT // (CELLS_PER_TASK * n_blocks))
    listed = list(groups)
    for low in range(0, len(listed), n_at_once):
        yield listed[low : low + n_at_once]


@dataclass(frozen=True)
class BlockSource:
    """A source whose rows are in blocks; one round of tasks for each answer.

    Sets of rows are named, not listed: all, or those with an indicator.
    """

    blocks: list[Any]
    chosen: IntArray | None

    def rows(self) -> tuple[str, int]:
        """All rows."""
        return "rows", -1

    def rows_with_feature(self, indicator: int) -> tuple[str, int]:
        """The rows that have a feature indicator."""
        return "rows_with_feature", indicator

    def rows_with_label(self, indicator: int) -> tuple[str, int]:
        """The rows that have a label indicator."""
        return "rows_with_label", indicator

    def count_features(self, rows: tuple[str, int]) -> CountArray:
        """How many of the rows have each feature indicator."""
        return self._count(rows, "count_features")

    def count_labels(self, rows: tuple[str, int]) -> CountArray:
        """How many of the rows have each label indicator."""
        return self._count(rows, "count_labels")

    def count_both(
        self, rows: tuple[str, int], low: int, high: int, out: CountArray | None = None
    ) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        counted = self._count(rows, "count_both", low, high)
        if out is not None:
            out[:] = counted
        return counted

    def count_pairs(self, low: int, high: int) -> CountArray:
        """How many rows have each feature indicator in [low, high) and each other."""
        edge = ((low, high),)
        asked = add_up_blocks(self.blocks, count_feature_pairs, edge, self.chosen)
        (counts,) = run([asked])
        return counts

    def with_labels(self, labels: CodedColumns) -> BlockSource:
        """Labels of blocks are chosen by number: see `DaskCounts.with_labels`."""
        raise NotImplementedError

    def _count(self, rows: tuple[str, int], question: str, *range_: int) -> CountArray:
        arguments = (rows, question, range_)
        asked = add_up_blocks(self.blocks, count_named, arguments, self.chosen)
        (counts,) = run([asked])
        return counts
