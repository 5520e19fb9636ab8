"""What the selected features repeat of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import Display

# As many columns as have room for their numbers.
MOST_FEATURES = 12


class RedundancyDisplay(Display):
    """Heat map among features: the share of a row's entropy that a column tells.

    Parameters
    ----------
    shares : array-like of shape (n_features, n_features)
        Mutual information divided by the entropy of the row's feature.
    names : sequence of str
        The features.

    Examples
    --------
    >>> from labelsieve.plots import RedundancyDisplay
    >>> display = RedundancyDisplay([[0, 0.5], [0.5, 0]], ["a", "b"])
    >>> display.to_svg(title="a and b").count("aria-label")
    1
    """

    def __init__(self, shares: ArrayLike, names: Sequence[str]) -> None:
        self.shares = np.asarray(shares, dtype=np.float64)
        self.names = list(names)

    @classmethod
    def from_explanation(
        cls, explanation: Any, *, n_features: int = MOST_FEATURES
    ) -> Self:
        """Show the best features of a selection.

        Parameters
        ----------
        explanation : Explanation
            From a selector's `explain`.
        n_features : int
            At most so many are shown.
        """
        shares = explanation.repeated_shares[:n_features, :n_features]
        return cls(shares, explanation.feature_names[:n_features])

    def _size(self) -> tuple[float, float]:
        return 4.0, 0.85 + 0.2 * len(self.shares)

    def _draw(self, ax: Any) -> None:
        from labelsieve.plots._cells import draw_cells

        # Columns are the same features in the same order: their ranks are enough.
        ranks = [str(rank) for rank in range(1, len(self.names) + 1)]
        rows = [f"{rank}. {name}" for name, rank in zip(self.names, ranks, strict=True)]
        draw_cells(ax, self.shares, rows, ranks)
