"""The greedy search that the information-theoretic selectors share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from labelsieve._plumbing.progress import progress
from labelsieve._plumbing.typing import FloatArray
from labelsieve.counting import CORRECTIONS, Correction
from labelsieve.selectors._base import Ranking, best_of, rank_by_score
from labelsieve.selectors._information import InformationSelector


class GreedySelector(InformationSelector):
    """Base of the selectors that pick by sums of information, corrected if wanted."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **InformationSelector._parameter_constraints,
        "correction": [None, StrOptions({*CORRECTIONS})],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float = 0.1,
        *,
        n_bins: int = 2,
        binning: str = "quantile",
        correction: Correction | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.binning = binning
        self.correction = correction
        self.n_jobs = n_jobs
        self.verbose = verbose


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
