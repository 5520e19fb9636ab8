"""Kernels of Sieve: what features tell of labels beyond all that is chosen.

`C[p, t]` is the centred sum of products of column p and target t, less what the chosen
features explain; `V` holds the same between the columns of one feature, block after
block. Features are independent, so threads may share them.

C: float64[columns, targets]
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

# More than all that is lost by rounding in a sum over labels.
ROUNDED_UP = 1.0 + 1e-9


class Blocks(NamedTuple):
    """Covariances between the columns of each feature, block after block."""

    V: FloatArray  # [sum of squared widths] the blocks, row after row
    v_start: IntArray  # [features + 1] where each block begins
    x_start: IntArray  # [features + 1] the first column of each feature
    tiny: FloatArray  # [columns] a variance below this is a repetition


class Targets(NamedTuple):
    """What the targets stand for; those of one label follow each other."""

    weight: FloatArray  # [targets] in the variance of their label
    label: IntArray  # [targets] the label of each
    half: FloatArray  # [labels] half of what makes a sum of squares a share
    n_free: FloatArray  # [labels] degrees of freedom


class Pairs(NamedTuple):
    """Pairs of features and labels that tell something, feature by feature."""

    start: IntArray  # [features + 1] where the pairs of each feature begin
    end: IntArray  # [features] where those end that still count
    labels: IndexArray  # [pairs] ascending within a feature
    values: FloatArray  # [pairs] n times what f tells of l beyond chance


@njit
def tell_alone(
    n_fl: CountArray,
    n_f: CountArray,
    n_l: CountArray,
    chance: float,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """out[l, f] = n I(f; l) less chance, or 0; two codes everywhere.

    n_fl: uint32[labels, features], rows with both
    n_f, n_l: uint32[features] and uint32[labels], rows with each
    table: float64[n + 1], k log(k/n)
    out: float64[labels, features], overwritten
    """
    for line in range(n_l.size):
        for f in range(np.uint64(n_f.size)):
            told = told_alone(n_fl[line, f], n_f[f], n_l[line], table)
            out[line, f] = max(0.0, told - chance)


@njit
def told_alone(n_fl: Scalar, n_f: Scalar, n_l: Scalar, table: FloatArray) -> float:
    """n I(f; l) of two codes each.

    table: float64[n + 1], k log(k/n)
    """
    n = np.uint64(table.size - 1)
    both, f, label = np.uint64(n_fl), np.uint64(n_f), np.uint64(n_l)
    joint = (table[both] + table[f - both]) + (
        table[label - both] + table[n - f - label + both]
    )
    return joint - (table[f] + table[n - f]) - (table[label] + table[n - label])


@njit
def count_pairs(values: FloatArray, n_pairs: IntArray) -> None:
    """Count the positive values of each feature.

    values: float64[labels, features]
    n_pairs: int64[features], added to
    """
    for line in range(values.shape[0]):
        for f in range(np.uint64(values.shape[1])):
            n_pairs[f] += values[line, f] > 0.0


@njit
def list_pairs(values: FloatArray, pairs: Pairs) -> None:
    """List the positive values of each feature, by ascending labels.

    values: float64[labels, features]
    """
    for line in range(values.shape[0]):
        for f in range(np.uint64(values.shape[1])):
            if values[line, f] > 0.0:
                place = pairs.end[f]
                pairs.labels[place], pairs.values[place] = line, values[line, f]
                pairs.end[f] += 1


@njit
def drop_pairs(pairs: Pairs) -> None:
    """Take pairs off the lists whose value is not positive any more."""
    for f in range(pairs.end.size):
        kept = pairs.start[f]
        for i in range(pairs.start[f], pairs.end[f]):
            if pairs.values[i] > 0.0:
                pairs.labels[kept] = pairs.labels[i]
                pairs.values[kept] = pairs.values[i]
                kept += 1
        pairs.end[f] = kept


@njit
def add_clear(
    start: IntArray,
    labels: IndexArray,
    values: FloatArray,
    scale: FloatArray,
    enough: FloatArray,
    out: FloatArray,
) -> None:
    """out[f] = what f tells of all labels, if of some label it tells enough; or 0.

    start: int64[features + 1], where the pairs of each feature begin
    labels: uint32[pairs], ascending within a feature
    values: float64[pairs], n times what f tells of l beyond chance
    scale: float64[labels], how much each label counts
    enough: float64[labels]
    out: float64[features], overwritten
    """
    for f in range(out.size):
        total, is_clear = 0.0, False
        for i in range(start[f], start[f + 1]):
            total += scale[labels[i]] * values[i]
            is_clear |= values[i] > enough[labels[i]]
        out[f] = total if is_clear else 0.0


@njit
def centre_sums(
    sums: CountArray,
    n_y: CountArray,
    totals: IntArray,
    n_known: IntArray,
    n: int,
    out: FloatArray,
) -> None:
    """out[x, y] = sum of x over the rows of y, less its share of the total.

    Over the N rows where the label of y is known, n/N times.

    sums: whole numbers[targets, columns]
    n_y: whole numbers[targets], rows of each
    totals: int64[targets, columns], over the known rows
    n_known: int64[targets], how many there are
    out: float64[columns, targets]
    """
    for y in range(n_y.size):
        share, scale = n_y[y] / n_known[y], n / n_known[y]
        for x in range(np.uint64(totals.shape[1])):
            out[x, y] = scale * (sums[y, x] - totals[y, x] * share)


@njit
def extend_basis(
    A: FloatArray,
    n_basis: int,
    g: int,
    column: FloatArray,
    blocks: Blocks,
    diagonal: IntArray,
    v: FloatArray,
) -> float:
    """Make column g a basis vector: A[n_basis] is the part of each column along it.

    It is taken off the blocks. Returns its length beyond the first basis vectors, or 0
    if they explain it: then nothing is changed.

    A: float64[room for basis vectors, columns]
    column: float64[columns], covariances with g, changed
    diagonal: int64[columns], where the variances are in the blocks
    v: float64[columns], overwritten by what is left of them
    """
    # Four at a time: the column is read and written once for all of them.
    for j in range(0, n_basis - 3, 4):
        along, along_1, along_2, along_3 = (
            A[j, g],
            A[j + 1, g],
            A[j + 2, g],
            A[j + 3, g],
        )
        part, part_1, part_2, part_3 = A[j], A[j + 1], A[j + 2], A[j + 3]
        for i in range(np.uint64(column.size)):
            value = (column[i] - part[i] * along) - part_1[i] * along_1
            column[i] = (value - part_2[i] * along_2) - part_3[i] * along_3
    for j in range(n_basis - n_basis % 4, n_basis):
        along, part = A[j, g], A[j]
        for i in range(np.uint64(column.size)):
            column[i] -= part[i] * along
    if column[g] <= blocks.tiny[g]:
        return 0.0
    basis, length = A[n_basis], np.sqrt(column[g])
    for i in range(np.uint64(column.size)):
        basis[i] = column[i] / length
    _shrink_blocks(blocks, basis)
    for i in range(np.uint64(column.size)):
        v[i] = blocks.V[diagonal[i]]
    return length


@njit
def explain_features(
    features: IntArray,
    explained: IntArray,
    A: FloatArray,
    along: FloatArray,
    x_start: IntArray,
    C: FloatArray,
) -> None:
    """C[p] -= A[k, p] * along[k]: what basis vectors explain of some features.

    features: int64[some]
    explained: int64[features], how many vectors have been taken off each; updated
    A: float64[basis vectors, columns], the part of columns along each
    along: float64[basis vectors, targets], the part of targets along each
    x_start: int64[features + 1], the first column of each
    """
    n_basis = along.shape[0]
    for f in features:
        for p in range(x_start[f], x_start[f + 1]):
            row = C[p]
            # Four at a time: the row is read and written once for all of them.
            for k in range(explained[f], n_basis - 3, 4):
                step, step_1 = A[k, p], A[k + 1, p]
                step_2, step_3 = A[k + 2, p], A[k + 3, p]
                part, part_1 = along[k], along[k + 1]
                part_2, part_3 = along[k + 2], along[k + 3]
                for t in range(np.uint64(row.size)):
                    value = (row[t] - step * part[t]) - step_1 * part_1[t]
                    row[t] = (value - step_2 * part_2[t]) - step_3 * part_3[t]
            for k in range(n_basis - (n_basis - explained[f]) % 4, n_basis):
                step, part = A[k, p], along[k]
                for t in range(np.uint64(row.size)):
                    row[t] -= step * part[t]
        explained[f] = n_basis


@njit
def _shrink_blocks(blocks: Blocks, basis: FloatArray) -> None:
    """Take from the blocks of V what a new basis vector explains.

    basis: float64[columns]
    """
    V, v_start, x_start, _ = blocks
    for f in range(x_start.size - 1):
        low, width = x_start[f], x_start[f + 1] - x_start[f]
        at = v_start[f]
        for i in range(width):
            for j in range(width):
                V[at + i * width + j] -= basis[low + i] * basis[low + j]
