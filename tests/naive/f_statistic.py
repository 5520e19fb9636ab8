"""The F statistic of two classes, label by label and feature by feature."""

from __future__ import annotations

import numpy as np


def f_statistic(column, label):
    """Between over within mean squares of the rows with and without a label."""
    groups = [column[label == value] for value in (0, 1)]
    between = sum(len(g) * (g.mean() - column.mean()) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    return between / (within / (len(column) - 2))


def per_label(X, Y):
    """One line per label, one column per feature; labels that never vary left out."""
    varying = [label for label in Y.T if 0 < label.sum() < len(label)]
    return np.array([[f_statistic(column, y) for column in X.T] for y in varying])
