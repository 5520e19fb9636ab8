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
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
)
from labelsieve.counting import BinaryTriples, JointCells
from labelsieve.selectors.sieve.given_kernels import (
    STRONG,
    Synergy,
    explained,
    smallest_cell,
)
from labelsieve.selectors.sieve.listed_kernels import clear_labels, tally_labels

# A difference of differences of shares is at most 2; a little is added for rounding.
LARGEST_SQUARE = 4.0 * (1.0 + 1e-9)


class Frequent(NamedTuple):
    """Labels by their variance, the largest first."""

    order: IntArray  # [labels] which label it is
    enough: FloatArray  # [labels] how many rows a cell must have to show synergy
    noise: FloatArray  # [labels] its variance
    edges: IntArray  # [parts + 1] labels whose synergy is added up by itself


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
    low, high = 0, frequent.noise.size
    most = LARGEST_SQUARE / (cells.of_all * limit)
    while low < high:
        middle = (low + high) // 2
        if frequent.noise[middle] > most:
            low = middle + 1
        else:
            high = middle
    return low


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
    whole = np.zeros(counts.n_b.size, np.uint32)
    for f in features:
        _fill(f, cells, whole)
        possible[f] = _is_likely(f, whole, counts, frequent, synergy)
        _empty(f, cells, whole)


@njit
def _is_likely(
    f: int,
    whole: CountArray,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
) -> bool:
    """Whether the least or the most rows that all three may have would be enough.

    whole: uint32[labels], rows of f with each label
    """
    n_f, n_fg, n_g, _, n_l, n_gl, n, _ = counts
    cells, limit = _cells(f, counts), max(synergy.limit, STRONG * n)
    f_only, g_only = np.int64(n_f[f]) - n_fg[f], np.int64(n_g) - n_fg[f]
    enough = limit * cells.of_all / (1.0 + 1e-9)
    for place in range(_first_place(cells, limit, frequent), frequent.order.size):
        if cells.fewest < frequent.enough[place]:
            return False
        label = np.uint64(frequent.order[place])
        fl, gl, both = np.int64(whole[label]), np.int64(n_gl[label]), n_l[label]
        least = max(max(0, fl + gl - np.int64(both)), max(fl - f_only, gl - g_only))
        most = min(min(fl, gl), np.int64(n_fg[f]))
        rest = fl * cells.of_f + (gl * cells.of_g - both * cells.of_l)
        low, high = least * cells.of_all - rest, most * cells.of_all - rest
        if max(low * low, high * high) > enough * frequent.noise[place]:
            return True
    return False


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
    i = f - cells.low
    for p in range(np.uint64(cells.start[i]), np.uint64(cells.start[i + 1])):
        whole[np.uint64(cells.labels[p])] = np.uint32(0)


@njit
def find_synergy(
    features: IntArray,
    cells: JointCells,
    rows: Lists,
    of_row: Lists,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
    out: FloatArray,
) -> None:
    """Add up what the products of features with a chosen one explain.

    features: int64[some], of the cells
    rows: those of g that have each feature; of_row: the labels of each row
    out: float64[features], overwritten for these
    """
    tally, whole = np.zeros((2, counts.n_b.size), np.uint32)
    for f in features:
        own = rows.entries[rows.start[f] : rows.start[f + 1]]
        tally_labels(own, of_row, tally)
        _fill(f, cells, whole)
        out[f] = _synergy(f, tally, whole, counts, frequent, synergy)
        _empty(f, cells, whole)
        clear_labels(own, of_row, tally)


@njit
def _synergy(
    f: int,
    tally: CountArray,
    whole: CountArray,
    counts: BinaryTriples,
    frequent: Frequent,
    synergy: Synergy,
) -> float:
    """The gain of the product of f and g.

    tally, whole: uint32[labels], rows of f with each label, those with g and all
    """
    n_f, _, n_g, _, n_l, n_gl, n, _ = counts
    fewest, of_all, of_f, of_g, of_l = _cells(f, counts)
    limit, found = max(synergy.limit, STRONG * n), np.zeros(0)
    first = _first_place(Cells(fewest, of_all, of_f, of_g, of_l), limit, frequent)
    for place in range(first, frequent.order.size):
        if fewest < frequent.enough[place]:
            break
        label, noise = np.uint64(frequent.order[place]), frequent.noise[place]
        contrast = (tally[label] * of_all - whole[label] * of_f) - (
            np.float64(n_gl[label]) * of_g - np.float64(n_l[label]) * of_l
        )
        gain = contrast * contrast / of_all
        if gain > limit * noise:
            alone = explained(whole[label], n_f[f], n_l[label], n)
            alone += explained(n_gl[label], n_g, n_l[label], n)
            if gain > alone:
                if not found.size:
                    found = np.zeros(n_l.size)
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
