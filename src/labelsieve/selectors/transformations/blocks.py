"""Transformations with chi2 or mutual information over row blocks.

Classes are numbered over all blocks in the order in which they first occur; the cells
of tables of codes by classes that are not zero are listed in each block and merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._plumbing.machine import refuse_larger_than_memory
from labelsieve._plumbing.typing import FloatArray, IntArray, Matrix
from labelsieve.blocks import (
    LabelCodes,
    SurveyedRows,
    add_up,
    load,
    run,
    task,
    tree,
    value,
)
from labelsieve.discretization import (
    CodedBlocks,
    CodedColumns,
    block_engine,
    code_rows,
    find_row_cuts,
    indicator_columns,
)
from labelsieve.selectors._base import Ranking, rank_by_score
from labelsieve.selectors._rows.label_graph import packed_rows
from labelsieve.selectors.transformations.contingency import (
    DENSE_UP_TO,
    Cells,
    Margins,
    added,
    score_tables,
)
from labelsieve.selectors.transformations.selector import (
    CHI2,
    BinaryRelevance,
    EntropyLabelAssignment,
    LabelPowerset,
    PrunedTransformation,
    TransformationSelector,
    aggregated,
)

# A cell has a class and a count, and is there twice while parts are put together.
BYTES_OF_CELL = 16


def rank_tables(selector: TransformationSelector, rows: SurveyedRows) -> Ranking:
    """Rank by the scores of tables of codes by classes."""
    transformation = selector._transformation()
    constant = rows.columns.constant
    scores = np.zeros(constant.size)
    coded = code_rows(rows, find_row_cuts(rows, selector.n_bins, selector.binning))
    try:
        kept = coded.features.kept
        if kept.size and coded.labels.kept.size:
            if selector._sums_pairs(coded.features, coded.labels):
                scores[kept] = selector._mean_of_labels(block_engine(coded))
                return Ranking(scores, rank_by_score(scores, last=constant))
            found = [
                table.scores(coded.features.start, selector.score_func == CHI2)
                for table in _tables(transformation, rows, coded)
            ]
            if found:
                scores[kept] = aggregated(np.array(found), selector.aggregate)
    finally:
        coded.close()
    return Ranking(scores, rank_by_score(scores, last=constant))


@dataclass(frozen=True)
class SummedTable:
    """A table of all codes by classes, added up over all blocks.

    Attributes
    ----------
    counts : (codes, classes) for each divisor: ones to be divided by that
    margins : what cells are compared with
    """

    counts: list[tuple[int, Matrix]]
    margins: Margins

    def scores(self, start: IntArray, by_chi2: bool) -> FloatArray:
        """The score of each coded column, whose lines begin at `start`."""
        room = np.zeros(start[-1], dtype=np.int64)
        for _, counts in self.counts:
            room += np.diff(counts.indptr) if sp.issparse(counts) else counts.shape[1]
        return score_tables(self._cells, start, room, self.margins, by_chi2)

    def _cells(self, lines: slice) -> Cells:
        """Weights of some codes (lines) and all classes (columns)."""
        return Cells.of(
            added(
                _as_in_memory(counts[lines]).astype(np.float64) / divisor
                for divisor, counts in self.counts
            )
        )


def _as_in_memory(counts: Matrix) -> Matrix:
    """Few classes are an array, as they are in memory: cells are added in its order."""
    few = sp.issparse(counts) and counts.shape[1] <= DENSE_UP_TO
    return counts.toarray() if few else counts


def _tables(
    transformation: Any, rows: SurveyedRows, coded: CodedBlocks
) -> Iterator[SummedTable]:
    """One table for each problem of the transformation."""
    if isinstance(transformation, BinaryRelevance):
        yield from _label_tables(rows, coded)
    elif isinstance(transformation, EntropyLabelAssignment):
        yield _weighted_table(rows, coded)
    elif isinstance(transformation, LabelPowerset | PrunedTransformation):
        yield _set_table(transformation, rows, coded)
    else:
        raise TypeError(
            f"{type(transformation).__name__} is not known for Dask collections; use "
            "LabelPowerset, PrunedTransformation, EntropyLabelAssignment or "
            "BinaryRelevance."
        )


def _label_tables(rows: SurveyedRows, coded: CodedBlocks) -> Iterator[SummedTable]:
    """One problem for each label that varies: its values but 0, then 0."""
    engine = block_engine(coded)
    joint = engine.joint().T
    background = rows.labels.background[coded.labels.kept]
    for label, most_frequent in enumerate(background):
        lines = engine.Y.columns_of(label)
        named, sizes = joint[lines], engine.Y.totals[lines]
        n_f, n_rows = engine.X.totals, rows.n_rows
        if coded.labels.unknown is not None and coded.labels.unknown[label]:
            n_f, n_rows = n_f - named[-1], n_rows - int(sizes[-1])
            named, sizes = named[:-1], sizes[:-1]
        # The most frequent value was named 0: give it back its name.
        table = np.vstack([n_f - named.sum(axis=0), named])
        frequency = np.append(n_rows - sizes.sum(), sizes)
        for names in (table, frequency):
            names[[0, most_frequent]] = names[[most_frequent, 0]]
        order = np.append(np.arange(1, frequency.size), 0)
        yield SummedTable(
            [(1, np.ascontiguousarray(table[order].T))],
            _margins(n_f, frequency[order].astype(np.float64), n_rows),
        )


def _weighted_table(rows: SurveyedRows, coded: CodedBlocks) -> SummedTable:
    """Labels as classes: rows by the number of their labels, then all with any."""
    rows.labels.summary.refuse_several_values("EntropyLabelAssignment")
    codes = value(rows.labels)
    numbers = [task(_n_labels, y, codes) for y in rows.rows.labels]
    (sizes,) = run([tree(_union, numbers)])
    n_labels = rows.labels.n_values.size
    shared = value(sizes)
    each = [task(_by_size, y, codes, shared) for y in rows.rows.labels]
    counts, totals = _count(coded, each, n_labels * sizes.size + 1)
    edges = n_labels * np.arange(sizes.size + 1)
    tables = [counts[:, low:high] for low, high in pairwise(edges)]
    weights = totals[:-1].reshape(sizes.size, n_labels)
    divided = [
        line / divisor for divisor, line in zip(sizes.tolist(), weights, strict=True)
    ]
    class_weights = added(divided) if divided else np.zeros(n_labels)
    return SummedTable(
        list(zip(sizes.tolist(), tables, strict=True)),
        _margins(counts[:, -1:].toarray()[:, 0], class_weights, int(totals[-1])),
    )


def _set_table(
    transformation: LabelPowerset | PrunedTransformation,
    rows: SurveyedRows,
    coded: CodedBlocks,
) -> SummedTable:
    """Distinct label sets as classes."""
    codes, summary = value(rows.labels), rows.labels.summary
    found = [task(_distinct_sets, y, codes) for y in rows.rows.labels]
    (sets,) = run([tree(_merge_sets, found)])
    kept = np.ones(sets.sizes.size, dtype=bool)
    if isinstance(transformation, PrunedTransformation):
        kept = transformation.frequent(sets.sizes, summary)
    else:
        transformation.warn_if_senseless(kept.size, rows.n_rows, summary)
    shared = value(ClassNumbers(sets.names, np.flatnonzero(kept)))
    each = [task(_class_rows, y, codes, shared) for y in rows.rows.labels]
    counts, _ = _count(coded, each, int(kept.sum()))
    sizes = sets.sizes[kept]
    weights = np.asarray(counts.sum(axis=1, dtype=np.int64)).ravel()
    margins = _margins(weights, sizes.astype(np.float64), int(sizes.sum()))
    return SummedTable([(1, counts)], margins)


def _margins(codes: NDArray[Any], classes: FloatArray, total: int) -> Margins:
    return Margins(codes.astype(np.float64), classes, float(total))


def _count(
    coded: CodedBlocks, each: list[Any], n_classes: int
) -> tuple[sp.csr_matrix, IntArray]:
    """Counts of all codes by classes, and of the classes alone."""
    width = int(coded.features.start[-1])
    blocks = coded.keep(_with_classes, each=each)
    (most,) = run([tree(add_up, [task(_meetings, block) for block in blocks])])
    refuse_larger_than_memory(
        (int(np.minimum(most, n_classes).sum()),),
        "A list of the cells of codes and classes",
        "PrunedTransformation leaves rare label sets out.",
        BYTES_OF_CELL,
    )
    (counts,) = run([tree(_add_tables, [task(_by_class, block) for block in blocks])])
    return counts[:width], counts[width:].toarray().ravel()


def _with_classes(features: CodedColumns, classes: sp.csr_matrix) -> Any:
    """Indicators and classes of some samples; the last indicator is every sample."""
    X = sp.csc_matrix(indicator_columns(features).values, dtype=np.int64)
    every = np.ones((features.n_rows, 1), dtype=np.int64)
    return sp.hstack([X, every], format="csc"), classes


def _meetings(block: Any) -> IntArray:
    """How many classes the samples of each indicator have."""
    X, classes = load(block)
    return np.asarray(X.T @ np.diff(classes.indptr))


def _by_class(block: Any) -> sp.csr_matrix:
    X, classes = load(block)
    return sp.csr_matrix(X.T @ classes)


def _add_tables(tables: list[sp.csr_matrix]) -> sp.csr_matrix:
    return sum(tables[1:], tables[0])


def _n_labels(y: Any, codes: LabelCodes) -> IntArray:
    """The numbers of labels that rows have, but 0."""
    sizes = np.unique(np.diff(_indicator(y, codes).indptr))
    return sizes[sizes > 0].astype(np.int64)


def _union(parts: list[IntArray]) -> IntArray:
    return np.unique(np.concatenate(parts))


def _by_size(y: Any, codes: LabelCodes, sizes: IntArray) -> sp.csr_matrix:
    """Classes of rows: number of labels and label, and a last one for any label."""
    indicator = _indicator(y, codes)
    n_of_row = np.diff(indicator.indptr)
    any_label = (n_of_row > 0).astype(np.int64)
    place = np.repeat(np.searchsorted(sizes, n_of_row), n_of_row)
    n_labels = indicator.shape[1]
    classes = place * n_labels + indicator.indices
    ends = indicator.indptr[1:][any_label > 0]
    last = sizes.size * n_labels
    start = np.append(0, np.cumsum(n_of_row + any_label))
    return _class_table(np.insert(classes, ends, last), start, last + 1)


def _indicator(y: Any, codes: LabelCodes) -> sp.csr_matrix:
    indicator = sp.csr_matrix(codes.read(y).indicator("EntropyLabelAssignment"))
    indicator.sort_indices()
    return indicator


@dataclass(frozen=True)
class LabelSets:
    """Distinct label sets by name, in the order in which they occur."""

    names: list[bytes]
    sizes: IntArray


@dataclass(frozen=True)
class ClassNumbers:
    """Which label sets are classes."""

    names: list[bytes]
    kept: IntArray


def _names_of_sets(y: Any, codes: LabelCodes) -> NDArray[np.void]:
    """The label set of each row as a string of bytes, the same in all blocks."""
    labels: Matrix = codes.read(y).codes
    if codes.survey.ones is not None:
        labels = sp.csr_matrix(labels)
    return packed_rows(labels)


def _distinct_sets(y: Any, codes: LabelCodes) -> LabelSets:
    names, first, sizes = np.unique(
        _names_of_sets(y, codes), return_index=True, return_counts=True
    )
    order = np.argsort(first)
    return LabelSets([name.tobytes() for name in names[order]], sizes[order])


def _merge_sets(parts: list[LabelSets]) -> LabelSets:
    sizes: dict[bytes, int] = {}
    for part in parts:
        for name, size in zip(part.names, part.sizes.tolist(), strict=True):
            sizes[name] = sizes.get(name, 0) + size
    return LabelSets(list(sizes), np.array(list(sizes.values()), dtype=np.int64))


def _class_rows(y: Any, codes: LabelCodes, numbers: ClassNumbers) -> sp.csr_matrix:
    """The class of each row that has one."""
    number = {numbers.names[name]: n for n, name in enumerate(numbers.kept.tolist())}
    names, inverse = np.unique(_names_of_sets(y, codes), return_inverse=True)
    class_of = np.array([number.get(name.tobytes(), -1) for name in names])
    classes = class_of[inverse.ravel()]
    start = np.append(0, np.cumsum(classes >= 0))
    return _class_table(classes[classes >= 0], start, numbers.kept.size)


def _class_table(classes: IntArray, start: IntArray, n_classes: int) -> sp.csr_matrix:
    """1 for each class of a row."""
    cells = np.ones(classes.size, dtype=np.int64), classes, start
    return sp.csr_matrix(cells, shape=(start.size - 1, n_classes))
