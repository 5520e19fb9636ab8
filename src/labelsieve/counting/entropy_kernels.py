"""From counts to entropies: sums of k log(k/n) over the cells of one and two columns.

All sums are "cell sums": S = sum over the cells of k log(k/n) = -n H, looked up in a
table of k log(k/n), k = 0 .. n. Cells that contain a zero code follow from the others
by subtraction. A line of a table belongs to a label indicator, a column to a feature
indicator. What "binary" kernels take has two codes everywhere, so that columns are
indicators.

table: float64[n + 1], k log(k/n)
n_x, n_y: uint32[indicators], rows with each
n_xy: uint32[indicators of y, indicators of x], rows with both
x_start, y_start: int64[columns + 1], the first indicator of each column
s_x, s_y: float64[columns], S(x) and S(y)
s_xy: float64[columns y, columns x], S(x, y)
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import CountArray, FloatArray, IntArray, Scalar


@njit
def complete_table(
    cell: IntArray, n: Scalar, n_a: CountArray, n_b: CountArray, n_ab: CountArray
) -> None:
    """Fill in a two-way table of n rows from its cells without code 0.

    cell: int64[codes of a, codes of b], overwritten
    n_a, n_b: uint32[codes - 1], rows with each indicator
    n_ab: uint32[codes of a - 1, codes of b - 1], rows with both
    """
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
def pair_sums_binary(
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """out[y, x] = S(x, y).

    out: float64[columns y, columns x]
    """
    for y in range(n_y.size):
        line = n_xy[y]
        here = np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        for x in range(np.uint64(n_x.size)):
            out[y, x] = pair_sum(line[x], n_x[x], here, elsewhere, table)


@njit
def pair_sums_any(
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    x_start: IntArray,
    y_start: IntArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Like `pair_sums_binary`, for any codes.

    out: float64[columns y, columns x]
    """
    for y in range(y_start.size - 1):
        first, last = y_start[y], y_start[y + 1]
        if last == first + 1:
            _pair_sums_of_two(n_xy[first], n_x, n_y[first], x_start, n, table, out[y])
            continue
        for x in range(x_start.size - 1):
            left, right = x_start[x], x_start[x + 1]
            cell = np.zeros((last - first + 1, right - left + 1), dtype=np.int64)
            counts = n_xy[first:last, left:right]
            complete_table(cell, n, n_y[first:last], n_x[left:right], counts)
            total = 0.0
            for i in range(cell.shape[0]):
                for j in range(cell.shape[1]):
                    total += table[cell[i, j]]
            out[y, x] = total


@njit
def _pair_sums_of_two(
    n_xy: CountArray,
    n_x: CountArray,
    n_y: Scalar,
    x_start: IntArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """The same for a y of two codes: no table is made, the sums are the same bits.

    n_xy: uint32[indicators of x], rows with both
    out: float64[columns x]
    """
    here = np.int64(n_y)
    if have_three_at_most(x_start):
        split = np.uint64(here), np.uint64(n - here)
        _pair_sums_of_three(n_xy, n_x, split[0], split[1], x_start, table, out)
        return
    for x in range(x_start.size - 1):
        with_y, without = here, np.int64(n) - here
        for c in range(x_start[x], x_start[x + 1]):
            with_y -= np.int64(n_xy[c])
            without -= np.int64(n_x[c]) - np.int64(n_xy[c])
        total = table[without]
        for c in range(x_start[x], x_start[x + 1]):
            total += table[n_x[c] - n_xy[c]]
        total += table[with_y]
        for c in range(x_start[x], x_start[x + 1]):
            total += table[n_xy[c]]
        out[x] = total


@njit
def have_three_at_most(x_start: IntArray) -> bool:
    """Whether columns have two codes, or three: two, and missing cells."""
    n_others = 0
    for x in range(x_start.size - 1):
        width = x_start[x + 1] - x_start[x]
        n_others += (width != 1) & (width != 2)
    return n_others == 0


@njit
def _pair_sums_of_three(
    n_xy: CountArray,
    n_x: CountArray,
    here: Scalar,
    elsewhere: Scalar,
    x_start: IntArray,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """The same, bit for bit, for columns x of three codes, or two.

    The third code of a column of two has no rows, which adds nothing.

    n_xy: uint32[indicators of x], rows with both
    out: float64[columns x]
    """
    for x in range(np.uint64(out.size)):
        c = np.uint64(x_start[x])
        more = np.uint64(x_start[x + np.uint64(1)]) - c - np.uint64(1)
        d = c + more
        t, u = np.uint64(n_xy[c]), more * np.uint64(n_xy[d])
        c_only, d_only = np.uint64(n_x[c]) - t, more * np.uint64(n_x[d]) - u
        total = (table[elsewhere - c_only - d_only] + table[c_only]) + table[d_only]
        out[x] = ((total + table[here - t - u]) + table[t]) + table[u]


@njit
def pair_information_binary(
    n_xy: CountArray,
    n_x: CountArray,
    n_y: CountArray,
    s_x: FloatArray,
    s_y: FloatArray,
    n: int,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """out[y, x] = I(x; y) = max(0, S(x, y) - S(x) - S(y)) / n.

    out: float64[columns y, columns x]
    """
    for y in range(n_y.size):
        line, own = n_xy[y], s_y[y]
        here = np.uint64(n_y[y])
        elsewhere = np.uint64(n) - here
        for x in range(np.uint64(n_x.size)):
            joint = pair_sum(line[x], n_x[x], here, elsewhere, table)
            out[y, x] = max(0.0, joint - (s_x[x] + own)) / n


@njit
def pair_sum(
    both: Scalar, n_x: Scalar, here: Scalar, elsewhere: Scalar, table: FloatArray
) -> float:
    """S(x, y) of two codes each; `here` rows have y, `elsewhere` do not."""
    alone = n_x - both
    return (table[both] + table[alone]) + (
        table[here - both] + table[elsewhere - alone]
    )


@njit
def add_totals_any(
    s_xy: FloatArray, s_x: FloatArray, s_y: FloatArray, out: FloatArray
) -> None:
    """Add up S(x, y), and n I(x; y) = S(x, y) - S(x) - S(y) if positive, over y.

    out: float64[2, columns x], added to
    """
    for y in range(s_y.size):
        line, own = s_xy[y], s_y[y]
        for x in range(s_x.size):
            out[0, x] += line[x]
            out[1, x] += max(0.0, line[x] - s_x[x] - own)


@njit
def single_sums(
    n_x: CountArray, x_start: IntArray, n: int, table: FloatArray, out: FloatArray
) -> None:
    """out[x] = S(x).

    out: float64[columns x]
    """
    for x in range(x_start.size - 1):
        rest = np.int64(n)
        total = 0.0
        for c in range(x_start[x], x_start[x + 1]):
            total += table[n_x[c]]
            rest -= np.int64(n_x[c])
        out[x] = total + table[rest]


@njit
def add_up_lines(parts: FloatArray, out: FloatArray) -> None:
    """out[f] = sum of parts[:, f] in order, compensated.

    parts: float64[lines, F]
    out: float64[F]
    """
    lost = np.zeros(out.size)
    out[:] = 0.0
    for line in parts:
        for f in range(np.uint64(out.size)):
            out[f] = add_compensated(out[f], line[f], lost, f)
    out += lost


@njit
def add_compensated(
    total: Scalar, term: Scalar, lost: FloatArray, place: Scalar
) -> float:
    """The sum; lost[place] gathers what rounding takes off it (Neumaier).

    lost: float64[F], added to
    """
    new = total + term
    if abs(total) >= abs(term):
        lost[place] += (total - new) + term
    else:
        lost[place] += (term - new) + total
    return new


@njit
def add_product(total: FloatArray, weight: Scalar, value: Scalar) -> None:
    """Add weight times value, without loss where the weight is a whole number < 2**53.

    total: float64[2], a sum and what rounding took off it, added to
    """
    product = weight * value
    # What rounding takes off a product (Dekker): halves of numbers have exact ones.
    w_high, v_high = _high_half(weight), _high_half(value)
    w_low, v_low = weight - w_high, value - v_high
    lost = ((w_high * v_high - product) + w_high * v_low + w_low * v_high) + (
        w_low * v_low
    )
    total[0] = add_compensated(total[0], product, total, 1)
    total[1] += lost


@njit
def _high_half(value: Scalar) -> Scalar:
    """The upper half of the digits of a number."""
    shifted = 134217729.0 * value  # 2**27 + 1
    return shifted - (shifted - value)
