"""What methods cost against how good they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from labelsieve.plots._display import Display
from labelsieve.plots._style import ACCENT, INK, MUTED, shorten

# Shorter times are drawn here.
SHORTEST = 1e-4
# The width of a letter and the height of a line of names, in points.
LETTER = 3.8
LINE = 7.0
# A name that is further from its point has a line to it.
NEAR = 12.0


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
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
        ax.xaxis.set_minor_formatter(lambda seconds, _: "")
        ax.set_xlabel("median processor seconds of a selection")
        ax.set_ylabel(self.what)
        for name, (seconds, loss) in points.items():
            color = ACCENT if name in front else MUTED
            ax.plot([seconds], [loss], "o", color=color, ms=4)
        ax.autoscale_view()
        self._name(ax, points, front)

    def _name(
        self, ax: Any, points: Mapping[str, tuple[float, float]], front: list[str]
    ) -> None:
        """Write the names beside the points, where nothing else stands."""
        scale = 72.0 / ax.figure.dpi
        centres = {
            name: scale * ax.transData.transform(point)
            for name, point in points.items()
        }
        left = scale * ax.bbox.x0
        taken = [(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in centres.values()]
        for name in [*front, *(name for name in points if name not in front)]:
            text, (x, y) = shorten(name), centres[name]
            width = LETTER * len(text)
            free = (
                (dx, dy)
                for dx, dy in _places(width)
                if x + dx > left
                and not any(
                    _overlap((x + dx, y + dy, x + dx + width, y + dy + LINE), other)
                    for other in taken
                )
            )
            dx, dy = next(free, (4.0, 3.0))
            taken.append((x + dx, y + dy, x + dx + width, y + dy + LINE))
            far = max(abs(dx + (width if dx < 0 else 0)), abs(dy)) > NEAR
            ax.annotate(
                text,
                points[name],
                xytext=(dx, dy),
                textcoords="offset points",
                fontsize=7,
                color=INK if name in front else MUTED,
                arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.4}
                if far
                else None,
            )


def _places(width: float) -> Iterator[tuple[float, float]]:
    """Where a name may stand beside its point, the nearest first."""
    for step in range(9):
        away = 3.0 + LINE * step
        for dx in (4.0 + 4.0 * step, -4.0 - 4.0 * step - width):
            yield dx, away
            yield dx, 2.0 - away - LINE


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    """Whether two boxes (left, low, right, high) have points in common."""
    return (
        one[0] < other[2]
        and other[0] < one[2]
        and one[1] < other[3]
        and other[1] < one[3]
    )
