"""The best features by their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import Display
from labelsieve.plots._style import ACCENT, INK, MUTED, SERIES, shorten

MOST_BARS = 25


class RankingDisplay(Display):
    """Scores of the best features as bars, or what the scores are made of.

    Parameters
    ----------
    names : sequence of str
        The features, best first.
    scores : array-like
        Their scores.
    terms : mapping of str to array-like, optional
        Terms that add up to the scores.
    what : str, default="score"
        What the bars are.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> from labelsieve.datasets import load_segments
    >>> from labelsieve.plots import RankingDisplay
    >>> data = load_segments()
    >>> sieve = PMU(3).fit(data.X, data.Y)
    >>> RankingDisplay.from_selector(sieve, data.feature_names).names
    ['4,1', '3,6', '5,3']
    """

    def __init__(
        self,
        names: Sequence[str],
        scores: ArrayLike,
        terms: Any = None,
        what: str = "score",
    ) -> None:
        self.what = what
        self.names = list(names)[:MOST_BARS]
        self.scores = np.asarray(scores, dtype=np.float64)[:MOST_BARS]
        self.terms = {
            name: np.asarray(term, dtype=np.float64)[:MOST_BARS]
            for name, term in (terms or {}).items()
        }

    @classmethod
    def from_selector(cls, selector: Any, names: Sequence[str] | None = None) -> Self:
        """Show the features that a fitted selector keeps.

        Parameters
        ----------
        selector : LabelSelector
            Fitted.
        names : sequence of str, optional
            The names of all features.
        """
        chosen = selector.order_[: int(selector.support_.sum())]
        if names is None:
            names = getattr(selector, "feature_names_in_", None)
        called = [f"x{i}" if names is None else str(names[i]) for i in chosen]
        return cls(called, selector.scores_[chosen])

    @classmethod
    def from_explanation(cls, explanation: Any) -> Self:
        """Show scores and their terms, where the method's terms add up to them."""
        terms = explanation.shown_terms
        adds_up = bool(terms) and np.allclose(
            sum(terms.values()), explanation.scores, atol=1e-9
        )
        names, scores = explanation.feature_names, explanation.scores
        return cls(names, scores, terms if adds_up else None)

    def _size(self) -> tuple[float, float]:
        return 4.0, 0.9 + 0.2 * len(self.names) + 0.18 * len(self.terms)

    def _draw(self, ax: Any) -> None:
        places = np.arange(len(self.names))
        if self.terms:
            self._draw_terms(ax, places)
        else:
            ax.barh(places, self.scores, height=0.7, color=ACCENT)
        ax.set_yticks(places, [shorten(name) for name in self.names], fontsize=8)
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x")
        ax.set_axisbelow(True)
        # Long numbers have room; letters of a page may be wider than matplotlib's.
        ax.locator_params(axis="x", nbins=4)
        ax.set_xlabel(self.what)

    def _draw_terms(self, ax: Any, places: Any) -> None:
        """Positive terms to the right, negative to the left, and a dot: their sum."""
        from matplotlib.transforms import ScaledTranslation

        right, left = np.zeros(places.size), np.zeros(places.size)
        for number, (name, term) in enumerate(self.terms.items()):
            color = SERIES[number % len(SERIES)]
            start = np.where(term >= 0, right, left)
            ax.barh(places, term, left=start, height=0.7, color=color, label=name)
            right += np.maximum(term, 0)
            left += np.minimum(term, 0)
        ax.plot(
            self.scores, places, "o", color=INK, ms=3.5, label="score", clip_on=False
        )
        ax.axvline(0, color=MUTED, lw=0.8)
        # Below the axis, as far as its numbers and title need: a title goes above.
        below = ScaledTranslation(0, -0.4, ax.figure.dpi_scale_trans)
        ax.legend(
            fontsize=8,
            loc="upper right",
            bbox_to_anchor=(1, 0),
            bbox_transform=ax.transAxes + below,
            ncols=2,
        )
