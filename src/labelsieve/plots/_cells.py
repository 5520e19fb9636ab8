"""A table of cells, shaded by how much they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from labelsieve._plumbing.typing import FloatArray
from labelsieve.plots._style import ACCENT, shorten

# Numbers fit into the cells of a table that is not wider than this.
WIDEST_WITH_NUMBERS = 13


def draw_cells(
    ax: Any, shares: FloatArray, rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Draw shares in [0, 1]: the more, the less transparent, on any background."""
    n_rows, n_columns = shares.shape
    top = max(float(shares.max(initial=0.0)), 1e-12)
    red, green, blue = to_rgb(ACCENT)
    for row in range(n_rows):
        for column in range(n_columns):
            # By the root, so that small shares are seen on a dark page, too; at most
            # so much that the numbers stay readable.
            shade = 0.1 + 0.45 * (max(shares[row, column], 0.0) / top) ** 0.5
            ax.add_patch(_cell(row, column, (red, green, blue, shade)))
    if n_columns <= WIDEST_WITH_NUMBERS:
        _write_numbers(ax, shares)
    ax.set_xlim(-0.5, n_columns - 0.5)
    ax.set_ylim(n_rows - 0.5, -0.5)
    longest = max((len(name) for name in columns), default=0)
    ax.set_xticks(range(n_columns), [shorten(name) for name in columns], fontsize=8)
    if longest > 2 or n_columns > WIDEST_WITH_NUMBERS:
        ax.tick_params(axis="x", rotation=90)
    ax.set_yticks(range(n_rows), [shorten(name) for name in rows], fontsize=8)
    ax.tick_params(length=0, bottom=False, top=False, labelbottom=False, labeltop=True)
    for side in ax.spines.values():
        side.set_visible(False)


def _cell(row: int, column: int, color: tuple[float, ...]) -> Any:
    return Rectangle(
        (column - 0.47, row - 0.46), 0.94, 0.92, facecolor=color, linewidth=0
    )


def _write_numbers(ax: Any, shares: FloatArray) -> None:
    size = 7 if shares.shape[1] <= 10 else 6
    for (row, column), share in np.ndenumerate(shares):
        if share >= 0.005:
            text = f"{100 * share:.0f}"
            ax.text(column, row, text, ha="center", va="center", fontsize=size)
