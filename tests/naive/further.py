"""The selectors of later papers, straight from their formulas."""

import numpy as np
from scipy.linalg import solve_sylvester
from scipy.optimize import minimize

from tests.naive.information import (
    conditional_mutual_information,
    entropy,
    interaction_information,
    mutual_information,
    relevance,
)


def d2f(X, Y, f, chosen):
    repeated = sum(
        interaction_information(X[:, f], X[:, s], y) for s in chosen for y in Y.T
    )
    return relevance(X[:, [f]], Y)[0] - repeated


def mdmr(X, Y, f, chosen):
    repeated = [
        mutual_information(X[:, f], X[:, s])
        - sum(conditional_mutual_information(X[:, f], y, X[:, s]) for y in Y.T)
        for s in chosen
    ]
    return relevance(X[:, [f]], Y)[0] - (np.mean(repeated) if chosen else 0.0)


def scls(X, Y, f, chosen):
    shared = sum(mutual_information(X[:, f], X[:, s]) for s in chosen)
    return relevance(X[:, [f]], Y)[0] * (1 - shared / entropy(X[:, f]))


def lrfs(X, Y, f, chosen):
    relevant = sum(
        conditional_mutual_information(X[:, f], Y[:, b], Y[:, a])
        for a in range(Y.shape[1])
        for b in range(Y.shape[1])
        if a != b
    )
    shared = [mutual_information(X[:, f], X[:, s]) for s in chosen]
    return relevant - (np.mean(shared) if chosen else 0.0)


def greedy(criterion, X, Y, n_picks, include=(), exclude=()):
    """The picks and the criterion of each, all recomputed in every step.

    The search starts from the included features and never picks an excluded one.
    """
    picks, values = [], []
    for step in range(n_picks):
        scores = {
            f: criterion(X, Y, f, picks) for f in range(X.shape[1]) if f not in picks
        }
        open_features = [f for f in scores if f not in exclude]
        best = max(scores[f] for f in open_features)
        near = best - 1e-12 * max(1, abs(best))
        pick = next(f for f in open_features if scores[f] >= near)
        if step < len(include):
            pick = include[step]
        picks.append(pick)
        values.append(scores[pick])
    return picks, values


def grro(X, Y, alpha, beta):
    return grro_weights(X, Y, alpha, beta).sum(axis=1)


def grro_weights(X, Y, alpha, beta):
    F = np.array([[mutual_information(f, g) for g in X.T] for f in X.T])
    np.fill_diagonal(F, 1.0)
    R = np.array([[mutual_information(f, y) for y in Y.T] for f in X.T])
    length = np.linalg.norm(Y, axis=0)
    C = 1 - (Y.T @ Y) / np.outer(length, length)
    return solve_sylvester(np.eye(len(F)) + alpha * F, beta * C, R)


def row_sparse_objective(X, Y, W, gamma, robust):
    residual = X @ W - Y
    loss = np.linalg.norm(residual, axis=1).sum() if robust else (residual**2).sum() / 2
    return loss + gamma * np.linalg.norm(W, axis=1).sum()


def best_row_sparse_objective(X, Y, gamma, robust):
    """Lengths as sqrt(length^2 + e^2), smooth, with an ever smaller e."""
    shape = X.shape[1], Y.shape[1]

    def smooth(flat, e):
        W = flat.reshape(shape)
        residual = X @ W - Y
        lengths = np.sqrt((W**2).sum(axis=1, keepdims=True) + e**2)
        gradient = gamma * W / lengths
        if not robust:
            value = (residual**2).sum() / 2 + gamma * lengths.sum()
            return value, (gradient + X.T @ residual).ravel()
        far = np.sqrt((residual**2).sum(axis=1, keepdims=True) + e**2)
        gradient = gradient + X.T @ (residual / far)
        return far.sum() + gamma * lengths.sum(), gradient.ravel()

    W, exact = np.zeros(X.shape[1] * Y.shape[1]), {"maxiter": 10_000, "gtol": 1e-12}
    for e in 10.0 ** np.arange(-1, -10, -1):
        W = minimize(smooth, W, args=(e,), jac=True, method="BFGS", options=exact).x
    return row_sparse_objective(X, Y, W.reshape(shape), gamma, robust)


def topsis(table, importance):
    scaled = [
        [importance[j] * v / max(np.linalg.norm(table[:, j]), 1e-300)]
        for j in range(table.shape[1])
        for v in table[:, j]
    ]
    weighted = np.reshape(scaled, table.T.shape).T
    best, worst = weighted.max(axis=0), weighted.min(axis=0)
    plus = [np.linalg.norm(row - best) for row in weighted]
    minus = [np.linalg.norm(row - worst) for row in weighted]
    return np.array([m / (p + m) for p, m in zip(plus, minus, strict=True)])
