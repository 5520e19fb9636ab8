"""Pairs of labels of which a feature meets one or both: kernels of `label_pairs`.

total: float64[2], a sum and what rounding took off it, added to
table: float64[n + 1], k log(k/n)
n_l: uint32[L], rows with each label
labels, counts: uint32[any], the labels that f meets, and rows with both
met: uint32[L], rows with f and each label
marks: uint64[words], the labels that f meets as bits
tally, sizes: int64[any], how many there are of each size, and which sizes there are
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Scalar,
    WordArray,
)
from labelsieve.counting.entropy_kernels import add_product
from labelsieve.counting.joint import JointCells
from labelsieve.counting.joint_kernels import LAST, ONE, WORD, lowest, or_zero
from labelsieve.counting.kernels import popcount
from labelsieve.counting.label_pairs import LabelPairCells, Margins, PairWords


@njit
def add_met_pairs(
    cells: JointCells,
    triples: JointCells,
    pairs: LabelPairCells,
    words: PairWords,
    margins: Margins,
    apart: FloatArray,
    out: FloatArray,
) -> None:
    """What pairs of labels add of which a feature meets one or both.

    Labels that meet, with a feature that meets one of them: see `add_met_labels`.

    triples: cells of n(f, pair of labels)
    apart: float64[2, n + 1], from `sum_shifted`
    out: float64[2, features of the cells], added to
    """
    n_f, n_l, _, table = margins
    most = np.int64(n_l.max()) + 1
    met = np.zeros(n_l.size, dtype=np.uint32)
    marks = np.zeros(n_l.size // 64 + 1, dtype=np.uint64)
    tally, sizes = (
        np.zeros(most, dtype=np.int64),
        np.empty(2 * n_l.size, dtype=np.int64),
    )
    for line in range(out.shape[1]):
        first, last = cells.start[line], cells.start[line + 1]
        labels, counts = cells.labels[first:last], cells.counts[first:last]
        of_f = np.int64(n_f[cells.low + line])
        total = np.zeros(2)
        _of_single(labels, counts, n_l, table, total)
        n_sizes = _tally_met(counts, tally, sizes)
        _of_feature(of_f, n_l.size, sizes[:n_sizes], tally, table, total)
        tally[sizes[:n_sizes]] = 0
        n_sizes = _tally_without(labels, counts, n_l, tally, sizes)
        _of_others(of_f, sizes[:n_sizes], tally, table, apart, total)
        tally[sizes[:n_sizes]] = 0
        met[labels] = counts
        for label in labels:
            marks[label >> WORD] |= ONE << (np.uint64(label) & LAST)
        _of_both(of_f, labels, met, marks, pairs, words, n_l, table, total)
        some = slice(triples.start[line], triples.start[line + 1])
        numbers, times = triples.labels[some], triples.counts[some]
        told = _of_three(of_f, numbers, times, met, pairs, n_l, table)
        add_product(total, 1.0, told)
        met[labels] = 0
        marks[labels >> WORD] = 0
        add_product(total, 1.0, out[0, line])
        out[0, line] = total[0]
        out[1, line] += total[1]


@njit
def _of_single(
    labels: IndexArray,
    counts: CountArray,
    n_l: CountArray,
    table: FloatArray,
    total: FloatArray,
) -> None:
    """The rows with a label, with f and without, in all pairs of labels."""
    weight = float(n_l.size - 1)
    for p in range(labels.size):
        x, here = np.int64(counts[p]), np.int64(n_l[labels[p]])
        add_product(total, weight, table[x])
        add_product(total, weight, table[here - x])
        add_product(total, -weight, table[here])


@njit
def _tally_met(counts: CountArray, tally: IntArray, sizes: IntArray) -> int:
    """Count the labels by how many rows they have with f.

    The tally is zero before; sizes are where it is not zero afterwards.
    """
    n_sizes = 0
    for x in counts:
        if tally[x] == 0:
            sizes[n_sizes] = x
            n_sizes += 1
        tally[x] += 1
    return n_sizes


@njit
def _of_feature(
    n_f: Scalar,
    n_labels: int,
    sizes: IntArray,
    tally: IntArray,
    table: FloatArray,
    total: FloatArray,
) -> None:
    """The rows with f and none of two labels, less all rows with f, in all pairs."""
    n_met = 0
    for x in sizes:
        n_met += tally[x]
    n_apart = n_labels - n_met
    n_pairs = n_met * (n_met - 1) // 2 + n_met * n_apart
    add_product(total, -float(n_pairs), table[n_f])
    for i in range(sizes.size):
        x, times = sizes[i], tally[sizes[i]]
        add_product(total, float(times * n_apart), table[n_f - x])
        twice = float(times * (times - 1) // 2)
        add_product(total, twice, or_zero(table, n_f - 2 * x))
        for j in range(i):
            weight = float(times * tally[sizes[j]])
            add_product(total, weight, or_zero(table, n_f - x - sizes[j]))


@njit
def _tally_without(
    labels: IndexArray,
    counts: CountArray,
    n_l: CountArray,
    tally: IntArray,
    sizes: IntArray,
) -> int:
    """Count met labels by how many rows they have without f, less by their rows.

    The tally is zero before; sizes, ascending, are where it is not zero afterwards.
    """
    n_found = 0
    for p in range(labels.size):
        here = np.int64(n_l[labels[p]])
        for size, step in ((here, -1), (here - np.int64(counts[p]), 1)):
            tally[size] += step
            sizes[n_found] = size
            n_found += 1
    sizes[:n_found].sort()
    n_sizes = 0
    for i in range(n_found):
        size = sizes[i]
        if tally[size] != 0 and (n_sizes == 0 or sizes[n_sizes - 1] != size):
            sizes[n_sizes] = size
            n_sizes += 1
    return n_sizes


@njit
def _of_others(
    n_f: Scalar,
    sizes: IntArray,
    tally: IntArray,
    table: FloatArray,
    apart: FloatArray,
    total: FloatArray,
) -> None:
    """The rows with none of f and two labels, in all pairs, if no labels met.

    Less those that there were if f met no label.

    apart: float64[2, n + 1], from `sum_shifted`
    """
    rest, weights = table.size - 1 - n_f, np.empty(sizes.size)
    for i in range(sizes.size):
        size, times = sizes[i], float(tally[sizes[i]])
        weights[i] = times
        left = rest - size
        if left <= 0:
            break
        add_product(total, times, apart[0, left])
        here = apart[1, left] + 0.5 * (times - 1.0) * or_zero(table, left - size)
        n_below = i
        while n_below and sizes[n_below - 1] >= left:
            n_below -= 1
        for j in range(n_below):
            here += weights[j] * table[np.uint64(left - sizes[j])]
        add_product(total, times, here)


@njit
def _of_both(
    n_f: Scalar,
    labels: IndexArray,
    met: CountArray,
    marks: WordArray,
    pairs: LabelPairCells,
    words: PairWords,
    n_l: CountArray,
    table: FloatArray,
    total: FloatArray,
) -> None:
    """The rows with none of f and two labels that meet, both of which f meets.

    Less what was added for each of the two alone.
    """
    rest = table.size - 1 - n_f
    for a in labels:
        beyond = 0.0
        x, here = np.int64(met[a]), rest - np.int64(n_l[a])
        for w in range(words.start[a], words.start[a + 1]):
            bits, word = words.bits[w], words.word[w]
            hits = bits & marks[word]
            while hits:
                place = lowest(hits)
                hits &= hits - ONE
                b = (np.uint64(word) << WORD) + place
                q = words.first[w] + popcount(bits & ((ONE << place) - ONE))
                left, common = here - np.int64(n_l[b]), np.int64(pairs.counts[q])
                y = np.int64(met[b])
                beyond += _bent(left + common, x, y, table) - _bent(left, x, y, table)
        add_product(total, 1.0, beyond)


@njit
def _bent(rest: Scalar, x: Scalar, y: Scalar, table: FloatArray) -> Scalar:
    """How much more x and y rows change k log(k/n) together than one by one."""
    with_x = or_zero(table, rest + x + y) - or_zero(table, rest + x)
    return with_x - (or_zero(table, rest + y) - or_zero(table, rest))


@njit
def _of_three(
    n_f: Scalar,
    numbers: IndexArray,
    times: CountArray,
    met: CountArray,
    pairs: LabelPairCells,
    n_l: CountArray,
    table: FloatArray,
) -> float:
    """What changes where f has rows with both labels.

    numbers, times: uint32[any], pairs of labels and rows of f with both
    """
    total, rest = 0.0, table.size - 1 - n_f
    for p in range(numbers.size):
        q, t = numbers[p], np.int64(times[p])
        a, b, common = pairs.first[q], pairs.second[q], np.int64(pairs.counts[q])
        x, y, n_a, n_b = (
            np.int64(met[a]),
            np.int64(met[b]),
            np.int64(n_l[a]),
            np.int64(n_l[b]),
        )
        left = rest - (n_a - x) - (n_b - y) + common
        told = (table[t] + table[common - t]) - table[common]
        told += _moved(x, n_a - common - x, t, table)
        told += _moved(y, n_b - common - y, t, table)
        told += table[n_f - x - y + t] - or_zero(table, n_f - x - y)
        told += table[left - t] - or_zero(table, left)
        total += told
    return total


@njit
def _moved(with_f: Scalar, without: Scalar, t: Scalar, table: FloatArray) -> Scalar:
    """Of the rows with one label only: t of them with f have the other, too."""
    own = table[with_f - t] - table[with_f]
    return own + (table[without + t] - or_zero(table, without))
