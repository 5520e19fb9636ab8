"""Sieve, straight from its formula: least squares and tables, feature by feature."""

import numpy as np

from tests.naive.information import (
    conditional_mutual_information,
    entropy,
    mutual_information,
)

STRICT = 4.0


def indicators(columns):
    """One 0/1 column for each value but the most frequent."""
    found = []
    for column in np.reshape(columns, (len(columns), -1)).T:
        values, counts = np.unique(column, return_counts=True)
        found += [column == v for v in np.delete(values, counts.argmax())]
    return np.array(found, dtype=float).reshape(-1, len(columns)).T


def residual(targets, regressors):
    design = np.column_stack([np.ones(len(targets)), regressors])
    return targets - design @ np.linalg.lstsq(design, targets, rcond=None)[0]


def targets_of(label):
    values = np.unique(label)
    if values.size == 2:
        return [(1.0, (label == values[1]).astype(float))]
    return [(0.5, (label == v).astype(float)) for v in values]


def explained(f, label, chosen, n_basis):
    """Variance of a label explained beyond the chosen features and chance, in rows."""
    total = 0.0
    left = residual(indicators(f), chosen)
    rank = left.shape[1]
    for weight, target in targets_of(label):
        before = residual(target, chosen)
        after = residual(before, left)
        noise = (before**2).sum() / max(len(target) - 1 - n_basis, 1)
        gain = (before**2).sum() - (after**2).sum()
        total += weight * (gain - STRICT * rank * noise)
    return max(total, 0.0)


def freedom(f, label, given):
    total = 0
    for value in np.unique(given):
        rows = given == value
        total += (np.unique(f[rows]).size - 1) * (np.unique(label[rows]).size - 1)
    return total


def least_information(f, label, chosen):
    """n I(f; l | s) less chance, for the s that leaves least."""
    n = len(f)
    one = np.zeros(n, dtype=int)
    values = [n * mutual_information(f, label) - STRICT / 2 * freedom(f, label, one)]
    for s in chosen.T:
        information = n * conditional_mutual_information(f, label, s)
        values.append(information - STRICT / 2 * freedom(f, label, s))
    return max(min(values), 0.0)


def criterion(X, Y, f, picks):
    """The first sum of J, for features that no others repeat."""
    chosen = X[:, picks]
    basis = indicators(chosen) if picks else np.empty((len(X), 0))
    total = 0.0
    for label in Y.T:
        E = explained(X[:, f], label, basis, basis.shape[1])
        M = least_information(X[:, f], label, chosen)
        variance = sum(w * t.var() for w, t in targets_of(label))
        total += np.sqrt(E * M * variance / entropy(label)) / len(X)
    return total
