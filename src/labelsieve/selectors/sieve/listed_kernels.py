"""Kernels of Sieve over listed pairs of words and labels, two codes each.

n_f, n_l: uint32[features] and uint32[labels], rows with each
table: float64[n + 1], k log(k/n)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
)
from labelsieve.counting import BinaryTriples, JointCells
from labelsieve.selectors.sieve.given_kernels import (
    FEWEST_EXPECTED,
    STRONG,
    Synergy,
    explained,
    triple_sum,
)
from labelsieve.selectors.sieve.kernels import told_alone


class ListedPairs(NamedTuple):
    """Pairs that tell something, of a range of features."""

    low: int  # the first feature
    start: IntArray  # [features + 1] where the pairs of each feature begin
    labels: IndexArray  # [pairs] ascending within a feature
    counts: CountArray  # [pairs] rows with both
    alone: FloatArray  # [pairs] n times what f tells of l by itself, beyond chance
    least: FloatArray  # [pairs] the same beside any one chosen feature
    products: FloatArray  # [pairs] centred sums, less what the chosen explain


class Frequent(NamedTuple):
    """Labels by how often they occur."""

    order: IntArray  # [labels] the most frequent first
    able: IntArray  # [some] those that may show synergy, ascending
    enough: FloatArray  # [labels] how many rows a cell must have for it
    edges: IntArray  # [parts + 1] labels whose synergy is added up by itself


@njit
def count_listed(
    cells: JointCells,
    n_f: CountArray,
    n_l: CountArray,
    chance: float,
    order: IntArray,
    table: FloatArray,
    n_pairs: IntArray,
) -> None:
    """Count the pairs of each feature that tell more than chance.

    order: int64[labels], the most frequent first
    n_pairs: int64[features of the cells], overwritten
    """
    met = np.zeros(n_l.size, np.bool_)
    for i in range(n_pairs.size):
        f = cells.low + i
        n_told = 0
        for p in range(cells.start[i], cells.start[i + 1]):
            label = cells.labels[p]
            met[label] = True
            told = told_alone(cells.counts[p], n_f[f], n_l[label], table)
            n_told += told - chance > 0.0
        for label in order:
            if told_alone(0, n_f[f], n_l[label], table) - chance <= 0.0:
                break
            n_told += not met[label]
        for p in range(cells.start[i], cells.start[i + 1]):
            met[cells.labels[p]] = False
        n_pairs[i] = n_told


@njit
def fill_listed(
    cells: JointCells,
    n_f: CountArray,
    n_l: CountArray,
    chance: float,
    order: IntArray,
    table: FloatArray,
    pairs: ListedPairs,
) -> None:
    """List these pairs, by ascending labels.

    order: int64[labels], the most frequent first
    """
    met = np.zeros(n_l.size, np.bool_)
    for i in range(pairs.start.size - 1):
        f = cells.low + i
        first = place = pairs.start[i]
        for p in range(cells.start[i], cells.start[i + 1]):
            label = cells.labels[p]
            met[label] = True
            if told_alone(cells.counts[p], n_f[f], n_l[label], table) - chance > 0.0:
                pairs.labels[place], pairs.counts[place] = label, cells.counts[p]
                place += 1
        last = place
        for label in order:
            if told_alone(0, n_f[f], n_l[label], table) - chance <= 0.0:
                break
            if not met[label]:
                pairs.labels[place], pairs.counts[place] = label, 0
                place += 1
        for p in range(cells.start[i], cells.start[i + 1]):
            met[cells.labels[p]] = False
        if place > last:
            _sort_pairs(pairs.labels[first:place], pairs.counts[first:place])
        _measure(pairs, i, n_f[f], n_l, chance, table)


@njit
def _sort_pairs(labels: IndexArray, counts: CountArray) -> None:
    """Sort the pairs of a feature by their labels.

    labels: uint32[pairs]
    counts: uint32[pairs]
    """
    order = np.argsort(labels)
    labels[:], counts[:] = labels[order], counts[order]


@njit
def _measure(
    pairs: ListedPairs,
    i: int,
    n_f: int,
    n_l: CountArray,
    chance: float,
    table: FloatArray,
) -> None:
    """Fill in what the pairs of a feature tell, and their centred sums."""
    n = table.size - 1
    for p in range(pairs.start[i], pairs.start[i + 1]):
        label = pairs.labels[p]
        told = told_alone(pairs.counts[p], n_f, n_l[label], table) - chance
        pairs.alone[p] = pairs.least[p] = told
        pairs.products[p] = pairs.counts[p] - n_f * (n_l[label] / n)


@njit
def explain_listed(pairs: ListedPairs, along: FloatArray, basis: FloatArray) -> None:
    """Take from the products what a new basis vector explains.

    along: float64[labels]
    basis: float64[features]
    """
    for i in range(pairs.start.size - 1):
        step = basis[pairs.low + i]
        if step != 0.0:
            for p in range(pairs.start[i], pairs.start[i + 1]):
                pairs.products[p] -= step * along[pairs.labels[p]]


@njit
def add_listed_gains(
    pairs: ListedPairs,
    values: FloatArray,
    v: FloatArray,
    tiny: FloatArray,
    half: FloatArray,
    level: FloatArray,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """total[f] = sum over the labels of its pairs of the lesser of two views.

    values: float64[pairs], what pairs tell beyond chance
    v: float64[features], what is left of their variance
    tiny: float64[features], with less than this left they gain nothing
    half: float64[labels], half of what makes a sum of squares a share
    level: float64[labels], what is taken off
    scale: float64[labels], how much each counts
    total: float64[features]
    """
    for i in range(pairs.start.size - 1):
        f = pairs.low + i
        if v[f] <= tiny[f]:
            continue
        inverse, gain = 1.0 / v[f], 0.0
        for p in range(pairs.start[i], pairs.start[i + 1]):
            if values[p] > 0.0:
                label, product = pairs.labels[p], pairs.products[p]
                view = product * product * inverse * half[label] - level[label]
                least = min(view, values[p])
                if least > 0.0:
                    gain += scale[label] * least
        total[f] = gain


@njit
def lower_listed(
    pairs: ListedPairs,
    cells: JointCells,
    rows: Lists,
    of_row: Lists,
    counts: BinaryTriples,
    s_fg: FloatArray,
    strict: float,
    frequent: Frequent,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """Lower pairs to n I(f; l | g) less chance, and add up synergy; feature by feature.

    rows: those of g that have each feature; of_row: the labels of each row
    s_fg: float64[F], S(f, g)
    out: float64[features], zero where there is none
    """
    n_f, n_fg, n_g, _, n_l, n_gl, n, table = counts
    own = np.empty(n_l.size)
    varies, varies_else = np.empty((2, n_l.size), np.bool_)
    _given_labels(counts, own, varies, varies_else)
    g, rest = np.uint64(n_g), np.uint64(n) - np.uint64(n_g)
    tally, whole = np.zeros((2, n_l.size), np.uint32)
    for i in range(pairs.start.size - 1):
        f = pairs.low + i
        is_able = _fewest(f, counts) >= 2.0 * FEWEST_EXPECTED
        if pairs.start[i] == pairs.start[i + 1] and not is_able:
            continue
        _tally(rows, of_row, f, tally)
        fg, f_all = np.uint64(n_fg[f]), np.uint64(n_f[f])
        inside, outside = 0 < fg < g, 0 < f_all - fg < rest
        for p in range(pairs.start[i], pairs.start[i + 1]):
            if pairs.least[p] <= 0.0:
                continue
            b = pairs.labels[p]
            both = np.uint64(n_gl[b])
            t, fl, not_g = tally[b], pairs.counts[p], np.uint64(n_l[b]) - both
            value = own[b] - s_fg[f]
            value += triple_sum(t, fg, f_all, fl, g, rest, both, not_g, table)
            freedom = 0.0
            if inside and varies[b]:
                freedom += 0.5
            if outside and varies_else[b]:
                freedom += 0.5
            pairs.least[p] = min(pairs.least[p], value - strict * freedom)
        if is_able:
            for p in range(cells.start[i], cells.start[i + 1]):
                whole[cells.labels[p]] = cells.counts[p]
            out[f] = _synergy(f, tally, whole, counts, frequent, synergy)
            for p in range(cells.start[i], cells.start[i + 1]):
                whole[cells.labels[p]] = 0
        _clear(rows, of_row, f, tally)


@njit
def _given_labels(
    counts: BinaryTriples, own: FloatArray, varies: BoolArray, varies_else: BoolArray
) -> None:
    """S(g) - S(g, l), and whether l varies where g is and where it is not.

    own: float64[labels], overwritten
    varies, varies_else: bool[labels], overwritten
    """
    table, g = counts.table, np.uint64(counts.n_a)
    rest = np.uint64(counts.n) - g
    for b in range(own.size):
        both = np.uint64(counts.n_ab[b])
        not_g = np.uint64(counts.n_b[b]) - both
        s_gl = table[both] + table[not_g] + table[g - both] + table[rest - not_g]
        own[b] = table[g] + table[rest] - s_gl
        varies[b], varies_else[b] = 0 < both < g, 0 < not_g < rest


@njit
def _tally(rows: Lists, of_row: Lists, f: int, tally: CountArray) -> None:
    """Count the labels of the rows of a feature.

    tally: uint32[labels], added to
    """
    for p in range(rows.start[f], rows.start[f + 1]):
        row = rows.entries[p]
        for q in range(of_row.start[row], of_row.start[row + np.uint32(1)]):
            tally[of_row.entries[q]] += np.uint32(1)


@njit
def _clear(rows: Lists, of_row: Lists, f: int, tally: CountArray) -> None:
    """Set back to zero what `_tally` counted.

    tally: uint32[labels]
    """
    for p in range(rows.start[f], rows.start[f + 1]):
        row = rows.entries[p]
        for q in range(of_row.start[row], of_row.start[row + np.uint32(1)]):
            tally[of_row.entries[q]] = 0


@njit
def _fewest(f: int, counts: BinaryTriples) -> float:
    """How many rows the smallest of the four cells of f and g has."""
    both = np.float64(counts.n_fa[f])
    f_only, g_only = counts.n_f[f] - both, counts.n_a - both
    neither = counts.n - f_only - counts.n_a
    return min(min(both, f_only), min(g_only, neither))


@njit
def _synergy(
    f: int,
    tally: CountArray,
    whole: CountArray,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
) -> float:
    """The gain of the product of f and g: see `add_interactions`.

    tally, whole: uint32[labels], rows of f with and without g, and all, with each label
    """
    n_f, n_fg, n_g, _, n_l, n_gl, n, _ = counts
    both = np.float64(n_fg[f])
    f_only, g_only = n_f[f] - both, n_g - both
    neither = n - f_only - n_g
    fewest = _fewest(f, counts)
    total, part, edge = 0.0, 0.0, 1
    of_l = 1.0 / neither
    of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
    of_all = 1.0 / both + of_f + 1.0 / g_only
    for label in frequent.able:
        while label >= frequent.edges[edge]:
            total, part, edge = total + part, 0.0, edge + 1
        if fewest < frequent.enough[label]:
            continue
        share = n_l[label] / n
        noise = share * (1.0 - share)
        contrast = (tally[label] * of_all - whole[label] * of_f) - (
            np.float64(n_gl[label]) * of_g - np.float64(n_l[label]) * of_l
        )
        gain = contrast * contrast / of_all
        if gain > max(synergy.limit, STRONG * n) * noise:
            alone = explained(whole[label], n_f[f], n_l[label], n)
            alone += explained(n_gl[label], n_g, n_l[label], n)
            if gain > alone:
                part += synergy.scale[label] * (gain - noise)
    return total + part
