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
from labelsieve.engines.kernels import TargetLists


class JointLists(NamedTuple):
    """The feature columns that each target column meets, and in how many samples."""

    begin: IntArray  # [columns of targets] where those of each begin
    end: IntArray  # [columns of targets] and end
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
    x_begin: IntArray,
    x_columns: IndexArray,
    tally: CountArray,
    out: JointLists,
) -> None:
    """List the feature columns that the target columns in [low, high) meet.

    begin, samples: int64[columns + 1] and uint32[cells], the samples of each target
    x_begin, x_columns: int64[n + 1] and uint32[cells], the features of each sample
    tally: uint32[columns of features], zero on entry and on return
    out: its `begin` is given, the rest is written
    """
    columns, counts, one = out.columns, out.counts, np.uint64(1)
    for q in range(low, high):
        n_meetings = 0
        for i in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
            row = np.uint64(samples[i])
            first, end = np.uint64(x_begin[row]), np.uint64(x_begin[row + one])
            n_meetings += end - first
        k = np.uint64(out.begin[q])
        if 4 * n_meetings > tally.size:
            for i in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
                row = np.uint64(samples[i])
                for j in range(np.uint64(x_begin[row]), np.uint64(x_begin[row + one])):
                    tally[x_columns[j]] += np.uint32(1)
            for p in range(np.uint64(tally.size)):
                if tally[p]:
                    columns[k] = p
                    counts[k] = tally[p]
                    tally[p] = 0
                    k += one
        else:
            for i in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
                row = np.uint64(samples[i])
                for j in range(np.uint64(x_begin[row]), np.uint64(x_begin[row + one])):
                    p = x_columns[j]
                    if tally[p] == 0:
                        columns[k] = p
                        k += one
                    tally[p] += np.uint32(1)
            for i in range(np.uint64(out.begin[q]), k):
                counts[i] = tally[columns[i]]
                tally[columns[i]] = 0
        out.end[q] = k


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
    T_x: FloatArray,
    tally: CountArray,
    out: FloatArray,
) -> None:
    """out[f] += N I(f; l) - g over the labels in [low, high) that f meets; two levels.

    less: what is to be taken off the counts of `lists`
    T_x: float64[features], T(n_x)
    tally: uint32[features], zero on entry and on return
    """
    columns, counts, N = lists.columns, lists.counts, np.uint64(n)
    for label in range(low, high):
        n_l = np.uint64(n_y[label])
        if n_l == 0:
            continue
        T_l = T[n_l]
        for k in range(less.begin[label], less.end[label]):
            tally[less.columns[k]] = less.counts[k]
        for k in range(np.uint64(lists.begin[label]), np.uint64(lists.end[label])):
            f = columns[k]
            n_fl, n_f = np.uint64(counts[k] - tally[f]), np.uint64(n_x[f])
            either = n_f + n_l
            # N I - g = T(cells) - T(n_f) - T(n_l) - T(N - n_f - n_l)
            cells = T[n_fl] + T[n_f - n_fl] + (T[n_l - n_fl] + T[N + n_fl - either])
            apart = T[N - either] if either < N else 0.0
            out[f] += cells - (T_x[f] + T_l) - apart
        for k in range(less.begin[label], less.end[label]):
            tally[less.columns[k]] = 0


@njit
def add_met_any(
    low: int,
    high: int,
    start: IntArray,
    owner: IntArray,
    lists: JointLists,
    less: JointLists,
    n_x: IntArray,
    n_f: IntArray,
    n_y: IntArray,
    n: int,
    y: TargetLists,
    weight: FloatArray,
    T: FloatArray,
    joint: CountArray,
    met: IndexArray,
    out: FloatArray,
) -> None:
    """out[f] += weight [N I(f; l) - g] over the labels in [low, high); any levels.

    start, owner: int64[features + 1] and int64[columns], the columns of features
    n_f: int64[features], samples beside the reference level
    weight: float64[labels]; labels of weight 0 are passed over
    joint: uint32[most columns of a label, columns of features], zero before and after
    met: uint32[features], any
    """
    is_met = np.zeros(n_f.size, dtype=np.bool_)
    for label in range(low, high):
        first, end, behind = y.start[label], y.end[label], y.start[label + 1]
        is_partly, n_levels, n_met = behind > end, end - first, 0
        n_known = n - n_y[end] if is_partly else n
        if weight[label] == 0.0 or n_known == 0:
            continue
        for q in range(first, behind):
            for k in range(lists.begin[q], lists.end[q]):
                p = lists.columns[k]
                joint[q - first, p] = lists.counts[k]
                f = owner[p]
                if not is_met[f]:
                    is_met[f] = True
                    met[n_met] = f
                    n_met += 1
            for k in range(less.begin[q], less.end[q]):
                joint[q - first, less.columns[k]] -= less.counts[k]
        b, of_label = 0, T[n_known]
        for q in range(first, end):
            b += n_y[q]
            of_label -= T[n_y[q]]
        of_label -= T[n_known - b]
        for m in range(n_met):
            f = np.int64(met[m])
            is_met[f] = False
            # N I = sum T(cells) - sum T(levels of f) - sum T(levels of l) + T(N)
            value, f_rest, l_rest = of_label, n_known, b
            for p in range(start[f], start[f + 1]):
                here = n_x[p]
                if is_partly:
                    here -= np.int64(joint[n_levels, p])
                value -= T[here]
                f_rest -= here
                for t in range(n_levels):
                    both = np.int64(joint[t, p])
                    value += T[both]
                    here -= both
                    l_rest -= both
                value += T[here]
            for t in range(n_levels):
                here = n_y[first + t]
                for p in range(start[f], start[f + 1]):
                    here -= np.int64(joint[t, p])
                value += T[here]
            value += T[f_rest - l_rest] - T[f_rest]
            for p in range(start[f], start[f + 1]):
                for t in range(behind - first):
                    joint[t, p] = 0
            g = T[max(n_known - n_f[f] - b, 0)] - T[max(n_known - n_f[f], 0)]
            g += T[n_known] - T[n_known - b]
            out[f] += weight[label] * (value - g)


class LabelPairs(NamedTuple):
    """Pairs of labels a < b, for some labels a: first those that meet."""

    low: int  # the first label a
    n_met: IntArray  # [labels a] how many labels b meet each
    other: IndexArray  # [labels a, labels] the labels b, those that meet a first
    n_ab: CountArray  # [labels a, labels] samples with both, in that order
    sums: FloatArray  # [labels a] S(a, b) - T(n_ab), added up over b
    both: CountArray  # [labels a x labels] samples with both, in the order of b


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
    n_y: CountArray,
    T: FloatArray,
    n_fab: CountArray,
    touched: IndexArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of N I({f, a, b}) over pairs of labels; two levels, all known.

    N I({f, a, b}) = N I(f; a) + N I(f; b) + S(f) + S(a, b) - S(f, a, b), where S is the
    sum of T over the cells of a table.

    begin, samples: int64[features + 1] and uint32[cells], the samples of each feature
    n_y: uint32[labels]
    n_fab: uint32[labels a, labels], zero on entry and on return
    touched: uint32[cells of n_fab], any
    """
    n_labels, N = n_y.size, np.uint32(T.size - 1)
    n_a, first, one = pairs.n_met.size, pairs.low, np.uint64(1)
    flat = n_fab.ravel()
    with_f, f_only, neither = np.empty_like(n_y), np.empty_like(n_y), np.empty_like(n_y)
    own, apart = np.empty(n_labels), np.empty(n_labels)
    for f in range(low, high):
        n_f, n_touched = np.uint32(n_x[f]), np.uint64(0)
        with_f[:] = 0
        for i in range(np.uint64(begin[f]), np.uint64(begin[f + 1])):
            row = np.uint64(samples[i])
            end = np.uint64(y_begin[row + one])
            for j in range(np.uint64(y_begin[row]), end):
                a = np.int64(y_columns[j])
                with_f[a] += np.uint32(1)
                if 0 <= a - first < n_a:
                    line = np.uint64((a - first) * n_labels)
                    for k in range(j + one, end):
                        place = line + np.uint64(y_columns[k])
                        touched[n_touched] = place
                        n_touched += np.uint64(flat[place] == 0)
                        flat[place] += np.uint32(1)
        T_f, later = T[n_f] + T[N - n_f], 0.0
        for b in range(n_labels):
            both, n_b = with_f[b], n_y[b]
            f_only[b] = n_f - both
            neither[b] = N + both - n_f - n_b
            # N I(f; b) - T(n_fb), and less T(n_b - n_fb)
            apart[b] = T[f_only[b]] + T[neither[b]] - (T[n_b] + T[N - n_b]) - T_f
            own[b] = apart[b] + T[n_b - both]
            if b >= first:
                later += apart[b]
        total = 0.0
        for i in range(n_a):
            a = first + i
            n_met, n_later = pairs.n_met[i], n_labels - a - 1
            n_fa, a_only = with_f[a], n_y[a] - with_f[a]
            other, n_ab, counts = pairs.other[i], pairs.n_ab[i], n_fab[i]
            later -= apart[a]
            value = pairs.sums[i] + later + n_later * (apart[a] + T_f)
            value += n_met * T[a_only]
            for k in range(np.uint64(n_met)):
                b = other[k]
                m, both = counts[b], n_ab[k]
                value += own[b] - apart[b]
                value -= T[f_only[b] + m - n_fa] + T[a_only + m - both]
                b_only = n_y[b] - with_f[b]
                value -= T[b_only + m - both] + T[neither[b] + both - a_only - m]
            even = 0.0
            for k in range(np.uint64(n_met), np.uint64(n_later)):
                b = other[k]
                value -= T[f_only[b] - n_fa]
                even -= T[neither[b] - a_only]
            total += value + even
        for k in range(n_touched):
            place = np.int64(touched[k])
            i = place // n_labels
            n_fa, n_fb = with_f[first + i], with_f[place - i * n_labels]
            m, both = flat[place], pairs.both[place]
            flat[place] = 0
            # Without f, a and b together these cells are T(n_fa) + T(n_fb) + T(n_ab).
            total += T[n_fa] - T[n_fa - m] + (T[n_fb] - T[n_fb - m])
            total += T[both] - T[both - m] - T[m]
        out[f] += total
