"""What all displays share: style, axes, tables of cells, and an SVG for pages."""

from __future__ import annotations

import io
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from labelsieve._utils.messages import need
from labelsieve._utils.typing import FloatArray

INK = "#1c2733"
MUTED = "#5b6876"
LINE = "#d5dbe2"
ACCENT = "#1d5fd0"
# Lines that can be told apart, also with colour-blind eyes and in print.
SERIES = (
    ACCENT,
    "#c2500a",
    "#0b7a4b",
    "#8a3ffc",
    "#b8195d",
    "#0b7285",
    "#7a5a00",
    "#515d6b",
)
MARKERS = "os^Dv<>P"

# In a page each colour is a variable of the style sheet, so that pictures follow the
# reader's light or dark scheme.
VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    **{color: f"var(--c{place})" for place, color in enumerate(SERIES, start=1)},
}

RC: dict[str, Any] = {
    "axes.edgecolor": LINE,
    "axes.grid": False,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.dpi": 100,
    # Fonts of a page may be wider than those that pictures are measured with.
    "figure.constrained_layout.w_pad": 0.1,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
    "svg.hashsalt": "labelsieve",
    "text.color": INK,
    # Names come from data: a dollar sign in them is no formula.
    "text.parse_math": False,
    "xtick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.color": LINE,
    "ytick.labelcolor": MUTED,
}

LONGEST_NAME = 24
# Numbers fit into the cells of a table that is not wider than this.
WIDEST_WITH_NUMBERS = 13


def shorten(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name that fits beside a picture; what differs is often at its end."""
    flat = " ".join(name.split())
    if len(flat) <= longest:
        return flat
    end = longest // 3
    return f"{flat[: longest - 1 - end]}…{flat[-end:]}"


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
        """Draw into axes, or into a new figure; return this display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
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
            What a screen reader says. Colours are variables of the style sheet.
        """
        return _inline(self.to_svg_file(), prefix, title)

    def to_svg_file(self) -> str:
        """Return the text of an SVG file, the same for the same data."""
        matplotlib = need("matplotlib", "a picture", "plots")
        from matplotlib.figure import Figure

        text = io.StringIO()
        with matplotlib.rc_context(RC), warnings.catch_warnings():
            # The reader's own fonts have the letters that matplotlib's lack.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure = Figure(figsize=self._size(), layout="constrained")
            self._draw_on(figure.add_subplot())
            # Saving would draw everything twice, once to lay it out.
            engine: Any = figure.get_layout_engine()
            engine.execute(figure)
            figure.set_layout_engine(None)
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
    for size in ("width", "height"):
        svg = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", svg, count=1)
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


def draw_cells(
    ax: Any, shares: FloatArray, rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Draw shares in [0, 1]: the more, the less transparent, on any background."""
    from matplotlib.collections import PolyCollection

    n_rows, n_columns = shares.shape
    top = max(float(shares.max(initial=0.0)), 1e-12)
    has_numbers = n_columns <= WIDEST_WITH_NUMBERS
    corners = np.array([[-0.46, -0.46], [0.46, -0.46], [0.46, 0.46], [-0.46, 0.46]])
    across = np.arange(n_columns)
    for row, cells in enumerate(np.maximum(shares, 0.0)):
        # By the root, so that small shares are seen on a dark page, too; at most so
        # much that the numbers stay readable. A patch for each cell would take longer.
        centres = np.stack([across, np.full(n_columns, row)], axis=1)
        alpha = 0.1 + 0.45 * (cells / top) ** 0.5
        boxes = PolyCollection(
            centres[:, np.newaxis] + corners, facecolors=ACCENT, alpha=alpha, lw=0
        )
        boxes.set(in_layout=False, gid=f"rank-{row + 1}-cells")
        ax.add_collection(boxes, autolim=False)
        for column in np.flatnonzero(has_numbers & (cells >= 0.005)).tolist():
            text, size = f"{100 * cells[column]:.0f}", 7 if n_columns <= 10 else 6
            style = {"ha": "center", "va": "center", "fontsize": size}
            number = ax.text(column, row, text, **style)
            number.set(in_layout=False, gid=f"rank-{row + 1}-{column}")
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(n_rows - 0.5, -0.5)
    longest = max((len(name) for name in columns), default=0)
    ax.set_xticks(range(n_columns), [shorten(name) for name in columns], fontsize=8)
    if longest > 2 or not has_numbers:
        ax.tick_params(axis="x", rotation=90)
    name_rows(ax, rows)
    ax.tick_params(length=0, bottom=False, top=False, labelbottom=False, labeltop=True)
    ax.spines[:].set_visible(False)


def name_rows(ax: Any, names: Sequence[str]) -> None:
    """Name the rows of a ranking; a page finds what belongs to a rank by its id."""
    ax.set_yticks(range(len(names)), [shorten(name) for name in names], fontsize=8)
    for row, label in enumerate(ax.get_yticklabels()):
        label.set_gid(f"rank-{row + 1}-name")
