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
from labelsieve.selectors.sieve.given_kernels import freedom_given, own_sum
from labelsieve.selectors.sieve.kernels import ROUNDED_UP, told_alone
from labelsieve.selectors.sieve.view_kernels import Near

# So many entries of a table are emptied while one that is listed is found.
ENTRIES_AT_ONCE = 8
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


class ListedPairs(NamedTuple):
    """Pairs that tell something, of a range of features."""

    low: int  # the first feature
    start: IntArray  # [features + 1] where the pairs of each feature begin
    labels: IndexArray  # [pairs] ascending within a feature
    counts: CountArray  # [pairs] rows with both
    alone: FloatArray  # [pairs] n times what f tells of l by itself, beyond chance
    least: FloatArray  # [pairs] the same beside any one chosen feature
    products: FloatArray  # [pairs] centred sums, less what some chosen ones explain


class Told(NamedTuple):
    """Labels that a feature meets and tells of."""

    labels: IndexArray  # [labels + 1]
    counts: CountArray  # [labels + 1] rows with both
    told: FloatArray  # [labels + 1] n times what is told, beyond chance


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
    met, unmet = np.zeros(n_l.size, np.bool_), np.empty(n_l.size, np.uint32)
    # One more than labels: what tells nothing is overwritten by what comes next.
    found = Told(
        np.empty(n_l.size + 1, np.uint32),
        np.empty(n_l.size + 1, np.uint32),
        np.empty(n_l.size + 1),
    )
    for i in range(pairs.start.size - 1):
        of_f, n_told, n_unmet = n_f[cells.low + i], 0, 0
        for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
            label, both = cells.labels[p], cells.counts[p]
            met[label] = True
            told = told_alone(both, of_f, n_l[label], table) - chance
            found.labels[n_told], found.counts[n_told] = label, both
            found.told[n_told] = told
            n_told += told > 0.0
        for label in order:
            if told_alone(0, of_f, n_l[label], table) - chance <= 0.0:
                break
            if not met[label]:
                unmet[n_unmet] = label
                n_unmet += 1
        for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
            met[cells.labels[p]] = False
        unmet[:n_unmet].sort()
        _merge(i, n_told, found, unmet[:n_unmet], of_f, n_l, chance, table, pairs)


@njit
def _merge(
    i: int,
    n_told: int,
    found: Told,
    unmet: IndexArray,
    n_f: int,
    n_l: CountArray,
    chance: float,
    table: FloatArray,
    pairs: ListedPairs,
) -> None:
    """Put the pairs of a feature in their places: those met, and those never met.

    unmet: uint32[labels never met], ascending
    """
    n, k, u = table.size - 1, 0, 0
    for place in range(pairs.start[i], pairs.start[i + 1]):
        if u < unmet.size and (k == n_told or unmet[u] < found.labels[k]):
            label, both = unmet[u], np.uint32(0)
            told = told_alone(0, n_f, n_l[label], table) - chance
            u += 1
        else:
            label, both, told = found.labels[k], found.counts[k], found.told[k]
            k += 1
        pairs.labels[place], pairs.counts[place] = label, both
        pairs.alone[place] = pairs.least[place] = told
        pairs.products[place] = both - n_f * (n_l[label] / n)


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
        total[pairs.low + i] = _gain(i, pairs, values, linear, scale)[0]


@njit
def _gain(
    i: int,
    pairs: ListedPairs,
    values: FloatArray,
    linear: LinearView,
    scale: FloatArray,
) -> tuple[float, float]:
    """The same of one feature of the range, and the weighted shares it comes from.

    values: float64[pairs]
    scale: float64[labels]
    """
    f, gain, shares = pairs.low + i, 0.0, 0.0
    if linear.v[f] <= linear.tiny[f]:
        return gain, shares
    inverse = 1.0 / linear.v[f]
    for p in range(np.uint64(pairs.start[i]), np.uint64(pairs.start[i + 1])):
        label, product = pairs.labels[p], pairs.products[p]
        view = product * product * inverse * linear.half[label]
        # What is not positive adds zero: no branch to be guessed wrong.
        least = min(view - linear.level[label], values[p])
        gain += scale[label] * max(least, 0.0)
        shares += scale[label] * view * (values[p] > 0.0)
    return gain, shares


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
    near: Near,
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
        low, high = np.uint64(pairs.start[i]), np.uint64(pairs.start[i + 1])
        labels, products = pairs.labels[low:high], pairs.products[low:high]
        _take_off(steps[done:], labels, basis.along[:, done:n_basis], products)
        projected[f] = n_basis
        total[f], shares = _gain(i, pairs, pairs.least, linear, scale)
        near.gain[f] = total[f] * ROUNDED_UP
        near.root[f] = np.sqrt(shares) * ROUNDED_UP


@njit
def _take_off(
    steps: FloatArray, labels: IndexArray, along: FloatArray, products: FloatArray
) -> None:
    """products[p] -= steps[k] * along[label of p, k] for all k, one after the other.

    steps: float64[K]
    labels: uint32[pairs]
    along: float64[labels, K]
    products: float64[pairs]
    """
    n_steps, n_fours = np.uint64(steps.size), labels.size - labels.size % 4
    # Four at a time: a subtraction waits for the one before it, not for its neighbours.
    for p in range(np.uint64(0), np.uint64(n_fours), np.uint64(4)):
        row, row_1 = along[labels[p]], along[labels[p + ONE]]
        row_2, row_3 = along[labels[p + TWO]], along[labels[p + THREE]]
        product, product_1 = products[p], products[p + ONE]
        product_2, product_3 = products[p + TWO], products[p + THREE]
        for k in range(n_steps):
            step = steps[k]
            product -= step * row[k]
            product_1 -= step * row_1[k]
            product_2 -= step * row_2[k]
            product_3 -= step * row_3[k]
        products[p], products[p + ONE] = product, product_1
        products[p + TWO], products[p + THREE] = product_2, product_3
    for p in range(n_fours, labels.size):
        row, product = along[labels[p]], products[p]
        for k in range(n_steps):
            product -= steps[k] * row[k]
        products[p] = product


@njit
def project_line(line: FloatArray, column: int, basis: Basis) -> None:
    """The same for one column and all labels.

    line: float64[labels], its centred sums, changed
    """
    n_basis = basis.n_basis
    steps = basis.A[:n_basis, column].copy()
    every = np.arange(line.size).astype(np.uint32)
    _take_off(steps, every, basis.along[:, :n_basis], line)


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
        total[f] = _gain(i, pairs, pairs.least, linear, scale)[0]
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
    for p in range(pairs.start[i], pairs.start[i + 1]):
        if pairs.least[p] <= 0.0:
            continue
        b = pairs.labels[p]
        both = np.uint64(n_gl[b])
        n_l = np.uint64(chosen.n_l[b])
        t, fl, not_g = tally[b], pairs.counts[p], n_l - both
        value = own_sum(g, rest, both, n_l, table) - s_fg
        value += triple_sum(t, fg, n_f, fl, g, rest, both, not_g, table)
        freedom = freedom_given(fg, n_f, g, rest, both, not_g)
        pairs.least[p] = min(pairs.least[p], value - strict * freedom)
    if tally.size < ENTRIES_AT_ONCE * rows.size:
        tally[:] = 0
    else:
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
