"""Kernels of Sieve: the linear view of features, and what they gain by it.

C: float64[columns, targets], centred products, less what the chosen ones explain
level: float64[labels], what is taken off half the share that is explained
scale: float64[labels], how much each label counts
total: float64[features], what features gain
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray, Scalar
from labelsieve.selectors.sieve.kernels import ROUNDED_UP, Blocks, Pairs, Targets


class View(NamedTuple):
    """The linear view of features."""

    C: FloatArray  # [columns, targets]
    blocks: Blocks
    targets: Targets
    level: FloatArray  # [labels] what is taken off
    single: bool  # whether every feature is a column and every label a target


class Near(NamedTuple):
    """How much features could gain by the linear view, since it was last looked at."""

    gain: FloatArray  # [features] at most
    root: FloatArray  # [features] root of the weighted shares of their labels


@njit
def fill_gains(
    features: IntArray,
    view: View,
    pairs: Pairs,
    scale: FloatArray,
    near: Near,
    total: FloatArray,
) -> None:
    """total[f] = sum over the labels of its pairs of the lesser of two views.

    Half the explained share less the level, and the value of the pair.

    features: int64[some], those to fill in
    near: with any features, their bounds are filled in as well
    """
    if view.single and not near.gain.size:
        _fill_single(features, view, pairs, scale, total)
        return
    views, level, n_free = np.empty(scale.size), view.level, view.targets.n_free
    for f in features:
        labels = pairs.labels[pairs.start[f] : pairs.end[f]]
        rank = view_pairs(f, view, labels, views)
        total[f] = gain_of(f, views, pairs, scale)
        squares = 0.0
        for i in range(np.uint64(labels.size)):
            label = np.uint64(labels[i])
            share = views[i] + level[label] * rank * n_free[label]
            squares += scale[label] * share
        if near.gain.size:
            near.gain[f] = total[f] * ROUNDED_UP
            near.root[f] = np.sqrt(max(squares, 0.0)) * ROUNDED_UP


@njit
def _fill_single(
    features: IntArray,
    view: View,
    pairs: Pairs,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    """The same in one loop, where every feature is a column and every label a target.

    features: int64[some], those to fill in
    """
    V, tiny = view.blocks.V, view.blocks.tiny
    half, level = view.targets.half, view.level
    for f in features:
        gain, row = 0.0, view.C[f]
        inverse = 1.0 / V[f] if V[f] > tiny[f] else 0.0
        for i in range(np.uint64(pairs.start[f]), np.uint64(pairs.end[f])):
            label = np.uint64(pairs.labels[i])
            share = row[label] * row[label] * inverse * half[label] - level[label]
            # What is not positive adds zero: no branch to be guessed wrong.
            gain += scale[label] * max(min(share, pairs.values[i]), 0.0)
        total[f] = gain


@njit
def lower_beside(
    features: IntArray,
    view: View,
    basis: FloatArray,
    along: FloatArray,
    pairs: Pairs,
) -> None:
    """Lower pairs to half the share that is explained beyond a few basis vectors.

    features: int64[some], of which the pairs are lowered
    view: of features by themselves
    basis: float64[basis vectors, columns], the part of columns along each
    along: float64[basis vectors, targets], the part of targets along each
    """
    C, (V, v_start, x_start, tiny), targets, level, _ = view
    views = np.empty(level.size)
    for f in features:
        first, last = x_start[f], x_start[f + 1]
        own, width = basis[:, first:last].copy(), last - first
        rest = C[first:last].copy()
        block = V[v_start[f] : v_start[f + 1]].copy()
        for k in range(basis.shape[0]):
            for i in range(width):
                for t in range(rest.shape[1]):
                    rest[i, t] -= own[k, i] * along[k, t]
                for j in range(width):
                    block[i * width + j] -= own[k, i] * own[k, j]
        alone = Blocks(
            block, np.array([0, block.size]), np.array([0, width]), tiny[first:last]
        )
        view_feature(rest, alone, targets, level, 0, views)
        for i in range(pairs.start[f], pairs.end[f]):
            pairs.values[i] = min(pairs.values[i], views[pairs.labels[i]])


@njit
def lower_single(
    features: IntArray,
    C: FloatArray,
    V: FloatArray,
    tiny: FloatArray,
    half: FloatArray,
    level: FloatArray,
    g: int,
    covariance: FloatArray,
    pairs: Pairs,
) -> None:
    """The same beside feature g, where features are columns and labels targets.

    features: int64[some], of which the pairs are lowered
    V, tiny: float64[columns], variances, and below which one is a repetition
    half: float64[labels], half of what makes a sum of squares a share
    covariance: float64[columns], of g with each
    """
    along = C[g]
    for f in features:
        row, part = C[f], covariance[f] / V[g]
        left = V[f] - part * covariance[f]
        inverse = 1.0 / left if left > tiny[f] else 0.0
        for i in range(np.uint64(pairs.start[f]), np.uint64(pairs.end[f])):
            label = np.uint64(pairs.labels[i])
            rest = row[label] - part * along[label]
            share = rest * rest * inverse * half[label] - level[label]
            pairs.values[i] = min(pairs.values[i], share)


@njit
def loosen(basis: FloatArray, length: float, blocks: Blocks, near: Near) -> None:
    """How much features could gain once another vector is in the basis.

    Let products C of block V become C - a b, of block V - a a', for the part a of the
    feature and b of the label along the vector, and s = a' (V - a a')^-1 a. What is
    explained, C' V^-1 C, grows at most as if it all lay along a: weighted and added up
    over labels, its root R becomes no more than R sqrt(1 + s) + sqrt(s) |b| (Cauchy
    and Schwarz).

    basis: float64[columns], a of each feature
    length: root of the weighted squares of b
    blocks: what is left of them
    """
    V, v_start, x_start, tiny = blocks
    for f in range(x_start.size - 1):
        first, width = x_start[f], x_start[f + 1] - x_start[f]
        if near.gain[f] == np.inf:
            continue
        s = _squared_length(V, v_start[f], tiny, basis[first : first + width], first)
        if s < 0.0:
            near.gain[f] = np.inf
            continue
        longer = near.root[f] * np.sqrt(1.0 + s) + np.sqrt(s) * length
        more = longer * longer - near.root[f] * near.root[f]
        near.gain[f] = (near.gain[f] + more) * ROUNDED_UP
        near.root[f] = longer * ROUNDED_UP


@njit
def _squared_length(
    V: FloatArray, at: int, tiny: FloatArray, part: FloatArray, first: int
) -> float:
    """a' V^-1 a of one block, or -1 if it is not of full rank.

    V: float64[entries of all blocks], this one from `at` on
    tiny: float64[columns], those of the block from `first` on
    part: float64[width], a
    """
    width = part.size
    if width == 1:
        return part[0] * part[0] / V[at] if V[at] > tiny[first] else -1.0
    if width == 2:
        if not V[at] > tiny[first]:
            return -1.0
        ratio = V[at + 2] / V[at]
        left, rest = V[at + 3] - ratio * V[at + 2], part[1] - ratio * part[0]
        # What is close to the limit may be on its other side elsewhere.
        if not left > tiny[first + 1] * (1.0 + 1e-6):
            return -1.0
        return part[0] * part[0] / V[at] + rest * rest / left
    root = np.zeros((width, width))
    if _fill_root(V, at, width, tiny[first : first + width], root) < width:
        return -1.0
    solved, total = np.empty(width), 0.0
    for i in range(width):
        value = part[i]
        for j in range(i):
            value -= root[i, j] * solved[j]
        solved[i] = value / root[i, i]
        total += solved[i] * solved[i]
    return total


@njit
def gain_of(f: int, views: FloatArray, pairs: Pairs, scale: FloatArray) -> float:
    """The same of one feature.

    views: float64[any], one for each of its pairs
    """
    gain, start = 0.0, np.uint64(pairs.start[f])
    for i in range(np.uint64(pairs.end[f]) - start):
        # What is not positive adds zero: no branch to be guessed wrong.
        least = max(min(views[i], pairs.values[start + i]), 0.0)
        gain += scale[pairs.labels[start + i]] * least
    return gain


@njit
def view_pairs(f: int, view: View, labels: IndexArray, views: FloatArray) -> int:
    """Half the share of some labels that a feature explains, less the level.

    Returns the rank of its block.

    labels: uint32[some]
    views: float64[labels], overwritten for these, one after the other
    """
    C, blocks, targets, level, single = view
    first, width = blocks.x_start[f], blocks.x_start[f + 1] - blocks.x_start[f]
    if single:
        v = blocks.V[f]
        inverse = 1.0 / v if v > blocks.tiny[f] else 0.0
        for i in range(np.uint64(labels.size)):
            label = labels[i]
            square = C[f, label] * C[f, label] * inverse
            views[i] = square * targets.half[label] - level[label]
        return 1
    if width == 2 and targets.label.size == level.size:
        root = np.zeros((2, 2))
        tiny = blocks.tiny[first : first + 2]
        rank = _fill_root(blocks.V, blocks.v_start[f], 2, tiny, root)
        one, two = C[first], C[first + 1]
        for i in range(np.uint64(labels.size)):
            label = labels[i]
            gain = _explained_by_two(one[label], two[label], root)
            off = level[label] * rank * targets.n_free[label]
            views[i] = targets.weight[label] * gain * targets.half[label] - off
        return rank
    every = np.empty(level.size)
    rank = view_feature(C, blocks, targets, level, f, every)
    for i in range(labels.size):
        views[i] = every[labels[i]]
    return rank


@njit
def view_linear(
    C: FloatArray,
    blocks: Blocks,
    targets: Targets,
    level: FloatArray,
    features: IntArray,
    out: FloatArray,
) -> None:
    """out[label, i] = half the share that features[i] explains less the level, or 0.

    features: int64[some features]
    out: float64[labels, some features], overwritten
    """
    views = np.empty(targets.half.size)
    for i in range(features.size):
        view_feature(C, blocks, targets, level, features[i], views)
        for label in range(views.size):
            out[label, i] = max(0.0, views[label])


@njit
def view_feature(
    C: FloatArray,
    blocks: Blocks,
    targets: Targets,
    level: FloatArray,
    f: int,
    views: FloatArray,
) -> int:
    """Half the share of each label that a feature explains, less the level.

    Returns the rank of its block.

    views: float64[labels], overwritten
    """
    V, v_start, x_start, tiny = blocks
    first, width = x_start[f], x_start[f + 1] - x_start[f]
    root = np.zeros((width, width))
    rank = _fill_root(V, v_start[f], width, tiny[first : first + width], root)
    part = np.empty(width)
    views[:] = 0.0
    for t in range(targets.label.size):
        gain = _explained_by_block(C, first, t, root, part)
        views[targets.label[t]] += targets.weight[t] * gain
    for label in range(views.size):
        off = level[label] * rank * targets.n_free[label]
        views[label] = views[label] * targets.half[label] - off
    return rank


@njit
def _explained_by_two(first: Scalar, second: Scalar, root: FloatArray) -> Scalar:
    """What a feature of two columns explains of a target.

    first, second: what is left of its columns with the target
    root: float64[2, 2], Cholesky root of the feature's block
    """
    one = first / root[0, 0] if root[0, 0] > 0.0 else 0.0
    two = (second - root[1, 0] * one) / root[1, 1] if root[1, 1] > 0.0 else 0.0
    return one * one + two * two


@njit
def explained_parts(C: FloatArray, blocks: Blocks, f: int, out: FloatArray) -> None:
    """out[t, i] = what the i-th column of f explains of a target beyond those before.

    out: float64[targets, width], overwritten
    """
    V, v_start, x_start, tiny = blocks
    first, width = x_start[f], x_start[f + 1] - x_start[f]
    root = np.zeros((width, width))
    _fill_root(V, v_start[f], width, tiny[first : first + width], root)
    part = np.empty(width)
    for t in range(out.shape[0]):
        _explained_by_block(C, first, t, root, part)
        for i in range(width):
            out[t, i] = part[i] * part[i]


@njit
def _explained_by_block(
    C: FloatArray, first: int, t: int, root: FloatArray, part: FloatArray
) -> float:
    """What the columns of a feature, from `first` on, explain of a target.

    root: float64[width, width], Cholesky root of the feature's block
    part: float64[width], overwritten: what each column adds
    """
    gain = 0.0
    for i in range(part.size):
        part[i] = 0.0
        if root[i, i] > 0.0:
            value = C[first + i, t]
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
