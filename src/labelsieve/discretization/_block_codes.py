"""Coded columns in row blocks, coded as if all rows were one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.typing import Matrix
from labelsieve.blocks import (
    LabelCodes,
    SpillFolder,
    SurveyedRows,
    add_up,
    cluster,
    keep,
    load,
    run,
    spill,
    task,
    tree,
    value,
)
from labelsieve.discretization._codes import (
    CodedColumns,
    code_dense,
    code_labels,
    code_sparse,
    varying,
)
from labelsieve.discretization._cuts import Cuts, cut_surveyed, search_blocks

# Without a cluster, coded rows stay in memory up to this size, else in files.
KEPT_BYTES = 512 * 2**20


@dataclass(frozen=True)
class CodedBlocks:
    """Coded rows that stay where they were coded; `close` them after use.

    Attributes
    ----------
    raw : tasks, done, with features and labels of each block, or where these are
    features, labels : all there is to know of the columns without the rows
    folder : where blocks are spilled to, None for nowhere
    """

    raw: list[Any]
    features: CodedColumns
    labels: CodedColumns
    folder: SpillFolder | None

    def keep(
        self, build: Callable[..., Any], *arguments: Any, each: list[Any] | None = None
    ) -> list[Any]:
        """The `tasks`, done; what was coded is let go, so ask for them only once."""
        built = keep(self.tasks(build, *arguments, each=each))
        if self.folder is not None:
            for block in run(self.raw):
                block.remove()
        self.raw.clear()
        return built

    def tasks(
        self, build: Callable[..., Any], *arguments: Any, each: list[Any] | None = None
    ) -> list[Any]:
        """Tasks of ``build(features, labels, *arguments, own)`` for each block.

        `own` is what one of the tasks of `each` returns, if there are any.
        """
        path = None if self.folder is None else self.folder.path
        own = [()] * len(self.raw) if each is None else [(part,) for part in each]
        return [
            task(_build_block, block, path, build, *arguments, *more)
            for block, more in zip(self.raw, own, strict=True)
        ]

    @property
    def fits_in_memory(self) -> bool:
        """Whether all rows may be together in this process."""
        return self.folder is None and cluster() is None

    def together(self) -> tuple[CodedColumns, CodedColumns]:
        """Features and labels of all rows."""
        features, labels = zip(*run(self.tasks(_both)), strict=True)
        return _stack(features, self.features), _stack(labels, self.labels)

    def close(self) -> None:
        """Remove what was spilled."""
        if self.folder is not None:
            self.folder.close()


def _both(
    features: CodedColumns, labels: CodedColumns
) -> tuple[CodedColumns, CodedColumns]:
    return features, labels


def _stack(blocks: Sequence[CodedColumns], columns: CodedColumns) -> CodedColumns:
    """The columns with the rows of all blocks."""
    if all(sp.issparse(block.codes) for block in blocks):
        codes = sp.vstack([block.codes for block in blocks], format="csr")
    else:
        codes = np.concatenate([block.dense() for block in blocks])
    return replace(columns, codes=codes)


@dataclass(frozen=True)
class RowPlaceholder:
    """Stands for rows that are somewhere else: all that is known is their shape."""

    shape: tuple[int, int]


def find_row_cuts(rows: SurveyedRows, n_bins: int, binning: str) -> Cuts:
    """Find the cut points of every column of all rows."""
    search = search_blocks(rows.columns, rows.numbers())
    return cut_surveyed(rows.columns, n_bins, binning, search, rows.rows.categories)


def code_rows(rows: SurveyedRows, cuts: Cuts) -> CodedBlocks:
    """Code all rows, once; they stay in the workers' memory, or in files."""
    folder = _folder_if_large(rows)
    path = None if folder is None else folder.path
    how = value(cuts), value(rows.labels), path
    pairs = zip(rows.numbers(), rows.rows.labels, strict=True)
    raw = keep([task(_code_block, x, y, *how) for x, y in pairs])
    (counts,) = run([tree(add_up, [task(_counts, block) for block in raw])])
    kept = np.flatnonzero(cuts.n_codes > 1)
    elsewhere = RowPlaceholder((rows.n_rows, kept.size))
    features = CodedColumns(elsewhere, cuts.n_codes[kept], kept, counts)
    return CodedBlocks(raw, features, label_columns(rows), folder)


def _folder_if_large(rows: SurveyedRows) -> SpillFolder | None:
    """A folder for coded rows where they would fill the memory of this process."""
    if cluster() is not None:
        return None  # workers spill by themselves
    n_bytes = min(rows.n_rows * rows.rows.n_features, 9 * rows.columns.n_entries)
    return SpillFolder() if n_bytes > KEPT_BYTES else None


def label_columns(rows: SurveyedRows) -> CodedColumns:
    """All there is to know of the labels without the rows."""
    labels, n_unknown = rows.labels, rows.labels.survey.n_unknown
    kept = np.flatnonzero(labels.n_values > 1)
    values, unknown = labels.survey.as_values(), n_unknown[kept] > 0
    n_codes = labels.n_values[kept] + unknown
    # That a label is not known is its last code, if that occurs.
    counts = [
        np.append(values[label][1], n_unknown[label])[1:n]
        for label, n in zip(kept, n_codes, strict=True)
    ]
    flat = np.concatenate([np.empty(0, dtype=np.int64), *counts])
    elsewhere = RowPlaceholder((rows.n_rows, kept.size))
    partly = unknown if unknown.any() else None
    return CodedColumns(elsewhere, n_codes, kept, flat, partly)


def _code_block(
    values: Matrix, y: Any, cuts: Cuts, label_codes: LabelCodes, folder: str | None
) -> Any:
    code = code_sparse if sp.issparse(values) else code_dense
    features = varying(code(values, cuts), cuts.n_codes)
    return spill((features, code_labels(label_codes.read(y))), folder)


def _counts(block: Any) -> Any:
    from labelsieve.discretization._columns import indicator_columns

    features, _ = load(block)
    return indicator_columns(features).totals


def _build_block(
    block: Any, folder: str | None, build: Callable[..., Any], *arguments: Any
) -> Any:
    return spill(build(*load(block), *arguments), folder)
