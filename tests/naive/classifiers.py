"""The classifiers from their formulas, in plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.svm import LinearSVC

from tests.naive.neighbors import nearest


def mlnb_categorical(X, Y, X_test, s=1.0):
    """Posteriors; P(v | H) = (s + count) / (s V + n_H)."""
    n, posterior = len(X), np.empty((len(X_test), Y.shape[1]))
    for label in range(Y.shape[1]):
        for i, row in enumerate(X_test):
            joint = []
            for state in (0, 1):
                rows = X[Y[:, label] == state]
                p = (s + len(rows)) / (2 * s + n)
                for f, value in enumerate(row):
                    n_values = len(set(X[:, f].tolist()))
                    count = (rows[:, f] == value).sum()
                    if 0 < Y[:, label].sum() < n:
                        p *= (s + count) / (s * n_values + len(rows))
                joint.append(p)
            posterior[i, label] = joint[1] / sum(joint)
    return posterior


def mlnb_gaussian(X, Y, X_test, s=1.0):
    """Posteriors; log(density + 1e-20) with the unbiased standard deviation."""
    n, posterior = len(X), np.empty((len(X_test), Y.shape[1]))
    for label in range(Y.shape[1]):
        for i, row in enumerate(X_test):
            logs = []
            for state in (0, 1):
                rows = X[Y[:, label] == state]
                total = math.log((s + len(rows)) / (2 * s + n))
                for f, value in enumerate(row):
                    overall = X[:, f].var(ddof=1)
                    if overall == 0 or not 0 < Y[:, label].sum() < n:
                        continue
                    variance = rows[:, f].var(ddof=1) if len(rows) > 1 else 0.0
                    variance = max(variance, 1e-9 * overall)
                    z = (value - rows[:, f].mean()) ** 2 / variance
                    density = math.exp(-z / 2) / math.sqrt(2 * math.pi * variance)
                    total += math.log(density + 1e-20)
                logs.append(total)
            posterior[i, label] = 1 / (1 + math.exp(min(logs[0] - logs[1], 700)))
    return posterior


def mlknn(X, Y, X_test, k=10, s=1.0):
    """Posteriors by the number of neighbours that have a label."""
    n, n_labels = Y.shape
    k = min(k, n - 1)
    among, _ = nearest(X, k=k)
    near, _ = nearest(X_test, X, k=k)
    posterior = np.empty((len(X_test), n_labels))
    for label in range(n_labels):
        tables = np.zeros((2, k + 1))
        for i in range(n):
            tables[Y[i, label], Y[among[i], label].sum()] += 1
        n_with = Y[:, label].sum()
        priors = [(s + n - n_with) / (2 * s + n), (s + n_with) / (2 * s + n)]
        for i in range(len(X_test)):
            j = Y[near[i], label].sum()
            joint = [
                priors[h] * (s + tables[h, j]) / (s * (k + 1) + tables[h].sum())
                for h in (0, 1)
            ]
            posterior[i, label] = joint[1] / sum(joint)
    return posterior


def brknn(X, Y, X_test, k=3):
    """Share of the k nearest that have each label."""
    near, _ = nearest(X_test, X, k=k)
    return np.array([Y[rows].mean(axis=0) for rows in near])


def ccknn(X, Y, X_test, order, k=3):
    """Shares along a chain; each label is a feature for those after it."""
    train, test = X.astype(float), X_test.astype(float)
    shares = np.empty((len(X_test), Y.shape[1]))
    for label in order:
        shares[:, label] = brknn(train, Y[:, [label]], test, k)[:, 0]
        train = np.column_stack([train, Y[:, label]])
        test = np.column_stack([test, shares[:, label] > 0.5])
    return shares


def densities(X, rows):
    """rho of every feature on these rows, with sim = 1 / (1 + distance)."""
    spread = X.max(axis=0) - X.min(axis=0)
    scaled = (X - X.min(axis=0)) / np.where(spread == 0, 1, spread)
    found = []
    for column in scaled[rows].T:
        similarity = 1 / (1 + abs(column[:, None] - column[None, :]))
        found.append(similarity.sum() / (len(rows) * similarity.min()))
    return np.array(found)


def emcfs_support(X, y, ratio=0.1):
    """The features of one label: the densest with it, and the densest without."""
    sides = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    wanted = max(1, math.ceil(ratio * min(map(len, sides)) - 1e-9))
    support = np.zeros(X.shape[1], dtype=bool)
    for rows in sides:
        if len(rows) > 1:
            order = sorted(range(X.shape[1]), key=lambda f: -densities(X, rows)[f])
            support[order[:wanted]] = True
    return support


def lift(X, Y, X_test, seeds, ratio=0.1):
    """Scores of a linear SVM per label on distances to its clusters."""
    scores = np.empty((len(X_test), Y.shape[1]))
    for label in range(Y.shape[1]):
        sides = X[Y[:, label] == 1], X[Y[:, label] == 0]
        m = max(1, math.ceil(ratio * min(map(len, sides)) - 1e-9))
        centres = np.vstack(
            [
                KMeans(m, n_init=1, random_state=seeds[label])
                .fit(side)
                .cluster_centers_
                for side in sides
            ]
        )

        def distances(rows, centres=centres):
            return np.sqrt(((rows[:, None, :] - centres) ** 2).sum(axis=2))

        svm = LinearSVC(random_state=0).fit(distances(X), Y[:, label])
        scores[:, label] = svm.decision_function(distances(X_test))
    return scores


def ranksvm_objective(K, Y, C, weights, bias):
    """1/2 sum |w_k|^2 + C sum of the mean hinge loss of the pairs of each row."""
    outputs = K @ weights + bias
    total = 0.5 * np.sum(weights * (K @ weights))
    for f, y in zip(outputs, Y, strict=True):
        losses = [
            max(0.0, 1 - f[k] + f[m])
            for k in np.flatnonzero(y)
            for m in np.flatnonzero(1 - y)
        ]
        total += C * np.mean(losses) if losses else 0.0
    return total


def ranksvm_best_objective(K, Y, C):
    """Maximum of the dual, by a general solver over all multipliers."""
    pairs = [
        (i, k, m)
        for i, y in enumerate(Y)
        for k in np.flatnonzero(y)
        for m in np.flatnonzero(1 - y)
    ]
    upper = np.array([C / (Y[i].sum() * (1 - Y[i]).sum()) for i, _, _ in pairs])
    moves = np.zeros((len(pairs), *Y.shape))
    for p, (i, k, m) in enumerate(pairs):
        moves[p, i, k], moves[p, i, m] = 1.0, -1.0
    quadratic = np.einsum("pik,ij,qjk->pq", moves, K, moves, optimize=True)
    balance = moves.sum(axis=1).T[:-1]  # the last follows from the others
    found = minimize(
        lambda a: (0.5 * a @ quadratic @ a - a.sum(), quadratic @ a - 1.0),
        np.zeros(len(pairs)),
        jac=True,
        method="SLSQP",
        bounds=list(zip(np.zeros(len(pairs)), upper, strict=True)),
        constraints=[
            {"type": "eq", "fun": lambda a: balance @ a, "jac": lambda a: balance}
        ],
        options={"ftol": 1e-12, "maxiter": 3000},
    )
    assert found.success
    return -found.fun


def best_threshold(f, y):
    """The first of the candidate thresholds with fewest errors."""
    ordered = sorted(f)
    candidates = [ordered[0] - 0.1]
    candidates += [(a + b) / 2 for a, b in itertools.pairwise(ordered)]
    candidates += [ordered[-1] + 0.1]
    errors = [
        sum(a <= t for a, has in zip(f, y, strict=True) if has)
        + sum(a >= t for a, has in zip(f, y, strict=True) if not has)
        for t in candidates
    ]
    return candidates[errors.index(min(errors))]
