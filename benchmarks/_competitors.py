"""What a user would run without this library, and a first try at a better criterion."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, chi2
from sklearn.linear_model import MultiTaskLasso, Ridge

from labelsieve import FIMF
from labelsieve.counting import Counts, choose_source
from labelsieve.discretization import code_features, code_labels, find_cuts
from labelsieve.reading.features import Features
from labelsieve.reading.labels import read_labels
from labelsieve.selectors.sieve.conditional import Conditional

N = 100


def summed_information(X: Any, Y: Any) -> Any:
    return FIMF(1, n_labels=0).fit(X, Y).order_[:N]


def chi_squared(X: Any, Y: Any) -> Any:
    table = dense(X)
    scores = chi2(table - table.min(axis=0), Y)[0]
    return np.argsort(-np.nan_to_num(scores), kind="stable")[:N]


def extra_trees(X: Any, Y: Any) -> Any:
    forest = ExtraTreesClassifier(100, random_state=0).fit(X, Y)
    return np.argsort(-forest.feature_importances_, kind="stable")[:N]


def recursive_elimination(X: Any, Y: Any) -> Any:
    (table,) = standardized(dense(X))
    search = RFE(Ridge(), n_features_to_select=10, step=0.05).fit(table, Y)
    weight = np.zeros(X.shape[1])
    weight[search.support_] = np.abs(np.atleast_2d(search.estimator_.coef_)).sum(axis=0)
    return np.lexsort((-weight, search.ranking_))[:N]


def lasso_rows(X: Any, Y: Any) -> Any:
    (table,) = standardized(dense(X))
    target = Y - Y.mean(axis=0)
    most = np.linalg.norm(table.T @ target, axis=1).max() / len(table)
    lasso = MultiTaskLasso(alpha=0.05 * most, max_iter=100, tol=1e-2)
    weights = lasso.fit(table, target).coef_
    return np.argsort(-np.linalg.norm(weights, axis=0), kind="stable")[:N]


def fast_can(X: Any, Y: Any) -> Any:
    from fastcan import FastCan

    table = dense(X)
    varied = np.flatnonzero(table.std(axis=0) > 0)
    for n in (min(N, varied.size), 60, 30, 15):  # it fails where nothing is left
        try:
            found = FastCan(n, verbose=0).fit(
                standardized(table[:, varied])[0], Y * 1.0
            )
        except RuntimeError:
            continue
        first = varied[found.indices_]
        return np.concatenate([first, np.setdiff1d(varied, first)])[:N]
    raise RuntimeError("FastCan finds no 15 features")


def first_try(X: Any, Y: Any) -> Any:
    """Sum over labels of the least conditional information, less its mean bias."""
    features = Features(X)
    coded = code_features(features, find_cuts(features, 2, "quantile"))
    labels = code_labels(read_labels(Y, X))
    counts = Counts(coded, labels, choose_source(coded, labels, labels))
    given = Conditional(counts, strict=1.0)
    picks: list[int] = []
    for _ in range(min(N, counts.n_features)):
        scores = given.least.sum(axis=0)
        scores[picks] = -1.0
        picks.append(int(scores.argmax()))
        given.choose(picks[-1])
    return coded.kept[picks]


def at_random(X: Any, Y: Any) -> Any:
    return np.random.default_rng(0).permutation(X.shape[1])[:N]


def dense(X: Any) -> Any:
    return np.asarray(X.todense() if sp.issparse(X) else X, dtype=float)


def standardized(train: Any, *others: Any) -> list[Any]:
    """Centre and scale all tables by the first."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return [(table - mean) / scale for table in (train, *others)]


COMPETITORS = {
    "random": at_random,
    "summed MI": summed_information,
    "chi2": chi_squared,
    "first try": first_try,
    "l1 rows": lasso_rows,
    "fastcan": fast_can,
    "RFE ridge": recursive_elimination,
    "ExtraTrees": extra_trees,
}
