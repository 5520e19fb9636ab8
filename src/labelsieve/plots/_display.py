"""What all displays share: axes, style, and an SVG for pages."""

from __future__ import annotations

import io
import re
import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

from labelsieve._plumbing.extras import need
from labelsieve.plots._style import RC, VARIABLES


class Display(ABC):
    """Base of all displays: data in, `plot` draws, `to_svg` writes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the last `plot` drew.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        display : object
            This display, with `ax_` and `figure_`.
        """
        matplotlib = need("matplotlib", "a picture", "plots")
        figure = None
        if ax is None:
            # Outside our style: who imports pyplot first decides about the backend.
            from matplotlib import pyplot

            # A page may be light or dark; a window or a file is white.
            figure = pyplot.figure(
                figsize=self._size(), layout="constrained", facecolor="white"
            )
        with matplotlib.rc_context(RC):
            self._draw_on(ax if figure is None else figure.add_subplot())
        return self

    def to_svg(self, prefix: str = "", title: str = "") -> str:
        """Return an SVG element whose text is text, to stand inside an HTML page.

        Parameters
        ----------
        prefix : str
            Put before all ids, so that several pictures can share a page.
        title : str
            What a screen reader says.

        Returns
        -------
        svg : str
            The element; colours are variables of the page's style sheet.
        """
        return _inline(self.to_svg_file(), prefix, title)

    def to_svg_file(self) -> str:
        """Return the text of an SVG file, the same for the same data.

        Returns
        -------
        svg : str
            A document of its own.
        """
        matplotlib = need("matplotlib", "a picture", "plots")
        from matplotlib.figure import Figure

        text = io.StringIO()
        with matplotlib.rc_context(RC), warnings.catch_warnings():
            # The reader's own fonts have the letters that matplotlib's lack.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure = Figure(figsize=self._size(), layout="constrained")
            self._draw_on(figure.add_subplot())
            figure.savefig(text, format="svg", metadata={"Date": None})
        return text.getvalue()

    def _draw_on(self, ax: Any) -> None:
        self.ax_ = ax
        self.figure_ = ax.figure
        self._draw(ax)

    def _size(self) -> tuple[float, float]:
        """Width and height in inches: text stays readable when a phone shrinks it."""
        return 4.0, 3.0

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the data."""


def _inline(svg: str, prefix: str, title: str) -> str:
    from html import escape

    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    for mark in (' id="', "url(#", ' href="#'):
        svg = svg.replace(mark, f"{mark}{prefix}")
    for color, variable in VARIABLES.items():
        svg = svg.replace(color, variable)
    label = escape(title, quote=True)
    # Fonts of the page, not those the picture was measured with.
    svg = re.sub(r"'DejaVu Sans'[^;\"]*", "inherit", svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
