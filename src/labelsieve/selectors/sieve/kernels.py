"""Kernels of Sieve on sparse data: listed pairs, looked at when they might be best.

Values of pairs are n times nats less the bias of their degrees of freedom: n/N times
those of the N samples in which the label is known.

T: float64[n + 1], T(k) = k log(k / n)
J: float64[features], overwritten for those that are asked for
label, minimum, n_at, c_at, C: float64[pairs] and others of `Pairs`
met, chosen: int64[some], labels or pairs of a feature
n_x, n_l: int64[columns of a feature] and int64[labels], samples with each
out: float64[some], overwritten
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
    Scalar,
    ShortArray,
)
from labelsieve.engines.kernels import (
    FeatureLists,
    TargetLists,
    binary_information,
    fill_cells,
    table_information,
    tally,
)

BIAS = 1.0


class Buffer(NamedTuple):
    """Where pairs are listed, one after the other."""

    label: IndexArray  # [room]
    value: FloatArray  # [room] marginal
    joint: CountArray  # [room * columns of a pair] samples with both indicators
    n_pairs: IntArray  # [features] of each


class Pairs(NamedTuple):
    """The listed pairs, feature by feature."""

    start: IntArray  # [features + 1] where those of each feature begin
    label: IndexArray  # [pairs]
    minimum: FloatArray  # [pairs] the least of the marginal value and those given picks
    live: IntArray  # [pairs] those with a positive minimum first, of each feature
    end: IntArray  # [features] where the live ones of each feature end
    n_at: IntArray  # [pairs] where the joint counts of each begin
    joint: CountArray  # (width, columns of the label) of each pair
    c_at: IntArray  # [pairs] where the products of each begin
    C: FloatArray  # (width, targets of the label) of each pair, less what picks explain
    projected: IntArray  # [pairs] how many basis vectors were projected out of C
    explained: (
        FloatArray  # [pairs] half the share of the label that is explained, less bias
    )


class Picks(NamedTuple):
    """The picks so far."""

    level: ShortArray  # [picks, n] the level of each sample
    start: IntArray  # [picks + 1] the first indicator of each in what follows
    n_s: IntArray  # [indicators] samples with each
    n_ys: IntArray  # [indicators, columns of targets] samples with both
    own: FloatArray  # [picks, labels] sum over strata of T(levels of l), of two levels


class Residual(NamedTuple):
    """What the picks leave of features and targets."""

    V: FloatArray
    v_start: IntArray  # [features + 1] where the square of each begins
    tolerance: FloatArray  # [columns]
    basis: FloatArray  # [k, columns]
    along: FloatArray  # [targets, k]
    t_start: IntArray  # [labels + 1] the first target of each label
    weight: FloatArray  # [targets]
    half: FloatArray  # [labels]
    level: FloatArray  # [labels]
    freedom: IntArray  # [labels]
    scale: FloatArray  # [labels] how much each counts


@njit
def list_pairs(
    low: int,
    high: int,
    x: FeatureLists,
    y: TargetLists,
    frequent: IntArray,
    T: FloatArray,
    out: Buffer,
) -> int:
    """List the pairs of the features [low, high) with a positive value.

    Stops before a feature for which there may be no room; returns which it is.

    frequent: int64[labels], those with most samples beside the reference level first
    """
    n, n_labels, n_columns = T.size - 1, y.end.size, y.n_y.size
    widest, most_levels = 0, 0
    for f in range(low, high):
        widest = max(widest, x.start[f + 1] - x.start[f])
    least_known = n
    for label in range(n_labels):
        most_levels = max(most_levels, y.start[label + 1] - y.start[label])
        least_known = min(least_known, y.n_known[label])
    joint = np.zeros((widest, n_columns), np.uint32)
    touched = np.empty(widest * n_columns, np.uint32)
    seen = np.empty(n_labels, np.int64)
    seen[:] = -1
    cells = np.empty((widest + 1, most_levels + 1), np.int64)
    met, values = np.empty(n_labels, np.int64), np.empty(n_labels)
    place, at = 0, 0
    for f in range(low, high):
        first, width = x.start[f], x.start[f + 1] - x.start[f]
        if out.label.size - place < n_labels or out.joint.size - at < width * n_columns:
            return f
        begin, k, a = place, 0, 0
        for i in range(width):
            a += x.n_x[first + i]
            samples = x.samples[x.begin[first + i] : x.begin[first + i + 1]]
            k = tally(samples, y, joint[i], touched, k)
        n_met = 0
        for j in range(k):
            label = y.label[touched[j]]
            if seen[label] != f:
                seen[label] = f
                met[n_met] = label
                n_met += 1
        if 8 * n_met > n_labels:  # ascending, where that costs little
            n_met = 0
            for label in range(n_labels):
                if seen[label] == f:
                    met[n_met] = label
                    n_met += 1
        # Pairs that never meet: N I = T(N - a - b) - T(N - a) - T(N - b) + T(N), the
        # integral of 1/(N - u - v) over 0 <= u <= a, 0 <= v <= b: at most a b/(N-a-b).
        for j in range(n_labels):
            label = frequent[j]
            b = 0
            for t in range(y.start[label], y.end[label]):
                b += y.n_y[t]
            rest = least_known - a - b
            if rest > 0 and a * b <= BIAS * rest:
                break
            if seen[label] != f:
                met[n_met] = label
                n_met += 1
        n_x = x.n_x[first : first + width]
        if width == 1 and n_columns == n_labels:
            _marginal_binary(met[:n_met], joint[0], n_x[0], y.n_y, T, values)
        else:
            _marginal_any(met[:n_met], joint, n_x, y, T, cells, values)
        for j in range(n_met):
            if values[j] > 0.0:
                label = met[j]
                out.label[place], out.value[place] = label, values[j]
                place += 1
                for i in range(width):
                    for t in range(y.start[label], y.start[label + 1]):
                        out.joint[at] = joint[i, t]
                        at += 1
        out.n_pairs[f] = place - begin
        for i in range(width):
            line = joint[i]
            for j in range(k):
                line[touched[j]] = 0
    return high


@njit
def _marginal_binary(
    met: IntArray,
    n_fl: CountArray,
    n_f: int,
    n_l: IntArray,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """out[j] = n I(f; l) less bias for the label met[j], with two levels everywhere.

    n_fl: uint32[labels], samples with both
    """
    n, with_f = np.uint64(T.size - 1), np.uint64(n_f)
    for j in range(np.uint64(met.size)):
        label = np.uint64(met[j])
        both, with_l = np.uint64(n_fl[label]), np.uint64(n_l[label])
        out[j] = binary_information(both, with_f, with_l, n, T) - BIAS


@njit
def _marginal_any(
    met: IntArray,
    joint: CountArray,
    n_x: IntArray,
    y: TargetLists,
    T: FloatArray,
    cells: IntArray,
    out: FloatArray,
) -> None:
    """The same with any levels, and labels that are known in some samples.

    joint: uint32[width or more, columns of targets], samples with both
    cells: int64[width + 1, levels + 1 or more], overwritten
    """
    n, width = T.size - 1, n_x.size
    for j in range(met.size):
        label = met[j]
        n_levels = y.end[label] - y.start[label]
        fill_cells(label, joint, n_x, y.n_y, n, y, cells)
        value, _ = table_information(cells, width + 1, n_levels + 1, T)
        out[j] = n / y.n_known[label] * (value - BIAS * width * n_levels)


@njit
def fill_products(
    x: FeatureLists, y: TargetLists, t_start: IntArray, pairs: Pairs
) -> None:
    """C of all pairs before the first pick, and where the parts of each begin.

    t_start: int64[labels + 1], the first target of each
    """
    n = np.float64(y.begin.size - 1)
    n_at = c_at = 0
    for f in range(pairs.end.size):
        first, width = x.start[f], x.start[f + 1] - x.start[f]
        for pair in range(pairs.start[f], pairs.start[f + 1]):
            label = pairs.label[pair]
            pairs.n_at[pair], pairs.c_at[pair] = n_at, c_at
            column, end = y.start[label], y.end[label]
            n_columns = y.start[label + 1] - column
            n_known, n_levels = y.n_known[label], end - column
            for i in range(width):
                known = x.n_x[first + i]
                if end < y.start[label + 1]:
                    known -= pairs.joint[n_at + n_levels]
                rest, n_rest = known, n_known
                for t in range(t_start[label + 1] - t_start[label]):
                    if t < n_levels:
                        both, size = np.int64(pairs.joint[n_at + t]), y.n_y[column + t]
                        rest -= both
                        n_rest -= size
                    else:
                        both, size = rest, n_rest
                    pairs.C[c_at] = n / n_known * (both - known * (size / n_known))
                    c_at += 1
                n_at += n_columns


@njit
def update_gains(
    features: IntArray,
    x_start: IntArray,
    pairs: Pairs,
    rest: Residual,
    values: FloatArray,
    is_final: bool,
    J: FloatArray,
    shares: FloatArray,
) -> None:
    """J[f] = sum over pairs of the lesser of a value and half the explained share.

    features: int64[some]
    x_start: int64[features + 1], the first column of each
    values: float64[pairs], `minimum`, or with `is_final` the marginal ones of all pairs
    shares: float64[features], overwritten: the sum of the shares, no bias taken off
    """
    label, C, c_at, done = pairs.label, pairs.C, pairs.c_at, pairs.projected
    view = pairs.explained
    basis, along, t_start = rest.basis, rest.along, rest.t_start
    scale, level, freedom = rest.scale, rest.level, rest.freedom
    n_basis = basis.shape[0]
    for f in features:
        first, width = x_start[f], x_start[f + 1] - x_start[f]
        end = pairs.start[f + 1] if is_final else pairs.end[f]
        chosen = pairs.live[pairs.start[f] : end]
        if is_final:
            chosen = np.arange(pairs.start[f], end)
        # C[p, t] -= basis[k, p] along[k, t]
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            at = np.uint64(c_at[pair])
            t_first, t_end = t_start[label[pair]], t_start[label[pair] + 1]
            for i in range(first, first + width):
                for t in range(t_first, t_end):
                    value = C[at]
                    for k in range(done[pair], n_basis):
                        value -= basis[k, i] * along[t, k]
                    C[at] = value
                    at += np.uint64(1)
            done[pair] = n_basis
        rank = half_shares(f, first, width, chosen, label, C, c_at, rest, view)
        gain, share = 0.0, 0.0
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            owner = np.uint64(label[pair])
            gain += scale[owner] * max(min(view[pair], values[pair]), 0.0)
            bias = level[owner] * rank * freedom[owner]
            share += scale[owner] * (view[pair] + bias)
        J[f], shares[f] = gain, share


@njit
def half_shares(
    f: int,
    first: int,
    width: int,
    chosen: IntArray,
    label: IndexArray,
    C: FloatArray,
    c_at: IntArray,
    rest: Residual,
    view: FloatArray,
) -> int:
    """n/2 times the share of labels that a feature explains, less its bias.

    C' V^-1 C by the Cholesky root of V, without collinear columns. Returns its rank.

    chosen: int64[some], pairs of the feature
    view: float64[pairs], overwritten for these
    """
    half, level, at = rest.half, rest.level, rest.v_start[f]
    if width == 1 and rest.weight.size == half.size:
        V = rest.V[at]
        inverse = 1.0 / V if rest.tolerance[first] < V else 0.0
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            c, owner = C[np.uint64(c_at[pair])], np.uint64(label[pair])
            view[pair] = c * c * inverse * half[owner] - level[owner]
        return 1
    root, part, rank = np.zeros((width, width)), np.empty(width), 0
    for i in range(width):
        for j in range(i + 1):
            value = rest.V[at + i * width + j]
            for k in range(j):
                value -= root[i, k] * root[j, k]
            if i == j and value > rest.tolerance[first + i]:
                root[i, i] = np.sqrt(value)
                rank += 1
            elif i > j and root[j, j] > 0.0:
                root[i, j] = value / root[j, j]
    for j in range(chosen.size):
        owner, at, total = label[chosen[j]], c_at[chosen[j]], 0.0
        t_first, t_end = rest.t_start[owner], rest.t_start[owner + 1]
        n_targets = t_end - t_first
        for t in range(n_targets):
            squares = 0.0
            for i in range(width):
                part[i] = 0.0
                if root[i, i] > 0.0:
                    value = C[at + i * n_targets + t]
                    for k in range(i):
                        value -= root[i, k] * part[k]
                    part[i] = value / root[i, i]
                    squares += part[i] * part[i]
            total += rest.weight[t_first + t] * squares
        bias = level[owner] * rank * rest.freedom[owner]
        view[chosen[j]] = total * half[owner] - bias
    return rank


@njit
def condition(
    features: IntArray,
    x: FeatureLists,
    y: TargetLists,
    pairs: Pairs,
    picks: Picks,
    seen: IntArray,
    scale: FloatArray,
    enough: FloatArray,
    T: FloatArray,
    J: FloatArray,
    bound: FloatArray,
) -> None:
    """Lower pairs to I(f; l | s) of the picks s that they were not looked at with.

    Where J falls below what is enough, a feature is not looked at any further.

    features: int64[some], with J and views from `update_gains`
    scale: float64[labels], how much each counts
    seen: int64[features], how many picks each was looked at with; updated
    enough: float64[features]
    bound: float64[features], the sum of the minima of each; updated
    """
    n_picks, n_columns = picks.start.size - 1, y.n_y.size
    widest, n_given = 1, 1
    for f in features:
        widest = max(widest, x.start[f + 1] - x.start[f])
    for k in range(n_picks):
        n_given = max(n_given, picks.start[k + 1] - picks.start[k])
    joint = np.zeros((n_given + 1, widest, n_columns), np.uint32)
    touched = np.empty(n_given * widest * n_columns, np.uint32)
    sizes = np.empty((n_given + 1, widest), np.int64)
    live, minimum, label, view = pairs.live, pairs.minimum, pairs.label, pairs.explained
    for f in features:
        first, start = x.start[f], pairs.start[f]
        width = x.start[f + 1] - first
        while seen[f] < n_picks and J[f] >= enough[f]:
            s = seen[f]
            low, n_levels = picks.start[s], picks.start[s + 1] - picks.start[s]
            n_touched = tally_levels(
                first, width, x, y, picks.level[s], joint, sizes, touched
            )
            chosen = live[start : pairs.end[f]]
            n_s = picks.n_s[low : low + n_levels]
            n_ys = picks.n_ys[low : low + n_levels]
            n_x, n_joint = x.n_x[first : first + width], joint[: n_levels + 1, :width]
            if width == 1 and n_levels == 1 and n_columns == y.end.size:
                _lower_binary(
                    chosen,
                    minimum,
                    label,
                    pairs.n_at,
                    pairs.joint,
                    joint[1, 0],
                    sizes[1, 0],
                    n_x[0],
                    n_s[0],
                    n_ys[0],
                    y.n_y,
                    picks.own[s],
                    T,
                )
            else:
                _lower_any(
                    chosen,
                    minimum,
                    label,
                    pairs.n_at,
                    pairs.joint,
                    n_joint,
                    sizes,
                    n_x,
                    n_s,
                    n_ys,
                    y,
                    T,
                )
            kept, gain, most = 0, 0.0, 0.0
            for j in range(chosen.size):
                pair = chosen[j]
                value = minimum[pair]
                if value > 0.0:
                    chosen[j], chosen[kept] = chosen[kept], pair
                    gain += scale[label[pair]] * max(min(view[pair], value), 0.0)
                    most += scale[label[pair]] * value
                    kept += 1
            pairs.end[f] = start + kept
            J[f], bound[f] = gain, most
            for c in range(1, n_levels + 1):
                for i in range(width):
                    line = joint[c, i]
                    for j in range(n_touched):
                        line[touched[j]] = 0
            seen[f] += 1


@njit
def tally_levels(
    first: int,
    width: int,
    x: FeatureLists,
    y: TargetLists,
    level: ShortArray,
    joint: CountArray,
    sizes: IntArray,
    touched: IndexArray,
) -> int:
    """Count the samples with each level of a feature and of a given column.

    Returns how many columns of targets are touched.

    level: uint16[n], of the given column
    joint: uint32[levels given, width or more, columns of targets], zero on entry
    sizes: int64[levels given, width or more], overwritten
    touched: uint32[any], overwritten
    """
    n_touched, begin, columns = 0, y.begin, y.columns
    sizes[:] = 0
    for i in range(width):
        for p in range(x.begin[first + i], x.begin[first + i + 1]):
            row = np.uint64(x.samples[p])
            c = level[row]
            if c == 0:
                continue
            sizes[c, i] += 1
            line = joint[c, i]
            for j in range(np.uint64(begin[row]), np.uint64(begin[row + np.uint64(1)])):
                column = columns[j]
                if line[column] == 0:
                    touched[n_touched] = column
                    n_touched += 1
                line[column] += np.uint32(1)
    return n_touched


@njit
def _lower_binary(
    chosen: IntArray,
    minimum: FloatArray,
    label: IndexArray,
    n_at: IntArray,
    n_fl: CountArray,
    n_fls: CountArray,
    n_fs: Scalar,
    n_f: Scalar,
    n_s: Scalar,
    n_ls: IntArray,
    n_l: IntArray,
    own: FloatArray,
    T: FloatArray,
) -> None:
    """Lower pairs to n I(f; l | s) less bias, with two levels everywhere.

    chosen: int64[some], pairs of f
    n_fl: uint32[pairs], samples with f and l, from `n_at` on
    n_fls, n_ls: uint32[labels] and int64[labels], samples with f, l, s and with l, s
    own: float64[labels], sum over both strata of T(levels of l)
    """
    # Unsigned numbers need no check whether they count from the end.
    n, with_f, n_s = np.uint64(T.size - 1), np.uint64(n_fs), np.uint64(n_s)
    rest, f_rest = n - n_s, np.uint64(n_f) - with_f
    # What does not depend on the label.
    of_f = T[n_s] - T[with_f] - T[n_s - with_f]
    of_f += T[rest] - T[f_rest] - T[rest - f_rest]
    varies, varies_rest = 0 < with_f < n_s, 0 < f_rest < rest
    for j in range(np.uint64(chosen.size)):
        pair = np.uint64(chosen[j])
        b = np.uint64(label[pair])
        both, with_s = np.uint64(n_fls[b]), np.uint64(n_ls[b])
        others = np.uint64(n_fl[np.uint64(n_at[pair])]) - both
        l_rest = np.uint64(n_l[b]) - with_s
        # sum over both strata of T(cells) - T(levels of f) - T(levels of l) + T(N)
        value = (T[both] + T[with_f - both]) + (T[with_s - both] + of_f)
        value += T[n_s - with_f - with_s + both] - own[b]
        value += (T[others] + T[f_rest - others]) + T[l_rest - others]
        value += T[rest - f_rest - l_rest + others]
        freedom = (varies and 0 < with_s < n_s) + (varies_rest and 0 < l_rest < rest)
        minimum[pair] = min(minimum[pair], value - BIAS * freedom)


@njit
def _lower_any(
    chosen: IntArray,
    minimum: FloatArray,
    label: IndexArray,
    n_at: IntArray,
    n_fl: CountArray,
    n_fls: CountArray,
    sizes: IntArray,
    n_x: IntArray,
    n_s: IntArray,
    n_ls: IntArray,
    y: TargetLists,
    T: FloatArray,
) -> None:
    """The same with any levels, and labels that are known in some samples.

    I(f; l | s) is the sum over the levels of s of their share times I(f; l) within.

    n_fl: uint32[(width, columns of the label) of each pair], from `n_at` on
    n_fls: uint32[levels of s + 1, width, columns of targets], the first one overwritten
    sizes: int64[levels of s + 1, width], samples with both
    n_s: int64[levels of s], samples with each
    n_ls: int64[levels of s, columns of targets], samples with both
    """
    n, width, most_levels = T.size - 1, n_x.size, 1
    for b in range(y.end.size):
        most_levels = max(most_levels, y.start[b + 1] - y.start[b])
    cells = np.empty((width + 1, most_levels + 1), np.int64)
    rest_x, rest_y, n_rest = n_x.copy(), y.n_y.copy(), n
    for c in range(n_s.size):
        n_rest -= n_s[c]
        for i in range(width):
            rest_x[i] -= sizes[c + 1, i]
        for t in range(rest_y.size):
            rest_y[t] -= n_ls[c, t]
    for j in range(chosen.size):
        pair = chosen[j]
        b, at = label[pair], n_at[pair]
        total, n_levels = 0.0, y.end[b] - y.start[b]
        for i in range(width):
            for t in range(y.start[b], y.start[b + 1]):
                n_fls[0, i, t] = n_fl[at]
                at += 1
                for c in range(n_s.size):
                    n_fls[0, i, t] -= n_fls[c + 1, i, t]
        for c in range(n_s.size):
            fill_cells(b, n_fls[c + 1], sizes[c + 1, :width], n_ls[c], n_s[c], y, cells)
            value, freedom = table_information(cells, width + 1, n_levels + 1, T)
            total += value - BIAS * freedom
        fill_cells(b, n_fls[0], rest_x, rest_y, n_rest, y, cells)
        value, freedom = table_information(cells, width + 1, n_levels + 1, T)
        total += value - BIAS * freedom
        minimum[pair] = min(minimum[pair], n / y.n_known[b] * total)
