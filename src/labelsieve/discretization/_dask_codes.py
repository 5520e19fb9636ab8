"""Coded columns in row blocks, coded as if all rows were one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._dask import cluster, keep, run, task, tree, value
from labelsieve._dask_labels import (
    LabelCodes,
    LabelSurvey,
    merge_labels,
    survey_labels,
)
from labelsieve._dask_rows import LazyRows
from labelsieve._features import Features, read_values
from labelsieve._spill import SpillFolder, load, spill
from labelsieve._typing import IntArray, Matrix
from labelsieve.discretization._codes import (
    CodedColumns,
    code_dense,
    code_labels,
    code_sparse,
    counts_but_background,
    dense_frequencies,
    from_dense,
    from_sparse,
    most_frequent,
    sparse_frequencies,
)
from labelsieve.discretization._cuts import Cuts
from labelsieve.discretization._dask_cuts import find_block_cuts
from labelsieve.discretization._survey import (
    ColumnSurvey,
    merge_columns,
    survey_columns,
)

# Without a cluster, coded rows stay in memory up to this size, else in files.
KEPT_BYTES = 512 * 2**20


@dataclass(frozen=True)
class SurveyedRows:
    """Row blocks that are not empty, and what one look at all of them told.

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
        """Tasks that return the numbers of each block."""
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
    lengths = [task(_length, look) for look in looks]
    *found, (columns, labels) = run([*lengths, tree(_merge, looks)])
    if labels.n_labels == 0:
        raise ValueError("Found 0 labels while a minimum of 1 is required.")
    if columns.n_rows < 2:
        raise ValueError(
            f"Found array with {columns.n_rows} sample(s) in all blocks while a "
            "minimum of 2 is required."
        )
    kept = [block for block, length in enumerate(found) if length]
    return SurveyedRows(
        LazyRows(
            [rows.features[block] for block in kept],
            [rows.labels[block] for block in kept],
            *(rows.n_features, rows.label_names, rows.categories),
        ),
        [found[block] for block in kept],
        columns,
        LabelCodes(labels, rows.label_names or range(labels.n_labels)),
        reader,
    )


def read_numbers(
    reader: str, block: Any, categories: dict[int, NDArray[Any]]
) -> Matrix:
    """The numbers of a block of rows."""
    return read_values(reader, block, min_rows=0, categories=categories).values


Look = tuple[ColumnSurvey, LabelSurvey]


def _survey_block(
    reader: str,
    x: Any,
    y: Any,
    categories: dict[int, NDArray[Any]],
    n_bins: int,
    binning: str,
) -> Look:
    values = read_numbers(reader, x, categories)
    labels = survey_labels(y)
    if values.shape[0] != labels.n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples in a block of "
            f"rows: [{values.shape[0]}, {labels.n_rows}]. Give X and y the same blocks."
        )
    return survey_columns(Features(values), n_bins, binning), labels


def _length(look: Look) -> int:
    return look[0].n_rows


def _merge(looks: list[Look]) -> Look:
    return (
        merge_columns([columns for columns, _ in looks]),
        merge_labels([labels for _, labels in looks]),
    )


@dataclass(frozen=True)
class CodedBlocks:
    """Coded rows that stay where they were coded; `close` them after use.

    Attributes
    ----------
    raw : tasks that return a `RawBlock`, or where it was spilled
    names : number of codes and most frequent code of all features
    features, labels : all there is to know of the columns without the rows
    """

    raw: list[Any]
    names: tuple[IntArray, IntArray]
    features: CodedColumns
    labels: CodedColumns
    folder: SpillFolder | None

    def keep(
        self, build: Callable[..., Any], *arguments: Any, each: list[Any] | None = None
    ) -> list[Any]:
        """Tasks, done, of ``build(features, labels, *arguments)`` for each block.

        With `each`, the labels are not the coded ones but what these tasks return.
        What was coded is let go after that, so this can be asked for only once.
        """
        path = None if self.folder is None else self.folder.path
        names = [value(part) for part in self.names]
        others = [None] * len(self.raw) if each is None else each
        built = keep(
            [
                task(_name_codes, block, other, *names, path, build, *arguments)
                for block, other in zip(self.raw, others, strict=True)
            ]
        )
        if path is not None:
            for spilled in run(self.raw):
                spilled.remove()
        self.raw.clear()
        return built

    def close(self) -> None:
        """Remove what was spilled."""
        if self.folder is not None:
            self.folder.close()


@dataclass(frozen=True)
class Elsewhere:
    """Stands for rows that are somewhere else: all that is known is their shape."""

    shape: tuple[int, int]


def code_rows(rows: SurveyedRows, n_bins: int, binning: str) -> CodedBlocks:
    """Code all rows, once; they stay in the workers' memory, or in files."""
    numbers = rows.numbers()
    cuts = find_block_cuts(rows.columns, numbers, n_bins, binning, rows.rows.categories)
    folder = _folder_if_large(rows)
    path = None if folder is None else folder.path
    shared_cuts, codes = value(cuts), value(rows.labels)
    raw = keep(
        [
            task(_code_block, block, labels, shared_cuts, codes, path)
            for block, labels in zip(numbers, rows.rows.labels, strict=True)
        ]
    )
    n_codes = cuts.n_codes
    frequency = frequency_of_words(rows.columns, n_codes)
    if frequency is None:
        parts = [task(_frequencies, block, n_codes) for block in raw]
        (frequency,) = run([tree(_add, parts)])
    background = most_frequent(frequency, n_codes)
    kept = np.flatnonzero(n_codes > 1)
    features = _columns(rows.n_rows, frequency, n_codes, background, kept)
    return CodedBlocks(
        raw, (n_codes, background), features, _label_columns(rows), folder
    )


def frequency_of_words(columns: ColumnSurvey, n_codes: IntArray) -> IntArray | None:
    """How often each code occurs, if the survey tells: two values around zero."""
    low, high, two = columns.low, columns.high, n_codes == 2
    around_zero = (low <= 0) & (high >= 0)
    if not ((n_codes == columns.n_few) & ((n_codes == 1) | two & around_zero)).all():
        return None
    n_high = np.where(high > 0, columns.n_positive, columns.n_rows - columns.n_negative)
    first = np.cumsum(n_codes) - n_codes
    frequency = np.empty(int(n_codes.sum()), dtype=np.int64)
    frequency[first] = columns.n_rows - two * n_high
    frequency[first[two] + 1] = n_high[two]
    return frequency


def _columns(
    n_rows: int, frequency: IntArray, n_codes: IntArray, background: IntArray, kept: Any
) -> CodedColumns:
    """What is known of columns whose codes stay elsewhere."""
    counts = counts_but_background(frequency, n_codes, background)
    n_entries = int(counts.sum(dtype=np.int64))
    rows = Elsewhere((n_rows, kept.size))
    return CodedColumns(rows, n_codes[n_codes > 1], kept, n_entries, counts)


def _folder_if_large(rows: SurveyedRows) -> SpillFolder | None:
    """A folder for coded rows where they would fill the memory of this process."""
    if cluster() is not None:
        return None  # workers spill by themselves
    n_bytes = min(rows.n_rows * rows.rows.n_features, 9 * rows.columns.n_entries)
    return SpillFolder() if n_bytes > KEPT_BYTES else None


def _label_columns(rows: SurveyedRows) -> CodedColumns:
    labels = rows.labels
    kept = np.flatnonzero(labels.n_values > 1)
    values = labels.survey.as_values()
    frequency = [values[label][1] for label in kept]
    n_values, background = labels.n_values[kept], labels.background[kept]
    flat = np.concatenate([np.empty(0, dtype=np.int64), *frequency])
    return _columns(rows.n_rows, flat, n_values, background, kept)


@dataclass(frozen=True)
class RawBlock:
    """Codes of some rows before the most frequent ones are named 0."""

    codes: Matrix
    zero_code: NDArray[Any] | None
    labels: CodedColumns


def _code_block(
    values: Matrix, y: Any, cuts: Cuts, label_codes: LabelCodes, folder: str | None
) -> Any:
    labels = code_labels(label_codes.read(y), label_codes.background)
    if sp.issparse(values):
        return spill(RawBlock(*code_sparse(values, cuts), labels), folder)
    return spill(RawBlock(code_dense(values, cuts), None, labels), folder)


def _frequencies(block: Any, n_codes: IntArray) -> IntArray:
    raw = load(block)
    if raw.zero_code is None:
        return dense_frequencies(raw.codes, n_codes)
    return sparse_frequencies(raw.codes, raw.zero_code, n_codes)


def _name_codes(
    block: Any,
    labels: Any,
    n_codes: IntArray,
    background: IntArray,
    folder: str | None,
    build: Callable[..., Any],
    *arguments: Any,
) -> Any:
    raw = load(block)
    if raw.zero_code is None:
        features = from_dense(raw.codes, n_codes, background)
    else:
        features = from_sparse(raw.codes, raw.zero_code, n_codes, background)
    labels = raw.labels if labels is None else labels
    return spill(build(features, labels, *arguments), folder)


def _add(parts: list[IntArray]) -> IntArray:
    return np.sum(parts, axis=0)
