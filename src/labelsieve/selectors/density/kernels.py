"""Compiled sums of similarities inside label sides, for one feature at a time.

indptr: int64[rows + 1], where the labels of each row begin
indices: uint32[entries], the labels of all rows, ascending in each
order: int64[n], the rows by ascending value
nodes, weights: float64[K], of the sum of exponentials
"""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.compile import njit
from labelsieve._plumbing.typing import FloatArray, IndexArray, IntArray


@njit
def count_codes_by_label(
    rows: IntArray,
    codes: IntArray,
    indptr: IntArray,
    indices: IndexArray,
    counts: FloatArray,
) -> None:
    """Count the rows with each code and label.

    rows: int64[some rows], those whose codes are given
    codes: int64[some rows], their codes
    counts: float64[codes, L], increased
    """
    for place in range(rows.shape[0]):
        line = counts[codes[place]]
        for p in range(indptr[rows[place]], indptr[rows[place] + 1]):
            line[indices[p]] += 1.0


@njit
def sums_of_exponentials(
    values: FloatArray,
    order: IntArray,
    indptr: IntArray,
    indices: IndexArray,
    nodes: FloatArray,
    weights: FloatArray,
    inside: FloatArray,
    across: FloatArray,
) -> float:
    """Sum sum_k w_k exp(-t_k |x_u - x_v|) over ordered pairs; returns that of all.

    In ascending order exp(-t (x_u - x_v)) is a product of one factor for u and one
    for v, so that running sums replace the second row of every pair.

    values: float64[n], ascending, between 0 and 1
    inside: float64[L], pairs within the label's rows, overwritten
    across: float64[L], pairs of its rows and all rows, overwritten
    """
    n, n_nodes = values.shape[0], nodes.shape[0]
    inside[:] = 0.0
    across[:] = 0.0
    from_all = _similarity_to_itself_and_above(values, nodes, weights)
    up, down = np.empty(n_nodes), np.empty(n_nodes)
    running = np.zeros(n_nodes)
    of_label = np.zeros((inside.shape[0], n_nodes))
    everything = 0.0
    for position in range(n):
        total = 0.0
        for k in range(n_nodes):
            up[k] = np.exp(nodes[k] * values[position])
            down[k] = weights[k] / up[k]
            total += down[k] * running[k]
            running[k] += up[k]
        from_all[position] += total
        everything += from_all[position]
        row = order[position]
        for p in range(indptr[row], indptr[row + 1]):
            label = indices[p]
            sums = of_label[label]
            total = 0.0
            for k in range(n_nodes):
                total += down[k] * sums[k]
                sums[k] += up[k]
            inside[label] += 2.0 * total + 1.0
            across[label] += from_all[position]
    return everything


@njit
def _similarity_to_itself_and_above(
    values: FloatArray, nodes: FloatArray, weights: FloatArray
) -> FloatArray:
    """For each value, the similarities to itself and to all larger values.

    values: float64[n], ascending
    """
    found = np.ones(values.shape[0])
    running = np.zeros(nodes.shape[0])
    for position in range(values.shape[0] - 1, -1, -1):
        for k in range(nodes.shape[0]):
            factor = np.exp(nodes[k] * values[position])
            found[position] += weights[k] * factor * running[k]
            running[k] += 1.0 / factor
    return found


@njit
def find_ends_of_sides(
    order: IntArray, indptr: IntArray, indices: IndexArray, ends: IntArray
) -> None:
    """Where in the order the rows with and without each label begin and end.

    ends: int64[4, L], first and last place with, first and last without label
    """
    n = order.shape[0]
    ends[0, :] = n
    ends[1, :] = -1
    ends[2, :] = 0
    ends[3, :] = n - 1
    for position in range(n):
        row = order[position]
        for p in range(indptr[row], indptr[row + 1]):
            label = indices[p]
            ends[0, label] = min(ends[0, label], position)
            ends[1, label] = position
            if ends[2, label] == position:
                ends[2, label] = position + 1
    for position in range(n - 1, -1, -1):
        row = order[position]
        for p in range(indptr[row], indptr[row + 1]):
            label = indices[p]
            if ends[3, label] == position:
                ends[3, label] = position - 1
