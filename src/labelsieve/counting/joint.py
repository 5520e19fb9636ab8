"""n(f, l) by its cells that are not zero, and sums over all labels that follow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import CountArray, FloatArray, IndexArray, IntArray
from labelsieve.counting.sources import SparseSource
from labelsieve.counting.triples import BinaryTriples

if TYPE_CHECKING:
    from labelsieve.counting.counts import Counts
    from labelsieve.counting.pairs import PairCounts

# Cells of n(f, l) are listed where at most this share of them is not zero: a listed
# cell costs about as much as four of a table. Measured by benchmarks/extreme.py.
LISTED_SHARE = 0.25
# Below this size a table costs nothing worth a second way.
LISTED_FROM = 1_000_000
# A task lists the cells of features that have room for about so many.
CELLS_PER_LIST = 4_000_000


class JointCells(NamedTuple):
    """The cells of n(f, l) that are not zero, for a range of binary features."""

    low: int  # the first feature
    start: IntArray  # [features + 1] where the cells of each begin
    labels: IndexArray  # [cells] ascending within a feature
    counts: CountArray  # [cells] rows with both


class Distinct(NamedTuple):
    """Counts that differ."""

    counts: CountArray  # ascending
    times: IntArray  # how often each occurs
    place: IntArray  # [all counts] where each is among them


def is_listed(counts: PairCounts) -> bool:
    """Whether cells that are not zero are better listed than looked for in a table."""
    n_cells = counts.n_features * counts.n_labels
    if n_cells < LISTED_FROM or not counts.binary:
        return False
    n_meetings = counts.n_meetings()
    return n_meetings is not None and n_meetings < LISTED_SHARE * n_cells


def list_cells(counts: PairCounts) -> list[JointCells]:
    """The cells of all features, in ranges that do not depend on the threads."""
    source = _lists(counts)
    rows = source.features.columns
    room = label_room(rows, source, 0, counts.n_features)
    edges = edges_of(room, CELLS_PER_LIST)

    def list_task(task: int) -> JointCells:
        low, high = edges[task], edges[task + 1]
        return list_range(rows, source, low, room[low:high])

    return run_in_threads(list_task, range(len(edges) - 1), counts.n_jobs)


def label_room(rows: Lists, source: SparseSource, low: int, high: int) -> IntArray:
    """At most how many labels each feature in [low, high) meets in its `rows`."""
    from labelsieve.counting import joint_kernels

    room = np.empty(high - low, dtype=np.int64)
    joint_kernels.count_meetings(low, rows, source.labels.of_row, room)
    return np.minimum(room, source.labels.n_indicators)


def list_range(
    rows: Lists, source: SparseSource, low: int, room: IntArray
) -> JointCells:
    """The cells of features from `low` on, over their `rows`, with room for each."""
    from labelsieve.counting import joint_kernels

    labels, n_cells = source.labels, int(room.sum())
    start = np.empty(room.size + 1, dtype=np.int64)
    met, n_met = np.empty((2, n_cells), dtype=np.uint32)
    tally = np.zeros(labels.n_indicators, dtype=np.uint32)
    high = low + room.size
    joint_kernels.count_cells(low, high, rows, labels.of_row, tally, start, met, n_met)
    n_cells = int(start[-1])
    return JointCells(low, start, met[:n_cells].copy(), n_met[:n_cells].copy())


def _lists(counts: PairCounts) -> SparseSource:
    assert isinstance(counts.source, SparseSource)
    return counts.source


def edges_of(work: IntArray, most: int) -> list[int]:
    """Where to split a list so that each range has about `most` work."""
    done = np.cumsum(work, dtype=np.int64)
    inner = np.searchsorted(done, np.arange(most, done[-1], most), side="right")
    return np.unique([0, *inner.tolist(), done.size]).tolist()


def sum_cells(counts: PairCounts, by_chi2: bool) -> FloatArray:
    """What labels that each feature meets add to its sums over labels."""
    parts = counts.joint_cells
    out = sums_of(counts.n_features, by_chi2)
    margins = counts.feature_counts, counts.label_counts, counts.n_rows

    def add(task: int) -> None:
        add_cells(parts[task], *margins, None if by_chi2 else counts.table, out)

    counts._run(add, range(len(parts)), _n_cells(parts))
    return out


def add_cells(
    cells: JointCells,
    n_f: CountArray,
    n_l: CountArray,
    n_rows: int,
    table: FloatArray | None,
    out: FloatArray,
) -> None:
    """Add the cells of some features: of information by `table`, else chi-square."""
    from labelsieve.counting import joint_kernels

    if table is None:
        joint_kernels.add_chi2_listed(cells, n_f, n_l, n_rows, out)
    else:
        joint_kernels.add_listed(cells, n_f, n_l, n_rows, table, out)


def sums_of(n_features: int, by_chi2: bool) -> FloatArray:
    """Where cells are added to: of chi-square there are three lines."""
    return np.zeros((3, n_features) if by_chi2 else n_features)


def _sum_table(counts: PairCounts, by_chi2: bool) -> FloatArray:
    """The same as `sum_cells`, from a table."""
    from labelsieve.counting import joint_kernels

    table, n = counts.feature_label_counts, counts.n_rows
    margins = table, counts.feature_counts, counts.label_counts, n
    out = sums_of(counts.n_features, by_chi2)
    n_tasks = counts.n_tasks(table.size)
    edges = np.linspace(0, counts.n_features, n_tasks + 1).astype(int).tolist()

    def add(task: int) -> None:
        low, high = edges[task : task + 2]
        if by_chi2:
            joint_kernels.add_chi2_dense(low, high, *margins, out)
        else:
            joint_kernels.add_dense(low, high, *margins, counts.table, out)

    counts._run(add, range(n_tasks), table.size)
    return out


def _beyond(counts: PairCounts, by_chi2: bool = False) -> FloatArray:
    listed = "feature_label_counts" not in vars(counts) and counts.lists_cells
    return counts.sum_cells(by_chi2) if listed else _sum_table(counts, by_chi2)


def chi2_totals(counts: PairCounts) -> FloatArray:
    """Chi-square of each feature and label, binary columns, summed over the labels.

    Of a label that a feature never meets it is n times the product of their odds.
    """
    n, n_f = float(counts.n_rows), counts.feature_counts.astype(np.float64)
    n_l = counts.label_counts.astype(np.float64)
    met, *less = _beyond(counts, by_chi2=True)
    # Odds of labels that are met come off exactly, but for the last bits of the rest.
    odds = math.fsum(n_l / (n - n_l))
    apart = np.maximum(0.0, (odds + less[0]) + less[1])
    return met + n * (n_f / (n - n_f)) * apart


def totals(counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """S(f, l), and n I(f; l), of binary columns, each summed over the labels.

    If a feature met no label, these sums would depend on nothing but its count. What
    the labels that it meets add is summed up by itself, in their order.
    """
    from labelsieve.counting import joint_kernels

    beyond = _beyond(counts)
    features, labels = distinct(counts.feature_counts), distinct(counts.label_counts)
    apart = np.empty((2, features.counts.size))
    margins = features.counts, labels.counts, labels.times, counts.n_rows
    joint_kernels.totals_apart(*margins, counts.table, apart)
    joint, shared = apart[:, features.place] + beyond
    return joint, np.maximum(shared, 0.0)


def chosen_sums(counts: Counts, feature: int) -> tuple[FloatArray, FloatArray]:
    """For one feature g and all f: n I(f; g), and n I(f; l | g) summed over labels.

    As in `totals`, what labels that f meets add is summed up by itself.
    """
    given = counts.given_feature(feature)
    triples = BinaryTriples.without_pairs(counts, given)
    n_fg, n_gl, table = triples.n_fa, triples.n_ab, counts.table
    n_g, l_only, f_only = int(triples.n_a), triples.n_b - n_gl, triples.n_f - n_fg
    apart = _told_apart(n_fg, n_gl, n_g, table)
    apart += _told_apart(f_only, l_only, counts.n_rows - n_g, table)
    own = counts.given_sums(given) - counts.feature_sums[feature]
    told = apart + counts.sum_chosen_cells(feature, triples)
    return own - counts.feature_sums, told


def sum_chosen_cells(
    counts: Counts, feature: int, triples: BinaryTriples
) -> FloatArray:
    """What labels that each f meets add to n I(f; l | g), for one feature g."""
    from labelsieve.counting import joint_kernels

    parts, source = counts.joint_cells, _lists(counts)
    rows = source.features.group(source.features.rows_with(feature))
    out = np.zeros(counts.n_features)

    def add(task: int) -> None:
        tally = np.zeros(counts.n_labels, dtype=np.uint32)
        joint_kernels.add_chosen_listed(
            parts[task], rows, source.labels.of_row, triples, tally, out
        )

    counts._run(add, range(len(parts)), _n_cells(parts))
    return out


def _told_apart(
    n_f: CountArray, n_l: CountArray, n_rows: int, table: FloatArray
) -> FloatArray:
    """For each n_f, what so many of some rows tell of labels they never meet."""
    from labelsieve.counting import joint_kernels

    features, labels = distinct(n_f), distinct(n_l)
    out = np.empty(features.counts.size)
    joint_kernels.chosen_apart(
        features.counts, labels.counts, labels.times, n_rows, table, out
    )
    return out[features.place]


def distinct(counts: CountArray) -> Distinct:
    """The distinct counts, without sorting: there are no more than rows."""
    times = np.bincount(counts)
    (found,) = np.nonzero(times)
    place = np.cumsum(times > 0)[counts] - 1
    return Distinct(found.astype(np.uint32), times[found], place)


def _n_cells(parts: list[JointCells]) -> int:
    return sum(part.labels.size for part in parts)
