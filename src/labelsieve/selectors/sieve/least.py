"""The pairs of features and labels that tell something, and how much at least."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.kernels import Pairs

# Features are shared among threads in ranges with about so many pairs.
PAIRS_PER_TASK = 100_000


@dataclass(frozen=True)
class Least:
    """What features tell about labels at least, in rows times nats, beyond chance.

    A pair that tells nothing never does later: it is not listed.

    Attributes
    ----------
    pairs : the listed ones, feature by feature
    tasks : ranges of features for threads, which do not depend on their number
    """

    pairs: Pairs
    tasks: list[slice]

    @classmethod
    def of(cls, values: FloatArray) -> Least:
        """List the positive values of a table of labels by features."""
        from labelsieve.selectors.sieve import kernels

        n_pairs = np.zeros(values.shape[1], dtype=np.int64)
        kernels.count_pairs(values, n_pairs)
        start = np.append(0, np.cumsum(n_pairs))
        labels, values_of = np.empty(start[-1], np.uint32), np.empty(start[-1])
        pairs = kernels.Pairs(start, start[:-1].copy(), labels, values_of)
        kernels.list_pairs(values, pairs)
        return cls(pairs, ranges(start, PAIRS_PER_TASK))

    def copy(self) -> Least:
        """The same lists in memory of their own."""
        start, end, labels, values = self.pairs
        own = type(self.pairs)(start, end.copy(), labels.copy(), values.copy())
        return replace(self, pairs=own)

    def clear(self, scale: FloatArray, enough: FloatArray) -> FloatArray:
        """(D,) what features tell of all labels, if of some label enough; or 0.

        `scale` says how much each label counts.
        """
        from labelsieve.selectors.sieve import kernels

        start, _, labels, values = self.pairs
        out = np.zeros(start.size - 1)
        kernels.add_clear(start, labels, values, scale, enough, out)
        return out

    def drop(self) -> None:
        """Take off the lists what has come to nothing."""
        from labelsieve.selectors.sieve import kernels

        kernels.drop_pairs(self.pairs)


def ranges(start: IntArray, most: int) -> list[slice]:
    """Ranges of features with about so many pairs each."""
    inner = np.searchsorted(start, np.arange(most, start[-1], most))
    edges = np.unique([0, *inner.tolist(), start.size - 1]).tolist()
    return [slice(*ends) for ends in pairwise(edges)]
