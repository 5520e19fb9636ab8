"""Information between features and targets from arrays of joint counts.

Of a block with the levels 0, 1, ... only the indicators of levels 1, 2, ... are
counted. The counts of the reference level 0 follow by subtraction, within the samples
in which a target is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labelsieve._plumbing.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns


class Counted(NamedTuple):
    """Joint counts of all indicators in some of the samples."""

    joint: IntArray  # (P, Q) samples with both
    n_x: IntArray  # (P,) samples with each indicator of a feature
    n_y: IntArray  # (Q,) the same of targets
    n: int  # samples

    def less(self, other: Counted) -> Counted:
        """Counts in the samples that are not among the others."""
        n_x, n_y = self.n_x - other.n_x, self.n_y - other.n_y
        return Counted(self.joint - other.joint, n_x, n_y, self.n - other.n)

    def more(self, other: Counted) -> Counted:
        """Counts in these and other samples."""
        n_x, n_y = self.n_x + other.n_x, self.n_y + other.n_y
        return Counted(self.joint + other.joint, n_x, n_y, self.n + other.n)


class Information(NamedTuple):
    """Information of all pairs of a feature and a target, in samples times nats."""

    value: FloatArray  # (D, L) N I(f; l) over the N samples in which l is known
    freedom: IntArray  # (D, L) (levels of f - 1) (levels of l - 1), of those that occur
    excess: IntArray  # (D, L) occupied levels of f and of l, less cells and 1


def log_table(n: int) -> FloatArray:
    """T(k) = k log(k / n) for k = 0, ..., n; logarithms of n cancel in every sum."""
    k = np.arange(n + 1.0)
    table = np.zeros(n + 1)
    few, many = k[1 : n // 2 + 1], k[n // 2 + 1 :]
    table[1 : n // 2 + 1] = few * np.log(few / n)
    table[n // 2 + 1 :] = many * np.log1p((many - n) / n)  # precise near 0
    return table


class Tables:
    """Contingency tables of all pairs of blocks at once."""

    def __init__(self, X: Columns, Y: Columns, T: FloatArray | None = None) -> None:
        self._x_start, self._x_single = X.start[:-1], bool((X.width == 1).all())
        marks = Y.start[1:] - 1
        self._mark, self._partly = marks[Y.unknown], np.flatnonzero(Y.unknown)
        self._level: IntArray | slice = slice(None)
        if self._partly.size:
            self._level = np.delete(np.arange(int(Y.start[-1])), self._mark)
        n_levels = Y.width - Y.unknown
        self._y_start = np.append(0, np.cumsum(n_levels))[:-1]
        self._y_single = bool((n_levels == 1).all())
        self._T = log_table(X.n_samples) if T is None else T

    def known(self, counted: Counted) -> IntArray:
        """(L,) samples in which each target is known."""
        known = np.full(self._y_start.size, counted.n)
        known[self._partly] -= counted.n_y[self._mark]
        return known

    def value(self, counted: Counted) -> FloatArray:
        """(D, L) N I(f; l) of all pairs over the N samples in which l is known."""
        return _Cells(self, counted).value()

    def information(self, counted: Counted) -> Information:
        """The same, and what corrections for small samples need."""
        cells = _Cells(self, counted)
        return Information(cells.value(), *cells.occupied())

    def of_features(self, values: Any) -> Any:
        """Add up over the columns of each feature."""
        if self._x_single:
            return values
        return np.add.reduceat(values, self._x_start, axis=0)

    def of_targets(self, values: Any) -> Any:
        """Add up over the levels of each target."""
        if self._y_single:
            return values
        return np.add.reduceat(values, self._y_start, axis=-1)


class _Cells:
    """The counts of all cells of all tables."""

    def __init__(self, tables: Tables, counted: Counted) -> None:
        of_features, of_targets = tables.of_features, tables.of_targets
        self.tables = tables
        self.known = known = tables.known(counted)  # (L,)
        self.n_l = counted.n_y[tables._level]  # (T,)
        self.n_fl = counted.joint[:, tables._level]  # (P, T)
        self.n_f = counted.n_x[:, np.newaxis]  # (P, 1), or (P, L) with unknown cells
        if not tables._partly.size:
            self.known = known = known[:1]
        else:
            self.n_f = np.repeat(self.n_f, known.size, axis=1)
            self.n_f[:, tables._partly] -= counted.joint[:, tables._mark]
        self.f_rest = known - of_features(self.n_f)  # level 0 of f
        self.l_rest = known - of_targets(self.n_l)  # level 0 of l
        self.f_only = self.n_f - of_targets(self.n_fl)  # level 0 of l
        self.l_only = self.n_l - of_features(self.n_fl)  # level 0 of f
        self.neither = self.f_rest - of_targets(self.l_only)

    def value(self) -> FloatArray:
        """N I(f; l) = sum T(cells) - sum T(levels of f) - sum T(levels of l) + T(N)."""
        T, tables = self.tables._T, self.tables
        value: FloatArray = tables.of_features(
            tables.of_targets(T[self.n_fl]) + T[self.f_only]
        )
        value += tables.of_targets(T[self.l_only]) + T[self.neither]
        value -= tables.of_features(T[self.n_f]) + T[self.f_rest]
        value -= tables.of_targets(T[self.n_l]) + T[self.l_rest] - T[self.known]
        return np.maximum(value, 0.0, out=value)

    def occupied(self) -> tuple[IntArray, IntArray]:
        """Degrees of freedom and Miller-Madow excess, from what occurs."""
        of_features = self.tables.of_features
        of_targets = self.tables.of_targets

        def occurs(counts: IntArray) -> IntArray:
            return (counts > 0).astype(np.int64)

        f_levels = of_features(occurs(self.n_f)) + occurs(self.f_rest)
        l_levels = of_targets(occurs(self.n_l)) + occurs(self.l_rest)
        cells = of_features(of_targets(occurs(self.n_fl)) + occurs(self.f_only))
        cells += of_targets(occurs(self.l_only)) + occurs(self.neither)
        some = self.known > 0
        freedom = (f_levels - 1) * (l_levels - 1) * some
        return freedom, (f_levels + l_levels - cells - 1) * some


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
