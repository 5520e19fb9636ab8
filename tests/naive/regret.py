"""Holm's procedure, the Bayesian signed-rank test and regret, one by one."""

from __future__ import annotations

import numpy as np


def holm(p_values):
    """The largest of the smaller ones times how many are left, at most 1."""
    found = []
    for i, p in enumerate(p_values):
        smaller = [(q, j) for j, q in enumerate(p_values) if (q, j) <= (p, i)]
        ranked = sorted(smaller)
        found.append(
            min(1.0, max(q * (len(p_values) - k) for k, (q, _) in enumerate(ranked)))
        )
    return found


def signed_rank_masses(gains, weights, rope):
    """Weight of the pairs whose mean gain is above, within and below the region."""
    z = [0.0, *gains]
    masses = [0.0, 0.0, 0.0]
    for i, a in enumerate(z):
        for j, b in enumerate(z):
            mean = (a + b) / 2
            place = 0 if mean > rope else 2 if mean < -rope else 1
            masses[place] += weights[i] * weights[j]
    return masses


def regret(values, chosen):
    """Best of the chosen columns less each value, row by row."""
    return np.array([[max(row[chosen]) - v for v in row] for row in values])
