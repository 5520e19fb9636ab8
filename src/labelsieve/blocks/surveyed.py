"""One look at all row blocks, and the labels, which come into memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from labelsieve._utils.matrices import check_sparse, stacked
from labelsieve._utils.typing import BoolArray, Matrix
from labelsieve.blocks.columns import ColumnSurvey, merge_columns, survey_columns
from labelsieve.blocks.engine import run, task, tree, value
from labelsieve.blocks.rows import LazyRows, lengths_of
from labelsieve.reading import (
    Features,
    Labels,
    as_indicator,
    fill_masked,
    read_labels,
    read_values,
)


@dataclass(frozen=True)
class SurveyedRows:
    """Row blocks that are not empty, and what one look at all of them told.

    Attributes
    ----------
    rows : the blocks
    lengths : number of rows of each
    columns : what the features hold
    labels : those of all rows, in memory: far less than the features
    reader : who reads, for messages
    """

    rows: LazyRows
    lengths: list[int]
    columns: ColumnSurvey
    labels: Labels
    reader: str

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns.n_rows

    def numbers(self) -> list[Any]:
        """Tasks that return the numbers of each block, read where that is needed."""
        shared = value(self.rows.categories)
        return [
            task(read_numbers, self.reader, block, shared)
            for block in self.rows.features
        ]

    @property
    def slices(self) -> list[slice]:
        """Which of all rows are in each block."""
        ends = np.cumsum(self.lengths).tolist()
        return [slice(low, high) for low, high in pairwise([0, *ends])]


def survey(rows: LazyRows, reader: str, n_bins: int, binning: str) -> SurveyedRows:
    """Look at all rows once."""
    shared = value(rows.categories)
    looks = [
        task(_survey_block, reader, x, shared, n_bins, binning) for x in rows.features
    ]
    y, (columns, lengths) = _labels_and(rows, tree(_merge, looks))
    labels = read_labels(y, np.empty((columns.n_rows, 0)))
    if columns.n_rows < 2:
        raise ValueError(
            f"Found array with {columns.n_rows} sample(s) in all blocks while a "
            "minimum of 2 is required."
        )
    kept = [block for block, length in enumerate(lengths) if length]
    return SurveyedRows(
        replace(rows, features=[rows.features[block] for block in kept]),
        [lengths[block] for block in kept],
        columns,
        labels,
        reader,
    )


def leave_unlabelled_rows(rows: LazyRows) -> LazyRows:
    """The same rows but those in which no label is known."""
    lengths = lengths_of(rows.features)
    (y,) = _labels_and(rows)
    labelled = read_labels(y, np.empty((sum(lengths), 0))).labelled
    blocks = zip(rows.features, np.split(labelled, np.cumsum(lengths)), strict=False)
    features = [task(_take, x, value(some)) for x, some in blocks]
    labels = _safe_indexing(y, labelled)
    return replace(rows, features=features, label_blocks=None, labels=labels)


def _take(block: Any, rows: BoolArray) -> Any:
    return block[rows]


def _labels_and(rows: LazyRows, *others: Any) -> tuple[Any, ...]:
    """The labels of all rows, and what other tasks return, in one pass."""
    if rows.label_blocks is None:
        return rows.labels, *run(others)
    found = run([*others, *(task(_compact, block) for block in rows.label_blocks)])
    return _joined(found[len(others) :]), *found[: len(others)]


def _compact(block: Any) -> Any:
    """Labels of a block as they are sent: lists of ones where they are 0 and 1."""
    check_sparse(block, "y")
    if sp.issparse(block) or hasattr(block, "iloc"):
        return block
    cells = np.asarray(fill_masked(block))
    codes = as_indicator(cells) if cells.ndim == 2 else None
    return cells if codes is None else sp.csr_matrix(codes)


def _joined(blocks: list[Any]) -> Any:
    blocks = [block for block in blocks if block.shape[0]] or blocks[:1]
    if len({block.shape[1:] for block in blocks}) > 1:
        raise ValueError(
            "the blocks of y have different numbers of labels: "
            f"{sorted({block.shape[1] for block in blocks})}."
        )
    return stacked(blocks)


def read_numbers(
    reader: str, block: Any, categories: dict[int, NDArray[Any]]
) -> Matrix:
    """The numbers of a block of rows."""
    return _read(reader, block, categories).values


def _read(reader: str, block: Any, categories: dict[int, NDArray[Any]]) -> Features:
    """A block of rows; who takes no missing cells refuses those of all blocks."""
    return read_values(
        reader, block, min_rows=0, categories=categories, takes_missing=True
    )


# What was seen in some blocks, and how many rows each of them has.
Look = tuple[ColumnSurvey, list[int]]


def _survey_block(
    reader: str, x: Any, categories: dict[int, NDArray[Any]], n_bins: int, binning: str
) -> Look:
    features = _read(reader, x, categories)
    return survey_columns(features, n_bins, binning), [features.values.shape[0]]


def _merge(looks: list[Look]) -> Look:
    columns, lengths = zip(*looks, strict=True)
    return merge_columns(list(columns)), [n for some in lengths for n in some]
