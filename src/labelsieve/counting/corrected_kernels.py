"""Information given a third column, less what chance alone would show.

Plug-in information of columns without any connection is about as large as half their
degrees of freedom, in rows: (codes of f - 1) x (codes of b - 1) for each code of the
given column a, where only codes that occur with that code of a count. All values here
are n times the information, in nats. Names are those of `entropy_kernels`.

n_fab: uint32[B, F], rows with f, a and b; for any codes uint32[A, some of Y, X]
table: float64[n + 1], k log(k/n)
s_fa: float64[F], S(f, a)
plain, spare: float64[B, F], n I(f; b) and its spare cells
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IntArray,
    Scalar,
    WordArray,
)
from labelsieve.counting.entropy_kernels import complete_table
from labelsieve.counting.triples import BinaryTriples, CodedTriples


@njit
def triple_sum(
    t: Scalar,
    fa: Scalar,
    n_f: Scalar,
    n_fb: Scalar,
    n_a: Scalar,
    rest: Scalar,
    ab: Scalar,
    not_a: Scalar,
    table: FloatArray,
) -> float:
    """S(f, a, b) of two codes each.

    `t` rows have all three, `rest` rows lack a, `not_a` rows have b but not a.
    """
    t = np.uint64(t)
    fb = np.uint64(n_fb) - t
    f_only = np.uint64(n_f) - fa
    a_only = np.uint64(n_a) - fa
    return (
        (table[t] + table[fa - t])
        + (table[ab - t] + table[a_only - (ab - t)])
        + (table[fb] + table[f_only - fb])
        + (table[not_a - fb] + table[rest - f_only - (not_a - fb)])
    )


@njit
def conditional_information(
    n_fab: CountArray, counts: CodedTriples, low: int, b: int, f: int, out: FloatArray
) -> None:
    """For one feature and label: n I(f; b | a), degrees of freedom, spare cells.

    Spare cells are the occupied ones of (f, a, b) and of a, less those of (f, a) and
    of (a, b): what the correction of Miller and Madow goes by.

    out: float64[3], overwritten
    """
    n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, n, table = counts
    first, last = y_start[b], y_start[b + 1]
    lines = slice(first - y_start[low], last - y_start[low])
    shape = (n_a.size + 1, last - first + 1)
    joint = np.zeros(shape, dtype=np.int64)
    cell = np.zeros(shape, dtype=np.int64)
    complete_table(joint, n, n_a, n_b[first:last], n_ab[:, first:last])
    n_f_codes = np.zeros(shape[0], dtype=np.int64)
    n_b_codes = (joint > 0).sum(axis=1)
    total, n_cells = 0.0, 0
    for i in range(shape[0]):
        total += table[joint[i].sum()]
        for j in range(shape[1]):
            total -= table[joint[i, j]]
    for c in range(x_start[f], x_start[f + 1]):
        n_cb, n_cab = n_fb[first:last, c], n_fab[:, lines, c]
        complete_table(cell, n_f[c], n_fa[:, c], n_cb, n_cab)
        total += _sum_of_code(cell, table, n_f_codes)
        n_cells += (cell > 0).sum()
        joint -= cell
    total += _sum_of_code(joint, table, n_f_codes)
    n_cells += (joint > 0).sum()
    freedom = 0.0
    for i in range(shape[0]):
        freedom += max(n_f_codes[i] - 1, 0) * max(n_b_codes[i] - 1, 0)
    out[0], out[1] = max(0.0, total), freedom
    out[2] = n_cells + (n_b_codes > 0).sum() - n_f_codes.sum() - n_b_codes.sum()


@njit
def information_of_two(
    n_cab: CountArray,
    counts: CodedTriples,
    line: int,
    f: int,
    own: Scalar,
    joint: WordArray,
) -> tuple[float, float]:
    """n I(f; b | a) and its degrees of freedom, for a b of two codes, an a of three.

    Bit for bit those of `conditional_information`, without tables.

    n_cab: uint32[2, X], rows with an indicator of a, with b and with one of f
    line: the indicator of b
    own: S(a) - S(a, b)
    joint: uint64[3, 2], rows with each code of a and b
    """
    n_f, n_fa, _, n_fb, _, _, x_start, _, _, table = counts
    first, last = x_start[f], x_start[f + 1]
    no_0, no_1, no_2 = joint[0, 0], joint[1, 0], joint[2, 0]
    yes_0, yes_1, yes_2 = joint[0, 1], joint[1, 1], joint[2, 1]
    free_0, free_1, free_2 = np.int64(-1), np.int64(-1), np.int64(-1)
    total = own
    for c in range(np.uint64(first), np.uint64(last)):
        here_1, here_2 = np.uint64(n_cab[0, c]), np.uint64(n_cab[1, c])
        with_1, with_2 = np.uint64(n_fa[0, c]), np.uint64(n_fa[1, c])
        here_0 = np.uint64(n_fb[line, c]) - here_1 - here_2
        with_0 = np.uint64(n_f[c]) - with_1 - with_2
        part = (table[with_0 - here_0] + table[here_0]) - table[with_0]
        part = ((part + table[with_1 - here_1]) + table[here_1]) - table[with_1]
        part = ((part + table[with_2 - here_2]) + table[here_2]) - table[with_2]
        total += part
        yes_0, no_0 = yes_0 - here_0, no_0 - (with_0 - here_0)
        yes_1, no_1 = yes_1 - here_1, no_1 - (with_1 - here_1)
        yes_2, no_2 = yes_2 - here_2, no_2 - (with_2 - here_2)
        free_0, free_1 = free_0 + (with_0 > 0), free_1 + (with_1 > 0)
        free_2 += with_2 > 0
    part = (table[no_0] + table[yes_0]) - table[no_0 + yes_0]
    part = ((part + table[no_1]) + table[yes_1]) - table[no_1 + yes_1]
    part = ((part + table[no_2]) + table[yes_2]) - table[no_2 + yes_2]
    free_0, free_1 = free_0 + (no_0 + yes_0 > 0), free_1 + (no_1 + yes_1 > 0)
    free_2 += no_2 + yes_2 > 0
    freedom = 0.0
    if joint[0, 0] > 0 and joint[0, 1] > 0:
        freedom += max(free_0, 0)
    if joint[1, 0] > 0 and joint[1, 1] > 0:
        freedom += max(free_1, 0)
    if joint[2, 0] > 0 and joint[2, 1] > 0:
        freedom += max(free_2, 0)
    return max(0.0, total + part), freedom


@njit
def split_by_label(counts: CodedTriples, line: int, joint: WordArray) -> None:
    """joint[code of a, code of b] = rows with both, for a label indicator b.

    joint: uint64[codes of a, 2], overwritten
    """
    with_b, every = np.uint64(counts.n_b[line]), np.uint64(counts.n)
    for i in range(counts.n_a.size):
        here, together = np.uint64(counts.n_ab[i, line]), np.uint64(counts.n_a[i])
        joint[i + 1, 0], joint[i + 1, 1] = together - here, here
        with_b -= here
        every -= together
    joint[0, 0], joint[0, 1] = every - with_b, with_b


@njit
def _sum_of_code(cell: IntArray, table: FloatArray, n_f_codes: IntArray) -> float:
    """S(f, a, b) - S(f, a) of one code of f.

    cell: int64[codes of a, codes of b], rows with that code of f
    n_f_codes: int64[codes of a], increased where the code of f occurs with one of a
    """
    total = 0.0
    for i in range(cell.shape[0]):
        together = 0
        for j in range(cell.shape[1]):
            together += cell[i, j]
            total += table[cell[i, j]]
        total -= table[together]
        n_f_codes[i] += together > 0
    return total


@njit
def add_interactions_any(
    n_fab: CountArray,
    counts: CodedTriples,
    low: int,
    high: int,
    plain: FloatArray,
    spare: FloatArray,
    freedom: FloatArray,
    limits: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += corrected n I({f, a, b}) over the labels b in [low, high).

    Without `limits` half the spare cells are taken off; with them an interaction
    counts as zero where twice its size is below the limit for its degrees of freedom.

    freedom: float64[labels, features], degrees of freedom of `plain`
    limits: float64[0], or float64[degrees of freedom + 1]
    out: float64[features]
    """
    value = np.empty(3)
    for b in range(low, high):
        for f in range(counts.x_start.size - 1):
            conditional_information(n_fab, counts, low, b, f, value)
            interaction = plain[b, f] - value[0]
            if limits.size == 0:
                out[f] += interaction + 0.5 * (value[2] - spare[b, f])
                continue
            extra = max(1, int(value[1] - freedom[b, f]))
            if 2.0 * abs(interaction) > limits[min(extra, limits.size - 1)]:
                out[f] += interaction


@njit
def add_interactions_binary(
    n_fab: CountArray,
    counts: BinaryTriples,
    s_fa: FloatArray,
    plain: FloatArray,
    spare: FloatArray,
    limit: float,
    out: FloatArray,
) -> None:
    """Like `add_interactions_any`, for two codes everywhere; no limit is negative.

    out: float64[F]
    """
    n_f, n_fa, n_a, n_fb, n_b, n_ab, n, table = counts
    rest = np.uint64(n) - np.uint64(n_a)
    s_a = table[n_a] + table[rest]
    for b in range(n_b.size):
        ab = np.uint64(n_ab[b])
        not_a = np.uint64(n_b[b]) - ab
        s_ab = table[ab] + table[not_a] + table[n_a - ab] + table[rest - not_a]
        k_ab = _n_occupied(ab, n_a, n_b[b], n)
        all_three, fb = n_fab[b], n_fb[b]
        for f in range(np.uint64(n_f.size)):
            t, fa = np.uint64(all_three[f]), np.uint64(n_fa[f])
            value = triple_sum(t, fa, n_f[f], fb[f], n_a, rest, ab, not_a, table)
            interaction = plain[b, f] - max(0.0, value + s_a - s_ab - s_fa[f])
            if limit < 0.0:
                inside = _n_occupied(t, fa, ab, n_a)
                outside = _n_occupied(fb[f] - t, n_f[f] - fa, not_a, rest)
                given = inside + outside + 2 - _n_occupied(fa, n_f[f], n_a, n) - k_ab
                out[f] += interaction + 0.5 * (given - spare[b, f])
            elif 2.0 * abs(interaction) > limit:
                out[f] += interaction


@njit
def _n_occupied(both: Scalar, n_x: Scalar, n_y: Scalar, n: Scalar) -> int:
    """How many of the four cells of two indicators among n rows are not empty."""
    return (
        int(both > 0)
        + int(n_x > both)
        + int(n_y > both)
        + int(np.int64(n) - np.int64(n_x) - np.int64(n_y) + np.int64(both) > 0)
    )


@njit
def spare_cells(
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    x_start: IntArray,
    y_start: IntArray,
    n: int,
    out: FloatArray,
) -> None:
    """out[y, x] = occupied cells of x and y, less those of each, plus one.

    n_xy: uint32[indicators of y, indicators of x], rows with both
    n_x, n_y: uint32[indicators], rows with each
    x_start, y_start: int64[columns + 1], the first indicator of each column
    out: float64[columns y, columns x]
    """
    for y in range(y_start.size - 1):
        first, last = y_start[y], y_start[y + 1]
        for x in range(x_start.size - 1):
            left, right = x_start[x], x_start[x + 1]
            cell = np.zeros((last - first + 1, right - left + 1), dtype=np.int64)
            counts = n_xy[first:last, left:right]
            complete_table(cell, n, n_y[first:last], n_x[left:right], counts)
            out[y, x] = (cell > 0).sum() - cell.shape[0] - cell.shape[1] + 1
