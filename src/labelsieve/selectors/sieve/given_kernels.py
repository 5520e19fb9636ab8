"""Kernels of Sieve: what features tell of labels given a chosen feature g.

All values are n times information in nats. Names of counts are those of counting.

n_fgl: uint32[label indicators of a block, feature indicators], rows with both and g;
    for any codes uint32[indicators of g, these, those]
features: int64[some features], those that are codes
table: float64[n + 1], k log(k/n)
strict: how many times the information that chance shows on average is taken off
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
)
from labelsieve.counting import BinaryTriples, CodedTriples
from labelsieve.counting.corrected_kernels import (
    conditional_information,
    information_of_two,
    split_by_label,
    triple_sum,
)
from labelsieve.selectors.sieve.kernels import ROUNDED_UP, Pairs

# Fewer expected rows than this in a cell make squared contrasts unreliable.
FEWEST_EXPECTED = 5.0
# An interaction is worth a feature if it explains this share of a label's variance.
STRONG = 0.1
# A difference of differences of shares is at most 2; a little is added for rounding.
LARGEST_SQUARE = 4.0 * ROUNDED_UP


class Synergy(NamedTuple):
    """What makes the product of two indicators count."""

    owner: IntArray  # [feature indicators] the feature of each
    limit: float  # how clear it must be
    scale: FloatArray  # [label indicators] how much each counts


@njit
def lower_binary(
    n_fgl: CountArray,
    counts: BinaryTriples,
    n_lf: CountArray,
    s_fg: FloatArray,
    strict: float,
    first: int,
    features: IntArray,
    pairs: Pairs,
) -> None:
    """Lower the value of pairs to n I(f; l | g) less chance; two codes everywhere.

    For the block of labels that begins with `first`.

    n_lf: uint32[F, labels], n_fl label by label of each feature, as they are taken
    s_fg: float64[F], S(f, g)
    """
    n_f, n_fg, n_g, _, n_l, n_gl, n, table = counts
    g, rest = np.uint64(n_g), np.uint64(n) - np.uint64(n_g)
    last, n_labels = first + n_l.size, n_l.size
    own = np.empty(n_labels)
    for b in range(n_labels):
        own[b] = own_sum(g, rest, np.uint64(n_gl[b]), np.uint64(n_l[b]), table)
    for f in features:
        fg, f_all = np.uint64(n_fg[f]), np.uint64(n_f[f])
        start, end = pairs.start[f], pairs.end[f]
        for i in range(start + first_of(pairs.labels[start:end], first), end):
            if pairs.labels[i] >= last:
                break
            b, fl = int(pairs.labels[i]) - first, n_lf[f, pairs.labels[i]]
            both = np.uint64(n_gl[b])
            t, not_g = n_fgl[b, f], np.uint64(n_l[b]) - both
            value = own[b] - s_fg[f]
            value += triple_sum(t, fg, f_all, fl, g, rest, both, not_g, table)
            freedom = freedom_given(fg, f_all, g, rest, both, not_g)
            pairs.values[i] = min(pairs.values[i], value - strict * freedom)


@njit
def own_sum(
    g: Scalar, rest: Scalar, both: Scalar, n_l: Scalar, table: FloatArray
) -> float:
    """S(g) - S(g, l) of two codes each; `rest` rows lack g, `both` have both."""
    not_g = n_l - both
    s_gl = table[both] + table[not_g] + table[g - both] + table[rest - not_g]
    return table[g] + table[rest] - s_gl


@njit
def freedom_given(
    fg: Scalar, n_f: Scalar, g: Scalar, rest: Scalar, both: Scalar, not_g: Scalar
) -> float:
    """Half the degrees of freedom of f and l given g, of two codes each.

    `rest` rows lack g, `both` have g and l, `not_g` l but not g.
    """
    freedom = 0.0
    if 0 < fg < g and 0 < both < g:
        freedom += 0.5
    if 0 < n_f - fg < rest and 0 < not_g < rest:
        freedom += 0.5
    return freedom


@njit
def first_of(labels: IndexArray, wanted: int) -> int:
    """The place of the first label that is not below the wanted one.

    labels: uint32[pairs of a feature], ascending
    """
    low, high = 0, labels.size
    while low < high:
        middle = (low + high) // 2
        if labels[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def lower_any(
    n_fgl: CountArray,
    counts: CodedTriples,
    low: int,
    high: int,
    strict: float,
    features: IntArray,
    pairs: Pairs,
) -> None:
    """Like `lower_binary`, for any codes and labels in [low, high)."""
    told = np.empty(3)
    y_start, table = counts.y_start, counts.table
    joint = np.empty((high - low, counts.n_a.size + 1, 2), dtype=np.uint64)
    own = np.zeros(high - low)
    for b in range(high - low):
        split_by_label(counts, y_start[low + b], joint[b])
        for i in range(joint.shape[1]):
            own[b] += table[joint[b, i, 0] + joint[b, i, 1]]
            own[b] -= table[joint[b, i, 0]]
            own[b] -= table[joint[b, i, 1]]
    for f in features:
        start, end = pairs.start[f], pairs.end[f]
        for i in range(start + first_of(pairs.labels[start:end], low), end):
            b = int(pairs.labels[i]) - low
            if b >= high - low:
                break
            line, at = y_start[low + b], y_start[low + b] - y_start[low]
            if counts.n_a.size == 2 and y_start[low + b + 1] == line + 1:
                told[0], told[1] = information_of_two(
                    n_fgl[:, at], counts, line, f, own[b], joint[b]
                )
            else:
                conditional_information(n_fgl, counts, low, low + b, f, told)
            excess = told[0] - 0.5 * strict * told[1]
            pairs.values[i] = min(pairs.values[i], excess)


@njit
def add_interactions(
    n_fgl: CountArray,
    counts: BinaryTriples,
    first: int,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """out[owner[i]] += gain of the product of indicators i and g, beyond their sum.

    The difference of differences of a label's means in the four cells of i and g,
    where each cell has at least five expected labels, as variance explained. It
    counts where it is clear and more than i and g explain by themselves. The block of
    labels begins with the indicator `first`.

    out: float64[features]
    """
    n_f, n_fg, n_g, n_fl, n_l, n_gl, n, _ = counts
    able = np.empty(n_f.size, dtype=np.uint64)
    smallest = np.empty(n_f.size)
    of_all, of_f, of_g, of_l = np.empty((4, n_f.size))
    n_able, most = np.uint64(0), 0.0
    for i in range(np.uint64(n_f.size)):
        both = np.float64(n_fg[i])
        f_only, g_only = n_f[i] - both, n_g - both
        neither = n - f_only - n_g
        fewest = smallest_cell(both, n_f[i], n_g, n)
        # A label that half of the rows have needs the fewest rows in a cell.
        if fewest >= 2.0 * FEWEST_EXPECTED:
            # What each count contributes to the difference of differences.
            of_l[n_able] = 1.0 / neither
            of_f[n_able] = 1.0 / f_only + of_l[n_able]
            of_g[n_able] = 1.0 / g_only + of_l[n_able]
            of_all[n_able] = 1.0 / both + of_f[n_able] + 1.0 / g_only
            able[n_able], smallest[n_able] = i, fewest
            n_able += np.uint64(1)
            most = max(most, fewest)
    for line in range(n_l.size):
        share = n_l[line] / n
        noise = share * (1.0 - share)
        enough = FEWEST_EXPECTED / min(share, 1.0 - share)
        if most < enough:
            continue
        least = max(synergy.limit, STRONG * n) * noise
        all_three, with_f = n_fgl[line], n_fl[line]
        with_g, here = np.float64(n_gl[line]), np.float64(n_l[line])
        for a in range(n_able):
            i = able[a]
            contrast = (all_three[i] * of_all[a] - with_f[i] * of_f[a]) - (
                with_g * of_g[a] - here * of_l[a]
            )
            # The four inverse sizes of the cells are the variance of the contrast.
            gain = contrast * contrast / of_all[a]
            if gain > least and smallest[a] >= enough:
                alone = explained(with_f[i], n_f[i], n_l[line], n)
                alone += explained(n_gl[line], n_g, n_l[line], n)
                if gain > alone:
                    scale = synergy.scale[first + line]
                    out[synergy.owner[i]] += scale * (gain - noise)


@njit
def first_at_most(values: FloatArray, most: float) -> int:
    """The place of the first value that is no more than `most`, or how many there are.

    values: float64[any], descending
    """
    low, high = 0, values.size
    while low < high:
        middle = (low + high) // 2
        if values[middle] > most:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def smallest_cell(both: float, n_f: Scalar, n_g: Scalar, n: Scalar) -> float:
    """How many rows the smallest of the four cells of f and g has."""
    f_only, g_only = n_f - both, n_g - both
    return min(min(both, f_only), min(g_only, n - f_only - n_g))


@njit
def explained(n_xl: Scalar, n_x: Scalar, n_l: Scalar, n: Scalar) -> float:
    """What an indicator explains of a label's sum of squares."""
    together = n_xl - n_x * (n_l / n)
    return together * together / (n_x - n_x * (n_x / n))
