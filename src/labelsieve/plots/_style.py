"""Colours and type of all pictures, and what they are called in a page's styles."""

from __future__ import annotations

from typing import Any

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


def shorten(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name that fits beside a picture; what differs is often at its end."""
    flat = " ".join(name.split())
    if len(flat) <= longest:
        return flat
    end = longest // 3
    return f"{flat[: longest - 1 - end]}…{flat[-end:]}"
