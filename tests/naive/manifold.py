"""MDFS and MIFS with dense matrices and Sylvester's equation, as they read."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_sylvester

from tests.naive.neighbors import nearest_first

EPS = 1e-300


def standardized(X):
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


def laplacian(rows, k, heat=False):
    n = len(rows)
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    near = [
        [j for j in nearest_first(squared[i]) if j != i][: min(k, n - 1)]
        for i in range(n)
    ]
    unit = np.mean([squared[i, j] for i in range(n) for j in near[i]])
    S = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            S[i, j] = np.exp(-squared[i, j] / unit) if heat else 1.0
    S = (S + S.T) / 2
    return np.diag(S.sum(axis=1)) - S


def length(W):
    return np.sqrt((W**2).sum(axis=1))


def ridge(X, T, penalty):
    return np.linalg.solve(X.T @ X + np.diag(penalty), X.T @ T)


def in_turns(X, T, gamma, max_iter, best_target, objective):
    """Weights and the objective after each turn."""
    W = ridge(X, T, np.full(X.shape[1], gamma))
    found = []
    while len(found) < max_iter:
        T = best_target(W)
        W = ridge(X, T, gamma / (2 * length(W) + EPS))
        found.append(objective(W))
        if len(found) > 1 and abs(found[-2] - found[-1]) <= 1e-3 * abs(found[-2]):
            break
    return W, found


def mdfs(X, Y, *, alpha, beta, gamma, k, max_iter=50):
    X, Y = standardized(X), 2.0 * Y - 1
    n = len(Y)
    L, L0 = laplacian(X, k), laplacian(Y.T, k)
    H = np.eye(n) - np.full((n, n), 1 / n)
    F = None

    def best_target(W):
        nonlocal F
        A = L + alpha * H + alpha * np.eye(n)
        F = solve_sylvester(A, beta * L0, alpha * H @ X @ W + alpha * Y)
        return H @ F

    def objective(W):
        return (
            np.trace(F.T @ L @ F)
            + alpha * ((H @ X @ W - H @ F) ** 2).sum()
            + alpha * ((F - Y) ** 2).sum()
            + beta * np.trace(F @ L0 @ F.T)
            + gamma * length(W).sum()
        )

    W, found = in_turns(X, H @ Y, gamma / alpha, max_iter, best_target, objective)
    return W, found


def mifs(X, Y, *, alpha, beta, gamma, n_factors, k, max_iter=20):
    X = standardized(X)
    Y = Y - Y.mean(axis=0)
    L = laplacian(X, k, heat=True)
    _, _, right = np.linalg.svd(Y, full_matrices=False)
    V = Y @ right[:n_factors].T
    B = None

    def best_target(W):
        nonlocal V, B
        B = np.linalg.lstsq(V, Y)[0]
        V = solve_sylvester(
            np.eye(len(Y)) + beta * L, alpha * B @ B.T, X @ W + alpha * Y @ B.T
        )
        return V

    def objective(W):
        return (
            ((X @ W - V) ** 2).sum()
            + alpha * ((Y - V @ B) ** 2).sum()
            + beta * np.trace(V.T @ L @ V)
            + gamma * length(W).sum()
        )

    return in_turns(X, V, gamma, max_iter, best_target, objective)
