"""How significant Sieve("auto") finds a column of a feature, label by label."""

import numpy as np
from scipy import stats

from tests.naive.sieve import columns_of, not_collinear, residual


def limits(n_columns, n_numbers, n_labels, rate=0.05):
    """Up to which p-value columns are significant, and up to which squares are.

    Where there are numbers, a tenth of the errors is for their squares.
    """
    for_columns = (0.9 if n_numbers else 1.0) * rate / (n_columns * n_labels)
    return for_columns, 0.1 * rate / (max(n_numbers, 1) * n_labels)


def has_square(x, Y, n_features):
    """Whether the square of a number says more of a label, and significantly."""
    score, square = columns_of(x, True, True).T
    for label in Y.T:
        known = ~np.isnan(label)
        by_score = np.corrcoef(score[known], label[known])[0, 1] ** 2
        columns = np.column_stack([score, square])[known]
        by_both = 1 - residual(label[known], columns).var() / label[known].var()
        if by_both - by_score <= by_score:
            continue
        p = p_beyond(square[known], label[known], score[known, np.newaxis])
        skewness = stats.skew(square[known])
        if skewed(p, skewness, label[known]) <= 0.005 / (n_features * Y.shape[1]):
            return True
    return False


def least_p(X, Y, f, picks, numbers=()):
    """The least p-value of a feature of one column for any binary label."""
    return min(p_value(X, label, f, picks, numbers) for label in Y.T)


def p_beyond(x, y, chosen):
    """By F beyond the chosen columns."""
    left, before = (residual(v[:, np.newaxis] * 1.0, chosen)[:, 0] for v in (x, y))
    if left @ left <= 0.01 * y.size * x.var():
        return 1.0
    new = (left @ before) ** 2 / (left @ left)
    free = y.size - 2 - chosen.shape[1]
    return stats.f.sf(new / (before @ before - new) * free, 1, free)


def p_value(X, label, f, picks, numbers):
    """By F beyond the picks, over the rows where the label is known."""
    known = ~np.isnan(label)
    y = label[known]
    x = columns_of(X[:, f], f in numbers)[known].astype(float)
    chosen = [columns_of(X[:, s], s in numbers)[known] for s in picks]
    chosen = np.column_stack([np.empty((y.size, 0)), *chosen]).astype(float)
    p = p_beyond(x[:, 0], y, chosen)
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


def p_of_feature(found, f, picks, of_squares):
    """The least p-value of the columns of a feature, for labels that are all known.

    Each column beyond those before it. p-values of squares count so many times.
    """
    basis, columns = found.basis(tuple(picks)), found.columns[f].astype(float)
    free, least = len(basis) - 2 - basis.shape[1], 1.0
    for place, x in enumerate(columns.T):
        given = np.hstack([basis, not_collinear(columns[:, :place], basis)])
        left = residual(x[:, np.newaxis], given)[:, 0]
        if left @ left <= 0.01 * x.size * x.var():
            continue
        for place_of_y, y in enumerate(found.Y.T):
            # The second column of indicators is the label.
            before = found.before(place_of_y, tuple(picks))[:, 1]
            new = (left @ before) ** 2 / (left @ left)
            p = stats.f.sf(new / (before @ before - new) * free, 1, free)
            if f in found.numbers:
                p = skewed(p, stats.skew(x), y) * (of_squares if place else 1.0)
            least = min(least, p if f in found.numbers else max(p, fisher(x, y)))
    return least


def auto(found, error, alpha=None):
    """The features that "auto" picks, in their order."""
    n_features, n_labels = found.X.shape[1], found.Y.shape[1]
    n_columns = sum(columns.shape[1] for columns in found.columns)
    rate = {"fwer": 0.05, "fdr": 0.1}[error] if alpha is None else alpha
    limit, of_squares = limits(n_columns, len(found.numbers), n_labels, rate)
    of_squares = limit / of_squares
    if error == "fdr":  # Benjamini and Hochberg, of all features by themselves
        p = np.sort([p_of_feature(found, f, [], of_squares) for f in range(n_features)])
        passed = [k for k in range(1, n_features + 1) if p[k - 1] <= k * limit]
        limit *= max(passed, default=1)
    picks = []
    while True:
        J = {f: found.gain(f, picks) for f in range(n_features) if f not in picks}
        tried = sorted((f for f in J if J[f] > 1e-12), key=lambda f: -round(J[f], 11))
        found_now = [
            f for f in tried[:20] if p_of_feature(found, f, picks, of_squares) <= limit
        ]
        if not found_now:
            return picks
        picks.append(found_now[0])
