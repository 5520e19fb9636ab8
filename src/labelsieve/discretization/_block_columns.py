"""Features and labels of row blocks as blocks of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import BoolArray
from labelsieve.blocks import SurveyedRows, keep, load, run, value
from labelsieve.discretization._block_codes import CodedBlocks
from labelsieve.discretization._codes import CodedColumns
from labelsieve.discretization._columns import indicator_columns, score_columns
from labelsieve.discretization._ranks import NO_RANKS, RankCuts
from labelsieve.engines import Columns, DaskEngine

# Features and targets.
Both = tuple[Columns, Columns]


def block_columns(
    rows: SurveyedRows, coded: CodedBlocks, cuts: RankCuts = NO_RANKS
) -> Both | DaskEngine:
    """Features and labels of row blocks: together where they fit in memory."""
    own = value(cuts), value(coded.labels.unknown)
    tasks = coded.tasks(_build, *own, each=rows.numbers())
    if coded.fits_in_memory:
        blocks = [load(block) for block in run(tasks)]
        X, Y = (_stack([block[side] for block in blocks]) for side in (0, 1))
        return X, Y
    return DaskEngine(keep(tasks))


def _build(
    features: CodedColumns,
    labels: CodedColumns,
    cuts: RankCuts,
    unknown: BoolArray | None,
    values: Any,
) -> Both:
    X = score_columns(values, cuts, features)
    return X, indicator_columns(replace(labels, unknown=unknown))


def _stack(blocks: list[Columns]) -> Columns:
    """The columns with the samples of all blocks."""
    if all(block.is_sparse for block in blocks):
        values = sp.vstack([block.values for block in blocks], format="csr")
        return replace(blocks[0], values=values)
    dense = [as_dense(block.values) + block.absent for block in blocks]
    table = np.concatenate(dense).astype(np.uint8)
    return replace(blocks[0], values=table, absent=np.zeros_like(blocks[0].absent))
