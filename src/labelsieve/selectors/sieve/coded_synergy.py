"""Kernels of Sieve: what codes of features tell only together with a chosen one.

The gain of the product of indicators i and g is that of `given_kernels`, over the rows
where a label is known. Few can have any: a cell of few rows cannot explain much of a
frequent label, and a rare label is not expected there often enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    BoolArray,
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Scalar,
)
from labelsieve.counting.plane_kernels import RowFeatures, count_features, scratch
from labelsieve.selectors.sieve.given_kernels import (
    LARGEST_SQUARE,
    STRONG,
    Synergy,
    explained,
    first_at_most,
    smallest_cell,
)
from labelsieve.selectors.sieve.kernels import ROUNDED_UP

# Of so many indicators it pays to look closer before they are counted.
MANY = 1024


class Whole(NamedTuple):
    """Counts of features and labels of any codes, as kernels take them."""

    n_f: CountArray  # [X] rows with a feature indicator
    n_lf: CountArray  # [X, Y] those with a label indicator
    n_l: CountArray  # [Y] rows with a label indicator
    n_k: IntArray  # [L] rows where a label is known
    x_start: IntArray  # [features + 1] the first indicator of each feature
    y_start: IntArray  # [L + 1] the first indicator of each label
    y_end: IntArray  # [L] where those end that are not "not known"
    n: int  # all rows
    table: FloatArray  # [n + 1] k log(k/n)


class Beside(NamedTuple):
    """Counts of the indicators of a chosen feature."""

    n_fg: CountArray  # [G, X] rows with each and a feature indicator
    n_g: CountArray  # [G] rows with each
    n_gl: CountArray  # [G, Y] rows with each and a label indicator


class Frequent(NamedTuple):
    """Values of labels by their variance, the largest first."""

    limit: float  # no less must be explained of any variance, in rows
    line: IntArray  # [values] the indicator
    label: IntArray  # [values] the label
    enough: FloatArray  # [values] how many rows a cell must have to show synergy
    noise: FloatArray  # [values] its variance
    n_l: FloatArray  # [values] rows with it
    n_lf: CountArray  # [X, values] those with a feature indicator


class Cells(NamedTuple):
    """The four cells of two indicators: how many rows have them."""

    both: float
    f: float  # the first
    g: float  # the second
    every: float  # all there are


@njit
def mark_possible(
    whole: Whole, beside: Beside, frequent: Frequent, out: BoolArray
) -> None:
    """out[g, i] = whether the product of two indicators might explain a label.

    out: bool[G, X], overwritten
    """
    all_known = whole.n_k.min() == whole.n
    many = out.shape[1] >= MANY
    with_g = np.empty(frequent.line.size, np.uint32)
    for g in range(out.shape[0]):
        for place in range(with_g.size):
            with_g[place] = beside.n_gl[g, frequent.line[place]]
        for i in range(out.shape[1]):
            cells = _cells(i, g, whole, beside)
            fewest = smallest_cell(cells.both, cells.f, cells.g, cells.every)
            out[g, i] = fewest >= frequent.enough[0]
            if not out[g, i]:
                continue
            first, last = _first_place(cells, frequent), _last_place(fewest, frequent)
            out[g, i] = first < last
            if all_known and first < last:
                own = frequent.n_lf[i]
                out[g, i] = _is_likely(first, last, cells, own, with_g, frequent)
            elif many:
                for place in range(first, last):
                    if _is_likely_known(place, i, g, whole, beside, frequent):
                        break
                else:
                    out[g, i] = False


@njit
def _is_likely(
    first: Scalar,
    last: Scalar,
    cells: Cells,
    with_f: CountArray,
    with_g: CountArray,
    frequent: Frequent,
) -> bool:
    """Whether the least or the most rows that all three may have would be enough.

    with_f, with_g: uint32[values], rows with two of them
    """
    f_only, g_only = cells.f - cells.both, cells.g - cells.both
    of_l = 1.0 / (cells.every - cells.f - g_only)
    of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
    of_all = 1.0 / cells.both + of_f + 1.0 / g_only
    enough = frequent.limit * of_all / ROUNDED_UP
    n_likely = 0
    for place in range(np.uint64(first), np.uint64(last)):
        fl, gl = np.float64(with_f[place]), np.float64(with_g[place])
        here = frequent.n_l[place]
        least = max(max(0.0, fl + gl - here), max(fl - f_only, gl - g_only))
        most = min(min(fl, gl), cells.both)
        rest = fl * of_f + (gl * of_g - here * of_l)
        low, high = least * of_all - rest, most * of_all - rest
        n_likely += max(low * low, high * high) > enough * frequent.noise[place]
    return n_likely > 0


@njit
def _is_likely_known(
    place: int, i: int, g: int, whole: Whole, beside: Beside, frequent: Frequent
) -> bool:
    """The same for one value of a label that is not known in every row.

    How many rows of both indicators are among those where it is known is not counted
    yet: from `low` to `high`.
    """
    line, label = frequent.line[place], frequent.label[place]
    enough, last = frequent.enough[place], whole.y_end[label]
    both, f, n_g, _ = _cells(i, g, whole, beside)
    every, hidden = np.float64(whole.n_k[label]), 0.0
    if last < whole.y_start[label + 1]:
        hidden_f = np.float64(whole.n_lf[i, last])
        hidden_g = np.float64(beside.n_gl[g, last])
        hidden, f, n_g = min(hidden_f, hidden_g), f - hidden_f, n_g - hidden_g
    neither = every - f - n_g
    low = max(max(both - hidden, enough), enough - neither)
    high = min(both, min(f, n_g) - enough)
    if low > high:
        return False
    fl, gl = np.float64(whole.n_lf[i, line]), np.float64(beside.n_gl[g, line])
    here = frequent.n_l[place]
    most = min(min(fl, gl), high)
    least = max(max(0.0, fl + gl - here), max(fl - f, gl - n_g) + low)
    # Both contrasts are the extremes over all counts of both from low to high.
    above = (most / low - (fl - most) / (f - low)) - (
        (gl - most) / (n_g - low) - (here - fl - gl + most) / (neither + low)
    )
    below = (least / high - (fl - least) / (f - high)) - (
        (gl - least) / (n_g - high) - (here - fl - gl + least) / (neither + high)
    )
    of_all = 1.0 / high + 1.0 / (f - low) + 1.0 / (n_g - low) + 1.0 / (neither + high)
    wanted = frequent.limit * frequent.noise[place] * of_all
    return max(above * above, below * below) * ROUNDED_UP > wanted


@njit
def _cells(i: int, g: int, whole: Whole, beside: Beside) -> Cells:
    both, n_f = np.float64(beside.n_fg[g, i]), np.float64(whole.n_f[i])
    return Cells(both, n_f, np.float64(beside.n_g[g]), np.float64(whole.n))


@njit
def _first_place(cells: Cells, frequent: Frequent) -> int:
    """The first value that the cells could explain enough of, or how many there are."""
    f_only, g_only = cells.f - cells.both, cells.g - cells.both
    neither = cells.every - cells.f - g_only
    of_all = 1.0 / cells.both + 1.0 / f_only + 1.0 / g_only + 1.0 / neither
    return first_at_most(frequent.noise, LARGEST_SQUARE / (of_all * frequent.limit))


@njit
def _last_place(fewest: float, frequent: Frequent) -> int:
    """Where the values begin that need more rows in the smallest cell."""
    low, high = 0, frequent.enough.size
    while low < high:
        middle = (low + high) // 2
        if frequent.enough[middle] <= fewest:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def list_rows(
    has_g: BoolArray,
    rows: Lists,
    wanted: BoolArray,
    start: IntArray,
    grouped: IndexArray,
) -> None:
    """List the rows of some indicators that have g.

    has_g: bool[n]
    rows: those of each indicator
    wanted: bool[X], of which indicators
    start: int64[X], where the rows of each begin
    grouped: uint32[entries], filled in
    """
    for i in range(wanted.size):
        if wanted[i]:
            place = np.uint64(start[i])
            for row in rows.entries[rows.start[i] : rows.start[i + 1]]:
                if has_g[row]:
                    grouped[place] = row
                    place += np.uint64(1)


@njit
def group_wanted(
    rows: IndexArray,
    of_row: Lists,
    wanted: BoolArray,
    place: IntArray,
    grouped: IndexArray,
) -> None:
    """List rows by their label indicators, as far as these are wanted.

    rows: uint32[some]
    of_row: the label indicators of each row
    wanted: bool[Y]
    place: int64[Y], where the rows of each begin; on return where they end
    grouped: uint32[entries], filled in
    """
    for row in rows:
        for p in range(np.uint64(of_row.start[row]), np.uint64(of_row.start[row + 1])):
            line = of_row.entries[p]
            if wanted[line]:
                grouped[np.uint64(place[line])] = row
                place[line] += 1


@njit
def add_synergy(
    features: IntArray,
    possible: BoolArray,
    rows: Lists,
    of_row: RowFeatures,
    whole: Whole,
    beside: Beside,
    frequent: Frequent,
    synergy: Synergy,
    blocks: Lists,
    out: FloatArray,
) -> None:
    """out[f] = what the products of indicators of features with chosen ones explain.

    features: int64[some]
    possible: bool[G, X], the products to look at
    rows: those with each indicator of the chosen feature and each of the others
    of_row: the label indicators of each row
    blocks: label indicators that are added up together, in lists of parts
    out: float64[features], overwritten for these
    """
    n_given, n_indicators = possible.shape
    tally, room = np.empty(whole.n_l.size, np.uint32), scratch()
    for f in features:
        first, width = whole.x_start[f], whole.x_start[f + 1] - whole.x_start[f]
        found = np.zeros((0, 0, 0))
        for g in range(n_given):
            for c in range(width):
                i = first + c
                if not possible[g, i]:
                    continue
                at = g * n_indicators + i
                own = rows.entries[rows.start[at] : rows.start[at + 1]]
                count_features(own, of_row, room, tally)
                cells = _cells(i, g, whole, beside)
                fewest = smallest_cell(cells.both, cells.f, cells.g, cells.every)
                last = _last_place(fewest, frequent)
                for place in range(_first_place(cells, frequent), last):
                    gain = _gain(place, i, g, tally, whole, beside, frequent, synergy)
                    if gain != 0.0:
                        if not found.size:
                            found = np.zeros((n_given, tally.size, width))
                        found[g, frequent.line[place], c] = gain
        out[f] = _in_parts(found, blocks) if found.size else 0.0


@njit
def _gain(
    place: int,
    i: int,
    g: int,
    tally: CountArray,
    whole: Whole,
    beside: Beside,
    frequent: Frequent,
    synergy: Synergy,
) -> Scalar:
    """What the product of two indicators adds for a value of a label, or 0.

    tally: uint32[Y], rows with both and each label indicator
    """
    line, label = frequent.line[place], frequent.label[place]
    last, noise = whole.y_end[label], frequent.noise[place]
    both, f = np.float64(beside.n_fg[g, i]), np.float64(whole.n_f[i])
    n_g, every = np.float64(beside.n_g[g]), np.float64(whole.n_k[label])
    if last < whole.y_start[label + 1]:
        both -= tally[last]
        f -= whole.n_lf[i, last]
        n_g -= beside.n_gl[g, last]
    f_only, g_only = f - both, n_g - both
    neither = every - f_only - n_g
    if min(min(both, f_only), min(g_only, neither)) < frequent.enough[place]:
        return 0.0
    with_f, with_g = np.float64(whole.n_lf[i, line]), np.float64(beside.n_gl[g, line])
    here = np.float64(whole.n_l[line])
    of_l = 1.0 / neither
    of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
    of_all = 1.0 / both + of_f + 1.0 / g_only
    contrast = (tally[line] * of_all - with_f * of_f) - (with_g * of_g - here * of_l)
    gain = contrast * contrast / of_all
    if gain > max(synergy.limit, STRONG * every) * noise:
        alone = explained(with_f, f, here, every)
        alone += explained(with_g, n_g, here, every)
        if gain > alone:
            gain = whole.n / every * (gain - noise)
            return synergy.scale[line] * gain
    return 0.0


@njit
def _in_parts(found: FloatArray, blocks: Lists) -> float:
    """Add up in the order in which tables are added up.

    found: float64[G, Y, width]
    blocks: the indicators where each block begins and, last, ends, for each part
    """
    total = 0.0
    for k in range(blocks.start.size - 1):
        part = 0.0
        for p in range(blocks.start[k], blocks.start[k + 1] - 1):
            for g in range(found.shape[0]):
                for line in range(blocks.entries[p], blocks.entries[p + 1]):
                    for c in range(found.shape[2]):
                        part += found[g, line, c]
        total += part
    return total
