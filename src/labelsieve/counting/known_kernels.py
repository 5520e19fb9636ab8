"""Information about labels that are not known in every row, from counts.

The last code of a label may mean that it is not known; it is counted like any other
and left out here. With T = sum over cells of k log(k/n), whatever rows the cells are
of, N rows share N I(x; y) = T(x, y) - T(x) - T(y) + T(), where T() has one cell of N
rows; given z all four terms have z in them. Times n/N this is in rows of the table.

table: float64[n + 1], k log(k/n)
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
from labelsieve.counting.entropy_kernels import complete_table
from labelsieve.counting.kernels import count_features_sparse, group_rows
from labelsieve.counting.plane_kernels import (
    RowFeatures,
    Scratch,
    count_features,
    scratch,
)
from labelsieve.counting.triples import CodedTriples, KnownLabels

# What `known_information` tells of a feature, a label and a given column.
N_ROWS, PLAIN, GIVEN, FREEDOM, FREEDOM_GIVEN, SPARE, SPARE_GIVEN = range(7)


@njit
def known_label_sums(counts: KnownLabels, out: FloatArray) -> None:
    """out[l] = n/N times S(l), over the N rows where l is known.

    out: float64[labels]
    """
    start, end, table = counts.y_start, counts.y_end, counts.table
    for label in range(out.size):
        n_known = np.int64(counts.n_k[label])
        rest, total = n_known, -table[n_known]
        for line in range(start[label], end[label]):
            total += table[counts.n_l[line]]
            rest -= np.int64(counts.n_l[line])
        out[label] = counts.n / n_known * (total + table[rest])


@njit
def known_pairs_binary(
    low: int, high: int, counts: KnownLabels, out: FloatArray
) -> None:
    """out[l - low, f] = N I(f; l) for labels in [low, high), two codes each.

    out: float64[high - low, features]
    """
    for label in range(low, high):
        _known_pairs(0, out.shape[1], label, counts, out[label - low])


@njit
def _known_pairs(
    low: int, high: int, label: int, counts: KnownLabels, out: FloatArray
) -> None:
    """out[f - low] = N I(f; l) for one label and features in [low, high).

    out: float64[high - low]
    """
    table = counts.table
    line = counts.n_fl[counts.y_start[label], low:high]
    known = counts.n_fk[label, low:high]
    here = np.uint64(counts.n_l[counts.y_start[label]])
    n_known = np.uint64(counts.n_k[label])
    elsewhere = n_known - here
    own = table[here] + table[elsewhere] - table[n_known]
    for f in range(np.uint64(out.size)):
        both, n_f = np.uint64(line[f]), np.uint64(known[f])
        alone = n_f - both
        joint = (table[both] + table[alone]) + (
            table[here - both] + table[elsewhere - alone]
        )
        value = joint - (table[n_f] + table[n_known - n_f]) - own
        out[f] = max(0.0, value)


@njit
def add_known_totals(
    low: int,
    high: int,
    counts: KnownLabels,
    s_f: FloatArray,
    s_l: FloatArray,
    out: FloatArray,
) -> None:
    """Add up S(f, l), and n I(f; l), over labels, for features in [low, high).

    s_f, s_l: float64[features], float64[labels], S(f) and S(l)
    out: float64[2, features], added to
    """
    line = np.empty(high - low)
    for label in range(s_l.size):
        _known_pairs(low, high, label, counts, line)
        scale, own = counts.n / counts.n_k[label], s_l[label]
        for f in range(low, high):
            joint = line[f - low] * scale + (s_f[f] + own)
            out[0, f] += joint
            out[1, f] += max(0.0, joint - s_f[f] - own)


@njit
def known_pairs_any(
    low: int, high: int, counts: KnownLabels, x_start: IntArray, out: FloatArray
) -> None:
    """N I(f; l), degrees of freedom and spare cells, for labels in [low, high).

    x_start: int64[features + 1], where the codes of each begin
    out: float64[3, high - low, features], overwritten
    """
    for label in range(low, high):
        first, last = counts.y_start[label], counts.y_end[label]
        n_known = counts.n_k[label]
        for f in range(x_start.size - 1):
            x = slice(x_start[f], x_start[f + 1])
            cell = np.zeros((last - first + 1, x.stop - x.start + 1), dtype=np.int64)
            n_c = counts.n_fk[label, x]
            n_cb = counts.n_fl[first:last, x]
            complete_table(cell, n_known, counts.n_l[first:last], n_c, n_cb)
            of_f, of_b = cell.sum(axis=0), cell.sum(axis=1)
            value = _cell_sum(cell, counts.table) + counts.table[n_known]
            for k in of_f:
                value -= counts.table[k]
            for k in of_b:
                value -= counts.table[k]
            n_f, n_b = (of_f > 0).sum(), (of_b > 0).sum()
            out[0, label - low, f] = max(0.0, value)
            out[1, label - low, f] = (n_f - 1) * (n_b - 1)
            out[2, label - low, f] = (cell > 0).sum() - n_f - n_b + 1


@njit
def _cell_sum(cell: IntArray, table: FloatArray) -> float:
    """The sum of n log n over all cells.

    cell: int64[codes of a label, codes of a feature]
    """
    total = 0.0
    for i in range(cell.shape[0]):
        for j in range(cell.shape[1]):
            total += table[cell[i, j]]
    return total


@njit
def known_information(
    n_fab: CountArray,
    counts: CodedTriples,
    a_end: int,
    b_end: int,
    low: int,
    b: int,
    f: int,
    out: FloatArray,
) -> None:
    """What feature f tells about label b, alone and given a, where both are known.

    Any codes; those of a and b from `a_end` and `b_end` on mean that it is not known.
    The feature has a code per line of `cell`, and the others are taken together.

    n_fab: uint32[A, indicators of the labels from `low` on, X], rows with all three
    out: float64[7], overwritten: see above
    """
    n_f, n_fa, n_a, n_fb, n_b, n_ab, x_start, y_start, n, table = counts
    first, last = y_start[b], y_start[b + 1]
    lines = slice(first - y_start[low], last - y_start[low])
    shape = (n_a.size + 1, last - first + 1)
    joint = np.zeros(shape, dtype=np.int64)
    cell = np.zeros(shape, dtype=np.int64)
    complete_table(joint, n, n_a, n_b[first:last], n_ab[:, first:last])
    known = joint[: a_end + 1, : b_end + 1].copy()
    n_known = known.sum()
    out[:] = 0.0
    out[N_ROWS] = n_known
    of_a, of_b = known.sum(axis=1), known.sum(axis=0)
    n_b_given, n_f_given = (known > 0).sum(axis=1), np.zeros(a_end + 1, dtype=np.int64)
    plain = table[n_known]
    given, cells, n_f_codes, n_cells = 0.0, 0, 0, 0
    for k in of_b:
        plain -= table[k]
    for k in of_a:
        given += table[k]
    given -= _cell_sum(known, table)
    width = x_start[f + 1] - x_start[f]
    for code in range(width + 1):
        if code < width:
            c = x_start[f] + code
            n_cb, n_cab = n_fb[first:last, c], n_fab[:, lines, c]
            complete_table(cell, n_f[c], n_fa[:, c], n_cb, n_cab)
            joint -= cell
            known = cell[: a_end + 1, : b_end + 1]
        else:
            known = joint[: a_end + 1, : b_end + 1]
        with_a, with_b = known.sum(axis=1), known.sum(axis=0)
        plain -= table[known.sum()]
        n_f_codes += known.sum() > 0
        for k in with_b:
            plain += table[k]
            n_cells += k > 0
        given += _cell_sum(known, table)
        cells += (known > 0).sum()
        for i in range(a_end + 1):
            given -= table[with_a[i]]
            n_f_given[i] += with_a[i] > 0
    n_b_codes = (of_b > 0).sum()
    out[PLAIN], out[GIVEN] = max(0.0, plain), max(0.0, given)
    out[FREEDOM] = (n_f_codes - 1) * (n_b_codes - 1)
    for i in range(a_end + 1):
        out[FREEDOM_GIVEN] += max(n_f_given[i] - 1, 0) * max(n_b_given[i] - 1, 0)
    out[SPARE] = n_cells - n_f_codes - n_b_codes + 1
    out[SPARE_GIVEN] = cells + (of_a > 0).sum() - n_f_given.sum() - n_b_given.sum()


@njit
def add_known_interactions_any(
    n_fab: CountArray,
    counts: CodedTriples,
    a_end: int,
    y_end: IntArray,
    low: int,
    high: int,
    miller_madow: bool,
    limits: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] += n I({f, a, b}), corrected if wanted, over labels b in [low, high).

    n_fab: uint32[A, indicators of these labels, X], rows with all three
    y_end: int64[labels], where the known codes of each label end
    limits: float64[0], or float64[degrees of freedom + 1] of significance
    out: float64[features]
    """
    told = np.empty(7)
    for b in range(low, high):
        b_end = y_end[b] - counts.y_start[b]
        for f in range(counts.x_start.size - 1):
            known_information(n_fab, counts, a_end, b_end, low, b, f, told)
            if told[N_ROWS] == 0.0:
                continue
            value = told[PLAIN] - told[GIVEN]
            if miller_madow:
                value += 0.5 * (told[SPARE_GIVEN] - told[SPARE])
            elif limits.size:
                extra = max(1, int(told[FREEDOM_GIVEN] - told[FREEDOM]))
                if 2.0 * abs(value) <= limits[min(extra, limits.size - 1)]:
                    continue
            out[f] += counts.n / told[N_ROWS] * value


@njit
def add_known_label_pairs_sparse(
    low: int,
    high: int,
    rows: Lists,
    labels: Lists,
    features: RowFeatures,
    counts: KnownLabels,
    out: FloatArray,
) -> None:
    """out[a, f] += n I({f, a, b}) over labels b > a, for labels a in [low, high).

    Two codes everywhere. `rows` are those of each label indicator, `labels` and
    `features` those of each row.

    out: float64[L, F]
    """
    _, n_fk, n_fl, n_l, n_k, y_start, y_end, n, _ = counts
    lines = np.empty((5, counts.n_f.size), dtype=np.uint32)
    n_f, n_fa, n_fb, n_fab, counted = lines
    room = scratch()
    for a in range(low, high):
        here, unknown, end = y_start[a], y_end[a], y_start[a + 1]
        start, grouped = _by_label(rows, here, unknown, labels)
        u_start, u_grouped = _by_label(rows, unknown, end, labels)
        for b in range(a + 1, n_k.size):
            line, last = y_start[b], y_end[b]
            n_ab = start[line + 1] - start[line]
            if n_ab:
                having = grouped[start[line] : start[line + 1]]
                count_features(having, features, room, n_fab)
            for f in range(n_f.size):
                n_fa[f], n_fb[f] = n_fl[here, f], n_fl[line, f]
                n_f[f] = n_fk[a, f] + n_fk[b, f] - counts.n_f[f]
            n_known, n_a, n_b = n_k[a] + n_k[b] - n, n_l[here], n_l[line]
            if last < y_start[b + 1]:
                low_, high_ = start[last], start[last + 1]
                n_a -= high_ - low_
                _add_rows(grouped[low_:high_], features, room, -1, counted, n_fa)
                low_, high_ = u_start[last], u_start[last + 1]
                n_known += high_ - low_
                _add_rows(u_grouped[low_:high_], features, room, 1, counted, n_f)
            low_, high_ = u_start[line], u_start[line + 1]
            n_b -= high_ - low_
            _add_rows(u_grouped[low_:high_], features, room, -1, counted, n_fb)
            _add_interaction(
                *(n_f, n_fa, n_fb, n_fab, n_known, n_a, n_b, n_ab, counts, out[a])
            )


@njit
def add_known_picks_sparse(
    low: int,
    high: int,
    groups: Lists,
    features: RowFeatures,
    n_fa: CountArray,
    n_a: int,
    counts: KnownLabels,
    out: FloatArray,
) -> None:
    """out[f] += n I({f, a, b}) over labels b in [low, high), for a given feature a.

    `groups` are the rows with a by their label indicators; two codes everywhere.

    n_fa: uint32[F], rows with f and a
    out: float64[F]
    """
    _, n_fk, n_fl, n_l, n_k, y_start, y_end, _, _ = counts
    start, grouped = groups
    known_fa, n_fab, counted = np.empty((3, n_fa.size), dtype=np.uint32)
    room = scratch()
    for b in range(low, high):
        line, last = y_start[b], y_end[b]
        n_ab = start[line + 1] - start[line]
        if n_ab:
            having = grouped[start[line] : start[line + 1]]
            count_features(having, features, room, n_fab)
        known_fa[:] = n_fa
        n_lost = np.int64(0)
        if last < y_start[b + 1]:
            n_lost = start[last + 1] - start[last]
            unknown = grouped[start[last] : start[last + 1]]
            _add_rows(unknown, features, room, -1, counted, known_fa)
        _add_interaction(
            *(n_fk[b], known_fa, n_fl[line], n_fab, n_k[b], n_a - n_lost, n_l[line]),
            *(n_ab, counts, out),
        )


@njit
def add_known_interactions_binary(
    n_fab: CountArray,
    n_fa: CountArray,
    n_a: CountArray,
    n_ab: CountArray,
    counts: KnownLabels,
    n_known: int,
    n_f: CountArray,
    low: int,
    high: int,
    out: FloatArray,
) -> None:
    """Like both of them, from tables: a is the first line of `n_fa`, the second says
    where it is not known, if there are two.

    n_fab: uint32[A, indicators of labels in [low, high), F], rows with all three
    n_fa, n_ab: uint32[A, F], uint32[A, label indicators], rows with two of them
    n_a: uint32[A], rows with each indicator of a
    n_known: rows where a is known
    n_f: uint32[F], those of them with f
    out: float64[F]
    """
    _, n_fk, n_fl, n_l, n_k, y_start, y_end, n, _ = counts
    both_f, both_fa, both_fb = np.empty((3, n_f.size), dtype=np.uint32)
    for b in range(low, high):
        line, last = y_start[b], y_end[b]
        at, at_last = line - y_start[low], last - y_start[low]
        unsure = last < y_start[b + 1]
        rows, rows_a, rows_b = n_known + n_k[b] - n, np.int64(n_a[0]), n_l[line]
        if unsure:
            rows_a -= n_ab[0, last]
        if n_a.size > 1:
            rows_b -= n_ab[1, line]
            if unsure:
                rows += n_ab[1, last]
        for f in range(n_f.size):
            both_f[f] = n_f[f] + n_fk[b, f] - counts.n_f[f]
            both_fa[f], both_fb[f] = n_fa[0, f], n_fl[line, f]
            if unsure:
                both_fa[f] -= n_fab[0, at_last, f]
            if n_a.size > 1:
                both_fb[f] -= n_fab[1, at, f]
                if unsure:
                    both_f[f] += n_fab[1, at_last, f]
        _add_interaction(
            *(both_f, both_fa, both_fb, n_fab[0, at], rows, rows_a, rows_b),
            *(np.int64(n_ab[0, line]), counts, out),
        )


@njit
def _by_label(rows: Lists, first: int, last: int, labels: Lists) -> Lists:
    """The rows of an indicator, or of none if last is first, by their indicators."""
    having = rows.entries[rows.start[first] : rows.start[last]]
    size = np.empty(rows.start.size - 1, dtype=np.uint32)
    count_features_sparse(having, labels, size)
    start = np.zeros(rows.start.size, dtype=np.int64)
    start[1:] = np.cumsum(size)
    grouped = np.empty(start[-1], dtype=np.uint32)
    group_rows(having, labels, start[:-1].copy(), grouped)
    return Lists(start, grouped)


@njit
def _add_rows(
    rows: IndexArray,
    features: RowFeatures,
    room: Scratch,
    step: int,
    line: CountArray,
    out: CountArray,
) -> None:
    """out[f] += step for each of the rows with f.

    rows: uint32[some rows]
    line: uint32[F], overwritten
    out: uint32[F]
    """
    if rows.size >= features.fewest:
        count_features(rows, features, room, line)
        for f in range(np.uint64(out.size)):
            out[f] += np.uint32(step) * line[f]
        return
    start, index = features.lists
    for row in rows:
        for p in range(np.uint64(start[row]), np.uint64(start[row + 1])):
            out[index[p]] += np.uint32(step)


@njit
def _add_interaction(
    n_f: CountArray,
    n_fa: CountArray,
    n_fb: CountArray,
    n_fab: CountArray,
    n_known: Scalar,
    n_a: Scalar,
    n_b: Scalar,
    n_ab: Scalar,
    counts: KnownLabels,
    out: FloatArray,
) -> None:
    """out[f] += n I({f, a, b}), from counts of the rows where a and b are known.

    n_fab: uint32[F], rows with all three; not read where a and b never meet
    n_f, n_fa, n_fb: uint32[F], rows with f, alone and with a and with b
    out: float64[F]
    """
    if n_known == 0:
        return
    table = counts.table
    every, a, b = np.uint64(n_known), np.uint64(n_a), np.uint64(n_b)
    both = np.uint64(n_ab)
    not_a, not_b, only_a, only_b = every - a, every - b, a - both, b - both
    neither = not_a - only_b
    scale = counts.n / n_known
    own = (table[both] + table[only_a]) + (table[only_b] + table[neither])
    own += table[every] - (table[a] + table[not_a]) - (table[b] + table[not_b])
    if n_ab == 0:
        # Cells of a and of b are the same with the other label and without.
        for f in range(np.uint64(out.size)):
            k, no_a, no_b = n_f[f], n_f[f] - n_fa[f], n_f[f] - n_fb[f]
            alone = no_a - n_fb[f]
            pairs = (table[no_a] + table[not_a - no_a]) + (
                table[no_b] + table[not_b - no_b]
            )
            others = (table[k] + table[every - k]) + (
                table[alone] + table[neither - alone]
            )
            out[f] += scale * (own + (pairs - others))
        return
    for f in range(np.uint64(out.size)):
        k, t, f_a, f_b = n_f[f], n_fab[f], n_fa[f], n_fb[f]
        no_a, no_b, a_only, b_only = k - f_a, k - f_b, f_a - t, f_b - t
        alone = no_a - b_only
        pairs = (
            (table[f_a] + table[a - f_a]) + (table[no_a] + table[not_a - no_a])
        ) + ((table[f_b] + table[b - f_b]) + (table[no_b] + table[not_b - no_b]))
        triple = (
            (table[t] + table[both - t]) + (table[a_only] + table[only_a - a_only])
        ) + (
            (table[b_only] + table[only_b - b_only])
            + (table[alone] + table[neither - alone])
        )
        out[f] += scale * (own + (pairs - (table[k] + table[every - k]) - triple))
