"""Pictures of selected features: their scores, relevance and redundancy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from labelsieve.plots._display import (
    ACCENT,
    INK,
    LONGEST_NAME,
    MUTED,
    SERIES,
    Display,
    draw_cells,
    name_rows,
)

MOST_BARS = 25
MOST_FEATURES = 25
MOST_LABELS = 16
# As many columns as have room for their numbers.
MOST_REPEATED = 12


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
        for term, bars in enumerate(ax.containers):
            for rank, bar in enumerate(bars, 1):
                bar.set_gid(f"rank-{rank}-bar{term}")
        name_rows(ax, self.names)
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
        how = {"color": INK, "ms": 3.5, "label": "score", "clip_on": False}
        ax.plot(self.scores, places, "o", **how)
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


class InformationDisplay(Display):
    """Heat map of features and labels: the share of a label's entropy that a
    feature explains.

    Parameters
    ----------
    shares : array-like of shape (n_features, n_labels)
        Mutual information divided by the label's entropy.
    feature_names, label_names : sequence of str
        The names.

    Examples
    --------
    >>> from labelsieve import PMU
    >>> from labelsieve.datasets import load_segments
    >>> from labelsieve.plots import InformationDisplay
    >>> data = load_segments()
    >>> sieve = PMU(3).fit(data.X, data.Y)
    >>> explanation = sieve.explain(data.X, data.Y, label_names=data.label_names)
    >>> InformationDisplay.from_explanation(explanation).shares.shape
    (3, 7)
    """

    def __init__(
        self,
        shares: ArrayLike,
        feature_names: Sequence[str],
        label_names: Sequence[str],
    ) -> None:
        self.shares = np.asarray(shares, dtype=np.float64)
        self.feature_names = list(feature_names)
        self.label_names = list(label_names)

    @classmethod
    def from_explanation(
        cls,
        explanation: Any,
        *,
        n_features: int = MOST_FEATURES,
        n_labels: int = MOST_LABELS,
    ) -> Self:
        """Show the best features and the labels they are most relevant for.

        Parameters
        ----------
        explanation : Explanation
            From a selector's `explain`.
        n_features, n_labels : int
            At most so many are shown.
        """
        shares = explanation.label_shares[:n_features]
        # First the most relevant label of each feature, then the second of each.
        told = np.argsort(-shares, axis=1, kind="stable").T.ravel()
        labels = sorted(list(dict.fromkeys(told.tolist()))[:n_labels])
        return cls(
            shares[:, labels],
            explanation.feature_names[:n_features],
            [explanation.label_names[label] for label in labels],
        )

    def _size(self) -> tuple[float, float]:
        longest = max(map(len, self.label_names), default=0)
        top = 0.25 if longest <= 2 else min(longest, LONGEST_NAME) * 0.065
        return 4.0, 0.6 + top + 0.2 * len(self.shares)

    def _draw(self, ax: Any) -> None:
        draw_cells(ax, self.shares, self.feature_names, self.label_names)


class RedundancyDisplay(Display):
    """Heat map among features: the share of a row's entropy that a column
    explains.

    Parameters
    ----------
    shares : array-like of shape (n_features, n_features)
        Mutual information divided by the entropy of the row's feature.
    names : sequence of str
        The features.

    Examples
    --------
    >>> from labelsieve.plots import RedundancyDisplay
    >>> display = RedundancyDisplay([[0, 0.5], [0.5, 0]], ["a", "b"])
    >>> display.to_svg(title="a and b").count("aria-label")
    1
    """

    def __init__(self, shares: ArrayLike, names: Sequence[str]) -> None:
        self.shares = np.asarray(shares, dtype=np.float64)
        self.names = list(names)

    @classmethod
    def from_explanation(
        cls, explanation: Any, *, n_features: int = MOST_REPEATED
    ) -> Self:
        """Show the best features of a selection.

        Parameters
        ----------
        explanation : Explanation
            From a selector's `explain`.
        n_features : int
            At most so many are shown.
        """
        shares = explanation.redundancy_shares[:n_features, :n_features]
        return cls(shares, explanation.feature_names[:n_features])

    def _size(self) -> tuple[float, float]:
        return 4.0, 0.85 + 0.2 * len(self.shares)

    def _draw(self, ax: Any) -> None:
        # Columns are the same features in the same order: their ranks are enough.
        ranks = [str(rank) for rank in range(1, len(self.names) + 1)]
        rows = [f"{rank}. {name}" for name, rank in zip(self.names, ranks, strict=True)]
        draw_cells(ax, self.shares, rows, ranks)


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
            corner = column - 0.46, row - 0.46
            box = Rectangle(corner, 0.92, 0.92, facecolor=color, alpha=alpha, lw=0)
            ax.add_patch(box)
            if rank:
                number = ax.text(
                    *(column, row, str(rank)),
                    ha="center",
                    va="center_baseline",
                    color="white",
                    fontsize=10,
                    fontweight="bold",
                )
                box.set_gid(f"rank-{rank}-pixel")
                number.set_gid(f"rank-{rank}-number")
        ax.set_xlim(-0.5, n_columns - 0.5)
        ax.set_ylim(n_rows - 0.5, -0.5)
        ax.set_aspect("equal")
        ax.set_axis_off()
