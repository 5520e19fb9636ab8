"""Cells of n(f, l) that are not zero, over blocks: listed in each, merged in a tree."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.blocks import add_up, load, run, task, tree, value
from labelsieve.counting import joint, label_pairs
from labelsieve.counting.joint import JointCells
from labelsieve.counting.label_pairs import LabelPairCells, Listed
from labelsieve.counting.pairs import log_table
from labelsieve.counting.sources import SparseSource

# Cells of so many ranges may be in flight at the same time.
RANGES_AT_ONCE = 16


class CellBlocks:
    """Blocks of rows that are asked for cells.

    Parameters
    ----------
    blocks : tasks that return a `CountedBlock`, or where it was spilled
    chosen : which labels of the blocks are counted, None for all
    """

    def __init__(self, blocks: list[Any], chosen: IntArray | None) -> None:
        self._blocks, self._chosen = blocks, value(chosen)

    def n_meetings(self) -> int | None:
        """Labels of all features of all rows; None where blocks are no lists."""
        found = run([task(_n_meetings, b, self._chosen) for b in self._blocks])
        return None if None in found else sum(found)

    def meetings(self) -> IntArray:
        """At most how many cells each feature has, over all blocks."""
        found = [task(_meetings, block, self._chosen) for block in self._blocks]
        (meetings,) = run([tree(add_up, found)])
        return np.asarray(meetings)

    def ranges(self) -> list[tuple[int, int]]:
        """Ranges of features whose cells, over all blocks, are not too many."""
        edges = joint.edges_of(self.meetings(), joint.CELLS_PER_LIST)
        return list(pairwise(edges))

    def of_all(self) -> list[JointCells]:
        """The cells of all features, here."""
        return self._run([task(_as_cells, self._merged(r), r) for r in self.ranges()])

    def summed(
        self, n_f: CountArray, n_l: CountArray, n_rows: int, by_chi2: bool
    ) -> FloatArray:
        """What cells add to sums over labels, taken where they were merged."""
        known = value((n_f, n_l, n_rows, by_chi2))
        asked = [task(_sum, self._merged(r), r, known) for r in self.ranges()]
        return np.concatenate(self._run(asked), axis=-1)

    def with_feature(self, feature: int, n_features: int) -> JointCells:
        """The cells of the rows that have a feature, for all features."""
        edge = (0, n_features)
        (found,) = run([task(_as_cells, self._merged(edge, feature), edge)])
        assert isinstance(found, JointCells)
        return found

    def n_pair_meetings(self) -> IntArray | None:
        """See `label_pairs.count_meetings`; None where blocks are no lists."""
        found = run([task(_n_pair_meetings, b, self._chosen) for b in self._blocks])
        return None if any(each is None for each in found) else sum(found)

    def of_labels(self) -> JointCells:
        """The cells of n(l, m)."""
        asked = [task(_list_labels, b, self._chosen) for b in self._blocks]
        (merged,) = run([tree(_merge, asked)])
        return _as_cells(merged, (0, merged.shape[0]))

    def summed_pairs(self, cells: list[JointCells], listed: Listed) -> FloatArray:
        """What pairs of labels add, taken where their cells were merged."""
        pairs, known = value(listed.pairs), value(listed)
        found = [task(_pair_room, b, self._chosen, pairs) for b in self._blocks]
        (room,) = run([tree(add_up, found)])
        asked = []
        for part in cells:
            high = part.low + part.start.size - 1
            edges = joint.edges_of(room[part.low : high], joint.CELLS_PER_LIST)
            for ends in pairwise(edges):
                edge = (part.low + ends[0], part.low + ends[1])
                parts = [
                    task(_list_pairs, b, self._chosen, edge, pairs)
                    for b in self._blocks
                ]
                some = value(label_pairs.cut(part, *ends))
                asked.append(task(_sum_pairs, tree(_merge, parts), edge, some, known))
        return np.concatenate(self._run(asked), axis=1)

    def _merged(self, edge: tuple[int, int], feature: int | None = None) -> Any:
        """A task: the cells of a range of features, added up over all blocks."""
        asked = [task(_list, b, self._chosen, edge, feature) for b in self._blocks]
        return tree(_merge, asked)

    def _run(self, tasks: list[Any]) -> list[Any]:
        found = []
        for low in range(0, len(tasks), RANGES_AT_ONCE):
            found += run(tasks[low : low + RANGES_AT_ONCE])
        return found


def _n_meetings(block: Any, chosen: IntArray | None) -> int | None:
    source = load(block).with_labels(chosen).source
    return source.n_meetings() if isinstance(source, SparseSource) else None


def _meetings(block: Any, chosen: IntArray | None) -> IntArray:
    source = load(block).with_labels(chosen).source
    n_features = source.features.n_indicators
    return joint.label_room(source.features.columns, source, 0, n_features)


def _n_pair_meetings(block: Any, chosen: IntArray | None) -> IntArray | None:
    source = load(block).with_labels(chosen).source
    listed = isinstance(source, SparseSource)
    return label_pairs.count_meetings(source) if listed else None


def _list_labels(block: Any, chosen: IntArray | None) -> sp.csr_matrix:
    source: SparseSource = load(block).with_labels(chosen).source
    n_labels = source.labels.n_indicators
    return _as_matrix(label_pairs.list_label_cells(source), n_labels)


def _pair_room(block: Any, chosen: IntArray | None, pairs: LabelPairCells) -> IntArray:
    source = label_pairs.with_pairs(load(block).with_labels(chosen).source, pairs)
    n_features = source.features.n_indicators
    return joint.label_room(source.features.columns, source, 0, n_features)


def _list_pairs(
    block: Any, chosen: IntArray | None, edge: tuple[int, int], pairs: LabelPairCells
) -> sp.csr_matrix:
    """The cells of a block with pairs of labels."""
    source = label_pairs.with_pairs(load(block).with_labels(chosen).source, pairs)
    rows = source.features.columns
    room = joint.label_room(rows, source, *edge)
    return _as_matrix(joint.list_range(rows, source, edge[0], room), pairs.first.size)


def _sum_pairs(
    merged: sp.csr_matrix, edge: tuple[int, int], cells: JointCells, listed: Listed
) -> FloatArray:
    return label_pairs.sum_range(cells, _as_cells(merged, edge), listed)


def _list(
    block: Any, chosen: IntArray | None, edge: tuple[int, int], feature: int | None
) -> sp.csr_matrix:
    """The cells of a block, of all its rows or of those with a feature."""
    source: SparseSource = load(block).with_labels(chosen).source
    rows = source.features.columns
    if feature is not None:
        rows = source.features.group(source.features.rows_with(feature))
    cells = joint.list_range(
        rows, source, edge[0], joint.label_room(rows, source, *edge)
    )
    return _as_matrix(cells, source.labels.n_indicators)


def _as_matrix(cells: JointCells, n_labels: int) -> sp.csr_matrix:
    index, shape = cells.labels.view(np.int32), (cells.start.size - 1, n_labels)
    return sp.csr_matrix((cells.counts, index, cells.start), shape=shape)


def _merge(parts: list[sp.csr_matrix]) -> sp.csr_matrix:
    return reduce(add, parts)


def _as_cells(merged: sp.csr_matrix, edge: tuple[int, int]) -> JointCells:
    start, labels = merged.indptr.astype(np.int64), merged.indices.astype(np.uint32)
    return JointCells(edge[0], start, labels, merged.data)


def _sum(merged: sp.csr_matrix, edge: tuple[int, int], known: Any) -> FloatArray:
    n_f, n_l, n_rows, by_chi2 = known
    out = joint.sums_of(edge[1], by_chi2)
    table = None if by_chi2 else log_table(n_rows)
    joint.add_cells(_as_cells(merged, edge), n_f, n_l, n_rows, table, out)
    return out[..., edge[0] :]
