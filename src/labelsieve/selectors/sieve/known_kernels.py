"""Kernels of Sieve for labels that are not known in every row.

The last indicator of such a label says where it is not known. Each label is looked at
over its N known rows; what is found counts n/N times, as if all rows were like them.

n_fgl: uint32[G, indicators of labels in [low, high), X], rows with a label and g
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IntArray,
    Scalar,
    WordArray,
)
from labelsieve.counting import CodedTriples, KnownLabels
from labelsieve.counting.known_kernels import (
    FREEDOM_GIVEN,
    GIVEN,
    N_ROWS,
    known_information,
)
from labelsieve.selectors.sieve.given_kernels import (
    FEWEST_EXPECTED,
    STRONG,
    Synergy,
    explained,
    first_of,
    smallest_cell,
)
from labelsieve.selectors.sieve.kernels import Pairs


class GivenIndicator(NamedTuple):
    """Joint counts of one indicator g of the chosen feature."""

    n_fg: CountArray  # [X] with each feature indicator
    n_g: int  # rows with it
    n_gl: CountArray  # [Y] with each label indicator


class Split(NamedTuple):
    """The rows where a label of two codes is known, by g and by the label."""

    g: Scalar  # rows with g
    both: Scalar  # those of them with the label
    rest: Scalar  # rows without g
    not_g: Scalar  # those of them with the label


@njit
def split_known(
    n_g: Scalar, hidden: Scalar, n_gl: Scalar, n_l: Scalar, n_k: Scalar
) -> Split:
    """Split the `n_k` rows where a label is known; it is not in `hidden` rows of g."""
    g, both = np.uint64(n_g) - np.uint64(hidden), np.uint64(n_gl)
    return Split(g, both, np.uint64(n_k) - g, np.uint64(n_l) - both)


@njit
def sum_of_split(split: Split, table: FloatArray) -> float:
    """S(g) - S(g, l).

    table: float64[n + 1], k log(k/n)
    """
    g, both, rest, not_g = split
    s_gl = table[both] + table[not_g] + table[g - both] + table[rest - not_g]
    return table[g] + table[rest] - s_gl


@njit
def told_given(
    t: Scalar,
    f_g: Scalar,
    f_l: Scalar,
    f_all: Scalar,
    split: Split,
    own: Scalar,
    strict: float,
    table: FloatArray,
) -> float:
    """N I(f; l | g) less chance, over the N rows where l is known; two codes each.

    `t` rows have all three, `f_g` have f and g, `f_l` f and l, and `f_all` have f.

    own: what `sum_of_split` says
    table: float64[n + 1], k log(k/n)
    """
    g, both, rest, not_g = split
    f_rest, f_l = f_all - f_g, f_l - t
    inside = (table[t] + table[f_g - t]) + (
        table[both - t] + table[(g - f_g) - (both - t)]
    )
    outside = (table[f_l] + table[f_rest - f_l]) + (
        table[not_g - f_l] + table[(rest - f_rest) - (not_g - f_l)]
    )
    pair = (table[f_g] + table[g - f_g]) + (table[f_rest] + table[rest - f_rest])
    freedom = 0.0
    if 0 < both < g and 0 < f_g < g:
        freedom += 0.5
    if 0 < not_g < rest and 0 < f_rest < rest:
        freedom += 0.5
    return inside + outside - pair + own - strict * freedom


@njit
def lower_known_binary(
    n_fgl: CountArray,
    given: GivenIndicator,
    counts: KnownLabels,
    strict: float,
    low: int,
    high: int,
    features: IntArray,
    pairs: Pairs,
) -> None:
    """Lower the value of pairs to n I(f; l | g) less chance; two codes everywhere.

    n_fgl: uint32[indicators of labels in [low, high), F]
    features: int64[some features], those that are codes
    """
    _, n_fk, n_fl, n_l, n_k, y_start, y_end, n, table = counts
    n_fg, n_g, n_gl = given
    never = np.zeros(n_fg.size, dtype=np.uint32)
    for f in features:
        start, end = pairs.start[f], pairs.end[f]
        for i in range(start + first_of(pairs.labels[start:end], low), end):
            label = int(pairs.labels[i])
            if label >= high:
                break
            line, last = y_start[label], y_end[label]
            unsure = last < y_start[label + 1]
            hidden = n_fgl[last - y_start[low]] if unsure else never
            lost = n_gl[last] if unsure else np.uint32(0)
            split = split_known(n_g, lost, n_gl[line], n_l[line], n_k[label])
            t = np.uint64(n_fgl[line - y_start[low], f])
            f_g = np.uint64(n_fg[f]) - np.uint64(hidden[f])
            f_l, f_all = np.uint64(n_fl[line, f]), np.uint64(n_fk[label, f])
            own = sum_of_split(split, table)
            value = told_given(t, f_g, f_l, f_all, split, own, strict, table)
            value *= n / np.uint64(n_k[label])
            pairs.values[i] = min(pairs.values[i], value)


@njit
def lower_known_any(
    n_fgl: CountArray,
    counts: CodedTriples,
    y_end: IntArray,
    strict: float,
    low: int,
    high: int,
    features: IntArray,
    pairs: Pairs,
) -> None:
    """Like `lower_known_binary`, for any codes.

    y_end: int64[labels], where the indicators of known values end
    features: int64[some features], those that are codes
    """
    told = np.empty(7)
    for f in features:
        for i in range(pairs.start[f], pairs.end[f]):
            b = int(pairs.labels[i])
            if low <= b < high:
                a_end, b_end = counts.n_a.size, y_end[b] - counts.y_start[b]
                known_information(n_fgl, counts, a_end, b_end, low, b, f, told)
                excess = told[GIVEN] - 0.5 * strict * told[FREEDOM_GIVEN]
                excess *= counts.n / told[N_ROWS]
                pairs.values[i] = min(pairs.values[i], excess)


@njit
def _list_able(
    given: GivenIndicator, n_f: CountArray, n: int, able: WordArray, fewest: FloatArray
) -> int:
    """List the indicators that have rows enough with g and without; returns how many.

    n_f: uint32[X], rows with each indicator
    able: uint64[X], filled in
    fewest: float64[X], filled in: the rows of their smallest cell with g
    """
    n_able = 0
    for i in range(n_f.size):
        both = np.float64(given.n_fg[i])
        smallest = smallest_cell(both, n_f[i], given.n_g, n)
        if smallest >= 2.0 * FEWEST_EXPECTED:
            able[n_able], fewest[n_able] = i, smallest
            n_able += 1
    return n_able


@njit
def add_known_synergy(
    n_fgl: CountArray,
    given: GivenIndicator,
    counts: KnownLabels,
    low: int,
    high: int,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """out[owner[i]] += gain of the product of indicators i and g, beyond their sum.

    See `add_interactions`; for labels in [low, high).

    n_fgl: uint32[indicators of these labels, X]
    out: float64[features]
    """
    n_fg, n_g, n_gl = given
    n_f, n_fk, n_fl, n_l, n_k, y_start, y_end, n, _ = counts
    never = np.zeros(n_fg.size, dtype=np.uint32)
    # Cells over all rows are no smaller: most indicators and labels are out at once.
    able, fewest = np.empty(n_f.size, dtype=np.uint64), np.empty(n_f.size)
    n_able = _list_able(given, n_f, n, able, fewest)
    most = fewest[:n_able].max() if n_able else 0.0
    for b in range(low, high):
        last = y_end[b]
        unsure = last < y_start[b + 1]
        hidden = n_fgl[last - y_start[low]] if unsure else never
        g = np.float64(n_g) - (n_gl[last] if unsure else 0)
        every = np.float64(n_k[b])
        for line in range(y_start[b], last):
            share = n_l[line] / every
            noise = share * (1.0 - share)
            enough = FEWEST_EXPECTED / min(share, 1.0 - share)
            if most < enough:
                continue
            least = max(synergy.limit, STRONG * every) * noise
            all_three, with_f = n_fgl[line - y_start[low]], n_fl[line]
            with_g, here = np.float64(n_gl[line]), np.float64(n_l[line])
            for a in range(n_able):
                if fewest[a] < enough:
                    continue
                i = able[a]
                both = np.float64(n_fg[i]) - hidden[i]
                f = np.float64(n_fk[b, i])
                f_only, g_only = f - both, g - both
                neither = every - f_only - g
                if min(min(both, f_only), min(g_only, neither)) < enough:
                    continue
                of_l = 1.0 / neither
                of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
                of_all = 1.0 / both + of_f + 1.0 / g_only
                contrast = (all_three[i] * of_all - with_f[i] * of_f) - (
                    with_g * of_g - here * of_l
                )
                gain = contrast * contrast / of_all
                if gain > least:
                    alone = explained(with_f[i], f, here, every)
                    alone += explained(with_g, g, here, every)
                    if gain > alone:
                        gain = n / every * (gain - noise)
                        out[synergy.owner[i]] += synergy.scale[line] * gain
