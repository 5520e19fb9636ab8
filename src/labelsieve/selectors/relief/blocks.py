"""MLRF over row blocks: neighbours of anchors in every pair of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, run, task, tree, value
from labelsieve.neighbors import Distances, Metric
from labelsieve.reading import Features
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._rows.block_anchors import (
    Block,
    Nearest,
    Rows,
    alike,
    anchors_in,
    blocks_of,
    groups_of,
    merge_nearest,
    tiles,
)
from labelsieve.selectors._rows.differences import Differences
from labelsieve.selectors._rows.scaled_rows import is_binary, range_normalized
from labelsieve.selectors.relief.mlrf import MLRF, pair_weights, varying_labels
from labelsieve.selectors.relief.sums import BLOCK_BYTES

# Neighbours of so many anchors in all their pairs of labels are kept at once.
GROUP_BYTES = 2**26


def rank_pairs(selector: MLRF, rows: SurveyedRows) -> Ranking:
    """Rank by the weights of the anchors' neighbours."""
    labels, constant = rows.labels.summary, rows.columns.constant
    scale = RangeScale.of(rows)
    shared = value(scale)
    counts = [task(_pair_counts, block, shared) for block in blocks_of(rows)]
    (both,) = run([tree(add_up, counts)])
    weights = pair_weights(both)
    drawn = anchors_in(rows, selector.n_anchors, selector.random_state)
    values, owners = scale.rows(drawn.values)
    anchors = Rows(drawn.index, values, scale.labels(drawn.indicator))
    total = np.zeros(owners.size)
    for group in groups_of(_list_bytes(anchors, selector.n_neighbors), GROUP_BYTES):
        some = Rows(
            anchors.index[group], anchors.values[group], anchors.indicator[group]
        )
        problem = Problem(some, scale, selector.n_neighbors)
        total += _group_sums(rows, problem, weights)
    sums = np.zeros(rows.rows.n_features)
    np.add.at(sums, owners, total)
    scores = selector._settled(sums, weights, rows.n_rows / anchors.index.size)
    return selector._rank_scores(scores, constant, labels)


@dataclass(frozen=True)
class RangeScale:
    """What blocks need to know of all rows.

    Attributes
    ----------
    ranges : (D,) largest minus smallest value of each column
    categories : of nominal columns
    frequencies : (L,) how many rows have each label
    n_rows : number of all rows
    """

    ranges: FloatArray
    categories: dict[int, IntArray]
    frequencies: IntArray
    n_rows: int

    @classmethod
    def of(cls, rows: SurveyedRows) -> RangeScale:
        """What the survey of all rows has told."""
        with np.errstate(over="ignore"):
            ranges = rows.columns.high - rows.columns.low
        return cls(ranges, rows.rows.categories, rows.labels.ones, rows.n_rows)

    def rows(self, values: Matrix) -> tuple[Matrix, IntArray]:
        """Rows whose Manhattan distance is wanted, and whose columns these are."""
        return range_normalized(Features(values, self.categories), self.ranges)

    def labels(self, indicator: sp.csr_matrix) -> sp.csr_matrix:
        """The labels that vary over all rows."""
        return varying_labels(indicator, self.frequencies, self.n_rows)


@dataclass(frozen=True)
class Problem:
    """Anchors, on the scale of all rows, and what is asked about them."""

    anchors: Rows
    scale: RangeScale
    n_neighbors: int


def _pair_counts(block: Block, scale: RangeScale) -> IntArray:
    counts = scale.labels(block.indicator).astype(np.int64)
    return np.asarray((counts.T @ counts).toarray())


def _n_pairs(anchors: Rows) -> IntArray:
    """For each anchor, how many pairs there are of a label it has and one it lacks."""
    n_own = np.diff(anchors.indicator.indptr).astype(np.int64)
    return n_own * (anchors.indicator.shape[1] - n_own)


def _list_bytes(anchors: Rows, k: int) -> IntArray:
    """The size of each anchor's lists: distances and numbers of hits and misses."""
    return 32 * k * _n_pairs(anchors)


def _group_sums(
    rows: SurveyedRows, problem: Problem, weights: FloatArray
) -> FloatArray:
    """Sums of differences of some anchors; two passes over the rows."""
    shared = value(problem)
    nearest = [task(_nearest, block, shared) for block in blocks_of(rows)]
    (found,) = run([tree(merge_nearest, nearest)])
    given = value(_coefficients(problem.anchors, found, weights, rows.n_rows))
    parts = [task(_sums, block, shared, given) for block in blocks_of(rows)]
    (sums,) = run([tree(add_up, parts)])
    return np.asarray(sums)


def _nearest(block: Block, problem: Problem) -> Nearest:
    """The nearest rows of a block, for each anchor and pair of labels."""
    from labelsieve.selectors.relief.kernels import pair_neighbors

    anchors = problem.anchors
    rows, _ = problem.scale.rows(block.values)
    ours = alike(anchors.values, rows)
    binary = is_binary(rows) and is_binary(ours)
    metric: Metric = "sqeuclidean" if binary else "manhattan"
    search = Distances(ours, rows, metric=metric)
    labels = problem.scale.labels(block.indicator)
    bits, own_bits = labels.toarray(), anchors.indicator.toarray()
    csr = labels.indptr.astype(np.int64), labels.indices.astype(np.uint32)
    start = np.append(0, np.cumsum(_n_pairs(anchors)))
    shape = (int(start[-1]), 2, problem.n_neighbors)
    near, who = np.full(shape, np.inf), np.full(shape, -1, dtype=np.int64)
    places = block.places(anchors.index)
    with one_thread_inside():
        for tile in tiles(places.size, block, BLOCK_BYTES):
            lists = slice(start[tile.start], start[tile.stop])
            pair_neighbors(
                *(search.block(tile), places[tile], own_bits[tile]),
                *(bits, *csr, near[lists], who[lists]),
            )
    return Nearest(near, np.where(who >= 0, who + block.first, -1))


def _coefficients(
    anchors: Rows, found: Nearest, weights: FloatArray, n_rows: int
) -> sp.csr_matrix:
    """c_ij of anchors i and all rows j: hits pull down, misses push up."""
    bits = anchors.indicator.toarray()
    per_pair = np.concatenate(
        [np.empty(0)]
        + [
            weights[np.ix_(np.flatnonzero(b), np.flatnonzero(b == 0))].ravel()
            for b in bits
        ]
    )
    known = found.indices >= 0
    count = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    signs = np.array([-1.0, 1.0])[:, np.newaxis]
    shares = known * (per_pair[:, np.newaxis, np.newaxis] * signs / count)
    lines = np.repeat(np.arange(bits.shape[0]), _n_pairs(anchors))
    lines = np.broadcast_to(lines[:, np.newaxis, np.newaxis], known.shape)
    cells = shares[known], (lines[known], found.indices[known])
    return sp.csr_matrix(cells, shape=(bits.shape[0], n_rows))


def _sums(block: Block, problem: Problem, given: sp.csr_matrix) -> FloatArray:
    """For each column: the sum of c_ij |x_i - x_j| over the rows j of a block."""
    rows, _ = problem.scale.rows(block.values)
    anchors = alike(problem.anchors.values, rows)
    differences = Differences(rows, squared=False)
    here = given[:, block.first : block.first + rows.shape[0]]
    total = np.zeros(rows.shape[1])
    for tile in tiles(anchors.shape[0], block, BLOCK_BYTES):
        coefficients = here[tile].toarray()
        total += differences.sums(anchors[tile], coefficients).sum(axis=0)
    return total
