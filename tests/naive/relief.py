"""The ReliefF family, one row, class and neighbour at a time."""

from __future__ import annotations

import itertools

import numpy as np

from tests.naive.neighbors import nearest_first


def scale(X):
    """Values divided by their range; constant columns do not differ anyway."""
    span = X.max(axis=0) - X.min(axis=0)
    return X / np.where(span > 0, span, 1)


def nearest(X, i, candidates, k):
    """The k candidates with the smallest Manhattan distance to row i."""
    others = [j for j in candidates if j != i]
    distances = np.array([abs(X[i] - X[j]).sum() for j in others])
    return [others[place] for place in nearest_first(distances)[:k]]


def mean_difference(X, i, neighbors):
    if not neighbors:
        return np.zeros(X.shape[1])
    return np.mean([abs(X[i] - X[j]) for j in neighbors], axis=0)


def relieff(X, classes, k):
    X, classes = scale(X), np.asarray(classes)
    n = len(X)
    share = {c: np.mean(classes == c) for c in set(classes.tolist())}
    w = np.zeros(X.shape[1])
    for i in range(n):
        for c, p in share.items():
            near = nearest(X, i, np.flatnonzero(classes == c), k)
            own = c == classes[i]
            weight = -1.0 if own else p / (1 - share[classes[i]])
            w += weight * mean_difference(X, i, near) / n
    return w


def mlrf(X, Y, k, anchors=None):
    """All rows are compared with their neighbours, or some that stand for all."""
    return mlrf_of_scaled(scale(X), Y, k, anchors)


def mlrf_of_scaled(X, Y, k, anchors=None):
    Y = np.asarray(Y).astype(bool)
    anchors = np.arange(len(X)) if anchors is None else anchors
    w = np.zeros(X.shape[1])
    for a, b in itertools.combinations(range(Y.shape[1]), 2):
        sides = [np.flatnonzero(Y[:, a] & ~Y[:, b]), np.flatnonzero(Y[:, b] & ~Y[:, a])]
        if not all(map(len, sides)):
            continue
        for own, other in (sides, sides[::-1]):
            for i in np.intersect1d(own, anchors):
                hit = mean_difference(X, i, nearest(X, i, own, k))
                miss = mean_difference(X, i, nearest(X, i, other, k))
                w += (miss - hit) / (len(own) + len(other))
    return w * len(X) / len(anchors)


def relieff_ml(X, Y, k):
    X, Y = scale(X), np.asarray(Y)
    n_apart = n_pairs = 0.0
    differ, both = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in range(len(X)):
        for j in nearest(X, i, range(len(X)), k):
            apart = np.mean(Y[i] != Y[j])
            n_pairs += 1
            n_apart += apart
            differ += abs(X[i] - X[j])
            both += apart * abs(X[i] - X[j])
    first = both / n_apart if n_apart else 0.0
    second = (differ - both) / (n_pairs - n_apart) if n_pairs > n_apart else 0.0
    return first - second
