"""Selectors on labels that are not known everywhere, straight from the definitions.

NaN is a label that is not known. Each term is over the rows where its labels are known.
"""

from itertools import combinations

import numpy as np

from tests.naive import corrections
from tests.naive.information import entropy


def known(*labels):
    return ~np.any([np.isnan(label) for label in labels], axis=0)


def label_entropies(Y):
    return [entropy(label[known(label)]) for label in Y.T]


def mutual_information(f, label, correction=None):
    rows = known(label)
    return corrections.mutual_information(f[rows], label[rows], correction)


def interaction(f, other, label, correction=None):
    rows = known(other, label)
    if not rows.any():
        return 0.0
    columns = f[rows], other[rows], label[rows]
    return corrections.interaction_information(*columns, correction)


def relevance(X, Y, correction=None):
    return np.array(
        [sum(mutual_information(f, y, correction) for y in Y.T) for f in X.T]
    )


def label_pairs(X, Y, correction=None):
    pairs = list(combinations(Y.T, 2))
    return np.array(
        [sum(interaction(f, a, b, correction) for a, b in pairs) for f in X.T]
    )


def fimf(X, Y, n_labels, correction=None):
    entropies = np.round(label_entropies(Y), 12)
    promising = np.sort(np.argsort(-entropies, kind="stable")[:n_labels])
    return relevance(X, Y, correction) - label_pairs(X, Y[:, promising], correction)


def pmu(X, Y, n_picks, correction=None):
    """The picks, J of each pick, and J of all features after the last pick."""
    J = relevance(X, Y, correction) - label_pairs(X, Y, correction)
    picks, values = [], []
    for _ in range(n_picks):
        left = np.array([-np.inf if f in picks else J[f] for f in range(len(J))])
        best = left.max()
        pick = int(np.argmax(left >= best - 1e-12 * max(1, abs(best))))
        picks.append(pick)
        values.append(J[pick])
        chosen = X[:, pick]
        J = J - [sum(interaction(f, chosen, y, correction) for y in Y.T) for f in X.T]
    return picks, values, J
