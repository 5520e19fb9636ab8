"""SPEC over row blocks: the edges between anchors and all rows."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.typing import FloatArray
from labelsieve.blocks import SurveyedRows, run, task, tree, value
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._rows.block_anchors import Block, anchors_in, blocks_of
from labelsieve.selectors._rows.scaled_rows import Centre, power_of_two
from labelsieve.selectors.spec.anchors import (
    EdgeSums,
    JoinedRows,
    SpecAnchors,
    add_edges,
    add_joined,
    edge_sums,
    joined_rows,
)
from labelsieve.selectors.spec.spec import SPEC


def rank_edges(selector: SPEC, rows: SurveyedRows) -> Ranking:
    """Rank by smoothness over the edges of the anchors; three passes."""
    labels, constant = rows.labels.summary, rows.constant
    drawn = anchors_in(rows, selector.n_anchors, selector.random_state)
    frequencies = rows.labels.ones.astype(np.float64)
    power = power_of_two(rows.columns.low, rows.columns.high)
    known = value((frequencies, power, selector.isolated_degree > 0))
    surveys = [task(_survey, block, known) for block in blocks_of(rows)]
    (joined,) = run([tree(add_joined, surveys)])
    centre = Centre(power, joined.sums / max(1, joined.n_rows))
    anchors = SpecAnchors(drawn.values, drawn.indicator, frequencies, centre)
    shared = value(anchors)
    parts = [task(_edges, block, shared) for block in blocks_of(rows)]
    (sums,) = run([tree(add_edges, parts)])
    flat = constant | rows.groups.whole(joined.flat)
    scores = selector._score_anchors(sums, anchors, flat, rows.groups)
    return selector._rank_scores(scores, constant, labels)


def _survey(block: Block, known: tuple[FloatArray, FloatArray, bool]) -> JoinedRows:
    return joined_rows(block.values, block.indicator, *known)


def _edges(block: Block, anchors: SpecAnchors) -> EdgeSums:
    return edge_sums(block.values, block.indicator, anchors)
