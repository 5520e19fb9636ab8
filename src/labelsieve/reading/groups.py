"""Several columns that are one feature: indicator columns of its categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelsieve._utils.machine import cached_property, refuse_larger_than_memory
from labelsieve._utils.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Groups:
    """Which columns make one feature: those of each stand side by side.

    Attributes
    ----------
    sizes : (D,) how many columns each feature has
    """

    sizes: IntArray

    @cached_property
    def starts(self) -> IntArray:
        """(D,) the first column of each feature."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def single(self) -> BoolArray:
        """(D,) which features have one column."""
        return self.sizes == 1

    @cached_property
    def several(self) -> list[int]:
        """The features that have more."""
        return np.flatnonzero(~self.single).tolist()

    def columns(self, feature: int) -> slice:
        """The columns of a feature."""
        start = int(self.starts[feature])
        return slice(start, start + int(self.sizes[feature]))

    def sums(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Sums over the columns (last axis) of each feature."""
        return self._over(np.add, columns)

    def largest(self, columns: FloatArray) -> FloatArray:
        """The largest number of the columns (last axis) of each feature."""
        return self._over(np.maximum, columns)

    def whole(self, columns: BoolArray) -> BoolArray:
        """What is true of all columns of each feature."""
        return self._over(np.logical_and, columns)

    def _over(self, combine: np.ufunc, columns: NDArray[Any]) -> NDArray[Any]:
        if not self.several:
            return columns
        return combine.reduceat(columns, self.starts, axis=-1)

    def lengths(self, rows: FloatArray) -> FloatArray:
        """The length of the rows of each feature; one that is alone stays as it is."""
        if not self.several:
            return rows
        found = np.sqrt(np.add.reduceat(rows**2, self.starts, axis=0))
        found[self.single] = rows[self.starts[self.single]]
        return found

    def spread(self, features: NDArray[Any]) -> NDArray[Any]:
        """What is known of features (last axis), for each of their columns."""
        return np.repeat(features, self.sizes, axis=-1) if self.several else features


def as_numbers(
    values: FloatArray,
    codes: Mapping[int, tuple[NDArray[Any], int]],
    several: Mapping[int, FloatArray] = MappingProxyType({}),
) -> tuple[FloatArray, Groups]:
    """Columns of 0 and 1 for the categories of some columns, and others as they are.

    `codes` are the categories of the rows and how many there are. Up to two of them
    are one column. Instead of some columns there are `several`.
    """
    sizes = np.ones(values.shape[1], dtype=np.int64)
    for column, (_, n_codes) in codes.items():
        sizes[column] = n_codes if n_codes > 2 else 1
    for column, block in several.items():
        sizes[column] = block.shape[1]
    groups = Groups(sizes)
    refuse_larger_than_memory(
        (len(values), int(sizes.sum())),
        "The table with a column of 0 and 1 for each category",
        "Leave out columns with many categories, or use a method made of counts, such "
        "as Sieve.",
        itemsize=8,
    )
    out = np.empty((len(values), int(sizes.sum())))
    out[:, groups.starts] = values
    for column, (of_rows, n_codes) in codes.items():
        which = np.arange(n_codes) if n_codes > 2 else [1]
        out[:, groups.columns(column)] = of_rows[:, np.newaxis] == which
    for column, block in several.items():
        out[:, groups.columns(column)] = block
    return out, groups


def codes_by_rows(column: FloatArray) -> tuple[IntArray, int]:
    """Categories numbered in the order in which rows have them, whatever their names.

    The second number is how many there are.
    """
    distinct, first, place = np.unique(column, return_index=True, return_inverse=True)
    number = np.empty(distinct.size, dtype=np.int64)
    number[np.argsort(first)] = np.arange(distinct.size)
    return number[place], distinct.size
