"""Kernels over pairs of labels that meet, features and labels binary.

Terms are those of n I(f; a, b), a sum over the rows with both labels, one, the other,
none: of each group k log(k/n) of the rows with and without f, less that of all of
them. Counts that cannot be, because columns that meet are taken for such that do not,
count as zero, wherever they are added and taken off again. Sums over all pairs of
labels are large against what is left of them: they are kept in two numbers each.

table: float64[n + 1], k log(k/n)
n_l: uint32[L], rows with each label
times, sizes: int64[any], how many there are of each size, and which sizes there are
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Scalar,
)
from labelsieve.counting.entropy_kernels import add_compensated, add_product
from labelsieve.counting.joint import JointCells
from labelsieve.counting.joint_kernels import add_terms, or_zero
from labelsieve.counting.label_pairs import LabelPairCells, Margins


@njit
def list_row_pairs(
    labels: Lists, pairs: LabelPairCells, start: IntArray, out: IndexArray
) -> None:
    """Number the pairs of labels of each row, as they stand in `pairs`.

    labels: those of each row, ascending
    start: int64[n + 1], where the pairs of each row go
    out: uint32[all], overwritten
    """
    for row in range(labels.start.size - 1):
        place = start[row]
        for p in range(labels.start[row], labels.start[row + 1]):
            a = labels.entries[p]
            low, high = pairs.start[a], pairs.start[a + 1]
            for q in range(p + 1, labels.start[row + 1]):
                low += np.searchsorted(pairs.second[low:high], labels.entries[q])
                out[place] = low
                place += 1


@njit
def count_unions(
    n_l: CountArray,
    times: IntArray,
    pairs: LabelPairCells,
    n_label: CountArray,
    out: IntArray,
) -> None:
    """Count the pairs of labels that cover so many rows.

    n_l, times: uint32[distinct], counts of labels and how many have them
    n_label: uint32[L], the count of each
    out: int64[twice the largest count + 1], zero before
    """
    for i in range(n_l.size):
        out[2 * n_l[i]] += times[i] * (times[i] - 1) // 2
        for j in range(i):
            out[n_l[i] + n_l[j]] += times[i] * times[j]
    for q in range(pairs.first.size):
        size = n_label[pairs.first[q]] + n_label[pairs.second[q]]
        out[size] -= 1
        out[size - pairs.counts[q]] += 1


@njit
def told_apart(
    n_f: CountArray,
    sizes: IntArray,
    times: IntArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """n I(f; a, b) of a feature that meets neither, summed over pairs.

    n_f: uint32[distinct], counts of features
    sizes, times: int64[any], rows that a pair covers, and how many pairs do
    out: float64[2, distinct], overwritten: sums and what rounding took off them
    """
    for x in range(n_f.size):
        here, total = np.int64(n_f[x]), np.zeros(2)
        for i in range(sizes.size):
            rest, weight = n - sizes[i], float(times[i])
            add_product(total, weight, or_zero(table, rest - here))
            add_product(total, -weight, table[rest])
            add_product(total, -weight, table[n - here])
        out[:, x] = total


@njit
def sum_shifted(
    n_l: CountArray, times: IntArray, table: FloatArray, out: FloatArray
) -> None:
    """out[:, m] = sum over labels of table[m - n_l], 0 below the table.

    n_l, times: uint32[distinct], counts of labels and how many have them
    out: float64[2, n + 1], zero before: sums and what rounding took off them
    """
    (sums, lost), terms = out, np.empty(table.size)
    for i in range(n_l.size):
        width = table.size - np.int64(n_l[i])
        for m in range(np.uint64(width)):
            terms[m] = float(times[i]) * table[m]
        add_terms(sums[n_l[i] :], terms[:width], lost[n_l[i] :])


@njit
def add_met_labels(
    cells: JointCells, links: JointCells, margins: Margins, out: FloatArray
) -> None:
    """What a label adds that a feature meets, with all labels that this one meets.

    The feature is taken for one that meets none of those.

    links: the cells of n(l, m)
    out: float64[2, features of the cells], added to
    """
    n_f, n_l, n, table = margins
    start, lines, n_met = _by_label(cells, n_l.size)
    most = np.int64(n_l.max())
    both, none = np.zeros(most + 1, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    some = np.empty((2, 2 * n_l.size + 1), dtype=np.int64)
    of_met, of_rest = np.empty(most + 1), np.empty(n + 1)
    seen_met, seen_rest = np.full(most + 1, -1), np.full(n + 1, -1)
    for a in range(n_l.size):
        if start[a] == start[a + 1]:
            continue
        here = np.int64(n_l[a])
        n_both, n_none = _gather(a, links, n_l, both, none, some)
        for p in range(start[a], start[a + 1]):
            line, x = lines[p], np.int64(n_met[p])
            of_f = np.int64(n_f[cells.low + line])
            if seen_met[x] != a:
                seen_met[x] = a
                of_met[x] = _of_met(x, here, some[0, :n_both], both, table)
            for m in (of_f, of_f - x):
                if seen_rest[m] != a:
                    seen_rest[m] = a
                    rest = n - here - m
                    of_rest[m] = _of_rest(rest, some[1, :n_none], none, table)
            term = of_met[x] + (of_rest[of_f - x] - of_rest[of_f])
            out[0, line] = add_compensated(out[0, line], term, out[1], line)
        both[some[0, :n_both]] = 0
        none[some[1, :n_none]] = 0


@njit
def _by_label(
    cells: JointCells, n_labels: int
) -> tuple[IntArray, IndexArray, CountArray]:
    """The cells of each label: where they begin, lines of features, counts."""
    start = np.zeros(n_labels + 1, dtype=np.int64)
    first, last = cells.start[0], cells.start[-1]
    for p in range(first, last):
        start[np.int64(cells.labels[p]) + 1] += 1
    start = np.cumsum(start)
    place = start[:-1].copy()
    lines = np.empty(last - first, dtype=np.uint32)
    counts = np.empty(last - first, dtype=np.uint32)
    for line in range(cells.start.size - 1):
        for p in range(cells.start[line], cells.start[line + 1]):
            label = cells.labels[p]
            lines[place[label]] = line
            counts[place[label]] = cells.counts[p]
            place[label] += 1
    return start, lines, counts


@njit
def _gather(
    a: int,
    links: JointCells,
    n_l: CountArray,
    both: IntArray,
    none: IntArray,
    some: IntArray,
) -> tuple[int, int]:
    """Count the labels b that a meets by their rows with a, and by those without.

    both: int64[largest count + 1], zero; so many b have so many rows with a
    none: int64[the same], zero; so many have so many without a, less of so many rows
    some: int64[2, any], filled in: where the two are not zero; returns how often
    """
    n_both = n_none = 0
    for q in range(links.start[a], links.start[a + 1]):
        b = links.labels[q]
        if b != a:
            met, rows = np.int64(links.counts[q]), np.int64(n_l[b])
            if both[met] == 0:
                some[0, n_both] = met
                n_both += 1
            both[met] += 1
            none[rows - met] += 1
            none[rows] -= 1
            some[1, n_none], some[1, n_none + 1] = rows - met, rows
            n_none += 2
    n_kept = 0
    some[1, :n_none].sort()
    for i in range(n_none):
        size = some[1, i]
        if none[size] != 0 and (n_kept == 0 or some[1, n_kept - 1] != size):
            some[1, n_kept] = size
            n_kept += 1
    return n_both, n_kept


@njit
def _of_met(
    x: Scalar, n_a: Scalar, sizes: IntArray, times: IntArray, table: FloatArray
) -> float:
    """Of the rows with a but not b: those with f and without, less those if apart.

    Sizes are the rows that a and b have in common.
    """
    total, apart = 0.0, or_zero(table, n_a - x) - table[n_a]
    for size in sizes:
        rest = n_a - size
        told = or_zero(table, rest - x) - table[rest]
        total += float(times[size]) * (told - apart)
    return total


@njit
def _of_rest(
    rest: Scalar, sizes: IntArray, times: IntArray, table: FloatArray
) -> float:
    """Of the rows with none of a, b and f, less those if a and b were apart.

    Sizes are ascending.
    """
    total = 0.0
    for size in sizes:
        if size >= rest:
            break
        total += float(times[size]) * table[rest - size]
    return total
