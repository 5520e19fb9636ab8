"""How significant Sieve("auto") finds a column of a feature, label by label."""

import numpy as np
from scipy import stats

from tests.naive.sieve import columns_of, residual


def least_p(X, Y, f, picks, numbers=()):
    """The least p-value of a feature of one column for any binary label."""
    return min(p_value(X, label, f, picks, numbers) for label in Y.T)


def p_value(X, label, f, picks, numbers):
    """By F beyond the picks, over the rows where the label is known."""
    known = ~np.isnan(label)
    y = label[known]
    x = columns_of(X[:, f], f in numbers)[known].astype(float)
    chosen = [columns_of(X[:, s], s in numbers)[known] for s in picks]
    chosen = np.column_stack([np.empty((y.size, 0)), *chosen]).astype(float)
    left, before = residual(x, chosen)[:, 0], residual(y[:, np.newaxis], chosen)[:, 0]
    if left @ left <= 0.01 * y.size * x.var():
        return 1.0
    new = (left @ before) ** 2 / (left @ left)
    free = y.size - 2 - chosen.shape[1]
    p = stats.f.sf(new / (before @ before - new) * free, 1, free)
    if f in numbers:
        return skewed(p, stats.skew(x[:, 0]), y)
    return max(p, fisher(x[:, 0], y))


def skewed(p, skewness, y):
    """With the skewness of the sum of so many of the ranks, drawn at random."""
    n, m = y.size, y.sum()
    skewness *= (n - 2 * m) * np.sqrt(n - 1) / ((n - 2) * np.sqrt(m * (n - m)))
    return min(1.0, 2 * stats.pearson3.sf(stats.norm.isf(p / 2), abs(skewness)))


def fisher(x, y):
    """Twice the lesser tail of the table, of the table itself half."""
    table = stats.hypergeom(y.size, x.sum(), y.sum())
    both = x @ y
    above = table.sf(both) + table.pmf(both) / 2
    return min(1.0, 2 * min(above, 1 - above))
