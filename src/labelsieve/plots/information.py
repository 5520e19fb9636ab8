"""Which selected feature tells about which label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import Display
from labelsieve.plots._style import LONGEST_NAME

MOST_FEATURES = 25
MOST_LABELS = 16


class InformationDisplay(Display):
    """Heat map of features and labels: the share of a label that a feature tells.

    Parameters
    ----------
    shares : array-like of shape (n_features, n_labels)
        Mutual information divided by the label's entropy.
    feature_names, label_names : sequence of str
        The names.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> from labelsieve.datasets import load_segments
    >>> from labelsieve.plots import InformationDisplay
    >>> data = load_segments()
    >>> sieve = PMU(3).fit(data.X, data.Y)
    >>> explanation = sieve.explain(data.X, data.Y, label_names=data.label_names)
    >>> InformationDisplay.from_explanation(explanation).shares.shape
    (3, 7)
    """

    def __init__(
        self,
        shares: ArrayLike,
        feature_names: Sequence[str],
        label_names: Sequence[str],
    ) -> None:
        self.shares = np.asarray(shares, dtype=np.float64)
        self.feature_names = list(feature_names)
        self.label_names = list(label_names)

    @classmethod
    def from_explanation(
        cls,
        explanation: Any,
        *,
        n_features: int = MOST_FEATURES,
        n_labels: int = MOST_LABELS,
    ) -> Self:
        """Show the best features and the labels they tell most about.

        Parameters
        ----------
        explanation : Explanation
            From a selector's `explain`.
        n_features, n_labels : int
            At most so many are shown.
        """
        shares = explanation.label_shares[:n_features]
        # First the label that each feature tells most about, then the second of each.
        told = np.argsort(-shares, axis=1, kind="stable").T.ravel()
        labels = sorted(list(dict.fromkeys(told.tolist()))[:n_labels])
        return cls(
            shares[:, labels],
            explanation.feature_names[:n_features],
            [explanation.label_names[label] for label in labels],
        )

    def _size(self) -> tuple[float, float]:
        longest = max(map(len, self.label_names), default=0)
        top = 0.25 if longest <= 2 else min(longest, LONGEST_NAME) * 0.065
        return 4.0, 0.6 + top + 0.2 * len(self.shares)

    def _draw(self, ax: Any) -> None:
        from labelsieve.plots._cells import draw_cells

        draw_cells(ax, self.shares, self.feature_names, self.label_names)
