"""Finding the best feature without a look at those that cannot be it."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.typing import BoolArray, FloatArray, IntArray
from labelsieve.selectors._base import TIE

# Of so many features that tell the most at most the linear view is needed first.
PROJECTED_FIRST = 64
# So many are looked at beside chosen ones first, then twice as many at a time.
LOOKED_AT_FIRST = 4


class Settling:
    """Looks at features by what they tell at most, until the best is certain.

    What features tell beside single chosen ones can only fall: that is a bound. Only of
    features that might be the best the linear view is brought up to date, and only
    where they still might, they are looked at beside chosen ones.
    """

    def gains(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell at most; `settle` finds out more."""
        raise NotImplementedError

    def gains_of_all(self, scale: FloatArray) -> FloatArray:
        """What each feature would tell, after a look at all of them."""
        total = self.gains(scale)
        every = np.arange(total.size)
        self._project(every, total, scale)
        self._look_at(every, total, scale)
        return total

    def _project(self, features: IntArray, J: FloatArray, scale: FloatArray) -> None:
        """Bring the linear view of some features up to date: J is at most that."""
        raise NotImplementedError

    def _look_at(
        self,
        features: IntArray,
        J: FloatArray,
        scale: FloatArray,
        enough: FloatArray | None = None,
    ) -> None:
        """J of some features whose linear view is up to date; ascending ones.

        Where J falls below `enough`, one for each feature, it may stay at most that.
        """
        raise NotImplementedError

    def settle(
        self, J: FloatArray, others: FloatArray, closed: BoolArray, scale: FloatArray
    ) -> None:
        """Find out about features until it is certain which is best.

        `J` holds what they tell at most, with `others` that are added to it, and is put
        right for those that might be the best. What tells less at most than the best
        does for certain need not be looked at.
        """
        rest = _possible(J, np.flatnonzero(~closed), 0.0)
        some, rest = _largest(J, rest, PROJECTED_FIRST)
        best = self._find_best(some, 0.0, J, others, scale)
        self._find_best(_possible(J, rest, best), best, J, others, scale)

    def _find_best(
        self,
        features: IntArray,
        best: float,
        J: FloatArray,
        others: FloatArray,
        scale: FloatArray,
    ) -> float:
        """The largest J of some features, if it is larger than the best so far."""
        if not features.size:
            return best
        self._project(features, J, scale)
        J[features] += others[features]
        n_looks = LOOKED_AT_FIRST
        while (features := _possible(J, features, best)).size:
            now, features = _largest(J, features, n_looks)
            # A little less, so that rounding cannot hide what equals the best.
            enough = _to_equal(best) - TIE * max(1.0, best) - others
            self._look_at(now, J, scale, enough)
            J[now] += others[now]
            best = max(best, float(J[now].max()))
            n_looks *= 2
        return best


def _possible(J: FloatArray, features: IntArray, best: float) -> IntArray:
    """Those of some features that tell something, and might be the best or equal it."""
    values = J[features]
    return features[(values >= _to_equal(best)) & (values > 0.0)]


def _to_equal(best: float) -> float:
    """What is no less than this equals the best."""
    return best - TIE * max(1.0, best)


def _largest(
    J: FloatArray, features: IntArray, n_largest: int
) -> tuple[IntArray, IntArray]:
    """Those of some features that tell the most, a number of them, and the others."""
    if features.size <= n_largest:
        return features, features[:0]
    is_large = np.zeros(features.size, dtype=bool)
    is_large[np.argpartition(-J[features], n_largest)[:n_largest]] = True
    return features[is_large], features[~is_large]
