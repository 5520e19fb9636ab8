"""Information less what chance shows, straight from the two definitions."""

from itertools import combinations

import numpy as np
from scipy.stats import chi2

from tests.naive import information as plug_in


def entropy(*columns, how):
    """With "miller-madow", (occupied cells - 1) / (2 n) is added."""
    n_cells = len(set(zip(*(np.asarray(c).tolist() for c in columns), strict=True)))
    extra = (n_cells - 1) / (2 * len(columns[0])) if how == "miller-madow" else 0.0
    return plug_in.entropy(*columns) + extra


def freedom(a, b):
    return (len(set(a.tolist())) - 1) * (len(set(b.tolist())) - 1)


def freedom_given(a, b, c):
    return sum(freedom(a[c == code], b[c == code]) for code in set(c.tolist()))


def is_significant(information, n, degrees):
    return 2 * n * abs(information) > chi2.ppf(0.95, degrees)


def mutual_information(a, b, how):
    found = entropy(a, how=how) + entropy(b, how=how) - entropy(a, b, how=how)
    if how == "chi2" and not is_significant(found, len(a), freedom(a, b)):
        return 0.0
    return found


def interaction_information(f, given, b, how):
    """I(f; b) - I(f; b | given); "chi2" asks if the given column makes a difference."""
    alone = sum(entropy(x, how=how) for x in (f, given, b))
    pairs = sum(entropy(*p, how=how) for p in ((f, given), (f, b), (given, b)))
    found = alone - pairs + entropy(f, given, b, how=how)
    degrees = max(1, freedom_given(f, b, given) - freedom(f, b))
    if how == "chi2" and not is_significant(found, len(f), degrees):
        return 0.0
    return found


def relevance(X, Y, how):
    return [sum(mutual_information(f, y, how) for y in Y.T) for f in X.T]


def label_pairs(X, Y, how):
    return [
        sum(interaction_information(f, a, b, how) for a, b in combinations(Y.T, 2))
        for f in X.T
    ]


def with_chosen(X, Y, s, how):
    """For each feature, its interactions with the chosen one and each label."""
    return [sum(interaction_information(f, X[:, s], y, how) for y in Y.T) for f in X.T]


def pmu(X, Y, n_picks, how):
    """The picks, one by one, with J of each when it was picked."""
    J = np.array(relevance(X, Y, how)) - np.array(label_pairs(X, Y, how))
    picks, values = [], []
    while len(picks) < n_picks:
        left = [f for f in range(X.shape[1]) if f not in picks]
        best = max(J[f] for f in left)
        pick = next(f for f in left if J[f] >= best - 1e-12 * max(1, abs(best)))
        picks.append(pick)
        values.append(J[pick])
        J = J - with_chosen(X, Y, pick, how)
    return picks, values
