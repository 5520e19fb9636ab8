"""What is gained or lost against all features, for each judge and measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from labelsieve import sentences
from labelsieve.plots._display import Display
from labelsieve.plots._style import INK, LINE, MUTED, SERIES, shorten

SHOWN = (
    "micro_f1",
    "macro_f1",
    "average_precision",
    "hamming_loss",
    "subset_accuracy",
)
# What lies farther away is an arrow at the edge.
WIDEST = 1.5


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

    def __init__(
        self,
        names: Sequence[str],
        intervals: Sequence[tuple[float, float]],
        tolerance: float,
    ) -> None:
        self.names = list(names)
        self.intervals = list(intervals)
        self.tolerance = tolerance

    @classmethod
    def from_quality(cls, quality: Any, measures: Sequence[str] | None = None) -> Self:
        """Show some measures of all judges, by default five that differ in kind.

        Parameters
        ----------
        quality : Quality
            From :func:`labelsieve.choosing.measure_quality`.
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
                f"{sentences.judge_name(one.judge)}"
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
            ax.plot([middle], [place], _marker(points[1]), color=color, ms=4)
        names = [shorten(name, 44) for name in self.names]
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        beyond = any(_marker(sum(ends) / 2) != "o" for ends in self.intervals)
        arrows = f"\n(arrows: beyond {100 * WIDEST:.0f})" if beyond else ""
        ax.set_xlabel(f"gain over all features, percent{arrows}")


def _marker(gain: float) -> str:
    return "<" if gain < -WIDEST else ">" if gain > WIDEST else "o"
