"""Kernels of the sparse engine: joint counts and information from lists of samples.

A feature is a block of indicator columns, a target likewise; the counts of the
reference level of each follow by subtraction. All information is N I in samples times
nats, over the N samples in which the target is known.

T: float64[n + 1], T(k) = k log(k / n)
samples: uint32[any]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._utils.compile import njit
from labelsieve._utils.typing import CountArray, FloatArray, IndexArray, IntArray


class FeatureLists(NamedTuple):
    """The samples of each indicator column of the features."""

    start: IntArray  # [features + 1] the first column of each
    begin: IntArray  # [columns + 1] where the samples of each begin
    samples: IndexArray  # [cells]
    n_x: IntArray  # [columns] how many samples each has


class TargetLists(NamedTuple):
    """The indicator columns of the targets of each sample."""

    begin: IntArray  # [n + 1] where those of each sample begin
    columns: IndexArray  # [cells]
    start: IntArray  # [labels + 1] the first column of each label
    end: IntArray  # [labels] behind its last level; there the mark of unknown ones
    label: IntArray  # [columns] the label of each
    n_y: IntArray  # [columns] how many samples each has
    n_known: IntArray  # [labels] samples in which each is known


@njit
def fill_cells(
    label: int,
    joint: CountArray,
    n_x: IntArray,
    n_y: IntArray,
    n: int,
    y: TargetLists,
    cells: IntArray,
) -> None:
    """The contingency table of a feature and a label in the samples that are counted.

    joint: uint32[width, columns of targets], samples with both
    n_x: int64[width], samples with each level of the feature
    n_y: int64[columns of targets], the same of targets
    n: how many samples there are
    cells: int64[width + 1, levels + 1 or more], overwritten
    """
    first, end = y.start[label], y.end[label]
    is_partly = end < y.start[label + 1]
    n_levels, width = end - first, n_x.size
    cells[0, 0] = n
    if is_partly:
        cells[0, 0] -= n_y[end]
    for t in range(n_levels):
        cells[0, t + 1] = n_y[first + t]
        cells[0, 0] -= n_y[first + t]
    for i in range(width):
        cells[i + 1, 0] = n_x[i]
        if is_partly:
            cells[i + 1, 0] -= joint[i, end]
        for t in range(n_levels):
            both = np.int64(joint[i, first + t])
            cells[i + 1, t + 1] = both
            cells[i + 1, 0] -= both
            cells[0, t + 1] -= both
        cells[0, 0] -= cells[i + 1, 0]


@njit
def table_information(
    cells: IntArray, height: int, width: int, T: FloatArray
) -> tuple[float, int]:
    """N I of a contingency table, and its degrees of freedom.

    cells: int64[height or more, width or more]
    """
    value, total, n_rows, n_columns = 0.0, 0, 0, 0
    for i in range(height):
        row = 0
        for j in range(width):
            row += cells[i, j]
            value += T[cells[i, j]]
        value -= T[row]
        total += row
        n_rows += row > 0
    for j in range(width):
        column = 0
        for i in range(height):
            column += cells[i, j]
        value -= T[column]
        n_columns += column > 0
    return max(value + T[total], 0.0), (n_rows - 1) * (n_columns - 1) if total else 0


@njit
def count_columns(
    samples: IndexArray, begin: IntArray, columns: IndexArray, out: IntArray
) -> None:
    """out[p] += how many of some samples have the column p.

    begin, columns: int64[n + 1] and uint32[cells], the columns of each sample
    out: int64[columns]
    """
    for i in range(np.uint64(samples.size)):
        row = np.uint64(samples[i])
        for j in range(np.uint64(begin[row]), np.uint64(begin[row + np.uint64(1)])):
            out[columns[j]] += 1
