"""n(f, l) by its cells that are not zero, and sums over all labels that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
# Sums over all features are split into this many tasks.
TOTALS_TASKS = 8


class JointCells(NamedTuple):
    """The cells of n(f, l) that are not zero, for a range of binary features."""

    low: int  # the first feature
    start: IntArray  # [features + 1] where the cells of each begin
    labels: IndexArray  # [cells] ascending within a feature
    counts: CountArray  # [cells] rows with both


def is_listed(counts: PairCounts) -> bool:
    """Whether cells that are not zero are better listed than looked for in a table."""
    n_cells = counts.n_features * counts.n_labels
    if n_cells < LISTED_FROM or not counts.binary:
        return False
    if not isinstance(counts.source, SparseSource):
        return False
    x, y = counts.source.features.of_row, counts.source.labels.of_row
    return int(np.diff(x.start) @ np.diff(y.start)) < LISTED_SHARE * n_cells


def list_cells(counts: PairCounts) -> list[JointCells]:
    """The cells of all features, in ranges that do not depend on the threads."""
    from labelsieve.counting import joint_kernels

    source = _lists(counts)
    rows, labels = source.features.columns, source.labels.of_row
    n_labels = source.labels.n_indicators
    room = np.zeros(source.features.n_indicators, dtype=np.int64)
    joint_kernels.count_meetings(source.features.of_row, labels, room)
    np.minimum(room, n_labels, out=room)
    edges = _edges(room, CELLS_PER_LIST)

    def list_range(task: int) -> JointCells:
        low, high = edges[task], edges[task + 1]
        n_cells = int(room[low:high].sum())
        start = np.empty(high - low + 1, dtype=np.int64)
        met, n_met = np.empty((2, n_cells), dtype=np.uint32)
        tally = np.zeros(n_labels, dtype=np.uint32)
        joint_kernels.count_cells(low, high, rows, labels, tally, start, met, n_met)
        n_cells = int(start[-1])
        return JointCells(low, start, met[:n_cells].copy(), n_met[:n_cells].copy())

    return run_in_threads(list_range, range(len(edges) - 1), counts.n_jobs)


def _lists(counts: PairCounts) -> SparseSource:
    assert isinstance(counts.source, SparseSource)
    return counts.source


def _edges(work: IntArray, most: int) -> list[int]:
    """Where to split a list so that each range has about `most` work."""
    done = np.cumsum(work, dtype=np.int64)
    inner = np.searchsorted(done, np.arange(most, done[-1], most), side="right")
    return np.unique([0, *inner.tolist(), done.size]).tolist()


def totals(counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """S(f, l), and n I(f; l), of binary columns, each summed over the labels.

    If a feature met no label, these sums would depend on nothing but its count. What
    the labels that it meets add is summed up by itself, in their order.
    """
    from labelsieve.counting import joint_kernels

    n_f, n_l = counts.feature_counts, counts.label_counts
    n, log = counts.n_rows, counts.table
    beyond = np.zeros(n_f.size)
    if "feature_label_counts" not in vars(counts) and counts.lists_cells:
        parts = counts.joint_cells

        def add_listed(task: int) -> None:
            joint_kernels.add_listed(parts[task], n_f, n_l, n, log, beyond)

        counts._run(add_listed, range(len(parts)), _n_cells(parts))
    else:
        table = counts.feature_label_counts
        edges = np.linspace(0, n_f.size, TOTALS_TASKS + 1).astype(int)

        def add(task: int) -> None:
            low, high = edges[task : task + 2]
            joint_kernels.add_dense(low, high, table, n_f, n_l, n, log, beyond)

        counts._run(add, range(TOTALS_TASKS), table.size)
    n_distinct, place = np.unique(n_f, return_inverse=True)
    apart = np.empty((2, n_distinct.size))
    of_labels = np.unique(n_l, return_counts=True)
    joint_kernels.totals_apart(n_distinct, *of_labels, n, log, apart)
    joint, shared = apart[:, place] + beyond
    return joint, np.maximum(shared, 0.0)


def chosen_sums(counts: Counts, feature: int) -> tuple[FloatArray, FloatArray]:
    """For one feature g and all f: S(f, g), and S(f, g, l) summed over labels.

    As in `totals`, what labels that f meets add is summed up by itself.
    """
    from labelsieve.counting import joint_kernels

    given, parts = counts.given_feature(feature), counts.joint_cells
    source = _lists(counts)
    triples = BinaryTriples.without_pairs(counts, given)
    n_fg, n_gl, table = triples.n_fa, triples.n_ab, counts.table
    n_g, l_only, f_only = int(triples.n_a), triples.n_b - n_gl, triples.n_f - n_fg
    own = table[n_gl].sum() + table[l_only].sum()
    apart = own + counts.n_labels * (table[n_fg] + table[f_only])
    apart += _sums_apart(n_fg, n_gl, n_g, table)
    apart += _sums_apart(f_only, l_only, counts.n_rows - n_g, table)
    beyond = np.zeros(counts.n_features)
    rows = source.features.group(given.rows[0].index)

    def add(task: int) -> None:
        tally = np.zeros(counts.n_labels, dtype=np.uint32)
        joint_kernels.add_chosen_listed(
            parts[task], rows, source.labels.of_row, triples, tally, beyond
        )

    counts._run(add, range(len(parts)), _n_cells(parts))
    return counts.given_sums(given), apart + beyond


def _sums_apart(
    n_f: CountArray, n_l: CountArray, rest: int, table: FloatArray
) -> FloatArray:
    """For each n_f, the sum over labels of table[rest - n_l - n_f]."""
    from labelsieve.counting import joint_kernels

    distinct, place = np.unique(n_f, return_inverse=True)
    out = np.empty(distinct.size)
    labels = np.unique(n_l, return_counts=True)
    joint_kernels.chosen_apart(distinct, *labels, rest, table, out)
    return out[place]


def _n_cells(parts: list[JointCells]) -> int:
    return sum(part.labels.size for part in parts)
