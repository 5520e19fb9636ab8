"""What the scores of Sieve are made of: replays its picks among themselves."""

from __future__ import annotations

import numpy as np

from labelsieve._plumbing.typing import FloatArray
from labelsieve.counting import Counts
from labelsieve.selectors._explain_base import Explained
from labelsieve.selectors.sieve import conditional as _conditional
from labelsieve.selectors.sieve.sieve import _Search


def sieve_terms(explained: Explained, counts: Counts) -> dict[str, FloatArray]:
    """What is new about labels, and what is told only together with an earlier pick.

    A pick does not depend on features that were never picked, but for the limit of
    significance, which counts all of them.
    """
    search = _Search(counts)
    search._given.limit = _limit(explained, counts)
    labels, together, nothing = (np.zeros(counts.n_features) for _ in range(3))
    for pick in range(counts.n_features):
        score = search.criterion()[pick]
        new = search._linear.uniqueness[pick]
        if score > 0.0:
            together[pick] = new * search._given.synergy[pick] / counts.n_rows
            labels[pick] = score - together[pick]
        else:
            nothing[pick] = score
        if pick + 1 < counts.n_features:
            search.after_pick(pick)
    found = {"new about labels": labels, "synergy": together}
    return {**found, "within chance": nothing} if nothing.any() else found


def _limit(explained: Explained, counts: Counts) -> float:
    n_indicators = float((explained.code(explained.features).n_codes - 1).sum())
    n_tests = n_indicators * n_indicators / 2 * len(counts.label_counts)
    return float(2.0 * np.log(2.0 * n_tests / _conditional.ERROR_RATE))
