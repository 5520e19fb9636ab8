"""Kernels over the cells of n(f, l) that are not zero, features and labels binary.

A feature and a label that never meet share g(n_f, n_l): sums over all labels are those
of g, one for each distinct n_f, plus the differences of the cells that are not zero,
in the order of the labels. Dense tables and listed cells are added up alike.

table: float64[n + 1], k log(k/n)
n_x, n_y: uint32[features], uint32[labels], rows with each
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
    WordArray,
)
from labelsieve.counting.entropy_kernels import add_compensated, pair_sum
from labelsieve.counting.joint import JointCells
from labelsieve.counting.kernels import popcount
from labelsieve.counting.triples import BinaryTriples

WORD = np.uint64(6)  # 64 labels are the bits of a word
LAST = np.uint64(63)
ONE = np.uint64(1)


@njit
def count_meetings(low: int, rows: Lists, labels: Lists, out: IntArray) -> None:
    """Add up, for features from `low` on, the labels of their rows, with repeats.

    rows: those of each feature; labels: those of each row
    out: int64[some features], overwritten
    """
    for line in range(out.size):
        n = np.int64(0)
        first, last = rows.start[low + line], rows.start[low + line + 1]
        for p in range(np.uint64(first), np.uint64(last)):
            row = np.uint64(rows.entries[p])
            n += labels.start[row + ONE] - labels.start[row]
        out[line] = n


@njit
def count_cells(
    low: int,
    high: int,
    rows: Lists,
    labels: Lists,
    tally: CountArray,
    start: IntArray,
    met: IndexArray,
    counts: CountArray,
) -> None:
    """List the labels that the features in [low, high) meet, ascending.

    rows: those of each feature; labels: those of each row
    tally: uint32[labels], zero, and zero again on return
    start: int64[high - low + 1], filled in: where the cells of each feature begin
    met, counts: uint32[room], filled in: the label and the count of each cell
    """
    n_words = (np.uint64(tally.size) >> WORD) + ONE
    words = np.zeros(n_words, dtype=np.uint64)
    tops = np.zeros((n_words >> WORD) + ONE, dtype=np.uint64)
    place = np.uint64(0)
    start[0] = 0
    for f in range(low, high):
        for p in range(np.uint64(rows.start[f]), np.uint64(rows.start[f + 1])):
            row = np.uint64(rows.entries[p])
            first, last = labels.start[row], labels.start[row + ONE]
            for q in range(np.uint64(first), np.uint64(last)):
                label = np.uint64(labels.entries[q])
                if tally[label] == 0:
                    word = label >> WORD
                    words[word] |= ONE << (label & LAST)
                    tops[word >> WORD] |= ONE << (word & LAST)
                tally[label] += np.uint32(1)
        place = _list_cells(words, tops, tally, place, met, counts)
        start[f - low + 1] = place


@njit
def _list_cells(
    words: WordArray,
    tops: WordArray,
    tally: CountArray,
    place: Scalar,
    met: IndexArray,
    counts: CountArray,
) -> Scalar:
    """Move what was tallied to the lists, in order; returns where the next one goes.

    words, tops: uint64[any], bits of labels and of words with a bit; cleared
    tally: uint32[labels], cleared
    met, counts: uint32[room], filled in from `place` on
    """
    for t in range(np.uint64(tops.size)):
        top = tops[t]
        tops[t] = 0
        while top:
            w = (np.uint64(t) << WORD) + lowest(top)
            top &= top - ONE
            word = words[w]
            words[w] = 0
            while word:
                label = (w << WORD) + lowest(word)
                word &= word - ONE
                met[place] = label
                counts[place] = tally[label]
                tally[label] = 0
                place += ONE
    return place


@njit
def lowest(word: Scalar) -> Scalar:
    """The place of the lowest bit of a word that is not zero."""
    return np.uint64(popcount((word & (~word + ONE)) - ONE))


@njit
def totals_apart(
    n_x: CountArray,
    n_y: CountArray,
    times: IntArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Sums over labels that a feature never meets: S(x, y), and n I(x; y).

    n_x, n_y: uint32[distinct], counts of features and of labels
    times: int64[distinct], how many labels have each count
    out: float64[2, distinct counts of features], overwritten
    """
    n_counts = np.uint64(n_x.size)
    lost, terms = np.zeros((2, n_x.size)), np.empty((2, n_x.size))
    single, alone = np.empty(n_x.size), np.empty(n_x.size)
    for x in range(n_counts):
        here = np.uint64(n_x[x])
        single[x] = table[0] + table[here]
        alone[x] = table[here] + table[np.uint64(n) - here]
    out[:] = 0.0
    for y in range(np.uint64(n_y.size)):
        there, weight = np.uint64(n_y[y]), float(times[y])
        elsewhere = np.uint64(n) - there
        own = table[there] + table[elsewhere]
        for x in range(n_counts):
            # As `pair_sum` adds up.
            joint = single[x] + (table[there] + table[elsewhere - np.uint64(n_x[x])])
            terms[0, x] = weight * joint
            terms[1, x] = weight * (joint - alone[x] - own)
        for i in range(2):
            add_terms(out[i], terms[i], lost[i])
    out += lost


@njit
def add_terms(total: FloatArray, term: FloatArray, lost: FloatArray) -> None:
    """Add to each total; `lost` gathers what rounding takes off (Knuth, no branch).

    total, term, lost: float64[any], the first and the last added to
    """
    for x in range(np.uint64(total.size)):
        new = total[x] + term[x]
        added = new - total[x]
        lost[x] += (total[x] - (new - added)) + (term[x] - added)
        total[x] = new


@njit
def add_dense(
    low: int,
    high: int,
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Add S(x, y) less what it were if x and y never met, for x in [low, high).

    n_xy: uint32[labels, features], rows with both
    out: float64[features], added to
    """
    for y in range(n_y.size):
        line, here = n_xy[y], np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        own = table[here]
        for x in range(np.uint64(low), np.uint64(high)):
            both, n_here = np.uint64(line[x]), np.uint64(n_x[x])
            # As `pair_sum` adds up.
            apart = (table[0] + table[n_here]) + (own + table[elsewhere - n_here])
            out[x] += pair_sum(both, n_here, here, elsewhere, table) - apart


@njit
def add_listed(
    cells: JointCells,
    n_x: CountArray,
    n_y: CountArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Like `add_dense`, from the listed cells of some features.

    out: float64[features], added to
    """
    low, start, met, counts = cells
    zero = np.uint64(0)
    for line in range(start.size - 1):
        x = np.uint64(low + line)
        n_here = np.uint64(n_x[x])
        for p in range(np.uint64(start[line]), np.uint64(start[line + 1])):
            both, here = np.uint64(counts[p]), np.uint64(n_y[met[p]])
            elsewhere = np.uint64(n) - here
            apart = pair_sum(zero, n_here, here, elsewhere, table)
            out[x] += pair_sum(both, n_here, here, elsewhere, table) - apart


@njit
def add_chi2_dense(
    low: int,
    high: int,
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    n: int,
    out: FloatArray,
) -> None:
    """Add chi-square of features in [low, high) with the labels that they meet.

    n_xy: uint32[labels, features], rows with both
    out: float64[3, features], added to: chi-square, less the odds of labels that are
        met, and what rounding took off these
    """
    for y in range(n_y.size):
        line, here = n_xy[y], np.float64(n_y[y])
        for x in range(np.uint64(low), np.uint64(high)):
            if line[x]:
                _add_chi2(x, np.float64(line[x]), np.float64(n_x[x]), here, n, out)


@njit
def add_chi2_listed(
    cells: JointCells, n_x: CountArray, n_y: CountArray, n: int, out: FloatArray
) -> None:
    """Like `add_chi2_dense`, from the listed cells of some features.

    out: float64[3, features], added to
    """
    low, start, met, counts = cells
    for line in range(start.size - 1):
        x = np.uint64(low + line)
        n_here = np.float64(n_x[x])
        for p in range(np.uint64(start[line]), np.uint64(start[line + 1])):
            _add_chi2(x, np.float64(counts[p]), n_here, np.float64(n_y[met[p]]), n, out)


@njit
def _add_chi2(
    x: Scalar, both: Scalar, n_x: Scalar, n_y: Scalar, n: int, out: FloatArray
) -> None:
    """The same for one feature and one label.

    out: float64[3, features], added to
    """
    beyond = both * n - n_x * n_y
    out[0, x] += beyond * beyond / ((n_x * (n - n_x)) * (n_y * (n - n_y))) * n
    out[1, x] = add_compensated(out[1, x], -(n_y / (n - n_y)), out[2], x)


@njit
def chosen_apart(
    n_x: CountArray,
    n_y: CountArray,
    times: IntArray,
    rest: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """What features tell of labels that they never meet, among `rest` rows.

    n_x, n_y: uint32[any], counts of features and of labels among these rows
    times: int64[counts of labels]
    out: float64[counts of features], overwritten
    """
    for x in range(n_x.size):
        total, lost = 0.0, np.zeros(1)
        for y in range(n_y.size):
            here, there = rest - int(n_x[x]), rest - int(n_y[y])
            told = or_zero(table, there - int(n_x[x])) - table[there]
            term = times[y] * (told - (table[here] - table[rest]))
            total = add_compensated(total, term, lost, 0)
        out[x] = total + lost[0]


@njit
def add_chosen_listed(
    cells: JointCells,
    rows: Lists,
    labels: Lists,
    counts: BinaryTriples,
    tally: CountArray,
    out: FloatArray,
) -> None:
    """Add n I(f; l | g) less what it were if f and l never met, over listed cells.

    rows: those of the chosen g that have each feature; labels: those of each row
    counts: of features f, the chosen g as column a, and labels l as columns b;
        n(f, l) is not read
    tally: uint32[labels], zero, and zero again on return
    out: float64[features], added to
    """
    low, start = cells.low, cells.start
    for line in range(start.size - 1):
        f = low + line
        for row in rows.entries[rows.start[f] : rows.start[f + 1]]:
            for q in range(labels.start[row], labels.start[row + 1]):
                tally[labels.entries[q]] += np.uint32(1)
        _add_chosen(cells, line, tally, counts, out)
        for row in rows.entries[rows.start[f] : rows.start[f + 1]]:
            for q in range(labels.start[row], labels.start[row + 1]):
                tally[labels.entries[q]] = 0


@njit
def add_chosen_cells(
    cells: JointCells,
    with_chosen: JointCells,
    counts: BinaryTriples,
    tally: CountArray,
    out: FloatArray,
) -> None:
    """The same where the cells of the rows with g are listed too.

    with_chosen: those of all features
    tally: uint32[labels], zero, and zero again on return
    out: float64[features], added to
    """
    low, start = cells.low, cells.start
    labels, n_labels = with_chosen.labels, with_chosen.counts
    for line in range(start.size - 1):
        f = low + line
        first, last = with_chosen.start[f], with_chosen.start[f + 1]
        for p in range(first, last):
            tally[labels[p]] = n_labels[p]
        _add_chosen(cells, line, tally, counts, out)
        for p in range(first, last):
            tally[labels[p]] = 0


@njit
def _add_chosen(
    cells: JointCells,
    line: int,
    tally: CountArray,
    counts: BinaryTriples,
    out: FloatArray,
) -> None:
    """The same for one feature.

    tally: uint32[labels], rows with the feature, g and each label
    out: float64[features], added to
    """
    low, start, met, n_met = cells
    n_f, n_fg, n_chosen, _, n_l, n_gl, n, table = counts
    n_g, f = np.int64(n_chosen), low + line
    f_g = np.int64(n_fg[f])
    f_only = np.int64(n_f[f]) - f_g
    of_f = table[f_g] + table[f_only]
    total = out[f]
    for p in range(np.uint64(start[line]), np.uint64(start[line + 1])):
        label = np.uint64(met[p])
        t, both = np.int64(tally[label]), np.int64(n_gl[label])
        f_l = np.int64(n_met[p]) - t
        l_only = np.int64(n_l[label]) - both
        outside = n - n_g - l_only
        alone = f_only - f_l
        with_g = (table[t] + table[both - t]) + (
            table[f_g - t] + table[n_g - both - f_g + t]
        )
        without = (table[f_l] + table[l_only - f_l]) + (
            table[alone] + table[outside - alone]
        )
        apart = (table[both] + or_zero(table, n_g - both - f_g)) + (
            table[l_only] + or_zero(table, outside - f_only)
        )
        total += (with_g + without) - (apart + of_f)
    out[f] = total


@njit
def or_zero(table: FloatArray, k: Scalar) -> Scalar:
    """k log(k/n), 0 for a count that cannot be."""
    return table[k] if k > 0 else 0.0
