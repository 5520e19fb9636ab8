"""Sieve on any data: both views of features and labels, from tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.counting import Counts
from labelsieve.selectors.sieve.beside import BesideOne
from labelsieve.selectors.sieve.columns import Columns
from labelsieve.selectors.sieve.conditional import Conditional
from labelsieve.selectors.sieve.unexplained import Unexplained

if TYPE_CHECKING:
    from labelsieve.selectors.sieve.given_kernels import Synergy


class Tables:
    """What `Listed` answers, of features and labels of any kind.

    Attributes
    ----------
    linear : what the chosen features leave unexplained
    """

    def __init__(self, counts: Counts, columns: Columns) -> None:
        self.linear = Unexplained(counts, columns)
        self._given = Conditional(counts, self.linear)
        self._beside: BesideOne | None = None
        if counts.ranks is not None:
            self._beside = BesideOne(self.linear, self._given.least)

    @property
    def synergy(self) -> FloatArray:
        """(D,) what features tell only together with a chosen one."""
        return self._given.synergy

    @property
    def tells(self) -> IntArray:
        """The features that tell something alone, beyond chance."""
        return np.flatnonzero(np.diff(self._given.alone.pairs.start))

    def clear(self, scale: FloatArray, enough: FloatArray) -> FloatArray:
        """(D,) what features tell alone, if of some label enough; otherwise 0."""
        return self._given.alone.clear(scale, enough)

    def gains(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell beyond the chosen ones and beyond chance."""
        return self.linear.gains(self._given.least, scale)

    def gains_alone(self, scale: FloatArray) -> FloatArray:
        """The same with what is told alone."""
        return self.linear.gains(self._given.alone, scale)

    def settle(
        self, J: FloatArray, others: FloatArray, closed: BoolArray, scale: FloatArray
    ) -> None:
        """All features have been looked at beside all chosen ones."""

    gains_of_all = gains

    def choose(self, feature: int, what: Synergy) -> None:
        """Look at all pairs beside one more chosen feature."""
        n_fg = self._given.choose(feature, what).n_fa
        covariances = self.linear.covariances_with(feature, n_fg)
        if self._beside is not None:
            self._beside.lower(feature, covariances)
        self.linear.project(feature, covariances)
