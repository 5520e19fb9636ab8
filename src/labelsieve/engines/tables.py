"""Information between features and targets from arrays of joint counts.

Of a block with the levels 0, 1, ... only the indicators of levels 1, 2, ... are
counted. The counts of the reference level 0 follow by subtraction, within the samples
in which a target is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from labelsieve._utils.machine import cached_property
from labelsieve._utils.typing import FloatArray, IntArray
from labelsieve.engines.columns import Columns


class Counted(NamedTuple):
    """Joint counts of all indicators in some samples, or in strata of them.

    Strata are stacked along the first axis of every array.
    """

    joint: IntArray  # (P, Q) samples with both
    n_x: IntArray  # (P,) samples with each indicator of a feature
    n_y: IntArray  # (Q,) the same of targets
    n: Any  # samples

    def split(self, strata: Counted) -> Counted:
        """Counts in strata, one after the other, and in the samples of none of them."""
        pairs = zip(self, strata, strict=True)
        split = [np.append(some, [of - some.sum(axis=0)], 0) for of, some in pairs]
        return Counted(*split)


def log_table(n: int) -> FloatArray:
    """T(k) = k log(k / n) for k = 0, ..., n; logarithms of n cancel in every sum."""
    k = np.arange(n + 1.0)
    table = np.zeros(n + 1)
    few, many = k[1 : n // 2 + 1], k[n // 2 + 1 :]
    table[1 : n // 2 + 1] = few * np.log(few / n)
    table[n // 2 + 1 :] = many * np.log1p((many - n) / n)  # precise near 0
    return table


class Logarithms:
    """T(k) of any k: for samples that do not count once each."""

    def __init__(self, n: float) -> None:
        self._n = n

    def __getitem__(self, k: Any) -> FloatArray:
        few = 2 * k <= self._n
        near = k * np.log1p(np.where(few, 0.0, k - self._n) / self._n)
        return np.where(few, xlogy(k, k / self._n), near)


def logs_of(X: Columns) -> Any:
    """T of all counts of samples in X."""
    return Logarithms(X.n_samples) if X.weight is not None else log_table(X.n_samples)


class Tables:
    """Contingency tables of all pairs of blocks at once."""

    def __init__(self, X: Columns, Y: Columns, T: Any = None) -> None:
        self._x_start, self._x_single = X.start[:-1], bool((X.width == 1).all())
        marks = Y.start[1:] - 1
        self._mark, self._partly = marks[Y.unknown], np.flatnonzero(Y.unknown)
        self._level: IntArray | slice = slice(None)
        if self._partly.size:
            self._level = np.delete(np.arange(int(Y.start[-1])), self._mark)
        n_levels = Y.width - Y.unknown
        self._y_start = np.append(0, np.cumsum(n_levels))[:-1]
        self._y_single = bool((n_levels == 1).all())
        self._T = logs_of(X) if T is None else T

    def known(self, counted: Counted) -> IntArray:
        """(L,) samples in which each target is known."""
        known = np.repeat(np.asarray(counted.n)[..., None], self._y_start.size, axis=-1)
        known[..., self._partly] -= counted.n_y[..., self._mark]
        return known

    def information(self, counted: Counted) -> Information:
        """Information of all pairs in some samples, or in each of their strata."""
        return Information(self, counted)

    def of_features(self, values: Any) -> Any:
        """Add up over the columns of each feature."""
        if self._x_single:
            return values
        return np.add.reduceat(values, self._x_start, axis=-2)

    def of_targets(self, values: Any) -> Any:
        """Add up over the levels of each target."""
        if self._y_single:
            return values
        return np.add.reduceat(values, self._y_start, axis=-1)


class Information:
    """Information of all pairs of a feature and a target, in samples times nats."""

    def __init__(self, tables: Tables, counted: Counted) -> None:
        of_features, of_targets = tables.of_features, tables.of_targets
        self._tables, known = tables, tables.known(counted)[..., np.newaxis, :]
        self._n_l = counted.n_y[..., tables._level][..., np.newaxis, :]  # (1, T)
        self._n_fl = counted.joint[..., tables._level]  # (P, T)
        # (P, 1), or (P, L) with unknown cells
        self._n_f = counted.n_x[..., np.newaxis]
        if not tables._partly.size:
            known = known[..., :1]
        else:
            self._n_f = np.repeat(self._n_f, known.shape[-1], axis=-1)
            self._n_f[..., tables._partly] -= counted.joint[..., tables._mark]
        self._known = known
        self._f_rest = known - of_features(self._n_f)  # level 0 of f
        self._l_rest = known - of_targets(self._n_l)  # level 0 of l
        self._f_only = self._n_f - of_targets(self._n_fl)  # level 0 of l
        self._l_only = self._n_l - of_features(self._n_fl)  # level 0 of f
        self._neither = self._f_rest - of_targets(self._l_only)

    @cached_property
    def value(self) -> FloatArray:
        """(D, L) N I(f; l) over the N samples in which l is known.

        N I(f; l) = sum T(cells) - sum T(levels of f) - sum T(levels of l) + T(N)
        """
        T, of_features = self._tables._T, self._tables.of_features
        of_targets = self._tables.of_targets
        value: FloatArray = of_features(of_targets(T[self._n_fl]) + T[self._f_only])
        value += of_targets(T[self._l_only])
        value += T[self._neither]
        value -= of_features(T[self._n_f]) + T[self._f_rest]
        value -= of_targets(T[self._n_l]) + T[self._l_rest] - T[self._known]
        return np.maximum(value, 0.0, out=value)

    @cached_property
    def freedom(self) -> IntArray:
        """(D, L) (levels of f - 1) (levels of l - 1), of those that occur."""
        f_levels, l_levels = self._levels
        return (f_levels - 1) * ((l_levels - 1) * (self._known > 0))

    @cached_property
    def excess(self) -> IntArray:
        """(D, L) levels of f and of l that occur, less cells and 1 (Miller-Madow)."""
        of_features, of_targets = self._tables.of_features, self._tables.of_targets
        cells = of_features(of_targets(_occurs(self._n_fl)) + _occurs(self._f_only))
        cells += of_targets(_occurs(self._l_only)) + _occurs(self._neither)
        f_levels, l_levels = self._levels
        excess: IntArray = f_levels + (l_levels - 1) - cells
        return excess * (self._known > 0)

    @cached_property
    def _levels(self) -> tuple[IntArray, IntArray]:
        of_features, of_targets = self._tables.of_features, self._tables.of_targets
        f_levels = of_features(_occurs(self._n_f)) + _occurs(self._f_rest)
        return f_levels, of_targets(_occurs(self._n_l)) + _occurs(self._l_rest)


def _occurs(counts: IntArray) -> IntArray:
    return (counts > 0).astype(np.int32)


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
    sums = np.add.reduceat(xlogy(totals, totals / n_known[columns.owner]), start)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums += xlogy(rest, rest / n_known)
    return np.maximum(-sums / n_known, 0.0)
