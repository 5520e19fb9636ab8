"""Average ranks of methods, and which of them differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import Display
from labelsieve.plots._style import ACCENT, INK, MUTED, shorten

# More methods need a wider picture, and an axis with fewer numbers.
MANY_METHODS, MOST_TICKS = 16, 12
# Names stand at both sides of the axis, and must leave it its room.
INCHES_OF_LETTER = 0.08


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
        self,
        names: Sequence[str],
        average_ranks: ArrayLike,
        critical_difference: float,
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
        few = len(self.names) <= MANY_METHODS
        names = [shorten(name) for name in self.names]
        beside = sum(
            max(map(len, side), default=0) for side in (names[:half], names[half:])
        )
        wide = max(
            4.0 if few else 7.5, (2.6 if few else 5.0) + INCHES_OF_LETTER * beside
        )
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
        self._draw_groups(ax)
        half = (n + 1) // 2
        for place, (name, rank) in enumerate(
            zip(self.names, self.average_ranks, strict=True)
        ):
            left = place < half
            level = depth + (place if left else n - 1 - place)
            self._draw_method(ax, name, rank, level, left)
        ax.set_ylim(depth + half - 0.5, 0)

    def _draw_groups(self, ax: Any) -> None:
        for level, (first, last) in enumerate(self.groups):
            low, high = self.average_ranks[[first, last]]
            y = 0.5 + 0.5 * level
            ax.plot([low - 0.04, high + 0.04], [y, y], color=ACCENT, lw=4)

    def _draw_method(
        self, ax: Any, name: str, rank: float, level: float, left: bool
    ) -> None:
        edge = 1.0 if left else float(max(len(self.names), 2))
        ax.plot([rank, rank, edge], [0, level, level], color=MUTED, lw=0.8)
        ax.plot([rank], [0], "o", color=INK, ms=4, clip_on=False)
        text = f"{shorten(name)}  {rank:.2f}"
        ax.annotate(
            text,
            (edge, level),
            xytext=(-4 if left else 4, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=8,
            annotation_clip=False,
        )
