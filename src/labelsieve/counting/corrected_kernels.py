"""Information given a third column, less what chance alone would show.

Plug-in information of columns without any connection is about as large as half their
degrees of freedom, in rows: (codes of f - 1) x (codes of b - 1) for each code of the
given column a, where only codes that occur with that code of a count. All values here
are n times the information, in nats. Names are those of `entropy_kernels`.
"""

# mypy: allow-untyped-defs
# Kernels run on whatever numba infers; their docstrings name the arrays.

from __future__ import annotations

import numpy as np

from labelsieve._compile import njit
from labelsieve.counting.entropy_kernels import _complete


@njit
def lower_binary(n_fab, n_f, n_fa, s_fa, n_a, n_fb, n_b, n_ab, n, table, strict, least):
    """least[b, f] = min(itself, n I(f; b | a) less chance); two codes everywhere.

    Chance counts `strict` times, and no value is below zero. s_fa[f] is S(f, a).
    """
    rest = np.uint64(n) - np.uint64(n_a)
    s_a = table[n_a] + table[rest]
    for b in range(n_b.size):
        ab = np.uint64(n_ab[b])
        not_a = np.uint64(n_b[b]) - ab
        s_ab = table[ab] + table[not_a] + table[n_a - ab] + table[rest - not_a]
        varies, varies_else = 0 < ab < n_a, 0 < not_a < rest
        row, all_three, fb = least[b], n_fab[b], n_fb[b]
        for f in range(np.uint64(n_f.size)):
            if row[f] <= 0.0:
                continue
            fa, t = np.uint64(n_fa[f]), np.uint64(all_three[f])
            value = _cells(t, fa, n_f[f], fb[f], n_a, rest, ab, not_a, table)
            value += s_a - s_ab - s_fa[f]
            freedom = 0.0
            if varies and 0 < fa < n_a:
                freedom += 0.5
            if varies_else and 0 < n_f[f] - fa < rest:
                freedom += 0.5
            row[f] = min(row[f], max(0.0, value - strict * freedom))


@njit
def _cells(t, fa, n_f, n_fb, n_a, rest, ab, not_a, table):
    """S(f, a, b) from the counts of two codes each."""
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
def lower_any(
    n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, high, n, table,
    strict, least,
):  # fmt: skip
    """Like `lower_binary`, for any codes and the labels b in [low, high)."""
    value = np.empty(2)
    for b in range(low, high):
        for f in range(x_start.size - 1):
            if least[b - low, f] > 0.0:
                conditional_any(
                    n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, b,
                    f, n, table, value,
                )  # fmt: skip
                excess = value[0] - 0.5 * strict * value[1]
                least[b - low, f] = min(least[b - low, f], max(0.0, excess))


@njit
def conditional_any(
    n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, b, f, n, table, out
):  # fmt: skip
    """out = n I(f; b | a) and its degrees of freedom, for one feature and label."""
    first, last = y_start[b], y_start[b + 1]
    lines = slice(first - y_start[low], last - y_start[low])
    shape = (n_a.size + 1, last - first + 1)
    joint = np.zeros(shape, dtype=np.int64)
    cell = np.zeros(shape, dtype=np.int64)
    _complete(joint, n, n_a, n_b[first:last], n_ab[:, first:last])
    n_f_codes = np.zeros(shape[0], dtype=np.int64)
    n_b_codes = (joint > 0).sum(axis=1)
    total = 0.0
    for i in range(shape[0]):
        total += table[joint[i].sum()]
        for j in range(shape[1]):
            total -= table[joint[i, j]]
    for c in range(x_start[f], x_start[f + 1]):
        _complete(cell, n_f[c], n_fa[:, c], n_fb[first:last, c], n_fab[:, lines, c])
        total += _add_code(cell, table, n_f_codes)
        joint -= cell
    total += _add_code(joint, table, n_f_codes)
    freedom = 0.0
    for i in range(shape[0]):
        freedom += max(n_f_codes[i] - 1, 0) * max(n_b_codes[i] - 1, 0)
    out[0], out[1] = max(0.0, total), freedom


@njit
def _add_code(cell, table, n_f_codes):
    """S(f, a, b) - S(f, a) of one code of f; counts with which codes of a it occurs."""
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
def add_interactions(
    n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, high, n, table,
    plain, freedom, limits, out,
):  # fmt: skip
    """out[f] += corrected n I({f, a, b}) over the labels b in [low, high).

    `plain` is n I(f; b) and `freedom` its degrees of freedom, one line per label. An
    interaction is less half its degrees of freedom, or with `limits` zero where twice
    its size is below the limit for its degrees of freedom.
    """
    value = np.empty(2)
    for b in range(low, high):
        for f in range(x_start.size - 1):
            conditional_any(
                n_fab, n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, low, b, f, n,
                table, value,
            )  # fmt: skip
            interaction = plain[b, f] - value[0]
            extra = value[1] - freedom[b, f]
            if limits.size == 0:
                out[f] += interaction + 0.5 * extra
            elif 2.0 * abs(interaction) > limits[min(int(abs(extra)), limits.size - 1)]:
                out[f] += interaction
