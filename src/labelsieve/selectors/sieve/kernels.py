"""Kernels of Sieve: explained variance of labels, given all that is chosen.

`C[l, i]` is the centred sum of products of target l and feature indicator i, less
what the chosen features explain; `V` holds the same between the indicators of one
feature, block after block. Lines of C are independent, so threads may share them.

C: float64[targets, feature indicators]
noise: float64[targets], the gain expected from a feature without meaning
scale: float64[labels], how much each label counts
least: float64[labels, features], what features tell about labels
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import (
    CountArray,
    FloatArray,
    IndexArray,
    IntArray,
    Scalar,
)
from labelsieve.counting import BinaryTriples

# Fewer expected rows than this in a cell make squared contrasts unreliable.
FEWEST_EXPECTED = 5.0
# An interaction is worth a feature if it explains this share of a label's variance.
STRONG = 0.1


class Blocks(NamedTuple):
    """Covariances between the indicators of each feature, block after block."""

    V: FloatArray  # [sum of squared widths] the blocks, row after row
    v_start: IntArray  # [features + 1] where each block begins
    x_start: IntArray  # [features + 1] the first indicator of each feature
    tiny: FloatArray  # [indicators] a variance below this is a repetition


class Targets(NamedTuple):
    """What some lines of C stand for; targets of one label follow each other."""

    noise: FloatArray  # [targets] expected from a feature without meaning
    weight: FloatArray  # [targets] in the variance of their label
    label: IntArray  # [targets] the label of each


@njit
def centre_counts(
    n_xy: CountArray, n_x: CountArray, n_y: CountArray, n: int, out: FloatArray
) -> None:
    """out[y, x] = n(x, y) - n(x) n(y) / n.

    n_xy: unsigned[targets, indicators], rows with both
    n_x, n_y: unsigned[indicators] and [targets], rows with each
    out: float64[targets, indicators]
    """
    for y in range(n_y.size):
        share = n_y[y] / n
        for x in range(np.uint64(n_x.size)):
            out[y, x] = n_xy[y, x] - n_x[x] * share


@njit
def project_out(A: FloatArray, n_basis: int, g: int, column: FloatArray) -> None:
    """Take from `column` what the first basis vectors explain of it and of g.

    A: float64[room for basis vectors, indicators]
    column: float64[indicators], changed
    """
    for j in range(n_basis):
        along = A[j, g]
        if along != 0.0:
            for i in range(np.uint64(column.size)):
                column[i] -= A[j, i] * along


@njit
def explain_lines(C: FloatArray, along: FloatArray, basis: FloatArray) -> None:
    """C[l] -= along[l] * basis: what a new basis vector explains of each target.

    along: float64[targets]
    basis: float64[indicators]
    """
    for line in range(along.size):
        step = along[line]
        if step != 0.0:
            row = C[line]
            for i in range(np.uint64(basis.size)):
                row[i] -= step * basis[i]


@njit
def shrink_blocks(blocks: Blocks, basis: FloatArray) -> None:
    """Take from the blocks of V what a new basis vector explains.

    basis: float64[indicators]
    """
    V, v_start, x_start, _ = blocks
    for f in range(x_start.size - 1):
        low, width = x_start[f], x_start[f + 1] - x_start[f]
        at = v_start[f]
        for i in range(width):
            for j in range(width):
                V[at + i * width + j] -= basis[low + i] * basis[low + j]


@njit
def add_gains_binary(
    C: FloatArray,
    v: FloatArray,
    tiny: FloatArray,
    noise: FloatArray,
    strict: float,
    least: FloatArray,
    listed: IndexArray,
    n_listed: IntArray,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """Add up the gains of features over some labels; two codes everywhere.

    total[f] collects the geometric means of the explained variance above the noise
    and of least[l, f], times scale[l], for the features listed with each label.

    v: float64[features], what is left of their variance
    tiny: float64[features], with less than this left they gain nothing
    listed: uint32[labels, features], the features that count for each label
    n_listed: int64[labels], how many there are
    total: float64[features], added to
    """
    inverse = np.zeros(v.size)
    for f in range(v.size):
        if v[f] > tiny[f]:
            inverse[f] = 1.0 / v[f]
    for line in range(noise.size):
        row, below, floor = C[line], least[line], strict * noise[line]
        features = listed[line]
        for i in range(np.uint64(n_listed[line])):
            f = features[i]
            above = row[f] * row[f] * inverse[f] - floor
            if above > 0.0:
                total[f] += scale[line] * np.sqrt(above * below[f])


@njit
def add_gains_any(
    C: FloatArray,
    blocks: Blocks,
    targets: Targets,
    strict: float,
    first: int,
    least: FloatArray,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """Like `add_gains_binary`, for any codes; `least` begins with the label `first`.

    total: float64[features], added to
    """
    V, v_start, x_start, tiny = blocks
    noise, weight, label = targets
    n_targets = noise.size
    for f in range(x_start.size - 1):
        low, width, at = x_start[f], x_start[f + 1] - x_start[f], v_start[f]
        root = np.zeros((width, width))
        rank = _fill_root(V, at, width, tiny[low : low + width], root)
        part = np.empty(width)
        above = 0.0
        for t in range(n_targets):
            gain = _explained_by_block(C[t, low : low + width], root, part)
            above += weight[t] * (gain - strict * rank * noise[t])
            if t + 1 == n_targets or label[t + 1] != label[t]:
                below = least[label[t] - first, f]
                if above > 0.0 and below > 0.0:
                    total[f] += scale[label[t] - first] * np.sqrt(above * below)
                above = 0.0


@njit
def clearest_contrast(
    C: FloatArray, blocks: Blocks, noise: FloatArray, row: FloatArray, f: int
) -> float:
    """The largest t^2 / (variance + t / 3) of Bernstein's inequality for feature f.

    t is the sum of products of a target and one of the independent parts of f, which
    lie between -1 and 1.

    row: float64[targets], how much a row counts where not all are known, else 1
    """
    V, v_start, x_start, tiny = blocks
    low, width = x_start[f], x_start[f + 1] - x_start[f]
    root = np.zeros((width, width))
    _fill_root(V, v_start[f], width, tiny[low : low + width], root)
    part = np.empty(width)
    largest = 0.0
    for t in range(noise.size):
        _explained_by_block(C[t, low : low + width], root, part)
        for i in range(width):
            if root[i, i] > 0.0:
                bound = noise[t] + row[t] * abs(part[i]) / root[i, i] / 3.0
                largest = max(largest, part[i] * part[i] / bound)
    return largest


@njit
def _explained_by_block(
    products: FloatArray, root: FloatArray, part: FloatArray
) -> float:
    """What the indicators of a feature explain of a target.

    products: float64[width], the part of a line of C
    root: float64[width, width], Cholesky root of the feature's block
    part: float64[width], overwritten: what each indicator adds
    """
    gain = 0.0
    for i in range(part.size):
        part[i] = 0.0
        if root[i, i] > 0.0:
            value = products[i]
            for j in range(i):
                value -= root[i, j] * part[j]
            part[i] = value / root[i, i]
            gain += part[i] * part[i]
    return gain


@njit
def _fill_root(
    V: FloatArray, at: int, width: int, tiny: FloatArray, root: FloatArray
) -> int:
    """Fill in the Cholesky root of one block, leaving out what is explained.

    Returns the rank.

    V: float64[entries of all blocks], this one from `at` on
    tiny: float64[width], a variance below this counts as explained
    root: float64[width, width], zero on entry
    """
    rank = 0
    for i in range(width):
        for j in range(i + 1):
            value = V[at + i * width + j]
            for k in range(j):
                value -= root[i, k] * root[j, k]
            if i == j:
                if value > tiny[i]:
                    root[i, i] = np.sqrt(value)
                    rank += 1
            elif root[j, j] > 0.0:
                root[i, j] = value / root[j, j]
    return rank


@njit
def add_interactions(
    n_fgl: CountArray,
    counts: BinaryTriples,
    owner: IntArray,
    limit: float,
    out: FloatArray,
) -> None:
    """out[owner[i]] += gain of the product of indicators i and g, beyond their sum.

    The difference of differences of a label's means in the four cells of i and g,
    where each cell has at least five expected labels, as variance explained. It
    counts where it is clear and more than i and g explain by themselves.

    n_fgl: uint32[label indicators, feature indicators], rows with both and with g
    owner: int64[feature indicators], the feature of each
    out: float64[features]
    """
    n_f, n_fg, n_g, n_fl, n_l, n_gl, n, _ = counts
    able = np.empty(n_f.size, dtype=np.uint64)
    smallest = np.empty(n_f.size)
    of_all, of_f, of_g, of_l = np.empty((4, n_f.size))
    n_able, most = np.uint64(0), 0.0
    for i in range(np.uint64(n_f.size)):
        both = np.float64(n_fg[i])
        f_only, g_only = n_f[i] - both, n_g - both
        neither = n - f_only - n_g
        fewest = min(min(both, f_only), min(g_only, neither))
        # A label that half of the rows have needs the fewest rows in a cell.
        if fewest >= 2.0 * FEWEST_EXPECTED:
            # What each count contributes to the difference of differences.
            of_l[n_able] = 1.0 / neither
            of_f[n_able] = 1.0 / f_only + of_l[n_able]
            of_g[n_able] = 1.0 / g_only + of_l[n_able]
            of_all[n_able] = 1.0 / both + of_f[n_able] + 1.0 / g_only
            able[n_able], smallest[n_able] = i, fewest
            n_able += np.uint64(1)
            most = max(most, fewest)
    for line in range(n_l.size):
        share = n_l[line] / n
        noise = share * (1.0 - share)
        enough = FEWEST_EXPECTED / min(share, 1.0 - share)
        if most < enough:
            continue
        least = max(limit, STRONG * n) * noise
        all_three, with_f = n_fgl[line], n_fl[line]
        with_g, here = np.float64(n_gl[line]), np.float64(n_l[line])
        for a in range(n_able):
            i = able[a]
            contrast = (all_three[i] * of_all[a] - with_f[i] * of_f[a]) - (
                with_g * of_g[a] - here * of_l[a]
            )
            # The four inverse sizes of the cells are the variance of the contrast.
            gain = contrast * contrast / of_all[a]
            if gain > least and smallest[a] >= enough:
                alone = _explained(with_f[i], n_f[i], n_l[line], n)
                alone += _explained(n_gl[line], n_g, n_l[line], n)
                if gain > alone:
                    out[owner[i]] += gain - noise


@njit
def _explained(n_xl: Scalar, n_x: Scalar, n_l: Scalar, n: Scalar) -> float:
    """What an indicator explains of a label's sum of squares."""
    together = n_xl - n_x * (n_l / n)
    return together * together / (n_x - n_x * (n_x / n))
