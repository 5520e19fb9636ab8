"""Anchors among rows in blocks: they are drawn once, and every block is compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense, slices_of
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import LabelCodes, SurveyedRows, run, task, value
from labelsieve.neighbors import tied_ranks
from labelsieve.selectors._rows.anchors import draw_anchors


@dataclass(frozen=True)
class Block:
    """Some of all rows, one after the other.

    Attributes
    ----------
    values : (n, D) their features
    indicator : (n, L) CSR, their labels
    first : the number of the first one among all rows
    """

    values: Matrix
    indicator: sp.csr_matrix
    first: int

    def places(self, index: IntArray) -> IntArray:
        """Where rows, by their number among all, are in here; -1 if elsewhere."""
        place = index - self.first
        return np.where((place >= 0) & (place < self.values.shape[0]), place, -1)


@dataclass(frozen=True)
class Rows:
    """Rows in memory, ascending by their number among all."""

    index: IntArray
    values: Matrix
    indicator: sp.csr_matrix


@dataclass(frozen=True)
class Nearest:
    """The nearest rows of each query, with those of all blocks so far.

    Attributes
    ----------
    distances : (..., k) ascending, infinite where there is none
    indices : (..., k) numbers among all rows, -1 where there is none
    """

    distances: FloatArray
    indices: IntArray


def blocks_of(rows: SurveyedRows) -> list[Any]:
    """Tasks that return a `Block` each."""
    codes = value(rows.labels)
    firsts = np.cumsum([0, *rows.lengths[:-1]]).tolist()
    return [
        task(_block, values, y, codes, rows.reader, first)
        for values, y, first in zip(
            rows.numbers(), rows.rows.labels, firsts, strict=True
        )
    ]


def _block(values: Matrix, y: Any, codes: LabelCodes, reader: str, first: int) -> Block:
    return Block(values, sp.csr_matrix(codes.read(y).indicator(reader)), first)


def anchors_in(rows: SurveyedRows, n_anchors: int | None, random_state: Any) -> Rows:
    """Draw the anchors that would be drawn from the same rows in memory."""
    return take_rows(rows, draw_anchors(rows.n_rows, n_anchors, random_state))


def take_rows(rows: SurveyedRows, index: IntArray) -> Rows:
    """Some rows, by their ascending numbers among all; one pass over the rows."""
    ends = np.cumsum(rows.lengths)
    touched = np.unique(np.searchsorted(ends, index, side="right"))
    blocks, wanted = blocks_of(rows), value(index)
    found = run([task(_take, blocks[number], wanted) for number in touched])
    return Rows(
        index,
        stacked([values for values, _ in found]),
        sp.vstack([indicator for _, indicator in found]).tocsr(),
    )


def _take(block: Block, index: IntArray) -> tuple[Matrix, sp.csr_matrix]:
    places = block.places(index)
    here = places[places >= 0]
    return block.values[here], block.indicator[here]


def stacked(parts: list[Matrix]) -> Matrix:
    """Rows under each other, sparse if any of them are."""
    if any(sp.issparse(part) for part in parts):
        return sp.vstack(parts).tocsr()
    return np.vstack(parts)


def alike(one: Matrix, other: Matrix) -> Matrix:
    """The first, sparse where the other is, and dense where it is not."""
    if sp.issparse(other):
        return sp.csr_matrix(one)
    return as_dense(one)


def merge_nearest(parts: list[Nearest]) -> Nearest:
    """The nearest of several blocks in their order: ties go to the earlier row."""
    k = parts[0].distances.shape[-1]
    distances = np.concatenate([part.distances for part in parts], axis=-1)
    indices = np.concatenate([part.indices for part in parts], axis=-1)
    order = np.argsort(tied_ranks(distances), axis=-1, kind="stable")[..., :k]
    return Nearest(
        np.take_along_axis(distances, order, axis=-1),
        np.take_along_axis(indices, order, axis=-1),
    )


def groups_of(sizes: IntArray, most: int) -> list[slice]:
    """Cut anchors into groups whose sizes in bytes stay below a bound, or of one."""
    groups, first, total = [], 0, 0
    for place, size in enumerate(sizes.tolist()):
        if place > first and total + size > most:
            groups.append(slice(first, place))
            first, total = place, 0
        total += size
    return [*groups, slice(first, sizes.size)]


def tiles(n_anchors: int, block: Block, bytes_at_once: int) -> list[slice]:
    """Cut anchors so that their distances to a block stay below a bound."""
    step = max(1, bytes_at_once // (8 * max(block.values.shape)))
    return slices_of(n_anchors, step)
