"""Pictures of quality: against the number of features, and against all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve import sentences
from labelsieve._utils.typing import FloatArray
from labelsieve.plots._display import (
    INK,
    LINE,
    MARKERS,
    MUTED,
    SERIES,
    Display,
    shorten,
)

# Half the width of a 95 % interval in standard errors, for many splits.
STANDARD_ERRORS = 1.96
# Markers on more points than this hide the line.
MARKED_POINTS = 30
SHOWN = (
    *("micro_f1", "macro_f1", "average_precision", "hamming_loss", "subset_accuracy"),
    *(*sentences.OF_CLASSES, *sentences.OF_NUMBERS),
)
# What lies farther away is an arrow at the edge, with its number: one large loss would
# leave no room to see the others.
WIDEST = 0.5


@dataclass(frozen=True)
class Curve:
    """Mean and interval of a measure at each size."""

    sizes: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(eq=False, repr=False)
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

    curves: Mapping[str, Curve]
    measure: str
    chosen: int | None = None

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


@dataclass(eq=False, repr=False)
class VerdictDisplay(Display):
    """Intervals of the gain over all features, as shares of what these reach.

    Parameters
    ----------
    names : sequence of str
        What each line is about.
    intervals : sequence of (float, float)
        The ends of the gain of each; negative where quality is lost.
    tolerance : float
        A loss below this share does not matter.

    Examples
    --------
    >>> from labelsieve.plots import VerdictDisplay
    >>> display = VerdictDisplay(["naive Bayes"], [(-0.01, 0.02)], 0.05)
    >>> "naive Bayes" in display.to_svg()
    True
    """

    names: Sequence[str]
    intervals: Sequence[tuple[float, float]]
    tolerance: float

    @classmethod
    def from_quality(cls, quality: Any, measures: Sequence[str] | None = None) -> Self:
        """Show some measures of all classifiers, by default five that differ in kind.

        Parameters
        ----------
        quality : Quality
            From :func:`labelsieve.choosing.evaluate_selection`.
        measures : sequence of str, optional
            Which to show.
        """
        found = [
            one
            for measure in measures or SHOWN
            for one in quality.about(measure, "all")
            if one.other
        ]
        return cls(
            [
                f"{sentences.measure_name(one.measure)}, "
                f"{sentences.classifier_name(one.classifier, one.measure)}"
                for one in found
            ],
            [(one.low / abs(one.other), one.high / abs(one.other)) for one in found],
            quality.tolerance,
        )

    def _size(self) -> tuple[float, float]:
        return 4.6, 1.1 + 0.24 * len(self.names)

    def _draw(self, ax: Any) -> None:
        ax.axvspan(-100 * self.tolerance, 0, color=LINE, alpha=0.5, lw=0)
        ax.axvline(0, color=MUTED, lw=0.8)
        for place, ends in enumerate(self.intervals):
            points = ends[0], sum(ends) / 2, ends[1]
            low, middle, high = (100 * min(max(p, -WIDEST), WIDEST) for p in points)
            lost, gained = high < 0, low > 0
            color = SERIES[4] if lost else SERIES[2] if gained else INK
            ax.plot([low, high], [place, place], color=color, lw=2)
            marker = "o" if abs(points[1]) <= WIDEST else "<" if lost else ">"
            ax.plot([middle], [place], marker, color=color, ms=4)
            if marker != "o":  # above the line, towards the middle of the picture
                side, beside = ("left", (5, 1)) if lost else ("right", (-5, 1))
                style = {"ha": side, "xytext": beside, "textcoords": "offset points"}
                said = f"{100 * points[1]:+.0f}".replace("-", "\N{MINUS SIGN}")
                at = (middle, place)
                ax.annotate(said, at, color=color, fontsize=7, va="bottom", **style)
        names = [shorten(name, 44) for name in self.names]
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        arrows = f"\n(arrows: beyond {100 * WIDEST:.0f})" if ax.texts else ""
        ax.set_xlabel(f"gain over all features, percent{arrows}")
