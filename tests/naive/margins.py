"""GMBA, SPEC and MLFS written as their formulas read, one row at a time."""

from __future__ import annotations

import numpy as np

from tests.naive.neighbors import nearest_first

TIE = 1e-12


def similarity(Y):
    """Eq. 2 of the GMBA paper: shared over united labels, weighted by frequency."""
    Y = np.asarray(Y)
    n_q = Y.sum(axis=0)
    s = np.zeros((len(Y), len(Y)))
    for i, a in enumerate(Y):
        for j, b in enumerate(Y):
            united = (n_q * (a | b)).sum()
            if united:
                s[i, j] = (n_q * (a & b)).sum() / united
    return s


def zscore(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def gmba_coefficient(i, X, s, *, k, s_min, trade_off, w=None, authors=False):
    """Half the gradient of row i divided by the weights; None if i is skipped."""
    w = np.ones(X.shape[1]) if w is None else w
    d2 = (w**2 * (X[i] - X) ** 2).sum(axis=1)
    others = [j for j in range(len(X)) if j != i]
    similar = [j for j in others if s[i, j] >= s_min - TIE]
    different = [j for j in others if j not in similar]
    needed = k if authors else 1
    if len(similar) < needed or (authors and len(different) < k):
        return None
    hits = [j for j in nearest_first(d2) if j in similar][:k]
    margin = abs(d2[hits[0]] - min(d2[different])) if different else 0.0
    tie = TIE * (X**2).sum(axis=1).max()
    total = np.zeros(X.shape[1])
    for rank, h in enumerate(hits):
        pull = s[i, similar.index(h)] if authors else s[i, h]
        weight = len(hits) - rank if authors else 1
        total += weight * pull * (X[i] - X[h]) ** 2
        for q in different:
            if margin + d2[h] - d2[q] > tie:
                push = (X[i] - X[h]) ** 2 - (X[i] - X[q]) ** 2
                total += weight * trade_off * (s[i, h] - s[i, q]) * push
    return total


def gmba(
    X,
    Y,
    order,
    *,
    k,
    s_min,
    trade_off=1.0,
    rate=0.9,
    step="constant",
    weighted=False,
    authors=False,
):
    """Weights after visiting the rows in this order."""
    X, s = zscore(X), similarity(Y)
    if authors:
        np.fill_diagonal(s, 0)
    w, updates = np.ones(X.shape[1]), 0
    for i in order:
        coefficient = gmba_coefficient(
            i,
            X,
            s,
            k=k,
            s_min=s_min,
            trade_off=trade_off,
            w=w if weighted else None,
            authors=authors,
        )
        if coefficient is None or not coefficient.any():
            continue
        updates += 1
        gradient = 2 * w * coefficient
        length = rate / np.sqrt(updates) if step == "invsqrt" else rate
        w = w - length * gradient / np.linalg.norm(gradient)
    return w


def adjacency(Y):
    """Eq. 3: nobody is their own neighbour."""
    A = similarity(Y)
    np.fill_diagonal(A, 0)
    return A


def spec(X, Y, phi=1, n_eigenvectors=2, isolated_degree=0.0):
    """The criteria of Zhao and Liu on the whole graph, row by row."""
    A = adjacency(Y)
    degrees = A.sum(axis=1)
    degrees[degrees == 0] = isolated_degree
    X, A, degrees = (
        zscore(X[degrees > 0]),
        A[degrees > 0][:, degrees > 0],
        degrees[degrees > 0],
    )
    root = np.sqrt(degrees)
    laplacian = np.eye(len(A)) - A / np.outer(root, root)
    laplacian[np.diag_indices(len(A))] = 1.0
    trivial = root / np.linalg.norm(root)
    values, vectors = np.linalg.eigh(laplacian + 2 * np.outer(trivial, trivial))
    scores = []
    for column in X.T:
        f = root * column / np.linalg.norm(root * column)
        if phi == 3:
            cosines = vectors[:, :n_eigenvectors].T @ f
            scores.append(((2 - values[:n_eigenvectors]) * cosines**2).sum())
        else:
            correction = 1 - (f @ trivial) ** 2 if phi == 2 else 1.0
            scores.append(f @ laplacian @ f / correction)
    return np.array(scores)


def spec_of_anchors(X, Y, which, phi=1, isolated_degree=0.0):
    """The same over the edges that begin in some rows, one edge after the other."""
    A = adjacency(Y)
    joined = A.any(axis=1) if isolated_degree == 0 else np.ones(len(A), dtype=bool)
    scores = []
    for f in (X - X[joined].mean(axis=0)).T:
        roughness = spread = total = mass = 0.0
        for i in which:
            for j in range(len(A)):
                roughness += A[i, j] * (f[i] - f[j]) ** 2 / 2
                spread += A[i, j] * (f[i] ** 2 + f[j] ** 2) / 2
                total += A[i, j] * (f[i] + f[j]) / 2
                mass += A[i, j]
            if not A[i].any():
                roughness += isolated_degree * f[i] ** 2
                spread += isolated_degree * f[i] ** 2
                total += isolated_degree * f[i]
                mass += isolated_degree
        scores.append(roughness / (spread - (total**2 / mass if phi == 2 else 0.0)))
    return np.array(scores)


def gmba_of_anchors(X, Y, which, *, k, s_min, trade_off=1.0):
    """Minus half the gradient of some rows at equal weights, as if of all rows."""
    scaled, s = zscore(X), similarity(Y)
    options = {"k": k, "s_min": s_min, "trade_off": trade_off}
    found = [gmba_coefficient(i, scaled, s, **options) for i in which]
    total = sum(each for each in found if each is not None)
    return -total * len(X) / len(which)


def mlfs(X, Y, within="scatter"):
    """Between over within scatter; a row counts once for each of its labels."""
    Y = np.asarray(Y)[:, np.asarray(Y).any(axis=0)].astype(bool)
    n, n_labels = Y.shape
    scores = []
    for x in X.T:
        overall = np.concatenate([x[label] for label in Y.T]).mean()
        means = [x[label].mean() for label in Y.T]
        between = sum(
            label.sum() * (mean - overall) ** 2
            for label, mean in zip(Y.T, means, strict=True)
        )
        spread = [((x[label] - x[label].mean()) ** 2).sum() for label in Y.T]
        if within == "sum_var":
            spread = [x[label].var() for label in Y.T]
        scores.append((n - n_labels) / (n_labels - 1) * between / sum(spread))
    return np.array(scores)
