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
from labelsieve.counting import JointCells
from labelsieve.counting.corrected_kernels import triple_sum
from labelsieve.counting.entropy_kernels import pair_sum
from labelsieve.counting.kernels import popcount
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
    products: FloatArray  # [pairs] centred sums, less what some chosen ones explain


class LinearView(NamedTuple):
    """What makes the products of pairs a view of them."""

    v: FloatArray  # [features] what is left of their variance
    tiny: FloatArray  # [features] with less than this left they gain nothing
    half: FloatArray  # [labels] half of what makes a sum of squares a share
    level: FloatArray  # [labels] what is taken off


class Basis(NamedTuple):
    """What the chosen features span: one vector after the other."""

    n_basis: int  # how many there are
    A: FloatArray  # [room, features] the part of features along each
    along: FloatArray  # [labels, room] the part of labels along each


class Chosen(NamedTuple):
    """The chosen features, and all that is needed to look at others beside them."""

    n_chosen: int  # how many there are
    marks: WordArray  # [chosen / 64, n] bits of the chosen features of each row
    n_g: IntArray  # [room] rows with each
    n_gl: CountArray  # [room, labels] rows with each and a label
    n_fg: CountArray  # [room, features] rows with each and another feature
    n_l: CountArray  # [labels]
    rows: Lists  # those of each feature
    of_row: Lists  # the labels of each row
    table: FloatArray  # [n + 1] k log(k/n)


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
        _merge(pairs, first, last, place)
        _measure(pairs, i, n_f[f], n_l, chance, table)


@njit
def _merge(pairs: ListedPairs, first: int, last: int, end: int) -> None:
    """Sort labels that are never met, from `last` on, in among those before them."""
    added = np.sort(pairs.labels[last:end])
    place, met = end - 1, last - 1
    for label in added[::-1]:
        while met >= first and pairs.labels[met] > label:
            pairs.labels[place], pairs.counts[place] = (
                pairs.labels[met],
                pairs.counts[met],
            )
            place, met = place - 1, met - 1
        pairs.labels[place], pairs.counts[place] = label, 0
        place -= 1


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
def add_listed_bounds(pairs: ListedPairs, scale: FloatArray, total: FloatArray) -> None:
    """total[f] = what a feature gains at most, whatever the chosen ones explain.

    scale: float64[labels], how much each counts
    total: float64[features]
    """
    for i in range(pairs.start.size - 1):
        total[pairs.low + i] = _bound(i, pairs, scale)


@njit
def _bound(i: int, pairs: ListedPairs, scale: FloatArray) -> float:
    """The same of one feature of the range.

    scale: float64[labels]
    """
    bound = 0.0
    for p in range(np.uint64(pairs.start[i]), np.uint64(pairs.start[i + 1])):
        bound += scale[pairs.labels[p]] * max(pairs.least[p], 0.0)
    return bound


@njit
def project_features(
    features: IntArray,
    projected: IntArray,
    pairs: ListedPairs,
    basis: Basis,
    linear: LinearView,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """Take from the products of some features what the chosen ones explain by now.

    features: int64[some], of the range
    projected: int64[features], how many basis vectors are taken off; updated
    scale: float64[labels], how much each counts
    total: float64[features], overwritten for these: what they gain at most
    """
    n_basis = basis.n_basis
    steps = np.empty(n_basis)
    for f in features:
        i, done = f - pairs.low, projected[f]
        for k in range(done, n_basis):
            steps[k] = basis.A[k, f]
        for p in range(np.uint64(pairs.start[i]), np.uint64(pairs.start[i + 1])):
            along, product = basis.along[pairs.labels[p]], pairs.products[p]
            for k in range(done, n_basis):
                product -= steps[k] * along[k]
            pairs.products[p] = product
        projected[f] = n_basis
        total[f] = _gain(i, pairs, pairs.least, linear, scale)


@njit
def project_line(line: FloatArray, column: int, basis: Basis) -> None:
    """The same for one column and all labels.

    line: float64[labels], its centred sums, changed
    """
    for label in range(line.size):
        value, along = line[label], basis.along[label]
        for k in range(basis.n_basis):
            value -= basis.A[k, column] * along[k]
        line[label] = value


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
    bound: FloatArray,
) -> None:
    """Look at some features of a range beside all chosen ones that they have not seen.

    features: int64[some], of the range
    seen: int64[features], how many chosen features each was looked at beside; updated
    scale: float64[labels], how much each counts
    total, bound: float64[features], overwritten for these: what they gain, and at most
    """
    tally = np.zeros(chosen.n_l.size, np.uint32)
    for f in features:
        i = f - pairs.low
        start, rows = _rows_with_chosen(f, seen[f], chosen)
        for k in range(seen[f], chosen.n_chosen):
            both = rows[start[k] : start[k + 1]]
            _lower(f, i, k, both, pairs, chosen, strict, tally)
        seen[f] = chosen.n_chosen
        total[f] = _gain(i, pairs, pairs.least, linear, scale)
        bound[f] = _bound(i, pairs, scale)


@njit
def _rows_with_chosen(f: int, first: int, chosen: Chosen) -> Lists:
    """The rows of a feature that have each of the chosen ones, from the first on."""
    start = np.zeros(chosen.n_chosen + 1, np.int64)
    for k in range(first, chosen.n_chosen):
        start[k + 1] = start[k] + chosen.n_fg[k, f]
    place, found = start.copy(), np.empty(start[-1], np.uint32)
    rows = chosen.rows
    for word in range(first >> 6, chosen.marks.shape[0]):
        marks, unseen = chosen.marks[word], ~np.uint64(0)
        if word == first >> 6:
            unseen <<= np.uint64(first & 63)
        for p in range(np.uint64(rows.start[f]), np.uint64(rows.start[f + 1])):
            row = np.uint64(rows.entries[p])
            bits = marks[row] & unseen
            while bits:
                lowest = bits & (~bits + ONE)
                pick = np.int64(popcount(lowest - ONE)) + (word << 6)
                found[place[pick]] = row
                place[pick] += 1
                bits ^= lowest
    return Lists(start, found)


@njit
def _lower(
    f: int,
    i: int,
    k: int,
    rows: IndexArray,
    pairs: ListedPairs,
    chosen: Chosen,
    strict: float,
    tally: CountArray,
) -> None:
    """Lower the pairs of a feature to n I(f; l | g) less chance, for the k-th chosen g.

    rows: uint32[rows with both]
    tally: uint32[labels], zero, and zero again on return
    """
    table, n_gl = chosen.table, chosen.n_gl[k]
    n_f = np.uint64(chosen.rows.start[f + 1] - chosen.rows.start[f])
    g, fg = np.uint64(chosen.n_g[k]), np.uint64(rows.size)
    rest = np.uint64(table.size - 1) - g
    tally_labels(rows, chosen.of_row, tally)
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
    clear_labels(rows, chosen.of_row, tally)


@njit
def tally_labels(rows: IndexArray, of_row: Lists, tally: CountArray) -> None:
    """Count the labels of some rows.

    rows: uint32[some]
    of_row: the labels of each row
    tally: uint32[labels], added to
    """
    for row in rows:
        first, last = of_row.start[row], of_row.start[row + 1]
        for q in range(np.uint64(first), np.uint64(last)):
            tally[np.uint64(of_row.entries[q])] += np.uint32(1)


@njit
def clear_labels(rows: IndexArray, of_row: Lists, tally: CountArray) -> None:
    """Set back to zero what `tally_labels` counted.

    rows: uint32[some]
    of_row: the labels of each row
    tally: uint32[labels]
    """
    for row in rows:
        first, last = of_row.start[row], of_row.start[row + 1]
        for q in range(np.uint64(first), np.uint64(last)):
            tally[np.uint64(of_row.entries[q])] = np.uint32(0)
