"""Chi-squared and mutual information from contingency tables of levels by classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import SurveyedRows, load, run, tree, value
from labelsieve.discretization import CodedBlocks, CodedColumns, indicator_columns

# Tables of at most this many cells are in memory at once.
BLOCK_CELLS = 4_000_000
# A cell has a class and a weight, and is there twice while parts are put together.
BYTES_OF_CELL = 24


class Margins(NamedTuple):
    """What a table's cells are compared with."""

    codes: FloatArray  # [lines] weight of each code but 0
    classes: FloatArray  # [classes] weight of each class
    total: float


class ClassTable(NamedTuple):
    """A table of levels (lines) by classes, of which some lines are asked for."""

    weights: Callable[[slice], Matrix]
    margins: Margins


def table_in_memory(coded: CodedColumns, members: sp.csr_matrix) -> ClassTable:
    """The table of all codes but 0 by the classes of rows."""
    X = _indicators(coded).T.tocsr()
    has_class = (np.diff(members.indptr) > 0).astype(np.float64)
    if coded.weight is not None:
        members = members.multiply(coded.weight[:, np.newaxis]).tocsr()
        has_class *= coded.weight
    margins = Margins(X @ has_class, _totals(members), float(has_class.sum()))
    return ClassTable(lambda lines: X[lines] @ members, margins)


def table_in_blocks(
    coded: CodedBlocks, rows: SurveyedRows, members: sp.csr_matrix
) -> ClassTable:
    """The same, added up over blocks of rows."""
    # A line has no more cells than its rows have classes.
    most = np.diff(members.indptr).max(initial=0)
    n_rows = indicator_columns(coded.features).totals
    refuse_larger_than_memory(
        (int(np.minimum(n_rows * most, members.shape[1]).sum()),),
        "A list of the cells of codes and classes",
        "PrunedTransformation leaves rare label sets out.",
        BYTES_OF_CELL,
    )
    has_class = (np.diff(members.indptr) > 0).astype(np.float64)
    with_last = sp.hstack([members, has_class[:, np.newaxis]], format="csr")
    each = [value(with_last[some]) for some in rows.slices]
    # Held by a name, as `keep` asks for
    parts = coded.keep(_count_block, each=each)
    (counts,) = run([tree(_add_tables, parts)])
    margins = Margins(
        counts[:, -1:].toarray()[:, 0], _totals(members), float(has_class.sum())
    )
    by_class = counts[:, :-1]
    return ClassTable(lambda lines: by_class[lines], margins)


def _indicators(coded: CodedColumns) -> sp.csc_matrix:
    return sp.csc_matrix(indicator_columns(coded).values, dtype=np.float64)


def _totals(members: sp.csr_matrix) -> FloatArray:
    return np.asarray(members.sum(axis=0), dtype=np.float64).ravel()


def _count_block(
    features: CodedColumns, labels: CodedColumns, members: sp.csr_matrix
) -> sp.csr_matrix:
    return sp.csr_matrix(_indicators(features).T @ members)


def _add_tables(tables: list[Any]) -> sp.csr_matrix:
    first, *others = map(load, tables)
    return sum(others, first)


def label_tables(engine: Any) -> Iterator[ClassTable]:
    """The table of each label's values, from the counts of pairs of an engine."""
    X, Y = engine.X, engine.Y
    joint = engine.joint()
    for label in range(Y.n_blocks):
        columns = Y.columns_of(label)
        named, sizes = joint[:, columns], Y.totals[columns]
        n_f, n_rows = X.totals, engine.n_samples
        if Y.unknown[label]:
            n_f, n_rows = n_f - named[:, -1], n_rows - sizes[-1]
            named, sizes = named[:, :-1], sizes[:-1]
        # The most frequent value has no column: it has the other rows.
        table = np.column_stack([named, n_f - named.sum(axis=1)]).astype(np.float64)
        classes = np.append(sizes, n_rows - sizes.sum()).astype(np.float64)
        margins = Margins(n_f.astype(np.float64), classes, float(n_rows))
        yield ClassTable(table.__getitem__, margins)


def score_table(table: ClassTable, start: IntArray, by_chi2: bool) -> FloatArray:
    """Score of each coded column: the terms of all cells of its table, added.

    The lines of each coded column (a level but 0 each) begin at `start`. A cell adds
    (observed - expected)^2 / expected to chi-square, p log(p / expected p) to mutual
    information; nothing where nothing is expected.
    """
    codes, classes, total = table.margins
    scores = np.zeros(start.size - 1)
    occurs = classes > 0
    if np.count_nonzero(occurs) < 2:
        return scores  # nothing can tell one class apart
    shares = classes[occurs] / total

    def terms(observed: FloatArray, n_level: FloatArray) -> FloatArray:
        expected = np.outer(n_level, shares)
        ratio = np.ones_like(expected)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        if by_chi2:
            return (expected * (ratio - 1.0) ** 2).sum(axis=1)
        ratio[ratio <= 0.0] = 1.0
        return (observed * np.log(ratio)).sum(axis=1) / total

    most_lines = max(1, BLOCK_CELLS // classes.size)
    first = 0
    while first < scores.size:
        last = int(np.searchsorted(start, start[first] + most_lines, side="right")) - 1
        last = max(last, first + 1)
        lines, begins = slice(start[first], start[last]), start[first:last]
        observed = as_dense(table.weights(lines))[:, occurs]
        # What no other level has is of level 0.
        n_rest = total - np.add.reduceat(codes[lines], begins - start[first])
        rest = classes[occurs] - np.add.reduceat(observed, begins - start[first])
        of_lines = np.add.reduceat(terms(observed, codes[lines]), begins - start[first])
        scores[first:last] = of_lines + terms(np.maximum(rest, 0.0), n_rest)
        first = last
    # What is nothing may come out as a rounding error below it.
    return np.maximum(scores, 0.0)


def chi2_sums(engine: Any) -> FloatArray:
    """(D,) the sum over labels of chi-square of each feature; two levels each.

    chi2 = n (n n_fl - n_f n_l)^2 / (n_f (n - n_f) n_l (n - n_l)), where f and l never
    meet n n_f n_l / ((n - n_f) (n - n_l)): what is known without counting pairs.
    """
    n, n_x, n_y = engine.n_samples, engine.X.totals * 1.0, engine.Y.totals * 1.0
    odds_x, odds_y = n_x / (n - n_x), n_y / (n - n_y)
    met = engine.joint_cells().tocoo()
    feature, label, both = met.row, met.col, met.data
    n_f, n_l = n_x[feature], n_y[label]
    beyond = (n * both - n_f * n_l) / n_f / n_l
    more = n * odds_x[feature] * odds_y[label] * (beyond * beyond - 1.0)
    return n * odds_x * odds_y.sum() + np.bincount(feature, more, n_x.size)
