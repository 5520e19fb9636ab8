"""What features tell about all pairs of labels, from the pairs and triples that meet.

n I(f; a, b) of a feature and two labels is a sum over four groups of rows: those with
both labels, with one, with the other, with none. Where columns do not meet, a group
depends on the counts of single columns only, and of these few differ. So the sum over
all pairs of labels is that of a feature that meets no label, for each distinct count,
plus what the labels add that a feature meets, plus what pairs of labels add that meet.
Binary columns; no table of features and labels or of pairs of labels is made.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelsieve._plumbing.memory import refuse_larger_than_memory
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    WordArray,
)
from labelsieve.counting import joint
from labelsieve.counting.indicators import IndicatorRows
from labelsieve.counting.joint import JointCells
from labelsieve.counting.sources import SparseSource

if TYPE_CHECKING:
    from labelsieve.counting.counts import Counts

# Where tables need fewer cells than this, they cost nothing worth a second way.
PAIRS_LISTED_FROM = 100_000_000
# Two labels that meet cost about as much, with a feature that meets both, as so many
# cells of tables do. Measured by benchmarks/extreme.py.
COST_OF_PAIR = 8
# Bytes for two labels of the same row, in the lists of all rows and of all pairs.
ROOM_OF_PAIR = 24


class LabelPairCells(NamedTuple):
    """The pairs of labels a < b that meet, by a and then by b."""

    start: IntArray  # [L + 1] where the pairs of each a begin
    first: IndexArray  # [pairs] a
    second: IndexArray  # [pairs] b
    counts: CountArray  # [pairs] rows with both


class PairWords(NamedTuple):
    """The same pairs as bits: of each a, words of 64 labels b with those it meets."""

    start: IntArray  # [L + 1] where the words of each a begin
    word: IndexArray  # [words] which 64 labels
    bits: WordArray  # [words] those that a meets, b > a
    first: IntArray  # [words] the pair of the first of them

    @classmethod
    def of(cls, pairs: LabelPairCells) -> PairWords:
        """Words of all pairs."""
        word = pairs.second >> np.uint32(6)
        bit = pairs.second.astype(np.uint64) & np.uint64(63)
        begins = np.ones(word.size, dtype=bool)
        begins[1:] = (np.diff(pairs.first) != 0) | (np.diff(word) != 0)
        (first,) = np.nonzero(begins)
        bits = np.uint64(1) << bit
        if first.size:
            bits = np.bitwise_or.reduceat(bits, first)
        return cls(np.searchsorted(first, pairs.start), word[first], bits, first)


class Margins(NamedTuple):
    """Counts of single columns."""

    n_f: CountArray  # [F] rows with each feature
    n_l: CountArray  # [L] rows with each label
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)


class Listed(NamedTuple):
    """All that is known of labels and of single columns."""

    links: JointCells  # the cells of n(l, m)
    pairs: LabelPairCells
    words: PairWords
    margins: Margins
    apart: FloatArray  # [2, n + 1] the sum over labels of table[m - n_l], m = 0 .. n

    @classmethod
    def of(cls, counts: Counts) -> Listed:
        """Of all features and labels."""
        n_f, n_l = counts.feature_counts, counts.label_counts
        margins = Margins(n_f, n_l, counts.n_rows, counts.table)
        links = counts.label_cells
        pairs = _pairs_of(links)
        words, apart = PairWords.of(pairs), _sums_apart(margins)
        return cls(links, pairs, words, margins, apart)


def is_listed(counts: Counts) -> bool:
    """Whether pairs of labels that meet are better listed than looked for in tables."""
    n_labels, n_features = counts.n_labels, counts.n_features
    n_pairs = n_labels * (n_labels - 1) // 2
    if n_pairs * n_features < PAIRS_LISTED_FROM or not counts.binary:
        return False
    meetings = counts.n_pair_meetings()
    if meetings is None:
        return False
    of_labels, of_both, of_three = meetings
    share = min(1.0, of_both / (n_labels * n_features))
    n_met = min(n_pairs, of_labels)
    return COST_OF_PAIR * (share * n_met + of_three / n_features) < n_pairs


def count_meetings(source: SparseSource) -> IntArray:
    """Pairs of labels, labels of features, and pairs of labels of features, by rows."""
    n_x, n_y = (
        np.diff(lists.of_row.start) for lists in (source.features, source.labels)
    )
    n_pairs = n_y * (n_y - 1) // 2
    return np.array([n_pairs.sum(), n_x @ n_y, n_x @ n_pairs])


def told_of_pairs(counts: Counts) -> FloatArray:
    """The sum of n I(f; a, b) over all pairs of labels a < b, for each feature."""
    meetings = counts.n_pair_meetings()
    assert meetings is not None
    refuse_larger_than_memory(
        (int(meetings[0]),),
        "A list of the pairs of labels of all rows",
        "FIMF takes pairs of few labels only; or take fewer labels.",
        ROOM_OF_PAIR,
    )
    listed = Listed.of(counts)
    apart, met = _told_apart(listed), counts.sum_pair_cells(listed)
    return (apart[0] + met[0]) + (apart[1] + met[1])


def list_label_cells(source: SparseSource) -> JointCells:
    """The cells of n(l, m) that are not zero, n(l, l) among them."""
    rows, n_labels = source.labels.columns, source.labels.n_indicators
    room = joint.label_room(rows, source, 0, n_labels)
    return joint.list_range(rows, source, 0, room)


def _pairs_of(links: JointCells) -> LabelPairCells:
    """Those cells of n(l, m) with l < m."""
    n_labels = links.start.size - 1
    first = np.repeat(np.arange(n_labels, dtype=np.uint32), np.diff(links.start))
    (kept,) = np.nonzero(links.labels > first)
    first = first[kept]
    start = np.zeros(n_labels + 1, dtype=np.int64)
    np.cumsum(np.bincount(first, minlength=n_labels), out=start[1:])
    return LabelPairCells(start, first, links.labels[kept], links.counts[kept])


def with_pairs(source: SparseSource, pairs: LabelPairCells) -> SparseSource:
    """The same rows, with pairs of labels as their labels."""
    from labelsieve.counting import label_pair_kernels

    labels = source.labels.of_row
    n_y = np.diff(labels.start)
    start = np.zeros(n_y.size + 1, dtype=np.int64)
    np.cumsum(n_y * (n_y - 1) // 2, out=start[1:])
    entries = np.empty(start[-1], dtype=np.uint32)
    label_pair_kernels.list_row_pairs(labels, pairs, start, entries)
    lists = IndicatorRows(Lists(start, entries), pairs.first.size)
    return SparseSource(source.n_rows, source.features, lists)


def sum_pair_cells(counts: Counts, listed: Listed) -> FloatArray:
    """What labels and pairs of labels that each feature meets add to the sum.

    Two lines: sums, and what rounding took off them.
    """
    assert isinstance(counts.source, SparseSource)
    source = with_pairs(counts.source, listed.pairs)
    rows = source.features.columns
    tasks = []
    for part in counts.joint_cells:
        room = joint.label_room(rows, source, part.low, part.low + part.start.size - 1)
        edges = joint.edges_of(room, joint.CELLS_PER_LIST)
        tasks += [(part, room, *ends) for ends in pairwise(edges)]

    def add(task: tuple[JointCells, IntArray, int, int]) -> FloatArray:
        part, room, low, high = task
        cells = cut(part, low, high)
        triples = joint.list_range(rows, source, cells.low, room[low:high])
        return sum_range(cells, triples, listed)

    return np.concatenate(run_in_threads(add, tasks, counts.n_jobs), axis=1)


def cut(part: JointCells, low: int, high: int) -> JointCells:
    """The cells of some of the features of a range."""
    start = part.start[low : high + 1]
    cells = slice(int(start[0]), int(start[-1]))
    some = part.labels[cells], part.counts[cells]
    return JointCells(part.low + low, start - start[0], *some)


def sum_range(cells: JointCells, triples: JointCells, listed: Listed) -> FloatArray:
    """The same for some features, from their cells with labels and with pairs."""
    from labelsieve.counting import label_pair_kernels, met_pair_kernels

    links, pairs, words, margins, apart = listed
    out = np.zeros((2, cells.start.size - 1))
    label_pair_kernels.add_met_labels(cells, links, margins, out)
    known = pairs, words, margins, apart
    met_pair_kernels.add_met_pairs(cells, triples, *known, out)
    return out


def _sums_apart(margins: Margins) -> FloatArray:
    """The sum over labels of k log(k/n), k = m less their rows, for m = 0 .. n."""
    from labelsieve.counting import label_pair_kernels

    labels = joint.distinct(margins.n_l)
    out = np.zeros((2, margins.n + 1))
    label_pair_kernels.sum_shifted(labels.counts, labels.times, margins.table, out)
    return out


def _told_apart(listed: Listed) -> FloatArray:
    """The sum if each feature met no label: it depends on the rows of each pair."""
    from labelsieve.counting import label_pair_kernels

    margins = listed.margins
    features, labels = joint.distinct(margins.n_f), joint.distinct(margins.n_l)
    times = np.zeros(2 * int(margins.n_l.max()) + 1, dtype=np.int64)
    label_pair_kernels.count_unions(
        labels.counts, labels.times, listed.pairs, margins.n_l, times
    )
    (sizes,) = np.nonzero(times)
    out = np.empty((2, features.counts.size))
    label_pair_kernels.told_apart(
        features.counts, sizes, times[sizes], margins.n, margins.table, out
    )
    return out[:, features.place]
