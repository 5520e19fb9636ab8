"""Counts over row blocks somewhere else: asked in bulk, added up, same bits.

Integers are added over all blocks before any logarithm is taken. Tables of label
pairs are asked for in groups of bounded size; a group is added up in a tree, and its
entropies are taken where it was added up, so that only sums per feature travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from labelsieve._dask import cluster, keep, run, task, tree, value
from labelsieve._memory import refuse_larger_than_memory
from labelsieve._spill import load
from labelsieve._typing import CountArray, FloatArray, IntArray
from labelsieve.counting.counts import (
    CELLS_PER_TASK,
    FEW_LABELS,
    PICK_TASKS,
    Counts,
    Given,
)
from labelsieve.counting.partial import Partial, add, pack, unpack
from labelsieve.counting.sources import IndicatorRows, Source, source_kind
from labelsieve.discretization import CodedColumns
from labelsieve.discretization._dask_codes import CodedBlocks

# Partial tables of a round, over all blocks, have at most this many cells (1 GiB)
# unless a single group, of CELLS_PER_TASK, has more.
CELLS_IN_FLIGHT = 2**28


@dataclass(frozen=True)
class CountedBlock:
    """Rows of a block, ready for counting."""

    source: Source
    labels: Any
    _last: dict[bytes, CountedBlock] = field(default_factory=dict, repr=False)

    def with_labels(self, columns: IntArray | None) -> CountedBlock:
        """The same rows with some of the labels; the last choice is remembered."""
        if columns is None:
            return self
        name = columns.tobytes()
        chosen = self._last.get(name)
        if chosen is None:
            labels = self.labels.take(columns)
            chosen = CountedBlock(self.source.with_labels(labels), labels)
            self._last.clear()
            self._last[name] = chosen
        return chosen


@dataclass(frozen=True)
class Order:
    """What to count in every block.

    Attributes
    ----------
    count : function of a `CountedBlock` and the arguments
    arguments : what else it takes
    chosen : which labels are counted, None for all
    travels : whether the result goes over a network
    """

    count: Callable[..., CountArray]
    arguments: tuple[Any, ...]
    chosen: IntArray | None
    travels: bool


@dataclass(frozen=True)
class Asked:
    """The questions that a line of counts answers, and who else was asked about."""

    group: list[Question]
    indicators: tuple[int, int] = (0, 0)


class Question(NamedTuple):
    """Tables of a column's indicators, labels in [left, right), and all features."""

    line: int  # of the result that the table's entropies are added to
    left: int
    right: int


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
        self._pair_lock = Lock()
        self._pair_lines: tuple[range, CountArray] | None = None

    @classmethod
    def of(
        cls, coded: CodedBlocks, count_feature_pairs: bool, n_jobs: int | None
    ) -> DaskCounts:
        """Counts of coded rows."""
        features, labels = coded.features, coded.labels
        kind = source_kind(features, features if count_feature_pairs else labels)
        spilled = coded.folder is not None
        counts = cls(coded.keep(_build, kind, spilled), features, labels, n_jobs)
        counts.feature_counts = coded.feature_counts
        counts.label_counts = coded.label_counts
        return counts

    def with_labels(self, columns: IntArray) -> DaskCounts:
        """The same counts for some of the labels, in the given order."""
        labels = self.labels
        taken = CodedColumns(
            labels.codes, labels.n_codes[columns], labels.kept[columns], 0
        )
        chosen = columns if self.chosen is None else self.chosen[columns]
        counts = DaskCounts(self.blocks, self.features, taken, self.n_jobs, chosen)
        lines = np.concatenate(
            [np.arange(*self.y_start[[column, column + 1]]) for column in columns]
        )
        counts.feature_counts = self.feature_counts
        counts.label_counts = self.label_counts[lines]
        counts.feature_label_counts = self.feature_label_counts[lines]
        shared = value(lines)
        tables = keep([task(_lines, self._feature_label_parts, shared)])
        counts._feature_label_parts = tables
        return counts

    @cached_property
    def feature_label_counts(self) -> CountArray:
        """n(f, l), one line per label indicator, one column per feature indicator."""
        shape = (int(self.y_start[-1]), int(self.x_start[-1]))
        refuse_larger_than_memory(
            shape, "The counts of features and labels", "Select among fewer features."
        )
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
        (kept,) = keep([self._sum(_count_label_pairs)])
        return kept

    @cached_property
    def _summed(self) -> Any:
        """These counts where the entropies are taken, without any rows."""
        features, labels = value(self.features), value(self.labels)
        tables = [self.feature_counts, self.label_counts, self._label_pairs]
        arguments = (features, labels, *tables, self._feature_label_parts)
        (kept,) = keep([task(_summed_counts, *arguments)])
        return kept

    def label_triple_sums(self) -> FloatArray:
        """For each feature, the sum of S(f, a, b) over all pairs of labels a < b."""
        questions = [
            Question(label, left, right)
            for label in range(self.n_labels)
            for left, right in self._label_blocks(
                label + 1, self.n_labels, int(self.labels.n_codes[label]) - 1
            )
        ]
        parts = np.zeros((self.n_labels, self.n_features))
        self._ask(questions, _count_with_labels, _label_triples, parts)
        return self._add_up(parts)

    def chosen_sums(self, feature: int) -> tuple[FloatArray, FloatArray]:
        """For one feature g and all f: S(f, g), and S(f, g, l) summed over labels."""
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
            questions, _count_with_feature, _feature_triples, parts, (low, high)
        )
        n_g = self.feature_counts[low:high]
        pairs = self._pairs(n_fg, n_g, np.array([0, n_g.size]))[0]
        return pairs, self._add_up(parts)

    def feature_pair_sums(self, low: int, high: int) -> FloatArray:
        """S(f, g) for the features g in [low, high), one line each, and all f."""
        start = self.x_start[low : high + 1]
        counts = self._feature_pair_counts(int(start[0]), int(start[-1]))
        n_g = self.feature_counts[start[0] : start[-1]]
        return self._pairs(counts, n_g, start - start[0])

    def _feature_pair_counts(self, low: int, high: int) -> CountArray:
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
                counts = run([self._sum(_count_feature_pairs, e) for e in edges])
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

    def count_both(self, rows: tuple[str, int], low: int, high: int) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        return self._count(rows, "count_both", low, high)

    def with_labels(self, labels: CodedColumns) -> BlockSource:
        """Labels of blocks are chosen by number: see `DaskCounts.with_labels`."""
        raise NotImplementedError

    def _count(self, rows: tuple[str, int], question: str, *range_: int) -> CountArray:
        arguments = (rows, question, range_)
        asked = add_up_blocks(self.blocks, _count_named, arguments, self.chosen)
        (counts,) = run([asked])
        return counts


class SummedTables:
    """A source without rows: a set of rows is its table, counted and added up."""

    def count_both(
        self, rows: tuple[CountArray, int], low: int, high: int
    ) -> CountArray:
        """The lines of the table for the label indicators in [low, high)."""
        table, first = rows
        return table[low - first : high - first]


def _build(
    features: CodedColumns, labels: CodedColumns, kind: Any, spilled: bool
) -> CountedBlock:
    source = kind.build(features, labels)
    if spilled:
        # Lists by column go to the file too: they would be made again in every task.
        for lists in ("features", "labels"):
            if hasattr(source, lists):
                getattr(source, lists).rows_with(0)
    return CountedBlock(source, labels)


def _lines(parts: list[CountArray], lines: IntArray) -> CountArray:
    return np.concatenate(parts)[lines]


def add_up_blocks(
    blocks: list[Any],
    count: Callable[..., CountArray],
    arguments: tuple[Any, ...],
    chosen: IntArray | None = None,
) -> Any:
    """A task: what is counted in each block, added up."""
    order = value(Order(count, arguments, chosen, travels=cluster() is not None))
    return task(unpack, tree(add, [task(_count, block, order) for block in blocks]))


def _count(block: Any, order: Order) -> Partial:
    """Count in one block; the result travels in the smaller of two forms."""
    counted = load(block).with_labels(order.chosen)
    return pack(order.count(counted, *order.arguments), order.travels)


def _count_named(
    block: CountedBlock, rows: tuple[str, int], question: str, range_: tuple[int, ...]
) -> CountArray:
    name, indicator = rows
    find = getattr(block.source, name)
    found = find() if indicator < 0 else find(indicator)
    answer: CountArray = getattr(block.source, question)(found, *range_)
    return answer


def count_labels_range(block: CountedBlock, edge: tuple[int, int]) -> CountArray:
    """Counts of all features with the label indicators of a range."""
    return block.source.count_both(block.source.rows(), *edge)


def _count_label_pairs(block: CountedBlock) -> CountArray:
    from labelsieve.counting import kernels

    y = IndicatorRows.build(block.labels)
    rows = np.arange(block.labels.n_rows, dtype=np.uint32)
    out = np.empty((y.n_indicators, y.n_indicators), dtype=np.uint32)
    kernels.count_sparse(
        rows, y.start, y.index, y.start, y.index, 0, y.n_indicators, out
    )
    return out


def _count_feature_pairs(block: CountedBlock, edge: tuple[int, int]) -> CountArray:
    source = block.source
    return np.stack(
        [source.count_features(source.rows_with_feature(i)) for i in range(*edge)]
    )


def _count_with_labels(block: CountedBlock, group: list[Question]) -> CountArray:
    """For each question, tables of the label that is its line; one after the other."""
    start = block.labels.start
    tables = [
        block.source.count_both(
            block.source.rows_with_label(indicator),
            *start[[question.left, question.right]],
        ).ravel()
        for question in group
        for indicator in range(*start[question.line : question.line + 2])
    ]
    return np.concatenate(tables)


def _count_with_feature(
    block: CountedBlock, group: list[Question], indicators: tuple[int, int]
) -> CountArray:
    """n(f, g) and n(g, l), then the tables of each question; one after the other."""
    source, start = block.source, block.labels.start
    rows = [source.rows_with_feature(indicator) for indicator in range(*indicators)]
    tables = [source.count_features(r) for r in rows]
    tables += [source.count_labels(r) for r in rows]
    for question in group:
        edge = start[[question.left, question.right]]
        tables += [source.count_both(r, *edge).ravel() for r in rows]
    return np.concatenate(tables)


def _summed_counts(
    features: CodedColumns,
    labels: CodedColumns,
    feature_counts: CountArray,
    label_counts: CountArray,
    label_pairs: CountArray,
    feature_label_parts: list[CountArray],
) -> Counts:
    counts = Counts(features, labels, SummedTables(), 1)  # type: ignore[arg-type]
    counts.feature_counts, counts.label_counts = feature_counts, label_counts
    counts.label_pair_counts = label_pairs
    counts.feature_label_counts = np.concatenate(feature_label_parts)
    return counts


Sums = dict[int, FloatArray]


def _label_triples(
    counts: Counts,
    flat: CountArray,
    before: tuple[Any, Sums] | None,
    asked: Asked,
) -> tuple[None, Sums]:
    """Add up S(f, a, b) for the label a of each line."""
    group = asked.group
    sums = _Sums(counts, group, before)
    reader = _Reader(flat, counts)
    n_fl, n_l, n_lm = (
        counts.feature_label_counts,
        counts.label_counts,
        counts.label_pair_counts,
    )
    for question in group:
        a = slice(*counts.y_start[question.line : question.line + 2])
        rows = reader.tables(question, a.stop - a.start)
        given = Given(rows, n_fl[a], n_l[a], n_lm[a], counts._free_labels[a])
        sums.add(given, question)
    return None, sums.of_line


def _feature_triples(
    counts: Counts,
    flat: CountArray,
    before: tuple[Any, Sums] | None,
    asked: Asked,
) -> tuple[CountArray, Sums]:
    """Add up S(f, g, l) over the labels of each line; returns also n(f, g)."""
    group, indicators = asked.group, asked.indicators
    sums = _Sums(counts, group, before)
    reader = _Reader(flat, counts)
    n_given = indicators[1] - indicators[0]
    n_fg = reader.lines(n_given, int(counts.x_start[-1]))
    n_gl = reader.lines(n_given, int(counts.y_start[-1]))
    n_g = counts.feature_counts[slice(*indicators)]
    free = counts._free(n_fg, n_g)
    for question in group:
        rows = reader.tables(question, n_given)
        sums.add(Given(rows, n_fg, n_g, n_gl, free), question)
    return n_fg, sums.of_line


class _Sums:
    """Sums of entropies, line by line; the first may go on from another group."""

    def __init__(
        self, counts: Counts, group: list[Question], before: tuple[Any, Sums] | None
    ) -> None:
        self.counts = counts
        self.of_line = {
            question.line: np.zeros(counts.n_features) for question in group
        }
        if before is not None:
            line = group[0].line
            self.of_line[line] = before[1][line].copy()

    def add(self, given: Given, question: Question) -> None:
        out = self.of_line[question.line]
        self.counts._add_triples(given, question.left, question.right, out)


class _Reader:
    """Takes tables off a long line of counts, in the order they were put there."""

    def __init__(self, flat: CountArray, counts: Counts) -> None:
        self.flat, self.counts, self.place = flat, counts, 0

    def lines(self, n_lines: int, width: int) -> CountArray:
        end = self.place + n_lines * width
        table = self.flat[self.place : end].reshape(n_lines, width)
        self.place = end
        return table

    def tables(self, question: Question, n_given: int) -> list[tuple[CountArray, int]]:
        left, right = self.counts.y_start[[question.left, question.right]]
        width = int(self.counts.x_start[-1])
        return [(self.lines(int(right - left), width), left) for _ in range(n_given)]
