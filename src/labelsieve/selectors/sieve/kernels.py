"""Kernels of Sieve on sparse data: listed pairs, looked at when they might be best.

Values of pairs are n times nats less the bias of their degrees of freedom: n/N times
those of the N samples in which the label is known.

T: float64[n + 1], T(k) = k log(k / n)
frequent: int64[labels], those with most samples first
n_unmet: int64[features], how many of these are listed even if no sample has both
features: int64[some], those that are asked for
x_start: int64[features + 1], the first column of each
J: float64[features], overwritten for those that are asked for
scale: float64[labels], how much each counts
general: None where all features and labels have two levels: what handles others is then
    not compiled
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    ShortArray,
)
from labelsieve.engines.kernels import (
    FeatureLists,
    TargetLists,
    fill_cells,
    table_information,
)

BIAS = 1.0  # that of residuals.py: compiled code knows constants of kernel files only


class Listed(NamedTuple):
    """Where pairs are listed, one after the other, with room for all."""

    label: IndexArray  # [room]
    value: FloatArray  # [room] marginal
    joint: CountArray  # [room] (width, columns of the label) of each, samples with both
    C: FloatArray  # [room] (width, targets of the label) of each
    n_pairs: IntArray  # [features] how many of each


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
    explained: FloatArray  # [pairs] half the explained share of the label, less bias
    seen: IntArray  # [features] how many picks each was looked at with
    bound: FloatArray  # [features] the sum of the minima of each


class Picks(NamedTuple):
    """The picks so far: of each all levels, the reference level first."""

    level: ShortArray  # [picks or more, n] the level of each sample
    start: IntArray  # [picks + 1] the first level of each in what follows
    n_s: IntArray  # [levels] samples with each
    n_ys: IntArray  # [levels or more, columns of targets] samples with both


class Residual(NamedTuple):
    """What the picks leave of features and targets."""

    V: FloatArray
    v_start: IntArray  # [features + 1] where the square of each begins
    tolerance: FloatArray  # [columns]
    n_basis: int
    basis: FloatArray  # [n_basis or more, columns]
    along: FloatArray  # [n_basis or more, targets]
    t_start: IntArray  # [labels + 1] the first target of each label
    half: FloatArray  # [targets] makes a sum of squares half the share, times n
    bias: FloatArray  # [labels] of each degree of freedom of a feature
    scale: FloatArray  # [labels] how much each counts


@njit
def largest_step(start: IntArray) -> int:
    """The largest difference of neighbours: `np.diff` takes seconds to compile.

    start: int64[any]
    """
    found = 0
    for i in range(start.size - 1):
        found = max(found, start[i + 1] - start[i])
    return found


@njit
def list_pairs(
    low: int,
    x: FeatureLists,
    y: TargetLists,
    T: FloatArray,
    frequent: IntArray,
    n_unmet: IntArray,
    general: bool | None,
    out: Listed,
) -> tuple[int, int, int]:
    """List the pairs of the features from `low` on whose n I(f; l) is above its bias.

    Returns how many pairs, counts and products there are.
    """
    n, n_labels, place, n_at, c_at = T.size - 1, y.end.size, 0, 0, 0
    widest, one = largest_step(x.start[low : low + n_unmet.size + 1]), np.uint64(1)
    cells = np.empty((widest + 1, largest_step(y.start) + 1), np.int64)
    n_fl = np.zeros((widest, y.n_y.size), np.uint32)
    is_met, met = np.zeros(n_labels, np.bool_), np.empty(n_labels + 1, np.int64)
    for i in range(n_unmet.size):
        f, begin, n_met = low + i, place, 0
        first, width = x.start[f], x.start[f + 1] - x.start[f]
        for c in range(width):
            for p in range(x.begin[first + c], x.begin[first + c + 1]):
                row = np.uint64(x.samples[p])
                for j in range(np.uint64(y.begin[row]), np.uint64(y.begin[row + one])):
                    b = y.label[y.columns[j]]
                    n_fl[c, y.columns[j]] += np.uint32(1)
                    met[n_met] = b  # written over, where it is no new one
                    n_met += not is_met[b]
                    is_met[b] = True
        for j in range(n_unmet[i]):
            if not is_met[frequent[j]]:
                met[n_met] = frequent[j]
                n_met += 1
        n_x = x.n_x[first : first + width]
        if general is None:
            n_f, n_rest = np.uint64(n_x[0]), np.uint64(n - n_x[0])
            for b in met[:n_met]:
                both, n_l = np.uint64(n_fl[0, b]), np.uint64(y.n_y[b])
                value = T[both] + T[n_f - both] + T[n_l - both] + T[n_rest + both - n_l]
                value -= T[n_f] + T[n_rest] + T[n_l] + T[np.uint64(n) - n_l] + BIAS
                if value > 0.0:
                    out.label[place], out.value[place] = b, value
                    out.joint[place], out.C[place] = both, both - n_x[0] * (n_l / n)
                    place += 1
                is_met[b], n_fl[0, b] = False, 0
            out.n_pairs[i], n_at, c_at = place - begin, place, place
            continue
        for m in range(n_met):
            b = met[m]
            n_known, n_levels = y.n_known[b], y.end[b] - y.start[b]
            fill_cells(b, n_fl, n_x, y.n_y, n, y, cells)
            value, _ = table_information(cells, width + 1, n_levels + 1, T)
            value = n / n_known * (value - BIAS * width * n_levels)
            if value > 0.0:
                out.label[place], out.value[place] = b, value
                place += 1
                for c in range(width):
                    known = cells[c + 1, : n_levels + 1].sum()
                    for t in range(y.start[b], y.start[b + 1]):
                        out.joint[n_at] = n_fl[c, t]
                        n_at += 1
                    # A target for each level; of two levels only one.
                    for t in range(1, n_levels + 1 + (n_levels > 1)):
                        level = t if t <= n_levels else 0
                        n_l = cells[: width + 1, level].sum()
                        C = cells[c + 1, level] - known * (n_l / n_known)
                        out.C[c_at] = n / n_known * C
                        c_at += 1
            is_met[b] = False
            n_fl[:width, y.start[b] : y.start[b + 1]] = 0
        out.n_pairs[i] = place - begin
    return place, n_at, c_at


@njit
def update_gains(
    features: IntArray,
    x_start: IntArray,
    pairs: Pairs,
    rest: Residual,
    J: FloatArray,
    shares: FloatArray,
) -> None:
    """J[f] = sum over pairs of the lesser of the minimum and half the explained share.

    shares: float64[features], overwritten: the sum of the shares, no bias taken off
    """
    label, C, c_at, done = pairs.label, pairs.C, pairs.c_at, pairs.projected
    view, minimum = pairs.explained, pairs.minimum
    basis, along, t_start = rest.basis, rest.along, rest.t_start
    scale, bias, one = rest.scale, rest.bias, np.uint64(1)
    for f in features:
        first, end = np.uint64(x_start[f]), np.uint64(x_start[f + 1])
        chosen = pairs.live[pairs.start[f] : pairs.end[f]]
        # C[p, t] -= basis[k, p] along[k, t]
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            at, b = np.uint64(c_at[pair]), np.uint64(label[pair])
            t_first, t_end = np.uint64(t_start[b]), np.uint64(t_start[b + one])
            for i in range(first, end):
                for t in range(t_first, t_end):
                    value = C[at]
                    for k in range(np.uint64(done[pair]), np.uint64(rest.n_basis)):
                        value -= basis[k, i] * along[k, t]
                    C[at] = value
                    at += one
            done[pair] = rest.n_basis
        rank = half_shares(f, x_start, chosen, pairs, rest)
        gain, share = 0.0, 0.0
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            owner = np.uint64(label[pair])
            gain += scale[owner] * max(min(view[pair], minimum[pair]), 0.0)
            share += scale[owner] * (view[pair] + rank * bias[owner])
        J[f], shares[f] = gain, share


@njit
def half_shares(
    f: int, x_start: IntArray, chosen: IntArray, pairs: Pairs, rest: Residual
) -> int:
    """n/2 times the share of labels that f explains, less bias: `explained` of pairs.

    C' V^-1 C by the Cholesky root of V, without collinear columns. Returns its rank.

    chosen: int64[some], pairs of the feature
    """
    label, C, c_at, view = pairs.label, pairs.C, pairs.c_at, pairs.explained
    first, width = x_start[f], x_start[f + 1] - x_start[f]
    half, bias, at = rest.half, rest.bias, rest.v_start[f]
    if width == 1 and half.size == bias.size:
        V = rest.V[at]
        inverse = 1.0 / V if rest.tolerance[first] < V else 0.0
        for j in range(np.uint64(chosen.size)):
            pair = np.uint64(chosen[j])
            c, owner = C[np.uint64(c_at[pair])], np.uint64(label[pair])
            view[pair] = c * c * inverse * half[owner] - bias[owner]
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
            total += half[t_first + t] * squares
        view[chosen[j]] = total - rank * bias[owner]
    return rank


@njit
def condition(
    features: IntArray,
    x: FeatureLists,
    y: TargetLists,
    pairs: Pairs,
    picks: Picks,
    own: FloatArray,
    general: bool | None,
    scale: FloatArray,
    enough: FloatArray,
    T: FloatArray,
    J: FloatArray,
) -> None:
    """Lower pairs to I(f; l | s) of the picks s that they were not looked at with.

    Where J falls below what is enough, a feature is not looked at any further.

    own: float64[picks or more, labels], sum over strata of T(levels of l)
    enough: float64[features]
    """
    # Unsigned numbers need no check whether they count from the end.
    live, minimum, label, view = pairs.live, pairs.minimum, pairs.label, pairs.explained
    n_picks, given = picks.start.size - 1, np.empty(y.end.size)
    n_at, n_fl, n_l = pairs.n_at, pairs.joint, y.n_y
    n_fls = np.empty(n_l.size, np.uint32)
    for f in features:
        start = np.uint64(pairs.start[f])
        while pairs.seen[f] < n_picks and J[f] >= enough[f]:
            chosen, s = live[start : pairs.end[f]], pairs.seen[f]
            if general is None:
                level, n_ls, own_s = picks.level[s], picks.n_ys[2 * s + 1], own[s]
                rest, n_s = np.uint64(picks.n_s[2 * s]), np.uint64(picks.n_s[2 * s + 1])
                n_fls[:] = 0
                with_f = np.uint64(0)
                for p in range(np.uint64(x.begin[f]), np.uint64(x.begin[f + 1])):
                    row = np.uint64(x.samples[p])
                    if level[row]:
                        with_f += np.uint64(1)
                        stop = np.uint64(y.begin[row + np.uint64(1)])
                        for j in range(np.uint64(y.begin[row]), stop):
                            n_fls[y.columns[j]] += np.uint32(1)
                f_rest = np.uint64(x.n_x[f]) - with_f
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
                    # sum over both strata of T(cells) - T(levels of f)
                    # - T(levels of l) + T(N)
                    value = (T[both] + T[with_f - both]) + (T[with_s - both] + of_f)
                    value += T[n_s - with_f - with_s + both] - own_s[b]
                    value += (T[others] + T[f_rest - others]) + T[l_rest - others]
                    value += T[rest - f_rest - l_rest + others]
                    freedom = (varies and 0 < with_s < n_s) + (
                        varies_rest and 0 < l_rest < rest
                    )
                    given[j] = value - BIAS * freedom
            else:
                given_levels(f, s, chosen, x, y, pairs, picks, T, given)
            kept, gain, most = 0, 0.0, 0.0
            for j in range(np.uint64(chosen.size)):
                pair = np.uint64(chosen[j])
                b, value = np.uint64(label[pair]), min(minimum[pair], given[j])
                minimum[pair] = value
                if value > 0.0:
                    chosen[j], chosen[kept] = chosen[kept], chosen[j]
                    gain += scale[b] * max(min(view[pair], value), 0.0)
                    most += scale[b] * value
                    kept += 1
            pairs.end[f], J[f], pairs.bound[f] = pairs.start[f] + kept, gain, most
            pairs.seen[f] += 1


@njit
def given_levels(
    f: int,
    s: int,
    chosen: IntArray,
    x: FeatureLists,
    y: TargetLists,
    pairs: Pairs,
    picks: Picks,
    T: FloatArray,
    out: FloatArray,
) -> None:
    """n I(f; l | s) less bias of some pairs, of any levels, known or not: `out`.

    chosen: int64[some], pairs of the feature
    out: float64[some or more], overwritten
    """
    first, width = x.start[f], x.start[f + 1] - x.start[f]
    low, high, level = picks.start[s], picks.start[s + 1], picks.level[s]
    n_s, n_y = picks.n_s[low:high], picks.n_ys[low:high]
    joint = np.zeros((n_s.size, width, y.n_y.size), np.uint32)
    n_x = np.zeros((n_s.size, width), np.int64)
    n_x[0] = x.n_x[first : first + width]
    for i in range(width):
        for p in range(x.begin[first + i], x.begin[first + i + 1]):
            row = np.uint64(x.samples[p])
            c = level[row]
            if c:
                n_x[0, i] -= 1
                n_x[c, i] += 1
                for j in range(y.begin[row], y.begin[row + np.uint64(1)]):
                    joint[c, i, y.columns[j]] += np.uint32(1)
    cells = np.empty((width + 1, largest_step(y.start) + 1), np.int64)
    for j in range(chosen.size):
        b, at, value = pairs.label[chosen[j]], pairs.n_at[chosen[j]], 0.0
        for i in range(width):
            for t in range(y.start[b], y.start[b + 1]):
                joint[0, i, t] = pairs.joint[at]
                at += 1
                for c in range(1, n_s.size):
                    joint[0, i, t] -= joint[c, i, t]
        for c in range(n_s.size):
            fill_cells(b, joint[c], n_x[c], n_y[c], n_s[c], y, cells)
            n_levels = y.end[b] - y.start[b] + 1
            found, freedom = table_information(cells, width + 1, n_levels, T)
            value += found - BIAS * freedom
        out[j] = (T.size - 1) / y.n_known[b] * value
