"""Forward orthogonal least squares: what the picks leave of features and targets.

C[p, t] is the centred product of column p and target t, V the centred products of
columns within each feature. Each pick adds the columns of its block to a Gram-Schmidt
basis; C and V are what is left after projection on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from labelsieve._utils.machine import refuse_larger_than_memory
from labelsieve._utils.matrices import as_dense
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray
from labelsieve.engines import Columns

# What is taken off as the bias of each degree of freedom, in samples times nats:
# independent columns show half of it on average.
BIAS = 1.0
# Collinearity tolerance: a column of whose variance the picks leave no more than this
# share repeats them.
TOLERANCE = 0.01
# Bounds are not worth their cost for features with more columns.
WIDE = 8


class TargetColumns:
    """The columns that targets are: indicators of levels, or the score of a number.

    Attributes
    ----------
    start : (L + 1,) where the targets of each label begin
    label, weight : (T,) whose level it is, and how much it counts in its variance
    n_y : (T,) the sum of its values; of an indicator the number of samples with it
    variance, skewness : (T,) of its values
    is_number : (L,) which are numbers
    n_known : (L,) samples in which each label is known
    partly, marks : labels that are not known everywhere, and their last columns of Y
    """

    def __init__(self, Y: Columns) -> None:
        (self.partly,) = np.nonzero(Y.unknown)
        self.marks = Y.start[1:][self.partly] - 1
        n_levels = Y.width - Y.unknown
        several = n_levels > 1  # half the squares of two levels are those of one
        n_targets = n_levels + several
        self.start = np.append(0, np.cumsum(n_targets))
        self.label = np.repeat(np.arange(Y.n_blocks), n_targets)
        self.weight = np.where(several[self.label], 0.5, 1.0)
        within = np.arange(self.label.size) - self.start[self.label]
        self._column = np.minimum(Y.start[self.label] + within, Y.start[-1] - 1)
        self._reference = within == n_levels[self.label]
        self.is_number, self._n_samples = Y.is_score, Y.n_samples
        n = np.array([Y.n_samples])
        self.n_known = self.known(Y.totals[np.newaxis], n)[0]
        sums = [_sums_of_powers(Y, power) for power in (1, 2, 3)]
        powers = [self.sums(joint, n.astype(joint.dtype))[0] for joint in sums]
        moments = [sums / self.n_known[self.label] for sums in powers]
        self.n_y, self.skewness = powers[0], skewness(moments)
        self.variance = moments[1] - moments[0] ** 2

    def known(self, joint: IntArray, totals: IntArray) -> IntArray:
        """(m, L) sums of columns over the samples in which each label is known.

        joint : (m, Q) sums over the samples of each column of Y; totals : (m,) over all
        """
        sums = np.repeat(totals[:, np.newaxis], self.start.size - 1, axis=1)
        sums[:, self.partly] -= joint[:, self.marks]
        return sums

    def sums(self, joint: IntArray, totals: IntArray) -> IntArray:
        """(m, T) sums of columns over the samples of each target."""
        if not self._reference.any():
            return joint[:, self._column]
        found = np.where(self._reference, 0, joint[:, self._column])
        levels = np.add.reduceat(found, self.start[:-1], axis=1)
        rest = (self.known(joint, totals) - levels)[:, self.label]
        return np.where(self._reference, rest, found)

    def centred(self, joint: IntArray, totals: IntArray) -> FloatArray:
        """(m, T) C before the first pick: n/N times, over the N known samples."""
        (known, sums), n_known = self.both(joint, totals), self.n_known[self.label]
        return self._n_samples / n_known * (sums - known * (self.n_y / n_known))

    def both(self, joint: IntArray, totals: IntArray) -> tuple[IntArray, IntArray]:
        """(m, T) sums where the label of a target is known, and where it has it."""
        return self.known(joint, totals)[:, self.label], self.sums(joint, totals)


def skewness(moments: Any) -> FloatArray:
    """Of columns with these means of values, squares and cubes."""
    first, second, third = moments
    variance = np.maximum(second - first**2, 0.0)
    cubed = third - 3 * first * variance - first**3
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, cubed / variance**1.5, 0.0)


def _sums_of_powers(Y: Columns, power: int) -> Any:
    """(1, Q) sums of powers of all columns: of indicators those of the column."""
    sums, scores = Y.totals[np.newaxis], Y.start[:-1][Y.is_score]
    if power > 1 and scores.size:
        sums = sums.astype(np.float64)
        values = as_dense(Y.values[:, scores]).astype(np.float64)
        # Products are many times as fast as powers above 2.
        powers = np.multiply.reduce([values] * power)
        sums[:, scores] = powers.sum(axis=0) if Y.weight is None else Y.weight @ powers
    return sums


class Residuals:
    """The Gram-Schmidt basis of the picks, and what it leaves of features and targets.

    Attributes
    ----------
    variance : (L,) of each label
    level : (L,) the bias of a degree of freedom: n/N times `BIAS`, where a label is
        known in N samples
    freedom, bias : (L,) degrees of freedom of each label, and the bias of all of them
    half : (T,) makes a sum of squares half the share of a label's variance, times n
    whole, left : (T,) the sum of squares of each target, and what is not explained
    columns : those that the basis vectors were made of
    V : the squares of all features, one after the other, from `v_start` on
    blocks : for each number of columns, (m,) the features with so many, (m, width)
        their columns, and (m, width, width) where the products of these stand in V
    """

    def __init__(self, engine: Any) -> None:
        X, targets = engine.X, TargetColumns(engine.Y)
        self._engine, self.X, self.targets = engine, X, targets
        self.n_samples = X.n_samples
        self.whole = self.left = self.n_samples * targets.variance
        variance = targets.weight * targets.variance
        self.variance = np.add.reduceat(variance, targets.start[:-1])
        self.level = BIAS * self.n_samples / targets.n_known
        self.freedom = np.maximum(np.diff(targets.start) - 1, 1)
        self.bias = self.level * self.freedom
        self.half = targets.weight * (0.5 * self.freedom / self.variance)[targets.label]
        self.v_start = np.append(0, np.cumsum(X.width**2))
        refuse_larger_than_memory(
            (int(self.v_start[-1]),),
            "The products of the levels of each feature",
            "Bin the columns with many levels (binning='quantile') or drop them: "
            "identifiers say nothing about other samples.",
            itemsize=32,
        )
        self.V = np.empty(int(self.v_start[-1]))
        self.blocks: list[tuple[IntArray, IntArray, IntArray]] = []
        self._row, self._column = np.empty((2, self.V.size), dtype=np.int64)
        for width in np.unique(X.width):
            (features,) = np.nonzero(X.width == width)
            columns = X.start[features, np.newaxis] + np.arange(width)
            square = np.arange(width * width).reshape(1, width, width)
            entries = self.v_start[features, np.newaxis, np.newaxis] + square
            self._row[entries] = columns[:, :, np.newaxis]
            self._column[entries] = columns[:, np.newaxis]
            self.V[entries] = engine.within(columns)
            self.blocks.append((features, columns, entries))
        totals = X.totals.astype(np.float64)
        self.V -= totals[self._row] * totals[self._column] / self.n_samples
        self._diagonal = np.flatnonzero(self._row == self._column)
        self.at_first = self.V[self._diagonal]
        self._scatter_at_first = self._scatter(self.V)
        self.tolerance = TOLERANCE * self.at_first
        self.columns: list[int] = []
        self.n_basis = 0
        self.room_for_basis = np.empty((0, self.at_first.size))
        self.room_for_along = np.empty((0, targets.label.size))

    @property
    def basis(self) -> FloatArray:
        """(k, P) the part of all columns along each basis vector."""
        return self.room_for_basis[: self.n_basis]

    @property
    def along(self) -> FloatArray:
        """(k, T) the part of all targets along each basis vector."""
        return self.room_for_along[: self.n_basis]

    @property
    def is_exhausted(self) -> bool:
        """Whether the picks explain all columns, so that no other extends the basis."""
        return bool((self.V[self._diagonal] <= self.tolerance).all())

    @property
    def unique(self) -> FloatArray:
        """(D,) residual variance: the share of each feature not explained by picks."""
        return self._scatter(self.V) / self._scatter_at_first

    def _scatter(self, V: FloatArray) -> FloatArray:
        """(D,) variances of the columns of a feature, and of its reference level."""
        cells = np.maximum(V[self._diagonal], 0.0)
        found: FloatArray = np.add.reduceat(cells, self.X.start[:-1])
        # The reference level is 1 less the sum of the others.
        rest = np.maximum(np.add.reduceat(V, self.v_start[:-1]), 0.0)
        return found + np.where(self.X.is_score, 0.0, rest)

    def covariances(self, feature: int) -> list[FloatArray]:
        """(P,) centred products of all columns with each of a feature."""
        sums, n, gram = self.X.totals, self.n_samples, self._engine.gram
        return [gram(g) - sums * (sums[g] / n) for g in self.X.columns_of(feature)]

    def project_out(
        self, feature: int, covariances: list[FloatArray], C: FloatArray
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Extend the basis by the columns of a feature that the picks do not explain.

        Yields (P,) and (T,) the part of all columns and targets along each new vector.

        C : (width, T) the centred products of the feature before the first pick
        """
        columns = self.X.columns_of(feature)
        for g, covariance, line in zip(columns, covariances, C, strict=True):
            part = self.basis[:, g]
            left = covariance - part @ self.basis
            if left[g] <= self.tolerance[g]:
                continue
            length = np.sqrt(left[g])
            basis, along = left / length, (line - part @ self.along) / length
            self.room_for_basis = put(self.room_for_basis, self.n_basis, basis)
            self.room_for_along = put(self.room_for_along, self.n_basis, along)
            self.n_basis += 1
            self.columns = [*self.columns, g]
            self.V = self.V - basis[self._row] * basis[self._column]
            self.left = np.maximum(self.left - along**2, 0.0)
            yield basis, along

    def squared_parts(self, basis: FloatArray) -> FloatArray:
        """(D,) a' V^-1 a for the part a of each feature along a basis vector.

        Infinite where columns are collinear, or nearly, or too many to be worth it.
        """
        found = np.zeros(self.X.n_blocks)
        for features, columns, entries in self.blocks:
            if columns.shape[1] > WIDE:
                found[features] = np.inf
                continue
            part = basis[columns][:, :, np.newaxis]
            tolerance = self.tolerance[columns] * (1.0 + 1e-6)
            for square, counts in eliminate(part, self.V[entries], tolerance):
                found[features] += np.where(counts, square[:, 0], np.inf)
        return found

    def half_shares(self, C: FloatArray) -> FloatArray:
        """(D, L) n/2 times the share of labels that features explain, less its bias."""
        explained, freedom = self.explained(C)
        return explained - self.level * freedom

    def explained(self, C: FloatArray) -> tuple[FloatArray, IntArray]:
        """(D, L) the same with its bias, and the degrees of freedom of each pair."""
        total = np.zeros((self.X.n_blocks, C.shape[1]))
        rank = np.zeros((self.X.n_blocks, 1), dtype=np.int64)
        for features, columns, entries in self.blocks:
            pivots = eliminate(C[columns], self.V[entries], self.tolerance[columns])
            for part, counts in pivots:
                total[features] += part
                rank[features, 0] += counts
        total *= self.half
        if total.shape[1] > self.level.size:
            total = np.add.reduceat(total, self.targets.start[:-1], axis=1)
        return total, rank * self.freedom

    def log_likelihoods(self, explained: FloatArray) -> FloatArray:
        """(D, L) gains: -(N - k - 2)/2 log(1 - R^2), for the R^2 beyond the picks."""
        targets = self.targets
        parts = np.stack([targets.weight * self.left, targets.weight * self.whole])
        left, whole = np.add.reduceat(parts, targets.start[:-1], axis=1)
        scale = 2.0 / (self.n_samples * self.freedom * np.maximum(left / whole, 1e-12))
        free = np.maximum(targets.n_known - self.n_basis - 2, 1) * self.freedom
        return -0.5 * free * np.log1p(-np.clip(explained * scale, 0.0, 1.0 - 1e-12))

    def parts(self, feature: int, joint: IntArray) -> FloatArray:
        """(T, width) sums of squares explained by each column beyond those before."""
        columns, block = self.X.columns_of(feature), self.v_start[feature : feature + 2]
        C = self.targets.centred(joint, self.X.totals[columns])
        C -= self.basis[:, columns].T @ self.along
        V = self.V[slice(*block)].reshape(1, len(C), len(C))
        pivots = eliminate(C[np.newaxis], V, self.tolerance[np.newaxis, columns])
        return np.column_stack([part[0] for part, _ in pivots])


def put(room: Any, n_used: int, rows: Any) -> Any:
    """A table with rows behind those in use, and twice the room where it is full."""
    rows = rows.reshape(-1, room.shape[1])
    end = n_used + len(rows)
    if end > len(room):
        more = np.empty((end, room.shape[1]), dtype=room.dtype)
        room = np.concatenate([room, more])
    room[n_used:end] = rows
    return room


def eliminate(
    C: FloatArray, V: FloatArray, tolerance: FloatArray
) -> Iterator[tuple[FloatArray, BoolArray]]:
    """C' V^-1 C of some blocks, column after column: what each adds.

    Yields (m, T) sums of squares of targets and (m,) whether the column counts: those
    that the ones before and the picks explain do not.
    """
    width = V.shape[1]
    if width > 1:
        C, V = C.copy(), V.copy()
    for i in range(width):
        counts = V[:, i, i] > tolerance[:, i]
        inverse = np.divide(1.0, V[:, i, i], out=np.zeros(len(V)), where=counts)
        yield C[:, i] ** 2 * inverse[:, np.newaxis], counts
        if i + 1 < width:
            ratio = (V[:, i + 1 :, i] * inverse[:, np.newaxis])[:, :, np.newaxis]
            C[:, i + 1 :] -= ratio * C[:, i : i + 1]
            V[:, i + 1 :] -= ratio * V[:, i : i + 1]
