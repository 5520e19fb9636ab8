"""SPEC over row blocks: the edges between anchors and all rows."""

from __future__ import annotations

import numpy as np

from labelsieve.blocks import SurveyedRows, run, task, tree, value
from labelsieve.selectors._base import Ranking
from labelsieve.selectors._rows.block_anchors import Block, anchors_in, blocks_of
from labelsieve.selectors._rows.block_sums import centre_of
from labelsieve.selectors.spec.anchors import (
    EdgeSums,
    SpecAnchors,
    add_edges,
    edge_sums,
)
from labelsieve.selectors.spec.spec import SPEC


def rank_edges(selector: SPEC, rows: SurveyedRows) -> Ranking:
    """Rank by smoothness over the edges of the anchors; three passes."""
    labels, constant = rows.labels.summary, rows.columns.constant
    drawn = anchors_in(rows, selector.n_anchors, selector.random_state)
    anchors = SpecAnchors(
        drawn.values,
        drawn.indicator,
        rows.labels.ones.astype(np.float64),
        centre_of(rows),
    )
    shared = value(anchors)
    parts = [task(_edges, block, shared) for block in blocks_of(rows)]
    (sums,) = run([tree(add_edges, parts)])
    scores = selector._score_anchors(sums, anchors, constant)
    return selector._rank_scores(scores, constant, labels)


def _edges(block: Block, anchors: SpecAnchors) -> EdgeSums:
    return edge_sums(block.values, block.indicator, anchors)
