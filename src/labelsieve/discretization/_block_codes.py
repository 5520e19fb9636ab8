"""Coded columns in row blocks, coded as if all rows were one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.matrices import stacked
from labelsieve._utils.typing import IntArray, Matrix
from labelsieve.blocks import (
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
    code_labels,
    code_values,
    coded_columns,
    counts_but_background,
    frequencies,
    most_frequent,
)
from labelsieve.discretization._cuts import Cuts, block_quantiles, cut_surveyed

# Without a cluster, coded rows stay in memory up to this size, else in files.
KEPT_BYTES = 512 * 2**20


@dataclass(frozen=True)
class CodedBlocks:
    """Coded rows that stay where they were coded; `close` them after use.

    Attributes
    ----------
    raw : tasks, done, with the codes of each block, or where these are
    names : number of codes and most frequent code of all features
    features : all there is to know of the columns without the rows
    labels : those of all rows
    folder : where blocks are spilled to, None for nowhere
    """

    raw: list[Any]
    names: tuple[IntArray, IntArray]
    features: CodedColumns
    labels: CodedColumns
    folder: TemporaryDirectory[str] | None

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
        path = None if self.folder is None else self.folder.name
        names = value(self.names)
        own = [()] * len(self.raw) if each is None else [(part,) for part in each]
        return [
            task(_name_codes, block, names, path, build, *arguments, *more)
            for block, more in zip(self.raw, own, strict=True)
        ]

    @property
    def fits_in_memory(self) -> bool:
        """Whether all rows may be together in this process."""
        return self.folder is None and cluster() is None

    def together(self) -> tuple[CodedColumns, CodedColumns]:
        codes = stacked(run(self.tasks(_codes)))
        return replace(self.features, codes=codes), self.labels

    def close(self) -> None:
        if self.folder is not None:
            self.folder.cleanup()


def _codes(features: CodedColumns, labels: CodedColumns) -> Matrix:
    return features.codes


def find_row_cuts(rows: SurveyedRows, n_bins: int, binning: str) -> Cuts:
    """Find the cut points of every column of all rows."""
    quantiles = block_quantiles(rows.columns, rows.numbers())
    return cut_surveyed(rows.columns, n_bins, binning, quantiles, rows.rows.categories)


def code_rows(rows: SurveyedRows, cuts: Cuts) -> CodedBlocks:
    """Code all rows, once; they stay in the workers' memory, or in files."""
    folder = _folder_if_large(rows)
    path = None if folder is None else folder.name
    n_codes, how = cuts.n_codes, (value(cuts), path)
    labels = label_columns(rows)
    pairs = zip(rows.numbers(), parts_of(rows, labels), strict=True)
    raw = keep([task(_code_block, x, y, *how) for x, y in pairs])
    parts = [task(_frequencies, block, n_codes) for block in raw]
    (frequency,) = run([tree(add_up, parts)])
    background = most_frequent(frequency, n_codes)
    kept = np.flatnonzero(n_codes > 1)
    counts = counts_but_background(frequency, n_codes, background)
    elsewhere = sp.csr_matrix((rows.n_rows, kept.size), dtype=np.uint8)
    features = CodedColumns(elsewhere, n_codes[kept], kept, counts)
    return CodedBlocks(raw, (n_codes, background), features, labels, folder)


def _folder_if_large(rows: SurveyedRows) -> TemporaryDirectory[str] | None:
    """A folder for coded rows where they would fill the memory of this process."""
    if cluster() is not None:
        return None  # workers spill by themselves
    n_bytes = min(rows.n_rows * rows.rows.n_features, 9 * rows.columns.n_entries)
    return TemporaryDirectory("", "labelsieve-") if n_bytes > KEPT_BYTES else None


def label_columns(rows: SurveyedRows) -> CodedColumns:
    return code_labels(rows.labels)


def parts_of(rows: SurveyedRows, labels: CodedColumns) -> list[Any]:
    """The labels of each block of rows, as shared values."""
    codes = [labels.codes[some] for some in rows.slices]
    return [value(replace(labels, codes=part, counts=None)) for part in codes]


@dataclass(frozen=True)
class RawBlock:
    """Codes of some rows before the most frequent ones are named 0."""

    codes: Matrix
    zero_code: NDArray[Any] | None
    labels: CodedColumns


def _code_block(
    values: Matrix, labels: CodedColumns, cuts: Cuts, folder: str | None
) -> Any:
    return spill(RawBlock(*code_values(values, cuts), labels), folder)


def _frequencies(block: Any, n_codes: IntArray) -> IntArray:
    raw = load(block)
    return frequencies(raw.codes, raw.zero_code, n_codes)


def _name_codes(
    block: Any, names: Any, folder: str | None, build: Callable[..., Any], *more: Any
) -> Any:
    raw = load(block)
    features = coded_columns(raw.codes, raw.zero_code, *names)
    return spill(build(features, raw.labels, *more), folder)
