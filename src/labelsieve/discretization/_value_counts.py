"""How often the values of columns with few of them meet each label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.matrices import as_dense, slices_of
from labelsieve._utils.typing import IntArray, Matrix
from labelsieve.blocks import SurveyedRows, add_up, run, task, tree, value
from labelsieve.discretization._block_codes import parts_of
from labelsieve.discretization._codes import CodedColumns, code_dense
from labelsieve.discretization._ranks import MOST_CATEGORIES, RankCuts

# Tables of about so many counts are in memory at a time, and so many cells of rows.
COUNTS_AT_ONCE = 1_000_000
CELLS_AT_ONCE = 4_000_000

# Some columns, and (C, codes, Y + 1) rows with each code and each label indicator; the
# last of these are all rows, and the last code of a column missing cells, if any.
ValueCounts = tuple[RankCuts, IntArray]


def count_values(
    values: Matrix, cuts: RankCuts, labels: CodedColumns
) -> Iterator[ValueCounts]:
    """Count the codes of some columns with labels, a few columns at a time."""
    for some in _few_at_a_time(cuts, labels, values.shape[0]):
        yield some, _count(values, labels, some)


def count_values_in_blocks(
    rows: SurveyedRows, cuts: RankCuts, labels: CodedColumns
) -> Iterator[ValueCounts]:
    """The same for rows in blocks."""
    blocks = list(zip(rows.numbers(), parts_of(rows, labels), strict=True))
    for some in _few_at_a_time(cuts, labels, max(rows.lengths)):
        parts = [task(_count, x, y, value(some)) for x, y in blocks]
        (total,) = run([tree(add_up, parts)])
        yield some, total


def _few_at_a_time(
    cuts: RankCuts, labels: CodedColumns, n_rows: int
) -> Iterator[RankCuts]:
    n_counts = (MOST_CATEGORIES + 2) * (int(labels.start[-1]) + 1)
    most = min(COUNTS_AT_ONCE // n_counts, CELLS_AT_ONCE // n_rows)
    for some in slices_of(cuts.columns.size, max(1, most)):
        which = np.zeros(cuts.columns.size, dtype=bool)
        which[some] = True
        yield cuts.where(which)


def _count(values: Matrix, labels: CodedColumns, cuts: RankCuts) -> IntArray:
    n_codes, columns = MOST_CATEGORIES + 2, cuts.columns
    # No value fills half of such a column: it is dense.
    table = as_dense(values[:, columns]).astype(np.float64)
    codes = code_dense(table, cuts.as_codes()).astype(np.int32)
    codes += n_codes * np.arange(columns.size, dtype=np.int32)
    n_rows, n_cells = len(codes), columns.size * n_codes
    start = columns.size * np.arange(n_rows + 1)
    weight = labels.weight
    weight = np.ones(n_rows, dtype=np.int64) if weight is None else weight
    ones = np.repeat(weight, columns.size)
    is_code = sp.csr_matrix((ones, codes.ravel(), start), shape=(n_rows, n_cells))
    n_indicators, (begin, entries) = int(labels.start[-1]), labels.indicator_rows()
    is_one = np.ones(entries.size, dtype=np.int64), entries.astype(np.int32), begin
    is_label = sp.csr_matrix(is_one, shape=(n_rows, n_indicators))
    out = np.empty((columns.size, n_codes, n_indicators + 1), dtype=weight.dtype)
    out[:, :, :-1] = (is_code.T @ is_label).toarray().reshape(out[:, :, :-1].shape)
    every = np.bincount(codes.ravel(), ones, minlength=n_cells)
    out[:, :, -1] = every.reshape(out.shape[:2])
    return out
