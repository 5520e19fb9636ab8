"""Which numbers of few values Sieve takes as categories, table by table."""

import numpy as np


def is_category(column, Y, n_features):
    """Whether values explain more than twice as much as their ranks, and clearly."""
    # Rows of which no label is known are no rows.
    there = ~np.isnan(column) & ~np.isnan(Y).all(axis=1)
    ascending = np.sort(column[there])
    points = ascending[[-(-k * len(ascending) // 64) - 1 for k in range(1, 64)]]
    if (points == points[31]).sum() >= 32 or np.unique(points).size > 32:
        return False
    # Rare values between the points go with the next one.
    code = np.searchsorted(np.unique(points), column[there])
    rank = np.array([(code < c).sum() + (code == c).sum() / 2 for c in code])
    names, ranks, is_clear = 0.0, 0.0, False
    for label in Y[there].T:
        known = ~np.isnan(label)
        y, codes, r = label[known], code[known], rank[known]
        for value in np.unique(y)[1:]:
            target = (y == value) - (y == value).mean()
            groups = [target[codes == c] for c in np.unique(codes)]
            explained = sum(group.size * group.mean() ** 2 for group in groups) / 2
            explained -= (len(groups) - 1) * target.var()
            names += max(explained, 0.0)
            limit = np.log(n_features * Y.shape[1] / 0.05) * target.var()
            is_clear |= explained > limit
            centred = r - r.mean()
            ranks += (centred @ target) ** 2 / max(centred @ centred, 1e-300) / 2
    return is_clear and names > 2 * ranks
