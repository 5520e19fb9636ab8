"""Counting in one block of rows, and adding up what all blocks counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from labelsieve._plumbing.typing import CountArray, IntArray
from labelsieve.blocks import cluster, load, task, tree, value
from labelsieve.counting.partial import Partial, add, pack, unpack
from labelsieve.counting.sources import Source, label_rows
from labelsieve.discretization import CodedColumns


@dataclass(frozen=True)
class CountedBlock:
    """Rows of a block, ready for counting; `n_features` indicators each."""

    source: Source
    labels: Any
    n_features: int
    _last: dict[bytes, CountedBlock] = field(default_factory=dict, repr=False)

    def with_labels(self, columns: IntArray | None) -> CountedBlock:
        """The same rows with some of the labels; the last choice is remembered."""
        if columns is None:
            return self
        name = columns.tobytes()
        chosen = self._last.get(name)
        if chosen is None:
            labels = self.labels.take(columns)
            source = self.source.with_labels(labels)
            chosen = CountedBlock(source, labels, self.n_features)
            self._last.clear()
            self._last[name] = chosen
        return chosen


class Question(NamedTuple):
    """Tables of a column's indicators, labels in [left, right), and all features."""

    line: int  # of the result that the table's entropies are added to
    left: int
    right: int


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


def build_block(
    features: CodedColumns, labels: CodedColumns, kind: Any, listed: list[str]
) -> CountedBlock:
    """Make the rows of a block ready for counting, with lists of rows by column."""
    source = kind.build(features, labels)
    for lists in listed:
        if hasattr(source, lists):
            getattr(source, lists).rows_with(0)
    return CountedBlock(source, labels, int(features.start[-1]))


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


def count_named(
    block: CountedBlock, rows: tuple[str, int], question: str, range_: tuple[int, ...]
) -> CountArray:
    """One answer of the block's source about a named set of rows."""
    name, indicator = rows
    find = getattr(block.source, name)
    found = find() if indicator < 0 else find(indicator)
    answer: CountArray = getattr(block.source, question)(found, *range_)
    return answer


def count_labels_range(block: CountedBlock, edge: tuple[int, int]) -> CountArray:
    """Counts of all features with the label indicators of a range."""
    return block.source.count_both(block.source.rows(), *edge)


def count_label_pairs(block: CountedBlock) -> CountArray:
    """Counts of all pairs of label indicators."""
    return label_rows(block.source, block.labels).count_pairs()


def count_feature_pairs(block: CountedBlock, edge: tuple[int, int]) -> CountArray:
    """Counts of all features with the feature indicators of a range."""
    return block.source.count_pairs(*edge)


def count_with_labels(block: CountedBlock, group: list[Question]) -> CountArray:
    """For each question, tables of the label that is its line; one after the other."""
    source, start = block.source, block.labels.start
    asked = [
        (source.rows_with_label(indicator), *start[[question.left, question.right]])
        for question in group
        for indicator in range(*start[question.line : question.line + 2])
    ]
    return _count_tables(block, [], asked)


def count_with_feature(
    block: CountedBlock, group: list[Question], indicators: tuple[int, int]
) -> CountArray:
    """n(f, g) and n(g, l), then the tables of each question; one after the other."""
    source, start = block.source, block.labels.start
    rows = [source.rows_with_feature(indicator) for indicator in range(*indicators)]
    lines = [source.count_features(r) for r in rows]
    lines += [source.count_labels(r) for r in rows]
    asked = [
        (r, *start[[question.left, question.right]]) for question in group for r in rows
    ]
    return _count_tables(block, lines, asked)


def _count_tables(
    block: CountedBlock, lines: list[CountArray], asked: list[tuple[Any, int, int]]
) -> CountArray:
    """The lines, then tables of rows by label indicators in [low, high) and feature."""
    sizes = [(high - low) * block.n_features for _, low, high in asked]
    flat = np.empty(sum(line.size for line in lines) + sum(sizes), dtype=np.uint32)
    place = sum(line.size for line in lines)
    np.concatenate([*lines, flat[:0]], out=flat[:place])
    for (rows, low, high), size in zip(asked, sizes, strict=True):
        table = flat[place : place + size].reshape(high - low, block.n_features)
        block.source.count_both(rows, low, high, table)
        place += size
    return flat
