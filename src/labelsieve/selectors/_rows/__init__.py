"""What methods that compare rows share: anchors, and the graph of the labels.

Anchors are rows, drawn at random, that stand for all others in sums over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.random import sample_without_replacement

from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import FloatArray, IntArray, Matrix


def draw_anchors(n_rows: int, n_anchors: int | None, random_state: Any) -> IntArray:
    """Return the rows that are anchors, ascending: all where there are not so many.

    Nothing is drawn then, so that ``n_anchors=n_rows`` changes nothing.
    """
    if n_anchors is None or n_anchors >= n_rows:
        return np.arange(n_rows)
    drawn = sample_without_replacement(n_rows, n_anchors, random_state=random_state)
    return np.sort(drawn).astype(np.int64)


@dataclass(frozen=True)
class LabelGraph:
    """How similar the label sets of two rows are.

    Rows with the same labels are alike to everyone, so the graph knows only the
    distinct label sets and which row has which.
    """

    sets: sp.csr_matrix  # (U, L) of 0 and 1, the distinct label sets
    codes: IntArray  # (n,) the label set of each row
    frequencies: FloatArray  # (L,) number of rows with each label (n_q in the paper)

    @classmethod
    def of(cls, indicator: Matrix) -> LabelGraph:
        """Build the graph from a 0/1 matrix, dense or sparse."""
        first, codes = distinct_rows(indicator)
        frequencies = np.asarray(indicator.sum(axis=0, dtype=np.float64)).ravel()
        sets = sp.csr_matrix(indicator[first], dtype=np.float64)
        return cls(sets, codes, frequencies)

    @property
    def sizes(self) -> IntArray:
        return np.bincount(self.codes, minlength=self.sets.shape[0])

    def similarity(self, sets: IntArray | slice) -> FloatArray:
        """Similarity (Eq. 2) of some label sets to all of them."""
        mass = self.sets @ self.frequencies
        weighted = self.sets[sets].multiply(self.frequencies).tocsr()
        shared = (weighted @ self.sets.T).toarray()
        united = mass[sets][:, None] + mass - shared
        # Labels are counted in whole numbers: an empty union is exactly zero.
        return np.divide(shared, united, out=np.zeros_like(shared), where=united > 0)


def distinct_rows(codes: Matrix) -> tuple[IntArray, IntArray]:
    """Return where each distinct row occurs first, and which of them each row is.

    Distinct rows are numbered in the order in which they first occur.
    """
    rows = np.ascontiguousarray(as_dense(codes))
    # Each row as one comparable string of bytes.
    packed = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[inverse.ravel()]
