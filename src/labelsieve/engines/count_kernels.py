"""Kernels that add up information over labels from the counts that are not zero.

Where a feature f and a label l never meet beside their reference levels, with a and b
samples there, N I(f; l) = g(a, b) = T(N - a - b) - T(N - a) - T(N - b) + T(N). So

    sum over l of N I(f; l)  =  sum over l of g  +  sum over met l of [N I(f; l) - g]

where the first sum is the same for all features with as many samples. It stands on
both sides, so it may be anything where N < a + b: there N - a - b counts as 0.

T: float64[n + 1], T(k) = k log(k / n)
n_x: int64[columns of features], samples with each indicator of a feature
n_y: int64[columns of targets], the same of targets
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
)
from labelsieve.engines.kernels import TargetLists, fill_cells, table_information


class JointLists(NamedTuple):
    """The target columns that each feature column meets, and in how many samples."""

    begin: IntArray  # [columns of features] where those of each begin
    end: IntArray  # [columns of features] and end
    columns: IndexArray  # [room]
    counts: CountArray  # [room]


@njit
def group_samples(
    samples: IndexArray,
    begin: IntArray,
    columns: IndexArray,
    place: IntArray,
    out: IndexArray,
) -> None:
    """List some samples by the columns that they have.

    begin, columns: int64[n + 1] and uint32[cells], the columns of each sample
    place: int64[columns], where the next sample of each goes in `out`
    """
    for i in range(np.uint64(samples.size)):
        row = np.uint64(samples[i])
        for j in range(np.uint64(begin[row]), np.uint64(begin[row + np.uint64(1)])):
            column = columns[j]
            out[np.uint64(place[column])] = samples[i]
            place[column] += 1


@njit
def list_joint(
    low: int,
    high: int,
    begin: IntArray,
    samples: IndexArray,
    y_begin: IntArray,
    y_columns: IndexArray,
    tally: CountArray,
    out: JointLists,
) -> None:
    """List the target columns that the feature columns in [low, high) meet.

    begin, samples: int64[columns + 1] and uint32[cells], the samples of each column
    y_begin, y_columns: int64[n + 1] and uint32[cells], those of targets of each sample
    tally: uint32[columns of targets], zero on entry and on return
    out: its `begin` is given, the rest is written
    """
    columns, counts = out.columns, out.counts
    for p in range(low, high):
        first = np.uint64(out.begin[p])
        k = first
        for i in range(np.uint64(begin[p]), np.uint64(begin[p + 1])):
            row = np.uint64(samples[i])
            next_row = row + np.uint64(1)
            for j in range(np.uint64(y_begin[row]), np.uint64(y_begin[next_row])):
                column = y_columns[j]
                if tally[column] == 0:
                    columns[k] = column
                    k += np.uint64(1)
                tally[column] += np.uint32(1)
        for i in range(first, k):
            counts[i] = tally[columns[i]]
            tally[columns[i]] = 0
        out.end[p] = k


@njit
def add_unmet(
    n_f: IntArray,
    n_l: IntArray,
    n_known: IntArray,
    weight: FloatArray,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of weight g(n_f, n_l) over labels, as if f met none of them.

    n_f: int64[features], samples of each beside its reference level
    n_l: int64[labels], the same of labels, n_known the samples in which they are known
    """
    for f in range(n_f.size):
        a, total = n_f[f], 0.0
        for l in range(n_l.size):
            b, n = n_l[l], n_known[l]
            g = T[max(n - a - b, 0)] - T[max(n - a, 0)] - T[n - b] + T[n]
            total += weight[l] * g
        out[f] += total


@njit
def add_met_binary(
    low: int,
    high: int,
    lists: JointLists,
    less: JointLists,
    n_x: IntArray,
    n_y: IntArray,
    n: int,
    T: FloatArray,
    tally: CountArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of N I(f; l) - g over met labels; two levels, all known.

    less: what is to be taken off the counts of `lists`
    tally: uint32[labels], zero on entry and on return
    """
    columns, counts, N = lists.columns, lists.counts, np.uint64(n)
    for f in range(low, high):
        n_f, total = np.uint64(n_x[f]), 0.0
        T_f = T[n_f]
        for k in range(less.begin[f], less.end[f]):
            tally[less.columns[k]] = less.counts[k]
        for k in range(np.uint64(lists.begin[f]), np.uint64(lists.end[f])):
            label = columns[k]
            n_fl = np.uint64(counts[k] - tally[label])
            if n_fl == 0:
                continue
            n_l = np.uint64(n_y[label])
            either = n_f + n_l
            # N I - g = T(cells) - T(n_f) - T(n_l) - T(N - n_f - n_l)
            cells = T[n_fl] + T[n_f - n_fl] + (T[n_l - n_fl] + T[N + n_fl - either])
            apart = T[N - either] if either < N else 0.0
            total += cells - (T_f + T[n_l]) - apart
        for k in range(less.begin[f], less.end[f]):
            tally[less.columns[k]] = 0
        out[f] += total


@njit
def add_met_any(
    low: int,
    high: int,
    start: IntArray,
    lists: JointLists,
    less: JointLists,
    n_x: IntArray,
    n_y: IntArray,
    n: int,
    y: TargetLists,
    weight: FloatArray,
    T: FloatArray,
    joint: CountArray,
    cells: IntArray,
    met: IndexArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of weight [N I(f; l) - g] over met labels; any levels.

    start: int64[features + 1], the first column of each feature
    weight: float64[labels]; labels of weight 0 are passed over
    joint: uint32[most levels of a feature, columns of targets], zero, before and after
    cells: int64[most levels of a feature + 1, most levels of a label + 1]
    met: uint32[labels], any
    """
    is_met = np.zeros(y.end.size, dtype=np.bool_)
    for f in range(low, high):
        first, width = start[f], start[f + 1] - start[f]
        n_f, n_met, total = n_x[first : first + width], 0, 0.0
        a = n_f.sum()
        for i in range(width):
            for k in range(lists.begin[first + i], lists.end[first + i]):
                column = lists.columns[k]
                label = y.label[column]
                if weight[label] != 0.0:
                    joint[i, column] += lists.counts[k]
                    if not is_met[label]:
                        is_met[label] = True
                        met[n_met] = label
                        n_met += 1
            for k in range(less.begin[first + i], less.end[first + i]):
                column = less.columns[k]
                if weight[y.label[column]] != 0.0:
                    joint[i, column] -= less.counts[k]
        for m in range(n_met):
            label = np.int64(met[m])
            is_met[label] = False
            fill_cells(label, joint, n_f, n_y, n, y, cells)
            height = y.end[label] - y.start[label] + 1
            value = table_information(cells, width + 1, height, T)[0]
            n_known, b = n, 0
            if y.end[label] < y.start[label + 1]:
                n_known -= n_y[y.end[label]]
            for t in range(y.start[label], y.end[label]):
                b += n_y[t]
            g = T[max(n_known - a - b, 0)] - T[max(n_known - a, 0)]
            g += T[n_known] - T[n_known - b]
            total += weight[label] * (value - g)
            joint[:width, y.start[label] : y.start[label + 1]] = 0
        out[f] += total


class LabelPairs(NamedTuple):
    """Pairs of labels a < b, for some labels a: first those that meet."""

    low: int  # the first label a
    n_met: IntArray  # [labels a] how many labels b meet each
    other: IndexArray  # [labels a, labels] the labels b, those that meet a first
    n_ab: CountArray  # [labels a, labels] samples with both, in that order
    sums: FloatArray  # [labels a, labels] T of the cells of a and b, less T(n_ab)


@njit
def add_label_pairs(
    low: int,
    high: int,
    begin: IntArray,
    samples: IndexArray,
    y_begin: IntArray,
    y_columns: IndexArray,
    pairs: LabelPairs,
    n_x: IntArray,
    n_y: IntArray,
    T: FloatArray,
    n_fab: CountArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of N I({f, a, b}) over pairs of labels; two levels, all known.

    N I({f, a, b}) = N I(f; a) + N I(f; b) + S(f) + S(a, b) - S(f, a, b), where S is the
    sum of T over the cells of a table.

    n_fab: uint32[labels a, labels], zero on entry and on return
    """
    n_labels, N = np.uint64(n_y.size), np.uint64(T.size - 1)
    one, first = np.uint64(1), np.uint64(pairs.low)
    n_a = np.uint64(pairs.n_met.size)
    n_l = n_y.astype(np.uint64)
    with_f, f_only, neither = np.empty_like(n_l), np.empty_like(n_l), np.empty_like(n_l)
    own, apart, never = np.empty(n_y.size), np.empty(n_y.size), np.empty(n_y.size)
    for f in range(low, high):
        n_f = np.uint64(n_x[f])
        with_f[:] = 0
        for i in range(np.uint64(begin[f]), np.uint64(begin[f + 1])):
            row = np.uint64(samples[i])
            end = np.uint64(y_begin[row + one])
            for j in range(np.uint64(y_begin[row]), end):
                a = np.uint64(y_columns[j])
                with_f[a] += one
                if a >= first and a - first < n_a:
                    counts = n_fab[a - first]
                    for k in range(j + one, end):
                        counts[y_columns[k]] += np.uint32(1)
        T_f = T[n_f] + T[N - n_f]
        for b in range(n_labels):
            both, n_b = with_f[b], n_l[b]
            f_only[b] = n_f - both
            neither[b] = N + both - n_f - n_b
            T_f_only = T[f_only[b]]
            # N I(f; b) - T(n_fb), and less cells that are the same where a and b, or
            # a and f, never meet
            apart[b] = T_f_only + T[neither[b]] - (T[n_b] + T[N - n_b]) - T_f
            own[b] = apart[b] + T[n_b - both]
            never[b] = apart[b] - T_f_only
        total = 0.0
        for i in range(n_a):
            a = first + i
            n_fa, n_met = with_f[a], np.uint64(pairs.n_met[i])
            n_here, a_only = n_l[a], n_l[a] - n_fa
            other, n_ab, sums, counts = (
                pairs.other[i],
                pairs.n_ab[i],
                pairs.sums[i],
                n_fab[i],
            )
            of_a = own[a] + T_f
            for k in range(n_met):
                b = np.uint64(other[k])
                m, both, n_fb = np.uint64(counts[b]), np.uint64(n_ab[k]), with_f[b]
                value = of_a + own[b] + sums[k]
                if m == 0:
                    value -= T[f_only[b] - n_fa] + T[a_only - both]
                    value -= T[n_l[b] - n_fb - both] + T[neither[b] + both - a_only]
                else:
                    counts[b] = 0
                    value -= T[f_only[b] + m - n_fa] + T[a_only + m - both]
                    value -= T[n_l[b] + m - n_fb - both]
                    value -= T[neither[b] + both - a_only - m] + T[m]
                    value += T[n_fa] + T[n_fb] + T[both]
                    value -= T[n_fa - m] + T[n_fb - m] + T[both - m]
                total += value
            of_a = apart[a] + T_f
            n_later = n_labels - a - one
            if n_fa == 0:
                for k in range(n_met, n_later):
                    b = np.uint64(other[k])
                    total += of_a + never[b] + sums[k] - T[neither[b] - n_here]
            else:
                for k in range(n_met, n_later):
                    b = np.uint64(other[k])
                    value = of_a + apart[b] + sums[k]
                    total += value - (T[f_only[b] - n_fa] + T[neither[b] - a_only])
        out[f] += total
