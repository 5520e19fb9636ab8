"""Partitions of samples answer the questions of an engine, and answers are added up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from labelsieve._plumbing.typing import IntArray
from labelsieve.blocks import add_up, load, run, task, tree
from labelsieve.engines.columns import Columns
from labelsieve.engines.csr import CsrEngine
from labelsieve.engines.dense import DenseEngine


class DaskEngine:
    """Sums over samples of products of columns, where samples stay in partitions.

    Parameters
    ----------
    blocks : tasks, done, that hold the features and targets of a partition each
    """

    def __init__(self, blocks: list[Any]) -> None:
        self._blocks = blocks
        (found,) = run([tree(_join, [task(_describe, block) for block in blocks])])
        self.X, self.Y = found
        self.n_samples = self.X.n_samples

    def joint(self) -> IntArray:
        """(P, Q) X'Y."""
        return self._sum("joint")

    def gram(self, column: int) -> IntArray:
        """(P,) X'x for a column x of X."""
        return self._sum("gram", column)

    def given(self, column: int) -> IntArray:
        """(P, Q) X' diag(x) Y for a column x of X."""
        return self._sum("given", column)

    def within(self, columns: IntArray) -> IntArray:
        """(m, width, width) sums of products within blocks of (m, width) columns."""
        return self._sum("within", columns)

    def powers(self, power: int) -> IntArray:
        """(P,) the sum of powers of each column."""
        return self._sum("powers", power)

    def products(
        self, column: int, others: list[int], marks: IntArray, power: int = 1
    ) -> IntArray:
        """(marks + 1, others) sums of a power of a column times others."""
        return self._sum("products", column, others, marks, power)

    def _sum(self, *question: Any) -> IntArray:
        parts = [task(_ask, block, *question) for block in self._blocks]
        (total,) = run([tree(add_up, parts)])
        return np.asarray(total)


@dataclass(frozen=True)
class Elsewhere:
    """Stands for values in partitions: all that is known is their shape and sums."""

    shape: tuple[int, int]
    sums: IntArray

    def sum(self, axis: int, dtype: Any) -> IntArray:
        """(P,) the sum of each column."""
        return self.sums

    def __getitem__(self, place: tuple[slice, IntArray]) -> Elsewhere:
        sums = self.sums[place[1]]
        return Elsewhere((self.shape[0], sums.size), sums)


def _describe(block: Any) -> tuple[Columns, Columns]:
    """The features and targets of a partition without their values."""
    X, Y = (
        replace(
            columns,
            values=Elsewhere(columns.values.shape, columns.totals),
            absent=np.zeros_like(columns.absent),
        )
        for columns in load(block)
    )
    return X, Y


def _join(parts: list[tuple[Columns, Columns]]) -> tuple[Columns, Columns]:
    X, Y = (
        replace(
            columns[0],
            values=Elsewhere(
                (sum(c.n_samples for c in columns), columns[0].values.shape[1]),
                np.sum([c.values.sums for c in columns], axis=0),
            ),
        )
        for columns in zip(*parts, strict=True)
    )
    return X, Y


def _ask(block: Any, question: str, *arguments: Any) -> IntArray:
    X, Y = load(block)
    engine = CsrEngine(X, Y) if X.is_sparse else DenseEngine(X, Y)
    return np.asarray(getattr(engine, question)(*arguments))
