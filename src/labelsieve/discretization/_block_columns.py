"""Features and labels of row blocks as blocks of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._plumbing.matrices import as_dense
from labelsieve._plumbing.typing import BoolArray
from labelsieve.blocks import SurveyedRows, add_up, keep, load, run, task, tree, value
from labelsieve.discretization._block_codes import CodedBlocks
from labelsieve.discretization._codes import CodedColumns
from labelsieve.discretization._columns import indicator_columns, score_columns
from labelsieve.discretization._ranks import NO_RANKS, RankCuts
from labelsieve.engines import (
    BlockEngine,
    Columns,
    CsrEngine,
    DenseEngine,
    SparseEngine,
    choose_engine,
    is_dense,
)

# Features and targets.
Both = tuple[Columns, Columns]


def block_columns(
    rows: SurveyedRows, coded: CodedBlocks, cuts: RankCuts = NO_RANKS
) -> Both | BlockEngine:
    """Features and labels of row blocks: together where they fit in memory."""
    own = value(cuts), value(coded.labels.unknown)
    if coded.fits_in_memory:
        tasks = coded.tasks(_build, *own, each=rows.numbers())
        blocks = [load(block) for block in run(tasks)]
        X, Y = (_stack([block[side] for block in blocks]) for side in (0, 1))
        return X, Y
    tasks = keep(coded.tasks(_score_engine, *own, each=rows.numbers()))
    (about,) = run([task(_about, tasks[0])])
    (totals,) = run([tree(add_up, [task(_totals, block) for block in tasks])])
    X = replace(about, values=np.empty((rows.n_rows, 0), dtype=np.uint8))
    vars(X)["totals"] = totals
    return BlockEngine(tasks, X, indicator_columns(coded.labels))


def block_engine(coded: CodedBlocks) -> BlockEngine:
    """The engine of coded samples, which are let go."""
    X, Y = indicator_columns(coded.features), indicator_columns(coded.labels)
    return BlockEngine(coded.keep(_count_engine, is_dense(X)), X, Y)


def _count_engine(features: CodedColumns, labels: CodedColumns, dense: bool) -> Any:
    X, Y = indicator_columns(features), indicator_columns(labels)
    engine = choose_engine(X, Y, dense=dense)
    if isinstance(engine, SparseEngine):
        engine.prepare()
    return engine


def _score_engine(*block: Any) -> Any:
    X, Y = _build(*block)
    return CsrEngine(X, Y) if X.is_sparse else DenseEngine(X, Y)


def _about(block: Any) -> Columns:
    X: Columns = load(block).X
    return X.about(np.arange(X.n_blocks))


def _totals(block: Any) -> Any:
    return load(block).X.totals


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
