"""What is to be noticed about data, by looking at every pair."""

from itertools import permutations


def leaks(X, Y, nominal, fewest=10):
    """Pairs of a column and a label that it determines, by value or by threshold."""
    n = len(X)
    found = []
    for column, values in enumerate(X.T.tolist()):
        for label, y in enumerate(Y.T.tolist()):
            if not fewest <= sum(y) <= n - fewest:
                continue
            by_value = {}
            for x, has in zip(values, y, strict=True):
                by_value.setdefault(x, set()).add(has)
            few = len(by_value) <= min(100, n // 10)
            told = few and all(len(seen) == 1 for seen in by_value.values())
            ordered = not few and column not in nominal
            if told or (ordered and _cut(values, y)):
                found.append((column, label))
    return found


def _cut(values, y):
    inside = [x for x, has in zip(values, y, strict=True) if has]
    outside = [x for x, has in zip(values, y, strict=True) if not has]
    return min(inside) > max(outside) or max(inside) < min(outside)


def nested(Y, fewest=10):
    """Pairs of labels of which the first comes only with the second."""
    rows = [{i for i, has in enumerate(y) if has} for y in Y.T]
    return [
        (a, b)
        for a, b in permutations(range(len(rows)), 2)
        if len(rows[a]) >= fewest and rows[a] < rows[b] and len(rows[b]) < len(Y)
    ]
