"""Quality against the number of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve._plumbing.typing import FloatArray
from labelsieve.plots._display import Display
from labelsieve.plots._style import MARKERS, MUTED, SERIES

# Half the width of a 95 % interval in standard errors, for many splits.
STANDARD_ERRORS = 1.96
# Markers on more points than this hide the line.
MARKED_POINTS = 30


@dataclass(frozen=True)
class Curve:
    """Mean and interval of a measure at each size."""

    sizes: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray


class SelectionCurveDisplay(Display):
    """Selection curves with intervals, one line per method.

    Parameters
    ----------
    curves : mapping of str to Curve
        What to draw, by method.
    measure : str
        What the values are.
    chosen : int, optional
        A number of features to mark.

    Examples
    --------
    >>> from labelsieve.plots import SelectionCurveDisplay
    >>> splits = {"pmu": [[0.3, 0.2], [0.4, 0.2]], "random": [[0.5, 0.4], [0.4, 0.4]]}
    >>> display = SelectionCurveDisplay.from_splits([5, 10], splits, "hamming loss")
    >>> display.curves["pmu"].mean.tolist()
    [0.35, 0.2]
    >>> "hamming loss" in display.to_svg()
    True
    """

    def __init__(
        self, curves: Mapping[str, Curve], measure: str, chosen: int | None = None
    ) -> None:
        self.curves = dict(curves)
        self.measure = measure
        self.chosen = chosen

    @classmethod
    def from_splits(
        cls,
        sizes: ArrayLike,
        values: Mapping[str, ArrayLike],
        measure: str,
        chosen: int | None = None,
    ) -> Self:
        """Average the values of several splits.

        Parameters
        ----------
        sizes : array-like of shape (n_sizes,)
            The numbers of features.
        values : mapping of str to array-like of shape (n_splits, n_sizes)
            The measure in each split, by method.
        measure : str
            What the values are.
        chosen : int, optional
            A number of features to mark.
        """
        curves = {name: average(sizes, splits) for name, splits in values.items()}
        return cls(curves, measure, chosen)

    def _draw(self, ax: Any) -> None:
        ax.grid(axis="y")
        for place, (name, curve) in enumerate(self.curves.items()):
            color = SERIES[place % len(SERIES)]
            marker = MARKERS[place % len(MARKERS)]
            few = len(curve.sizes) <= MARKED_POINTS
            ax.fill_between(
                curve.sizes, curve.low, curve.high, color=color, alpha=0.15, lw=0
            )
            ax.plot(
                curve.sizes,
                curve.mean,
                color=color,
                label=name,
                marker=marker if few else None,
                markersize=3.5,
            )
        if self.chosen is not None:
            ax.axvline(self.chosen, color=MUTED, lw=0.8, ls=(0, (3, 3)))
        ax.set_xlabel("number of features")
        ax.set_title(self.measure)
        ax.legend(fontsize=8)


def average(sizes: ArrayLike, splits: ArrayLike) -> Curve:
    """Return the mean over splits and its 95 % interval (normal approximation)."""
    values = np.atleast_2d(np.asarray(splits, dtype=np.float64))
    mean = values.mean(axis=0)
    half = np.zeros_like(mean)
    if len(values) > 1:
        half = STANDARD_ERRORS * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return Curve(np.asarray(sizes, dtype=np.float64), mean, mean - half, mean + half)
