"""The greedy search that the information-theoretic selectors share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelsieve._progress import progress
from labelsieve._typing import FloatArray
from labelsieve.selectors._base import Ranking, best_of, rank_by_score


def pick_greedily(
    criterion: FloatArray,
    after_pick: Callable[[int], FloatArray],
    n_select: int,
    title: str,
    verbose: bool = False,
    worth_picking: Callable[[int], bool] | None = None,
) -> Ranking:
    """Pick the feature with the largest criterion, `n_select` times.

    `criterion` holds the values before the first pick; ``after_pick(feature)`` says
    what they are once a feature is chosen. A picked feature keeps the value of its
    pick as score, the others have their last one and follow in its order. The search
    ends early before a pick that is not ``worth_picking(feature)``, but not before
    the first.
    """
    n_features = criterion.size
    scores = criterion.copy()
    picked = np.zeros(n_features, dtype=bool)
    picks: list[int] = []
    for step in progress(range(n_select), title, verbose):
        pick = best_of(np.where(picked, -np.inf, criterion))
        if worth_picking is not None and picks and not worth_picking(pick):
            break
        picked[pick] = True
        picks.append(pick)
        scores[pick] = criterion[pick]
        if step + 1 < n_features:
            criterion = after_pick(pick)
    scores[~picked] = criterion[~picked]
    others = rank_by_score(np.where(picked, -np.inf, criterion))
    order = np.concatenate([picks, others[: n_features - len(picks)]])
    n_found = None if worth_picking is None else len(picks)
    return Ranking(scores, order.astype(np.int64), len(picks), n_found)
