"""Kernels of Sieve: some features beside chosen ones, from lists of rows.

All values are n times information in nats, and bit for bit those of the tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IntArray,
    WordArray,
)
from labelsieve.counting import CodedTriples
from labelsieve.counting.corrected_kernels import conditional_information, triple_sum
from labelsieve.counting.entropy_kernels import pair_sum
from labelsieve.counting.kernels import popcount
from labelsieve.counting.known_kernels import (
    FREEDOM_GIVEN,
    GIVEN,
    N_ROWS,
    known_information,
)
from labelsieve.counting.plane_kernels import RowFeatures, count_features, scratch
from labelsieve.selectors.sieve.coded_synergy import Whole
from labelsieve.selectors.sieve.given_kernels import freedom_given, own_sum
from labelsieve.selectors.sieve.kernels import Pairs
from labelsieve.selectors.sieve.known_kernels import (
    split_known,
    sum_of_split,
    told_given,
)
from labelsieve.selectors.sieve.view_kernels import View, gain_of, view_pairs

ONE = np.uint64(1)

# Whether labels are known in every row, and columns have two codes everywhere.
BINARY, ANY, KNOWN_BINARY, KNOWN_ANY = range(4)


class Chosen(NamedTuple):
    """The chosen features, and the rows to look at others beside them."""

    start: IntArray  # [chosen + 1] the first indicator of each
    marks: WordArray  # [indicators / 64, n] bits of the indicators of each row
    n_g: CountArray  # [room] rows with each indicator
    n_gl: CountArray  # [room, Y] rows with each and a label indicator
    n_fg: CountArray  # [room, X] rows with each and a feature indicator
    own: FloatArray  # [room, L] S(g) - S(g, l), of the chosen features
    rows: Lists  # those of each feature indicator
    of_row: RowFeatures  # the label indicators of each row


class Gains(NamedTuple):
    """What features gain."""

    enough: FloatArray  # [features] below this it need not be known
    now: FloatArray  # [features] beside the chosen ones that were looked at
    most: FloatArray  # [features] the same, whatever the linear view


@njit
def look_beside(
    features: IntArray,
    seen: IntArray,
    chosen: Chosen,
    whole: Whole,
    kind: int,
    strict: float,
    view: View,
    scale: FloatArray,
    gains: Gains,
    pairs: Pairs,
) -> None:
    """Lower the value of pairs to what they tell beside chosen ones, less chance.

    A feature that gains less than is enough for it is not looked at any further.

    features: int64[some], whose products are up to date
    seen: int64[features], how many chosen features each was looked at beside; updated
    kind: which labels there are
    strict: how many times the information that chance shows on average is taken off
    scale: float64[labels], how much each counts
    """
    n_chosen, room = chosen.start.size - 1, scratch()
    most, n_labels = 1, whole.n_l.size
    for k in range(n_chosen):
        most = max(most, chosen.start[k + 1] - chosen.start[k])
    views = np.empty(scale.size)
    for f in features:
        low, width = whole.x_start[f], whole.x_start[f + 1] - whole.x_start[f]
        first = chosen.start[seen[f]]
        start, rows = _rows_beside(low, low + width, first, chosen)
        n_others = chosen.start[n_chosen] - first
        tally = np.empty((most, width, n_labels), np.uint32)
        view_pairs(f, view, pairs.labels[pairs.start[f] : pairs.end[f]], views)
        gain = gain_of(f, views, pairs, scale)
        while seen[f] < n_chosen and gain >= gains.enough[f]:
            k = seen[f]
            left, n_given = chosen.start[k], chosen.start[k + 1] - chosen.start[k]
            for c in range(width):
                for g in range(n_given):
                    at = c * n_others + left + g - first
                    both = rows[start[at] : start[at + 1]]
                    count_features(both, chosen.of_row, room, tally[g, c])
            _lower(f, k, tally[:n_given], chosen, whole, kind, strict, pairs)
            _drop(f, views, pairs)
            gain = gain_of(f, views, pairs, scale)
            seen[f] += 1
        gains.now[f], gains.most[f] = gain, _bound(f, pairs, scale)


@njit
def _rows_beside(low: int, high: int, first: int, chosen: Chosen) -> Lists:
    """The rows of indicators in [low, high) that have those of chosen features.

    One list for each and each indicator of chosen features from the first on.
    """
    last = chosen.start[-1]
    n_others = last - first
    start = np.zeros((high - low) * n_others + 1, np.int64)
    for c in range(high - low):
        for g in range(n_others):
            at = c * n_others + g
            start[at + 1] = start[at] + chosen.n_fg[first + g, low + c]
    place, found = start.copy(), np.empty(start[-1], np.uint32)
    rows = chosen.rows
    for c in range(high - low):
        shift = c * n_others - first
        begin, end = rows.start[low + c], rows.start[low + c + 1]
        for word in range(first >> 6, (last + 63) >> 6):
            marks, unseen = chosen.marks[word], ~np.uint64(0)
            if word == first >> 6:
                unseen <<= np.uint64(first & 63)
            for p in range(np.uint64(begin), np.uint64(end)):
                row = np.uint64(rows.entries[p])
                bits = marks[row] & unseen
                while bits:
                    lowest = bits & (~bits + ONE)
                    at = np.int64(popcount(lowest - ONE)) + (word << 6) + shift
                    found[place[at]] = row
                    place[at] += 1
                    bits ^= lowest
    return Lists(start, found)


@njit
def _lower(
    f: int,
    k: int,
    n_fgl: CountArray,
    chosen: Chosen,
    whole: Whole,
    kind: int,
    strict: float,
    pairs: Pairs,
) -> None:
    """Lower the pairs of a feature by the k-th chosen one.

    n_fgl: uint32[indicators of g, indicators of f, Y], rows with all three
    """
    if kind == BINARY:
        _lower_binary(f, k, n_fgl[0, 0], chosen, whole, strict, pairs)
        return
    if kind == KNOWN_BINARY:
        _lower_known(f, k, n_fgl[0, 0], chosen, whole, strict, pairs)
        return
    two_codes = whole.y_start[-1] == whole.y_end.size
    if n_fgl.shape[0] <= 2 and n_fgl.shape[1] <= 2 and two_codes:
        _lower_by_three(f, k, n_fgl, chosen, whole, strict, pairs)
        return
    x = slice(whole.x_start[f], whole.x_start[f + 1])
    g = slice(chosen.start[k], chosen.start[k + 1])
    counts = CodedTriples(
        whole.n_f[x],
        chosen.n_fg[g, x],
        chosen.n_g[g],
        whole.n_lf[x].T,
        whole.n_l,
        chosen.n_gl[g],
        np.array([0, x.stop - x.start]),
        whole.y_start,
        whole.n,
        whole.table,
    )
    told, by_line = np.empty(7), n_fgl.transpose(0, 2, 1)
    for p in range(pairs.start[f], pairs.end[f]):
        b = int(pairs.labels[p])
        if kind == KNOWN_ANY:
            b_end = whole.y_end[b] - whole.y_start[b]
            known_information(by_line, counts, counts.n_a.size, b_end, 0, b, 0, told)
            excess = told[GIVEN] - 0.5 * strict * told[FREEDOM_GIVEN]
            excess *= whole.n / told[N_ROWS]
        else:
            conditional_information(by_line, counts, 0, b, 0, told[:3])
            excess = told[0] - 0.5 * strict * told[1]
        pairs.values[p] = min(pairs.values[p], excess)


@njit
def _lower_binary(
    f: int,
    k: int,
    n_fgl: CountArray,
    chosen: Chosen,
    whole: Whole,
    strict: float,
    pairs: Pairs,
) -> None:
    """The same where all columns have two codes.

    n_fgl: uint32[Y], rows with all three
    """
    table, n_f, n_lf = whole.table, np.uint64(whole.n_f[f]), whole.n_lf[f]
    g, fg, n_gl = np.uint64(chosen.n_g[k]), np.uint64(chosen.n_fg[k, f]), chosen.n_gl[k]
    rest = np.uint64(whole.n) - g
    s_fg = pair_sum(fg, n_f, g, rest, table)
    for p in range(np.uint64(pairs.start[f]), np.uint64(pairs.end[f])):
        b = np.uint64(pairs.labels[p])
        both, fl = np.uint64(n_gl[b]), n_lf[b]
        not_g = np.uint64(whole.n_l[b]) - both
        value = chosen.own[k, b] - s_fg
        value += triple_sum(n_fgl[b], fg, n_f, fl, g, rest, both, not_g, table)
        freedom = freedom_given(fg, n_f, g, rest, both, not_g)
        pairs.values[p] = min(pairs.values[p], value - strict * freedom)


@njit
def _lower_by_three(
    f: int,
    k: int,
    n_fgl: CountArray,
    chosen: Chosen,
    whole: Whole,
    strict: float,
    pairs: Pairs,
) -> None:
    """The same where labels have two codes, and both features three at most.

    Bit for bit what `conditional_information` finds, without tables. A third code that
    a feature has not has no rows, which adds nothing.

    n_fgl: uint32[1 or 2, 1 or 2, Y]
    """
    table, g, x = whole.table, chosen.start[k], whole.x_start[f]
    n_given, width = n_fgl.shape[0], n_fgl.shape[1]
    # size[c, i]: rows with code c of f, the last one the rest, and code i of g.
    size, free, sums = np.zeros((3, 3), np.uint64), np.full(3, -1), np.empty((3, 3))
    size[2, 0] = whole.n
    for i in range(1, n_given + 1):
        size[2, i] = chosen.n_g[g + i - 1]
        size[2, 0] -= size[2, i]
    n_g = size[2].copy()
    for c in range(width):
        size[c, 0] = whole.n_f[x + c]
        for i in range(1, n_given + 1):
            size[c, i] = chosen.n_fg[g + i - 1, x + c]
            size[c, 0] -= size[c, i]
        for i in range(3):
            size[2, i] -= size[c, i]
    for c in range(3):
        for i in range(3):
            sums[c, i] = table[size[c, i]]
            free[i] += size[c, i] > 0
    here = np.zeros((3, 3), np.uint64)
    for p in range(np.uint64(pairs.start[f]), np.uint64(pairs.end[f])):
        b = np.uint64(pairs.labels[p])
        here[2, 0] = whole.n_l[b]
        for i in range(1, n_given + 1):
            here[2, i] = chosen.n_gl[g + i - 1, b]
            here[2, 0] -= here[2, i]
        freedom = 0.0
        for i in range(3):
            if here[2, i] > 0 and here[2, i] < n_g[i]:
                freedom += max(free[i], 0)
        for c in range(width):
            here[c, 0] = whole.n_lf[x + c, b]
            for i in range(1, n_given + 1):
                here[c, i] = n_fgl[i - 1, c, b]
                here[c, 0] -= here[c, i]
            for i in range(3):
                here[2, i] -= here[c, i]
        total = chosen.own[k, b]
        for c in range(3):
            part = 0.0
            for i in range(3):
                part += table[size[c, i] - here[c, i]]
                part += table[here[c, i]]
                part -= sums[c, i]
            total += part
        excess = max(0.0, total) - 0.5 * strict * freedom
        pairs.values[p] = min(pairs.values[p], excess)


@njit
def _lower_known(
    f: int,
    k: int,
    n_fgl: CountArray,
    chosen: Chosen,
    whole: Whole,
    strict: float,
    pairs: Pairs,
) -> None:
    """The same where columns have two codes and some labels are not always known.

    n_fgl: uint32[Y], rows with all three
    """
    n_k, n_gl, n_lf = whole.n_k, chosen.n_gl[k], whole.n_lf[f]
    for p in range(pairs.start[f], pairs.end[f]):
        b = np.uint64(pairs.labels[p])
        line, last = whole.y_start[b], whole.y_end[b]
        hidden, lost, f_all = np.uint32(0), np.uint32(0), whole.n_f[f]
        if last < whole.y_start[b + ONE]:
            hidden, lost = n_fgl[last], n_gl[last]
            f_all -= n_lf[last]
        split = split_known(chosen.n_g[k], lost, n_gl[line], whole.n_l[line], n_k[b])
        f_g = np.uint64(chosen.n_fg[k, f]) - np.uint64(hidden)
        value = told_given(
            *(np.uint64(n_fgl[line]), f_g, np.uint64(n_lf[line]), np.uint64(f_all)),
            *(split, chosen.own[k, b], strict, whole.table),
        )
        value *= whole.n / np.uint64(n_k[b])
        pairs.values[p] = min(pairs.values[p], value)


@njit
def _drop(f: int, views: FloatArray, pairs: Pairs) -> None:
    """Take pairs of a feature off the list whose value is not positive any more.

    views: float64[any], one for each of its pairs, likewise
    """
    start = pairs.start[f]
    kept = start
    for p in range(start, pairs.end[f]):
        if pairs.values[p] > 0.0:
            pairs.labels[kept] = pairs.labels[p]
            pairs.values[kept] = pairs.values[p]
            views[kept - start] = views[p - start]
            kept += 1
    pairs.end[f] = kept


@njit
def fill_own(
    n_g: CountArray, n_gl: CountArray, whole: Whole, kind: int, out: FloatArray
) -> None:
    """out[l] = S(g) - S(g, l) for a chosen feature and the first value of each label.

    n_g: uint32[indicators of g], rows with each
    n_gl: uint32[indicators of g, Y], rows with each and a label indicator
    out: float64[L], overwritten
    """
    table = whole.table
    for b in range(out.size):
        line, last = whole.y_start[b], whole.y_end[b]
        if kind == KNOWN_BINARY:
            unsure = last < whole.y_start[b + 1]
            lost = n_gl[0, last] if unsure else np.uint32(0)
            with_g, with_any = n_gl[0, line], whole.n_l[line]
            split = split_known(n_g[0], lost, with_g, with_any, whole.n_k[b])
            out[b] = sum_of_split(split, table)
            continue
        if kind == BINARY:
            rows, both = np.uint64(n_g[0]), np.uint64(n_gl[0, b])
            rest, n_l = np.uint64(whole.n) - rows, np.uint64(whole.n_l[b])
            out[b] = own_sum(rows, rest, both, n_l, table)
            continue
        without, with_l = np.uint64(whole.n), np.uint64(whole.n_l[line])
        for g in range(n_g.size):
            without -= np.uint64(n_g[g])
            with_l -= np.uint64(n_gl[g, line])
        out[b] = (table[without] - table[without - with_l]) - table[with_l]
        for g in range(n_g.size):
            together, here = np.uint64(n_g[g]), np.uint64(n_gl[g, line])
            out[b] += table[together]
            out[b] -= table[together - here]
            out[b] -= table[here]


@njit
def fill_bounds(
    features: IntArray, pairs: Pairs, scale: FloatArray, out: FloatArray
) -> None:
    """out[f] = what a feature gains at most, whatever the chosen ones explain.

    features: int64[some]
    scale: float64[labels], how much each counts
    out: float64[features], overwritten for these
    """
    for f in features:
        out[f] = _bound(f, pairs, scale)


@njit
def _bound(f: int, pairs: Pairs, scale: FloatArray) -> float:
    """The same of one feature.

    scale: float64[labels]
    """
    bound = 0.0
    for p in range(np.uint64(pairs.start[f]), np.uint64(pairs.end[f])):
        bound += scale[pairs.labels[p]] * max(pairs.values[p], 0.0)
    return bound
