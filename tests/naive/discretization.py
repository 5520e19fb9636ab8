"""Values to codes, one column at a time, as the rules are written."""

import math

import numpy as np


def code_with_missing(values, n_bins, binning):
    """A missing cell is one code more; the others are coded as if it was not there."""
    present = np.array([v == v for v in values])
    codes = np.zeros(len(values), dtype=int)
    if present.any():
        codes[present] = code_column(values[present], n_bins, binning)
    codes[~present] = codes.max() + 1
    return codes


def code_column(values, n_bins, binning):
    values = [float(v) for v in values]
    distinct = sorted(set(values))
    if binning == "none" or len(distinct) <= n_bins:
        return np.array([distinct.index(v) for v in values])
    if binning == "uniform":
        edges = np.linspace(distinct[0], distinct[-1], n_bins + 1)[1:-1]
        return np.array([sum(v >= edge for edge in edges) for v in values])
    ascending = sorted(values)
    n = len(values)
    cuts = {ascending[math.ceil(k * n / n_bins) - 1] for k in range(1, n_bins)}
    codes = []
    for v in values:
        # The upper code of a cut at the maximum would be empty: it takes the maximum.
        codes.append(sum(v > c or (v == c == distinct[-1]) for c in cuts))
    # A cut after the last value but one already does that: no code stays empty.
    return np.array([sorted(set(codes)).index(code) for code in codes])
