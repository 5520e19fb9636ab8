"""Coded features and labels as the columns that engines multiply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, keep, load, run, task, tree, value
from labelsieve.discretization._block_codes import CodedBlocks
from labelsieve.discretization._codes import CodedColumns, code_features
from labelsieve.discretization._ranks import (
    MIDDLE,
    NO_RANKS,
    SCORES,
    SQUARES,
    RankCuts,
    cut_into_ranks,
)
from labelsieve.engines import (
    BlockEngine,
    Columns,
    CsrEngine,
    DenseEngine,
    SparseEngine,
    choose_engine,
    is_dense,
)
from labelsieve.reading import MISSING, Features

# Larger tables with more levels on average, of which most cells are 0, are CSR.
MOST_CELLS, MOST_LEVELS = 1 << 22, 8
# So many rows stay in the cache.
ROWS_AT_ONCE = 512
# Features and targets.
Both = tuple[Columns, Columns]


def indicator_columns(coded: CodedColumns) -> Columns:
    """A column of 0 and 1 for each level but the reference level of each feature.

    They are an array of uint8 where the codes are an array with few levels, else CSR.
    """
    start, n_blocks = coded.start, coded.kept.size
    width = np.diff(start)
    many = (
        coded.n_rows * int(start[-1]) > MOST_CELLS
        and start[-1] > MOST_LEVELS * n_blocks
    )
    if sp.issparse(coded.codes) or many:
        indptr, index = coded.indicator_rows()
        ones = np.ones(index.size, dtype=np.uint8)
        shape = coded.n_rows, int(start[-1])
        values = sp.csr_matrix((ones, index.view(np.int32), indptr), shape=shape)
    elif (width == 1).all():
        values = coded.dense().astype(np.uint8, copy=False)
    else:
        owner = np.repeat(np.arange(n_blocks), width)
        level = np.arange(start[-1]) - start[owner] + 1
        values = (coded.codes[:, owner] == level).view(np.uint8)
    none = np.zeros(n_blocks, dtype=np.int64)
    unknown = none > 0 if coded.unknown is None else coded.unknown
    absent = np.zeros(start[-1], dtype=np.int64)
    columns = Columns(values, start, coded.kept, none, unknown, absent, coded.weight)
    if coded.counts is not None:
        vars(columns)["totals"] = coded.counts.astype(np.int64)
    return columns


def with_scores(Y: Columns, scores: Mapping[int, IntArray]) -> Columns:
    """Targets of which some are numbers: their scores instead of their halves."""
    (numbers,) = np.nonzero(np.isin(Y.kept, [*scores]))
    if not numbers.size:
        return Y
    values = as_dense(Y.values).astype(np.int64)
    for number in numbers:
        values[:, Y.start[number]] = scores[int(Y.kept[number])]
    n_scores = Y.n_scores.copy()
    n_scores[numbers] = 1
    return replace(Y, values=values, n_scores=n_scores)


def score_columns(values: Matrix, cuts: RankCuts, coded: CodedColumns) -> Columns:
    """Columns of features, of which those with `cuts` are numbers.

    A number has a column of scores, and an indicator of missing cells, if any. All
    others have the indicators of their levels.
    """
    if not cuts.columns.size:
        return indicator_columns(coded)
    place = np.searchsorted(coded.kept, cuts.columns)
    width = coded.n_codes - 1
    squared = cuts.squared
    if squared is None:
        squared = np.zeros(place.size, dtype=bool)
    width[place] = 1 + squared + cuts.missing
    start = np.append(0, np.cumsum(width))
    n_scores = np.zeros(coded.kept.size, dtype=np.int64)
    n_scores[place] = 1 + squared
    unknown = np.zeros(n_scores.size, dtype=bool)
    absent = np.zeros(start[-1], dtype=np.int64)
    first, cells = start[place], _indicators(coded, n_scores == 0, start)
    table: Matrix
    if sp.issparse(values):
        zero = np.zeros(first.size)
        absent[first] = _score_of(cuts.points, np.arange(first.size), zero)
        absent[first[squared] + 1] = SQUARES[absent[first[squared]]]
        table = _sparse_scores(values, cuts, first, squared, absent, cells)
    else:
        table = _dense_scores(values, cuts, first, squared, int(start[-1]), cells)
    return Columns(table, start, coded.kept, n_scores, unknown, absent, coded.weight)


def with_members(X: Columns, features: Features) -> Columns:
    """Features of which groups with scores have the columns of all members.

    Scores come first, without squares. Other groups stay combinations of levels.
    """
    kept, blocks = enumerate(X.kept.tolist()), features.blocks
    groups = {place: blocks[f] for place, f in kept if f in blocks}
    if features.members is None or not groups:
        return X
    some = features.members.take_columns(np.concatenate([*groups.values()]))
    cuts, rank_cuts = cut_into_ranks(some)
    own = score_columns(some.values, rank_cuts, code_features(some, cuts))
    block = np.repeat([*groups], [columns.size for columns in groups.values()])
    block, n_blocks = block[own.kept], X.n_blocks
    n_scores = np.bincount(block, own.n_scores, n_blocks).astype(np.int64)
    members = np.bincount(block, own.is_score, n_blocks).astype(np.int64)
    has_scores = n_scores > 0
    place = np.arange(own.owner.size) - own.start[own.owner]
    later = np.append(np.zeros_like(X.owner), place >= own.n_scores[own.owner])
    owner = np.append(X.owner, block[own.owner])
    order = np.lexsort([later, owner])
    order = order[has_scores[owner[order]] == (order >= X.owner.size)]
    if X.is_sparse:
        values = sp.hstack([X.values, own.values], format="csr")[:, order]
        values.sort_indices()
    else:
        values = np.hstack([X.values, as_dense(own.values)])[:, order]
    return replace(
        X,
        values=values,
        start=np.searchsorted(owner[order], np.arange(n_blocks + 1)),
        n_scores=np.where(has_scores, n_scores, X.n_scores),
        absent=np.append(X.absent, own.absent)[order],
        members=np.where(has_scores, members, X.is_score),
    )


def _indicators(
    coded: CodedColumns, which: BoolArray, start: IntArray
) -> tuple[IntArray, IntArray]:
    """Samples and columns of the indicators of some features."""
    if not which.any():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if sp.issparse(coded.codes):
        rows = np.repeat(np.arange(coded.n_rows), np.diff(coded.codes.indptr))
        features, codes = coded.codes.indices, coded.codes.data
    else:
        (wanted,) = np.nonzero(which)
        rows, place = np.nonzero(coded.codes[:, wanted])
        features = wanted[place]
        codes = coded.codes[rows, features]
    some = which[features]
    return rows[some], start[features[some]] + codes[some] - 1


def _dense_scores(
    values: FloatArray,
    cuts: RankCuts,
    first: IntArray,
    squared: BoolArray,
    n_columns: int,
    indicators: tuple[IntArray, IntArray],
) -> NDArray[np.uint8]:
    """One table of all columns, which the scores may be as they are."""
    scores = cuts.table
    if scores is None:  # of a block of rows
        scores = np.zeros(values.shape, dtype=np.uint8)
        for line, column in enumerate(cuts.columns):
            own = values[:, column].astype(np.float64)
            scores[:, column] = _score_of(cuts.points, np.full(own.size, line), own)
    if n_columns == scores.shape[1] == cuts.columns.size:
        return scores
    # Each column is a score, a square of one, or has zeros to begin with.
    n_all, source = scores.shape[1], np.full(n_columns, 2 * scores.shape[1])
    source[first], source[first[squared] + 1] = (
        cuts.columns,
        n_all + cuts.columns[squared],
    )
    out = np.empty((len(scores), n_columns), dtype=np.uint8)
    for rows in slices_of(len(scores), ROWS_AT_ONCE):
        block = scores[rows]
        zeros = np.zeros((len(block), 1), dtype=np.uint8)
        all_of_them = np.concatenate([block, SQUARES.take(block), zeros], axis=1)
        all_of_them.take(source, axis=1, out=out[rows], mode="clip")
    gaps = values[:, cuts.columns[cuts.missing]] == MISSING
    out[:, (first + squared + 1)[cuts.missing]] = gaps
    out[indicators] = 1
    return out


def _sparse_scores(
    X: sp.csr_matrix,
    cuts: RankCuts,
    first: IntArray,
    squared: BoolArray,
    absent: IntArray,
    indicators: tuple[IntArray, IntArray],
) -> sp.csr_matrix:
    """Scores of stored cells, less the score of zero, which the others have."""
    position = np.full(X.shape[1], -1)
    position[cuts.columns] = np.arange(cuts.columns.size)
    rows, line = (
        np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)),
        position[X.indices],
    )
    rows, line, data = rows[line >= 0], line[line >= 0], X.data[line >= 0]
    gaps = data == MISSING
    score = _score_of(cuts.points, line, data)
    has_square, missing = squared[line], (first + squared + 1)[line[gaps]]
    square = SQUARES[score[has_square]].astype(np.int64)
    at = np.concatenate([rows, rows[has_square], rows[gaps], indicators[0]])
    squares = first[line[has_square]] + 1
    column = np.concatenate([first[line], squares, missing, indicators[1]])
    ones = np.ones(missing.size + indicators[0].size, dtype=np.int64)
    value = (np.concatenate([score, square, ones]) - absent[column]).astype(np.int16)
    table = sp.csr_matrix((value, (at, column)), shape=(X.shape[0], absent.size))
    table.sort_indices()
    return table


def _score_of(points: FloatArray, lines: IntArray, values: FloatArray) -> IntArray:
    """The normal scores of some values, each by one line of points."""
    rank = np.empty(values.size, dtype=np.int64)
    order = np.argsort(lines, kind="stable")
    ends = np.searchsorted(lines[order], np.arange(len(points) + 1))
    for line, cuts in enumerate(points):
        some = order[ends[line] : ends[line + 1]]
        below = np.searchsorted(cuts, values[some], side="left")
        rank[some] = below + np.searchsorted(cuts, values[some], side="right")
    return np.where(values == MISSING, MIDDLE, SCORES[rank]).astype(np.int64)


def block_columns(
    rows: SurveyedRows, coded: CodedBlocks, cuts: RankCuts = NO_RANKS
) -> tuple[Columns, Columns, BlockEngine | None]:
    """Features and labels of row blocks, and their engine if they exceed memory."""
    own = value((cuts, coded.labels.unknown))
    if coded.fits_in_memory:
        tasks = coded.tasks(_build, own, each=rows.numbers())
        blocks = [load(block) for block in run(tasks)]
        X, Y = (_stack([block[side] for block in blocks]) for side in (0, 1))
        return X, Y, None
    tasks = keep(coded.tasks(_score_engine, own, each=rows.numbers()))
    (about,) = run([task(_about, tasks[0])])
    (totals,) = run([tree(add_up, [task(_totals, block) for block in tasks])])
    X = replace(about, values=np.empty((rows.n_rows, 0), dtype=np.uint8))
    vars(X)["totals"] = totals
    Y = indicator_columns(coded.labels)
    return X, Y, BlockEngine(tasks, X, Y)


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


def _build(features: CodedColumns, labels: CodedColumns, own: Any, values: Any) -> Both:
    cuts, unknown = own
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
