"""Ranking measures of every sample, and whether they are defined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# How many labels on top are looked at.
PLACES = (1, 3, 5)


@dataclass(frozen=True)
class Ranks:
    """Ranks of the labels of every row, the worst place for all labels of a tie."""

    relevant: Flags  # [rows, labels] by ascending score
    n_at_or_above: npt.NDArray[np.int64]  # rank of each such label, 1 is the top
    n_relevant_at_or_above: npt.NDArray[np.int64]
    on_top: Flags  # [rows, places] the best labels, the first of equals before others
    n_labels: npt.NDArray[np.int64]  # [rows] that are known

    @property
    def n_relevant(self) -> npt.NDArray[np.int64]:
        return self.relevant.sum(axis=1)

    @property
    def n_pairs(self) -> npt.NDArray[np.int64]:
        return self.n_relevant * (self.n_labels - self.n_relevant)


def rank_labels(truth: Flags, scores: Floats, n_top: int = max(PLACES)) -> Ranks:
    """Rank the labels of every row by their scores; masked ones are left out."""
    truth, scores = known_first(truth, scores)
    n_labels = truth.shape[1]
    order = np.argsort(scores, axis=1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=1)
    relevant = np.take_along_axis(truth, order, axis=1)
    # The first place of each run of equal scores: so many labels are strictly below.
    starts = np.ones(truth.shape, dtype=bool)
    starts[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    below = np.maximum.accumulate(np.where(starts, np.arange(n_labels), 0), axis=1)
    so_far = np.cumsum(relevant, axis=1)
    relevant_below: npt.NDArray[np.int64] = np.take_along_axis(
        so_far - relevant, below, axis=1
    )
    top = best_labels(scores, n_top)
    return Ranks(
        relevant,
        n_labels - below,
        so_far[:, -1:] - relevant_below,
        np.take_along_axis(truth, top, axis=1),
        (scores > -np.inf).sum(axis=1),
    )


def known_first(truth: Flags, scores: Floats) -> tuple[Flags, Floats]:
    """The rows in which a label is known; labels that are not score -inf, below all.

    There they are false and move no other label.
    """
    if not isinstance(truth, np.ma.MaskedArray):
        return truth, scores
    unknown = np.ma.getmaskarray(truth)
    rows = ~unknown.all(axis=1)
    return truth.filled(False)[rows], np.where(unknown, -np.inf, scores)[rows]


def best_labels(scores: Floats, k: int) -> npt.NDArray[np.intp]:
    """The k best labels of every row, best first, of equal ones the first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def propensity_scored(
    truth: Flags, scores: Floats, k: int, propensities: npt.ArrayLike
) -> float:
    """Inverse propensities of the hits among the k on top, over the most there is."""
    worth = 1.0 / np.asarray(propensities, dtype=np.float64)
    if worth.shape != truth.shape[1:]:
        raise ValueError(
            f"propensities have shape {worth.shape}, expected one for each of the "
            f"{truth.shape[1]} labels."
        )
    top = best_labels(scores, k)
    hits = np.take_along_axis(truth, top, axis=1)
    best = -np.sort(-np.where(truth, worth, 0.0), axis=1)[:, : top.shape[1]]
    most = best.sum()
    return float((worth[top] * hits).sum() / most) if most else float("nan")


def _ranking_loss_rows(ranks: Ranks) -> tuple[Floats, Flags]:
    irrelevant_above = ranks.n_at_or_above - ranks.n_relevant_at_or_above
    wrong = (irrelevant_above * ranks.relevant).sum(axis=1)
    return wrong / np.maximum(ranks.n_pairs, 1), ranks.n_pairs > 0


def _coverage_error_rows(ranks: Ranks) -> tuple[Floats, Flags]:
    last = (ranks.n_at_or_above * ranks.relevant).max(axis=1)
    return last.astype(np.float64), ranks.n_relevant > 0


def _coverage_rows(ranks: Ranks) -> tuple[Floats, Flags]:
    last, defined = _coverage_error_rows(ranks)
    return np.maximum(last - 1.0, 0.0), defined


def _average_precision_rows(ranks: Ranks) -> tuple[Floats, Flags]:
    precision = ranks.n_relevant_at_or_above / ranks.n_at_or_above
    total = (precision * ranks.relevant).sum(axis=1)
    mean = total / np.maximum(ranks.n_relevant, 1)
    return np.where(ranks.n_pairs > 0, mean, 1.0), ranks.n_pairs > 0


def _one_error_rows(ranks: Ranks) -> tuple[Floats, Flags]:
    return 1.0 - ranks.on_top[:, 0].astype(np.float64), ranks.n_pairs > 0


def precision_rows(k: int, ranks: Ranks) -> tuple[Floats, Flags]:
    """Share of hits among the k labels on top; places beyond the last have none."""
    hits = ranks.on_top[:, :k]
    return np.asarray(hits.sum(axis=1) / k), ranks.n_relevant > 0


def gain_rows(k: int, ranks: Ranks) -> tuple[Floats, Flags]:
    """Discounted gain of the k labels on top, as a share of the best; 0 without any."""
    hits = ranks.on_top[:, :k]
    gains = 1.0 / np.log2(np.arange(2, hits.shape[1] + 2))
    best = np.append(0.0, np.cumsum(gains))[np.minimum(ranks.n_relevant, hits.shape[1])]
    gained = np.where(hits, gains, 0.0).sum(axis=1)
    share = np.divide(gained, best, out=np.zeros(len(hits)), where=best > 0)
    return share, ranks.n_relevant > 0


ROW_MEASURES: dict[str, Callable[[Ranks], tuple[Floats, Flags]]] = {
    "ranking_loss": _ranking_loss_rows,
    "coverage": _coverage_rows,
    "coverage_error": _coverage_error_rows,
    "average_precision": _average_precision_rows,
    "one_error": _one_error_rows,
    **{f"precision_at_{k}": partial(precision_rows, k) for k in PLACES},
    **{f"ndcg_at_{k}": partial(gain_rows, k) for k in PLACES},
}


def label_auc(truth: Flags, scores: Floats) -> tuple[Floats, Flags]:
    """AUC of every label over the rows, and whether it has rows of both kinds.

    A pair of rows in the right order counts 1, of equal scores one half.
    """
    worse, defined = _ranking_loss_rows(rank_labels(truth.T, scores.T))
    no_worse, _ = _ranking_loss_rows(rank_labels(truth.T, -scores.T))
    return (1.0 - worse + no_worse) / 2, defined
