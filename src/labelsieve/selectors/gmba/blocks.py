"""GMBA over row blocks: slopes of anchors, whose neighbours are among all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from labelsieve._plumbing.machine import one_thread_inside
from labelsieve._plumbing.matrices import slices_of
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, run, task, tree, value
from labelsieve.neighbors import Distances
from labelsieve.selectors._base import TIE, Ranking
from labelsieve.selectors._rows.block_anchors import (
    Block,
    Nearest,
    Rows,
    alike,
    anchors_in,
    blocks_of,
    groups_of,
    merge_nearest,
    take_rows,
    tiles,
)
from labelsieve.selectors._rows.block_sums import centre_of
from labelsieve.selectors._rows.differences import Differences
from labelsieve.selectors._rows.label_graph import LabelGraph
from labelsieve.selectors._rows.scaled_rows import (
    Centre,
    column_blocks,
    divided,
    moved,
    offsets,
    one_scale,
)
from labelsieve.selectors.gmba.gmba import GMBA
from labelsieve.selectors.gmba.slopes import BLOCK_BYTES

# Slopes of so many anchors are added up over the blocks at the same time.
GROUP_BYTES = 2**26


def rank_margins(selector: GMBA, rows: SurveyedRows) -> Ranking:
    """Rank by the weights learned from the anchors."""
    labels, constant = rows.labels.summary, rows.constant
    random = check_random_state(selector.random_state)
    anchors = anchors_in(rows, selector.n_anchors, random)
    slopes = rows.groups.sums(_slopes(selector, rows, anchors))
    n_anchors = slopes.shape[0]
    if selector.solver == "batch":
        scores = selector._batch([slopes], rows.n_rows / n_anchors)
    else:
        visits = selector._visits(n_anchors, random)
        scores = selector._descend([slopes[visits]], np.ones(slopes.shape[1]))
    scores = selector._settled(scores, not labels.constant.all(), constant)
    return selector._rank_scores(scores, constant, labels)


@dataclass(frozen=True)
class Scale:
    """How rows are compared.

    Attributes
    ----------
    offsets : (D,) what columns are moved by before they are divided
    deviations : (D,) standard deviations, 0 for constant columns
    means : (D,) means in that unit
    frequencies : (L,) how many of all rows have each label
    """

    offsets: FloatArray
    deviations: FloatArray
    means: FloatArray
    frequencies: FloatArray

    def of(self, values: Matrix) -> Matrix:
        """Rows whose columns have the same scale."""
        return divided(moved(values, self.offsets), self.deviations)


@dataclass(frozen=True)
class Problem:
    """Anchors, on the scale of all rows, and what is asked about them."""

    anchors: Rows
    scale: Scale
    n_neighbors: int
    threshold: float
    trade_off: float


def _slopes(selector: GMBA, rows: SurveyedRows, anchors: Rows) -> FloatArray:
    """Slopes of all anchors, one line each; zero where they tell nothing."""
    scale = _scale(rows)
    values = scale.of(anchors.values)
    sizes = np.full(anchors.index.size, 8 * rows.rows.n_features)
    out = np.empty((anchors.index.size, rows.rows.n_features))
    for group in groups_of(sizes, GROUP_BYTES):
        some = Rows(anchors.index[group], values[group], anchors.indicator[group])
        problem = Problem(
            some,
            scale,
            selector.n_neighbors,
            selector.similarity_threshold - TIE,
            selector.trade_off,
        )
        out[group] = _group_slopes(rows, problem)
    return out


def _scale(rows: SurveyedRows) -> Scale:
    """Standard deviations of all columns; two passes over the rows."""
    centre = centre_of(rows)
    shared = value(centre)
    parts = [task(_squares, block, shared) for block in rows.numbers()]
    (squares,) = run([tree(add_up, parts)])
    deviations = np.sqrt(squares / rows.n_rows) / centre.power
    deviations[rows.columns.constant] = 0.0
    deviations = one_scale(deviations, rows.groups)
    offset = offsets(rows.columns.low, rows.columns.high)
    means = centre.means / centre.power - offset
    means = np.divide(means, deviations, np.zeros_like(means), where=deviations > 0)
    return Scale(offset, deviations, means, rows.labels.ones.astype(np.float64))


def _squares(values: Matrix, centre: Centre) -> FloatArray:
    return np.concatenate(
        [(centre.of(b, c) ** 2).sum(axis=0) for c, b in column_blocks(values)]
    )


def _group_slopes(rows: SurveyedRows, problem: Problem) -> FloatArray:
    """Slopes of some anchors; three passes over the rows."""
    shared, blocks = value(problem), blocks_of(rows)
    nearest = [task(_nearest, block, shared) for block in blocks]
    norms = [task(_largest_norm, block, shared) for block in blocks]
    found, norm = run([tree(merge_nearest, nearest), tree(max, norms)])
    reached = Reach.of(rows, problem, found, TIE * norm)
    if reached is None:
        return np.zeros(problem.anchors.values.shape)
    given = value(reached)
    parts = [task(_push, block, shared, given) for block in blocks_of(rows)]
    (pushed,) = run([tree(_add_pushed, parts)])
    return _with_pulls(problem, reached, pushed)


@dataclass(frozen=True)
class Neighborhood:
    """Anchors beside the rows of a block.

    Attributes
    ----------
    rows : the rows of the block, on the common scale
    anchors : the anchors, sparse if these are
    graph : label sets of the anchors, then of the rows
    """

    rows: Matrix
    anchors: Matrix
    graph: LabelGraph
    places: IntArray

    @classmethod
    def of(cls, block: Block, problem: Problem) -> Neighborhood:
        """Put anchors beside a block."""
        anchors, rows = problem.anchors, problem.scale.of(block.values)
        both = sp.vstack([anchors.indicator, block.indicator]).tocsr()
        graph = LabelGraph.of(both, problem.scale.frequencies)
        places = block.places(anchors.index)
        return cls(rows, alike(anchors.values, rows), graph, places)

    @property
    def codes(self) -> IntArray:
        """The label set of each row of the block."""
        return self.graph.codes[self.places.size :]

    def similar(
        self, tile: slice, threshold: float
    ) -> tuple[FloatArray, NDArray[np.int32]]:
        """Similarity of anchors to label sets; who is similar (Eqs. 6 and 7)."""
        from labelsieve.selectors.gmba.kernels import DIFFERENT, ITSELF, SIMILAR

        similarity = self.graph.similarity(self.graph.codes[: self.places.size][tile])
        alike_sets = np.where(similarity >= threshold, SIMILAR, DIFFERENT)
        groups = alike_sets.astype(np.int32)[:, self.codes]
        (here,) = np.nonzero(self.places[tile] >= 0)
        groups[here, self.places[tile][here]] = ITSELF
        return similarity, groups


def _nearest(block: Block, problem: Problem) -> Nearest:
    """The nearest similar and different rows of each anchor in a block."""
    from labelsieve.neighbors.kernels import Best

    around = Neighborhood.of(block, problem)
    shape = (around.places.size, 2, problem.n_neighbors)
    best = Best(np.full(shape, np.inf), np.full(shape, np.inf), np.full(shape, -1))
    search = Distances(around.anchors, around.rows)
    with one_thread_inside():
        for tile in tiles(around.places.size, block, BLOCK_BYTES):
            _, groups = around.similar(tile, problem.threshold)
            part = Best(best.bounds[tile], best.distances[tile], best.indices[tile])
            search.keep_nearest(tile, groups, part)
    found = best.indices >= 0
    return Nearest(best.distances, np.where(found, best.indices + block.first, -1))


def _largest_norm(block: Block, problem: Problem) -> float:
    """The largest squared distance of a row from the mean of all rows."""
    rows, mean = problem.scale.of(block.values), problem.scale.means
    if sp.issparse(rows):
        norms = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        norms += mean @ mean - 2.0 * (rows @ mean)
    else:
        norms = ((rows - mean) ** 2).sum(axis=1)
    return float(norms.max())


@dataclass(frozen=True)
class Reach:
    """How far from each anchor different rows are pushed away.

    Attributes
    ----------
    hits : the near hits of all anchors, on the common scale
    who : (m, k) the place of each near hit among them, -1 if there is none
    similarity : (m, k) of the anchor to its near hits
    reach : (m, k) different rows nearer than this count
    rounding : squared distances that differ by less are equal
    """

    hits: Rows
    who: IntArray
    similarity: FloatArray
    reach: FloatArray
    rounding: float

    @classmethod
    def of(
        cls, rows: SurveyedRows, problem: Problem, found: Nearest, rounding: float
    ) -> Reach | None:
        """What follows from the nearest rows; None if no anchor has a near hit."""
        from labelsieve.selectors.gmba.kernels import DIFFERENT, SIMILAR

        indices, different = found.indices[:, SIMILAR], found.indices[:, DIFFERENT, 0]
        if not (indices >= 0).any():
            return None
        near = np.where(indices >= 0, found.distances[:, SIMILAR], 0.0)
        other = np.where(different >= 0, found.distances[:, DIFFERENT, 0], near[:, 0])
        margin = np.abs(near[:, 0] - other)  # Eq. 10
        drawn = take_rows(rows, np.unique(indices[indices >= 0]))
        values = problem.scale.of(drawn.values)
        hits = Rows(drawn.index, values, drawn.indicator)
        who = np.where(indices >= 0, np.searchsorted(hits.index, indices), -1)
        similarity = _similarity_to(hits, who, problem)
        reach = margin[:, np.newaxis] + near - rounding
        return cls(hits, who, similarity, reach, rounding)


def _similarity_to(hits: Rows, who: IntArray, problem: Problem) -> FloatArray:
    """Similarity of each anchor to its own near hits."""
    n_anchors = who.shape[0]
    both = sp.vstack([problem.anchors.indicator, hits.indicator]).tocsr()
    graph = LabelGraph.of(both, problem.scale.frequencies)
    own, codes = graph.codes[:n_anchors], graph.codes[n_anchors:][who]
    out = np.zeros(who.shape)
    for part in _parts(n_anchors, graph.sets.shape[0]):
        out[part] = np.take_along_axis(graph.similarity(own[part]), codes[part], axis=1)
    return np.where(who >= 0, out, 0.0)


@dataclass(frozen=True)
class Pushed:
    """What different rows in reach add to the slopes and to the pull of the hits."""

    slopes: FloatArray
    pulls: FloatArray
    magnitude: FloatArray


def _push(block: Block, problem: Problem, reached: Reach) -> Pushed:
    """Second term of Eq. 13 for the rows of a block."""
    from labelsieve.selectors.gmba.kernels import push_away

    around = Neighborhood.of(block, problem)
    search = Distances(around.anchors, around.rows)
    differences = Differences(around.rows, squared=True)
    n_hits = (reached.who >= 0).sum(axis=1)
    slopes = np.empty((n_hits.size, block.values.shape[1]))
    pulls, magnitude = np.zeros(reached.who.shape), np.zeros(n_hits.size)
    with one_thread_inside():
        for tile in tiles(n_hits.size, block, BLOCK_BYTES):
            similarity, groups = around.similar(tile, problem.threshold)
            coefficients = search.block(tile)
            push_away(
                *(coefficients, similarity, around.codes, groups),
                *(reached.reach[tile], reached.similarity[tile], n_hits[tile]),
                problem.trade_off,
                *(pulls[tile], magnitude[tile]),
            )
            slopes[tile] = differences.sums(around.anchors[tile], coefficients)
    return Pushed(slopes, pulls, magnitude)


def _add_pushed(parts: list[Pushed]) -> Pushed:
    names = ("slopes", "pulls", "magnitude")
    return Pushed(
        *(np.sum([getattr(part, name) for part in parts], axis=0) for name in names)
    )


def _with_pulls(problem: Problem, reached: Reach, pushed: Pushed) -> FloatArray:
    """Slopes with the first term of Eq. 13 and what the hits are pulled with."""
    pulls = reached.similarity + pushed.pulls
    magnitude = pushed.magnitude + np.abs(pulls).sum(axis=1)
    hits = reached.hits.values
    anchors = alike(problem.anchors.values, hits)
    differences = Differences(hits, squared=True)
    slopes = pushed.slopes
    for tile in _parts(reached.who.shape[0], hits.shape[0]):
        lines, places = np.nonzero(reached.who[tile] >= 0)
        coefficients = np.zeros((reached.who[tile].shape[0], hits.shape[0]))
        who = reached.who[tile][lines, places]
        np.add.at(coefficients, (lines, who), pulls[tile][lines, places])
        slopes[tile] += differences.sums(anchors[tile], coefficients)
    # What rounding leaves of zero would otherwise become a whole step.
    slopes[np.abs(slopes).max(axis=1) <= reached.rounding * magnitude] = 0.0
    return slopes


def _parts(n_anchors: int, width: int) -> list[slice]:
    """Cut anchors so that a table of so many columns stays below a bound."""
    step = max(1, BLOCK_BYTES // (8 * width))
    return slices_of(n_anchors, step)
