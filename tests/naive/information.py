"""Entropies and the information-theoretic selectors, straight from their formulas."""

from collections import Counter
from itertools import combinations
from math import log

import numpy as np


def entropy(*columns):
    n = len(columns[0])
    cells = Counter(zip(*(np.asarray(c).tolist() for c in columns), strict=True))
    return -sum(k / n * log(k / n) for k in cells.values())


def mutual_information(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def interaction_information(a, b, c):
    alone = entropy(a) + entropy(b) + entropy(c)
    pairs = entropy(a, b) + entropy(a, c) + entropy(b, c)
    return alone - pairs + entropy(a, b, c)


def conditional_mutual_information(a, b, c):
    return entropy(a, c) + entropy(b, c) - entropy(c) - entropy(a, b, c)


def relevance(X, Y):
    return [sum(mutual_information(f, label) for label in Y.T) for f in X.T]


def label_pairs(X, Y):
    return [
        sum(interaction_information(f, a, b) for a, b in combinations(Y.T, 2))
        for f in X.T
    ]


def pmu(X, Y, n_picks, times=1):
    """The picks, J of each pick, and J of all features after the last pick."""
    J = np.array(relevance(X, Y)) - times * np.array(label_pairs(X, Y))
    picks, values = [], []
    for _ in range(n_picks):
        open_features = [f for f in range(X.shape[1]) if f not in picks]
        best = max(J[f] for f in open_features)
        pick = next(
            f for f in open_features if J[f] >= best - 1e-12 * max(1, abs(best))
        )
        picks.append(pick)
        values.append(J[pick])
        for f in range(X.shape[1]):
            J[f] -= sum(interaction_information(X[:, f], X[:, pick], y) for y in Y.T)
    return picks, values, J


def fimf(X, Y, n_labels):
    # Rounded, because the entropies of 3 + 2 + 1 and 1 + 2 + 3 rows are the same.
    entropies = [round(entropy(label), 12) for label in Y.T]
    by_entropy = sorted(range(Y.shape[1]), key=lambda j: (-entropies[j], j))
    promising = by_entropy[:n_labels]
    return np.array(relevance(X, Y)) - np.array(label_pairs(X, Y[:, promising]))


def information_matrix(X):
    return np.array([[mutual_information(f, g) for g in X.T] for f in X.T])


def nonnegative_minimum(Q, c, n_steps=20_000):
    """Minimise x'Qx/2 - c'x over x >= 0 by small projected gradient steps."""
    step = 1 / np.abs(Q).sum(axis=1).max()
    x = np.zeros(len(c))
    for _ in range(n_steps):
        x = np.maximum(0, x - step * (Q @ x - c))
    return x


def simplex_minimum(Q, c):
    """Minimise x'Qx/2 - c'x over x >= 0 that sum to 1, trying all sets of positives."""
    best, lowest = None, np.inf
    for size in range(1, len(c) + 1):
        for kept in map(list, combinations(range(len(c)), size)):
            ones = np.ones((size, 1))
            system = np.block(
                [[Q[np.ix_(kept, kept)], ones], [ones.T, np.zeros((1, 1))]]
            )
            x = np.zeros(len(c))
            x[kept] = np.linalg.solve(system, [*c[kept], 1.0])[:size]
            objective = x @ Q @ x / 2 - c @ x
            if (x >= 0).all() and objective < lowest:
                best, lowest = x, objective
    return best
