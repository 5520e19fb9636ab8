"""The measures, one row and one label at a time."""

from __future__ import annotations

import math


def ranking_loss(y, s):
    """Share of (relevant, irrelevant) pairs where the relevant is not above."""
    relevant = [a for a, has in zip(s, y, strict=True) if has]
    irrelevant = [a for a, has in zip(s, y, strict=True) if not has]
    if not relevant or not irrelevant:
        return None
    wrong = sum(a <= b for a in relevant for b in irrelevant)
    return wrong / (len(relevant) * len(irrelevant))


def coverage_error(y, s):
    """How many labels score at least as the lowest relevant one."""
    if not any(y):
        return None
    lowest = min(a for a, has in zip(s, y, strict=True) if has)
    return sum(a >= lowest for a in s)


def coverage(y, s):
    depth = coverage_error(y, s)
    return None if depth is None else depth - 1


def average_precision(y, s):
    if not any(y) or all(y):
        return None
    precisions = [
        sum(b >= a and h for b, h in zip(s, y, strict=True)) / sum(b >= a for b in s)
        for a, has in zip(s, y, strict=True)
        if has
    ]
    return sum(precisions) / len(precisions)


def one_error(y, s):
    if not any(y) or all(y):
        return None
    return 0.0 if y[list(s).index(max(s))] else 1.0


def on_top(y, s, k):
    """The truth of the k labels with the largest scores, the first of equals first."""
    order = sorted(range(len(s)), key=lambda label: (-s[label], label))
    return [y[label] for label in order[:k]]


def precision_at(y, s, k):
    return sum(on_top(y, s, k)) / k if any(y) else None


def ndcg_at(y, s, k):
    if not any(y):
        return None
    gain = sum(hit / math.log2(i + 2) for i, hit in enumerate(on_top(y, s, k)))
    return gain / sum(1 / math.log2(i + 2) for i in range(int(min(k, sum(y)))))


def psp_at(Y, S, p, k):
    """Jain et al. (2016): gained over what the best ranking of each row gains."""
    gained = reached = 0.0
    for y, s in zip(Y.tolist(), S.tolist(), strict=True):
        order = sorted(range(len(s)), key=lambda label: (-s[label], label))
        gained += sum(y[label] / p[label] for label in order[:k])
        reached += sum(sorted((t / q for t, q in zip(y, p, strict=True)))[::-1][:k])
    return gained / reached if reached else float("nan")


KEPT = {
    "ranking_loss": lambda y: 0.0,
    "coverage": lambda y: 0.0,
    "coverage_error": lambda y: 0.0,
    "average_precision": lambda y: 1.0,
    "one_error": lambda y: 0.0 if all(y) else 1.0,
}


def by_scores(name, Y, S, undefined):
    """The mean over rows of one of the functions above, or over labels the AUC."""
    if name == "macro_auc":
        return macro_auc(Y, S)
    values = []
    for y, s in zip(Y.tolist(), S.tolist(), strict=True):
        function, _, k = name.partition("_at_")
        if k:
            value = globals()[f"{function}_at"](y, s, int(k))
        else:
            value = globals()[name](y, s)
        if value is not None:
            values.append(value)
        elif undefined == "keep":
            values.append(KEPT[name](y) if name in KEPT else 0.0)
    return sum(values) / len(values) if values else float("nan")


def macro_auc(Y, S):
    """Pairs of rows in the right order, by label; labels without pairs left out."""
    values = []
    for y, s in zip(Y.T.tolist(), S.T.tolist(), strict=True):
        pairs = [
            (s[i] > s[j]) + (s[i] == s[j]) / 2
            for i in range(len(y))
            for j in range(len(y))
            if y[i] > y[j]
        ]
        if pairs:
            values.append(sum(pairs) / len(pairs))
    return sum(values) / len(values) if values else 0.5
