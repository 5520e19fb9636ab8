"""From counts to entropies: sums of k log(k/n) over the cells of contingency tables.

All sums are "cell sums": S = sum over the cells of k log(k/n) = -n H, looked up in a
table of k log(k/n), k = 0 .. n. Cells that contain a zero code follow from the others
by subtraction. A line of a table belongs to a label indicator, a column to a feature
indicator; `x_start` and `y_start` tell where the indicators of each begin.
"""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve.counting.kernels import count_features_sparse, group_rows


@njit
def triples_binary(n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, n, table, out):
    """out[f] += sum over b of S(f, a, b); all variables have two codes.

    Where a and b never meet, only the cells with neither of them are added: the
    others are "free cells" of a and of b, whatever the other one is.
    """
    rest = n_f - n_fa
    for b in range(n_ab.size):
        _add_triple(n_fab[b], rest, n_fa, n_a, n_fb[b], n_b[b], n_ab[b], n, table, out)


@njit
def triples_sparse(
    start, grouped, x_start, x_index, n_f, n_fa, n_a, n_fb, n_b, n_ab, n, table, out
):
    """Like `triples_binary`, from the rows with a, grouped by b, and their features.

    A line of counts is used where it was counted: no table goes through memory.
    """
    rest = n_f - n_fa
    n_fab = np.empty(n_f.size, dtype=np.uint32)
    for b in range(n_ab.size):
        if n_ab[b]:
            having = grouped[start[b] : start[b + 1]]
            count_features_sparse(having, x_start, x_index, n_fab)
        _add_triple(n_fab, rest, n_fa, n_a, n_fb[b], n_b[b], n_ab[b], n, table, out)


@njit
def label_triples_sparse(
    low, high, label_start, label_rows, y_start, y_index, x_start, x_index,
    n_f, n_fl, n_l, n_lm, n, table, out,
):  # fmt: skip
    """out[a, f] += sum over labels b > a of S(f, a, b), for labels a in [low, high)."""
    start = np.zeros(n_l.size + 1, dtype=np.int64)
    for a in range(low, high):
        for b in range(n_l.size):
            start[b + 1] = start[b] + n_lm[a, b]
        grouped = np.empty(start[-1], dtype=np.uint32)
        rows = label_rows[label_start[a] : label_start[a + 1]]
        group_rows(rows, y_start, y_index, start[:-1].copy(), grouped)
        after = slice(a + 1, n_l.size)
        triples_sparse(
            start[a + 1 :], grouped, x_start, x_index, n_f, n_fl[a], n_l[a],
            n_fl[after], n_l[after], n_lm[a, after], n, table, out[a],
        )  # fmt: skip


@njit
def _add_triple(n_fab, rest, n_fa, n_a, n_fb, n_b, n_ab, n, table, out):
    """out[f] += S(f, a, b) but for free cells; rest[f] has f without a.

    n_fab is not read where a and b never meet.
    """
    both = np.uint64(n_ab)
    only_a, only_b = np.uint64(n_a) - both, np.uint64(n_b) - both
    outside = np.uint64(n) - only_a - np.uint64(n_b)
    if n_ab == 0:
        for f in range(np.uint64(rest.size)):
            alone = rest[f] - n_fb[f]
            out[f] += table[alone] + table[outside - alone]
    elif np.uint64(n_b) < rest.size:
        # Few rows: adding up with and without f beforehand costs less than looking
        # up both for each feature. The sums are the same bits.
        of_both, of_b = _with_and_without(table, both), _with_and_without(table, only_b)
        for f in range(np.uint64(rest.size)):
            t = n_fab[f]
            f_a, f_b = n_fa[f] - t, n_fb[f] - t
            alone = rest[f] - f_b
            out[f] += (of_both[t] + (table[f_a] + table[only_a - f_a])) + (
                of_b[f_b] + (table[alone] + table[outside - alone])
            )
    else:
        for f in range(np.uint64(rest.size)):
            t = n_fab[f]
            f_a, f_b = n_fa[f] - t, n_fb[f] - t
            alone = rest[f] - f_b
            of_both, of_b = table[t] + table[both - t], table[f_b] + table[only_b - f_b]
            out[f] += (of_both + (table[f_a] + table[only_a - f_a])) + (
                of_b + (table[alone] + table[outside - alone])
            )


@njit
def _with_and_without(table, n):
    """table[k] + table[n - k] for k = 0 .. n."""
    out = np.empty(n + np.uint64(1))
    for k in range(n + np.uint64(1)):
        out[k] = table[k] + table[n - k]
    return out


@njit
def triples_any(
    n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, high, n, table, out
):
    """out[f] += sum over labels b in [low, high) of S(f, a, b), for any codes.

    n_fab[i, j, c] counts indicator i of a, indicator j of labels low, low + 1, ...
    and feature indicator c; n_fb, n_b and n_ab[i] hold all label indicators.
    """
    n_a_codes = n_a.size + 1
    for b in range(low, high):
        first, last = y_start[b], y_start[b + 1]
        n_b_codes = last - first + 1
        joint = np.zeros((n_a_codes, n_b_codes), dtype=np.int64)
        cell = np.zeros((n_a_codes, n_b_codes), dtype=np.int64)
        for f in range(x_start.size - 1):
            # Start from the table of a and b, take away each code of f: code 0 is left.
            _complete(joint, n, n_a, n_b[first:last], n_ab[:, first:last])
            total = 0.0
            for c in range(x_start[f], x_start[f + 1]):
                n_cb = n_fb[first:last, c]
                n_cab = n_fab[:, first - y_start[low] : last - y_start[low], c]
                _complete(cell, n_f[c], n_fa[:, c], n_cb, n_cab)
                for i in range(n_a_codes):
                    for j in range(n_b_codes):
                        total += table[cell[i, j]]
                        joint[i, j] -= cell[i, j]
            for i in range(n_a_codes):
                for j in range(n_b_codes):
                    total += table[joint[i, j]]
            out[f] += total


@njit
def _complete(cell, n, n_a, n_b, n_ab):
    """Fill in the cells of code 0 of a two-way table given by its indicators."""
    rest = np.int64(n)
    for i in range(n_a.size):
        cell[i + 1, 0] = n_a[i]
        rest -= np.int64(n_a[i])
    for j in range(n_b.size):
        cell[0, j + 1] = n_b[j]
        rest -= np.int64(n_b[j])
    for i in range(n_a.size):
        for j in range(n_b.size):
            both = np.int64(n_ab[i, j])
            cell[i + 1, j + 1] = both
            cell[i + 1, 0] -= both
            cell[0, j + 1] -= both
            rest += both
    cell[0, 0] = rest


@njit
def pairs_binary(n_xy, n_x, n_y, n, table, out):
    """out[y, x] = S(x, y) from n_xy[y, x]; all variables have two codes."""
    for y in range(n_y.size):
        line = n_xy[y]
        here = np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        for x in range(np.uint64(n_x.size)):
            out[y, x] = _pair(line[x], n_x[x], here, elsewhere, table)


@njit
def pairs_any(n_xy, n_x, n_y, x_start, y_start, n, table, out):
    """out[y, x] = S(x, y) from n_xy[indicator of y, indicator of x], for any codes."""
    for y in range(y_start.size - 1):
        first, last = y_start[y], y_start[y + 1]
        for x in range(x_start.size - 1):
            left, right = x_start[x], x_start[x + 1]
            cell = np.zeros((last - first + 1, right - left + 1), dtype=np.int64)
            counts = n_xy[first:last, left:right]
            _complete(cell, n, n_y[first:last], n_x[left:right], counts)
            total = 0.0
            for i in range(cell.shape[0]):
                for j in range(cell.shape[1]):
                    total += table[cell[i, j]]
            out[y, x] = total


@njit
def shared_binary(n_xy, n_x, n_y, s_x, s_y, n, table, out):
    """out[y, x] = I(x; y) = max(0, S(x, y) - S(x) - S(y)) / n; two codes each."""
    for y in range(n_y.size):
        line, own = n_xy[y], s_y[y]
        here = np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        for x in range(np.uint64(n_x.size)):
            joint = _pair(line[x], n_x[x], here, elsewhere, table)
            out[y, x] = max(0.0, joint - (s_x[x] + own)) / n


@njit
def _pair(both, n_x, here, elsewhere, table):
    """S(x, y) of two codes each; `here` rows have y, `elsewhere` do not."""
    alone = n_x - both
    return (table[both] + table[alone]) + (
        table[here - both] + table[elsewhere - alone]
    )


@njit
def totals_binary(low, high, n_xy, n_x, n_y, s_x, s_y, n, table, out):
    """Like `totals_any`, from counts, for x in [low, high); two codes each."""
    low, high = np.uint64(low), np.uint64(high)
    for y in range(n_y.size):
        line, own = n_xy[y], s_y[y]
        here = np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        for x in range(low, high):
            joint = _pair(line[x], n_x[x], here, elsewhere, table)
            out[0, x] += joint
            out[1, x] += max(0.0, joint - s_x[x] - own)


@njit
def totals_any(s_xy, s_x, s_y, out):
    """Add up S(x, y), and n I(x; y) = S(x, y) - S(x) - S(y) if positive, over y."""
    for y in range(s_y.size):
        line, own = s_xy[y], s_y[y]
        for x in range(s_x.size):
            out[0, x] += line[x]
            out[1, x] += max(0.0, line[x] - s_x[x] - own)


@njit
def singles(n_x, x_start, n, table, out):
    """out[x] = S(x)."""
    for x in range(x_start.size - 1):
        rest = np.int64(n)
        total = 0.0
        for c in range(x_start[x], x_start[x + 1]):
            total += table[n_x[c]]
            rest -= np.int64(n_x[c])
        out[x] = total + table[rest]


@njit
def add_free(times, n_fa, n_a, table, out):
    """out[f] += times[a] (table[n_fa] + table[n_a - n_fa]) over a, compensated."""
    lost = np.zeros(out.size)
    for a in range(n_a.size):
        if times[a]:
            line, here = n_fa[a], np.uint64(n_a[a])
            for f in range(np.uint64(out.size)):
                term = times[a] * (table[line[f]] + table[here - line[f]])
                out[f] = _add_compensated(out[f], term, lost, f)
    out += lost


@njit
def add_up(parts, out):
    """out[f] = sum of parts[:, f] in order, compensated."""
    lost = np.zeros(out.size)
    out[:] = 0.0
    for line in parts:
        for f in range(np.uint64(out.size)):
            out[f] = _add_compensated(out[f], line[f], lost, f)
    out += lost


@njit
def _add_compensated(total, term, lost, place):
    """The sum; lost[place] gathers what rounding takes off it (Neumaier)."""
    new = total + term
    if abs(total) >= abs(term):
        lost[place] += (total - new) + term
    else:
        lost[place] += (term - new) + total
    return new
