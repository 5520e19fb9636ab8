"""Kernels of Sieve: what words tell only together with a chosen one, from lists.

The gain of the product of f and g is that of `given_kernels.add_interactions`. Few
pairs of words can have any: a cell of few rows cannot explain much of a frequent label,
and a rare label is not expected there often enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.slices import Lists
from labelsieve._plumbing.typing import (
    BoolArray,
    ByteArray,
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
)
from labelsieve.counting import BinaryTriples, JointCells
from labelsieve.selectors.sieve.given_kernels import (
    LARGEST_SQUARE,
    STRONG,
    Synergy,
    explained,
    first_at_most,
    smallest_cell,
)
from labelsieve.selectors.sieve.kernels import ROUNDED_UP
from labelsieve.selectors.sieve.listed_kernels import ENTRIES_AT_ONCE


class Frequent(NamedTuple):
    """Labels by their variance, the largest first."""

    order: IntArray  # [labels] which label it is
    n_l: FloatArray  # [labels] rows with it
    enough: FloatArray  # [labels] how many rows a cell must have to show synergy
    noise: FloatArray  # [labels] its variance
    edges: IntArray  # [parts + 1] labels whose synergy is added up by itself


class Meetings(NamedTuple):
    """How often labels meet f and g; places are those among the frequent labels."""

    with_f: CountArray  # [labels] rows with f and each label
    with_g: FloatArray  # [labels] rows with g and the label at each place
    most: FloatArray  # [labels] room for what the product may explain of it


class Cells(NamedTuple):
    """The four cells of f and g: their rows, and what each adds to the contrast."""

    fewest: float  # rows of the smallest one
    of_all: float
    of_f: float
    of_g: float
    of_l: float


@njit
def _cells(f: int, counts: BinaryTriples) -> Cells:
    both = np.float64(counts.n_fa[f])
    f_only, g_only = counts.n_f[f] - both, counts.n_a - both
    fewest = smallest_cell(both, counts.n_f[f], counts.n_a, counts.n)
    if fewest <= 0.0:
        return Cells(0.0, 0.0, 0.0, 0.0, 0.0)
    of_l = 1.0 / (counts.n - f_only - counts.n_a)
    of_f, of_g = 1.0 / f_only + of_l, 1.0 / g_only + of_l
    return Cells(fewest, 1.0 / both + of_f + 1.0 / g_only, of_f, of_g, of_l)


@njit
def _first_place(cells: Cells, limit: float, frequent: Frequent) -> int:
    """The first label that the cells could explain enough of, or how many there are.

    limit: how much of the variance of a label must be explained, in rows
    """
    return first_at_most(frequent.noise, LARGEST_SQUARE / (cells.of_all * limit))


@njit
def find_possible(
    counts: BinaryTriples, frequent: Frequent, synergy: Synergy, out: BoolArray
) -> None:
    """out[f] = whether f and g could show synergy for any label, by their rows.

    out: bool[features], overwritten
    """
    limit, n_labels = max(synergy.limit, STRONG * counts.n), frequent.noise.size
    for f in range(out.size):
        cells, out[f] = _cells(f, counts), False
        if cells.fewest >= frequent.enough[0]:
            place = _first_place(cells, limit, frequent)
            out[f] = place < n_labels and frequent.enough[place] <= cells.fewest


@njit
def list_rows(
    rows: IndexArray,
    of_row: Lists,
    wanted: BoolArray,
    place: IntArray,
    grouped: IndexArray,
) -> None:
    """List some rows by the features that they have, of those that are wanted.

    of_row: the features of each row
    wanted: bool[features]
    place: int64[features], where the rows of each begin; on return where they end
    grouped: uint32[entries], filled in
    """
    for row in rows:
        for p in range(np.uint64(of_row.start[row]), np.uint64(of_row.start[row + 1])):
            f = of_row.entries[p]
            if wanted[f]:
                grouped[place[f]] = row
                place[f] += 1


@njit
def drop_unlikely(
    features: IntArray,
    cells: JointCells,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
    possible: BoolArray,
) -> None:
    """possible[f] = False where no counts of all three could show synergy.

    features: int64[some], of the cells
    possible: bool[features], changed for these
    """
    n_labels = counts.n_b.size
    with_g, most = np.empty(n_labels), np.empty(n_labels)
    with_f = np.zeros(n_labels, np.uint32)
    likely = np.empty(n_labels, np.int64)
    for place in range(n_labels):
        with_g[place] = counts.n_ab[frequent.order[place]]
    for f in features:
        _fill(f, cells, with_f)
        pairs = Meetings(with_f, with_g, most)
        possible[f] = _find_likely(f, pairs, counts, frequent, synergy, likely) > 0
        _empty(f, cells, with_f)


@njit
def _find_likely(
    f: int,
    pairs: Meetings,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
    likely: IntArray,
) -> int:
    """List labels of which the product could explain enough, and say how many.

    likely: int64[labels], places among the frequent labels, as many as there are
    """
    cells, limit = _cells(f, counts), max(synergy.limit, STRONG * counts.n)
    first = _first_place(cells, limit, frequent)
    n_enough = np.searchsorted(frequent.enough[first:], cells.fewest, side="right")
    last = first + int(n_enough)
    if not _fill_most(f, first, last, limit, cells, pairs, counts, frequent):
        return 0
    n_likely, enough = 0, limit * cells.of_all / ROUNDED_UP
    for place in range(first, last):
        square, both = pairs.most[place], frequent.n_l[place]
        if square > enough * frequent.noise[place]:
            fl = np.float64(pairs.with_f[frequent.order[place]])
            alone = explained(fl, counts.n_f[f], both, counts.n)
            alone += explained(pairs.with_g[place], counts.n_a, both, counts.n)
            if square * ROUNDED_UP > alone * cells.of_all:
                likely[n_likely] = place
                n_likely += 1
    return n_likely


@njit
def _fill_most(
    f: int,
    first: int,
    last: int,
    limit: float,
    cells: Cells,
    pairs: Meetings,
    counts: BinaryTriples,
    frequent: Frequent,
) -> bool:
    """The largest squared contrasts for labels in [first, last), and if any is enough.

    By the least or the most rows that all three may have. Without branches, so that
    several labels are worked on at a time.

    limit: how much of the variance of a label must be explained, in rows
    """
    fg = np.float64(counts.n_fa[f])
    f_only, g_only = counts.n_f[f] - fg, counts.n_a - fg
    enough, found = limit * cells.of_all / ROUNDED_UP, False
    for place in range(np.uint64(first), np.uint64(last)):
        fl = np.float64(pairs.with_f[frequent.order[place]])
        gl, both = pairs.with_g[place], frequent.n_l[place]
        least = max(max(0.0, fl + gl - both), max(fl - f_only, gl - g_only))
        most = min(min(fl, gl), fg)
        rest = fl * cells.of_f + (gl * cells.of_g - both * cells.of_l)
        low, high = least * cells.of_all - rest, most * cells.of_all - rest
        square = max(low * low, high * high)
        pairs.most[place] = square
        found |= square > enough * frequent.noise[place]
    return found


@njit
def _fill(f: int, cells: JointCells, whole: CountArray) -> None:
    """Note the rows that a feature has with each label.

    whole: uint32[labels]
    """
    i = f - cells.low
    for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
        whole[np.uint64(cells.labels[p])] = cells.counts[p]


@njit
def _empty(f: int, cells: JointCells, whole: CountArray) -> None:
    """Set back to zero what `_fill` noted.

    whole: uint32[labels]
    """
    first, last = cells.start[f - cells.low], cells.start[f - cells.low + 1]
    if whole.size < ENTRIES_AT_ONCE * (last - first):
        whole[:] = 0
    else:
        for p in range(first, last):
            whole[cells.labels[p]] = 0


@njit
def find_synergy(
    features: IntArray,
    cells: JointCells,
    rows: Lists,
    of_label: Lists,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """Add up what the products of features with a chosen one explain.

    features: int64[some], of the cells
    rows, of_label: those of g that have each feature, and each label
    out: float64[features], overwritten for these
    """
    n_labels = counts.n_b.size
    with_g, most = np.empty(n_labels), np.empty(n_labels)
    with_f = np.zeros(n_labels, np.uint32)
    likely, has_f = np.empty(n_labels, np.int64), np.zeros(counts.n, np.uint8)
    for place in range(n_labels):
        with_g[place] = counts.n_ab[frequent.order[place]]
    for f in features:
        _fill(f, cells, with_f)
        pairs = Meetings(with_f, with_g, most)
        n_likely = _find_likely(f, pairs, counts, frequent, synergy, likely)
        own = rows.entries[rows.start[f] : rows.start[f + 1]]
        for row in own:
            has_f[row] = 1
        out[f] = _synergy(
            f, likely[:n_likely], has_f, of_label, pairs, counts, frequent, synergy
        )
        for row in own:
            has_f[row] = 0
        _empty(f, cells, with_f)


@njit
def _synergy(
    f: int,
    likely: IntArray,
    has_f: ByteArray,
    of_label: Lists,
    pairs: Meetings,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
) -> float:
    """The gain of the product of f and g.

    likely: int64[some], places among the frequent labels
    has_f: uint8[n], whether a row has f; of_label: the rows of g with each label
    """
    _, of_all, of_f, of_g, of_l = _cells(f, counts)
    limit, found = max(synergy.limit, STRONG * counts.n), np.zeros(0)
    for place in likely:
        label, noise = frequent.order[place], frequent.noise[place]
        fl, gl = np.float64(pairs.with_f[label]), pairs.with_g[place]
        both, n_all = frequent.n_l[place], np.uint32(0)
        for p in range(of_label.start[label], of_label.start[label + 1]):
            n_all += np.uint32(has_f[of_label.entries[p]])
        contrast = (n_all * of_all - fl * of_f) - (gl * of_g - both * of_l)
        gain = contrast * contrast / of_all
        if gain > limit * noise:
            alone = explained(fl, counts.n_f[f], both, counts.n)
            alone += explained(gl, counts.n_a, both, counts.n)
            if gain > alone:
                if not found.size:
                    found = np.zeros(counts.n_b.size)
                found[label] = synergy.scale[label] * (gain - noise)
    return _in_parts(found, frequent.edges) if found.size else 0.0


@njit
def _in_parts(found: FloatArray, edges: IntArray) -> float:
    """Add up in the order in which tables are added up.

    found: float64[labels]
    edges: int64[parts + 1]
    """
    total = 0.0
    for k in range(edges.size - 1):
        part = 0.0
        for label in range(edges[k], edges[k + 1]):
            part += found[label]
        total += part
    return total
