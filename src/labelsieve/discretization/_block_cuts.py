"""Cut points over row blocks: exactly those that all rows in one table would get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from labelsieve._utils.matrices import slices_of, span
from labelsieve._utils.typing import CountArray, FloatArray, IntArray, Matrix
from labelsieve.blocks import ColumnSurvey, add_up, run, task, tree, value
from labelsieve.discretization._cuts import Search

# Values are counted by so many bits at a time; histograms of at most this many columns
# and ranks are in flight, 16 KB each.
DIGIT_BITS = 12
TARGETS_PER_ROUND = 2048
# Searching ends where so few values are left that they can be sent and sorted.
GATHERED_VALUES = 1_000_000
VALUE_BITS = 64


@dataclass(frozen=True)
class QuantileTargets:
    """Values that are searched: the one of some rank among a column's cells.

    Attributes
    ----------
    column : (T,) ascending
    rank : (T,) rank among the non-zero cells that begin with the prefix
    prefix : (T,) what is known of the value: the first bits
    """

    column: IntArray
    rank: IntArray
    prefix: NDArray[np.uint64]


def search_blocks(survey: ColumnSurvey, blocks: list[Any]) -> Search:
    """A search among the non-zero cells of columns that `blocks`, tasks, return."""

    def search(columns: IntArray, ranks: IntArray) -> FloatArray:
        found = np.empty(columns.size)
        for part in slices_of(columns.size, TARGETS_PER_ROUND):
            nothing = np.zeros(columns[part].size, dtype=np.uint64)
            targets = QuantileTargets(columns[part], ranks[part], nothing)
            n_cells = (survey.n_negative + survey.n_positive)[targets.column].sum()
            found[part] = _search(blocks, targets, int(n_cells))
        return found

    return search


def _search(blocks: list[Any], targets: QuantileTargets, n_left: int) -> FloatArray:
    """Find the first bits of all targets, then all; each step is one pass.

    `n_left` is how many cells may be the value of a target.
    """
    shift = VALUE_BITS
    while shift and n_left > GATHERED_VALUES:
        ahead, shift = shift, max(0, shift - DIGIT_BITS)
        shared = value(targets)
        parts = [task(_count_digits, block, shared, ahead, shift) for block in blocks]
        (counts,) = run([tree(add_up, parts)])
        targets, n_left = _next_targets(targets, counts, ahead - shift)
    if shift == 0:
        return _as_doubles(targets.prefix)
    shared = value(targets)
    parts = run([task(_gather, block, shared, shift) for block in blocks])
    target = np.concatenate([part[0] for part in parts])
    values = np.concatenate([part[1] for part in parts])
    order = np.lexsort((values, target))
    start = np.searchsorted(target[order], np.arange(targets.rank.size))
    return np.asarray(values[order][start + targets.rank - 1])


def _next_targets(
    targets: QuantileTargets, counts: CountArray, n_bits: int
) -> tuple[QuantileTargets, int]:
    """Fix the next digit of every target; returns also how many cells are left."""
    up_to = np.cumsum(counts, axis=1, dtype=np.int64)
    digit = (up_to < targets.rank[:, np.newaxis]).sum(axis=1)
    lines = np.arange(digit.size)
    in_digit = counts[lines, digit].astype(np.int64)
    rank = targets.rank - (up_to[lines, digit] - in_digit)
    prefix = (targets.prefix << np.uint64(n_bits)) | digit.astype(np.uint64)
    return QuantileTargets(targets.column, rank, prefix), int(in_digit.sum())


def _count_digits(
    values: Matrix, targets: QuantileTargets, ahead: int, shift: int
) -> CountArray:
    """Count the cells of each target by what follows the prefix."""
    n_digits = 1 << (ahead - shift)
    out = np.zeros((targets.rank.size, n_digits), dtype=np.uint32)
    for target, keys in _cells_of_targets(values, targets, ahead):
        digits = (keys >> np.uint64(shift)) & np.uint64(n_digits - 1)
        out[target] = np.bincount(digits.astype(np.int64), minlength=n_digits)
    return out


def _gather(
    values: Matrix, targets: QuantileTargets, ahead: int
) -> tuple[IntArray, FloatArray]:
    """The cells of all targets, and the target of each."""
    cells = [keys for _, keys in _cells_of_targets(values, targets, ahead)]
    target = np.repeat(np.arange(targets.rank.size), [keys.size for keys in cells])
    return target, _as_doubles(np.concatenate(cells))


def _cells_of_targets(
    values: Matrix, targets: QuantileTargets, ahead: int
) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """The ordered bits of the non-zero cells that begin with each prefix."""
    by_column = values.tocsc() if sp.issparse(values) else values
    last = -1
    for target, column in enumerate(targets.column.tolist()):
        if column != last:
            keys, last = _sorted_keys(by_column, column), column
            nothing_known = np.zeros_like(keys)
            heads = keys >> np.uint64(ahead) if ahead < VALUE_BITS else nothing_known
        prefix = targets.prefix[target]
        low, high = (np.searchsorted(heads, prefix, side) for side in ("left", "right"))
        yield target, keys[low:high]


def _sorted_keys(by_column: Matrix, column: int) -> NDArray[np.uint64]:
    """The bits of a column's non-zero cells as integers in the order of the numbers."""
    if sp.issparse(by_column):
        cells = by_column.data[span(by_column.indptr, column)]
    else:
        cells = by_column[:, column]
    bits, sign = cells[cells != 0].view(np.uint64), np.uint64(1 << 63)
    return np.sort(np.where(bits & sign, ~bits, bits | sign))


def _as_doubles(keys: NDArray[np.uint64]) -> FloatArray:
    """Numbers from their ordered bits."""
    sign = np.uint64(1 << 63)
    return np.where(keys & sign, keys ^ sign, ~keys).view(np.float64)
