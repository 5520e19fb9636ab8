"""SPEC by anchors: the edges between some rows and all rows, added up over blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.matrices import as_dense, slices_of
from labelsieve._plumbing.typing import BoolArray, FloatArray, Matrix
from labelsieve.selectors._rows.label_graph import LabelGraph, have_neighbors
from labelsieve.selectors._rows.scaled_rows import (
    Centre,
    column_blocks,
)

# Similarities of some anchors to the label sets of a block take at most this much.
TILE_BYTES = 2**25


@dataclass(frozen=True)
class SpecAnchors:
    """Rows that stand for all.

    Attributes
    ----------
    values : (m, D) their features
    indicator : (m, L) their labels
    frequencies : (L,) how many of all rows have each label
    centre : means of the rows that take part
    """

    values: Matrix
    indicator: sp.csr_matrix
    frequencies: FloatArray
    centre: Centre


@dataclass(frozen=True)
class EdgeSums:
    """Sums over edges A_ij between the anchors i and some rows j.

    Attributes
    ----------
    edges : (m,) sum of A_ij over j
    products : (D,) sum of A_ij f_i f_j
    sums : (D,) sum of A_ij f_j
    squares : (D,) sum of A_ij f_j^2
    """

    edges: FloatArray
    products: FloatArray
    sums: FloatArray
    squares: FloatArray


def edge_sums(values: Matrix, indicator: Matrix, anchors: SpecAnchors) -> EdgeSums:
    """Sums over the edges between the anchors and a block of rows."""
    n_anchors = anchors.indicator.shape[0]
    stacked = sp.vstack([anchors.indicator, sp.csr_matrix(indicator)]).tocsr()
    graph = LabelGraph.of(stacked, anchors.frequencies)
    own, codes = graph.codes[:n_anchors], graph.codes[n_anchors:]
    n_sets = graph.sets.shape[0]
    cells = (np.ones(codes.size), (codes, np.arange(codes.size)))
    members = sp.csr_matrix(cells, shape=(n_sets, codes.size))
    sizes = np.bincount(codes, minlength=n_sets)
    edges = np.empty(n_anchors)
    products, sums, squares = np.zeros((3, values.shape[1]))
    with one_thread_inside():
        for tile in _tiles(n_anchors, n_sets):
            similarity = graph.similarity(own[tile])
            edges[tile] = similarity @ sizes
            joined = similarity.sum(axis=0)
            some = anchors.values[tile]
            for columns, block in column_blocks(values):
                centred = anchors.centre.of(block, columns)
                f = anchors.centre.of(as_dense(some[:, columns]), columns)
                of_sets = members @ centred
                products[columns] += (similarity @ of_sets * f).sum(axis=0)
                sums[columns] += joined @ of_sets
                squares[columns] += joined @ (members @ centred**2)
    return EdgeSums(edges, products, sums, squares)


def add_edges(parts: list[EdgeSums]) -> EdgeSums:
    """The sums over the rows of several blocks."""
    return EdgeSums(
        *(
            np.sum([getattr(part, name) for part in parts], axis=0)
            for name in ("edges", "products", "sums", "squares")
        )
    )


def criterion(
    sums: EdgeSums, anchors: SpecAnchors, isolated_degree: float, phi: int
) -> tuple[FloatArray, FloatArray]:
    """Roughness f'(D - A)f and spread f'Df of each feature, over the anchors' edges.

    Both ends of an edge take part in the spread, half each: what a feature happens
    to be larger or smaller in the anchors than in other rows then cancels.
    """
    # A row is not its own neighbour, though it is similar to itself.
    itself = (np.diff(anchors.indicator.indptr) > 0).astype(np.float64)
    edges = sums.edges - itself
    isolated = np.where(edges > 0, 0.0, isolated_degree)
    roughness, spread = np.zeros((2, sums.squares.size))
    if not edges.any():
        return roughness, spread
    for columns, block in column_blocks(anchors.values):
        f = anchors.centre.of(block, columns)
        here, there = edges @ f**2, sums.squares[columns] - itself @ f**2
        spread[columns] = 0.5 * (here + there) + isolated @ f**2
        products = sums.products[columns] - itself @ f**2
        roughness[columns] = spread[columns] - products
        if phi == 2:  # the spread around the mean weighted by degrees
            here, there = edges @ f, sums.sums[columns] - itself @ f
            total = 0.5 * (here + there) + isolated @ f
            spread[columns] -= total**2 / (edges + isolated).sum()
    return roughness, spread


@dataclass(frozen=True)
class JoinedRows:
    """What is known of the rows that have neighbours in the graph.

    Attributes
    ----------
    n_rows : how many take part: they, or all rows where others have a degree
    sums : (D,) of those that take part, on the scale of the centre
    low, high : (D,) smallest and largest values where there are neighbours
    """

    n_rows: int
    sums: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def flat(self) -> BoolArray:
        """Which features do not differ between any rows that have neighbours."""
        return ~(self.low < self.high)


def joined_rows(
    values: Matrix,
    indicator: Matrix,
    frequencies: FloatArray,
    power: FloatArray,
    with_isolated: bool,
) -> JoinedRows:
    """Survey a block of rows."""
    joined = have_neighbors(indicator, frequencies)
    sums = np.zeros(values.shape[1])
    low, high = np.full(sums.size, np.inf), np.full(sums.size, -np.inf)
    for columns, block in column_blocks(values):
        rows = block if joined.all() else block[joined]
        low[columns] = rows.min(axis=0, initial=np.inf)
        high[columns] = rows.max(axis=0, initial=-np.inf)
        taking_part = block if with_isolated else rows
        sums[columns] = (taking_part * power[columns]).sum(axis=0)
    n_rows = joined.size if with_isolated else int(joined.sum())
    return JoinedRows(n_rows, sums, low, high)


def add_joined(parts: list[JoinedRows]) -> JoinedRows:
    """What is known of the rows of several blocks."""
    return JoinedRows(
        sum(part.n_rows for part in parts),
        np.sum([part.sums for part in parts], axis=0),
        np.min([part.low for part in parts], axis=0),
        np.max([part.high for part in parts], axis=0),
    )


def _tiles(n_anchors: int, n_sets: int) -> list[slice]:
    step = max(1, TILE_BYTES // (8 * n_sets))
    return slices_of(n_anchors, step)
