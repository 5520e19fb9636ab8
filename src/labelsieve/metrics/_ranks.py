"""Ranking measures of every row, and whether they are defined there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """Ranks of the labels of every row, the worst place for all labels of a tie."""

    relevant: Flags  # [rows, labels] by ascending score
    n_at_or_above: npt.NDArray[np.int64]  # rank of each such label, 1 is the top
    n_relevant_at_or_above: npt.NDArray[np.int64]
    top_is_relevant: Flags  # [rows]
    n_labels: npt.NDArray[np.int64]  # [rows] that are known

    @property
    def n_relevant(self) -> npt.NDArray[np.int64]:
        return self.relevant.sum(axis=1)

    @property
    def n_pairs(self) -> npt.NDArray[np.int64]:
        return self.n_relevant * (self.n_labels - self.n_relevant)


def rank_labels(truth: Flags, scores: Floats) -> Ranks:
    """Rank the labels of every row by their scores; masked ones are left out."""
    n_labels = truth.shape[1]
    n_known = np.full(len(truth), n_labels)
    if isinstance(truth, np.ma.MaskedArray):
        unknown = np.ma.getmaskarray(truth)
        rows = ~unknown.all(axis=1)
        # What is not known is behind all others, where it moves none of them.
        scores = np.where(unknown, -np.inf, scores)[rows]
        n_known = n_labels - unknown[rows].sum(axis=1)
        truth = truth.filled(False)[rows]
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
    top = np.argmax(scores, axis=1)
    return Ranks(
        relevant,
        n_labels - below,
        so_far[:, -1:] - relevant_below,
        np.take_along_axis(truth, top[:, None], axis=1)[:, 0],
        n_known,
    )


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
    return 1.0 - ranks.top_is_relevant.astype(np.float64), ranks.n_pairs > 0


ROW_MEASURES = {
    "ranking_loss": _ranking_loss_rows,
    "coverage": _coverage_rows,
    "coverage_error": _coverage_error_rows,
    "average_precision": _average_precision_rows,
    "one_error": _one_error_rows,
}
