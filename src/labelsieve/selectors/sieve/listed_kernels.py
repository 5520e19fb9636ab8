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
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    WordArray,
)
from labelsieve.counting import BinaryTriples, JointCells
from labelsieve.counting.corrected_kernels import triple_sum
from labelsieve.counting.entropy_kernels import pair_sum
from labelsieve.selectors.sieve.given_kernels import (
    STRONG,
    Synergy,
    explained,
)
from labelsieve.selectors.sieve.kernels import told_alone

ONE = np.uint64(1)


class ListedPairs(NamedTuple):
    """Pairs that tell something, of a range of features."""

    low: int  # the first feature
    start: IntArray  # [features + 1] where the pairs of each feature begin
    labels: IndexArray  # [pairs] ascending within a feature
    counts: CountArray  # [pairs] rows with both
    alone: FloatArray  # [pairs] n times what f tells of l by itself, beyond chance
    least: FloatArray  # [pairs] the same beside any one chosen feature
    products: FloatArray  # [pairs] centred sums, less what the chosen explain


class LinearView(NamedTuple):
    """What makes the products of pairs a view of them."""

    v: FloatArray  # [features] what is left of their variance
    tiny: FloatArray  # [features] with less than this left they gain nothing
    half: FloatArray  # [labels] half of what makes a sum of squares a share
    level: FloatArray  # [labels] what is taken off


class Chosen(NamedTuple):
    """The chosen features, and all that is needed to look at others beside them."""

    n_chosen: int  # how many there are
    marks: WordArray  # [chosen / 64, n] bits of the chosen features of each row
    n_g: IntArray  # [room] rows with each
    n_gl: CountArray  # [room, labels] rows with each and a label
    n_l: CountArray  # [labels]
    rows: Lists  # those of each feature
    of_row: Lists  # the labels of each row
    table: FloatArray  # [n + 1] k log(k/n)


class Frequent(NamedTuple):
    """Labels by how often they occur."""

    order: IntArray  # [labels] the most frequent first
    enough: FloatArray  # [labels] how many rows a cell must have to show synergy
    noise: FloatArray  # [labels] their variance
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
    linear: LinearView,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """total[f] = sum over the labels of its pairs of the lesser of two views.

    values: float64[pairs], what pairs tell beyond chance
    scale: float64[labels], how much each counts
    total: float64[features]
    """
    for i in range(pairs.start.size - 1):
        total[pairs.low + i] = _gain(i, pairs, values, linear, scale)


@njit
def _gain(
    i: int,
    pairs: ListedPairs,
    values: FloatArray,
    linear: LinearView,
    scale: FloatArray,
) -> float:
    """The same of one feature of the range.

    values: float64[pairs]
    scale: float64[labels]
    """
    f, gain = pairs.low + i, 0.0
    if linear.v[f] <= linear.tiny[f]:
        return gain
    inverse = 1.0 / linear.v[f]
    for p in range(np.uint64(pairs.start[i]), np.uint64(pairs.start[i + 1])):
        label, product = pairs.labels[p], pairs.products[p]
        view = product * product * inverse * linear.half[label]
        # What is not positive adds zero: no branch to be guessed wrong.
        least = min(view - linear.level[label], values[p])
        gain += scale[label] * max(least, 0.0)
    return gain


@njit
def lower_features(
    features: IntArray,
    seen: IntArray,
    pairs: ListedPairs,
    chosen: Chosen,
    strict: float,
    linear: LinearView,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """Look at some features of a range beside all chosen ones that they have not seen.

    features: int64[some], of the range
    seen: int64[features], how many chosen features each was looked at beside; updated
    scale: float64[labels], how much each counts
    total: float64[features], overwritten for these: what they gain
    """
    tally = np.zeros(chosen.n_l.size, np.uint32)
    for f in features:
        i = f - pairs.low
        for k in range(seen[f], chosen.n_chosen):
            _lower(f, i, k, pairs, chosen, strict, tally)
        seen[f] = chosen.n_chosen
        total[f] = _gain(i, pairs, pairs.least, linear, scale)


@njit
def _lower(
    f: int,
    i: int,
    k: int,
    pairs: ListedPairs,
    chosen: Chosen,
    strict: float,
    tally: CountArray,
) -> None:
    """Lower the pairs of a feature to n I(f; l | g) less chance, for the k-th chosen g.

    tally: uint32[labels], zero, and zero again on return
    """
    table, n_gl, rows = chosen.table, chosen.n_gl[k], chosen.rows
    n_f = np.uint64(rows.start[f + 1] - rows.start[f])
    g = np.uint64(chosen.n_g[k])
    rest = np.uint64(table.size - 1) - g
    fg = np.uint64(_tally_with(f, k, chosen, tally))
    s_fg = pair_sum(fg, n_f, g, rest, table)
    inside, outside = 0 < fg < g, 0 < n_f - fg < rest
    for p in range(pairs.start[i], pairs.start[i + 1]):
        if pairs.least[p] <= 0.0:
            continue
        b = pairs.labels[p]
        both = np.uint64(n_gl[b])
        not_g = np.uint64(chosen.n_l[b]) - both
        s_gl = table[both] + table[not_g] + table[g - both] + table[rest - not_g]
        value = (table[g] + table[rest] - s_gl) - s_fg
        t, fl = tally[b], pairs.counts[p]
        value += triple_sum(t, fg, n_f, fl, g, rest, both, not_g, table)
        freedom = 0.0
        if inside and 0 < both < g:
            freedom += 0.5
        if outside and 0 < not_g < rest:
            freedom += 0.5
        pairs.least[p] = min(pairs.least[p], value - strict * freedom)
    _clear(rows, chosen.of_row, f, tally)


@njit
def _tally_with(f: int, k: int, chosen: Chosen, tally: CountArray) -> int:
    """Count the labels of the rows of f with the k-th chosen; returns how many rows.

    tally: uint32[labels], added to
    """
    rows, of_row, n_rows = chosen.rows, chosen.of_row, 0
    marks, bit = chosen.marks[k >> 6], np.uint64(1) << np.uint64(k & 63)
    for p in range(np.uint64(rows.start[f]), np.uint64(rows.start[f + 1])):
        row = np.uint64(rows.entries[p])
        if marks[row] & bit:
            n_rows += 1
            first, last = of_row.start[row], of_row.start[row + ONE]
            for q in range(np.uint64(first), np.uint64(last)):
                tally[np.uint64(of_row.entries[q])] += np.uint32(1)
    return n_rows


@njit
def find_synergy(
    cells: JointCells,
    rows: Lists,
    of_row: Lists,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """Add up what the products of features with a chosen one explain.

    rows: those of g that have each feature; of_row: the labels of each row
    out: float64[features], overwritten where cells have rows enough
    """
    tally, whole = np.zeros((2, counts.n_b.size), np.uint32)
    for i in range(cells.start.size - 1):
        f = cells.low + i
        # Labels of the first places need the fewest rows.
        if _fewest(f, counts) < frequent.enough[frequent.order[0]]:
            continue
        _tally(rows, of_row, f, tally)
        for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
            whole[np.uint64(cells.labels[p])] = cells.counts[p]
        out[f] = _synergy(f, tally, whole, counts, frequent, synergy)
        for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
            whole[np.uint64(cells.labels[p])] = np.uint32(0)
        _clear(rows, of_row, f, tally)


@njit
def _tally(rows: Lists, of_row: Lists, f: int, tally: CountArray) -> None:
    """Count the labels of the rows of a feature.

    tally: uint32[labels], added to
    """
    for p in range(np.uint64(rows.start[f]), np.uint64(rows.start[f + 1])):
        row = np.uint64(rows.entries[p])
        first, last = of_row.start[row], of_row.start[row + ONE]
        for q in range(np.uint64(first), np.uint64(last)):
            tally[np.uint64(of_row.entries[q])] += np.uint32(1)


@njit
def _clear(rows: Lists, of_row: Lists, f: int, tally: CountArray) -> None:
    """Set back to zero what `_tally` counted.

    tally: uint32[labels]
    """
    for p in range(np.uint64(rows.start[f]), np.uint64(rows.start[f + 1])):
        row = np.uint64(rows.entries[p])
        first, last = of_row.start[row], of_row.start[row + ONE]
        for q in range(np.uint64(first), np.uint64(last)):
            tally[np.uint64(of_row.entries[q])] = np.uint32(0)


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

    tally, whole: uint32[labels], rows of f with each label, those with g and all
    """
    n_f, n_fg, n_g, _, n_l, n_gl, n, _ = counts
    both = np.float64(n_fg[f])
    f_only, g_only = n_f[f] - both, n_g - both
    of_l = 1.0 / (n - f_only - n_g)
    of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
    of_all = 1.0 / both + of_f + 1.0 / g_only
    fewest, limit = _fewest(f, counts), max(synergy.limit, STRONG * n) * of_all
    found = np.zeros(0)
    for place in range(np.uint64(frequent.order.size)):
        label = np.uint64(frequent.order[place])
        if fewest < frequent.enough[label]:
            break
        contrast = (tally[label] * of_all - whole[label] * of_f) - (
            np.float64(n_gl[label]) * of_g - np.float64(n_l[label]) * of_l
        )
        # A little less than the limit, which is looked at again.
        if contrast * contrast > 0.999 * limit * frequent.noise[label]:
            if not found.size:
                found = np.zeros(n_l.size)
            gain = contrast * contrast / of_all
            noise = frequent.noise[label]
            alone = explained(whole[label], n_f[f], n_l[label], n)
            alone += explained(n_gl[label], n_g, n_l[label], n)
            if gain > max(synergy.limit, STRONG * n) * noise and gain > alone:
                found[label] = synergy.scale[label] * (gain - noise)
    return _in_parts(found, frequent.edges) if found.size else 0.0


@njit
def _in_parts(found: FloatArray, edges: IntArray) -> float:
    """Add up in the order in which tables are added up.

    found: float64[labels]
    edges: int64[parts + 1]
    """
    total = 0.0
    for k in range(edges.size - 1):
        part = 0.0
        for label in range(edges[k], edges[k + 1]):
            part += found[label]
        total += part
    return total
