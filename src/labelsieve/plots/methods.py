"""Pictures of methods: ranks, and what time buys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import ACCENT, INK, MUTED, Display, shorten

# More methods need a wider picture, and an axis with fewer numbers.
MANY_METHODS, MOST_TICKS = 16, 12
# Names stand at both sides of the axis, and must leave it its room.
INCHES_OF_LETTER = 0.08
# Shorter times are drawn here.
SHORTEST = 1e-4


class CriticalDifferenceDisplay(Display):
    """Critical-difference diagram: bars join methods that do not differ.

    Parameters
    ----------
    names : sequence of str
        The methods.
    average_ranks : array-like
        Their average ranks over data sets; 1 is best.
    critical_difference : float
        Ranks that differ by more differ significantly.

    Examples
    --------
    >>> from labelsieve.plots import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay(["a", "b", "c"], [1.1, 1.9, 3.0], 1.0)
    >>> display.groups
    [(0, 1)]
    """

    def __init__(
        self, names: Sequence[str], average_ranks: ArrayLike, critical_difference: float
    ) -> None:
        ranks = np.asarray(average_ranks, dtype=np.float64)
        order = np.argsort(ranks, kind="stable")
        self.names = [names[place] for place in order]
        self.average_ranks = ranks[order]
        self.critical_difference = float(critical_difference)

    @property
    def groups(self) -> list[tuple[int, int]]:
        """First and last of each longest run of methods that do not differ."""
        ranks, found = self.average_ranks, []
        last = -1
        for first in range(len(ranks)):
            reach = ranks[first] + self.critical_difference
            end = int(np.searchsorted(ranks, reach, side="right")) - 1
            if end > first and end > last:
                found.append((first, end))
                last = end
        return found

    def _size(self) -> tuple[float, float]:
        half = (len(self.names) + 1) // 2
        least, axis = (4.0, 2.6) if len(self.names) <= MANY_METHODS else (7.5, 5.0)
        letters = [len(shorten(name)) for name in self.names]
        beside = max(letters[:half], default=0) + max(letters[half:], default=0)
        wide = max(least, axis + INCHES_OF_LETTER * beside)
        return wide, 0.75 + 0.22 * (half + 0.6 + 0.5 * len(self.groups))

    def _draw(self, ax: Any) -> None:
        n = len(self.names)
        ax.set_xlim(1, max(n, 2))
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.set_xlabel("average rank (1 is best)")
        step = -(-n // MOST_TICKS)
        ax.set_xticks([1, *range(max(step, 2), max(n, 2) + 1, step)])
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        ax.spines["top"].set_visible(True)
        ax.set_yticks([])
        depth = 0.6 + 0.5 * len(self.groups)
        for number, ends in enumerate(self.groups):
            low, high = self.average_ranks[list(ends)]
            y = 0.5 + 0.5 * number
            ax.plot([low - 0.04, high + 0.04], [y, y], color=ACCENT, lw=4)
        half = (n + 1) // 2
        for place, rank in enumerate(self.average_ranks):
            left = place < half
            level = depth + (place if left else n - 1 - place)
            edge = 1.0 if left else float(max(n, 2))
            ax.plot([rank, rank, edge], [0, level, level], color=MUTED, lw=0.8)
            ax.plot([rank], [0], "o", color=INK, ms=4, clip_on=False)
            ax.annotate(
                f"{shorten(self.names[place])}  {rank:.2f}",
                (edge, level),
                xytext=(-4 if left else 4, 0),
                textcoords="offset points",
                ha="right" if left else "left",
                va="center",
                fontsize=8,
                annotation_clip=False,
            )
        ax.set_ylim(depth + half - 0.5, 0)


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
        ax.plot(*zip(*points.values(), strict=True), "o", color=MUTED, ms=4)
        ax.plot(*np.array([points[name] for name in front]).T, "o-", color=ACCENT, ms=4)
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
        ax.xaxis.set_minor_formatter(lambda seconds, _: "")
        ax.set_xlabel("median processor seconds of a selection")
        ax.set_ylabel(self.what)
        taken: list[Any] = []
        for name in sorted(points, key=lambda name: name not in front):
            text = ax.annotate(
                shorten(name),
                points[name],
                xytext=(4, 3),
                textcoords="offset points",
                fontsize=7,
                color=INK if name in front else MUTED,
            )
            # Of names that would cover each other one is written: those in front first.
            place = text.get_window_extent()
            text.set_visible(not any(map(place.overlaps, taken)))
            taken += [place] if text.get_visible() else []
