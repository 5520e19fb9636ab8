"""What methods cost against how good they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labelsieve.plots._display import Display
from labelsieve.plots._style import ACCENT, INK, MUTED, shorten

# Shorter times are drawn here.
SHORTEST = 1e-4


class TimeQualityDisplay(Display):
    """Seconds (logarithmic) against a loss, one point per method; left below is best.

    Parameters
    ----------
    points : mapping of str to (float, float)
        Seconds and loss of each method.
    what : str
        What the loss is.

    Examples
    --------
    >>> from labelsieve.plots import TimeQualityDisplay
    >>> points = {"a": (0.1, 0.02), "b": (1.0, 0.01), "c": (2.0, 0.03)}
    >>> TimeQualityDisplay(points, "regret").front
    ['a', 'b']
    """

    def __init__(self, points: Mapping[str, tuple[float, float]], what: str) -> None:
        self.points = dict(points)
        self.what = what

    @property
    def front(self) -> list[str]:
        """The methods that no other beats in both, fastest first."""
        found: list[str] = []
        for name, (_, loss) in sorted(self.points.items(), key=lambda item: item[1]):
            if not found or loss < self.points[found[-1]][1]:
                found.append(name)
        return found

    def _size(self) -> tuple[float, float]:
        return 7.0, 4.6

    def _draw(self, ax: Any) -> None:
        front = self.front
        # A clock may have seen nothing, for which a logarithmic axis has no place.
        points = {
            name: (max(seconds, SHORTEST), loss)
            for name, (seconds, loss) in self.points.items()
        }
        ax.plot(*zip(*(points[name] for name in front), strict=True), color=ACCENT)
        for name, (seconds, loss) in points.items():
            best = name in front
            ax.plot([seconds], [loss], "o", color=ACCENT if best else MUTED, ms=4)
            ax.annotate(
                shorten(name),
                (seconds, loss),
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=7,
                color=INK if best else MUTED,
            )
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
        ax.xaxis.set_minor_formatter(lambda seconds, _: "")
        ax.set_xlabel("median processor seconds of a selection")
        ax.set_ylabel(self.what)
