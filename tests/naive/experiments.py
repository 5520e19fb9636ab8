"""Slow, obviously right versions of what the experiments compute."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np


def nogueira(selections, n_features):
    """1 minus the mean sample variance of the choices over that of random choices."""
    chosen = [[int(f in set(s)) for f in range(n_features)] for s in selections]
    total = 0.0
    for f in range(n_features):
        column = [row[f] for row in chosen]
        mean = sum(column) / len(column)
        total += sum((x - mean) ** 2 for x in column) / (len(column) - 1)
    k = sum(map(sum, chosen)) / len(chosen)
    return 1 - (total / n_features) / (k / n_features * (1 - k / n_features))


def mean_kuncheva(selections, n_features):
    """Mean pairwise Kuncheva index: Nogueira's index for selections of one size."""
    k = len(selections[0])
    by_chance = k * k / n_features
    pairs = [
        (len(set(a) & set(b)) - by_chance) / (k - by_chance)
        for a, b in combinations(selections, 2)
    ]
    return float(np.mean(pairs))


def corrected_t(first, second, test_to_train):
    """Nadeau and Bengio's t, term by term."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    return mean / ((1 / n + test_to_train) * variance) ** 0.5


def exact_differences(first, second):
    """Differences of decimal fractions, as a person would write them down."""
    one, two = ([Fraction(str(value)) for value in side] for side in (first, second))
    return [a - b for a, b in zip(one, two, strict=True)]


def mid_ranks(values):
    """The mean of the places that equal values take, counted from 1."""
    below = [sum(v < value for v in values) for value in values]
    equal = [sum(v == value for v in values) for value in values]
    return [b + Fraction(e + 1, 2) for b, e in zip(below, equal, strict=True)]


def wilcoxon(differences):
    """The smaller rank sum, and how many patterns of signs have one as small."""
    kept = [d for d in differences if d != 0]
    ranks = mid_ranks([abs(d) for d in kept])

    def smaller(signs):
        above = sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign > 0)
        return min(above, sum(ranks) - above)

    found = smaller(kept)
    patterns = list(product([-1, 1], repeat=len(kept)))
    return found, sum(smaller(signs) <= found for signs in patterns) / len(patterns)


def curve_by_refitting(classifier, X, Y, X_test, Y_test, order, sizes, measure):
    """A measure at each size, by fitting on the first features each time."""
    from sklearn.base import clone

    values = []
    for size in sizes:
        fitted = clone(classifier).fit(X[:, order[:size]], Y)
        values.append(measure(Y_test, fitted.predict(X_test[:, order[:size]])))
    return values
