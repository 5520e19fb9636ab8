"""Own features of a label, with conditional information counted cell by cell."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.stats import chi2
from sklearn.tree import DecisionTreeClassifier


def tells_more(codes, label, leaves):
    """Whether I(codes; label | leaves) is significant at 5 percent."""
    total, freedom = 0.0, 0
    for leaf in set(leaves.tolist()):
        rows = leaves == leaf
        pairs = Counter(zip(codes[rows].tolist(), label[rows].tolist(), strict=True))
        left, right = Counter(codes[rows].tolist()), Counter(label[rows].tolist())
        n = int(rows.sum())
        total += sum(
            count * math.log(count * n / (left[a] * right[b]))
            for (a, b), count in pairs.items()
        )
        freedom += (len(left) - 1) * (len(right) - 1)
    return 2 * total > chi2.ppf(0.95, max(1, freedom))


def leaves_of(X, known, label):
    tree = DecisionTreeClassifier(
        max_leaf_nodes=8, min_samples_leaf=5, random_state=0
    ).fit(X[:, known], label)
    return tree.apply(X[:, known])


def label_specific(rank, X, Y, n_shared, n_specific):
    """The core and the own features of each label; ``rank(X, y, k)`` is the method.

    X holds codes.
    """
    shared = rank(X, Y, n_shared)[:n_shared]
    found = []
    for label in Y.T:
        known, own = list(shared), []
        for feature in rank(X, label, n_shared + n_specific)[: n_shared + n_specific]:
            if len(own) < n_specific and feature not in known:
                leaves = leaves_of(X, known, label)
                if tells_more(X[:, feature], label, leaves):
                    own.append(feature)
                    known.append(feature)
        found.append(own)
    return shared, found


def union(shared, own, n_features):
    support = np.zeros(n_features, dtype=bool)
    support[[*shared, *(feature for features in own for feature in features)]] = True
    return support
