"""The picture of seconds against size, and how they grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import MARKERS, SERIES, Display, shorten


class RuntimeDisplay(Display):
    """Seconds against size, both on logarithmic axes, one line per method.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        The sizes.
    seconds : mapping of str to array-like of shape (n_sizes,)
        The run times, by method; NaN where a method did not run.
    what : str
        What the sizes are.

    Examples
    --------
    >>> from benchmarks._runtime import RuntimeDisplay
    >>> display = RuntimeDisplay([100, 1000], {"fimf": [0.01, 0.1]}, "features")
    >>> display.slopes
    {'fimf': 1.0}
    """

    def __init__(
        self, sizes: ArrayLike, seconds: Mapping[str, ArrayLike], what: str
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=np.float64)
        self.seconds = {
            name: np.asarray(values, dtype=np.float64)
            for name, values in seconds.items()
        }
        self.what = what

    @property
    def slopes(self) -> dict[str, float]:
        """The exponent of growth: 1 is linear, 2 quadratic; NaN with one size."""
        found = {}
        for name, seconds in self.seconds.items():
            known = np.isfinite(seconds) & (seconds > 0) & (self.sizes > 0)
            x, y = np.log(self.sizes[known]), np.log(seconds[known])
            several = np.unique(x).size > 1
            found[name] = round(float(np.polyfit(x, y, 1)[0]), 6) if several else np.nan
        return found

    def _draw(self, ax: Any) -> None:
        order = np.argsort(self.sizes, kind="stable")
        for place, (name, values) in enumerate(self.seconds.items()):
            ax.plot(
                self.sizes[order],
                values[order],
                color=SERIES[place % len(SERIES)],
                marker=MARKERS[place % len(MARKERS)],
                ms=3.5,
                label=shorten(name),
            )
        ax.set_xscale("log")
        ax.set_yscale("log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda value, _: "")
        ax.set_xlabel(self.what)
        ax.set_title("seconds")
        ax.grid(axis="y")
        ax.legend(fontsize=8)
