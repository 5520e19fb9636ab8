"""Features and labels as blocks of columns, in memory and in partitions."""

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
from labelsieve.discretization._ranks import NO_RANKS, RankCuts, rank_columns
from labelsieve.engines import Columns, DaskEngine

# Features and targets.
Both = tuple[Columns, Columns]


def indicator_columns(coded: CodedColumns) -> Columns:
    """An indicator for each level but the most frequent one."""
    start, n_blocks = coded.start, coded.kept.size
    shape = (coded.n_rows, int(start[-1]))
    values: Any
    if sp.issparse(coded.codes):
        begin, columns = coded.indicator_rows()
        ones = np.ones(columns.size, dtype=np.uint8)
        values = sp.csr_matrix((ones, columns.view(np.int32), begin), shape=shape)
    elif (coded.n_codes == 2).all():
        values = coded.codes
    else:
        owner = np.repeat(np.arange(n_blocks), coded.n_codes - 1)
        level = np.arange(owner.size) - start[owner] + 1
        values = (coded.codes[:, owner] == level).astype(np.uint8)
    none = np.zeros(n_blocks, dtype=bool)
    unknown = none if coded.unknown is None else coded.unknown
    absent = np.zeros(shape[1], dtype=np.int64)
    return Columns(values, start, coded.kept, none, unknown, absent)


def score_columns(values: Any, cuts: RankCuts, coded: CodedColumns) -> Columns:
    """Scores of numbers; indicators of the others and of missing numbers."""
    if not cuts.columns.size:
        return indicator_columns(coded)
    ranked = rank_columns(values, cuts, coded)
    is_score = np.isin(coded.kept, cuts.columns)
    none = np.zeros(is_score.size, dtype=bool)
    return Columns(
        ranked.values, ranked.start, coded.kept, is_score, none, ranked.absent
    )


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
