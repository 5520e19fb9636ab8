"""Importances for each target, sample by sample, and the order they give."""

from __future__ import annotations

import math

import numpy as np


def gini(y):
    share = y.mean()
    return 1 - share**2 - (1 - share) ** 2


def entropy(y):
    share = y.mean()
    return -sum(p * math.log(p) for p in (share, 1 - share) if p > 0)


def tree_importances(tree, X, Y, impurity):
    """Impurity decrease of each target, by the samples that are in each node.

    The tree was grown on these samples, each once.
    """
    inside = tree.decision_path(X.astype(np.float32)).toarray().astype(bool)
    found = np.zeros((Y.shape[1], X.shape[1]))
    nodes = tree.tree_
    for node in range(nodes.node_count):
        left, right = nodes.children_left[node], nodes.children_right[node]
        if left < 0:
            continue
        for target, y in enumerate(Y.T):
            whole, one, other = (y[inside[:, which]] for which in (node, left, right))
            found[target, nodes.feature[node]] += (
                whole.size * impurity(whole)
                - one.size * impurity(one)
                - other.size * impurity(other)
            )
    return normalized(found)


def normalized(found):
    total = found.sum(axis=1, keepdims=True)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0)


def permutation_importances(models, X, Y, folds, clusters, n_repeats, random):
    """Brier score lost on held-out samples; ``models(X, Y)`` fits one per target."""
    found = np.zeros((Y.shape[1], X.shape[1]))
    for train, test in folds:
        fitted = models(X[train], Y[train])
        for cluster in clusters:
            for _ in range(n_repeats):
                order = random.permutation(test.size)
                changed = X[test].copy()
                for feature in cluster:
                    changed[:, feature] = X[test][order, feature]
                for target, model in enumerate(fitted):
                    truth = Y[test, target]
                    before = model.predict_proba(X[test])[:, 1]
                    after = model.predict_proba(changed)[:, 1]
                    lost = ((after - truth) ** 2 - (before - truth) ** 2).mean()
                    for feature in cluster:
                        found[target, feature] += 2 * lost / n_repeats / len(folds)
    return normalized(np.maximum(found, 0))


def residual_order(Z, importance, n_select):
    """Greedy by importance times 1 - R2 of a regression on those chosen before."""
    chosen, scores = [], []
    for _ in range(n_select):
        best = (-1.0, 0)
        for feature in range(Z.shape[1]):
            if feature in chosen:
                continue
            design = np.column_stack([np.ones(len(Z)), Z[:, chosen]])
            z = Z[:, feature]
            rest = z - design @ np.linalg.lstsq(design, z, rcond=None)[0]
            share = (rest @ rest) / ((z - z.mean()) @ (z - z.mean()))
            if importance[feature] * share > best[0] + 1e-12:
                best = (importance[feature] * share, feature)
        scores.append(best[0])
        chosen.append(best[1])
    return chosen, scores
