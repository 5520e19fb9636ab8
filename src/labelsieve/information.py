"""Entropies, mutual and interaction information: of arrays, and of counts.

All values are plug-in estimates from frequencies, in nats unless `base` is given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelsieve._typing import FloatArray
from labelsieve.counting import Counts


def entropy(*columns: ArrayLike, base: float | None = None) -> float:
    """Joint entropy H of one or more columns of discrete values.

    Parameters
    ----------
    *columns : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.

    Returns
    -------
    entropy : float
        At least 0, and at most the logarithm of the number of distinct rows.

    Examples
    --------
    >>> from labelsieve.information import entropy
    >>> entropy([0, 0, 1, 1], base=2)
    1.0
    >>> entropy([0, 0, 1, 1], ["a", "b", "a", "b"], base=2)
    2.0
    """
    frequencies = np.bincount(_joint_codes(*columns))
    n = frequencies.sum()
    shares = frequencies[frequencies > 0] / n
    nats = float(-(shares * np.log(shares)).sum())
    return max(0.0, nats / _unit(base))


def mutual_information(
    first: ArrayLike, second: ArrayLike, *, base: float | None = None
) -> float:
    """Mutual information I(first; second) of two discrete columns.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.

    Returns
    -------
    information : float
        At least 0, and at most the smaller of the two entropies.

    Examples
    --------
    >>> from labelsieve.information import mutual_information
    >>> mutual_information([0, 0, 1, 1], ["a", "a", "b", "b"], base=2)
    1.0
    """
    value = entropy(first) + entropy(second) - entropy(first, second)
    return max(0.0, value) / _unit(base)


def conditional_mutual_information(
    first: ArrayLike, second: ArrayLike, given: ArrayLike, *, base: float | None = None
) -> float:
    """Conditional mutual information I(first; second | given).

    Parameters
    ----------
    first, second, given : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.

    Returns
    -------
    information : float
        At least 0.

    Examples
    --------
    >>> from labelsieve.information import conditional_mutual_information
    >>> a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> xor = [0, 1, 1, 0]
    >>> conditional_mutual_information(a, b, xor, base=2)
    1.0
    """
    value = (
        entropy(first, given)
        + entropy(second, given)
        - entropy(given)
        - entropy(first, second, given)
    )
    return max(0.0, value) / _unit(base)


def interaction_information(
    first: ArrayLike, second: ArrayLike, third: ArrayLike, *, base: float | None = None
) -> float:
    """Interaction information I({a, b, c}) = I(a; b) - I(a; b | c).

    Positive values mean redundancy (two say the same about the third), negative
    ones synergy (two say more together than alone).

    Parameters
    ----------
    first, second, third : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.

    Returns
    -------
    information : float
        Its absolute value is at most the smallest of the three entropies.

    Examples
    --------
    >>> from labelsieve.information import interaction_information
    >>> interaction_information([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], base=2)
    -1.0
    """
    alone = entropy(first) + entropy(second) + entropy(third)
    paired = entropy(first, second) + entropy(first, third) + entropy(second, third)
    return (alone - paired + entropy(first, second, third)) / _unit(base)


def feature_entropy(counts: Counts) -> FloatArray:
    """H(f) of each feature."""
    return -counts.feature_sums / counts.n_rows


def label_entropy(counts: Counts) -> FloatArray:
    """H(l) of each label."""
    return -counts.label_sums / counts.n_rows


def feature_label_information(counts: Counts) -> FloatArray:
    """I(f; l), one line per label, one column per feature."""
    information = counts.feature_label_sums - counts.feature_sums
    information -= counts.label_sums[:, np.newaxis]
    np.maximum(information, 0.0, out=information)
    information /= counts.n_rows
    return information


def relevance(counts: Counts) -> FloatArray:
    """Sum over labels of I(f; l)."""
    return feature_label_information(counts).sum(axis=0)


def label_pair_interaction(counts: Counts) -> FloatArray:
    """Sum over unordered pairs of labels a, b of I({f, a, b})."""
    n_labels = counts.n_labels
    if n_labels < 2:
        return np.zeros(counts.n_features)
    pairs = counts.label_pair_sums[np.triu_indices(n_labels, 1)].sum()
    # In the sum over pairs, f stands in every pair and each label in n_labels - 1.
    value = (
        -(n_labels * (n_labels - 1) // 2) * counts.feature_sums
        - (n_labels - 1) * counts.label_sums.sum()
        + (n_labels - 1) * counts.feature_label_sums.sum(axis=0)
        + pairs
        - counts.label_triple_sums()
    )
    return value / counts.n_rows


def chosen_feature_interaction(counts: Counts, chosen: int) -> FloatArray:
    """Sum over labels l of I({f, s, l}) for the chosen feature s."""
    return chosen_feature_terms(counts, chosen)[1]


def chosen_feature_terms(counts: Counts, chosen: int) -> tuple[FloatArray, FloatArray]:
    """For the chosen feature s: I(f; s), and the sum over labels l of I({f, s, l})."""
    n_labels = counts.n_labels
    with_chosen, with_both = counts.chosen_sums(chosen)
    alone = counts.feature_sums + counts.feature_sums[chosen]
    value = (
        -n_labels * alone
        - counts.label_sums.sum()
        + n_labels * with_chosen
        + counts.feature_label_sums.sum(axis=0)
        + counts.feature_label_sums[:, chosen].sum()
        - with_both
    )
    shared = np.maximum(0.0, with_chosen - alone)
    return shared / counts.n_rows, value / counts.n_rows


def feature_pair_information(counts: Counts, low: int, high: int) -> FloatArray:
    """I(f; g) for the features g in [low, high), one line each; H(g) where f is g."""
    alone = counts.feature_sums + counts.feature_sums[low:high, np.newaxis]
    joint = counts.feature_pair_sums(low, high)
    return np.maximum(0.0, joint - alone) / counts.n_rows


def _joint_codes(*columns: ArrayLike) -> NDArray[np.intp]:
    """One code per distinct combination of the columns' values."""
    if not columns:
        raise ValueError("expected at least one column, got none.")
    joint = np.zeros(np.shape(columns[0]), dtype=np.intp)
    for column in columns:
        values = np.asarray(column)
        if values.ndim != 1 or values.shape != joint.shape or not values.size:
            raise ValueError(
                "expected 1-D columns of the same length with at least one row, got "
                f"shapes {[np.shape(c) for c in columns]}."
            )
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError("a column contains NaN; fill or drop missing values.")
        distinct, codes = np.unique(values, return_inverse=True)
        # Renumbering after each column keeps the codes below n squared.
        joint = np.unique(joint * distinct.size + codes, return_inverse=True)[1]
    return joint


def _unit(base: float | None) -> float:
    if base is None:
        return 1.0
    if base <= 0 or base == 1:
        raise ValueError(f"base must be positive and not 1, got {base}.")
    return float(np.log(base))
