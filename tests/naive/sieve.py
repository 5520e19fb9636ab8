"""Sieve, straight from its formula: least squares and tables, feature by feature."""

import numpy as np
from scipy import stats

from tests.naive import information


def columns_of(feature, is_number):
    """Scores of numbers; else one 0/1 column for each value but the most frequent."""
    if is_number:
        cuts = np.sort(feature)[[-(-k * len(feature) // 64) - 1 for k in range(1, 64)]]
        ranks = np.array([[(cuts < x).sum() + (cuts <= x).sum()] for x in feature])
        return np.rint(52 * stats.norm.ppf((ranks + 1) / 128)) + 126
    values, counts = np.unique(feature, return_counts=True)
    return np.column_stack([feature == v for v in np.delete(values, counts.argmax())])


def residual(targets, regressors):
    design = np.column_stack([np.ones(len(targets)), regressors])
    return targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]


def half_share(columns, label, chosen, chance):
    """n/2 times the share of a label that is explained beyond the chosen columns."""
    targets = np.column_stack([label == v for v in np.unique(label)]).astype(float)
    left, before = residual(columns.astype(float), chosen), residual(targets, chosen)
    explained = (before**2).sum() - (residual(before, left) ** 2).sum()
    free = targets.shape[1] - 1
    share = explained / targets.var(axis=0).sum()
    return free * (share / 2 - chance * np.linalg.matrix_rank(left))


def told(f, label, given, chance):
    """n I(f; label | given) less chance, once for each degree of freedom."""
    groups = [given == value for value in np.unique(given)]
    free = [(np.unique(f[g]).size - 1) * (np.unique(label[g]).size - 1) for g in groups]
    n_told = len(f) * information.conditional_mutual_information(f, label, given)
    return n_told - chance * sum(free)


def criterion(X, Y, f, picks, numbers=(), weights=None):
    """J of a feature, without what it tells only together with a pick."""
    n, chance = len(X), 1.0
    own, nothing = columns_of(X[:, f], f in numbers), np.empty((n, 0))
    chosen = [columns_of(X[:, s], s in numbers) for s in picks]
    total = 0.0
    for place, label in enumerate(Y.T):
        views = [half_share(own, label, np.column_stack([nothing, *chosen]), chance)]
        for s, given in [(None, nothing), *zip(picks, chosen, strict=True)]:
            if f in numbers or s in numbers:
                views.append(half_share(own, label, given, chance))
            else:
                beside = np.zeros(n) if s is None else X[:, s]
                views.append(told(X[:, f], label, beside, chance))
        p = np.unique(label, return_counts=True)[1] / n
        weight = (p * (1 - p)).sum() / 2 if weights is None else weights[place]
        least = max(min(views), 0.0) / n
        total += weight / information.entropy(label) * least
    return total
