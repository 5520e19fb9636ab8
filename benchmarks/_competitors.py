"""Selectors that are not in the library: what a user would run without it.

Each is a function of X, Y and a number of features that returns feature indices, best
first, as the leaderboard takes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import chi2

from labelsieve import FIMF
from labelsieve.discretization import Discretizer


def summed_mi(X: Any, Y: Any, n: int) -> Any:
    """Mutual information with each label, summed."""
    return FIMF(1, n_labels=0).fit(X, Y).order_[:n]


def chi2_summed(X: Any, Y: Any, n: int) -> Any:
    """SelectKBest(chi2) of each label, the scores summed."""
    return _largest(_chi2_of_labels(X, Y).sum(axis=0), n)


def chi2_largest(X: Any, Y: Any, n: int) -> Any:
    """SelectKBest(chi2) of each label, the largest score."""
    return _largest(_chi2_of_labels(X, Y).max(axis=0), n)


def _chi2_of_labels(X: Any, Y: Any) -> Any:
    varying = Y[:, Y.min(axis=0) < Y.max(axis=0)]
    return np.nan_to_num([chi2(X, label)[0] for label in varying.T])


def _largest(scores: Any, n: int) -> Any:
    return np.argsort(-scores, kind="stable")[:n]


def fastcan(X: Any, Y: Any, n: int) -> Any:
    """The package fastcan: greedy by canonical correlation with all labels."""
    from fastcan import FastCan

    table = np.asarray(X.todense() if sp.issparse(X) else X, dtype=float)
    varied = np.flatnonzero(table.std(axis=0) > 0)
    chosen = table[:, varied]
    chosen = (chosen - chosen.mean(axis=0)) / chosen.std(axis=0)
    for size in (n, 60, 30, 15, 8):  # it fails where nothing is left
        try:
            found = FastCan(min(size, varied.size), verbose=0).fit(chosen, Y * 1.0)
        except RuntimeError:
            continue
        first = varied[found.indices_]
        return np.concatenate([first, np.setdiff1d(varied, first)])[:n]
    raise RuntimeError("FastCan finds no 8 features")


def least_information(X: Any, Y: Any, n: int) -> Any:
    """Sum over labels of the least information given any chosen feature.

    Features and labels have two codes; information counts beyond what chance shows on
    average: one half of a row times nat for each degree of freedom.
    """
    codes = sp.csr_array(Discretizer(binning="quantile").fit_transform(X) != 0)
    codes = codes.astype(np.float64)
    labels = Y.astype(np.float64)
    given = _Strata(codes, labels)
    everything = np.arange(len(labels))
    least = np.maximum(given.information(everything) - 0.5, 0.0)
    picks: list[int] = []
    columns = codes.tocsc()
    for _ in range(min(n, codes.shape[1])):
        scores = least.sum(axis=1)
        scores[picks] = -1.0
        picks.append(int(scores.argmax()))
        start, end = columns.indptr[picks[-1] : picks[-1] + 2]
        rows = columns.indices[start:end]
        others = np.setdiff1d(everything, rows)
        both = given.information(rows) + given.information(others)
        np.minimum(least, np.maximum(both - 1.0, 0.0), out=least)
    return picks


class _Strata:
    """Information between all features and labels in some of the rows."""

    def __init__(self, codes: Any, labels: Any) -> None:
        self._codes, self._labels = codes, labels
        k = np.arange(len(labels) + 1, dtype=np.float64)
        self._k_log_k = k * np.log(np.maximum(k, 1.0))

    def information(self, rows: Any) -> Any:
        """(D, L) rows times nats."""
        codes, labels = self._codes[rows], self._labels[rows]
        joint = (codes.T @ labels).astype(np.int64)
        f = codes.sum(axis=0).astype(np.int64)[:, None]
        y = labels.sum(axis=0).astype(np.int64)[None, :]
        n, s = len(rows), self._k_log_k
        inside = s[joint] + s[f - joint] + s[y - joint] + s[n - f - y + joint]
        return inside - s[f] - s[n - f] - s[y] - s[n - y] + s[n]
