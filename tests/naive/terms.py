"""What scores are made of, term by term, straight from the formulas.

Each function takes codes or values X, labels Y and the features in the order in which
they were chosen, and returns the terms of each of these.
"""

from itertools import combinations

import numpy as np

from tests.naive.further import grro_weights
from tests.naive.information import (
    conditional_mutual_information,
    entropy,
    interaction_information,
    label_pairs,
    mutual_information,
    relevance,
)
from tests.naive.margins import adjacency
from tests.naive.relief import mean_difference, nearest, scale
from tests.naive.sieve import criterion


def pmu(X, Y, picks):
    return {
        "relevance": relevance(X[:, picks], Y),
        "redundancy": [-repeated(X, Y, f, before) for f, before in steps(picks)],
        "label interaction": [-v for v in label_pairs(X[:, picks], Y)],
    }


def d2f(X, Y, picks):
    terms = pmu(X, Y, picks)
    return {name: terms[name] for name in ("relevance", "redundancy")}


def mdmr(X, Y, picks):
    earlier = []
    for f, before in steps(picks):
        one_each = [
            mutual_information(X[:, f], X[:, s])
            - sum(conditional_mutual_information(X[:, f], y, X[:, s]) for y in Y.T)
            for s in before
        ]
        earlier.append(-np.mean(one_each) if before else 0.0)
    return {"relevance": relevance(X[:, picks], Y), "redundancy": earlier}


def scls(X, Y, picks):
    own = relevance(X[:, picks], Y)
    shares = [
        sum(mutual_information(X[:, f], X[:, s]) for s in before) / entropy(X[:, f])
        for f, before in steps(picks)
    ]
    earlier = [-r * share for r, share in zip(own, shares, strict=True)]
    return {"relevance": own, "redundancy": earlier}


def lrfs(X, Y, picks):
    given_others, earlier = [], []
    for f, before in steps(picks):
        pairs = [*combinations(Y.T, 2)]
        pairs += [(b, a) for a, b in pairs]
        given_others.append(
            sum(conditional_mutual_information(X[:, f], b, a) for a, b in pairs)
        )
        shared = [mutual_information(X[:, f], X[:, s]) for s in before]
        earlier.append(-np.mean(shared) if before else 0.0)
    return {"relevance given other labels": given_others, "redundancy": earlier}


def fimf(X, Y, picks):
    return {
        "relevance": relevance(X[:, picks], Y),
        "label interaction": [-v for v in label_pairs(X[:, picks], Y)],
    }


def grro(X, Y, picks, alpha=1.0, beta=1.0):
    W = grro_weights(X, Y, alpha, beta)
    length = np.linalg.norm(Y, axis=0)
    C = 1 - (Y.T @ Y) / np.outer(length, length)
    others = [
        -alpha
        * sum(
            mutual_information(X[:, f], X[:, g]) * W[g].sum()
            for g in range(X.shape[1])
            if g != f
        )
        for f in picks
    ]
    labels = [-beta * (W[f] @ C).sum() for f in picks]
    own = relevance(X[:, picks], Y)
    return {"relevance": own, "redundancy": others, "label distance": labels}


def mlfs(X, Y, picks):
    between, within = [], []
    n, n_labels = Y.shape
    for x in X[:, picks].T:
        classes = [x[label == 1] for label in Y.T]
        overall = np.concatenate(classes).mean()
        apart = sum(c.size * (c.mean() - overall) ** 2 for c in classes)
        between.append((n - n_labels) / (n_labels - 1) * apart)
        within.append(sum(((c - c.mean()) ** 2).sum() for c in classes))
    return {"between labels": between, "within labels": within}


def spec(X, Y, picks):
    """Edge by edge; rows without a neighbour are left out."""
    A = adjacency(Y)
    joined = np.flatnonzero(A.any(axis=1))
    roughness, spread = np.zeros((2, len(picks)))
    for place, f in enumerate((X - X[joined].mean(axis=0))[:, picks].T):
        for i in joined:
            for j in joined:
                roughness[place] += A[i, j] * (f[i] - f[j]) ** 2 / 2
                spread[place] += A[i, j] * f[i] ** 2
    return {"roughness": roughness, "spread": spread}


def mlrf(X, Y, picks, k=10):
    X, Y = scale(X), Y.astype(bool)
    near, same = np.zeros((2, X.shape[1]))
    for a, b in combinations(range(Y.shape[1]), 2):
        sides = [np.flatnonzero(Y[:, a] & ~Y[:, b]), np.flatnonzero(Y[:, b] & ~Y[:, a])]
        if not all(map(len, sides)):
            continue
        for own, other in (sides, sides[::-1]):
            for i in own:
                n_rows = len(own) + len(other)
                near += mean_difference(X, i, nearest(X, i, other, k)) / n_rows
                same -= mean_difference(X, i, nearest(X, i, own, k)) / n_rows
    return {"misses": near[picks], "hits": same[picks]}


def relieff_ml(X, Y, picks, k=10):
    X = scale(X)
    n_apart = n_alike = 0.0
    apart, alike = np.zeros((2, X.shape[1]))
    for i in range(len(X)):
        for j in nearest(X, i, range(len(X)), k):
            share = np.mean(Y[i] != Y[j])
            n_apart, n_alike = n_apart + share, n_alike + 1 - share
            apart += share * abs(X[i] - X[j])
            alike += (1 - share) * abs(X[i] - X[j])
    return {
        "where labels differ": (apart / n_apart)[picks],
        "where labels agree": (-alike / n_alike)[picks],
    }


def repeated(X, Y, f, before):
    """What a feature and each of those before it tell together about labels."""
    return sum(
        interaction_information(X[:, f], X[:, s], y) for s in before for y in Y.T
    )


def steps(picks):
    """Each pick with those before it."""
    return [(f, picks[:place]) for place, f in enumerate(picks)]


def mlqpfs(X, Y, picks, weights):
    """Where the weight w is best: H(f) w(f) = relevance less what others take."""
    others = [
        -sum(
            mutual_information(X[:, f], X[:, g]) * weights[g]
            for g in range(X.shape[1])
            if g != f
        )
        for f in picks
    ]
    return {
        "relevance": relevance(X[:, picks], Y),
        "redundancy": others,
        "entropy": [entropy(X[:, f]) for f in picks],
    }


def sieve(X, Y, picks):
    """Of binary features; what a pick gains is never told to be more than before."""
    new = [criterion(X, Y, f, before) for f, before in steps(picks)]
    return {"gain": np.minimum.accumulate(new)}
