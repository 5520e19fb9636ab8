"""Row blocks after one look at all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from labelsieve._plumbing.typing import Matrix
from labelsieve.blocks.columns import ColumnSurvey, merge_columns, survey_columns
from labelsieve.blocks.engine import run, task, tree, value
from labelsieve.blocks.labels import (
    LabelCodes,
    LabelSurvey,
    labelled_rows,
    merge_labels,
    survey_labels,
)
from labelsieve.blocks.rows import LazyRows
from labelsieve.reading import Features, read_values, warn_joined


@dataclass(frozen=True)
class SurveyedRows:
    """Row blocks that are not empty, and what one look at all of them told.

    Attributes
    ----------
    rows : the blocks
    lengths : number of rows of each
    as_read : which of them come as they are read, so that reading changes nothing
    columns, labels : what the features and labels hold
    reader : who reads, for messages
    """

    rows: LazyRows
    lengths: list[int]
    as_read: list[bool]
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
            block if same else task(read_numbers, self.reader, block, shared)
            for block, same in zip(self.rows.features, self.as_read, strict=True)
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
        [look.as_read[block] for block in kept],
        columns,
        LabelCodes(labels, rows.label_names or range(labels.n_labels)),
        reader,
    )


def _warn_joined(labels: LabelSurvey) -> None:
    """Tell if the classes of a single label look like tags, as in memory."""
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
    """What was seen in some blocks; the lists have an item for each of them."""

    columns: ColumnSurvey
    labels: LabelSurvey
    lengths: list[int]
    as_read: list[bool]


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
    return Look(columns, labels, [n_rows], [features.values is x])


def _merge(looks: list[Look]) -> Look:
    return Look(
        merge_columns([look.columns for look in looks]),
        merge_labels([look.labels for look in looks]),
        [length for look in looks for length in look.lengths],
        [same for look in looks for same in look.as_read],
    )
