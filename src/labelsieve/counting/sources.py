"""Three sources of the same integers: sparse rows, bits, and rows of codes.

A source answers how many rows of a given set have each feature indicator, alone or
together with each label indicator. Everything else is built from these answers, and
integers add: answers of row blocks can be summed before anyone takes a logarithm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from labelsieve._plumbing.cached import cached_property
from labelsieve._plumbing.slices import Lists, slices_of
from labelsieve._plumbing.threads import run_in_threads
from labelsieve._plumbing.typing import CountArray, IndexArray, IntArray, WordArray
from labelsieve.counting.indicators import IndicatorRows
from labelsieve.discretization import CodedColumns

if TYPE_CHECKING:
    from labelsieve.counting.plane_kernels import RowFeatures

# Above this share of row, feature and partner cells that are all set, counting 64 rows
# per machine word beats one increment per cell. Measured by benchmarks/counting.py.
DENSE_SHARE = 0.02
# Bits may take at most twice the memory of an index list.
BITS_SHARE = 1 / 64
# A thread makes bits of about so many cells at a time.
PACKED_CELLS = 1_000_000


class Source(Protocol):
    """What counting asks of the data; `rows` are of the source's own kind."""

    def rows(self) -> Any:
        """All rows."""
        ...

    def rows_with_feature(self, indicator: int) -> Any:
        """The rows that have a feature indicator."""
        ...

    def rows_with_label(self, indicator: int) -> Any:
        """The rows that have a label indicator."""
        ...

    def count_features(self, rows: Any) -> CountArray:
        """How many of the rows have each feature indicator."""
        ...

    def count_labels(self, rows: Any) -> CountArray:
        """How many of the rows have each label indicator."""
        ...

    def count_both(
        self, rows: Any, low: int, high: int, out: CountArray | None = None
    ) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        ...

    def count_pairs(self, low: int, high: int) -> CountArray:
        """How many rows have each feature indicator in [low, high) and each other."""
        ...

    def with_labels(self, labels: CodedColumns) -> Source:
        """The same features with other labels."""
        ...


def choose_source(
    features: CodedColumns,
    labels: CodedColumns,
    partners: CodedColumns,
    n_jobs: int | None = None,
) -> Source:
    """Build the cheapest source, by shapes and densities alone.

    The choice does not depend on whether the user's arrays were dense or sparse.
    `partners` is what the features are mostly counted together with: the labels, or
    for methods that compare all pairs of features, the features.
    """
    kind = source_kind(features, partners)
    return kind.build(features, labels, n_jobs)


def source_kind(
    features: CodedColumns, partners: CodedColumns
) -> type[BitSource] | type[CodeSource] | type[SparseSource]:
    """The cheapest kind of source."""
    feature_share = _share(features)
    partner_share = _share(partners)
    if feature_share * partner_share > DENSE_SHARE and feature_share > BITS_SHARE:
        return BitSource
    if features.n_entries > 0.5 * features.n_rows * features.n_codes.size:
        return CodeSource
    return SparseSource


def _share(columns: CodedColumns) -> float:
    """The share of cells, row by indicator, that are set."""
    return columns.n_entries / (columns.n_rows * int(columns.start[-1]))


def label_rows(source: Source, labels: CodedColumns) -> IndicatorRows:
    """The labels as index lists: those of the source if it has them."""
    if isinstance(source, SparseSource | CodeSource):
        return source.labels
    return IndicatorRows.build(labels)


@dataclass(frozen=True)
class SparseRows:
    """Some rows, and the same rows by the labels that they have."""

    index: IndexArray
    features: IndicatorRows
    labels: IndicatorRows

    @cached_property
    def by_label(self) -> Lists:
        """Those of the rows that have each label indicator."""
        if self.index.size == self.labels.n_rows:
            return self.labels.columns
        return self.labels.group(self.index)

    @cached_property
    def of_row(self) -> RowFeatures:
        """The features of each row, for counting by labels."""
        return self.features.for_groups(self.by_label)


@dataclass(frozen=True)
class SparseSource:
    """Index lists of features and labels: work grows with the non-zero cells."""

    n_rows: int
    features: IndicatorRows
    labels: IndicatorRows

    @classmethod
    def build(
        cls, features: CodedColumns, labels: CodedColumns, n_jobs: int | None = None
    ) -> SparseSource:
        """List features and labels."""
        x, y = IndicatorRows.build(features, n_jobs), IndicatorRows.build(labels)
        return cls(features.n_rows, x, y)

    @cached_property
    def of_row(self) -> RowFeatures:
        """The features of each row, for counting by labels."""
        return self.features.for_groups(self.labels.columns)

    @cached_property
    def labels_of_row(self) -> RowFeatures:
        """The labels of each row, for counting by features."""
        return self.labels.for_groups(self.features.columns)

    def n_meetings(self) -> int:
        """How many features and labels the same row has, added up over all rows."""
        x, y = self.features.of_row.start, self.labels.of_row.start
        return int(np.diff(x) @ np.diff(y))

    def rows(self) -> SparseRows:
        """All rows."""
        every = np.arange(self.n_rows, dtype=np.uint32)
        return SparseRows(every, self.features, self.labels)

    def rows_with_feature(self, indicator: int) -> SparseRows:
        """The rows that have a feature indicator."""
        having = self.features.rows_with(indicator)
        return SparseRows(having, self.features, self.labels)

    def rows_with_label(self, indicator: int) -> SparseRows:
        """The rows that have a label indicator."""
        having = self.labels.rows_with(indicator)
        return SparseRows(having, self.features, self.labels)

    def count_features(self, rows: SparseRows) -> CountArray:
        """How many of the rows have each feature indicator."""
        one = Lists(np.array([0, rows.index.size]), rows.index)
        return self.features.count_groups(one, of_row=self.of_row)[0]

    def count_labels(self, rows: SparseRows) -> CountArray:
        """How many of the rows have each label indicator."""
        if "labels_of_row" not in vars(self):
            return self.labels.count(rows.index)
        one = Lists(np.array([0, rows.index.size]), rows.index)
        return self.labels.count_groups(one, of_row=self.labels_of_row)[0]

    def count_both(
        self, rows: SparseRows, low: int, high: int, out: CountArray | None = None
    ) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        start, grouped = rows.by_label
        groups = Lists(start[low : high + 1], grouped)
        return self.features.count_groups(groups, out, rows.of_row)

    def count_pairs(self, low: int, high: int) -> CountArray:
        """How many rows have each feature indicator in [low, high) and each other."""
        start, rows = self.features.columns
        return self.features.count_groups(Lists(start[low : high + 1], rows))

    def with_labels(self, labels: CodedColumns) -> SparseSource:
        """The same features with other labels."""
        return replace(self, labels=IndicatorRows.build(labels))


@dataclass(frozen=True)
class CodeSource:
    """Features as dense codes, for many codes per column; labels as index lists."""

    n_rows: int
    codes: NDArray[Any]
    start: IntArray
    labels: IndicatorRows

    @classmethod
    def build(
        cls, features: CodedColumns, labels: CodedColumns, n_jobs: int | None = None
    ) -> CodeSource:
        """Keep the codes, list the labels."""
        return cls(
            features.n_rows,
            features.dense(),
            features.start,
            IndicatorRows.build(labels),
        )

    def rows(self) -> IndexArray:
        """All rows."""
        return np.arange(self.n_rows, dtype=np.uint32)

    def rows_with_feature(self, indicator: int) -> IndexArray:
        """The rows that have a feature indicator."""
        column = int(np.searchsorted(self.start, indicator, side="right")) - 1
        code = indicator - self.start[column] + 1
        return np.flatnonzero(self.codes[:, column] == code).astype(np.uint32)

    def rows_with_label(self, indicator: int) -> IndexArray:
        """The rows that have a label indicator."""
        return self.labels.rows_with(indicator)

    def count_features(self, rows: IndexArray) -> CountArray:
        """How many of the rows have each feature indicator."""
        from labelsieve.counting import kernels

        out = np.empty(int(self.start[-1]), dtype=np.uint32)
        kernels.count_features_codes(rows, self.codes, self.start, out)
        return out

    def count_labels(self, rows: IndexArray) -> CountArray:
        """How many of the rows have each label indicator."""
        return self.labels.count(rows)

    def count_both(
        self, rows: IndexArray, low: int, high: int, out: CountArray | None = None
    ) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        from labelsieve.counting import kernels

        if out is None:
            out = np.empty((high - low, int(self.start[-1])), dtype=np.uint32)
        kernels.count_codes(
            rows, self.codes, self.start, self.labels.of_row, low, high, out
        )
        return out

    def count_pairs(self, low: int, high: int) -> CountArray:
        """How many rows have each feature indicator in [low, high) and each other."""
        rows = [self.rows_with_feature(indicator) for indicator in range(low, high)]
        return np.stack([self.count_features(having) for having in rows])

    def with_labels(self, labels: CodedColumns) -> CodeSource:
        """The same features with other labels."""
        return replace(self, labels=IndicatorRows.build(labels))


@dataclass(frozen=True)
class BitSource:
    """Features and labels as bits, one line of 64-row words per indicator."""

    n_rows: int
    feature_bits: WordArray
    label_bits: WordArray

    @classmethod
    def build(
        cls, features: CodedColumns, labels: CodedColumns, n_jobs: int | None = None
    ) -> BitSource:
        """Pack features and labels."""
        x, y = pack_bits(features, n_jobs), pack_bits(labels, n_jobs)
        return cls(features.n_rows, x, y)

    def rows(self) -> WordArray:
        """All rows, as a mask."""
        every = np.ones((1, self.n_rows), dtype=np.uint8)
        return _pack(every)[0]

    def rows_with_feature(self, indicator: int) -> WordArray:
        """The rows that have a feature indicator, as a mask."""
        return self.feature_bits[indicator]

    def rows_with_label(self, indicator: int) -> WordArray:
        """The rows that have a label indicator, as a mask."""
        return self.label_bits[indicator]

    def count_features(self, rows: WordArray) -> CountArray:
        """How many of the rows have each feature indicator."""
        return _count_bits(rows, self.feature_bits)

    def count_labels(self, rows: WordArray) -> CountArray:
        """How many of the rows have each label indicator."""
        return _count_bits(rows, self.label_bits)

    def count_both(
        self,
        rows: WordArray,
        low: int,
        high: int,
        out: CountArray | None = None,
    ) -> CountArray:
        """How many have each label indicator in [low, high) and feature indicator."""
        from labelsieve.counting import kernels

        if out is None:
            out = np.empty((high - low, len(self.feature_bits)), dtype=np.uint32)
        kernels.count_bits(rows, self.feature_bits, self.label_bits, low, high, out)
        return out

    def count_some(
        self, rows: WordArray, some: IntArray, low: int, high: int
    ) -> CountArray:
        """The same for some feature indicators."""
        from labelsieve.counting import kernels

        out = np.empty((high - low, some.size), dtype=np.uint32)
        bits = self.feature_bits, self.label_bits
        kernels.count_some_bits(rows, some, *bits, low, high, out)
        return out

    def count_pairs(self, low: int, high: int) -> CountArray:
        """How many rows have each feature indicator in [low, high) and each other."""
        from labelsieve.counting import kernels

        out = np.empty((high - low, len(self.feature_bits)), dtype=np.uint32)
        kernels.count_pairs_bits(self.feature_bits, low, high, out)
        return out

    def with_labels(self, labels: CodedColumns) -> BitSource:
        """The same features with other labels."""
        return replace(self, label_bits=pack_bits(labels))


def pack_bits(columns: CodedColumns, n_jobs: int | None = None) -> WordArray:
    """One line of words per indicator; bit r % 64 of word r // 64 is row r."""
    from labelsieve.counting import kernels

    codes, start = columns.dense(), columns.start
    n_words = -(-columns.n_rows // 64)
    bits = np.zeros((int(start[-1]), n_words), dtype=np.uint64)

    def pack(words: slice) -> None:
        kernels.pack_codes(codes, start, words.start, words.stop, bits)

    step = max(1, PACKED_CELLS // (64 * codes.shape[1]))
    run_in_threads(pack, slices_of(n_words, step), n_jobs)
    return bits


def _pack(rows_last: NDArray[Any]) -> WordArray:
    packed = np.packbits(rows_last, axis=1, bitorder="little")
    n_words = -(-rows_last.shape[1] // 64)
    padded = np.zeros((len(packed), n_words * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def _count_bits(mask: WordArray, bits: WordArray) -> CountArray:
    from labelsieve.counting import kernels

    out = np.empty(len(bits), dtype=np.uint32)
    kernels.count_features_bits(mask, bits, out)
    return out
