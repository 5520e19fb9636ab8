"""Entries of the leaderboard that are not in the library: what others would run.

Each is a function of X, Y and a number of features that returns feature indices, best
first. Cells are not missing and labels are known: medians, and the more frequent value
of the label, stand for them.

    labelsieve leaderboard --entries benchmarks.entries
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import chi2, f_classif
from sklearn.linear_model import LogisticRegression, MultiTaskLasso

from labelsieve import FIMF
from labelsieve.discretization import Discretizer

# The names by which pages call them are those of the functions.
ENTRIES = (
    *("fastcan", "mrmr", "boruta", "l1_logistic", "multi_task_lasso"),
    *("summed_mi", "least_information", "chi2_summed", "chi2_largest"),
)
# The F statistic of classes that are separated is infinite.
MOST_F = 1e9
# A share of the smallest penalty with which no feature is left.
PENALTY = 0.05
BORUTA_TREES, BORUTA_ROUNDS = 30, 15


def summed_mi(X: Any, Y: Any, n: int) -> Any:
    """Mutual information with each label, summed."""
    return FIMF(1, n_labels=0).fit(X, Y).order_[:n]


def chi2_summed(X: Any, Y: Any, n: int) -> Any:
    """SelectKBest(chi2) of each label, the scores summed."""
    return _largest(_chi2_of_labels(X, Y).sum(axis=0), n)


def chi2_largest(X: Any, Y: Any, n: int) -> Any:
    """SelectKBest(chi2) of each label, the largest score."""
    return _largest(_chi2_of_labels(X, Y).max(axis=0), n)


def mrmr(X: Any, Y: Any, n: int) -> Any:
    """Relevance by redundancy (FCQ): mean F over labels by mean correlation."""
    table, varied = _standardized(X)
    relevance = _f_of_labels(table, Y).mean(axis=0)
    redundancy = np.zeros(len(relevance))
    picks: list[int] = []
    for _ in range(min(n, len(relevance))):
        # As in the package mrmr_selection: no correlation counts as less than .001.
        least = np.maximum(redundancy / max(len(picks), 1), 1e-3)
        scores = relevance / least if picks else relevance.copy()
        scores[picks] = -1.0
        picks.append(int(scores.argmax()))
        redundancy += np.abs(table.T @ table[:, picks[-1]]) / len(table)
    return varied[picks]


def boruta(X: Any, Y: Any, n: int) -> Any:
    """The package Boruta with a small forest, label sets as classes."""
    from boruta import BorutaPy

    classes = np.unique(Y, axis=0, return_inverse=True)[1].ravel()
    forest = RandomForestClassifier(BORUTA_TREES, max_depth=7, random_state=0)
    found = BorutaPy(
        forest, BORUTA_TREES, max_iter=BORUTA_ROUNDS, random_state=0, verbose=0
    )
    found.fit(_dense(X), classes)
    return np.argsort(found.ranking_, kind="stable")[:n]


def l1_logistic(X: Any, Y: Any, n: int) -> Any:
    """Logistic regression with an L1 penalty for each label, coefficients summed."""
    table, varied = _standardized(X)
    total = np.zeros(table.shape[1])
    for label in _varying(Y).T:
        model = LogisticRegression(l1_ratio=1.0, solver="liblinear", random_state=0)
        total += np.abs(model.fit(table, label).coef_[0])
    return varied[_largest(total, n)]


def multi_task_lasso(X: Any, Y: Any, n: int) -> Any:
    """The L2,1 penalty of scikit-learn; what it leaves out goes by its covariance."""
    table, varied = _standardized(X)
    labels = Y - Y.mean(axis=0)
    largest = np.linalg.norm(table.T @ labels, axis=1).max() / len(table)
    model = MultiTaskLasso(PENALTY * largest, max_iter=300, tol=1e-3).fit(table, labels)
    norms = np.linalg.norm(model.coef_, axis=0)
    rest = np.linalg.norm(table.T @ (labels - model.predict(table)), axis=1)
    return varied[np.lexsort((-rest, -norms))[:n]]


def _dense(X: Any) -> Any:
    return np.asarray(X.todense() if sp.issparse(X) else X, dtype=float)


def _standardized(X: Any) -> Any:
    """The features that vary, with mean 0 and deviation 1, and which they are."""
    table = _dense(X)
    varied = np.flatnonzero(table.std(axis=0) > 0)
    chosen = table[:, varied]
    return (chosen - chosen.mean(axis=0)) / chosen.std(axis=0), varied


def _f_of_labels(table: Any, Y: Any) -> Any:
    with np.errstate(all="ignore"):
        found = np.array([f_classif(table, label)[0] for label in _varying(Y).T])
    # Where classes are separated, nothing or a rounding error divides: any sign.
    found[found < 0] = np.inf
    return np.minimum(np.nan_to_num(found), MOST_F)


def _varying(Y: Any) -> Any:
    return Y[:, Y.min(axis=0) < Y.max(axis=0)]


def _chi2_of_labels(X: Any, Y: Any) -> Any:
    return np.nan_to_num([chi2(X, label)[0] for label in _varying(Y).T])


def _largest(scores: Any, n: int) -> Any:
    return np.argsort(-scores, kind="stable")[:n]


def fastcan(X: Any, Y: Any, n: int) -> Any:
    """The package fastcan: greedy by canonical correlation with all labels."""
    from fastcan import FastCan

    chosen, varied = _standardized(X)
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
