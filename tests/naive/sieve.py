"""Sieve, straight from its formula: least squares and tables, feature by feature."""

import numpy as np

from tests.naive.information import (
    conditional_mutual_information,
    entropy,
    mutual_information,
)


def columns_of(feature, is_number):
    """Ranks of numbers; else one 0/1 column for each value but the most frequent."""
    if is_number:
        n, ascending = len(feature), np.sort(feature)
        cuts = [ascending[-(-k * n // 64) - 1] for k in range(1, 64)]
        return np.array(
            [[sum(c < x for c in cuts) + sum(c <= x for c in cuts)] for x in feature]
        )
    values, counts = np.unique(feature, return_counts=True)
    return np.column_stack([feature == v for v in np.delete(values, counts.argmax())])


def residual(targets, regressors):
    design = np.column_stack([np.ones(len(targets)), regressors])
    return targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]


def half_share(columns, label, chosen, chance):
    """n/2 times the share of a label's variance explained beyond the chosen columns."""
    values = np.unique(label)
    targets = np.column_stack([label == v for v in values]).astype(float)
    left = residual(columns.astype(float), chosen)
    before = residual(targets, chosen)
    explained = (before**2).sum() - (residual(before, left) ** 2).sum()
    free = values.size - 1
    share = explained / targets.var(axis=0).sum()
    return free * share / 2 - chance * free * np.linalg.matrix_rank(left)


def freedom(f, label, given):
    total = 0
    for value in np.unique(given):
        rows = given == value
        total += (np.unique(f[rows]).size - 1) * (np.unique(label[rows]).size - 1)
    return total


def criterion(X, Y, f, picks, numbers=(), weights=None):
    """J of a feature, without what it tells only together with a pick."""
    n, one = len(X), np.zeros(len(X), dtype=int)
    chance = max(1.0, np.log(X.shape[1] / n))
    own = columns_of(X[:, f], f in numbers)
    chosen = [np.empty((n, 0)), *(columns_of(X[:, s], s in numbers) for s in picks)]
    total = 0.0
    for place, label in enumerate(Y.T):
        views = [half_share(own, label, np.column_stack(chosen), chance)]
        views.append(half_share(own, label, chosen[0], chance))
        if f not in numbers:
            views[1] = n * mutual_information(X[:, f], label)
            views[1] -= chance * freedom(X[:, f], label, one)
            for s in set(picks) - set(numbers):
                told = n * conditional_mutual_information(X[:, f], label, X[:, s])
                views.append(told - chance * freedom(X[:, f], label, X[:, s]))
        p = np.unique(label, return_counts=True)[1] / n
        weight = (p * (1 - p)).sum() / 2 if weights is None else weights[place]
        total += weight / entropy(label) * max(min(views), 0.0) / n
    return total
