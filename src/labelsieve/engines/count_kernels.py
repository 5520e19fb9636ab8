"""Kernels that add up information over labels from the counts that are not zero.

Where a feature f and a label l never meet beside their reference levels, with a and b
samples there, N I(f; l) = g(a, b) = T(N - a - b) - T(N - a) - T(N - b) + T(N). So

    sum over l of N I(f; l)  =  sum over l of g  +  sum over met l of [N I(f; l) - g]

where the first sum is the same for all features with as many samples. It stands on
both sides, so it may be anything where N < a + b: there N - a - b counts as 0.

T: float64[n + 1], T(k) = k log(k / n)
n_x: int64[columns of features], samples with each indicator of a feature; uint32 where
    labels are taken in pairs
n_y: int64[columns of targets], the same of targets
samples: uint32[any], those of each column one after the other
out: float64[features], if nothing else is said, added to
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.matrices import IndexLists
from labelsieve._utils.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Scalar,
)
from labelsieve.engines.kernels import TargetLists, count_columns

if TYPE_CHECKING:
    from labelsieve.engines.sparse import SparseCounts


class JointLists(NamedTuple):
    """The feature columns that each target column meets, and in how many samples."""

    begin: IntArray  # [columns of targets] where those of each begin
    end: IntArray  # [columns of targets] and end
    columns: IndexArray  # [room]
    counts: CountArray  # [room]


class Strata(NamedTuple):
    """Samples with each of some columns, by the columns of targets that they have."""

    begin: IntArray  # [strata, columns of targets + 1] where those of each begin
    grouped: IndexArray  # [cells]
    n_x: IntArray  # [strata, columns of features] samples with each
    n: IntArray  # [strata] samples


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
    out: uint32[samples of all columns]
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
    n_met: IntArray,
    tally: CountArray,
    out: JointLists,
) -> None:
    """List the feature columns that the target columns in [low, high) meet.

    begin, samples: int64[columns + 1] and uint32[cells], the samples of each target
    x_begin, x_columns: int64[n + 1] and uint32[cells], the features of each sample
    n_met: int64[columns], at most so many features do the samples of each target have
    tally: uint32[columns of features], zero on entry and on return
    out: its `begin` is given, with room for one more than can be met; rest is written
    """
    columns, counts, one = out.columns, out.counts, np.uint64(1)
    for q in range(low, high):
        k = np.uint64(out.begin[q])
        if 4 * n_met[q] > tally.size:
            for i in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
                row = np.uint64(samples[i])
                for j in range(np.uint64(x_begin[row]), np.uint64(x_begin[row + one])):
                    tally[x_columns[j]] += np.uint32(1)
            for p in range(np.uint64(tally.size)):
                # What is not met is written too, and then over it.
                columns[k] = p
                counts[k] = tally[p]
                k += np.uint64(tally[p] > 0)
                tally[p] = 0
        else:
            for i in range(np.uint64(begin[q]), np.uint64(begin[q + 1])):
                row = np.uint64(samples[i])
                for j in range(np.uint64(x_begin[row]), np.uint64(x_begin[row + one])):
                    p = x_columns[j]
                    columns[k] = p
                    k += np.uint64(tally[p] == 0)
                    tally[p] += np.uint32(1)
            for i in range(np.uint64(out.begin[q]), k):
                counts[i] = tally[columns[i]]
                tally[columns[i]] = 0
        out.end[q] = k


@njit
def add_not_cooccurring(
    n_f: IntArray,
    n_l: IntArray,
    n: int,
    times: IntArray,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += the sum of g(n_f, n_l) over labels, as if f met none of them.

    n_f: int64[features], samples of each beside its reference level
    n_l, times: int64[any], the same of labels, and how many labels are so
    n: how many samples there are
    """
    for f in range(n_f.size):
        total, without_f = 0.0, T[n] - T[n - n_f[f]]
        for label in range(n_l.size):
            b = n_l[label]
            g = T[max(n - n_f[f] - b, 0)] - T[n - b] + without_f
            total += times[label] * g
        out[f] += total


@njit
def add_cooccurring(
    low: int,
    high: int,
    strata: SparseCounts,
    rest: SparseCounts,
    owner: IntArray | None,
    n_ref: IntArray,
    T_x: FloatArray,
    T: FloatArray,
    tally: CountArray,
    out: FloatArray,
) -> None:
    """out[f] += N I(f; l) - g over the labels in [low, high) that f meets.

    In the N samples of each stratum, and then in all others, `rest`. Of a feature with
    the levels p and the reference level,

        N I(f; l) = sum over p of h(n_pl, n_p) + h(n_l - sum of n_pl, n_ref) - h(n_l, N)

    with h(k, n) = T(k) + T(n - k) - T(n), which is 0 where p and l never meet.

    strata: all arrays have an axis of strata before others
    rest: its lists are those of all samples
    owner: int64[columns of features], the feature of each; None for one column each
    n_ref: int64[strata + 1, features], samples with the reference level
    T_x: float64[strata + 1, columns of features], T(n_x)
    tally: uint32[columns of features], zero on entry and on return
    """
    some, every, n_strata = strata.lists, rest.lists, strata.n.size
    none, with_l = np.zeros_like(tally), np.zeros(out.size, dtype=np.uint32)
    for label in range(low, high):
        for s in range(n_strata):
            begin, end = some.begin[s, label], some.end[s, label]
            met = some.columns[begin:end], some.counts[begin:end], none
            n_l, n_x, n = strata.n_y[s, label], strata.n_x[s], n_ref[s]
            _add_met(*met, n_l, owner, n_x, n, strata.n[s], T_x[s], T, with_l, out)
            for k in range(np.uint64(begin), np.uint64(end)):
                tally[some.columns[k]] += some.counts[k]
        begin, end = every.begin[label], every.end[label]
        met = every.columns[begin:end], every.counts[begin:end], tally
        of_rest = rest.n_x, n_ref[n_strata], rest.n, T_x[n_strata]
        _add_met(*met, rest.n_y[label], owner, *of_rest, T, with_l, out)
        for s in range(n_strata):
            for k in range(some.begin[s, label], some.end[s, label]):
                tally[some.columns[k]] = 0


@njit
def _add_met(
    columns: IndexArray,
    counts: CountArray,
    elsewhere: CountArray,
    n_label: int,
    owner: IntArray | None,
    n_x: IntArray,
    n_ref: IntArray,
    n_all: int,
    T_x: FloatArray,
    T: FloatArray,
    with_l: CountArray,
    out: FloatArray,
) -> None:
    """out[f] += N I(f; l) - g in some samples, where n_label of them have the label l.

    columns, counts: uint32[met], those that l meets, and in how many samples
    elsewhere: uint32[columns of features], how many of these are other samples
    owner: int64[columns of features], the feature of each; None for one column each
    n_ref: int64[features], samples with the reference level
    T_x: float64[columns of features], T(n_x)
    with_l: uint32[features], zero on entry and on return
    """
    n_l = np.uint64(n_label)
    T_l = T[n_l]
    for k in range(np.uint64(columns.size)):
        p = columns[k]
        both, n_p = np.uint64(counts[k] - elsewhere[p]), np.uint64(n_x[p])
        value = T[both] + T[n_p - both] - T_x[p]
        if owner is None:
            out[p] += value + (_less(both, n_l, np.uint64(n_all) - n_p, T) - T_l)
        else:
            f = np.uint64(owner[p])
            with_l[f] += np.uint32(both)
            out[f] += value
    if owner is not None:
        for k in range(np.uint64(columns.size)):
            f = np.uint64(owner[columns[k]])
            if with_l[f]:
                both, n = np.uint64(with_l[f]), np.uint64(n_ref[f])
                out[f] += _less(both, n_l, n, T) - T_l
                with_l[f] = 0


@njit
def _less(k: Scalar, n_l: Scalar, n: Scalar, T: FloatArray) -> float:
    """h(n_l - k, n) - h(n_l, n) + T(n_l): k samples less with l; T is 0 below 0."""
    left = n_l - k
    return T[left] + T[n - left] - T[n - min(n_l, n)]


@njit
def add_interactions(
    low: int,
    high: int,
    n_levels: int,
    strata: Strata,
    x: IndexLists,
    y: TargetLists,
    start: IntArray | None,
    n_x: IntArray,
    n_fl: CountArray,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += I({f, a, b}) over labels b in [low, high) of two levels, for a given a.

    With h(k, n) = T(k) + T(n - k) - T(n) for k of n samples with b, in the samples in
    which a and b are known,

        N I({f, a, b}) = N I(a; b) - N I(a; b | f)
        N I(a; b | f) = sum over levels of f of [sum over levels of a of h - h of all]

    Of the strata of a, those from `n_levels` on are not known; what is in none has the
    reference level.

    x: the columns of features of each sample
    start: int64[features + 1], the columns of features; None for one column each
    n_fl: uint32[columns of targets, columns of features], samples with both
    """
    begin, grouped, n_sx, n_strata = *strata[:3], strata.n.size
    # Samples with b, and in which b is not known, of each column in one stratum.
    with_b, gone = np.zeros((2, n_x.size), dtype=np.uint32)
    # Known samples with b, and all, of each column in the strata that are left.
    left_k, left_n = np.empty((2, n_x.size), dtype=np.uint32)
    value = np.empty(out.size)
    for b in range(low, high):
        q, mark = y.start[b], y.end[b]
        is_partly = y.end[b] < y.start[b + 1]
        n_b, n_all, pair = np.uint64(y.n_y[q]), np.uint64(y.n_known[b]), 0.0
        n_both, value[:], is_met = n_all, 0.0, False
        for s in range(n_levels):
            is_met |= begin[s, q] < begin[s, q + 1]
        for p in range(n_x.size):
            left_k[p], left_n[p] = n_fl[q, p], n_x[p]
            if is_partly:
                left_n[p] -= n_fl[mark, p]
        for s in range(n_strata - 1, -1, -1):  # first those that are not known
            if s == n_levels - 1:
                n_both, pair = n_all, -_split(n_b, n_all, T)
                _add_split(1.0, is_met, n_b, n_all, left_k, left_n, start, T, value)
            k_s, n_s = np.uint64(begin[s, q + 1] - begin[s, q]), np.uint64(strata.n[s])
            _tally(grouped, begin[s, q], begin[s, q + 1], x, with_b)
            if is_partly:
                n_s -= np.uint64(begin[s, mark + 1] - begin[s, mark])
                _tally(grouped, begin[s, mark], begin[s, mark + 1], x, gone)
            n_b, n_all = n_b - k_s, n_all - n_s
            for p in range(np.uint64(n_x.size)):
                gone[p] = np.uint32(n_sx[s, p]) - gone[p]
                left_k[p] -= with_b[p]
                left_n[p] -= gone[p]
            if s < n_levels and k_s > 0:
                pair += _split(k_s, n_s, T)
                _add_split(-1.0, True, k_s, n_s, with_b, gone, start, T, value)
            with_b[:], gone[:] = 0, 0
        pair += _split(n_b, n_all, T)
        _add_split(-1.0, is_met, n_b, n_all, left_k, left_n, start, T, value)
        if n_both > 0:
            for f in range(out.size):
                out[f] += (value[f] + pair) / n_both


@njit
def _add_split(
    sign: float,
    with_k: bool,
    k: Scalar,
    n: Scalar,
    with_b: CountArray,
    known: CountArray,
    start: IntArray | None,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += sign times the sum of h over the levels of f, of k of n samples with b.

    with_k: whether T(k) is part of h, or cancels against another sum
    with_b, known: uint32[columns of features], those of the samples with each column
    start: int64[features + 1], where the columns of each begin; None for one each
    """
    one = np.uint64(1)
    for f in range(np.uint64(out.size)):
        left_k, left_n, value = k, n, 0.0
        first, end = np.uint64(f), np.uint64(f + one)
        if start is not None:
            first, end = np.uint64(start[f]), np.uint64(start[f + one])
        for p in range(first, end):
            k_p, n_p = np.uint64(with_b[p]), np.uint64(known[p])
            left_k, left_n = left_k - k_p, left_n - n_p
            value += (T[n_p - k_p] - T[n_p]) + (T[k_p] if with_k else 0.0)
        value += (T[left_n - left_k] - T[left_n]) + (T[left_k] if with_k else 0.0)
        out[f] += sign * value


@njit
def _split(k: Scalar, n: Scalar, T: FloatArray) -> float:
    """h(k, n) = T(k) + T(n - k) - T(n)."""
    return T[k] + (T[n - k] - T[n])


@njit
def _tally(
    samples: IndexArray, low: int, high: int, x: IndexLists, out: CountArray
) -> None:
    """out[p] += how many of samples[low:high] have the column p of a feature.

    out: uint32[columns of features]
    """
    for k in range(np.uint64(low), np.uint64(high)):
        row = np.uint64(samples[k])
        first, end = np.uint64(x.start[row]), np.uint64(x.start[row + np.uint64(1)])
        for j in range(first, end):
            out[x.entries[j]] += np.uint32(1)


@njit
def add_label_pairs(
    low: int,
    high: int,
    x: IndexLists,
    y: TargetLists,
    of_label: IndexLists,
    start: IntArray | None,
    n_x: CountArray,
    n_fl: CountArray,
    S: FloatArray,
    T: FloatArray,
    n_apart: IntArray,
    out: FloatArray,
) -> None:
    """out[f] += N I(f; a, b) over labels a in [low, high) and b > a.

    Two levels each, known everywhere. N I(f; a, b) = S(f, a, b) - S(a, b) - S(f), where
    S is the sum of T over the cells of a table. Of labels that never meet, only cells
    without both are added: the others are those of f with a and of f with b.

    x, of_label: the columns of features of each sample, and the samples of each label
    start: int64[features + 1], the columns of features; None for one column each
    n_fl: uint32[labels, columns of features], samples with both
    S: float64[features], S(f)
    n_apart: int64[labels], gets with how many others each never meets, added to
    """
    n_labels, one = y.n_y.size, np.uint64(1)
    n_ab, place = np.zeros(n_labels, np.int64), np.empty(n_labels, np.int64)
    tally, rest = np.zeros_like(n_x), np.empty_like(n_x)
    for a in range(low, high):
        with_a = of_label.entries[of_label.start[a] : of_label.start[a + 1]]
        n_ab[:] = 0
        count_columns(with_a, y.begin, y.columns, n_ab)
        n_grouped, n_fa = 0, n_fl[a]
        for b in range(n_labels):
            place[b] = n_grouped
            n_grouped += n_ab[b]
        grouped = np.empty(n_grouped, np.uint32)
        group_samples(with_a, y.begin, y.columns, place, grouped)
        for p in range(n_x.size):
            rest[p] = n_x[p] - n_fa[p]
        less, n_added = 0.0, 0
        for b in range(a + 1, n_labels):
            n_fb, both = n_fl[b], np.uint64(n_ab[b])
            only_a, only_b = np.uint64(y.n_y[a]) - both, np.uint64(y.n_y[b]) - both
            outside = np.uint64(T.size - 1) - only_a - only_b - both
            less += T[outside] + T[both] + T[only_a] + T[only_b]
            n_added += 1
            if both == 0:
                less -= T[only_a] + T[only_b]
                n_apart[a] += 1
                n_apart[b] += 1
            else:
                _tally(grouped, place[b] - n_ab[b], place[b], x, tally)
            for f in range(np.uint64(out.size)):
                left, left_both, left_a, left_b = outside, both, only_a, only_b
                first, end, value = np.uint64(f), np.uint64(f + one), 0.0
                if start is not None:
                    first, end = np.uint64(start[f]), np.uint64(start[f + one])
                for p in range(first, end):
                    m = tally[p]
                    p_b = n_fb[p] - m
                    p_rest = rest[p] - p_b
                    left -= np.uint64(p_rest)
                    value += T[p_rest]
                    if both > 0:
                        p_a, tally[p] = n_fa[p] - m, 0
                        left_both -= np.uint64(m)
                        left_a -= np.uint64(p_a)
                        left_b -= np.uint64(p_b)
                        value += T[m] + (T[p_a] + T[p_b])
                if both > 0:
                    value += T[left_both] + (T[left_a] + T[left_b])
                out[f] += value + T[left]
            if n_added == 64 or b + 1 == n_labels:
                # Taken off before the sums become large, which costs digits.
                for f in range(out.size):
                    out[f] -= n_added * S[f] + less
                less, n_added = 0.0, 0
