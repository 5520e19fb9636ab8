"""Selected pixels on the picture they were selected from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import Display
from labelsieve.plots._style import ACCENT, MUTED


class PixelDisplay(Display):
    """Selected pixels, numbered by rank, on the average picture.

    Parameters
    ----------
    order : sequence of int
        The selected pixels, best first, counted along the rows.
    shape : (int, int)
        Rows and columns of the picture.
    background : array-like, optional
        A value for each pixel, such as its mean.

    Examples
    --------
    >>> from labelsieve.plots import PixelDisplay
    >>> PixelDisplay([3, 0], (2, 2)).ranks
    array([[2, 0],
           [0, 1]])
    """

    def __init__(
        self,
        order: Sequence[int],
        shape: tuple[int, int],
        background: ArrayLike | None = None,
    ) -> None:
        ranks = np.zeros(shape[0] * shape[1], dtype=np.int64)
        ranks[np.asarray(order)] = np.arange(1, len(order) + 1)
        self.ranks = ranks.reshape(shape)
        values = np.zeros(shape) if background is None else np.asarray(background)
        self.background = np.asarray(values, dtype=np.float64).reshape(shape)

    def _size(self) -> tuple[float, float]:
        n_rows, n_columns = self.ranks.shape
        return 3.2, 3.2 * n_rows / n_columns

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Rectangle

        n_rows, n_columns = self.ranks.shape
        top = float(self.background.max(initial=0.0)) or 1.0
        for (row, column), rank in np.ndenumerate(self.ranks):
            shade = 0.08 + 0.5 * float(self.background[row, column]) / top
            color, alpha = (ACCENT, 0.95) if rank else (MUTED, shade)
            corner = (column - 0.46, row - 0.46)
            ax.add_patch(
                Rectangle(corner, 0.92, 0.92, facecolor=color, alpha=alpha, lw=0)
            )
            if rank:
                ax.text(
                    *(column, row, str(rank)),
                    ha="center",
                    va="center_baseline",
                    color="white",
                    fontsize=10,
                    fontweight="bold",
                )
        ax.set_xlim(-0.5, n_columns - 0.5)
        ax.set_ylim(n_rows - 0.5, -0.5)
        ax.set_aspect("equal")
        ax.set_axis_off()
