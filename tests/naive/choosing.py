"""How many features and how sure, by fitting everything once more each time."""

import numpy as np
from sklearn.base import clone

from labelsieve import metrics


def size_cv(selector, classifier, measure, sizes, folds, rule, X, Y):
    """The measure of each fold at each size, and the size that the rule takes."""
    values = [
        [_measured(selector, classifier, measure, size, *fold, X, Y) for size in sizes]
        for fold in folds
    ]
    sign = -1 if "loss" in measure or "coverage" in measure else 1
    means = [sign * sum(column) / len(folds) for column in zip(*values, strict=True)]
    best = means.index(max(means))
    if rule == "one_standard_error":
        at_best = [row[best] for row in values]
        mean = sum(at_best) / len(at_best)
        variance = sum((v - mean) ** 2 for v in at_best) / (len(at_best) - 1)
        allowed = means[best] - (variance / len(at_best)) ** 0.5
        best = next(i for i, m in enumerate(means) if m >= allowed)
    return values, sizes[best]


def _measured(selector, classifier, measure, size, train, test, X, Y):
    fitted = clone(selector).set_params(n_features_to_select=size)
    chosen = fitted.fit(X[train], Y[train]).order_[:size]
    model = clone(classifier).fit(X[train][:, chosen], Y[train])
    unseen = X[test][:, chosen]
    by_predictions = measure in metrics.BY_PREDICTIONS
    said = model.predict(unseen) if by_predictions else model.label_scores(unseen)
    return getattr(metrics, measure)(Y[test], said)


def draws(random_state, n):
    """One generator for each part or permutation."""
    seeds = np.random.RandomState(random_state).randint(2**31 - 1, size=n)
    return [np.random.default_rng(int(seed)) for seed in seeds]


def stability_selection(selector, X, Y, n_subsamples, share, threshold, random_state):
    """Frequencies, all features best first, those that are kept, and the choices."""
    n_rows, n_features = X.shape
    counts, ranks, choices = [0] * n_features, [0.0] * n_features, []
    for generator in draws(random_state, n_subsamples):
        rows = sorted(generator.permutation(n_rows)[: max(2, int(share * n_rows))])
        fitted = clone(selector).fit(X[rows], Y[rows])
        choices.append([f for f in range(n_features) if fitted.support_[f]])
        for place, feature in enumerate(fitted.order_):
            counts[feature] += feature in choices[-1]
            ranks[feature] += place + 1
    order = sorted(range(n_features), key=lambda f: (-counts[f], ranks[f], f))
    frequencies = [count / n_subsamples for count in counts]
    kept = [f for f in range(n_features) if frequencies[f] >= threshold] or order[:1]
    return frequencies, order, kept, choices


def permutation_p_values(selector, X, Y, n_permutations, random_state):
    """p of each feature by itself, and as the best of all features."""
    own = clone(selector).fit(X, Y).scores_
    alone, family = [1] * len(own), [1] * len(own)
    for generator in draws(random_state, n_permutations):
        shuffled = Y[generator.permutation(len(Y))]
        scores = clone(selector).fit(X, shuffled).scores_
        for f in range(len(own)):
            alone[f] += scores[f] >= own[f]
            family[f] += max(scores) >= own[f]
    every = n_permutations + 1
    return [a / every for a in alone], [a / every for a in family]


def elimination(importance, X, Y, step):
    """Features by how long they stay, and the sizes on the way: fit, drop, again."""
    left, dropped, sizes = list(range(X.shape[1])), [], [X.shape[1]]
    while True:
        scores = importance(X[:, left], Y)
        ordered = [left[i] for i in np.argsort(-scores, kind="stable")]
        if len(left) == 1:
            return ordered + dropped, sizes
        keep = len(left) - step if step >= 1 else int(len(left) * (1 - step))
        keep = max(1, min(keep, len(left) - 1))
        dropped = ordered[keep:] + dropped
        left = sorted(ordered[:keep])
        sizes.append(keep)
