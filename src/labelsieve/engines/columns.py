"""Features and targets as blocks of columns over the samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import BoolArray, IntArray, Matrix, Weights

# Tables of so few cells are quick in any form, and then nothing is compiled.
FEW_CELLS = 250_000
# From this share of cells that are not zero on, arrays are quicker than lists.
DENSE_SHARE = 1 / 8


@dataclass(frozen=True, eq=False)
class Columns:
    """One block of columns for each feature, or for each target.

    A feature with levels (categories, bins, words) has a 0/1 indicator for each level
    but the most frequent one, the reference level. A number has one column of scores,
    small whole numbers. A missing cell is a level; beside scores it has an indicator
    of its own. Targets have indicators too; where a target is known in some samples
    only, the last column of its block marks those in which it is not. All sums of
    products of such columns are whole numbers, so they are exact in any order.

    Attributes
    ----------
    values : (n, P) array of uint8, or CSR of what a cell has beyond `absent`
    start : (D + 1,) where the columns of each block begin
    kept : (D,) index of each feature or target in the input; constant ones are left out
    n_scores : (D,) with how many columns of scores a block begins: the score of a
        number, and perhaps its square
    unknown : (D,) which blocks end with the mark of unknown cells
    absent : (P,) the value of a cell that is not stored; 0 for indicators
    weight : (n,) how often each sample counts, None for once
    members : (D,) how many numbers are in each block, None for one at most
    """

    values: Matrix
    start: IntArray
    kept: IntArray
    n_scores: IntArray
    unknown: BoolArray
    absent: IntArray
    weight: Weights | None = None
    members: IntArray | None = None

    @cached_property
    def n_samples(self) -> Any:
        """Number of samples, each as often as it counts."""
        if self.weight is None:
            return int(self.values.shape[0])
        return self.weight.sum().item()

    @property
    def n_blocks(self) -> int:
        """Number of features or targets."""
        return int(self.start.size) - 1

    @property
    def is_score(self) -> BoolArray:
        """(D,) which blocks are numbers."""
        return self.n_scores > 0

    @property
    def width(self) -> IntArray:
        """(D,) the number of columns of each block."""
        return np.diff(self.start)

    @property
    def several(self) -> IntArray | None:
        """`start`, or None where all blocks are one column, for quicker kernels."""
        return self.start if self.start[-1] > self.n_blocks else None

    @cached_property
    def owner(self) -> IntArray:
        """(P,) the block of each column."""
        return np.repeat(np.arange(self.n_blocks), self.width)

    @cached_property
    def totals(self) -> IntArray:
        """(P,) the sum of each column."""
        if self.weight is None:
            sums = np.asarray(self.values.sum(axis=0, dtype=np.int64)).ravel()
        else:
            sums = np.asarray(self.values.T @ self.weight.astype(np.float64))
            sums = sums.astype(self.weight.dtype)
        return sums + self.n_samples * self.absent

    @property
    def is_sparse(self) -> bool:
        """Whether cells are listed."""
        return bool(sp.issparse(self.values))

    def columns_of(self, block: int) -> range:
        """The columns of one block."""
        return range(int(self.start[block]), int(self.start[block + 1]))

    def about(self, blocks: IntArray) -> Columns:
        """Some of the blocks, in the given order, without the samples."""
        columns = self.columns_of_all(blocks)
        return Columns(
            np.empty((self.values.shape[0], 0), dtype=np.uint8),
            np.append(0, np.cumsum(self.width[blocks])),
            self.kept[blocks],
            self.n_scores[blocks],
            self.unknown[blocks],
            self.absent[columns],
            self.weight,
            None if self.members is None else self.members[blocks],
        )

    def take(self, blocks: IntArray) -> Columns:
        """Some of the blocks, in the given order."""
        values = self.values[:, self.columns_of_all(blocks)]
        return replace(self.about(blocks), values=values)

    def columns_of_all(self, blocks: IntArray) -> IntArray:
        """The columns of some blocks, in their order."""
        width = self.width[blocks]
        before = np.cumsum(width) - width
        return np.arange(width.sum()) + np.repeat(self.start[blocks] - before, width)


def is_dense(X: Columns) -> bool:
    """Whether arrays serve better than lists; the same for dense and sparse input."""
    n_cells = X.n_samples * X.totals.size
    return n_cells <= FEW_CELLS or bool(X.totals.sum() > DENSE_SHARE * n_cells)


def is_whole(weight: Weights | None) -> bool:
    """Whether all samples count whole times, so that sums are whole numbers."""
    return weight is None or weight.dtype.kind == "i"
