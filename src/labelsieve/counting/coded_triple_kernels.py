"""What `triple_kernels` add up, for columns of any codes: no cell is free.

table: float64[n + 1], k log(k/n)
x_start: int64[columns + 1], the first indicator of each column
own: float64[features], what is taken off for each feature
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray
from labelsieve.counting.entropy_kernels import complete_table, have_three_at_most
from labelsieve.counting.kernels import group_rows
from labelsieve.counting.plane_kernels import RowFeatures, count_features, scratch
from labelsieve.counting.triple_kernels import take_off
from labelsieve.counting.triples import CodedTriples, LabelPairs


@njit
def add_triples_any(
    n_fab: CountArray,
    counts: CodedTriples,
    own: FloatArray,
    low: int,
    high: int,
    out: FloatArray,
) -> None:
    """out[f] += S(f, a, b) - S(a, b) - own[f], over the labels b in [low, high).

    n_fab: uint32[A, indicators of these labels, X], rows with all three
    out: float64[features]
    """
    n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, n, table = counts
    n_a_codes = n_a.size + 1
    for b in range(low, high):
        first, last = y_start[b], y_start[b + 1]
        n_b_codes = last - first + 1
        both = np.zeros((n_a_codes, n_b_codes), dtype=np.int64)
        complete_table(both, n, n_a, n_b[first:last], n_ab[:, first:last])
        take_off(1, _sum_of(both, table), own, out)
        joint, cell = both.copy(), both.copy()
        n_cb = n_fb[first:last]
        n_cab = n_fab[:, first - y_start[low] : last - y_start[low]]
        if n_a_codes == 2 and n_b_codes == 2:
            _add_two_by_two(
                n_f, n_fa[0], n_cb[0], n_cab[0, 0], both, x_start, table, out
            )
            continue
        if n_a_codes == 3 and n_b_codes == 2:
            _add_three_by_two(
                n_f, n_fa, n_cb[0], n_cab[:, 0], both, x_start, table, out
            )
            continue
        for f in range(x_start.size - 1):
            # Start from the table of a and b, take away each code of f: code 0 is left.
            for i in range(n_a_codes):
                for j in range(n_b_codes):
                    joint[i, j] = both[i, j]
            total = 0.0
            for c in range(x_start[f], x_start[f + 1]):
                _table_given(c, n_f, n_fa, n_cb, n_cab, cell)
                for i in range(n_a_codes):
                    for j in range(n_b_codes):
                        total += table[cell[i, j]]
                        joint[i, j] -= cell[i, j]
            for i in range(n_a_codes):
                for j in range(n_b_codes):
                    total += table[joint[i, j]]
            out[f] += total


@njit
def _sum_of(both: IntArray, table: FloatArray) -> float:
    """S(a, b) from the rows with each code.

    both: int64[codes of a, codes of b]
    """
    total = 0.0
    for i in range(both.shape[0]):
        for j in range(both.shape[1]):
            total += table[both[i, j]]
    return total


@njit
def add_label_triples_sparse_any(
    low: int,
    high: int,
    rows: Lists,
    labels: Lists,
    features: RowFeatures,
    counts: LabelPairs,
    own: FloatArray,
    x_start: IntArray,
    out: FloatArray,
) -> None:
    """Like `add_label_triples_sparse`, for features of any codes; no cell is free.

    out: float64[L, features]
    """
    n_f, n_fl, n_l, n_lm, n, table = counts
    start = np.zeros(n_l.size + 1, dtype=np.int64)
    line, both = np.empty(n_f.size, dtype=np.uint32), np.zeros((2, 2), dtype=np.int64)
    room = scratch()
    for a in range(low, high):
        for b in range(n_l.size):
            start[b + 1] = start[b] + n_lm[a, b]
        grouped = np.empty(start[-1], dtype=np.uint32)
        having = rows.entries[rows.start[a] : rows.start[a + 1]]
        group_rows(having, labels, start[:-1].copy(), grouped)
        for b in range(a + 1, n_l.size):
            count_features(grouped[start[b] : start[b + 1]], features, room, line)
            one = slice(b, b + 1)
            complete_table(both, n, n_l[a : a + 1], n_l[one], n_lm[a : a + 1, one])
            take_off(1, _sum_of(both, table), own, out[a])
            _add_two_by_two(n_f, n_fl[a], n_fl[b], line, both, x_start, table, out[a])


@njit
def _add_two_by_two(
    n_c: CountArray,
    n_ca: CountArray,
    n_cb: CountArray,
    n_cab: CountArray,
    both: IntArray,
    x_start: IntArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """The same for an a and a b of two codes: nothing is written but the sums.

    n_c, n_ca, n_cb, n_cab: uint32[X], rows with each indicator of f, and a and b
    both: int64[2, 2], rows with each code of a and b
    out: float64[features]
    """
    if have_three_at_most(x_start):
        _add_two_by_two_of_three(n_c, n_ca, n_cb, n_cab, both, x_start, table, out)
        return
    for f in range(x_start.size - 1):
        neither, only_b, only_a, a_and_b = (
            both[0, 0],
            both[0, 1],
            both[1, 0],
            both[1, 1],
        )
        total = 0.0
        for c in range(x_start[f], x_start[f + 1]):
            t = np.int64(n_cab[c])
            c_a, c_b = np.int64(n_ca[c]) - t, np.int64(n_cb[c]) - t
            alone = np.int64(n_c[c]) - c_a - c_b - t
            total += table[alone]
            total += table[c_b]
            total += table[c_a]
            total += table[t]
            neither, only_b = neither - alone, only_b - c_b
            only_a, a_and_b = only_a - c_a, a_and_b - t
        total += table[neither]
        total += table[only_b]
        total += table[only_a]
        total += table[a_and_b]
        out[f] += total


@njit
def _add_three_by_two(
    n_c: CountArray,
    n_ca: CountArray,
    n_cb: CountArray,
    n_cab: CountArray,
    both: IntArray,
    x_start: IntArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """The same for an a of three codes, as two and missing cells are.

    n_c, n_cb: uint32[X], rows with each indicator of f, and with b
    n_ca, n_cab: uint32[2, X], those of them with each indicator of a
    both: int64[3, 2], rows with each code of a and b
    out: float64[features]
    """
    if have_three_at_most(x_start):
        _add_three_by_two_of_three(n_c, n_ca, n_cb, n_cab, both, x_start, table, out)
        return
    for f in range(x_start.size - 1):
        neither, only_b = both[0, 0], both[0, 1]
        only_1, both_1, only_2, both_2 = both[1, 0], both[1, 1], both[2, 0], both[2, 1]
        total = 0.0
        for c in range(x_start[f], x_start[f + 1]):
            t_1, t_2 = np.int64(n_cab[0, c]), np.int64(n_cab[1, c])
            c_1, c_2 = np.int64(n_ca[0, c]) - t_1, np.int64(n_ca[1, c]) - t_2
            c_b = np.int64(n_cb[c]) - t_1 - t_2
            alone = np.int64(n_c[c]) - c_1 - c_2 - t_1 - t_2 - c_b
            total += table[alone]
            total += table[c_b]
            total += table[c_1]
            total += table[t_1]
            total += table[c_2]
            total += table[t_2]
            neither, only_b = neither - alone, only_b - c_b
            only_1, both_1 = only_1 - c_1, both_1 - t_1
            only_2, both_2 = only_2 - c_2, both_2 - t_2
        total += table[neither]
        total += table[only_b]
        total += table[only_1]
        total += table[both_1]
        total += table[only_2]
        total += table[both_2]
        out[f] += total


@njit
def _add_two_by_two_of_three(
    n_c: CountArray,
    n_ca: CountArray,
    n_cb: CountArray,
    n_cab: CountArray,
    both: IntArray,
    x_start: IntArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """The same, bit for bit, for features of three codes, or two.

    The third code of a feature of two has no rows, which adds nothing.

    n_c, n_ca, n_cb, n_cab: uint32[X], rows with each indicator of f, and a and b
    both: int64[2, 2], rows with each code of a and b
    out: float64[features]
    """
    neither, only_b = np.uint64(both[0, 0]), np.uint64(both[0, 1])
    only_a, a_and_b = np.uint64(both[1, 0]), np.uint64(both[1, 1])
    for f in range(np.uint64(out.size)):
        c = np.uint64(x_start[f])
        more = np.uint64(x_start[f + np.uint64(1)]) - c - np.uint64(1)
        d = c + more
        t, u = np.uint64(n_cab[c]), more * n_cab[d]
        c_a, d_a = n_ca[c] - t, more * n_ca[d] - u
        c_b, d_b = n_cb[c] - t, more * n_cb[d] - u
        c_alone = n_c[c] - t - c_a - c_b
        d_alone = more * n_c[d] - u - d_a - d_b
        total = ((table[c_alone] + table[c_b]) + table[c_a]) + table[t]
        total = (((total + table[d_alone]) + table[d_b]) + table[d_a]) + table[u]
        total = total + table[neither - c_alone - d_alone]
        total = total + table[only_b - c_b - d_b]
        total = total + table[only_a - c_a - d_a]
        out[f] += total + table[a_and_b - t - u]


@njit
def _add_three_by_two_of_three(
    n_c: CountArray,
    n_ca: CountArray,
    n_cb: CountArray,
    n_cab: CountArray,
    both: IntArray,
    x_start: IntArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Likewise for an a of three codes.

    n_c, n_cb: uint32[X], rows with each indicator of f, and with b
    n_ca, n_cab: uint32[2, X], those of them with each indicator of a
    both: int64[3, 2], rows with each code of a and b
    out: float64[features]
    """
    neither, only_b = np.uint64(both[0, 0]), np.uint64(both[0, 1])
    only_1, both_1 = np.uint64(both[1, 0]), np.uint64(both[1, 1])
    only_2, both_2 = np.uint64(both[2, 0]), np.uint64(both[2, 1])
    n_c1, n_c2, n_t1, n_t2 = n_ca[0], n_ca[1], n_cab[0], n_cab[1]
    for f in range(np.uint64(out.size)):
        c = np.uint64(x_start[f])
        more = np.uint64(x_start[f + np.uint64(1)]) - c - np.uint64(1)
        d = c + more
        t_1, t_2 = np.uint64(n_t1[c]), np.uint64(n_t2[c])
        u_1, u_2 = more * n_t1[d], more * n_t2[d]
        c_1, c_2 = n_c1[c] - t_1, n_c2[c] - t_2
        d_1, d_2 = more * n_c1[d] - u_1, more * n_c2[d] - u_2
        c_b, d_b = n_cb[c] - t_1 - t_2, more * n_cb[d] - u_1 - u_2
        c_alone = n_c[c] - t_1 - t_2 - c_1 - c_2 - c_b
        d_alone = more * n_c[d] - u_1 - u_2 - d_1 - d_2 - d_b
        total = ((table[c_alone] + table[c_b]) + table[c_1]) + table[t_1]
        total = (total + table[c_2]) + table[t_2]
        total = (((total + table[d_alone]) + table[d_b]) + table[d_1]) + table[u_1]
        total = (total + table[d_2]) + table[u_2]
        total = total + table[neither - c_alone - d_alone]
        total = total + table[only_b - c_b - d_b]
        total = total + table[only_1 - c_1 - d_1]
        total = total + table[both_1 - t_1 - u_1]
        total = total + table[only_2 - c_2 - d_2]
        out[f] += total + table[both_2 - t_2 - u_2]


@njit
def _table_given(
    c: int,
    n_c: CountArray,
    n_ca: CountArray,
    n_cb: CountArray,
    n_cab: CountArray,
    cell: IntArray,
) -> None:
    """Like `complete_table`, of the rows with indicator c: no arrays are cut out.

    n_c: uint32[X], rows with each indicator
    n_ca, n_cb: uint32[codes - 1, X], rows with both
    n_cab: uint32[codes of a - 1, codes of b - 1, X], rows with all three
    cell: int64[codes of a, codes of b], overwritten
    """
    rest = np.int64(n_c[c])
    for j in range(n_cb.shape[0]):
        cell[0, j + 1] = n_cb[j, c]
        rest -= np.int64(n_cb[j, c])
    for i in range(n_ca.shape[0]):
        left = np.int64(n_ca[i, c])
        rest -= left
        for j in range(n_cb.shape[0]):
            both = np.int64(n_cab[i, j, c])
            cell[i + 1, j + 1] = both
            cell[0, j + 1] -= both
            left -= both
            rest += both
        cell[i + 1, 0] = left
    cell[0, 0] = rest
