"""Counts of three columns, in the groups in which kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray, Scalar

if TYPE_CHECKING:
    from labelsieve.counting.counts import Counts, Given
    from labelsieve.counting.pairs import PairCounts

# Of binary columns, what is taken off tables of three is taken off at once for so many
# labels: few enough that sums stay small. Labels are split into ranges there only.
TAKEN_AT_ONCE = 8


class BinaryTriples(NamedTuple):
    """What is known of features f, a given column a and labels b, two codes each.

    Only n(f, a, b) is missing. Where columns have more codes, their indicators may
    stand for f, a and b.
    """

    n_f: CountArray  # [F] rows with f
    n_fa: CountArray  # [F] rows with f and a
    n_a: Scalar  # rows with a
    n_fb: CountArray  # [B, F] rows with f and b
    n_b: CountArray  # [B] rows with b
    n_ab: CountArray  # [B] rows with a and b
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)

    @classmethod
    def of(
        cls, counts: Counts, given: Given, labels: slice, indicator: int = 0
    ) -> BinaryTriples:
        """For one indicator of the given column and some label indicators."""
        return cls(
            counts.feature_counts,
            given.n_fa[indicator],
            given.n_a[indicator],
            counts.feature_label_counts[labels],
            counts.label_counts[labels],
            given.n_ab[indicator, labels],
            counts.n_rows,
            counts.table,
        )

    @classmethod
    def without_pairs(cls, counts: Counts, given: Given) -> BinaryTriples:
        """For all labels, without n(f, b): its cells are listed elsewhere."""
        n_fb = np.empty((0, 0), dtype=np.uint32)
        pairs = given.n_fa[0], given.n_a[0], n_fb, counts.label_counts, given.n_ab[0]
        return cls(counts.feature_counts, *pairs, counts.n_rows, counts.table)


class CodedTriples(NamedTuple):
    """The same for any codes: X feature, A given and Y label indicators."""

    n_f: CountArray  # [X]
    n_fa: CountArray  # [A, X]
    n_a: CountArray  # [A]
    n_fb: CountArray  # [Y, X]
    n_b: CountArray  # [Y]
    n_ab: CountArray  # [A, Y]
    x_start: IntArray  # [features + 1] the first indicator of each feature
    y_start: IntArray  # [labels + 1] the first indicator of each label
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)

    @classmethod
    def of(cls, counts: Counts, given: Given) -> CodedTriples:
        """For a given column and all labels."""
        return cls(
            counts.feature_counts,
            given.n_fa,
            given.n_a,
            counts.feature_label_counts,
            counts.label_counts,
            given.n_ab,
            counts.x_start,
            counts.y_start,
            counts.n_rows,
            counts.table,
        )


class LabelPairs(NamedTuple):
    """Counts of features with labels and of pairs of labels, two codes each."""

    n_f: CountArray  # [F] rows with a feature
    n_fl: CountArray  # [L, F] rows with a feature and a label
    n_l: CountArray  # [L] rows with a label
    n_lm: CountArray  # [L, L] rows with two labels
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)

    @classmethod
    def of(cls, counts: Counts) -> LabelPairs:
        """For all features and labels."""
        return cls(
            counts.feature_counts,
            counts.feature_label_counts,
            counts.label_counts,
            counts.label_pair_counts,
            counts.n_rows,
            counts.table,
        )


class KnownLabels(NamedTuple):
    """Counts of features with labels whose last code may mean "not known"."""

    n_f: CountArray  # [X] rows with a feature indicator
    n_fk: CountArray  # [L, X] those of them where a label is known
    n_fl: CountArray  # [Y, X] those with a label indicator
    n_l: CountArray  # [Y] rows with a label indicator
    n_k: IntArray  # [L] rows where a label is known
    y_start: IntArray  # [L + 1] the first indicator of each label
    y_end: IntArray  # [L] where those end that are not "not known"
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)

    @classmethod
    def of(cls, counts: PairCounts) -> KnownLabels:
        """For all features and labels."""
        unknown = counts.labels.unknown
        start, n_fl, n_l = (
            counts.y_start,
            counts.feature_label_counts,
            counts.label_counts,
        )
        assert unknown is not None
        from labelsieve.counting.kernels import fill_known

        end = start[1:] - unknown
        n_k = np.full(unknown.size, counts.n_rows)
        n_k[unknown] -= n_l[end[unknown]]
        n_fk = np.empty((unknown.size, counts.feature_counts.size), dtype=np.uint32)
        fill_known(counts.feature_counts, n_fl, start, end, n_fk)
        parts = counts.feature_counts, n_fk, n_fl, n_l, n_k, start, end
        return cls(*parts, counts.n_rows, counts.table)
