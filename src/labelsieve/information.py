"""Entropy, mutual information, conditional and interaction information.

All values are plug-in estimates from frequencies, in nats unless `base` is given. They
are biased upwards: the mutual information of independent columns is positive. The
`correction` "miller-madow" (Miller 1955) subtracts the expected bias: it adds (occupied
cells - 1) / (2 n) to each entropy. "chi2" sets to zero what a G test does not find
significant at 5 percent.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from labelsieve.engines import CORRECTIONS, SIGNIFICANCE, Correction


def entropy(
    *columns: ArrayLike,
    base: float | None = None,
    correction: Literal["miller-madow"] | None = None,
) -> float:
    """Joint entropy H of one or more columns of discrete values.

    Parameters
    ----------
    *columns : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow"} or None, default=None
        Bias correction; see the head of this module.

    Returns
    -------
    entropy : float
        At least 0; without correction at most the logarithm of the number of
        distinct rows.

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
    if correction is not None:
        _check_correction(correction, ("miller-madow",))
        nats += (shares.size - 1) / (2.0 * n)
    return max(0.0, nats / _unit(base))


def mutual_information(
    first: ArrayLike,
    second: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Mutual information I(first; second) of two discrete columns.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        Bias correction; see the head of this module.

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
    return max(0.0, _shared(first, second, correction=correction)) / _unit(base)


def conditional_mutual_information(
    first: ArrayLike,
    second: ArrayLike,
    given: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Conditional mutual information I(first; second | given).

    Parameters
    ----------
    first, second, given : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        Bias correction; see the head of this module.

    Returns
    -------
    information : float
        At least 0.

    Examples
    --------
    >>> from labelsieve.information import conditional_mutual_information
    >>> a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> xor = [0, 1, 1, 0]
    >>> round(conditional_mutual_information(a, b, xor, base=2), 6)
    1.0
    """
    return max(0.0, _shared(first, second, given, correction=correction)) / _unit(base)


def interaction_information(
    first: ArrayLike,
    second: ArrayLike,
    third: ArrayLike,
    *,
    base: float | None = None,
    correction: Correction | None = None,
) -> float:
    """Interaction information I({a, b, c}) = I(a; b) - I(a; b | c).

    Positive values mean redundancy (two variables share information about the third),
    negative ones synergy (they carry more together than apart).

    Parameters
    ----------
    first, second, third : array-like of shape (n,)
        Discrete values: whole numbers, booleans or text.
    base : float, default=None
        Base of the logarithm; None means natural.
    correction : {"miller-madow", "chi2"} or None, default=None
        Bias correction; see the head of this module.

    Returns
    -------
    information : float
        Its absolute value is at most the smallest of the three entropies.

    Examples
    --------
    >>> from labelsieve.information import interaction_information
    >>> a, b, xor = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> round(interaction_information(a, b, xor, base=2), 6)
    -1.0
    """
    plain: Correction | None = None if correction == "chi2" else correction
    value = _shared(first, second, correction=plain)
    value -= _shared(first, second, third, correction=plain)
    if correction == "chi2":
        freedom = _freedom(first, second, third) - _freedom(first, second)
        value = _significant(value, freedom, first)
    return value / _unit(base)


def _shared(
    first: ArrayLike,
    second: ArrayLike,
    *given: ArrayLike,
    correction: Correction | None,
) -> float:
    """I(first; second | given) in nats; a correction may leave less than nothing."""
    if correction is not None:
        _check_correction(correction, CORRECTIONS)
    how = None if correction == "chi2" else correction
    # H(a, c) + H(b, c) - H(a, b, c) - H(c)
    value = entropy(first, *given, correction=how)
    value += entropy(second, *given, correction=how)
    value -= entropy(first, second, *given, correction=how)
    if given:
        value -= entropy(*given, correction=how)
    if correction == "chi2":
        value = _significant(value, _freedom(first, second, *given), first)
    return value


def _check_correction(correction: str, known: tuple[str, ...]) -> None:
    if correction not in known:
        raise ValueError(
            f"correction must be None or one of {', '.join(known)}, got {correction!r}."
        )


def _significant(value: float, freedom: int, column: ArrayLike) -> float:
    """The value, or 0 where a G test with so many degrees of freedom finds nothing."""
    limit = float(chdtri(max(1, freedom), SIGNIFICANCE))
    return value if 2.0 * len(np.asarray(column)) * abs(value) > limit else 0.0


def _freedom(first: ArrayLike, second: ArrayLike, given: ArrayLike = ()) -> int:
    """Degrees of freedom of two columns within each value of a third."""
    a, b = _joint_codes(first), _joint_codes(second)
    within = _joint_codes(given) if np.size(given) else np.zeros_like(a)
    total = 0
    for value in np.unique(within):
        rows = within == value
        total += (np.unique(a[rows]).size - 1) * (np.unique(b[rows]).size - 1)
    return total


def _joint_codes(*columns: ArrayLike) -> NDArray[np.intp]:
    """One code per distinct combination of the columns' values."""
    if not columns:
        raise ValueError("expected at least one column, got none.")
    read = [_read_column(column) for column in columns]
    shapes = [values.shape for values in read]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1 or not shapes[0][0]:
        raise ValueError(
            "expected 1-D columns of the same length with at least one row, got "
            f"shapes {shapes}."
        )
    joint = np.zeros(shapes[0], dtype=np.intp)
    for values in read:
        distinct, codes = np.unique(values, return_inverse=True)
        # Renumbering after each column keeps the codes below n squared.
        joint = np.unique(joint * distinct.size + codes, return_inverse=True)[1]
    return joint


def _read_column(column: ArrayLike) -> NDArray[Any]:
    if np.ma.is_masked(column):
        n_masked = int(np.ma.count_masked(column))
        raise ValueError(
            f"a column contains NaN: {n_masked} of its cells are masked; fill or drop "
            "missing values."
        )
    try:
        values = np.asarray(column)
        if values.dtype == object:
            # Python's objects: numbers if all of them are, else text.
            values = np.array(values.tolist())
    except ValueError as error:
        raise ValueError(f"expected a column of numbers or text: {error}") from error
    if values.dtype.kind not in "biufUS":
        raise ValueError(
            f"expected a column of numbers or text without missing values, got "
            f"dtype {values.dtype}."
        )
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("a column contains NaN; fill or drop missing values.")
    return values


def _unit(base: float | None) -> float:
    if base is None:
        return 1.0
    if base <= 0 or base == 1:
        raise ValueError(f"base must be positive and not 1, got {base}.")
    return float(np.log(base))
