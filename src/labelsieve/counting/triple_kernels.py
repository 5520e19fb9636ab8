"""Sums of k log(k/n) over the cells of tables of three columns: a feature f, a, b.

Each table is taken less S(a, b), and less something of f: with S(f) this is
n I(f; a, b), with S(f, a) - S(a) it is n I(f; b | a). What is added up is no larger
than need be, and rounding takes little off. Names and layouts are those of
`entropy_kernels`. All columns have two codes; where a and b never meet, cells with one
of them are "free": they are the same whatever the other one is, and are added by
`add_free_cells`. For any codes see `coded_triple_kernels`.

table: float64[n + 1], k log(k/n)
own: float64[F], what is taken off for each feature
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray, Scalar
from labelsieve.counting.entropy_kernels import add_compensated
from labelsieve.counting.kernels import group_rows
from labelsieve.counting.plane_kernels import RowFeatures, count_features, scratch
from labelsieve.counting.triples import TAKEN_AT_ONCE, BinaryTriples, LabelPairs


@njit
def add_triples_binary(
    low: int,
    n_fab: CountArray,
    counts: BinaryTriples,
    own: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += sum over b of S(f, a, b) - S(a, b) - own[f]; the first b is `low`.

    Where a and b never meet, only the cells with neither of them are added: the
    others are "free cells" of a and of b, whatever the other one is.

    n_fab: uint32[B, F], rows with f, a and b
    out: float64[F]
    """
    n_f, n_fa, n_a, n_fb, n_b, n_ab, _, table = counts
    rest = n_f - n_fa
    less, n_added = 0.0, 0
    for b in range(n_ab.size):
        lines = n_fab[b], rest, n_fa, n_fb[b]
        less += _add_triple(*lines, n_a, n_b[b], n_ab[b], table, out)
        n_added += 1
        if (low + b + 1) % TAKEN_AT_ONCE == 0 or b + 1 == n_ab.size:
            take_off(n_added, less, own, out)
            less, n_added = 0.0, 0


@njit
def add_triples_sparse(
    low: int,
    groups: Lists,
    features: RowFeatures,
    counts: BinaryTriples,
    own: FloatArray,
    out: FloatArray,
) -> None:
    """Like `add_triples_binary`, from the rows with a, grouped by b, and features.

    A line of counts is used where it was counted: no table goes through memory.

    out: float64[F]
    """
    start, grouped = groups
    n_f, n_fa, n_a, n_fb, n_b, n_ab, _, table = counts
    rest = n_f - n_fa
    n_fab, room = np.empty(n_f.size, dtype=np.uint32), scratch()
    less, n_added = 0.0, 0
    for b in range(n_ab.size):
        if n_ab[b]:
            having = grouped[start[b] : start[b + 1]]
            count_features(having, features, room, n_fab)
        lines = n_fab, rest, n_fa, n_fb[b]
        less += _add_triple(*lines, n_a, n_b[b], n_ab[b], table, out)
        n_added += 1
        if (low + b + 1) % TAKEN_AT_ONCE == 0 or b + 1 == n_ab.size:
            take_off(n_added, less, own, out)
            less, n_added = 0.0, 0


@njit
def add_label_triples_sparse(
    low: int,
    high: int,
    rows: Lists,
    labels: Lists,
    features: RowFeatures,
    counts: LabelPairs,
    own: FloatArray,
    out: FloatArray,
) -> None:
    """out[a, f] += sum over labels b > a of n I(f; a, b), for labels a in [low, high).

    `rows` are those of each label, `labels` and `features` those of each row.

    out: float64[L, F]
    """
    n_f, n_fl, n_l, n_lm, n, table = counts
    start = np.zeros(n_l.size + 1, dtype=np.int64)
    for a in range(low, high):
        for b in range(n_l.size):
            start[b + 1] = start[b] + n_lm[a, b]
        grouped = np.empty(start[-1], dtype=np.uint32)
        having = rows.entries[rows.start[a] : rows.start[a + 1]]
        group_rows(having, labels, start[:-1].copy(), grouped)
        after = slice(a + 1, n_l.size)
        triples = BinaryTriples(
            n_f, n_fl[a], n_l[a], n_fl[after], n_l[after], n_lm[a, after], n, table
        )
        groups = Lists(start[a + 1 :], grouped)
        add_triples_sparse(a + 1, groups, features, triples, own, out[a])


@njit
def _add_triple(
    n_fab: CountArray,
    rest: CountArray,
    n_fa: CountArray,
    n_fb: CountArray,
    n_a: Scalar,
    n_b: Scalar,
    n_ab: Scalar,
    table: FloatArray,
    out: FloatArray,
) -> Scalar:
    """out[f] += S(f, a, b), and returns S(a, b), but for free cells; one a, one b.

    n_fab: uint32[F], with all three; not read where a and b never meet
    rest: uint32[F], rows with f but not a
    n_fa, n_fb: uint32[F], rows with f and a, and with f and b
    out: float64[F]
    """
    both = np.uint64(n_ab)
    only_a, only_b = np.uint64(n_a) - both, np.uint64(n_b) - both
    outside = np.uint64(table.size - 1) - only_a - np.uint64(n_b)
    if n_ab == 0:
        for f in range(np.uint64(rest.size)):
            alone = rest[f] - n_fb[f]
            out[f] += table[alone] + table[outside - alone]
        return table[outside]
    if np.uint64(n_b) < rest.size:
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
            both_sum = table[t] + table[both - t]
            b_sum = table[f_b] + table[only_b - f_b]
            out[f] += (both_sum + (table[f_a] + table[only_a - f_a])) + (
                b_sum + (table[alone] + table[outside - alone])
            )
    return (table[both] + table[only_a]) + (table[only_b] + table[outside])


@njit
def take_off(times: int, less: float, own: FloatArray, out: FloatArray) -> None:
    """out[f] -= times own[f] + less.

    out: float64[F]
    """
    for f in range(out.size):
        out[f] -= times * own[f] + less


@njit
def _with_and_without(table: FloatArray, n: Scalar) -> FloatArray:
    """table[k] + table[n - k] for k = 0 .. n."""
    out = np.empty(n + np.uint64(1))
    for k in range(n + np.uint64(1)):
        out[k] = table[k] + table[n - k]
    return out


@njit
def add_free_cells(
    times: IntArray,
    n_fa: CountArray,
    n_a: CountArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += times[a] (table[n_fa] + table[n_a - n_fa] - table[n_a]), compensated.

    times: int64[A], how often the cells of each column a count
    n_fa: uint32[A, F], rows with f and a
    n_a: uint32[A], rows with a
    out: float64[F]
    """
    lost = np.zeros(out.size)
    for a in range(n_a.size):
        if times[a]:
            line, here = n_fa[a], np.uint64(n_a[a])
            for f in range(np.uint64(out.size)):
                term = (table[line[f]] + table[here - line[f]]) - table[here]
                out[f] = add_compensated(out[f], times[a] * term, lost, f)
    out += lost
