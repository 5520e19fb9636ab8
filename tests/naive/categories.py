"""Which numbers of few values Sieve takes as categories, table by table."""

import numpy as np


def is_category(column, Y):
    """Whether values explain more than twice as much as their ranks, and chance."""
    there = ~np.isnan(column)
    ascending = np.sort(column[there])
    points = ascending[[-(-k * len(ascending) // 64) - 1 for k in range(1, 64)]]
    if (points == points[31]).sum() >= 32 or np.unique(points).size > 32:
        return False
    # Rare values between the points go with the next one.
    code = np.searchsorted(np.unique(points), column[there])
    rank = np.array([(code < c).sum() + (code == c).sum() / 2 for c in code])
    names, ranks = 0.0, 0.0
    for label in Y[there].T:
        known = ~np.isnan(label)
        y, codes, r = label[known], code[known], rank[known]
        for value in np.unique(y)[1:]:
            target = (y == value) - (y == value).mean()
            groups = [target[codes == c] for c in np.unique(codes)]
            within = sum(group.size * group.mean() ** 2 for group in groups)
            within -= 4 * (len(groups) - 1) * target.var()
            names += max(within, 0.0)
            centred = r - r.mean()
            ranks += (centred @ target) ** 2 / max(centred @ centred, 1e-300)
    return names > 2 * ranks
