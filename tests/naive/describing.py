"""What is to be noticed about data, by looking at every pair."""

from itertools import permutations


def leaks(X, Y, nominal, fewest=10):
    """Pairs of a column and a label that it determines, by value or by threshold.

    NaN is a label that is not known: such rows do not count, and labels are not asked
    that may be on their rarer side in more than half of the rows.
    """
    n = len(X)
    found = []
    for column, all_values in enumerate(X.T.tolist()):
        for label, all_y in enumerate(Y.T.tolist()):
            known = [i for i, has in enumerate(all_y) if has == has]
            values, y = ([them[i] for i in known] for them in (all_values, all_y))
            rarer = min(sum(y), len(y) - sum(y))
            if rarer < fewest or 2 * (rarer + n - len(y)) > n:
                continue
            by_value = {}
            for x, has in zip(values, y, strict=True):
                by_value.setdefault(x, set()).add(has)
            few = len(set(all_values)) <= min(100, n // 10)
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
    """Pairs of labels of which the first comes only with the second, where known."""
    found = []
    for a, b in permutations(range(Y.shape[1]), 2):
        pairs = [(x, y) for x, y in Y[:, [a, b]].tolist() if x == x and y == y]
        if (
            pairs.count((1, 1)) >= fewest
            and (1, 0) not in pairs
            and (0, 1) in pairs
            and 0 in Y[:, b]
        ):
            found.append((a, b))
    return found
