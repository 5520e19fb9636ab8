"""GMBA, SPEC and MLFS written as their formulas read, one row at a time."""

from __future__ import annotations

import numpy as np

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
    hits = sorted(similar, key=lambda j: (d2[j], j))[:k]
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
