"""Selectors on labels that are not known everywhere, straight from the definitions.

NaN is a label that is not known. Each term is over the rows where its labels are known.
"""

from itertools import combinations

import numpy as np

from tests.naive import corrections, metrics
from tests.naive import sieve as naive_sieve
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


def sieve(X, Y, f, picks, weights=None):
    """Sieve's J for columns of 0 and 1, none of which is a copy."""
    n, Z, chance = len(X), X - X.mean(axis=0), 1.0
    total = 0.0
    for place, label in enumerate(Y.T):
        rows = known(label)
        y, share, weight = label[rows], label[rows].mean(), n / rows.sum()
        c = weight * (X[rows] - X[rows].mean(axis=0)).T @ (y - share)
        v = (Z**2).sum(axis=0)
        if picks:
            solved = np.linalg.solve(Z[:, picks].T @ Z[:, picks], Z[:, picks].T @ Z)
            v = v - (Z[:, picks].T @ Z * solved).sum(axis=0)
            c = c - c[picks] @ solved
        views = [c[f] ** 2 / v[f] / (2 * share * (1 - share)) - chance * weight]
        for s in [np.zeros(n), *X[:, picks].T]:
            views.append(weight * naive_sieve.told(X[rows, f], y, s[rows], chance))
        counts = share * (1 - share) if weights is None else weights[place]
        total += counts / entropy(y) * max(min(views), 0.0) / n
    return total


def measures(Y, predicted, scores):
    """Of rows and labels as far as they are known."""
    cells = ~np.isnan(Y)
    rows = [r for r in range(len(Y)) if cells[r].any()]
    labels = [j for j in range(Y.shape[1]) if cells[:, j].any()]
    right = predicted == Y
    truth, guess = (np.where(cells, table, 0) for table in (Y, predicted))

    def f1(a, b):
        return 2 * (a * b).sum() / max((a + b).sum(), 1)

    def mean_of_rows(name):
        """Of the known labels of each row, which may be a different number of them."""
        return np.mean(
            [
                metrics.by_scores(
                    name, Y[[r]][:, cells[r]], scores[[r]][:, cells[r]], "keep"
                )
                for r in rows
            ]
        )

    return {
        "hamming_loss": (~right)[cells].mean(),
        "subset_accuracy": np.mean([right[r][cells[r]].all() for r in rows]),
        "micro_f1": f1(truth, guess),
        "macro_f1": np.mean([f1(truth[:, j], guess[:, j]) for j in labels]),
        "example_f1": np.mean([f1(truth[r], guess[r]) for r in rows]),
        **{name: mean_of_rows(name) for name in metrics.KEPT},
        **{
            f"{name}_at_{k}": mean_of_rows(f"{name}_at_{k}")
            for name in ("precision", "ndcg")
            for k in (1, 3, 5)
        },
    }


def psp_at(Y, scores, likely, k):
    """Inverse propensities of what is on top of the known labels of each row."""
    gained = reached = 0.0
    for y, s in zip(Y, scores, strict=True):
        known_labels = [label for label in range(len(y)) if not np.isnan(y[label])]
        order = sorted(known_labels, key=lambda label: (-s[label], label))
        worth = [y[label] / likely[label] for label in order]
        gained += sum(worth[:k])
        reached += sum(sorted(worth, reverse=True)[:k])
    return gained / reached if reached else np.nan
