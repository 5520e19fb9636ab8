"""Information between features and targets from arrays of joint counts.

Of a block with the levels 0, 1, ... only the indicators of levels 1, 2, ... are
counted. The counts of the reference level 0 follow by subtraction, within the samples
in which a target is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns


class Counted(NamedTuple):
    """Joint counts of all indicators in some of the samples."""

    joint: IntArray  # (P, Q) samples with both
    n_x: IntArray  # (P,) samples with each indicator of a feature
    n_y: IntArray  # (Q,) the same of targets
    n: int  # samples


class Information(NamedTuple):
    """Information of all pairs of a feature and a target, in samples times nats."""

    value: FloatArray  # (D, L) N I(f; l) over the N samples in which l is known
    freedom: IntArray  # (D, L) (levels of f - 1) (levels of l - 1), of those that occur
    excess: IntArray  # (D, L) occupied levels of f and of l, less cells and 1


class Tables:
    """Contingency tables of all pairs of blocks at once."""

    def __init__(self, X: Columns, Y: Columns) -> None:
        self._x_start, self._x_single = X.start[:-1], bool((X.width == 1).all())
        marks = Y.start[1:] - 1
        is_level = np.ones(int(Y.start[-1]), dtype=bool)
        is_level[marks[Y.unknown]] = False
        self._level, self._mark = np.flatnonzero(is_level), marks[Y.unknown]
        self._partly = np.flatnonzero(Y.unknown)
        n_levels = Y.width - Y.unknown
        self._y_start = np.append(0, np.cumsum(n_levels))[:-1]
        self._y_single = bool((n_levels == 1).all())
        k = np.arange(X.n_samples + 1.0)
        # T(k) = k log(k / n): logarithms of n cancel in every sum below.
        self._T = k * np.log(np.maximum(k, 1.0) / X.n_samples)

    def information(self, counted: Counted) -> Information:
        """N I(f; l) of all pairs, and what corrections for small samples need."""
        T, n_l = self._T, counted.n_y[self._level]
        n_fl = counted.joint[:, self._level]  # (P, T)
        known, n_f = self._known(counted)  # (L,), (P, L)
        f_rest = known - self._of_features(n_f)  # samples with level 0 of f
        l_rest = known - self._of_targets(n_l[np.newaxis])[0]
        f_alone = n_f - self._of_targets(n_fl)  # level 0 of l
        l_alone = n_l - self._of_features(n_fl)  # level 0 of f
        neither = f_rest - self._of_targets(l_alone)
        # N I(f; l) = sum T(cells) - sum T(levels of f) - sum T(levels of l) + T(N)
        value = self._of_features(self._of_targets(T[n_fl]) + T[f_alone] - T[n_f])
        value += self._of_targets(T[l_alone] - T[n_l]) + T[neither]
        value += T[known] - T[f_rest] - T[l_rest]
        f_levels = self._of_features((n_f > 0).astype(np.int64)) + (f_rest > 0)
        l_levels = self._of_targets((n_l > 0).astype(np.int64)[np.newaxis])
        l_levels = l_levels + (l_rest > 0)
        cells = self._of_targets((n_fl > 0).astype(np.int64)) + (f_alone > 0)
        cells = self._of_features(cells) + (neither > 0)
        cells += self._of_targets((l_alone > 0).astype(np.int64))
        some = known > 0
        freedom = (f_levels - 1) * (l_levels - 1) * some
        excess = (f_levels + l_levels - cells - 1) * some
        return Information(np.maximum(value, 0.0), freedom, excess)

    def _known(self, counted: Counted) -> tuple[IntArray, IntArray]:
        """(L,) samples in which targets are known; (P, L) those with each indicator."""
        known = np.full(self._y_start.size, counted.n)
        n_f = np.repeat(counted.n_x[:, np.newaxis], known.size, axis=1)
        if self._partly.size:
            known[self._partly] -= counted.n_y[self._mark]
            n_f[:, self._partly] -= counted.joint[:, self._mark]
        return known, n_f

    def _of_features(self, values: FloatArray | IntArray) -> FloatArray | IntArray:
        """Add up over the columns of each feature."""
        if self._x_single:
            return values
        return np.add.reduceat(values, self._x_start, axis=0)

    def _of_targets(self, values: FloatArray | IntArray) -> FloatArray | IntArray:
        """Add up over the levels of each target."""
        if self._y_single:
            return values
        return np.add.reduceat(values, self._y_start, axis=1)


def block_entropies(columns: Columns) -> FloatArray:
    """(D,) H of each block of indicators, in nats, over the samples where it is known.

    H = -sum over levels of p log p = -sum of T(k) / N, T(k) = k log(k / N).
    """
    totals, start = columns.totals.astype(np.float64), columns.start[:-1]
    n_known = np.full(columns.n_blocks, float(columns.n_samples))
    marks = columns.start[1:][columns.unknown] - 1
    n_known[columns.unknown] -= totals[marks]
    totals[marks] = 0.0
    rest = n_known - np.add.reduceat(totals, start)
    own = totals * np.log(np.maximum(totals, 1.0) / n_known[columns.owner])
    sums = np.add.reduceat(np.where(totals > 0.0, own, 0.0), start)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums += np.where(rest > 0.0, rest * np.log(rest / n_known), 0.0)
    return np.maximum(-sums / n_known, 0.0)
