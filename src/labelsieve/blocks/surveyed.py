"""One look at all row blocks, and the labels as it found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import BoolArray, IntArray, Matrix
from labelsieve.blocks.columns import ColumnSurvey, merge_columns, survey_columns
from labelsieve.blocks.engine import run, task, tree, value
from labelsieve.blocks.rows import LazyRows
from labelsieve.reading import (
    Features,
    Labels,
    as_indicator,
    as_matrix,
    fill_masked,
    is_positive,
    known_codes,
    read_values,
    refuse_numbers,
    sparse_indicator,
    unknown_cells,
    warn_joined,
)

Values = list[tuple[NDArray[Any], IntArray]]


@dataclass(frozen=True)
class SurveyedRows:
    """Row blocks that are not empty, and what one pass over all of them found.

    Attributes
    ----------
    rows : the blocks
    lengths : number of rows of each
    columns, labels : what the features and labels hold
    reader : who reads, for messages
    """

    rows: LazyRows
    lengths: list[int]
    columns: ColumnSurvey
    labels: LabelCodes
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


def survey(rows: LazyRows, reader: str, n_bins: int, binning: str) -> SurveyedRows:
    """Look at all rows once."""
    shared = value(rows.categories)
    looks = [
        task(_survey_block, reader, x, y, shared, n_bins, binning)
        for x, y in zip(rows.features, rows.labels, strict=True)
    ]
    (look,) = run([tree(_merge, looks)])
    columns, labels = look.columns, look.labels
    if labels.n_labels == 0:
        raise ValueError("Found 0 labels while a minimum of 1 is required.")
    if columns.n_rows == labels.n_unlabelled:
        raise ValueError("Input y contains NaN: no label is known in any row.")
    if columns.n_rows < 2:
        raise ValueError(
            f"Found array with {columns.n_rows} sample(s) in all blocks while a "
            "minimum of 2 is required."
        )
    _warn_joined(labels)
    kept = [block for block, length in enumerate(look.lengths) if length]
    return SurveyedRows(
        LazyRows(
            [rows.features[block] for block in kept],
            [rows.labels[block] for block in kept],
            *(rows.n_features, rows.label_names, rows.categories),
        ),
        [look.lengths[block] for block in kept],
        columns,
        LabelCodes(labels, rows.label_names or range(labels.n_labels)),
        reader,
    )


def _warn_joined(labels: LabelSurvey) -> None:
    """Whether the classes of a single label look like tags, as in memory."""
    if labels.values is not None and labels.n_labels == 1:
        ((classes, _),) = labels.values
        if classes.dtype.kind == "U":
            warn_joined(classes.tolist())


def leave_unlabelled_rows(rows: LazyRows) -> LazyRows:
    """The same rows but those in which no label is known."""
    pairs = list(zip(rows.features, rows.labels, strict=True))
    return replace(
        rows,
        features=[task(_labelled, x, y) for x, y in pairs],
        labels=[task(_labelled, y, y) for _, y in pairs],
    )


def _labelled(block: Any, y: Any) -> Any:
    return block[labelled_rows(y)]


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


@dataclass(frozen=True)
class Look:
    """What was seen in some blocks, and how many rows each of them has."""

    columns: ColumnSurvey
    labels: LabelSurvey
    lengths: list[int]


def _survey_block(
    reader: str,
    x: Any,
    y: Any,
    categories: dict[int, NDArray[Any]],
    n_bins: int,
    binning: str,
) -> Look:
    features = _read(reader, x, categories)
    labels = survey_labels(y)
    n_rows = features.values.shape[0]
    if n_rows != labels.n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples in a block of "
            f"rows: [{n_rows}, {labels.n_rows}]. Give X and y the same blocks."
        )
    columns = survey_columns(features, n_bins, binning)
    return Look(columns, labels, [n_rows])


def _merge(looks: list[Look]) -> Look:
    return Look(
        merge_columns([look.columns for look in looks]),
        merge_labels([look.labels for look in looks]),
        [length for look in looks for length in look.lengths],
    )


@dataclass(frozen=True)
class LabelSurvey:
    """What the labels of some rows hold; surveys of two blocks can be merged.

    Attributes
    ----------
    n_rows : number of rows
    ones : (L,) how many rows have a 1, if all cells are 0 or 1
    values : for each label its distinct values and how often they occur, else
    n_unknown : (L,) in how many rows each label is not known
    n_unlabelled : in how many rows no label is known
    """

    n_rows: int
    ones: IntArray | None
    values: Values | None
    n_unknown: IntArray
    n_unlabelled: int

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.values) if self.ones is None else self.ones.size  # type: ignore[arg-type]

    @property
    def are_text(self) -> bool:
        """Whether labels hold text."""
        return any(values.dtype.kind in "US" for values, _ in self.values or ())

    def as_values(self) -> Values:
        """Values and how often they occur, also where all are 0 and 1."""
        if self.values is not None:
            return self.values
        assert self.ones is not None
        n_known = self.n_rows - self.n_unknown
        counts = np.stack([n_known - self.ones, self.ones], axis=1)
        return [(np.flatnonzero(line), line[line > 0]) for line in counts]


@dataclass(frozen=True)
class LabelCodes:
    """The codes of all labels: the same in every block."""

    survey: LabelSurvey
    names: Sequence[Any]

    @cached_property
    def n_values(self) -> IntArray:
        """(L,) how many distinct values each label has."""
        return np.array([values.size for values, _ in self.survey.as_values()])

    @cached_property
    def background(self) -> IntArray:
        """(L,) the most frequent code of each label; of several, the smallest."""
        counts = [count for _, count in self.survey.as_values()]
        # A label that is known nowhere has no values.
        return np.array([int(np.argmax([*count, -1])) for count in counts])

    @property
    def summary(self) -> Labels:
        """All that is known without the rows."""
        return self._coded(None)

    def _coded(self, codes: Matrix) -> Labels:
        n_unknown = self.survey.n_unknown
        unknown = n_unknown if n_unknown.any() else None
        return Labels(
            *(codes, self.n_values, self.names, unknown),
            are_text=self.survey.are_text,
        )

    def read(self, block: Any) -> Labels:
        """The labels of a block of rows, coded as all others."""
        columns = _plain(block)
        if sp.issparse(columns) and self.survey.ones is None:
            columns = columns.toarray()
        if self.survey.ones is not None:
            return self._coded(known_codes(columns))
        codes = np.zeros(columns.shape, dtype=np.int64)
        for j, (values, _) in enumerate(self.survey.as_values()):
            constant = values.size < 2
            code = int(is_positive(values)) if constant else None
            # What is not known is behind all values: its position is the code of that.
            codes[:, j] = code if constant else np.searchsorted(values, columns[:, j])
        return self._coded(codes)


def survey_labels(block: Any) -> LabelSurvey:
    """Find out what the labels of a block hold."""
    columns = _plain(block)
    n_rows, n_labels = columns.shape
    unknown = unknown_cells(columns)
    n_unknown = np.zeros(n_labels, dtype=np.int64)
    n_unlabelled = 0
    if unknown is not None:
        n_unknown = np.asarray(unknown.sum(axis=0), dtype=np.int64).ravel()
        n_unlabelled = n_rows - int(labelled_rows(columns).sum())
    about = n_unknown, n_unlabelled
    if sp.issparse(columns):
        ones = np.bincount(columns.indices, minlength=n_labels) - n_unknown
        return LabelSurvey(n_rows, ones, None, *about)
    filled = columns if unknown is None else np.where(unknown, 0, columns)
    codes = as_indicator(filled) if n_rows else np.zeros((0, n_labels), np.uint8)
    if codes is not None:
        return LabelSurvey(n_rows, codes.sum(axis=0, dtype=np.int64), None, *about)
    known = np.ones(columns.shape, dtype=bool) if unknown is None else ~unknown
    refuse_numbers(columns[known])
    values = [
        np.unique(column[rows], return_counts=True)
        for column, rows in zip(columns.T, known.T, strict=True)
    ]
    return LabelSurvey(n_rows, None, values, *about)


def labelled_rows(block: Any) -> BoolArray:
    """The rows of a block in which a label is known."""
    columns = _plain(block)
    unknown = unknown_cells(columns)
    if unknown is None:
        return np.ones(columns.shape[0], dtype=bool)
    return np.asarray(unknown.sum(axis=1)).ravel() < columns.shape[1]


def merge_labels(surveys: list[LabelSurvey]) -> LabelSurvey:
    """Put the surveys of several blocks together."""
    surveys = [survey for survey in surveys if survey.n_rows] or surveys[:1]
    n_rows = sum(survey.n_rows for survey in surveys)
    if len({survey.n_labels for survey in surveys}) > 1:
        raise ValueError(
            "the blocks of y have different numbers of labels: "
            f"{sorted({survey.n_labels for survey in surveys})}."
        )
    n_unknown = np.sum([survey.n_unknown for survey in surveys], axis=0)
    about = n_unknown, sum(survey.n_unlabelled for survey in surveys)
    ones = [survey.ones for survey in surveys if survey.ones is not None]
    if len(ones) == len(surveys):
        return LabelSurvey(n_rows, np.sum(ones, axis=0), None, *about)
    per_label = zip(*(survey.as_values() for survey in surveys), strict=True)
    values = [_merge_values(parts) for parts in per_label]
    return LabelSurvey(n_rows, None, values, *about)


def _merge_values(
    parts: Sequence[tuple[NDArray[Any], IntArray]],
) -> tuple[NDArray[Any], IntArray]:
    parts = [part for part in parts if part[0].size] or parts[:1]
    if len({values.dtype.kind in "US" for values, _ in parts}) > 1:
        raise ValueError(
            "a label holds text in some blocks of y and numbers in others; make it "
            "one or the other."
        )
    values, place = np.unique(
        np.concatenate([values for values, _ in parts]), return_inverse=True
    )
    counts = np.concatenate([counts for _, counts in parts])
    return values, np.bincount(place, counts).astype(np.int64)


def _plain(block: Any) -> Matrix:
    """A canonical CSR matrix of ones, or a 2-D array."""
    if not sp.issparse(block):
        return as_matrix(fill_masked(block))
    table = sparse_indicator(block)
    return table if sp.issparse(table) else as_matrix(table)
